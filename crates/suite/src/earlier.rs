//! The suite that this one replaces: its names, and its cases, with which a search may begin.
//!
//! A case that calls the same function with the same inputs, and is saved for the same purpose, keeps its name, whatever became of
//! the others. Names say what a call does (`returns_3`), so a test that does something else gets a new one.
//! Lines and conditions in a name are those of the code that it was first given for.

use crate::files::case_text;
use crate::replay::{Index, Purpose};
use std::collections::BTreeMap;
use testwright_base::case::Case;
use testwright_base::subject::Subject;

/// The names of an earlier suite.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Earlier {
    /// By function, text of the case, and purpose.
    names: BTreeMap<(String, String, Purpose), Named>,
}

/// A name of an earlier suite.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Named {
    /// The name, a C identifier.
    pub name: String,
    /// Where it stood among the others.
    pub position: usize,
}

impl Earlier {
    /// The names in an index. `read` gives the texts of the cases, by their paths in the folder of the suite. What an older
    /// version saved without a purpose has no name that could be kept.
    #[must_use]
    pub fn new(index: &Index, read: impl Fn(&str) -> Option<String>) -> Earlier {
        let mut names = BTreeMap::new();
        for (position, saved) in index.cases.iter().enumerate() {
            if let (Some(purpose), Some(name), Some(text)) = (&saved.purpose, saved.name(), read(&saved.file))
            {
                let named = Named { name: name.to_owned(), position };
                names.insert((saved.function.clone(), text, purpose.clone()), named);
            }
        }
        Earlier { names }
    }

    /// The texts of the cases of a function, as they stood.
    #[must_use]
    pub fn cases(&self, function: &str) -> Vec<&str> {
        let own = self.names.iter().filter(|((of, _, _), _)| of == function);
        let mut own: Vec<(usize, &str)> =
            own.map(|((_, text, _), named)| (named.position, text.as_str())).collect();
        own.sort_unstable();
        own.into_iter().map(|(_, text)| text).collect()
    }

    /// What a case was called when it was saved for this purpose.
    #[must_use]
    pub fn named(&self, subject: &Subject, case: &Case, purpose: Purpose) -> Option<&Named> {
        // Without an earlier suite nobody needs the text of the case.
        let (function, _) = case.call().filter(|_| !self.names.is_empty())?;
        self.names.get(&(subject.function(function).name.clone(), case_text(subject, case), purpose))
    }
}
