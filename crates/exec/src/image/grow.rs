//! Shapes that grow on demand: objects for pointers that were null, longer buffers.
//!
//! A pointer that a model changed to something else than null or an object of the case gets an object of its own, of
//! zeros; one level at a time, so that a list grows by a node when a run asks for the next one. A run that faulted just
//! past the end of an object, or at null, says what it lacked: [`Image::larger`].

use super::change::is_longer;
use super::{Image, ImageLeaf, LONGEST, Part};
use crate::fault::{NEAR_NULL, is_near_null};
use testwright_abi::memory::{INPUT_BASE, INPUT_SIZE};
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::TypeId;
use testwright_base::pairs::{Pair, pairs};
use testwright_base::subject::Subject;
use testwright_base::types::{Field, Shape};
use testwright_base::zero::{element_behind, zero};

/// At most so many pointers are thought of when one of them was followed although it is null.
const CANDIDATES: usize = 1024;

/// So many pointers into an object are thought of when one of them leads too near to its start.
const POINTERS: usize = 3;

/// Longer buffers are doubled when they grow.
const LONG: usize = 16;

/// What a run that faulted asks for.
#[derive(Debug, Clone, PartialEq)]
pub enum Lack {
    /// Elements behind the end of an object.
    Length {
        /// The case with a longer object; none if it would be too long.
        case: Option<Case>,
        /// Whether a parameter says how long the object is.
        counted: bool,
        /// How C names the pointers that lead to the object, or to those that may be meant.
        names: Vec<String>,
    },
    /// An object where a pointer is null; any of these may be meant.
    Objects(Vec<Lacking>),
}

/// A pointer that is null.
#[derive(Debug, Clone, PartialEq)]
pub struct Lacking {
    /// Its number among the leaves.
    pub leaf: u32,
    /// How C names it.
    pub name: String,
}

impl Image {
    /// What a run that faulted at `address` lacked, if more or longer objects may help.
    ///
    /// `case` must be the one that was laid out, and these its leaves.
    #[must_use]
    pub fn larger(&self, subject: &Subject, case: &Case, leaves: &[ImageLeaf], address: u64) -> Option<Lack> {
        if is_near_null(address) {
            // Before the start of an object is any place in it.
            let offset = if address < NEAR_NULL { address } else { 0 };
            let objects = self.null_pointers(subject, case, leaves, offset);
            return (!objects.is_empty()).then_some(Lack::Objects(objects));
        }
        self.longer(subject, case, leaves, address).or_else(|| self.told_of_more(subject, case, leaves))
    }

    fn longer(&self, subject: &Subject, case: &Case, leaves: &[ImageLeaf], address: u64) -> Option<Lack> {
        let Some((part, distance)) = self.outside(address) else {
            return self.far_behind(subject, case, leaves, address);
        };
        let Part::Object(statement) = self.parts[part] else { return None };
        let past = u64::try_from(distance).ok()?;
        let mut longer = case.clone();
        let Some(Statement::Object { element, values }) = longer.statements.get_mut(statement) else {
            return None;
        };
        let size = subject.types.get(*element).size.max(1);
        let needed = values.len() + usize::try_from(past / size).ok()? + 1;
        // Long buffers grow in larger steps, or a loop over a thousand elements would take a thousand runs.
        let length = if needed > LONG { needed.max(2 * values.len()) } else { needed };
        let counted = is_counted(subject, case, statement);
        let names = self.leading_to(subject, case, leaves, statement);
        if needed > LONGEST {
            // Code that runs off every buffer, however long, is to blame; an index that is just large is not.
            return (values.len() < LONGEST / 2).then_some(Lack::Length { case: None, counted, names });
        }
        values.resize(length.min(LONGEST), zero(&subject.types, *element));
        Some(Lack::Length { case: Some(longer), counted, names })
    }

    /// Code that was told of a longer buffer than there is may go anywhere.
    fn told_of_more(&self, subject: &Subject, case: &Case, leaves: &[ImageLeaf]) -> Option<Lack> {
        let short = (0..case.statements.len()).find(|statement| is_short(subject, case, *statement))?;
        let names = self.leading_to(subject, case, leaves, short);
        Some(Lack::Length { case: None, counted: false, names })
    }

    /// An access behind all objects: none of them can be made that long, and any of them may be meant.
    fn far_behind(&self, subject: &Subject, case: &Case, leaves: &[ImageLeaf], address: u64) -> Option<Lack> {
        let end = self.spans.last().map(|span| span.address + span.length)?;
        let objects = self.parts.iter().filter_map(|part| match part {
            Part::Object(statement) => Some(*statement),
            _ => None,
        });
        let is_behind = (end..INPUT_BASE + INPUT_SIZE).contains(&address);
        let counted = objects.clone().any(|statement| is_counted(subject, case, statement));
        let leading_to = |statement| self.leading_to(subject, case, leaves, statement);
        let names = objects.clone().flat_map(leading_to).collect();
        (is_behind && objects.count() > 0).then_some(Lack::Length { case: None, counted, names })
    }

    /// How C names the pointers that lead to the object of a statement.
    fn leading_to(
        &self,
        subject: &Subject,
        case: &Case,
        leaves: &[ImageLeaf],
        statement: usize,
    ) -> Vec<String> {
        let part =
            self.parts.iter().position(|part| matches!(part, Part::Object(object) if *object == statement));
        let Some(span) = part.and_then(|part| self.spans.get(part)) else { return Vec::new() };
        let leads_there = |leaf: &ImageLeaf| {
            let target = self.leaf_value(leaf);
            leaf.leaf.pointer != 0
                && (u128::from(span.address)..=u128::from(span.address + span.length)).contains(&target)
        };
        let named = leaves.iter().zip(self.names(subject, case));
        named.filter(|(leaf, _)| leads_there(leaf)).map(|(_, name)| name).collect()
    }

    /// The case in which pointers that are null lead to objects.
    ///
    /// `case` must be the one that was laid out, and these its leaves.
    #[must_use]
    pub fn with_objects(
        &self,
        subject: &Subject,
        case: &Case,
        leaves: &[ImageLeaf],
        pointers: &[Lacking],
    ) -> Case {
        let model = pointers.iter().map(|pointer| (pointer.leaf, 1)).collect();
        self.changed_among(subject, case, leaves, &model, &[])
    }

    /// Cases in which an object has elements where a run looked before its start, if it did. Which of the pointers into the object
    /// it was that should lead behind them is not known: each of the first few may be meant, or all together.
    #[must_use]
    pub fn preceded(&self, subject: &Subject, case: &Case, address: u64) -> Vec<Case> {
        let Some((part, distance)) = self.outside(address).filter(|(_, distance)| *distance < 0) else {
            return Vec::new();
        };
        let Part::Object(statement) = self.parts[part] else { return Vec::new() };
        let mut longer = case.clone();
        let Some(Statement::Object { element, values }) = longer.statements.get_mut(statement) else {
            return Vec::new();
        };
        let size = subject.types.get(*element).size.max(1);
        let count = distance.unsigned_abs().div_ceil(size) as usize;
        if values.len() + count > LONGEST {
            return Vec::new();
        }
        values.splice(0..0, vec![zero(&subject.types, *element); count]);
        let behind = |is_meant: &dyn Fn(usize) -> bool| {
            let (mut case, mut number) = (longer.clone(), 0);
            case.each_pointer_mut(&mut |object, offset| {
                if *object == statement {
                    *offset += if is_meant(number) { count as u64 * size } else { 0 };
                    number += 1;
                }
            });
            (case, number)
        };
        let (all, pointers) = behind(&|_| true);
        let single = (0..if pointers > 1 { pointers.min(POINTERS) } else { 0 })
            .map(|one| behind(&|number| number == one).0);
        single.chain([all]).collect()
    }

    /// The pointers that are null and may have been followed to this address.
    fn null_pointers(
        &self,
        subject: &Subject,
        case: &Case,
        leaves: &[ImageLeaf],
        address: u64,
    ) -> Vec<Lacking> {
        let target = |ty: TypeId| match subject.types.get(ty).shape {
            Shape::Pointer(target) => element_behind(&subject.types, target).or(Some(target)),
            _ => None,
        };
        // A field at this offset must fit into the object; of arrays any element may be meant.
        let fits = |ty: TypeId| {
            let ty = subject.types.get(ty);
            !matches!(ty.shape, Shape::Record { .. }) || address < ty.size
        };
        let named = leaves.iter().zip(self.names(subject, case));
        let null = (0..).zip(named).filter(|(_, (leaf, _))| {
            leaf.leaf.pointer != 0 && self.leaf_value(leaf) == 0 && target(leaf.ty).is_some_and(fits)
        });
        null.take(CANDIDATES).map(|(leaf, (_, name))| Lacking { leaf, name }).collect()
    }
}

/// Whether something says how long the object of a statement is.
fn is_counted(subject: &Subject, case: &Case, statement: usize) -> bool {
    let Some((function, arguments)) = case.call() else { return false };
    let is_it =
        |index: usize| matches!(arguments[index], Value::Pointer { object, .. } if object == statement);
    // A guess that an earlier run refuted is none.
    let holds = |pair: &Pair| pair.stated || !is_longer(case, *pair, statement);
    let is_said =
        pairs(subject, function).iter().any(|pair| !pair.shared && is_it(pair.pointer) && holds(pair));
    is_said && !is_short(subject, case, statement)
        || subject.function(function).contract.null_terminated.iter().any(|index| is_it(*index))
}

/// Whether a parameter says that the object of a statement has more elements than it has.
fn is_short(subject: &Subject, case: &Case, statement: usize) -> bool {
    let (Some((function, arguments)), Some(Statement::Object { values, .. })) =
        (case.call(), case.statements.get(statement))
    else {
        return false;
    };
    pairs(subject, function).iter().any(|pair| {
        let leads_there =
            matches!(arguments[pair.pointer], Value::Pointer { object, offset: 0 } if object == statement);
        leads_there && matches!(arguments[pair.length], Value::Int(length) if length > values.len() as i128)
    })
}

/// Gives every pointer that leads nowhere an object of its own, or the stub for pointers of its type.
pub(super) fn settle(subject: &Subject, case: &mut Case) {
    let mut settler = Settler { subject, next: case.first_call(), made: Vec::new() };
    for statement in &mut case.statements {
        match statement {
            Statement::Object { element, values } => {
                values.iter_mut().for_each(|value| settler.value(*element, value));
            }
            Statement::Set { global, value } => {
                if let Some(ty) = subject.globals[global.index()].ty {
                    settler.value(ty, value);
                }
            }
            Statement::Call { function, arguments } => {
                let Some(signature) = &subject.function(*function).signature else { continue };
                for (index, (param, value)) in signature.params.iter().zip(arguments).enumerate() {
                    match (subject.stub_of_parameter(*function, index), &*value) {
                        (Some(stub), Value::Address(_)) => *value = Value::Stub(stub),
                        _ => settler.value(param.ty, value),
                    }
                }
            }
        }
    }
    // Objects lie before the first call, so that the numbers of the others stay.
    let made = settler.made;
    case.insert_before_calls(made);
}

struct Settler<'a> {
    subject: &'a Subject,
    /// The number of the next object.
    next: usize,
    made: Vec<Statement>,
}

impl Settler<'_> {
    fn value(&mut self, ty: TypeId, value: &mut Value) {
        match (&self.subject.types.get(ty).shape, &mut *value) {
            (Shape::Pointer(target), Value::Address(_)) => {
                let stub = self.subject.stub_of_type(ty).map(Value::Stub);
                *value = stub.unwrap_or_else(|| self.fresh(*target));
            }
            (Shape::Array { element, .. }, Value::Array(values)) => {
                values.iter_mut().for_each(|value| self.value(*element, value));
            }
            (Shape::Record { fields, .. }, Value::Record(values)) => {
                fields.iter().zip(values).for_each(|(field, value)| self.field(field, value));
            }
            (Shape::Record { fields, .. }, Value::Member(member, inner)) => {
                if let Some(field) = fields.get(*member) {
                    self.field(field, inner);
                }
            }
            _ => {}
        }
    }

    fn field(&mut self, field: &Field, value: &mut Value) {
        self.value(field.ty, value);
    }

    fn fresh(&mut self, target: TypeId) -> Value {
        let types = &self.subject.types;
        let Some(element) = element_behind(types, target) else { return Value::Null };
        self.made.push(Statement::Object { element, values: vec![zero(types, element)] });
        self.next += 1;
        Value::Pointer { object: self.next - 1, offset: 0 }
    }
}
