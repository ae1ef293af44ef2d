//! The files of a suite: their paths and contents; whoever has a folder writes them.

use crate::emit::Format;
use crate::emit::c::{allocation, findings, fixed, makefile, plain, stream, stub};
use crate::input::{Access, Source};
use crate::replay::{INDEX, Index};
use crate::suite::{Suite, Test, base_name};
use crate::summary::Summary;
use std::collections::{BTreeMap, BTreeSet};
use testwright_base::case::{Case, Statement};
use testwright_base::ids::{FunctionId, GlobalId};
use testwright_base::json::case_to_json;
use testwright_base::stub::Stub;
use testwright_base::subject::Subject;

/// A file of tests or findings that the suite builds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// The file.
    pub file: String,
    /// How many tests or findings it has.
    pub count: usize,
    /// Whether it runs findings rather than tests.
    pub findings: bool,
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

impl Suite {
    /// The files of tests that it builds: per format and source one of tests, then one of findings, if there are any.
    #[must_use]
    pub fn programs(&self) -> Vec<Program> {
        let mut programs = Vec::new();
        for format in &self.input.style.formats {
            for recipe in (format.recipes)(self) {
                programs.extend(recipe.shown().into_iter().map(|(source, file)| Program {
                    file: file.to_owned(),
                    count: self.tests_of(source).len(),
                    findings: false,
                }));
            }
        }
        for source in if self.inputs().is_some() { Vec::new() } else { self.sources_with_findings() } {
            let here = |function: FunctionId| self.input.source_of(function) == source;
            let count = self.findings.iter().filter(|finding| here(finding.function)).count();
            programs.push(Program {
                file: format!("{}.c", findings::program(self, source)),
                count,
                findings: true,
            });
        }
        programs
    }

    /// The program of format plain, which has all tests. None if there are none.
    #[must_use]
    pub fn plain_program(&self) -> Option<String> {
        (Format::PLAIN.recipes)(self).into_iter().map(|recipe| recipe.name).next()
    }

    /// How many objects the program of format plain is linked from.
    #[must_use]
    pub fn plain_objects(&self) -> usize {
        (Format::PLAIN.recipes)(self).iter().map(|recipe| recipe.objects(self)).sum()
    }

    /// The names of what its Makefile builds.
    #[must_use]
    pub fn program_names(&self) -> Vec<String> {
        let recipes = self.input.style.formats.iter().flat_map(|format| (format.recipes)(self));
        recipes.chain(findings::recipes(self)).map(|recipe| recipe.name).collect()
    }

    /// The tests of the functions of a source.
    #[must_use]
    pub fn tests_of(&self, source: usize) -> Vec<&Test> {
        self.tests.iter().filter(|test| self.input.source_of(test.function) == source).collect()
    }

    /// The sources that have tests.
    #[must_use]
    pub fn tested_sources(&self) -> Vec<usize> {
        (0..self.input.sources.len()).filter(|source| !self.tests_of(*source).is_empty()).collect()
    }

    /// The sources that have findings.
    #[must_use]
    pub fn sources_with_findings(&self) -> Vec<usize> {
        let sources: BTreeSet<usize> =
            self.findings.iter().map(|finding| self.input.source_of(finding.function)).collect();
        sources.into_iter().collect()
    }

    /// Whether a call may leave something behind that a later one sees.
    #[must_use]
    pub fn keeps_state(&self) -> bool {
        let subject = &self.input.subject;
        let is_allocation = |id: GlobalId| {
            subject.answers_of(id).is_some_and(|(stub, _)| subject.stubs[stub.index()].is_allocation())
        };
        // Stubs count their calls.
        let has_stubs = !subject.stubs.iter().all(Stub::is_allocation);
        let globals = subject.globals.iter().enumerate();
        has_stubs
            || globals
                .into_iter()
                .any(|(index, global)| global.ty.is_some() && !is_allocation(GlobalId::of(index)))
    }

    /// Whether some test or finding lets an allocation fail.
    #[must_use]
    pub fn fails_allocations(&self) -> bool {
        self.cases().any(|case| !self.input.subject.failing_allocations(case).is_empty())
    }

    /// Whether some test or finding hands over a stream.
    #[must_use]
    pub fn has_streams(&self) -> bool {
        let types = &self.input.subject.types;
        let is_stream = |statement: &Statement| matches!(statement, Statement::Object { element, .. } if types.is_stream(*element));
        self.cases().any(|case| case.statements.iter().any(is_stream))
    }

    fn cases(&self) -> impl Iterator<Item = &Case> {
        let findings = self.findings.iter().map(|finding| &finding.case);
        self.tests.iter().map(|test| &test.case).chain(findings)
    }

    /// All files, in the formats that were asked for: tests, findings, what they are built with, cases, summary.
    /// Paths are relative to the folder of the suite.
    #[must_use]
    pub fn files(&self) -> Vec<(String, String)> {
        self.files_in(&self.input.style.formats)
    }

    /// The header with the stubs, if there are any.
    #[must_use]
    pub fn stubs(&self) -> Option<String> {
        stub::header(&self.input.subject, &self.input.functions, &self.refused_stubs)
    }

    /// All files, in these formats.
    #[must_use]
    pub fn files_in(&self, formats: &[&'static Format]) -> Vec<(String, String)> {
        let mut files: BTreeMap<String, String> =
            formats.iter().flat_map(|format| (format.files)(self)).collect();
        files.insert(INDEX.to_owned(), Index::new(self).to_json());
        files.insert("summary.json".to_owned(), Summary::new(self).to_json());
        let tests = self.tests.iter().map(|test| (test.function, &test.name, &test.case));
        let findings = self.findings.iter().map(|finding| (finding.function, &finding.name, &finding.case));
        for (function, name, case) in tests.chain(findings) {
            files.insert(self.case_path(function, name), case_text(&self.input.subject, case));
        }
        if formats.iter().any(|format| format.inputs.is_none()) {
            files.extend(self.programs_in(formats));
        }
        files.into_iter().collect()
    }

    /// What is compiled besides the files of these formats, and how.
    fn programs_in(&self, formats: &[&'static Format]) -> BTreeMap<String, String> {
        let mut files = BTreeMap::from([("Makefile".to_owned(), makefile::makefile(self, formats))]);
        files.extend(self.stubs().map(|text| (stub::HEADER_NAME.to_owned(), text)));
        let fixed = fixed::header(&self.input.subject);
        files.extend(fixed.map(|text| (fixed::HEADER_NAME.to_owned(), text)));
        if self.has_streams() {
            files.insert(stream::HEADER_NAME.to_owned(), stream::HEADER.to_owned());
        }
        if self.fails_allocations() {
            files.insert(allocation::HEADER_NAME.to_owned(), allocation::HEADER.to_owned());
        }
        let with_programs: BTreeSet<usize> =
            self.tested_sources().into_iter().chain(self.sources_with_findings()).collect();
        for (index, stem) in stems(&self.input.sources).iter().enumerate() {
            let source = &self.input.sources[index];
            if source.access == Access::IncludeSource && with_programs.contains(&index) {
                files.insert(subject_header_name(stem), plain::subject_header(&self.input.subject, source));
            }
        }
        if !self.findings.is_empty() {
            files.extend(plain::support());
            files.extend(findings::files(self));
        }
        files
    }

    /// The path of the file with the case of a test or finding.
    #[must_use]
    pub fn case_path(&self, function: FunctionId, name: &str) -> String {
        format!("cases/{}/{name}.json", self.input.subject.function(function).name)
    }
}

/// The text of the file with a case.
pub(crate) fn case_text(subject: &Subject, case: &Case) -> String {
    format!("{:#}\n", case_to_json(subject, case))
}
