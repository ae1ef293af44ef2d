//! `testwright bench truth`: whatever is called proved infeasible is compared with what is known to be so.
//!
//! Our own subjects carry their verdicts, and programs beside them show that what is called feasible there is. Random programs are
//! made around inputs that reach their goals. A false proof ends the benchmark with a status of its own.

mod claims;
mod compare;
mod native;
mod program;
mod random;
mod subjects;

use super::figures::{Aim, Figure};
use super::record;
use crate::args::BenchTruth;
use crate::console::{line, remark};
use claims::{Goal, Verdict};
use std::collections::BTreeMap;
use testwright_engine::Failure;

/// A goal whose verdict is known, and what became of it.
#[derive(Debug, Clone)]
pub struct Judged {
    /// Which kind of code it is in.
    pub kind: String,
    /// Where it is: `stubs.c:41`.
    pub place: String,
    /// Whether some input reaches it.
    pub feasible: bool,
    /// What was claimed.
    pub verdict: Verdict,
}

impl Judged {
    /// Whether what was claimed cannot be.
    fn is_false(&self) -> bool {
        matches!((self.feasible, &self.verdict), (true, Verdict::Proved) | (false, Verdict::Covered))
    }
}

/// Performs the benchmark; whether no claim is false.
pub fn perform(arguments: &BenchTruth) -> Result<bool, Failure> {
    if !arguments.check_claims.is_empty() {
        return compare::perform(arguments);
    }
    let mut judged = subjects::judge(arguments)?;
    judged.extend(random::judge(arguments)?);
    let figures = figures(&judged);
    let false_claims: Vec<&Judged> = judged.iter().filter(|judged| judged.is_false()).collect();
    if arguments.json {
        line!("{:#}", record::to_json(&figures));
    } else {
        figures.iter().for_each(Figure::print);
    }
    for judged in &false_claims {
        let word = if judged.feasible { "feasible" } else { "infeasible" };
        remark!("{}: it is {word}, but it was {}", judged.place, judged.verdict);
    }
    if arguments.record {
        remark!("recorded in {}", record::write("truth", &figures)?.display());
    }
    Ok(false_claims.is_empty())
}

fn figures(judged: &[Judged]) -> Vec<Figure> {
    let count = |list: &mut dyn Iterator<Item = &Judged>| list.count() as f64;
    let feasible = || judged.iter().filter(|judged| judged.feasible);
    let infeasible = || judged.iter().filter(|judged| !judged.feasible);
    let wrong = count(&mut judged.iter().filter(|judged| judged.is_false()));
    let proved = count(&mut infeasible().filter(|judged| judged.verdict == Verdict::Proved));
    let covered = count(&mut feasible().filter(|judged| judged.verdict == Verdict::Covered));
    let mut figures = vec![
        Figure::new("false claims", wrong, "", Aim::AtMost(0.0), format!("of {} goals", judged.len())),
        Figure::told("infeasible goals proved", proved, "", format!("of {}", infeasible().count())),
        Figure::told("feasible goals covered", covered, "", format!("of {}", feasible().count())),
    ];
    let mut kinds: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    for judged in judged {
        let (right, all) = kinds.entry(judged.kind.as_str()).or_default();
        *all += 1;
        *right += usize::from(match judged.verdict {
            Verdict::Covered => judged.feasible,
            Verdict::Proved => !judged.feasible,
            Verdict::Open(_) => false,
        });
    }
    figures.extend(kinds.into_iter().map(|(kind, (right, all))| {
        Figure::told(format!("settled rightly: {kind}"), right as f64, "", format!("of {all}"))
    }));
    figures
}

/// The goals of a text that carry a verdict, by line: `if (x == 3) // feasible` is about the true outcome.
fn annotated(text: &str) -> Vec<(Goal, bool)> {
    let verdict = |line: &str| match line.rsplit_once("// ")?.1.trim() {
        "feasible" => Some(true),
        "infeasible" => Some(false),
        _ => None,
    };
    let lines = (1..).zip(text.lines());
    lines
        .filter_map(|(line, text)| Some((Goal { line, outcome: "true".to_owned() }, verdict(text)?)))
        .collect()
}
