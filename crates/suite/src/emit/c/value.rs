//! Values as C expressions and initialisers.
//!
//! Arrays of characters that hold text are strings, structs name their fields, what is zero at the end is left out.
//! A pointer is the variable of its object. An object may point to one that is declared after it: that pointer is
//! assigned once both are there. What a call returns is assigned after it.

use super::literal::{self, Headers};
use super::scope::{Scope, Variable};
use crate::assert::{Step, spell_path};
use crate::constant::{Constants, Owner};
use testwright_base::case::Value;
use testwright_base::creation::{Creation, creation};
use testwright_base::ids::TypeId;
use testwright_base::layout::is_character;
use testwright_base::stub::Stub;
use testwright_base::subject::Subject;
use testwright_base::types::{Field, Qualifiers, Shape, Types};
use testwright_base::zero;
use testwright_c::declare;

/// The longest string that every compiler takes.
const LONGEST: usize = 4_000;

/// Why a value cannot be written as C.
pub type Unwritable = String;

/// Writes values in one test.
pub struct Writer<'a> {
    /// The types of the subject.
    pub types: &'a Types,
    /// The stubs of the subject.
    stubs: &'a [Stub],
    /// The variables of the test.
    pub scope: Scope<'a>,
    /// The headers that what was written needs.
    pub headers: Headers,
    /// The object that is being declared: those after it are not there yet.
    pub declaring: Option<usize>,
    /// Assignments to be made when everything is declared.
    pub later: Vec<String>,
    /// Assignments to be made when a call, by its statement, has returned what is assigned.
    pub after_call: Vec<(usize, String)>,
    /// How far numbers may be off what is expected; none if not at all.
    pub tolerance: Option<f64>,
    /// What numbers are called.
    pub names: Names<'a>,
    path: Vec<Step>,
}

/// What a test can say.
#[derive(Debug, Clone, Copy)]
pub struct Wording<'a> {
    /// What it can call numbers.
    pub constants: &'a Constants,
    /// Whether it is C++.
    pub is_cpp: bool,
}

impl Wording<'static> {
    /// Numbers have no names.
    pub const PLAIN: Wording<'static> = Wording { constants: Constants::NONE, is_cpp: false };
    /// What C++ can say.
    pub const CPP: Wording<'static> = Wording { constants: Constants::NONE, is_cpp: true };
}

/// The names for numbers in a test.
#[derive(Debug, Clone)]
pub struct Names<'a> {
    /// What the test can say.
    pub wording: Wording<'a>,
    /// The function under test.
    pub function: &'a str,
    /// What is being written, apart from fields in it.
    pub about: Option<Owner>,
}

impl Names<'_> {
    /// A variable of the function under test is being written.
    pub fn about_variable(&mut self, name: &str) {
        self.about = Some(Owner::Variable(self.function.to_owned(), name.to_owned()));
    }

    /// The part of what is being written that a path leads to.
    #[must_use]
    pub fn owner(&self, path: &[Step]) -> Option<Owner> {
        let field = path.iter().rev().find_map(|step| match step {
            Step::Field(name) => Some(Owner::Field(name.clone())),
            Step::Index(_) => None,
        });
        field.or_else(|| self.about.clone())
    }
}

/// An initialiser, and the length that must be stated with it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ArrayInitialiser {
    /// The text after `=`.
    pub text: String,
    /// The length between the brackets; none if the initialiser determines it.
    pub length: Option<usize>,
}

impl<'a> Writer<'a> {
    /// A writer for a test with these variables.
    #[must_use]
    pub fn new(subject: &'a Subject, scope: Scope<'a>, names: Names<'a>) -> Writer<'a> {
        Writer {
            types: &subject.types,
            stubs: &subject.stubs,
            scope,
            headers: Headers::new(),
            declaring: None,
            later: Vec::new(),
            after_call: Vec::new(),
            tolerance: None,
            names,
            path: Vec::new(),
        }
    }

    /// How many assignments wait.
    #[must_use]
    pub fn assignments(&self) -> usize {
        self.later.len() + self.after_call.len()
    }

    /// A scalar as an expression; an aggregate as an initialiser in braces.
    ///
    /// # Errors
    /// If C has no way to write it, and why.
    pub fn value(&mut self, ty: TypeId, value: &Value) -> Result<String, Unwritable> {
        let shape = &self.types.get(ty).shape;
        Ok(match (value, shape) {
            (Value::Int(value), _) => match self.name(ty, *value) {
                Some(name) => name,
                None => literal::int(self.types, ty, *value, &mut self.headers),
            },
            (Value::Single(bits), _) => literal::single(*bits, &mut self.headers),
            (Value::Double(bits), _) => literal::double(*bits, &mut self.headers),
            (Value::Null, _) => {
                self.headers.insert("stddef.h");
                "NULL".to_owned()
            }
            (Value::Pointer { object, offset }, Shape::Pointer(target)) => {
                let behind = self.types.behind(ty);
                return self.pointer_or_later(*object, *offset, (*target, behind));
            }
            (Value::Returned { call }, _) => {
                let result = self.scope.result(*call);
                let result = result.ok_or("the result of a call in a place that has no name")?.to_owned();
                let Some(current) = self.declaring else { return Ok(result) };
                let place = self.place(current)?;
                self.after_call.push((*call, format!("{place} = {result};")));
                return self.value(ty, &zero::zero(self.types, ty));
            }
            (Value::Stub(stub), Shape::Pointer(_)) => {
                super::stub::argument(self.stubs.get(stub.index()).ok_or("a function that is not known")?)
            }
            (Value::Address(address), Shape::Pointer(_)) => format!("(void *){address:#x}ul"),
            (Value::Array(values), Shape::Array { element, count }) => {
                if count.is_none() && !values.is_empty() {
                    return Err("an array at the end of a struct has no fixed length".to_owned());
                }
                if is_vector(self.types, ty) {
                    return self.vector(*element, values);
                }
                self.array(*element, values)?.text
            }
            (Value::Record(_) | Value::Member(..), Shape::Record { .. }) => self.record(ty, value)?,
            (Value::Bytes(bytes), Shape::Float { bits: 80 }) => {
                literal::extended(bytes).ok_or("a long double with bits that no operation yields")?
            }
            (_, Shape::Other(what)) => return Err(format!("a value of type {what}")),
            _ => return Err(format!("a value of type {} that is none", self.types.spell(ty))),
        })
    }

    /// What the code calls a number. Enumerations have names of their own.
    fn name(&self, ty: TypeId, value: i128) -> Option<String> {
        let is_number = matches!(self.types.get(ty).shape, Shape::Int { .. });
        self.names.wording.constants.name(&self.names.owner(&self.path)?, value).filter(|_| is_number)
    }

    fn pointer_or_later(
        &mut self,
        object: usize,
        offset: u64,
        target: (TypeId, Qualifiers),
    ) -> Result<String, Unwritable> {
        let Some(current) = self.declaring.filter(|current| *current < object) else {
            return self.pointer(object, offset, Some(target));
        };
        let pointer = self.pointer(object, offset, Some(target))?;
        let place = self.place(current)?;
        self.later.push(format!("{place} = {pointer};"));
        self.value(target.0, &Value::Null)
    }

    /// The part of an object that is being written, as what can be assigned to.
    fn place(&self, object: usize) -> Result<String, Unwritable> {
        let owner = self.scope.variable(object).ok_or("an object without a name")?;
        Ok(match &self.path[..] {
            path if owner.array => format!("{}{}", owner.name, spell_path(path)),
            [_, Step::Field(field), rest @ ..] if owner.heap => {
                format!("{}->{field}{}", owner.name, spell_path(rest))
            }
            path if owner.heap => format!("(*{}){}", owner.name, spell_path(&path[1..])),
            path => format!("{}{}", owner.name, spell_path(&path[1..])),
        })
    }

    /// A pointer into the object of a statement, for use as a pointer to `target`.
    ///
    /// # Errors
    /// If there is no such object.
    pub fn pointer(
        &self,
        object: usize,
        offset: u64,
        target: Option<(TypeId, Qualifiers)>,
    ) -> Result<String, Unwritable> {
        let variable = self.scope.variable(object).ok_or("a pointer to what is no object")?;
        let base = if variable.array || variable.heap {
            variable.name.clone()
        } else {
            format!("&{}", variable.name)
        };
        let size = self.types.get(variable.element).size.max(1);
        if !offset.is_multiple_of(size) {
            return Ok(format!("(void *)((char *){base} + {offset})"));
        }
        let pointer = if offset == 0 { base } else { format!("{base} + {}", offset / size) };
        let cast = target.is_some_and(|target| self.needs_cast(variable, target));
        Ok(match (cast, offset) {
            (false, _) => pointer,
            (true, 0) => format!("(void *){pointer}"),
            (true, _) => format!("(void *)({pointer})"),
        })
    }

    /// Whether C does not convert a pointer to the variable by itself. Rows that are const are another type to it.
    fn needs_cast(&self, variable: &Variable, (target, qualifiers): (TypeId, Qualifiers)) -> bool {
        let element = variable.element;
        let shape = &self.types.get(target).shape;
        let same = element == target || declare(self.types, element, "") == declare(self.types, target, "");
        let differs = matches!(shape, Shape::Array { .. }) && variable.qualifiers != qualifiers;
        *shape != Shape::Void && (!same || differs)
    }

    /// The initialiser of an array of these elements.
    ///
    /// # Errors
    /// If an element cannot be written.
    pub fn array(&mut self, element: TypeId, values: &[Value]) -> Result<ArrayInitialiser, Unwritable> {
        if let Some(bytes) = self.text(element, values) {
            let length = (bytes.len() + 1 != values.len()).then_some(values.len());
            return Ok(ArrayInitialiser { text: literal::string(&bytes), length });
        }
        if let Some(bytes) = self.unterminated(element, values) {
            return Ok(ArrayInitialiser { text: literal::string(&bytes), length: Some(values.len()) });
        }
        let used = values.iter().rposition(|value| !value.is_zero()).map_or(0, |last| last + 1);
        let noise = values.len() - used;
        // A few zeros are easier to read than a length.
        let cut = noise > 0 && used == 0 && values.len() > 1 || noise >= 4;
        let shown = if cut { used.max(1) } else { values.len() };
        let length = (shown != values.len()).then_some(values.len());
        if values.is_empty() || used == 0 && cut {
            return Ok(ArrayInitialiser { text: "{0}".to_owned(), length: Some(values.len().max(1)) });
        }
        let characters = self.are_characters(element, values);
        let sparse = self.is_sparse(element, &values[..shown]);
        let mut items = Vec::new();
        for (index, value) in values[..shown].iter().enumerate() {
            if sparse && value.is_zero() {
                continue;
            }
            self.path.push(Step::Index(index));
            let item = match value {
                Value::Int(value)
                    if characters && (1..=127).contains(value) && literal::has_character(*value as u8) =>
                {
                    Ok(literal::character(*value as u8))
                }
                _ => self.part(element, value),
            };
            self.path.pop();
            items.push(if sparse { format!("[{index}] = {}", item?) } else { item? });
        }
        Ok(ArrayInitialiser { text: format!("{{{}}}", items.join(", ")), length })
    }

    /// All elements: compilers take neither texts nor designators for a vector.
    fn vector(&mut self, element: TypeId, values: &[Value]) -> Result<String, Unwritable> {
        let items: Vec<String> =
            values.iter().map(|value| self.value(element, value)).collect::<Result<_, _>>()?;
        Ok(format!("{{{}}}", items.join(", ")))
    }

    /// Whether an array of structs is told by the few elements that are not zero. (C++ has no such initialisers, but tests with
    /// structs stay in C.)
    fn is_sparse(&self, element: TypeId, values: &[Value]) -> bool {
        const MANY: usize = 4;
        let zeros = values.iter().filter(|value| value.is_zero()).count();
        matches!(self.types.get(element).shape, Shape::Record { .. })
            && zeros >= MANY
            && 2 * zeros > values.len()
    }

    /// The characters before the final NUL, if people would write them as a string.
    #[must_use]
    pub fn text(&self, element: TypeId, values: &[Value]) -> Option<Vec<u8>> {
        if !is_character(self.types, element) {
            return None;
        }
        let mut bytes = bytes(values).filter(|bytes| bytes.len() <= LONGEST)?;
        let length = bytes.iter().position(|byte| *byte == 0)?;
        let plain = bytes[..length].iter().filter(|byte| literal::has_character(**byte)).count();
        let looks_like_text = if literal::is_text(self.types, element) {
            plain * 2 >= length
        } else {
            length > 0 && plain == length
        };
        if bytes[length..].iter().any(|byte| *byte != 0) || !looks_like_text {
            return None;
        }
        bytes.truncate(length);
        Some(bytes)
    }

    /// The characters of an array that is text without a NUL at its end: C lets a string fill an array that has no room for one, C++ does not.
    fn unterminated(&self, element: TypeId, values: &[Value]) -> Option<Vec<u8>> {
        let is_text = literal::is_text(self.types, element) || self.are_characters(element, values);
        let is_right = !self.names.wording.is_cpp && is_text && is_character(self.types, element);
        let bytes = bytes(values).filter(|bytes| is_right && (2..=LONGEST).contains(&bytes.len()))?;
        bytes.iter().all(|byte| *byte != 0 && literal::has_character(*byte)).then_some(bytes)
    }

    /// Whether bytes that are numbers by type are text by content.
    fn are_characters(&self, element: TypeId, values: &[Value]) -> bool {
        let is_letter = |value: &&Value| {
            let Value::Int(value) = value else { return false };
            u8::try_from(*value).is_ok_and(|byte| byte.is_ascii_alphanumeric())
        };
        let is_printable = |value: &Value| matches!(value, Value::Int(0x20..=0x7e));
        is_character(self.types, element)
            && (values.iter().filter(is_letter).count() * 2 >= values.len()
                || values.iter().all(is_printable))
    }

    fn record(&mut self, ty: TypeId, value: &Value) -> Result<String, Unwritable> {
        if let Some(creation) = creation(self.types, ty, value) {
            return self.handle(ty, creation);
        }
        if value.is_zero() {
            return Ok("{0}".to_owned());
        }
        let mut members = Vec::new();
        self.members(ty, value, &mut members)?;
        // In a large struct only what is set says something.
        if members.len() > 4 {
            members.retain(|(zero, _)| !zero);
        }
        let members: Vec<String> = members.into_iter().map(|(_, text)| text).collect();
        Ok(format!("{{{}}}", members.join(", ")))
    }

    /// The call that makes a handle: `stack_new(3)`.
    fn handle(&mut self, ty: TypeId, creation: Creation<'_>) -> Result<String, Unwritable> {
        let Creation::By { creator, params, arguments, .. } = creation else {
            return self.value(ty, &Value::Null);
        };
        let mut written = Vec::new();
        for (param, argument) in params.iter().zip(arguments) {
            let text = self.value(param.ty, argument)?;
            let is_record = matches!(self.types.get(param.ty).shape, Shape::Record { .. });
            written.push(match is_record {
                true => {
                    format!("({}){text}", declare(self.types, param.ty, "").ok_or("a type without a name")?)
                }
                false => text,
            });
        }
        Ok(format!("{creator}({})", written.join(", ")))
    }

    /// The fields of a record, each with whether it is zero; C lets those of a record without a name be named alike.
    fn members(
        &mut self,
        ty: TypeId,
        value: &Value,
        members: &mut Vec<(bool, String)>,
    ) -> Result<(), Unwritable> {
        let types = self.types;
        let Shape::Record { fields, .. } = &types.get(ty).shape else { return Ok(()) };
        let given: Vec<(&Field, &Value)> = match value {
            Value::Record(values) => fields.iter().zip(values).collect(),
            Value::Member(member, value) => {
                fields.get(*member).map(|field| (field, &**value)).into_iter().collect()
            }
            _ => Vec::new(),
        };
        for (field, value) in given {
            let Some(name) = &field.name else {
                self.members(field.ty, value, members)?;
                continue;
            };
            if matches!(types.get(field.ty).shape, Shape::Array { count: None | Some(0), .. })
                && value.is_zero()
            {
                continue;
            }
            self.path.push(Step::Field(name.clone()));
            let text = self.part(field.ty, value);
            self.path.pop();
            members.push((value.is_zero(), format!(".{name} = {}", text?)));
        }
        Ok(())
    }

    /// A value within another one. Compilers let `{0}` stand for a whole variable, but within one they want all braces.
    fn part(&mut self, ty: TypeId, value: &Value) -> Result<String, Unwritable> {
        let is_aggregate = match self.types.get(ty).shape {
            Shape::Record { .. } => true,
            Shape::Array { element, .. } => is_aggregate(self.types, element),
            _ => false,
        };
        match is_aggregate && value.is_zero() && creation(self.types, ty, value).is_none() {
            true => Ok(zero(self.types, ty)),
            false => self.value(ty, value),
        }
    }

    /// Writes the only element of the object that is being declared.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn only_element(&mut self, ty: TypeId, value: &Value) -> Result<String, Unwritable> {
        self.path.push(Step::Index(0));
        let text = self.value(ty, value);
        self.path.pop();
        text
    }
}

/// Whether an array is a vector of the processor's: it has a name, and is aligned as a whole.
#[must_use]
pub fn is_vector(types: &Types, ty: TypeId) -> bool {
    let definition = types.get(ty);
    match definition.shape {
        Shape::Array { element, .. } => {
            definition.name.is_some() && definition.align > types.get(element).align
        }
        _ => false,
    }
}

/// The values as bytes, if they are numbers.
fn bytes(values: &[Value]) -> Option<Vec<u8>> {
    let byte = |value: &Value| match value {
        Value::Int(value) => Some(*value as u8),
        _ => None,
    };
    values.iter().map(byte).collect()
}

fn is_aggregate(types: &Types, ty: TypeId) -> bool {
    matches!(types.get(ty).shape, Shape::Record { .. } | Shape::Array { .. })
}

/// Zero with all braces. Where a struct begins with another one, a field is named: compilers take that for a sign that the others are
/// left out on purpose.
fn zero(types: &Types, ty: TypeId) -> String {
    match &types.get(ty).shape {
        Shape::Record { fields, .. } => {
            let begins_with_aggregate = fields.first().is_some_and(|field| is_aggregate(types, field.ty));
            let named = begins_with_aggregate.then(|| named_field(types, fields)).flatten();
            named.map_or_else(|| "{0}".to_owned(), |(name, ty)| format!("{{.{name} = {}}}", zero(types, ty)))
        }
        Shape::Array { element, .. } => format!("{{{}}}", zero(types, *element)),
        _ => "0".to_owned(),
    }
}

/// The first field that is no struct or array, or else the first that has a name.
fn named_field<'a>(types: &'a Types, fields: &'a [Field]) -> Option<(&'a str, TypeId)> {
    let named = fields.iter().filter_map(|field| Some((field.name.as_deref()?, field.ty)));
    named.clone().find(|(_, ty)| !is_aggregate(types, *ty)).or_else(|| named.clone().next()).or_else(|| {
        fields.iter().find_map(|field| match &types.get(field.ty).shape {
            Shape::Record { fields, .. } => named_field(types, fields),
            _ => None,
        })
    })
}
