//! Signatures, variables and their places from debug information.

use super::files::FileNames;
use super::metadata::{Metadata, Node, Reference};
use super::types::TypeBuilder;
use std::collections::HashMap;
use testwright_base::ids::TypeId;
use testwright_base::site::Place;
use testwright_base::subject::{Param, Signature};
use testwright_base::types::{Shape, Type, Types};

/// What debug information says.
#[derive(Debug)]
pub struct Debug<'m, 't> {
    metadata: &'m Metadata<'t>,
    types: TypeBuilder<'m, 't>,
    /// Parameters by the function they belong to.
    params: HashMap<Reference, Vec<Parameter>>,
}

/// A parameter as a local variable.
#[derive(Debug)]
struct Parameter {
    /// From 0.
    position: usize,
    name: Option<String>,
    ty: Option<Reference>,
}

/// A function or variable as the source has it.
#[derive(Debug)]
pub struct Declared {
    /// Its name; for a variable inside a function, `function.variable`.
    pub name: String,
    /// Where it is defined.
    pub place: Option<Place>,
    /// Its node.
    pub node: Reference,
}

/// The type of a function that is not defined here.
#[derive(Debug)]
pub struct FunctionType {
    /// Its parameters, without names, and result.
    pub signature: Signature,
    /// The numbers of parameters that point to what must not be changed.
    pub constant: Vec<usize>,
}

impl<'m, 't> Debug<'m, 't> {
    /// Nothing read yet.
    #[must_use]
    pub fn new(metadata: &'m Metadata<'t>) -> Debug<'m, 't> {
        let mut params: HashMap<Reference, Vec<Parameter>> = HashMap::new();
        for local in metadata.locals() {
            // Other local variables have no position, or position 0.
            let position = (local.size("arg") as usize).checked_sub(1);
            if let (Some(scope), Some(position)) = (local.reference("scope"), position) {
                let (name, ty) = (local.string("name"), local.reference("type"));
                params.entry(scope).or_default().push(Parameter { position, name, ty });
            }
        }
        Debug { metadata, types: TypeBuilder::new(metadata), params }
    }

    /// The function with this LLVM name.
    pub fn function(&self, name: &str, files: &mut FileNames) -> Option<Declared> {
        let node = self.metadata.attached(name)?;
        let subprogram = self.metadata.node(node);
        let place = self.place(subprogram, files);
        (subprogram.kind == "DISubprogram")
            .then(|| Some(Declared { name: subprogram.string("name")?, place, node }))
            .flatten()
    }

    /// The global variable with this LLVM name.
    pub fn variable(&self, name: &str, files: &mut FileNames) -> Option<Declared> {
        let node = self.metadata.node(self.metadata.attached(name)?).reference("var")?;
        let variable = self.metadata.node(node);
        let own_name = variable.string("name")?;
        let name = match self.enclosing_function(variable) {
            Some(function) => format!("{function}.{own_name}"),
            None => own_name,
        };
        Some(Declared { name, place: self.place(variable, files), node })
    }

    /// The function that a variable is declared in, however deep.
    fn enclosing_function(&self, variable: Node<'t>) -> Option<String> {
        let mut scope = self.metadata.node(variable.reference("scope")?);
        while matches!(scope.kind, "DILexicalBlock" | "DILexicalBlockFile") {
            scope = self.metadata.node(scope.reference("scope")?);
        }
        if scope.kind == "DISubprogram" { scope.string("name") } else { None }
    }

    /// Parameters and result of a function. Types of parameters come from the function's type, or, for definitions
    /// in the old style, from the parameters themselves.
    pub fn signature(&mut self, function: &Declared, variadic: bool) -> Signature {
        let subprogram = self.metadata.node(function.node);
        let ty = subprogram.reference("type").map(|ty| self.metadata.node(ty)).unwrap_or_default();
        let mut list = self.metadata.list(ty, "types").into_iter();
        let result = self.types.build(list.next().flatten());
        let mut params: Vec<(Option<String>, Option<Reference>)> =
            list.flatten().map(|ty| (None, Some(ty))).collect();
        let mut own = self.params.remove(&function.node).unwrap_or_default();
        own.sort_by_key(|param| param.position);
        for Parameter { position, name, ty } in own {
            if position < params.len() {
                params[position].0 = name;
            } else {
                params.push((name, ty));
            }
        }
        let params = params.into_iter().enumerate().map(|(index, (name, ty))| Param {
            name: name.unwrap_or_else(|| format!("arg{index}")),
            ty: self.types.build(ty),
        });
        Signature { params: params.collect(), result, variadic }
    }

    /// The parameters of a function that point to structs or unions which its file only declares, by index.
    pub fn hidden(&self, function: &Declared) -> Vec<usize> {
        let subprogram = self.metadata.node(function.node);
        let ty = subprogram.reference("type").map(|ty| self.metadata.node(ty)).unwrap_or_default();
        let is_hidden = |ty: &Option<Reference>| {
            let pointer = self.plain(*ty).filter(|ty| self.is_tagged(*ty, &["pointer_type"]));
            let target =
                pointer.and_then(|pointer| self.plain(self.metadata.node(pointer).reference("baseType")));
            target.is_some_and(|target| self.metadata.node(target).has_flag("DIFlagFwdDecl"))
        };
        let params = self.metadata.list(ty, "types").into_iter().skip(1).enumerate();
        params.filter(|(_, ty)| is_hidden(ty)).map(|(index, _)| index).collect()
    }

    /// The type of the function that the variable with this LLVM name can point to.
    pub fn pointed_function(&mut self, variable: &str) -> Option<FunctionType> {
        let node = self.metadata.node(self.metadata.attached(variable)?).reference("var")?;
        self.behind_pointer(self.metadata.node(node).reference("type"))
    }

    /// The type of what the variable with this LLVM name can point to.
    pub fn pointed_type(&mut self, variable: &str) -> Option<TypeId> {
        let node = self.metadata.node(self.metadata.attached(variable)?).reference("var")?;
        let pointer = self.plain(self.metadata.node(node).reference("type"))?;
        let target = self.metadata.node(pointer).reference("baseType")?;
        Some(self.types.build(Some(target)))
    }

    /// The type of the function that a parameter of this function points to.
    pub fn parameter_function(&mut self, function: &Declared, parameter: usize) -> Option<FunctionType> {
        let ty = self.metadata.node(function.node).reference("type").map(|ty| self.metadata.node(ty))?;
        let params = self.metadata.list(ty, "types");
        self.behind_pointer(*params.get(parameter + 1)?)
    }

    /// The function types that structs and variables of these types hold pointers to: the type of the pointer, a name for it, and what
    /// is behind it.
    pub fn held_functions(&mut self, variables: &[TypeId]) -> Vec<(TypeId, String, FunctionType)> {
        let held = self.types.held_functions(variables);
        let known = held.into_iter().filter_map(|(reference, pointer, name)| {
            Some((pointer, name, self.behind_pointer(Some(reference))?))
        });
        known.collect()
    }

    /// Makes sure that a struct is known that LLVM calls like this.
    pub fn know_struct(&mut self, name: &str) {
        self.types.build_named(name);
    }

    /// What a type is that was built already.
    #[must_use]
    pub fn shape(&self, ty: TypeId) -> &Shape {
        &self.types.get(ty).shape
    }

    fn behind_pointer(&mut self, pointer: Option<Reference>) -> Option<FunctionType> {
        let pointer = self.metadata.node(self.plain(pointer)?);
        let function = self.metadata.node(self.plain(pointer.reference("baseType"))?);
        if function.kind != "DISubroutineType" {
            return None;
        }
        let list = self.metadata.list(function, "types");
        let result = self.types.build(list.first().copied().flatten());
        let variadic = list.iter().skip(1).any(Option::is_none);
        let given: Vec<Reference> = list.into_iter().skip(1).flatten().collect();
        let constant = (0..given.len()).filter(|index| self.points_to_constant(given[*index])).collect();
        let params = given
            .into_iter()
            .enumerate()
            .map(|(index, ty)| Param { name: format!("arg{index}"), ty: self.types.build(Some(ty)) });
        let signature = Signature { params: params.collect(), result, variadic };
        Some(FunctionType { signature, constant })
    }

    /// The type without names and qualifiers of its own.
    fn plain(&self, ty: Option<Reference>) -> Option<Reference> {
        let mut ty = ty?;
        while self.is_tagged(ty, &["typedef", "const_type", "volatile_type", "restrict_type", "atomic_type"])
        {
            ty = self.metadata.node(ty).reference("baseType")?;
        }
        Some(ty)
    }

    fn points_to_constant(&self, ty: Reference) -> bool {
        let Some(pointer) = self.plain(Some(ty)) else { return false };
        let mut target = self.metadata.node(pointer).reference("baseType");
        while let Some(ty) = target {
            if self.is_tagged(ty, &["const_type"]) {
                return true;
            }
            let qualified = self.is_tagged(ty, &["typedef", "volatile_type", "restrict_type", "atomic_type"]);
            target = self.metadata.node(ty).reference("baseType").filter(|_| qualified);
        }
        false
    }

    fn is_tagged(&self, ty: Reference, tags: &[&str]) -> bool {
        let tag = self.metadata.node(ty).field("tag").and_then(|tag| tag.strip_prefix("DW_TAG_"));
        tag.is_some_and(|tag| tags.contains(&tag))
    }

    /// The type of a variable.
    pub fn type_of(&mut self, variable: &Declared) -> TypeId {
        self.types.build(self.metadata.node(variable.node).reference("type"))
    }

    /// Adds a type that debug information does not mention.
    pub fn add_type(&mut self, ty: Type) -> TypeId {
        self.types.add(ty)
    }

    /// All types that were mentioned.
    #[must_use]
    pub fn into_types(self) -> Types {
        self.types.finish()
    }

    fn place(&self, node: Node<'t>, files: &mut FileNames) -> Option<Place> {
        let file = self.metadata.node(node.reference("file")?);
        let name = files.name(&file.string("directory").unwrap_or_default(), &file.string("filename")?);
        Some(Place { file: name, line: node.size("line") as u32, column: 0 })
    }
}
