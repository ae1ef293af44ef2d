//! The config file: `testwright.toml` in the current folder, or what `--config` names.
//!
//! ```toml
//! [priority]
//! "parse_header" = 5     # flip the decisions of this function first
//! "file.c:120" = -1      # and those of this line last
//!
//! [function.parse_header]                 # what callers promise; no case breaks it
//! length = { data = "size" }
//! range = { mode = [0, 3] }
//! non_null = ["data"]
//! ```

use super::contract::Promises;
use super::priority::Priorities;
use crate::exit::Failure;
use crate::load;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::ops::Range;
use std::path::{Path, PathBuf};
use testwright_base::contract::Contract;
use testwright_base::ids::FunctionId;
use testwright_base::subject::Subject;
use toml::Spanned;

/// What is looked for in the current folder.
const NAME: &str = "testwright.toml";

/// A config file, read.
#[derive(Debug, Default)]
pub struct ConfigFile {
    path: PathBuf,
    text: String,
    keys: Keys,
}

/// The keys of the file.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct Keys {
    /// By function, or by `file:line`.
    #[serde(default)]
    priority: BTreeMap<Spanned<String>, i32>,
    /// What callers of a function promise.
    #[serde(default)]
    function: BTreeMap<Spanned<String>, Promises>,
}

impl ConfigFile {
    /// Reads the file that was named, or the usual one if there is one.
    pub fn find(named: Option<&Path>) -> Result<ConfigFile, Failure> {
        let path = named.unwrap_or(Path::new(NAME));
        match fs::read_to_string(path) {
            Ok(text) => ConfigFile::read(path, text),
            Err(error) if named.is_none() && error.kind() == ErrorKind::NotFound => Ok(ConfigFile::default()),
            Err(error) => {
                Err(Failure::usage(format!("cannot read the config file {}: {error}", path.display())))
            }
        }
    }

    fn read(path: &Path, text: String) -> Result<ConfigFile, Failure> {
        let keys = toml::from_str(&text);
        let mut file = ConfigFile { path: path.to_owned(), text, keys: Keys::default() };
        match keys {
            Ok(keys) => file.keys = keys,
            Err(error) => {
                let problem = format!("{}; {}", error.message(), advice(error.message()));
                return Err(file.failure(error.span(), &problem));
            }
        }
        Ok(file)
    }

    /// What the priorities mean for a subject.
    pub fn priorities(&self, subject: &Subject) -> Result<Priorities, Failure> {
        let mut priorities = Priorities::default();
        // Functions first, so that lines win over the functions they are in.
        for is_line in [false, true] {
            for (key, priority) in &self.keys.priority {
                if Priorities::is_line(key.get_ref()) == is_line {
                    priorities
                        .add(subject, key.get_ref(), *priority)
                        .map_err(|problem| self.failure(Some(key.span()), &problem))?;
                }
            }
        }
        Ok(priorities)
    }

    /// The contracts that the file states, by function.
    pub fn contracts(&self, subject: &Subject) -> Result<Vec<(FunctionId, Contract)>, Failure> {
        let mut contracts = Vec::new();
        for (name, promises) in &self.keys.function {
            let function = load::function(subject, name.get_ref())
                .map_err(|failure| self.failure(Some(name.span()), &failure.message))?;
            let contract = promises.contract(subject, function);
            contracts
                .push((function, contract.map_err(|wrong| self.failure(Some(wrong.span), &wrong.text))?));
        }
        Ok(contracts)
    }

    /// `testwright.toml:3: problem`
    fn failure(&self, span: Option<Range<usize>>, problem: &str) -> Failure {
        let before = span.and_then(|span| self.text.get(..span.start));
        let line = before.map(|before| format!("{}:", before.matches('\n').count() + 1)).unwrap_or_default();
        Failure::usage(format!("{}:{line} {problem}", self.path.display()))
    }
}

/// What to do about a problem that the parser found.
fn advice(problem: &str) -> &'static str {
    if problem.starts_with("unknown field") {
        "remove it, or see the chapter book/generate.md for what the file may say"
    } else if problem.contains("expected i32") || problem.starts_with("invalid value") {
        "a priority is a whole number, as in `\"parse_header\" = 5`"
    } else if problem.starts_with("invalid type") || problem.starts_with("invalid length") {
        "a contract is written `length = { data = \"size\" }`, `range = { mode = [0, 3] }`, `non_null = [\"data\"]`"
    } else {
        "the file has sections and keys such as `[priority]` and `\"parse_header\" = 5`"
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check_refused(text: &str, expected: &str) {
        let failure = ConfigFile::read(Path::new("t.toml"), text.to_owned()).expect_err("it is wrong");
        assert!(failure.message.starts_with(expected), "{}", failure.message);
        assert!(!failure.message.contains('\n'), "one line: {}", failure.message);
    }

    #[test]
    fn priorities_are_read() {
        let text = "# mine\n[priority]\n\"file.c:120\" = -3\nparse_header = 5\n".to_owned();
        let file = ConfigFile::read(Path::new("t.toml"), text).expect("it is right");
        let read: Vec<(&str, i32)> =
            file.keys.priority.iter().map(|(key, priority)| (key.get_ref().as_str(), *priority)).collect();
        assert_eq!(read, [("file.c:120", -3), ("parse_header", 5)]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line_and_what_to_do() {
        check_refused(
            "\n\n[prioritty]\nf = 1\n",
            "t.toml:3: unknown field `prioritty`, expected `priority` or `function`; remove it",
        );
        check_refused(
            "[priority]\nf = \"high\"\n",
            "t.toml:2: invalid type: string \"high\", expected i32; a priority is",
        );
        check_refused(
            "[priority]\nf = 1.5\n",
            "t.toml:2: invalid type: floating point `1.5`, expected i32; a priority is",
        );
        check_refused("[priority]\nf = 99999999999\n", "t.toml:2: invalid value");
        check_refused("[priority]\nf 1\n", "t.toml:2:");
        check_refused("[priority\n", "t.toml:1:");
        check_refused("[priority]\nf = 1\nf = 2\n", "t.toml:3: duplicate key");
    }

    #[test]
    fn an_empty_file_says_nothing() {
        let file = ConfigFile::read(Path::new("t.toml"), String::new()).expect("it is right");
        assert!(file.keys.priority.is_empty());
    }
}
