//! C types from debug information.
//!
//! A record that mentions itself is entered before its fields are built. A typedef is a copy of what it stands for
//! under another name; one that names a record still being built is copied when everything else is done.

use super::metadata::{Metadata, Node, Reference};
use std::collections::{HashMap, HashSet};
use testwright_base::ids::TypeId;
use testwright_base::types::{Field, Qualifiers, Shape, Type, Types};

/// Builds types from nodes.
#[derive(Debug)]
pub struct TypeBuilder<'m, 't> {
    metadata: &'m Metadata<'t>,
    types: Types,
    built: HashMap<Reference, TypeId>,
    void: Option<TypeId>,
    /// Types whose shape is not known yet.
    open: HashSet<TypeId>,
    /// Typedefs of open types: the copy, the original, the name.
    copies: Vec<(TypeId, TypeId, String)>,
    /// The definition of each struct, union and enum that has a name, by its spelling.
    definitions: HashMap<String, Reference>,
    /// The typedefs by name.
    typedefs: HashMap<String, Reference>,
    /// The same definition in several files is one type.
    same: HashMap<Definition, TypeId>,
    /// The same name for the same type in several files is one typedef.
    same_typedefs: HashMap<(String, TypeId), TypeId>,
}

/// What tells definitions apart: spelling, file, line, size.
type Definition = (String, String, u64, u64);

impl<'m, 't> TypeBuilder<'m, 't> {
    /// Nothing built yet.
    #[must_use]
    pub fn new(metadata: &'m Metadata<'t>) -> TypeBuilder<'m, 't> {
        let mut definitions = HashMap::new();
        for (reference, node) in metadata.nodes().filter(|(_, node)| node.kind == "DICompositeType") {
            if let (Some(name), false) = (tagged_name(node), node.has_flag("DIFlagFwdDecl")) {
                definitions.entry(name).or_insert(reference);
            }
        }
        let typedefs = metadata.nodes().filter(|(_, node)| node.field("tag") == Some("DW_TAG_typedef"));
        let typedefs =
            typedefs.filter_map(|(reference, node)| Some((node.string("name")?, reference))).collect();
        TypeBuilder {
            typedefs,
            metadata,
            types: Types::default(),
            built: HashMap::new(),
            void: None,
            open: HashSet::new(),
            copies: Vec::new(),
            definitions,
            same: HashMap::new(),
            same_typedefs: HashMap::new(),
        }
    }

    /// All types that were built.
    #[must_use]
    pub fn finish(mut self) -> Types {
        for (copy, original, name) in std::mem::take(&mut self.copies) {
            let ty = Type { name: Some(name), ..self.types.get(original).clone() };
            self.types.set(copy, ty);
        }
        self.types
    }

    /// Builds the struct or union that LLVM calls like this: `struct.point`, after its tag or the typedef that names it.
    pub fn build_named(&mut self, name: &str) {
        let Some((keyword, name)) = name.split_once('.') else { return };
        let tagged = self.definitions.get(&format!("{keyword} {name}")).copied();
        let named = tagged.or_else(|| self.typedefs.get(name).copied());
        if named.is_some() {
            self.build(named);
        }
    }

    /// A type that was built.
    #[must_use]
    pub fn get(&self, id: TypeId) -> &Type {
        self.types.get(id)
    }

    /// Pointers to functions that something other than a parameter holds, variables of these types among them: their nodes, types, and names after the type or
    /// the first field of it.
    #[must_use]
    pub fn held_functions(&self, variables: &[TypeId]) -> Vec<(Reference, TypeId, String)> {
        let is_function_pointer = |id: TypeId| match self.types.get(id).shape {
            Shape::Pointer(target) => matches!(self.types.get(target).shape, Shape::Function { .. }),
            _ => false,
        };
        let mut nodes: Vec<(TypeId, Reference)> =
            self.built.iter().map(|(reference, id)| (*id, *reference)).collect();
        nodes.retain(|(id, _)| is_function_pointer(*id));
        // The order of a hash map must not show.
        nodes.sort_unstable();
        nodes.dedup_by_key(|(id, _)| *id);
        let mut held: HashMap<TypeId, String> =
            variables.iter().map(|variable| (*variable, "callback".to_owned())).collect();
        for holder in (0..self.types.len()).map(TypeId::of) {
            let ty = self.types.get(holder);
            match &ty.shape {
                Shape::Array { element, .. } | Shape::Pointer(element) => {
                    held.entry(*element).or_insert_with(|| "callback".to_owned());
                }
                Shape::Record { fields, .. } => {
                    let owner = ty.name.as_deref().unwrap_or_default();
                    let owner = owner.rsplit(' ').next().unwrap_or_default();
                    for field in fields {
                        let name = format!("{owner}.{}", field.name.as_deref().unwrap_or_default());
                        held.entry(field.ty).or_insert_with(|| name.trim_matches('.').to_owned());
                    }
                }
                _ => {}
            }
        }
        let named = |(id, reference): (TypeId, Reference)| {
            let place = held.get(&id)?;
            Some((reference, id, self.types.get(id).name.clone().unwrap_or_else(|| place.clone())))
        };
        nodes.into_iter().filter_map(named).collect()
    }

    /// Adds a type that no node describes.
    pub fn add(&mut self, ty: Type) -> TypeId {
        self.types.push(ty)
    }

    /// The type of a node; void if there is none.
    pub fn build(&mut self, reference: Option<Reference>) -> TypeId {
        let Some(reference) = reference else {
            return match self.void {
                Some(void) => void,
                None => *self.void.insert(self.types.push(simple("void", 0, Shape::Void))),
            };
        };
        if let Some(id) = self.built.get(&reference) {
            return *id;
        }
        let id = self.build_node(reference, self.metadata.node(reference));
        self.built.insert(reference, id);
        id
    }

    fn build_node(&mut self, reference: Reference, node: Node<'t>) -> TypeId {
        let tag = node.field("tag").unwrap_or_default();
        match (node.kind, tag) {
            ("DIBasicType", _) => self.types.push(basic(node)),
            ("DIStringType", _) => self.other(node, "string"),
            ("DISubroutineType", _) => self.function(node),
            ("DIDerivedType", "DW_TAG_pointer_type") => {
                // A pointer to a function type mentions types that may be this one, so it is entered first.
                let id = self.types.push(pointer(TypeId(0)));
                self.built.insert(reference, id);
                let target = self.build(node.reference("baseType"));
                self.types.set(id, pointer(target));
                self.types.qualify(id, self.qualifiers(node.reference("baseType")));
                id
            }
            ("DIDerivedType", "DW_TAG_typedef") => self.typedef(node),
            (
                "DIDerivedType",
                "DW_TAG_const_type" | "DW_TAG_volatile_type" | "DW_TAG_restrict_type" | "DW_TAG_atomic_type",
            ) => self.build(node.reference("baseType")),
            ("DICompositeType", "DW_TAG_array_type") => self.array(node),
            ("DICompositeType", "DW_TAG_enumeration_type") => self.enumeration(node),
            ("DICompositeType", "DW_TAG_structure_type" | "DW_TAG_union_type" | "DW_TAG_class_type") => {
                self.record(reference, node)
            }
            _ => self.other(node, tag.trim_start_matches("DW_TAG_")),
        }
    }

    /// How a type is qualified; C says of an array what it says of the elements. A typedef says it by its name.
    fn qualifiers(&self, reference: Option<Reference>) -> Qualifiers {
        let Some(reference) = reference else { return Qualifiers::default() };
        let node = self.metadata.node(reference);
        let own = match node.field("tag").unwrap_or_default() {
            "DW_TAG_const_type" => Qualifiers { constant: true, volatile: false },
            "DW_TAG_volatile_type" => Qualifiers { constant: false, volatile: true },
            "DW_TAG_restrict_type" | "DW_TAG_atomic_type" | "DW_TAG_array_type" => Qualifiers::default(),
            _ => return Qualifiers::default(),
        };
        own.joined(self.qualifiers(node.reference("baseType")))
    }

    fn other(&mut self, node: Node<'t>, what: &str) -> TypeId {
        let what = node.string("name").unwrap_or_else(|| what.replace('_', " "));
        let size = node.size("size").div_ceil(8);
        self.types.push(Type { name: None, size, align: alignment_of_size(size), shape: Shape::Other(what) })
    }

    fn typedef(&mut self, node: Node<'t>) -> TypeId {
        let nameless = self.nameless_record(node);
        if let Some(id) = nameless.as_ref().and_then(|definition| self.same.get(definition)) {
            return *id;
        }
        let base = self.build(node.reference("baseType"));
        let Some(name) = node.string("name") else { return base };
        if let Some(id) = self.same_typedefs.get(&(name.clone(), base)) {
            return *id;
        }
        let mut ty = Type { name: Some(name.clone()), ..self.types.get(base).clone() };
        ty.align = ty.align.max(node.size("align").div_ceil(8));
        let id = self.types.push(ty);
        self.types.alias(id, base);
        self.same.extend(nameless.map(|definition| (definition, id)));
        self.same_typedefs.insert((name.clone(), base), id);
        self.types.qualify(id, self.types.behind(base));
        if self.open.contains(&base) {
            self.open.insert(id);
            self.copies.push((id, base, name));
        }
        id
    }

    /// What a typedef is the only name of: `typedef struct { int x; } point;`.
    fn nameless_record(&self, typedef: Node<'t>) -> Option<Definition> {
        let node = self.metadata.node(typedef.reference("baseType")?);
        let tag = node.field("tag")?;
        let is_record = matches!(tag, "DW_TAG_structure_type" | "DW_TAG_union_type");
        let is_nameless = is_record && node.string("name").is_none();
        let definition = || {
            let size = node.size("size").div_ceil(8);
            Some((typedef.string("name")?, self.file_of(node), node.size("line"), size))
        };
        is_nameless.then(definition).flatten()
    }

    fn function(&mut self, node: Node<'t>) -> TypeId {
        let mut list = self.metadata.list(node, "types").into_iter();
        let result = self.build(list.next().flatten());
        let list: Vec<Option<Reference>> = list.collect();
        // A gap stands for the dots of a variadic function.
        let variadic = list.contains(&None);
        let params = list.into_iter().flatten().map(|param| self.build(Some(param))).collect();
        let shape = Shape::Function { result, params, variadic };
        self.types.push(Type { name: None, size: 0, align: 1, shape })
    }

    /// `int a[2][3]` is one node with two ranges: an array of two arrays of three.
    fn array(&mut self, node: Node<'t>) -> TypeId {
        let mut element = self.build(node.reference("baseType"));
        if node.has_flag("DIFlagVector") {
            let size = node.size("size").div_ceil(8);
            let count = Some(size / self.types.get(element).size.max(1));
            // An array to whoever reads or initialises it, but one with a name, and aligned to its size.
            let spelt = self.types.spell(element);
            let name = Some(format!("__attribute__((__vector_size__({size}))) {spelt}"));
            let shape = Shape::Array { element, count };
            return self.types.push(Type { name, size, align: size.max(1), shape });
        }
        for range in self.metadata.list(node, "elements").into_iter().flatten().rev() {
            let range = self.metadata.node(range);
            let count = range.number("count").and_then(|count| u64::try_from(count).ok());
            let (size, align) = (self.types.get(element).size, self.types.get(element).align);
            let size = size * count.unwrap_or(0);
            element =
                self.types.push(Type { name: None, size, align, shape: Shape::Array { element, count } });
        }
        element
    }

    fn enumeration(&mut self, node: Node<'t>) -> TypeId {
        if let Some(definition) = self.definition_of(node) {
            return self.build(Some(definition));
        }
        let bits = node.size("size") as u32;
        let base = node.reference("baseType").map(|base| self.build(Some(base)));
        let signed = match base.map(|base| &self.types.get(base).shape) {
            Some(Shape::Int { signed, .. } | Shape::Enum { signed, .. }) => *signed,
            _ => false,
        };
        let elements = self.metadata.list(node, "elements").into_iter().flatten();
        let constants = elements
            .map(|element| self.metadata.node(element))
            .filter_map(|element| Some((element.string("name")?, element.number("value")?)))
            .collect();
        let (size, name) = (u64::from(bits).div_ceil(8), tagged_name(node));
        let shape = Shape::Enum { bits, signed, constants };
        self.types.push(Type { name, size, align: alignment_of_size(size), shape })
    }

    fn record(&mut self, reference: Reference, node: Node<'t>) -> TypeId {
        if let Some(definition) = self.definition_of(node) {
            return self.build(Some(definition));
        }
        let union = node.field("tag") == Some("DW_TAG_union_type");
        let name = tagged_name(node);
        let size = node.size("size").div_ceil(8);
        let definition = name.clone().map(|name| (name, self.file_of(node), node.size("line"), size));
        let name = name.map(as_c_names_it);
        if let Some(id) = definition.as_ref().and_then(|definition| self.same.get(definition)) {
            return *id;
        }
        let complete = !node.has_flag("DIFlagFwdDecl");
        let shape = |fields| Shape::Record { union, fields, complete };
        let id = self.types.push(Type { name: name.clone(), size, align: 1, shape: shape(Vec::new()) });
        self.built.insert(reference, id);
        self.same.extend(definition.map(|definition| (definition, id)));
        self.open.insert(id);
        let fields = self.fields(node);
        let align = self.record_alignment(node, size, &fields);
        self.types.set(id, Type { name, size, align, shape: shape(fields) });
        self.open.remove(&id);
        id
    }

    fn fields(&mut self, node: Node<'t>) -> Vec<Field> {
        let mut fields = Vec::new();
        for member in self.metadata.list(node, "elements").into_iter().flatten() {
            let member = self.metadata.node(member);
            let bit_width = member.has_flag("DIFlagBitField").then(|| member.size("size") as u32);
            let name = member.string("name");
            // A bit-field without a name is padding.
            if member.field("tag") != Some("DW_TAG_member") || (bit_width.is_some() && name.is_none()) {
                continue;
            }
            let ty = self.build(member.reference("baseType"));
            fields.push(Field { name, ty, offset_bits: member.size("offset"), bit_width });
        }
        fields
    }

    /// The largest alignment of a field, or what was asked for; less if the places of the fields show that the
    /// record is packed, of which debug information says nothing.
    fn record_alignment(&self, node: Node<'t>, size: u64, fields: &[Field]) -> u64 {
        let of = |field: &Field| self.types.get(field.ty).align;
        let mut align = fields.iter().map(of).max().unwrap_or(1).max(1);
        let fits = |align: u64| {
            let placed = |field: &Field| {
                field.bit_width.is_some() || field.offset_bits.is_multiple_of(8 * of(field).clamp(1, align))
            };
            size.is_multiple_of(align) && fields.iter().all(placed)
        };
        while align > 1 && !fits(align) {
            align /= 2;
        }
        let members = self.metadata.list(node, "elements").into_iter().flatten();
        let asked =
            members.map(|member| self.metadata.node(member).size("align").div_ceil(8)).max().unwrap_or(0);
        align.max(asked).max(node.size("align").div_ceil(8))
    }

    /// The definition, elsewhere, of what is only declared here.
    fn definition_of(&self, node: Node<'t>) -> Option<Reference> {
        if !node.has_flag("DIFlagFwdDecl") {
            return None;
        }
        self.definitions.get(&tagged_name(node)?).copied()
    }

    fn file_of(&self, node: Node<'t>) -> String {
        let file = node.reference("file").map(|file| self.metadata.node(file)).unwrap_or_default();
        let part = |name| file.string(name).unwrap_or_default();
        format!("{}/{}", part("directory"), part("filename"))
    }
}

/// What C calls the struct that a `va_list` is an array of.
pub const VA_LIST_ELEMENT: &str = "__typeof__(((__builtin_va_list *)0)[0][0])";

/// What C calls a struct of this name. The one behind `va_list` is the compiler's own: C knows it by the type of an expression only.
fn as_c_names_it(name: String) -> String {
    if name == "struct __va_list_tag" { VA_LIST_ELEMENT.to_owned() } else { name }
}

/// `struct point`, `union word`, `enum color`; none for those without a name.
fn tagged_name(node: Node<'_>) -> Option<String> {
    let keyword = match node.field("tag")? {
        "DW_TAG_structure_type" | "DW_TAG_class_type" => "struct",
        "DW_TAG_union_type" => "union",
        "DW_TAG_enumeration_type" => "enum",
        _ => return None,
    };
    Some(format!("{keyword} {}", node.string("name")?))
}

fn simple(name: &str, size: u64, shape: Shape) -> Type {
    Type { name: Some(name.to_owned()), size, align: alignment_of_size(size), shape }
}

fn pointer(target: TypeId) -> Type {
    Type { name: None, size: 8, align: 8, shape: Shape::Pointer(target) }
}

/// Scalars of the x86-64 convention are aligned to their size.
fn alignment_of_size(size: u64) -> u64 {
    if size.is_power_of_two() && size <= 16 { size } else { 1 }
}

fn basic(node: Node<'_>) -> Type {
    let name = node.string("name").unwrap_or_default();
    let bits = node.size("size") as u32;
    let size = u64::from(bits).div_ceil(8);
    let int = |signed, character| Shape::Int { bits, signed, character };
    let other = |what: &str| Shape::Other(what.to_owned());
    let shape = match (node.field("encoding").unwrap_or_default(), bits) {
        _ if name.contains("_BitInt") => other(&name),
        ("DW_ATE_boolean", _) => Shape::Bool,
        ("DW_ATE_signed", _) => int(true, false),
        ("DW_ATE_unsigned", _) => int(false, false),
        ("DW_ATE_signed_char", _) => int(true, true),
        ("DW_ATE_unsigned_char", _) => int(false, true),
        ("DW_ATE_float", 32 | 64) => Shape::Float { bits },
        ("DW_ATE_float", 128) if name == "long double" => Shape::Float { bits: 80 },
        ("DW_ATE_complex_float", 64) => other("_Complex float"),
        ("DW_ATE_complex_float", 128) => other("_Complex double"),
        ("DW_ATE_complex_float", 256) => other("_Complex long double"),
        _ => other(&name),
    };
    match shape {
        // What such a type is called is what it is; the compiler's name for it says less.
        Shape::Other(what) => {
            Type { name: None, size, align: alignment_of_size(size), shape: Shape::Other(what) }
        }
        shape => simple(&name, size, shape),
    }
}
