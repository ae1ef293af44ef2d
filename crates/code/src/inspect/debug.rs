//! Signatures, variables and their places from debug information.

use super::files::FileNames;
use super::metadata::{Metadata, Node, Reference};
use super::types::TypeBuilder;
use std::collections::HashMap;
use testwright_base::ids::TypeId;
use testwright_base::site::Place;
use testwright_base::subject::{Param, Signature};
use testwright_base::types::Types;

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

    /// The type of a variable.
    pub fn type_of(&mut self, variable: &Declared) -> TypeId {
        self.types.build(self.metadata.node(variable.node).reference("type"))
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
