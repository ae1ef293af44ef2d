//! The scalars of a case: symbolic in a traced run, drawn at random in a batch.

use super::{Image, Part};
use std::collections::VecDeque;
use testwright_abi::command::Leaf;
use testwright_abi::draw::{Draw, DrawKind};
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::{FunctionId, GlobalId, TypeId};
use testwright_base::json::returned_name;
use testwright_base::layout::{ArgumentBlock, LeafKind, ScalarLeaf, each_leaf, is_character, named_leaves};
use testwright_base::subject::{Global, Subject};
use testwright_base::types::{Shape, Types};
use testwright_base::zero::element_behind;
use testwright_process::global_places;

/// No global: the leaf is part of an input object.
const NO_GLOBAL: u32 = u32::MAX;

/// A scalar of a case.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ImageLeaf {
    /// Where it lies.
    pub leaf: Leaf,
    /// Its type; for a byte of bit-fields that of the first field in it.
    pub ty: TypeId,
    /// What the bytes are.
    pub kind: LeafKind,
    /// Whether it is the NUL at the end of an array of characters. Code that takes text goes astray without it.
    pub terminator: bool,
    /// Whether it is an element of an object or of an array, or part of one.
    pub element: bool,
}

impl ImageLeaf {
    /// The scalars of a global variable that the case does not set: it keeps the value it starts with.
    #[must_use]
    pub fn of_global(subject: &Subject, global: GlobalId) -> Vec<ImageLeaf> {
        let definition = &subject.globals[global.index()];
        let Some(ty) = definition.ty else { return Vec::new() };
        let types = &subject.types;
        let scalars = testwright_base::layout::leaves(types, ty).into_iter();
        scalars
            .filter(|scalar| is_leaf(subject, scalar))
            .map(|scalar| ImageLeaf {
                leaf: Leaf {
                    address: scalar.offset,
                    bytes: scalar.bytes as u16,
                    pointer: u16::from(is_pointer(types, scalar.ty)),
                    global: global.0,
                },
                ty: scalar.ty,
                kind: scalar.kind,
                terminator: false,
                element: scalar.element,
            })
            .collect()
    }

    /// How C names the scalars of a global variable, in the same order.
    #[must_use]
    pub fn names_of_global(subject: &Subject, global: GlobalId) -> Vec<String> {
        let definition = &subject.globals[global.index()];
        let named = definition.ty.map(|ty| named_leaves(&subject.types, ty, None)).unwrap_or_default();
        let named = named.into_iter().filter(|(scalar, _)| is_leaf(subject, scalar));
        named.map(|(_, path)| [definition.name.as_str(), &path].concat()).collect()
    }
}

/// Whether a scalar can be symbolic: not a `long double`, and not a pointer that neither an object nor a stub can be
/// made for.
fn is_leaf(subject: &Subject, scalar: &ScalarLeaf) -> bool {
    let types = &subject.types;
    let is_known = match types.get(scalar.ty).shape {
        Shape::Pointer(target) => {
            element_behind(types, target).is_some() || subject.stub_of_type(scalar.ty).is_some()
        }
        Shape::Float { bits: 80 } => false,
        _ => true,
    };
    is_known && scalar.bytes <= 16
}

fn is_pointer(types: &Types, ty: TypeId) -> bool {
    matches!(types.get(ty).shape, Shape::Pointer(_))
}

/// Bytes of the image that hold a value.
struct Piece<'a> {
    of: Whole,
    ty: TypeId,
    value: &'a Value,
    bytes: &'a [u8],
    /// Its address, or 0 for a global.
    address: u64,
    global: u32,
    /// For elements of an object of characters: whether it is the last one.
    character: Option<bool>,
    /// Whether it is a parameter that a stub can be handed over as.
    takes_stub: bool,
}

/// What leads to a scalar of a case.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Root {
    /// The parameter of this index: the scalar is part of its argument, or of an object behind it.
    Parameter(usize),
    /// A global variable.
    Global(GlobalId),
    /// No pointer to the start of its object.
    Nothing,
}

/// What a piece belongs to.
#[derive(Clone, Copy)]
enum Whole {
    Argument(usize),
    /// The argument of this index of the call before the one under test that is this statement.
    ArgumentBefore {
        statement: usize,
        index: usize,
    },
    /// The element of the object that is the part of this number.
    Element {
        part: usize,
        index: usize,
    },
    Global,
}

impl Image {
    /// All integers, booleans, enumerations, floats and pointers of the case: those of the arguments, then of the
    /// objects, then of the globals that are set. What [`is_leaf`] refuses is left out, except functions that can be
    /// stubs.
    ///
    /// `case` must be the one that was laid out.
    #[must_use]
    pub fn leaves(&self, subject: &Subject, case: &Case) -> Vec<ImageLeaf> {
        let mut leaves = Vec::new();
        for piece in self.pieces(subject, case) {
            piece.each_leaf(subject, &mut |leaf| leaves.push(leaf));
        }
        let places: Vec<bool> = leaves.iter().map(|leaf| self.is_place(leaf, &leaves)).collect();
        for (leaf, _) in leaves.iter_mut().zip(places).filter(|(_, is_place)| *is_place) {
            leaf.leaf.pointer = Leaf::PLACE;
        }
        leaves
    }

    /// How C names each of the leaves, seen from the call: `a`, `p[3].x`, `text[0]`; a global by its own name.
    ///
    /// `case` must be the one that was laid out.
    #[must_use]
    pub fn names(&self, subject: &Subject, case: &Case) -> Vec<String> {
        let objects = self.object_names(subject, case);
        let mut names = Vec::new();
        for piece in self.pieces(subject, case) {
            let name = piece.name(subject, case, &objects);
            let scalars = named_leaves(&subject.types, piece.ty, Some(piece.value)).into_iter();
            let kept = scalars.filter(|(scalar, _)| piece.has(subject, scalar));
            names.extend(kept.map(|(_, path)| [name.as_str(), &path].concat()));
        }
        names
    }

    /// What leads to each of the leaves.
    ///
    /// `case` must be the one that was laid out.
    #[must_use]
    pub fn roots(&self, subject: &Subject, case: &Case) -> Vec<Root> {
        let objects = self.object_roots(subject, case);
        let mut roots = Vec::new();
        for piece in self.pieces(subject, case) {
            let root = piece.root(&objects);
            piece.each_leaf(subject, &mut |_| roots.push(root));
        }
        roots
    }

    /// The first pointer to an object, arguments first, says what leads to it.
    fn object_roots(&self, subject: &Subject, case: &Case) -> Vec<Root> {
        let mut roots = vec![Root::Nothing; self.parts.len()];
        let mut open: VecDeque<Piece<'_>> = self.argument_pieces(subject, case).into();
        open.extend(self.global_pieces(subject, case));
        while let Some(piece) = open.pop_front() {
            for (pointer, _) in piece.pointers(&subject.types) {
                let Value::Pointer { object, offset: 0 } = self.pointer(pointer) else { continue };
                let Ok(part) = self.parts.binary_search(&Part::Object(object)) else { continue };
                if roots[part] == Root::Nothing {
                    roots[part] = piece.root(&roots);
                    open.extend(self.object_pieces(&subject.types, case, part));
                }
            }
        }
        roots
    }

    /// The value of a global whose leaves have these values; none if it has parts that are no leaves, or pointers that
    /// lead somewhere.
    pub(crate) fn global_value(
        &self,
        subject: &Subject,
        global: GlobalId,
        leaves: &[ImageLeaf],
        values: &[u128],
    ) -> Option<Value> {
        let definition = &subject.globals[global.index()];
        let ty = definition.ty.filter(|_| leaves.len() == values.len())?;
        if testwright_base::layout::leaves(&subject.types, ty).len() != leaves.len() {
            return None;
        }
        let mut bytes = vec![0; definition.size as usize];
        for (leaf, value) in leaves.iter().zip(values) {
            if leaf.leaf.pointer != 0 && *value != 0 {
                return None;
            }
            let length = usize::from(leaf.leaf.bytes);
            bytes[leaf.leaf.address as usize..][..length].copy_from_slice(&value.to_le_bytes()[..length]);
        }
        Some(self.read_value(&subject.types, ty, &bytes))
    }

    /// What a batch draws: every leaf but terminators and pointers.
    ///
    /// A draw for a global names the place in the request area that the global is written from.
    #[must_use]
    pub fn draws(&self, subject: &Subject, case: &Case) -> Vec<Draw> {
        let globals: Vec<(u32, &[u8])> =
            self.globals.iter().map(|(id, bytes)| (id.0, bytes.as_slice())).collect();
        let places = global_places(&globals);
        let start = |leaf: &Leaf| match globals.iter().position(|(global, _)| *global == leaf.global) {
            Some(index) => places[index],
            None => 0,
        };
        let leaves = self.leaves(subject, case);
        let drawn = leaves.iter().filter(|leaf| !leaf.terminator && leaf.leaf.pointer == 0);
        drawn.map(|leaf| draw(&subject.types, leaf, start(&leaf.leaf) + leaf.leaf.address)).collect()
    }

    fn pieces<'a>(&'a self, subject: &Subject, case: &'a Case) -> Vec<Piece<'a>> {
        let mut pieces = self.argument_pieces(subject, case);
        for part in 0..self.parts.len() {
            pieces.extend(self.object_pieces(&subject.types, case, part));
        }
        pieces.extend(self.global_pieces(subject, case));
        pieces
    }

    /// The arguments of the call under test, then those of the calls before it.
    fn argument_pieces<'a>(&'a self, subject: &Subject, case: &'a Case) -> Vec<Piece<'a>> {
        let last = case.call().map(|(function, arguments)| (None, function, arguments));
        let before =
            case.calls_before().map(|(index, function, arguments)| (Some(index), function, arguments));
        let mut pieces = Vec::new();
        for (statement, function, arguments) in last.into_iter().chain(before) {
            let Some(signature) = &subject.function(function).signature else { continue };
            let part = statement.map_or(0, |statement| self.arguments_of(statement));
            let block = ArgumentBlock::new(&subject.types, signature);
            let params = signature.params.iter().zip(&block.offsets).zip(arguments).enumerate();
            pieces.extend(params.map(|(index, ((param, offset), value))| Piece {
                takes_stub: subject.stub_of_parameter(function, index).is_some(),
                of: match statement {
                    None => Whole::Argument(index),
                    Some(statement) => Whole::ArgumentBefore { statement, index },
                },
                ty: param.ty,
                value,
                bytes: &self.contents(part)[*offset as usize..],
                address: self.spans[part].address + offset,
                global: NO_GLOBAL,
                character: None,
            }));
        }
        pieces
    }

    /// The elements of an object; none if the part is no object.
    fn object_pieces<'a>(&'a self, types: &Types, case: &'a Case, part: usize) -> Vec<Piece<'a>> {
        let Part::Object(statement) = self.parts[part] else { return Vec::new() };
        let Some(Statement::Object { element, values }) = case.statements.get(statement) else {
            return Vec::new();
        };
        let size = types.get(*element).size;
        let character = is_character(types, *element);
        let piece = |(index, value)| Piece {
            of: Whole::Element { part, index },
            ty: *element,
            value,
            bytes: &self.contents(part)[index * size as usize..],
            address: self.spans[part].address + index as u64 * size,
            global: NO_GLOBAL,
            character: character.then_some(index + 1 == values.len()),
            takes_stub: false,
        };
        values.iter().enumerate().map(piece).collect()
    }

    fn global_pieces<'a>(&'a self, subject: &Subject, case: &'a Case) -> Vec<Piece<'a>> {
        let sets = case.statements.iter().filter_map(|statement| match statement {
            Statement::Set { global, value } => Some((&subject.globals[global.index()], global.0, value)),
            _ => None,
        });
        let piece = |((definition, global, value), (_, bytes)): (
            (&Global, u32, &'a Value),
            &'a (GlobalId, Vec<u8>),
        )| {
            let (of, ty) = (Whole::Global, definition.ty?);
            Some(Piece { of, ty, value, bytes, address: 0, global, character: None, takes_stub: false })
        };
        sets.zip(&self.globals).filter_map(piece).collect()
    }

    /// A name for every part: an object is called by the first pointer to it, arguments first.
    fn object_names(&self, subject: &Subject, case: &Case) -> Vec<String> {
        let mut names = vec![String::new(); self.parts.len()];
        let mut open: VecDeque<Piece<'_>> = self.argument_pieces(subject, case).into();
        open.extend(self.global_pieces(subject, case));
        while let Some(piece) = open.pop_front() {
            for (pointer, path) in piece.pointers(&subject.types) {
                let Value::Pointer { object, offset: 0 } = self.pointer(pointer) else { continue };
                let Ok(part) = self.parts.binary_search(&Part::Object(object)) else { continue };
                if names[part].is_empty() {
                    names[part] = piece.name(subject, case, &names) + &path;
                    open.extend(self.object_pieces(&subject.types, case, part));
                }
            }
        }
        for (part, name) in self.parts.iter().zip(&mut names) {
            if let (Part::Object(statement), true) = (part, name.is_empty()) {
                *name = format!("object{statement}");
            }
        }
        names
    }
}

impl Piece<'_> {
    /// What leads to it, given what leads to objects.
    fn root(&self, objects: &[Root]) -> Root {
        match self.of {
            Whole::Argument(index) => Root::Parameter(index),
            Whole::ArgumentBefore { .. } => Root::Nothing,
            Whole::Element { part, .. } => objects[part],
            Whole::Global => Root::Global(GlobalId(self.global)),
        }
    }

    /// How C names the whole, given the names of objects.
    fn name(&self, subject: &Subject, case: &Case, objects: &[String]) -> String {
        match self.of {
            Whole::Argument(index) => {
                case.call().map_or_else(String::new, |(function, _)| parameter(subject, function, index))
            }
            Whole::ArgumentBefore { statement, index } => match &case.statements[statement] {
                Statement::Call { function, .. } => {
                    format!(
                        "{}.{}",
                        returned_name(case.number_of_call(statement)),
                        parameter(subject, *function, index)
                    )
                }
                _ => String::new(),
            },
            Whole::Element { part, index } => format!("{}[{index}]", objects[part]),
            Whole::Global => subject.globals[self.global as usize].name.clone(),
        }
    }

    /// The addresses that its pointers hold, and how C names the pointers, seen from the whole.
    fn pointers(&self, types: &Types) -> Vec<(u64, String)> {
        let scalars = named_leaves(types, self.ty, Some(self.value)).into_iter();
        let pointers = scalars.filter(|(leaf, _)| is_pointer(types, leaf.ty));
        let held = |(leaf, path): (ScalarLeaf, String)| {
            let mut address = [0; 8];
            address.copy_from_slice(&self.bytes[leaf.offset as usize..][..8]);
            (u64::from_le_bytes(address), path)
        };
        pointers.map(held).collect()
    }

    /// Whether one of its scalars can be symbolic.
    fn has(&self, subject: &Subject, scalar: &ScalarLeaf) -> bool {
        self.takes_stub || is_leaf(subject, scalar)
    }

    fn each_leaf(&self, subject: &Subject, visit: &mut dyn FnMut(ImageLeaf)) {
        let types = &subject.types;
        let is_element = matches!(self.of, Whole::Element { .. });
        each_leaf(types, self.ty, self.value, &mut |scalar| {
            if !self.has(subject, &scalar) {
                return;
            }
            let kind = match self.character {
                Some(last) => LeafKind::Character { last },
                None => scalar.kind,
            };
            let zero = self.bytes[scalar.offset as usize] == 0;
            visit(ImageLeaf {
                leaf: Leaf {
                    address: self.address + scalar.offset,
                    bytes: scalar.bytes as u16,
                    pointer: u16::from(is_pointer(types, scalar.ty)),
                    global: self.global,
                },
                ty: scalar.ty,
                kind,
                terminator: kind == LeafKind::Character { last: true } && zero,
                element: is_element || scalar.element,
            });
        });
    }
}

/// The name of a parameter.
fn parameter(subject: &Subject, function: FunctionId, index: usize) -> String {
    let signature = subject.function(function).signature.as_ref();
    signature.map_or_else(String::new, |signature| signature.params[index].name.clone())
}

fn draw(types: &Types, leaf: &ImageLeaf, address: u64) -> Draw {
    let range = |low: i128, count: i128| (DrawKind::Range, low as u64, count as u64);
    let (kind, low, span) = match (leaf.kind, &types.get(leaf.ty).shape) {
        (LeafKind::Bits, _) => range(0, 256),
        (LeafKind::Character { .. }, _) => (DrawKind::Text, 0, 0),
        (LeafKind::Scalar, Shape::Bool) => range(0, 2),
        (LeafKind::Scalar, Shape::Float { .. }) => (DrawKind::Float, 0, 0),
        (LeafKind::Scalar, Shape::Enum { constants, .. }) if !constants.is_empty() => {
            let values = || constants.iter().map(|(_, value)| *value);
            let (least, most) = (values().min().unwrap_or(0), values().max().unwrap_or(0));
            range(least, most - least + 1)
        }
        _ => (DrawKind::Integer, 0, 0),
    };
    Draw { address, kind: kind as u32, bytes: leaf.leaf.bytes.into(), low, span }
}
