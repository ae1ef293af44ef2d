//! The reproducers of findings: one C file per source, the same in all formats.
//!
//! They are no tests: `make findings` builds them with sanitizers and expects each to end badly, or, with
//! `EXPECT=fixed`, not to.

use super::body::{Body, body};
use super::literal::Headers;
use super::makefile::{Flags, Recipe, Unit, UnitKind};
use super::page::{Opening, Page, Reach, function_text};
use super::scope::Manner;
use super::value::Unwritable;
use crate::files::stems;
use crate::input::Access;
use crate::suite::{Finding, Suite};

/// The name of the program with the findings of a source.
#[must_use]
pub fn program(suite: &Suite<'_>, source: usize) -> String {
    match suite.input.sources.len() {
        1 => "findings".to_owned(),
        _ => format!("{}_findings", stems(&suite.input.sources)[source]),
    }
}

/// The files with the reproducers.
#[must_use]
pub fn files(suite: &Suite<'_>) -> Vec<(String, String)> {
    let file = |source: usize| (format!("{}.c", program(suite, source)), file(suite, source));
    suite.sources_with_findings().into_iter().map(file).collect()
}

/// How they are built.
#[must_use]
pub fn recipes(suite: &Suite<'_>) -> Vec<Recipe> {
    let recipe = |source: usize| {
        let name = program(suite, source);
        let units = vec![Unit::support(UnitKind::Support), Unit::tests("", &name)];
        let includes_source = suite.input.sources[source].access == Access::IncludeSource;
        Recipe {
            headers: vec!["testwright_check.h".to_owned()],
            flags: Flags::Findings,
            ..Recipe::new(&name, source, units, includes_source)
        }
    };
    suite.sources_with_findings().into_iter().map(recipe).collect()
}

fn file(suite: &Suite<'_>, source: usize) -> String {
    let mut page = Page::new(suite, source);
    for finding in suite.findings.iter().filter(|finding| suite.input.source_of(finding.function) == source) {
        page.add(finding.function, self::finding(suite, finding));
    }
    page.finish(&Opening {
        what: "What ends badly in",
        command: "make findings",
        includes: "#include \"testwright_check.h\"\n",
        reach: Reach::Access,
    })
}

fn finding(suite: &Suite<'_>, finding: &Finding) -> Result<(String, Headers), Unwritable> {
    let arrays = suite.array_params(finding.function);
    let manner = Manner { arrays: &arrays, freed: &finding.freed };
    let Body { arrange, call, writer } = body(suite.input.subject, &finding.case, manner)?;
    let head = format!("FINDING({})", finding.name);
    Ok((function_text(&finding.comment, &head, &[&arrange, &[format!("{call};")]]), writer.headers))
}
