//! The reproducers of findings: one C file per source, all in one program, the same in all formats.
//!
//! They are no tests: `make findings` builds them with sanitizers and expects each to end badly, or, with
//! `EXPECT=fixed`, not to.

use super::body::{Body, body};
use super::literal::Headers;
use super::makefile::{Flags, Recipe};
use super::page::{Opening, Page, Reach, function_text};
use super::scope::Manner;
use super::value::Unwritable;
use crate::files::stems;
use crate::suite::{Finding, Suite};

/// The name of the file with the findings of a source, without its ending.
#[must_use]
pub fn program(suite: &Suite, source: usize) -> String {
    match suite.input.sources.len() {
        1 => "findings".to_owned(),
        _ => format!("{}_findings", stems(&suite.input.sources)[source]),
    }
}

/// The files with the reproducers.
#[must_use]
pub fn files(suite: &Suite) -> Vec<(String, String)> {
    let file = |source: usize| (format!("{}.c", program(suite, source)), file(suite, source));
    suite.sources_with_findings().into_iter().map(file).collect()
}

/// How they are built.
#[must_use]
pub fn recipes(suite: &Suite) -> Vec<Recipe> {
    let files: Vec<(usize, String)> =
        suite.sources_with_findings().into_iter().map(|source| (source, program(suite, source))).collect();
    let recipe = Recipe::of_all("findings", suite, &files);
    recipe.map(|recipe| Recipe { flags: Flags::Findings, ..recipe }).into_iter().collect()
}

fn file(suite: &Suite, source: usize) -> String {
    let mut page = Page::new(suite, source);
    for finding in suite.findings.iter().filter(|finding| suite.input.source_of(finding.function) == source) {
        page.add(finding.function, &finding.case, self::finding(suite, finding));
    }
    page.finish(&Opening {
        what: "What ends badly in",
        command: "make findings",
        includes: "#include \"testwright_check.h\"\n",
        reach: Reach::Access,
    })
}

fn finding(suite: &Suite, finding: &Finding) -> Result<(String, Headers), Unwritable> {
    let arrays = suite.array_params(finding.function);
    let manner = Manner { arrays: &arrays, freed: &finding.freed, asserted: &[] };
    let Body { arrange, call, writer } =
        body(&suite.input.subject, suite.input.wording(finding.function), &finding.case, manner)?;
    let head = format!("FINDING({})", finding.name);
    Ok((function_text(&finding.comment, &head, &[&arrange, &[format!("{call};")]]), writer.headers))
}
