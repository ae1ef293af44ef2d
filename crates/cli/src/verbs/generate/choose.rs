//! Which functions get tests, in which order, and which cannot be called.

use super::own_functions;
use super::priority::Priorities;
use crate::exit::Failure;
use crate::load;
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
    /// The named functions, or all that can be called.
    pub fn new(subject: &Subject, names: &[String], priorities: &Priorities) -> Result<Chosen, Failure> {
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
    pub fn unmet<'a>(&'a self, subject: &'a Subject) -> impl Iterator<Item = Unmet> + 'a {
        self.skipped.iter().flat_map(move |(function, why)| {
            let sites = subject.sites.iter().filter(|site| site.function == *function);
            sites
                .flat_map(testwright_base::site::Site::outcomes)
                .map(|outcome| Unmet { outcome, reason: Reason::Skipped(why.clone()) })
        })
    }
}

/// The functions of these names, each once.
fn named(subject: &Subject, names: &[String]) -> Result<Vec<FunctionId>, Failure> {
    let mut functions = Vec::new();
    for name in names {
        let function = load::function(subject, name)?;
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
