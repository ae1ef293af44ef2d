//! Seeds: the cases of the suite that is replaced. A search with a budget in time begins with them, because it may not find the same
//! inputs twice, and tests that show as much as before should stay. With a budget in runs the same command gives the same suite,
//! so there are none.

use std::collections::BTreeMap;
use testwright_base::case::Case;
use testwright_base::ids::FunctionId;
use testwright_base::json::parse_case;
use testwright_base::subject::Subject;
use testwright_suite::Earlier;

/// Cases by function.
#[derive(Debug, Default)]
pub struct Seeds(BTreeMap<FunctionId, Vec<Case>>);

impl Seeds {
    /// The earlier cases that fit the functions as they are now.
    pub fn new(subject: &Subject, functions: &[FunctionId], earlier: &Earlier) -> Seeds {
        let cases = |function: FunctionId| {
            let texts = earlier.cases(&subject.function(function).name).into_iter();
            let cases = texts.filter_map(|text| parse_case(subject, function, text).ok());
            cases.filter(|case| subject.is_within_contracts(case)).collect()
        };
        Seeds(functions.iter().map(|function| (*function, cases(*function))).collect())
    }

    /// The cases of a function.
    pub fn of(&self, function: FunctionId) -> &[Case] {
        self.0.get(&function).map(Vec::as_slice).unwrap_or_default()
    }
}
