//! The files of a suite: their paths and contents; whoever has a folder writes them.

use crate::emit::{CHECK_HEADER, CHECK_SOURCE, makefile, plain, stub};
use crate::input::{Access, Source};
use crate::suite::{Suite, base_name};
use crate::summary::Summary;
use std::collections::BTreeSet;
use testwright_base::case::Case;
use testwright_base::ids::FunctionId;
use testwright_base::json::case_to_json;

/// A program that the suite builds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Its name, also that of its file.
    pub name: String,
    /// How many tests or findings it has.
    pub count: usize,
    /// The index of the source whose functions it calls.
    pub source: usize,
    /// Whether it runs findings rather than tests.
    pub findings: bool,
}

/// The programs of a suite: per source one of tests and one of findings, if it has any.
pub(crate) fn programs(suite: &Suite<'_>) -> Vec<Program> {
    let mut programs = Vec::new();
    let single = suite.input.sources.len() == 1;
    for (source, stem) in stems(&suite.input.sources).into_iter().enumerate() {
        let is_here = |function: FunctionId| suite.input.source_of(function) == source;
        let count = suite.tests.iter().filter(|test| is_here(test.function)).count();
        if count > 0 {
            programs.push(Program { name: format!("{stem}_test"), count, source, findings: false });
        }
        let count = suite.findings.iter().filter(|finding| is_here(finding.function)).count();
        if count > 0 {
            let name = if single { "findings".to_owned() } else { format!("{stem}_findings") };
            programs.push(Program { name, count, source, findings: true });
        }
    }
    programs
}

/// What the files of each source begin with: its own name without the ending, made unique.
pub(crate) fn stems(sources: &[Source]) -> Vec<String> {
    let mut taken = BTreeSet::new();
    let mut stem = |source: &Source| {
        let name = base_name(&source.path);
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let stem = stem.replace(|c: char| !c.is_ascii_alphanumeric() && c != '_' && c != '-', "_");
        let numbered = (2..).map(|number| format!("{stem}_{number}"));
        let free = std::iter::once(stem.clone()).chain(numbered).find(|stem| taken.insert(stem.clone()));
        free.unwrap_or(stem)
    };
    sources.iter().map(&mut stem).collect()
}

/// The name of the header by which tests include a source.
pub(crate) fn subject_header_name(stem: &str) -> String {
    format!("{stem}_subject.h")
}

impl Suite<'_> {
    /// The programs that it builds.
    #[must_use]
    pub fn programs(&self) -> Vec<Program> {
        programs(self)
    }

    /// All files: tests, findings, what they are built with, cases, summary. Paths are relative to the folder of
    /// the suite.
    #[must_use]
    pub fn files(&self) -> Vec<(String, String)> {
        let mut files = vec![
            ("Makefile".to_owned(), makefile::makefile(self)),
            ("testwright_check.c".to_owned(), CHECK_SOURCE.to_owned()),
            ("testwright_check.h".to_owned(), CHECK_HEADER.to_owned()),
        ];
        if let Some(stubs) = stub::header(self.input.subject, &self.input.functions) {
            files.push((stub::HEADER_NAME.to_owned(), stubs));
        }
        let programs = programs(self);
        for (index, stem) in stems(&self.input.sources).iter().enumerate() {
            let source = &self.input.sources[index];
            if source.access == Access::IncludeSource
                && programs.iter().any(|program| program.source == index)
            {
                files.push((subject_header_name(stem), plain::subject_header(self.input.subject, source)));
            }
        }
        for program in &programs {
            let text = match program.findings {
                false => plain::tests_file(self, program.source),
                true => plain::findings_file(self, program.source),
            };
            files.push((format!("{}.c", program.name), text));
        }
        let tests = self.tests.iter().map(|test| (test.function, &test.name, &test.case));
        let findings = self.findings.iter().map(|finding| (finding.function, &finding.name, &finding.case));
        for (function, name, case) in tests.chain(findings) {
            files.push((self.case_path(function, name), self.case_text(case)));
        }
        files.push(("summary.json".to_owned(), Summary::new(self).to_json()));
        files
    }

    /// The path of the file with the case of a test or finding.
    #[must_use]
    pub fn case_path(&self, function: FunctionId, name: &str) -> String {
        format!("cases/{}/{name}.json", self.input.subject.function(function).name)
    }

    fn case_text(&self, case: &Case) -> String {
        format!("{:#}\n", case_to_json(self.input.subject, case))
    }
}
