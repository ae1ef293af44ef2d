//! Which functions get tests, in which order, and which cannot be called.

use super::priority::Priorities;
use crate::build;
use crate::failure::Failure;
use crate::own_functions;
use crate::request::Wanted;
use testwright_base::goal::Goals;
use testwright_base::ids::FunctionId;
use testwright_base::start::plainest_case;
use testwright_base::subject::Subject;
use testwright_suite::{Reason, Unmet};

/// The functions of a subject, by what becomes of them.
pub struct Chosen {
    /// Those to explore, the highest priority first.
    pub functions: Vec<FunctionId>,
    /// Those that no case can call, and why.
    pub skipped: Vec<(FunctionId, String)>,
}

impl Chosen {
    /// The functions that are wanted.
    pub fn new(subject: &Subject, wanted: &Wanted, priorities: &Priorities) -> Result<Chosen, Failure> {
        let Wanted { names, ignored } = wanted;
        check_ignored(subject, ignored)?;
        let is_ignored = |function: FunctionId| {
            ignored.iter().any(|pattern| matches(pattern, &subject.function(function).name))
        };
        let mut chosen = Chosen { functions: Vec::new(), skipped: Vec::new() };
        if names.is_empty() {
            for function in own_functions(subject) {
                match obstacle(subject, function) {
                    None => chosen.functions.push(function),
                    Some(why) => chosen.skipped.push((function, why)),
                }
            }
        } else {
            chosen.functions = named(subject, names)?;
        }
        chosen.functions.retain(|function| !is_ignored(*function));
        chosen.skipped.retain(|(function, _)| !is_ignored(*function));
        if chosen.functions.is_empty() {
            return Err(Failure::usage(nothing_to_test(subject, &chosen.skipped)));
        }
        // The sort is stable: functions of one priority stay in the order of the code, or of the command line.
        chosen.functions.sort_by_key(|function| std::cmp::Reverse(priorities.of_function(*function)));
        Ok(chosen)
    }

    /// All of them, in the order of the code.
    pub fn all(&self) -> Vec<FunctionId> {
        let skipped = self.skipped.iter().map(|(function, _)| *function);
        let mut all: Vec<FunctionId> = self.functions.iter().copied().chain(skipped).collect();
        all.sort_unstable();
        all
    }

    /// The goals of the functions that were skipped.
    pub fn unmet<'a>(&'a self, goals: &'a Goals) -> impl Iterator<Item = Unmet> + 'a {
        goals.iter().filter_map(|(goal, about)| {
            let (_, why) = self.skipped.iter().find(|(function, _)| *function == about.function)?;
            Some(Unmet { goal, reason: Reason::Skipped(why.clone()) })
        })
    }
}

/// Refuses what would leave out nothing: it is most likely misspelt.
fn check_ignored(subject: &Subject, ignored: &[String]) -> Result<(), Failure> {
    for pattern in ignored {
        let mut names = own_functions(subject).map(|id| &subject.function(id).name);
        if names.any(|name| matches(pattern, name)) {
            continue;
        }
        if pattern.contains(['*', '?']) {
            return Err(Failure::usage(format!("--ignore: no function of the target matches `{pattern}`")));
        }
        build::function(subject, pattern)
            .map_err(|failure| Failure::usage(format!("--ignore: {}", failure.message)))?;
    }
    Ok(())
}

/// Whether a name fits a pattern, in which `*` stands for any text and `?` for any character.
fn matches(pattern: &str, name: &str) -> bool {
    let mut rest = name.chars();
    match pattern.chars().next() {
        None => name.is_empty(),
        Some('*') => {
            let ends = name.char_indices().map(|(at, _)| at).chain([name.len()]);
            ends.into_iter().any(|at| matches(&pattern[1..], &name[at..]))
        }
        Some(wanted) => {
            let fits = rest.next().is_some_and(|first| wanted == '?' || wanted == first);
            fits && matches(&pattern[wanted.len_utf8()..], rest.as_str())
        }
    }
}

/// The functions of these names, each once.
fn named(subject: &Subject, names: &[String]) -> Result<Vec<FunctionId>, Failure> {
    let mut functions = Vec::new();
    for name in names {
        let function = build::function(subject, name)?;
        if let Some(why) = obstacle(subject, function) {
            return Err(Failure::usage(format!("`{name}` cannot be tested: {why}")));
        }
        if !functions.contains(&function) {
            functions.push(function);
        }
    }
    Ok(functions)
}

/// Why no case can call a function, if so.
fn obstacle(subject: &Subject, function: FunctionId) -> Option<String> {
    let uncallable = subject.function(function).uncallable.clone();
    uncallable.or_else(|| plainest_case(subject, function).err().map(|error| error.to_string()))
}

fn nothing_to_test(subject: &Subject, skipped: &[(FunctionId, String)]) -> String {
    let files = subject.files.join(", ");
    if skipped.is_empty() {
        return format!("there is nothing to test: {files} defines no function");
    }
    let reasons = skipped.iter().map(|(id, why)| format!("\n  {}: {why}", subject.function(*id).name));
    format!("there is nothing to test: no function of {files} can be called{}", reasons.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns_fit_whole_names() {
        let check = |pattern: &str, name: &str, expected: bool| {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        };
        check("parse", "parse", true);
        check("parse", "parse_header", false);
        check("parse_*", "parse_header", true);
        check("*_init*", "list_init", true);
        check("*_init*", "list_fini", false);
        check("f?o", "foo", true);
        check("f?o", "fo", false);
        check("*", "", true);
    }
}
