//! Contracts in the config file, `[function.NAME]`, and in the code, with the macros of `testwright.h`; both by the names
//! of the parameters.

use serde::Deserialize;
use std::collections::BTreeMap;
use std::ops::Range;
use testwright_base::contract::{Contract, Promise};
use testwright_base::ids::FunctionId;
use testwright_base::layout::{integer, is_character};
use testwright_base::nearest;
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
    pub non_null: Vec<Spanned<String>>,
    /// Pointers to text that ends with a NUL.
    #[serde(default)]
    null_terminated: Vec<Spanned<String>>,
    /// Expressions that hold.
    #[serde(default)]
    pub requires: Vec<Spanned<String>>,
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
    /// Whether some of them are checked by code of ours, beside the code under test.
    pub fn are_compiled(&self) -> bool {
        !self.requires.is_empty() || !self.non_null.is_empty()
    }

    /// Adds what the promises mean for the parameters of a function.
    pub fn add_to(
        &self,
        contract: &mut Contract,
        subject: &Subject,
        function: FunctionId,
    ) -> Result<(), Wrong> {
        let names = Names { subject, function };
        for (pointer, length) in &self.length {
            let pointer = names.spanned(pointer, Role::Pointer)?;
            let length = names.spanned(length, Role::Integer)?;
            contract.lengths.push(Pair { pointer, length, stated: true, shared: false });
        }
        for (name, [low, high]) in &self.range {
            let param = names.spanned(name, Role::Integer)?;
            let checked = names.check_range(param, *low, *high);
            checked.map_err(|text| Wrong { span: name.span(), text })?;
            contract.ranges.insert(param, (i128::from(*low), i128::from(*high)));
        }
        for name in &self.non_null {
            contract.non_null.insert(names.spanned(name, Role::Pointer)?);
        }
        for name in &self.null_terminated {
            contract.null_terminated.insert(names.spanned(name, Role::Text)?);
        }
        for name in self.length.keys() {
            let param = names.spanned(name, Role::Pointer)?;
            if contract.null_terminated.contains(&param) {
                let text =
                    format!("`{}` has a length and ends with a NUL; state one of them", name.get_ref());
                return Err(Wrong { span: name.span(), text });
            }
        }
        Ok(())
    }
}

/// Adds what the code states about a function with one of the macros. What it requires is compiled instead.
///
/// # Errors
/// What makes no sense in it.
pub fn add_promise(
    contract: &mut Contract,
    subject: &Subject,
    function: FunctionId,
    promise: &Promise,
) -> Result<(), String> {
    let names = Names { subject, function };
    let parts: Vec<&str> = promise.text.split(',').map(str::trim).collect();
    let number = |text: &str| text.parse::<i64>().map_err(|_| format!("`{text}` is no whole number"));
    match (promise.kind.as_str(), parts.as_slice()) {
        ("length", [pointer, length]) => {
            let pointer = names.find(pointer, Role::Pointer)?;
            let length = names.find(length, Role::Integer)?;
            contract.lengths.push(Pair { pointer, length, stated: true, shared: false });
        }
        ("range", [name, low, high]) => {
            let (param, low, high) = (names.find(name, Role::Integer)?, number(low)?, number(high)?);
            names.check_range(param, low, high)?;
            contract.ranges.insert(param, (i128::from(low), i128::from(high)));
        }
        ("non_null", [name]) => drop(contract.non_null.insert(names.find(name, Role::Pointer)?)),
        ("text", [name]) => drop(contract.null_terminated.insert(names.find(name, Role::Text)?)),
        ("requires", _) => {}
        (kind, _) => {
            return Err(format!("`{kind}({})` is not one of the macros of testwright.h", promise.text));
        }
    }
    Ok(())
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

    fn spanned(&self, name: &Spanned<String>, role: Role) -> Result<usize, Wrong> {
        self.find(name.get_ref(), role).map_err(|text| Wrong { span: name.span(), text })
    }

    fn find(&self, wanted: &str, role: Role) -> Result<usize, String> {
        let Some(index) = self.params().iter().position(|param| param.name == *wanted) else {
            return Err(self.unknown(wanted));
        };
        let types = &self.subject.types;
        let ty = self.params()[index].ty;
        let ty = types.declared_as(ty).unwrap_or(ty);
        let (fits, what) = match (role, &types.get(ty).shape) {
            (Role::Pointer, shape) => (matches!(shape, Shape::Pointer(_)), "a pointer"),
            (Role::Text, Shape::Pointer(target)) => (is_character(types, *target), "a pointer to characters"),
            (Role::Text, _) => (false, "a pointer to characters"),
            (Role::Integer, _) => (integer(types, ty).is_some(), "an integer"),
        };
        if fits {
            return Ok(index);
        }
        Err(format!("`{wanted}` is of type `{}`; this promise needs {what}", types.spell(ty)))
    }

    fn unknown(&self, wanted: &str) -> String {
        let names: Vec<&str> = self.params().iter().map(|param| param.name.as_str()).collect();
        let hint = match nearest::nearest(wanted, names.iter().copied()) {
            Some(near) => format!("did you mean `{near}`?"),
            None if names.is_empty() => "it has none".to_owned(),
            None => format!("it has {}", names.join(", ")),
        };
        let function = &self.subject.function(self.function).name;
        format!("`{function}` has no parameter `{wanted}`; {hint}")
    }

    fn check_range(&self, param: usize, low: i64, high: i64) -> Result<(), String> {
        let name = &self.params()[param].name;
        let (bits, signed) = integer(&self.subject.types, self.params()[param].ty).unwrap_or((64, true));
        let least = if signed { -(1i128 << (bits - 1)) } else { 0 };
        let most = if signed { (1i128 << (bits - 1)) - 1 } else { i128::MAX >> (127 - bits.min(127)) };
        if low > high {
            Err(format!("the range of `{name}` is empty: write the smaller number first"))
        } else if i128::from(low) < least || i128::from(high) > most {
            Err(format!("the range of `{name}` exceeds its type: {least} to {most}"))
        } else {
            Ok(())
        }
    }
}
