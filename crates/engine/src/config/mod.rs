//! The config file: `testwright.toml` in the current folder, or in that of the target or above it, or what `--config` names.
//! What it states about names that only other files of the project have is left aside.
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
//! requires = ["size <= capacity"]
//!
//! [type.ring]                             # what holds for every object of a type
//! holds = "head < 16"
//!
//! [stub.read_adc]                         # what a function does that nobody defines
//! returns = "0..255"
//!
//! [set]                                   # what `--set` says, for all searches over inputs
//! ga.population = 600
//! ```

mod behaviour;
mod choose;
mod contract;
mod invariant;
mod priority;
mod project;

pub use choose::Chosen;
pub use priority::Priorities;

use crate::build;
use crate::failure::Failure;
use crate::request::Target;
use behaviour::Manner;
use contract::{Promises, Wrong, add_promise};
use invariant::Invariant;
use project::Project;
use serde::Deserialize;
use std::collections::BTreeMap;
use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use testwright_base::contract::{Contract, Promise};
use testwright_base::ids::FunctionId;
use testwright_base::subject::{Function, Subject};
use testwright_code::Behaviours;
use testwright_code::frontend::Condition;
use testwright_search::sbst::Settings;
use toml::Spanned;

/// What is looked for.
const NAME: &str = "testwright.toml";

/// A config file, read.
#[derive(Debug, Default)]
pub struct ConfigFile {
    path: PathBuf,
    text: String,
    keys: Keys,
    project: Project,
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
    /// What holds for the objects of a type.
    #[serde(default)]
    r#type: BTreeMap<Spanned<String>, Invariant>,
    /// What functions do that nobody defines.
    #[serde(default)]
    stub: BTreeMap<Spanned<String>, Manner>,
    /// Settings of searches over inputs, in two parts: what they are about, and their name.
    #[serde(default)]
    set: BTreeMap<String, BTreeMap<Spanned<String>, Spanned<toml::Value>>>,
}

impl ConfigFile {
    /// Reads the file that was named, or the usual one if there is one.
    pub fn find(named: Option<&Path>, target: &Target) -> Result<ConfigFile, Failure> {
        let here = Path::new(NAME);
        let usual = || match here.is_file() {
            true => Some(here.to_owned()),
            false => target.targets.iter().find_map(|target| project::config_above(target, NAME)),
        };
        let Some(path) = named.map(Path::to_owned).or_else(usual) else { return Ok(ConfigFile::default()) };
        let text = fs::read_to_string(&path).map_err(|error| {
            Failure::usage(format!("cannot read the config file {}: {error}", path.display()))
        })?;
        let file = ConfigFile::read(&path, text)?;
        let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Ok(ConfigFile { project: Project::new(folder, &build::sources(target)?), ..file })
    }

    fn read(path: &Path, text: String) -> Result<ConfigFile, Failure> {
        let keys = toml::from_str(&text);
        let mut file = ConfigFile { path: path.to_owned(), text, ..ConfigFile::default() };
        match keys {
            Ok(keys) => file.keys = keys,
            Err(error) => {
                let problem = format!("{}; {}", error.message(), advice(error.message()));
                return Err(file.failure(error.span(), &problem));
            }
        }
        Ok(file)
    }

    /// The settings of searches over inputs.
    pub fn settings(&self) -> Result<Settings, Failure> {
        let mut settings = Settings::default();
        for (about, values) in &self.keys.set {
            for (name, value) in values {
                let written = self.text.get(value.span()).unwrap_or_default();
                let text = format!("{about}.{}={written}", name.get_ref());
                settings.set(&text).map_err(|problem| self.failure(Some(name.span()), &problem))?;
            }
        }
        Ok(settings)
    }

    /// What the priorities mean for a subject.
    pub fn priorities(&self, subject: &Subject) -> Result<Priorities, Failure> {
        let mut priorities = Priorities::default();
        // Functions first, so that lines win over the functions they are in.
        for is_line in [false, true] {
            for (key, priority) in &self.keys.priority {
                let is_left_aside =
                    !Priorities::concern(subject, key.get_ref()) && self.project.goes_beyond(subject);
                if Priorities::is_line(key.get_ref()) == is_line && !is_left_aside {
                    priorities
                        .add(subject, key.get_ref(), *priority)
                        .map_err(|problem| self.failure(Some(key.span()), &problem))?;
                }
            }
        }
        Ok(priorities)
    }

    /// The contracts that the code and the file state, by function.
    pub fn contracts(&self, subject: &Subject) -> Result<BTreeMap<FunctionId, Contract>, Failure> {
        let mut contracts: BTreeMap<FunctionId, Contract> = BTreeMap::new();
        for promise in &subject.promises {
            let Some(function) = subject.function_named(&promise.function) else { continue };
            add_promise(contracts.entry(function).or_default(), subject, function, promise)
                .map_err(|text| Failure::usage(format!("{}: {text}", place(subject, function, promise))))?;
        }
        for (name, promises) in &self.keys.function {
            let Some(function) = self.function(subject, name)? else { continue };
            promises
                .add_to(contracts.entry(function).or_default(), subject, function)
                .map_err(|wrong| self.failure(Some(wrong.span), &wrong.text))?;
        }
        Ok(contracts)
    }

    /// The conditions that the code and the file state.
    pub fn conditions(&self, subject: &Subject) -> Result<Vec<Condition>, Failure> {
        let mut conditions = Vec::new();
        for promise in subject.promises.iter().filter(|promise| promise.kind == "requires") {
            let Some(function) = subject.function_named(&promise.function) else { continue };
            let file = file_of(subject, function);
            conditions.push(Condition { function, text: promise.text.clone(), file, line: promise.line });
        }
        for (name, promises) in &self.keys.function {
            for text in &promises.requires {
                let Some(function) = self.function(subject, name)? else { continue };
                let (file, line) = (self.path.display().to_string(), self.line(&text.span()));
                conditions.push(Condition { function, text: text.get_ref().clone(), file, line });
            }
        }
        for (name, invariant) in &self.keys.r#type {
            let wrong = |wrong: Wrong| self.failure(Some(wrong.span), &wrong.text);
            let (file, line) = (self.path.display().to_string(), self.line(&invariant.span()));
            let stated = invariant.conditions(subject, name).map_err(wrong)?;
            if stated.is_empty() && !self.project.goes_beyond(subject) {
                return Err(self.failure(Some(name.span()), &invariant::no_parameter(name.get_ref())));
            }
            for (function, text) in stated {
                conditions.push(Condition { function, text, file: file.clone(), line });
            }
        }
        for (function, contract) in self.contracts(subject)? {
            let Function { signature, hidden, place, .. } = subject.function(function);
            let params = signature.as_ref().map(|signature| signature.params.as_slice()).unwrap_or_default();
            // Whoever makes a handle may fail to, so what is never null must be asked then.
            for param in hidden.iter().filter(|param| contract.non_null.contains(param)) {
                let (file, line) = (file_of(subject, function), place.as_ref().map_or(1, |place| place.line));
                conditions.push(Condition { function, text: params[*param].name.clone(), file, line });
            }
        }
        Ok(conditions)
    }

    /// What the file states about stubs.
    pub fn behaviours(&self, subject: &Subject) -> Result<Behaviours, Failure> {
        let mut behaviours = Behaviours::new();
        for (name, manner) in &self.keys.stub {
            let is_stubbed = subject.stubs.iter().any(|stub| stub.name == *name.get_ref());
            if !is_stubbed && self.project.goes_beyond(subject) {
                continue;
            }
            let behaviour = manner
                .behaviour(subject, name)
                .map_err(|wrong| self.failure(Some(wrong.span), &wrong.text))?;
            behaviours.insert(name.get_ref().clone(), behaviour);
        }
        Ok(behaviours)
    }

    /// What tells the conditions of this file from those of another one.
    pub fn identity(&self) -> String {
        let functions = self.keys.function.iter().filter(|(_, promises)| promises.are_compiled());
        let requires = |(name, promises): (&Spanned<String>, &Promises)| {
            let texts = promises.requires.iter().chain(&promises.non_null);
            let texts: Vec<&str> = texts.map(|text| text.get_ref().as_str()).collect();
            format!("{} requires {texts:?};", name.get_ref())
        };
        let holds = |(name, invariant): (&Spanned<String>, &Invariant)| {
            format!("{} holds {};", name.get_ref(), invariant.identity())
        };
        let types = self.keys.r#type.iter().map(holds);
        let does = |(name, manner): (&Spanned<String>, &Manner)| {
            format!("{} does {};", name.get_ref(), manner.identity())
        };
        let stubs = self.keys.stub.iter().map(does);
        format!("stated: {}", functions.map(requires).chain(types).chain(stubs).collect::<String>())
    }

    /// What the file states about names that no file of the project has.
    pub fn notes(&self, subject: &Subject) -> Vec<String> {
        let keys = &self.keys;
        let is_no_function = |name: &&Spanned<String>| subject.function_named(name.get_ref()).is_none();
        let is_no_stub =
            |name: &&Spanned<String>| !subject.stubs.iter().any(|stub| stub.name == *name.get_ref());
        let is_nowhere = |name: &&Spanned<String>| !Priorities::concern(subject, name.get_ref());
        let is_no_type = |(name, invariant): &(&Spanned<String>, &Invariant)| {
            invariant.conditions(subject, name).is_ok_and(|stated| stated.is_empty())
        };
        let unknown = keys.priority.keys().filter(is_nowhere);
        let unknown = unknown.chain(keys.function.keys().filter(is_no_function));
        let unknown = unknown.chain(keys.r#type.iter().filter(is_no_type).map(|(name, _)| name));
        let unknown = unknown.chain(keys.stub.keys().filter(is_no_stub)).map(Spanned::get_ref);
        unknown
            .filter(|name| !self.is_elsewhere(subject, name))
            .map(|name| self.note(subject, name))
            .collect()
    }

    /// Whether another file of the project has what a key is about.
    fn is_elsewhere(&self, subject: &Subject, key: &str) -> bool {
        match key.rsplit_once(':') {
            Some((file, _)) => self.project.has_file(file),
            None => self.project.mentions(subject, key),
        }
    }

    fn note(&self, subject: &Subject, name: &str) -> String {
        let near = self.project.nearest(subject, name);
        let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let path = self.path.display();
        format!("{path} states something about `{name}`, which no file here defines{hint}")
    }

    /// The function of this name; none if that is for other files of the project.
    fn function(&self, subject: &Subject, name: &Spanned<String>) -> Result<Option<FunctionId>, Failure> {
        match build::function(subject, name.get_ref()) {
            Ok(function) => Ok(Some(function)),
            Err(_) if self.project.goes_beyond(subject) => Ok(None),
            Err(failure) => Err(self.failure(Some(name.span()), &failure.message)),
        }
    }

    /// The line that something begins on.
    fn line(&self, span: &Range<usize>) -> u32 {
        self.text.get(..span.start).map_or(1, |before| before.matches('\n').count() as u32 + 1)
    }

    /// `testwright.toml:3: problem`
    fn failure(&self, span: Option<Range<usize>>, problem: &str) -> Failure {
        let line = span.map(|span| format!("{}:", self.line(&span))).unwrap_or_default();
        Failure::usage(format!("{}:{line} {problem}", self.path.display()))
    }
}

/// `buffer.c:12`
fn place(subject: &Subject, function: FunctionId, promise: &Promise) -> String {
    format!("{}:{}", file_of(subject, function), promise.line)
}

fn file_of(subject: &Subject, function: FunctionId) -> String {
    subject.function(function).place.as_ref().map(|place| place.file.clone()).unwrap_or_default()
}

/// What to do about a problem that the parser found.
fn advice(problem: &str) -> &'static str {
    if problem.starts_with("unknown field") {
        "remove it, or see the chapter book/generate.md for what the file may say"
    } else if problem.contains("expected a map") {
        "a setting is written with both parts of its name, as in `ga.population = 600` below `[set]`"
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
            "t.toml:3: unknown field `prioritty`, expected one of `priority`, `function`, `type`, `stub`, `set`; remove it",
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
    fn settings_are_read_and_refused_with_their_line() {
        let settings = |text: &str| {
            ConfigFile::read(Path::new("t.toml"), text.to_owned()).and_then(|file| file.settings())
        };
        let read = settings("[set]\nga.least = 60\nga.population = 600\nsearch.room = 32\n").expect("right");
        assert_eq!((read.least, read.population, read.room), (60, 600, 32));
        let check_refused = |text: &str, expected: &str| {
            let failure = settings(text).expect_err("it is wrong");
            assert!(failure.message.starts_with(expected), "{}", failure.message);
        };
        check_refused(
            "# mine\n[set]\nsearch.room = 32\nga.pressure = 0\n",
            "t.toml:4: ga.pressure takes a number from 1 to 2; not `0`",
        );
        check_refused(
            "[set.ga]\nelite = \"x\"\n",
            "t.toml:2: ga.elite takes a number from 0 to 0.9; not `\"x\"`",
        );
        check_refused("[set]\nga.size = 3\n", "t.toml:2: there is no setting `ga.size`; there are avm");
        check_refused(
            "[set]\nroom = 3\n",
            "t.toml:2: invalid type: integer `3`, expected a map; a setting is",
        );
    }

    #[test]
    fn an_empty_file_says_nothing() {
        let file = ConfigFile::read(Path::new("t.toml"), String::new()).expect("it is right");
        assert!(file.keys.priority.is_empty());
    }
}
