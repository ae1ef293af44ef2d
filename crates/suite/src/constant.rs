//! Names of constants: what the code calls a number where it compares something with it.
//!
//! `if (mode == MODE_FAST)` says what 3 means for `mode`, and nothing about any other 3. So a name belongs to a parameter or
//! global variable in a function, to a field, or to what a function returns. Numbers with two names have none.
//!
//! Only a test that includes the source sees its macros, so functions with such names are reached that way.

mod reader;

pub use reader::Mentions;
use std::collections::{BTreeMap, BTreeSet};
use testwright_base::subject::Param;

/// What a number is the value of.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Owner {
    /// A parameter of a function, or a variable that it names: first the function.
    Variable(String, String),
    /// A field of this name, of whatever struct.
    Field(String),
    /// A global variable, of which every function that names it may say something.
    Global(String),
    /// What a function returns.
    Result(String),
}

/// How a constant is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Use {
    /// It is one of the values.
    Value,
    /// It is one of several bits.
    Flag,
}

/// The names that a source has for numbers.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Constants(BTreeMap<Owner, BTreeMap<(Use, i128), BTreeSet<String>>>);

impl Constants {
    /// No names at all.
    pub const NONE: &'static Constants = &Constants(BTreeMap::new());

    /// Adds a name.
    fn add(&mut self, owner: Owner, used: Use, value: i128, name: &str) {
        self.0.entry(owner).or_default().entry((used, value)).or_default().insert(name.to_owned());
    }

    /// Whether there are names for what a function with these parameters takes or returns.
    #[must_use]
    pub fn concern(&self, function: &str, params: &[Param]) -> bool {
        self.0.keys().any(|owner| match owner {
            Owner::Variable(of, name) => of == function && params.iter().any(|param| param.name == *name),
            Owner::Result(of) => of == function,
            Owner::Field(_) | Owner::Global(_) => false,
        })
    }

    /// What a value is called: `MODE_FAST`, `READ | WRITE`.
    #[must_use]
    pub fn name(&self, owner: &Owner, value: i128) -> Option<String> {
        if let Owner::Global(variable) = owner {
            return self.global_name(variable, value);
        }
        let names = self.0.get(owner)?;
        let only = |used: Use, value: i128| match names.get(&(used, value)) {
            Some(names) if names.len() == 1 => names.first().cloned(),
            _ => None,
        };
        only(Use::Value, value).or_else(|| {
            let bits = (0..64).map(|bit| 1_i128 << bit).filter(|bit| value & bit != 0);
            let names = bits.map(|bit| only(Use::Flag, bit)).collect::<Option<Vec<String>>>()?;
            (value > 0 && !names.is_empty()).then(|| names.join(" | "))
        })
    }

    fn global_name(&self, variable: &str, value: i128) -> Option<String> {
        let is_about = |owner: &&Owner| matches!(owner, Owner::Variable(_, name) if name == variable);
        let names: BTreeSet<String> =
            self.0.keys().filter(is_about).filter_map(|owner| self.name(owner, value)).collect();
        if names.len() == 1 { names.into_iter().next() } else { None }
    }
}
