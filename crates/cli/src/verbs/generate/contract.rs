//! Contracts in the config file: `[function.NAME]`, by the names of the parameters.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use testwright_base::contract::Contract;
use testwright_base::ids::FunctionId;
use testwright_base::layout::{integer, is_character};
use testwright_base::near;
use testwright_base::pairs::Pair;
use testwright_base::subject::{Param, Subject};
use testwright_base::types::Shape;
use toml::Spanned;

/// What callers of a function promise.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Promises {
    /// Pointers, and the parameters that say how many elements they lead to.
    #[serde(default)]
    length: BTreeMap<Spanned<String>, Spanned<String>>,
    /// Numbers, and the least and largest value they have.
    #[serde(default)]
    range: BTreeMap<Spanned<String>, [i64; 2]>,
    /// Pointers that are never null.
    #[serde(default)]
    non_null: Vec<Spanned<String>>,
    /// Pointers to text that ends with a NUL.
    #[serde(default)]
    null_terminated: Vec<Spanned<String>>,
}

/// Something in a contract that makes no sense.
#[derive(Debug)]
pub struct Wrong {
    /// Where in the file.
    pub span: Range<usize>,
    /// What, and what to do.
    pub text: String,
}

impl Promises {
    /// What the promises mean for the parameters of a function.
    pub fn contract(&self, subject: &Subject, function: FunctionId) -> Result<Contract, Wrong> {
        let names = Names { subject, function };
        let mut contract = Contract::default();
        for (pointer, length) in &self.length {
            let pointer = names.find(pointer, Role::Pointer)?;
            let length = names.find(length, Role::Integer)?;
            contract.lengths.push(Pair { pointer, length, stated: true });
        }
        for (name, [low, high]) in &self.range {
            let param = names.find(name, Role::Integer)?;
            names.check_range(name, param, *low, *high)?;
            contract.ranges.insert(param, (i128::from(*low), i128::from(*high)));
        }
        for name in &self.non_null {
            contract.non_null.insert(names.find(name, Role::Pointer)?);
        }
        for name in &self.null_terminated {
            contract.null_terminated.insert(names.find(name, Role::Text)?);
        }
        for name in self.length.keys() {
            let param = names.find(name, Role::Pointer)?;
            if contract.null_terminated.contains(&param) {
                let text =
                    format!("`{}` has a length and ends with a NUL; state one of them", name.get_ref());
                return Err(Wrong { span: name.span(), text });
            }
        }
        Ok(contract)
    }
}

/// What a parameter must be for a promise to make sense.
#[derive(Debug, Clone, Copy)]
enum Role {
    Pointer,
    Text,
    Integer,
}

/// The parameters of a function, by name.
struct Names<'a> {
    subject: &'a Subject,
    function: FunctionId,
}

impl Names<'_> {
    fn params(&self) -> &[Param] {
        let signature = self.subject.function(self.function).signature.as_ref();
        signature.map(|signature| signature.params.as_slice()).unwrap_or_default()
    }

    fn find(&self, name: &Spanned<String>, role: Role) -> Result<usize, Wrong> {
        let wanted = name.get_ref();
        let Some(index) = self.params().iter().position(|param| param.name == *wanted) else {
            return Err(Wrong { span: name.span(), text: self.unknown(wanted) });
        };
        let types = &self.subject.types;
        let ty = self.params()[index].ty;
        let (fits, what) = match (role, &types.get(ty).shape) {
            (Role::Pointer, shape) => (matches!(shape, Shape::Pointer(_)), "a pointer"),
            (Role::Text, Shape::Pointer(target)) => (is_character(types, *target), "a pointer to characters"),
            (Role::Text, _) => (false, "a pointer to characters"),
            (Role::Integer, _) => (integer(types, ty).is_some(), "an integer"),
        };
        if fits {
            return Ok(index);
        }
        let text = format!("`{wanted}` is of type `{}`; this promise needs {what}", types.spell(ty));
        Err(Wrong { span: name.span(), text })
    }

    fn unknown(&self, wanted: &str) -> String {
        let names: Vec<&str> = self.params().iter().map(|param| param.name.as_str()).collect();
        let hint = match near::nearest(wanted, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.is_empty() => "it has none".to_owned(),
            None => format!("it has {}", names.join(", ")),
        };
        let function = &self.subject.function(self.function).name;
        format!("`{function}` has no parameter `{wanted}`; {hint}")
    }

    fn check_range(&self, name: &Spanned<String>, param: usize, low: i64, high: i64) -> Result<(), Wrong> {
        let (bits, signed) = integer(&self.subject.types, self.params()[param].ty).unwrap_or((64, true));
        let least = if signed { -(1i128 << (bits - 1)) } else { 0 };
        let most = if signed { (1i128 << (bits - 1)) - 1 } else { i128::MAX >> (127 - bits.min(127)) };
        let text = if low > high {
            format!("the range of `{}` is empty: write the smaller number first", name.get_ref())
        } else if i128::from(low) < least || i128::from(high) > most {
            format!("the range of `{}` exceeds its type: {least} to {most}", name.get_ref())
        } else {
            return Ok(());
        };
        Err(Wrong { span: name.span(), text })
    }
}
