//! The variables of a search: the scalars of a case that can be moved, and the case with other values.

use super::{Image, ImageLeaf, Root};
use testwright_abi::climb::{MAX_PRECISION, Variable, VariableKind};
use testwright_abi::draw::{DrawKind, Rng, image};
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::GlobalId;
use testwright_base::layout::{ArgumentBlock, LeafKind, integer};
use testwright_base::pairs::pairs;
use testwright_base::subject::Subject;
use testwright_base::types::Shape;
use testwright_process::global_places;

/// How variables start and move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Domains {
    /// Where searches start.
    pub start: Start,
    /// Digits behind the point of the smallest step of a float.
    pub precision: u32,
    /// Whether pointers may become null.
    pub null_pointers: bool,
}

/// Where searches start.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// Every value of the type is as likely as any other.
    Uniform,
    /// Small values and limits of the type are more likely.
    Mixed,
}

impl Image {
    /// The scalars of a case that a search can vary, within the limits of their types and of the function's contract. An
    /// argument that is the length of a buffer goes up to the number of elements that there are.
    ///
    /// `case` must be the one that was laid out.
    #[must_use]
    pub fn variables(&self, subject: &Subject, case: &Case, domains: &Domains) -> Vec<Variable> {
        self.numbered_variables(subject, case, domains).into_iter().map(|(_, variable)| variable).collect()
    }

    /// As [`Image::variables`], each with what leads to it.
    #[must_use]
    pub fn rooted_variables(
        &self,
        subject: &Subject,
        case: &Case,
        domains: &Domains,
    ) -> Vec<(Variable, Root)> {
        let roots = self.roots(subject, case);
        let variables = self.numbered_variables(subject, case, domains).into_iter();
        variables.map(|(leaf, variable)| (variable, roots[leaf])).collect()
    }

    /// As [`Image::variables`], each with the number of its leaf.
    fn numbered_variables(
        &self,
        subject: &Subject,
        case: &Case,
        domains: &Domains,
    ) -> Vec<(usize, Variable)> {
        let limits = self.limits(subject, case);
        let leaves = self.leaves(subject, case);
        let variable = |leaf: &ImageLeaf| {
            let address = self.leaf_place(leaf);
            let stated = subject.stated_answers(GlobalId(leaf.leaf.global));
            let stated = stated.map(|(low, high)| (address, low, high));
            let limit = limits.iter().find(|(place, ..)| *place == address).copied().or(stated);
            if leaf.leaf.pointer != 0 {
                // A pointer that leads nowhere has no object to lead to.
                let low = self.leaf_value(leaf) as u64;
                let may_change = domains.null_pointers && low != 0 && limit.is_none();
                return may_change.then(|| Variable {
                    address,
                    bytes: u32::from(leaf.leaf.bytes),
                    kind: VariableKind::Pointer as u32,
                    low,
                    ..Variable::default()
                });
            }
            let scalar = Variable { address, ..scalar(subject, leaf, domains) };
            Some(match limit {
                Some((_, low, high)) => limited(scalar, low, high),
                None => scalar,
            })
        };
        let moved = leaves.iter().enumerate().filter(|(_, leaf)| !leaf.terminator);
        moved.filter_map(|(number, leaf)| Some((number, variable(leaf)?))).collect()
    }

    /// The case with its scalars drawn at random; none if it has none. Case, domains and seed determine the result.
    #[must_use]
    pub fn drawn(&self, subject: &Subject, case: &Case, domains: &Domains, seed: u64) -> Option<Case> {
        let variables = self.variables(subject, case, domains);
        let mut rng = Rng::new(seed, 0);
        let values: Vec<u64> = variables.iter().map(|variable| variable.drawn(&mut rng)).collect();
        (!variables.is_empty()).then(|| self.with_values(subject, case, &variables, &values))
    }

    /// The case with these values of its variables. Buffers are as long as the arguments that are their lengths.
    ///
    /// `case` must be the one that was laid out.
    #[must_use]
    pub fn with_values(
        &self,
        subject: &Subject,
        case: &Case,
        variables: &[Variable],
        values: &[u64],
    ) -> Case {
        let mut image_with = self.clone();
        for (variable, value) in variables.iter().zip(values) {
            let bytes = image(&variable.draw(), *value).to_le_bytes();
            image_with.patch_at(variable.address, &bytes[..variable.bytes as usize]);
        }
        image_with.case(subject, case).without_orphans()
    }

    /// Where a leaf lies for the worker: a leaf of a global among the bytes that the global is set from.
    fn leaf_place(&self, leaf: &ImageLeaf) -> u64 {
        let index = self.globals.iter().position(|(global, _)| global.0 == leaf.leaf.global);
        index.map_or(0, |index| self.global_places()[index]) + leaf.leaf.address
    }

    fn global_places(&self) -> Vec<u64> {
        let globals: Vec<(u32, &[u8])> =
            self.globals.iter().map(|(id, bytes)| (id.0, bytes.as_slice())).collect();
        global_places(&globals)
    }

    /// What is written before a run: addresses and bytes.
    pub(super) fn written(&self) -> Vec<(u64, &[u8])> {
        let places = self.global_places();
        let globals = places.into_iter().zip(self.globals.iter().map(|(_, bytes)| bytes.as_slice()));
        let objects = self.writes.iter().map(|(start, bytes)| (*start, bytes.as_slice()));
        globals.chain(objects).collect()
    }

    fn patch_at(&mut self, address: u64, bytes: &[u8]) {
        let places = self.global_places();
        let globals = places.into_iter().zip(self.globals.iter_mut().map(|(_, bytes)| bytes));
        let objects = self.writes.iter_mut().map(|(start, bytes)| (*start, bytes));
        for (start, target) in objects.chain(globals) {
            let end = start + target.len() as u64;
            if start <= address && address + bytes.len() as u64 <= end {
                target[(address - start) as usize..][..bytes.len()].copy_from_slice(bytes);
                return;
            }
        }
    }

    /// The places of arguments that are limited, and by what: lengths by their buffers, others by the contract.
    fn limits(&self, subject: &Subject, case: &Case) -> Vec<(u64, i128, i128)> {
        let Some((function, arguments)) = case.call() else { return Vec::new() };
        let Some(signature) = &subject.function(function).signature else { return Vec::new() };
        let contract = &subject.function(function).contract;
        let block = ArgumentBlock::new(&subject.types, signature);
        let place = |param: usize| self.arguments + block.offsets[param];
        let lengths = pairs(subject, function).into_iter().filter_map(|pair| {
            let Value::Pointer { object, offset: 0 } = arguments[pair.pointer] else { return None };
            let Some(Statement::Object { values, .. }) = case.statements.get(object) else { return None };
            let (low, high) = contract.ranges.get(&pair.length).copied().unwrap_or((0, i128::MAX));
            Some((place(pair.length), low, high.min(values.len() as i128)))
        });
        let ranges = contract.ranges.iter().map(|(param, (low, high))| (place(*param), *low, *high));
        let pointers = contract.non_null.iter().map(|param| (place(*param), 1, i128::from(u64::MAX)));
        lengths.chain(ranges).chain(pointers).collect()
    }
}

/// An integer within narrower limits.
fn limited(variable: Variable, low: i128, high: i128) -> Variable {
    let (least, most) = if variable.kind == VariableKind::Signed as u32 {
        (i128::from(variable.low as i64), i128::from(variable.high as i64))
    } else if variable.kind == VariableKind::Unsigned as u32 {
        (i128::from(variable.low), i128::from(variable.high))
    } else {
        return variable;
    };
    let (low, high) = (low.clamp(least, most), high.clamp(least, most));
    Variable { low: low as u64, high: high.max(low) as u64, start: DrawKind::Range as u32, ..variable }
}

/// A scalar as a variable; its address is filled in later.
fn scalar(subject: &Subject, leaf: &ImageLeaf, domains: &Domains) -> Variable {
    let shape = &subject.types.get(leaf.ty).shape;
    let whole = if domains.start == Start::Uniform { DrawKind::Range } else { DrawKind::Integer };
    let text = if domains.start == Start::Uniform { DrawKind::Range } else { DrawKind::Text };
    let bytes = u32::from(leaf.leaf.bytes);
    let (kind, low, high, start) = match (leaf.kind, shape) {
        (LeafKind::Bits, _) => (VariableKind::Unsigned, 0, 255, DrawKind::Range),
        // Where `char` has a sign, what lies below 0 is not above 127: a step towards '0' from there goes up.
        (LeafKind::Character { .. }, Shape::Int { signed: true, .. }) => {
            (VariableKind::Signed, i64::from(i8::MIN) as u64, i8::MAX as u64, text)
        }
        (LeafKind::Character { .. }, _) => (VariableKind::Unsigned, 0, 255, text),
        (LeafKind::Scalar, Shape::Bool) => (VariableKind::Unsigned, 0, 1, DrawKind::Range),
        (LeafKind::Scalar, Shape::Float { bits }) => {
            let most = if *bits == 32 { f64::from(f32::MAX) } else { f64::MAX };
            (VariableKind::Float, (-most).to_bits(), most.to_bits(), DrawKind::Float)
        }
        (LeafKind::Scalar, Shape::Enum { constants, signed, .. }) if !constants.is_empty() => {
            let values = || constants.iter().map(|(_, value)| *value);
            let (least, most) = (values().min().unwrap_or(0), values().max().unwrap_or(0));
            let kind = if *signed { VariableKind::Signed } else { VariableKind::Unsigned };
            (kind, least as u64, most as u64, DrawKind::Range)
        }
        _ => {
            let (bits, signed) = integer(&subject.types, leaf.ty).unwrap_or((8 * bytes, false));
            let bits = bits.clamp(1, 64);
            if signed {
                let most = i64::MAX >> (64 - bits);
                (VariableKind::Signed, !most as u64, most as u64, whole)
            } else {
                (VariableKind::Unsigned, 0, u64::MAX >> (64 - bits), whole)
            }
        }
    };
    Variable {
        address: 0,
        bytes,
        kind: kind as u32,
        low,
        high,
        start: start as u32,
        precision: domains.precision.min(MAX_PRECISION),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testwright_base::json::{case_to_json, parse_case};
    use testwright_base::sample::{counted, empty_subject, enumeration, float, int, pointer, taking, void};

    const DOMAINS: Domains = Domains { start: Start::Uniform, precision: 3, null_pointers: true };

    fn subject() -> Subject {
        let mut subject = empty_subject();
        let types = &mut subject.types;
        let (nothing, short) = (void(types), int(types, "short", 16, true));
        let size = int(types, "unsigned long", 64, false);
        let colour = enumeration(types, "enum colour", &[("RED", 2), ("BLUE", 9)]);
        let double = float(types, 64);
        let buffer = pointer(types, short);
        let params = [("items", buffer), ("count", size), ("c", colour), ("x", double)];
        subject.functions = vec![counted(taking("f", &params, nothing), 0, 1)];
        subject
    }

    #[test]
    fn variables_have_the_limits_of_their_types_and_lengths_those_of_their_buffers() {
        let subject = subject();
        let case =
            parse_case(&subject, testwright_base::ids::FunctionId(0), "[[1, -2, 3], 3, 2, 0.5]").unwrap();
        let image = Image::lay_out(&subject, &case).unwrap();
        let variables = image.variables(&subject, &case, &DOMAINS);
        let limits: Vec<(u32, i64, i64)> =
            variables.iter().map(|v| (v.kind, v.low as i64, v.high as i64)).collect();
        let float = (VariableKind::Float as u32, f64::MIN.to_bits() as i64, f64::MAX.to_bits() as i64);
        assert_eq!(variables[0].kind, VariableKind::Pointer as u32);
        assert_eq!(limits[1..4], [(1, 0, 3), (1, 2, 9), float]);
        assert_eq!(limits[4..], [(0, -32768, 32767); 3]);
    }

    #[test]
    fn values_become_a_case_whose_buffers_fit_their_lengths() {
        let subject = subject();
        let case =
            parse_case(&subject, testwright_base::ids::FunctionId(0), "[[1, -2, 3], 3, 2, 0.5]").unwrap();
        let image = Image::lay_out(&subject, &case).unwrap();
        let variables = image.variables(&subject, &case, &DOMAINS);
        let mut values = [variables[0].low, 2, 9, 1.5f64.to_bits(), 7, -8i64 as u64, 9];
        let made = |values: &[u64]| {
            case_to_json(&subject, &image.with_values(&subject, &case, &variables, values)).to_string()
        };
        assert_eq!(made(&values), r#"{"c":"BLUE","count":2,"items":[7,-8],"x":1.5}"#);
        values[0] = 0;
        assert_eq!(made(&values), r#"{"c":"BLUE","count":2,"items":null,"x":1.5}"#);
    }

    #[test]
    fn characters_move_in_the_order_that_their_type_has() {
        let limits = |signed: bool| {
            let mut subject = empty_subject();
            let types = &mut subject.types;
            let character = int(types, "char", 8, signed);
            let text = pointer(types, character);
            let nothing = void(types);
            subject.functions = vec![taking("f", &[("text", text)], nothing)];
            let function = testwright_base::ids::FunctionId(0);
            let case = parse_case(&subject, function, r#"[{"buffer": "", "size": 3}]"#).unwrap();
            let image = Image::lay_out(&subject, &case).unwrap();
            let variables = image.variables(&subject, &case, &Domains { null_pointers: false, ..DOMAINS });
            let last = variables.last().copied().unwrap();
            (last.low as i64, last.high as i64, last.moved(0xff, false, 0).map(|bits| bits as u8))
        };
        assert_eq!(limits(true), (-128, 127, Some(0)));
        assert_eq!(limits(false), (0, 255, None));
    }
}
