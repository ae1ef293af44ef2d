//! `testwright show fitness`: what symbolic fitness measures.

use crate::exit::Failure;
use crate::load;
use std::fmt::Write as _;
use testwright_code::path_conditions::{self, TargetConditions};
use testwright_engine::request::Target;
use testwright_search::sbst::{Settings, Targets};

/// Shows the path conditions of all branches of a function.
pub fn perform(target: &Target, name: &str, settings: &[String]) -> Result<(), Failure> {
    let mut all = Settings::default();
    for text in settings {
        all.set(text).map_err(Failure::usage)?;
    }
    let limits = path_conditions::Settings { unroll: all.unroll, paths: all.paths as usize, described: true };
    let prepared = load::until_prepared(target)?;
    let subject = &prepared.subject;
    let function = load::function(subject, name)?;
    let targets = Targets::new(subject, function);
    let (_, analysis) = testwright_code::fitness_object(&prepared, targets.scope(), &limits)?;
    let mut text = String::new();
    for outcome in targets.all() {
        let Some((site, way)) = subject.outcome(outcome) else { continue };
        let site = &subject.sites[site.index()];
        let place = site.place.as_ref().map_or_else(String::new, ToString::to_string);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{place} {}", site.outcome_name(way));
        match analysis.targets.get(&outcome) {
            Some(TargetConditions::Nodes(nodes)) => nodes.iter().for_each(|node| describe(&mut text, node)),
            Some(TargetConditions::Fallback(why)) => _ = writeln!(text, "  standard fitness: {why}"),
            None => _ = writeln!(text, "  standard fitness"),
        }
    }
    super::put(&text)
}

fn describe(text: &mut String, node: &path_conditions::NodeConditions) {
    let line = node.line;
    for (dropped, conditions) in &node.paths {
        let _ = write!(text, "  from line {line}: {}", conditions.join(" && "));
        let _ = match dropped {
            0 => writeln!(text),
            dropped => writeln!(text, "{}{dropped} dropped", if conditions.is_empty() { "" } else { "; " }),
        };
    }
}
