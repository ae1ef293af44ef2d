//! What is taken out of a suite because it failed when it was tried: assertions, tests, reproducers.

use super::{Assumption, Finding, LeftOut, Suite, Test, Wanted, findings};
use crate::emit::c::body::body;
use crate::emit::c::check::check;
use crate::emit::c::page::asserts;
use crate::emit::c::scope::Manner;
use crate::emit::c::stub::identifier;
use crate::input::Reason;
use crate::taken_out::{Cause, TakenOut, TakenPart};
use crate::verdict::sanitizer::{Culprit, Report};
use crate::verdict::{Failure, How, Refused};
use std::rc::Rc;
use testwright_base::case::Statement;
use testwright_base::ids::StubId;

impl Suite {
    /// Takes out what failed: the assertions that did not hold, or the whole test if it did not get that far or asserts
    /// nothing any more. Values that differ between the runs of a search and the compiled tests are those that C does not
    /// determine. What only another build than the `first` shows depends on the compiler.
    pub fn leave_out(&mut self, failures: &[Failure], build: &Tried<'_>) {
        for Failure { test, how } in failures {
            if let (Some(index), How::Assertion(what)) = (self.position(test), how) {
                self.leave_out_assertion(index, what, build);
                if !asserts(self, &self.tests[index]) {
                    self.leave_out_test(index, build.cause(), build.reason());
                }
            }
        }
        // Tests go last: how variables are declared depends on all tests of a function.
        for Failure { test, how } in failures {
            let Some(index) = self.position(test) else { continue };
            match how {
                How::Assertion(_) => {}
                How::Ended(how) => {
                    let (cause, reason) = match build {
                        Tried::First => (Cause::Unknown(how.clone()), Reason::EndsDifferently(how.clone())),
                        Tried::Another(_) => (build.cause(), build.reason()),
                    };
                    self.leave_out_test(index, cause, reason);
                }
                How::Sanitizer(report) => self.leave_out_reported(index, report, build),
                How::Effect(what) => {
                    let test = &self.tests[index];
                    let call = findings::call_of(&self.input, test);
                    let wanted = Wanted { function: test.function, what: what.clone(), call };
                    let is_same = |known: &Wanted| (known.function, &known.what) == (wanted.function, what);
                    if !self.wanted.iter().any(is_same) {
                        self.wanted.push(wanted);
                    }
                    self.leave_out_test(
                        index,
                        Cause::Effect(what.clone()),
                        Reason::WantsEffect(what.clone()),
                    );
                }
            }
        }
    }

    /// Takes out tests whole, because taking out their assertions did not help.
    pub fn leave_out_whole(&mut self, failures: &[Failure], build: &Tried<'_>) {
        for Failure { test, .. } in failures {
            if let Some(index) = self.position(test) {
                self.leave_out_test(index, build.cause(), build.reason());
            }
        }
    }

    /// Takes out tests and reproducers that do not compile.
    pub fn leave_out_refused(&mut self, refused: &[Refused]) {
        for Refused { name, message } in refused {
            let cause = Cause::Refused(message.clone());
            if let Some(index) = self.findings.iter().position(|finding| finding.name == *name) {
                let Finding { function, name, .. } = self.findings.remove(index);
                let part = TakenPart::Reproducer;
                self.taken_out.push(TakenOut { function, name, part, cause: cause.clone() });
            }
            if let Some(index) = self.position(name) {
                let reason = Reason::Unwritable(cause.to_string());
                self.leave_out_test(index, cause, reason);
            }
        }
    }

    /// Takes out stubs that do not compile, with the tests and reproducers that say what they answer. Another test that comes to
    /// one ends there, and goes when it is run.
    pub fn leave_out_refused_stubs(&mut self, refused: &[Refused]) {
        let subject = Rc::clone(&self.input.subject);
        for Refused { name, message } in refused {
            let stub = subject.stubs.iter().position(|stub| identifier(stub) == *name).map(StubId::of);
            let Some(stub) = stub.filter(|stub| self.refused_stubs.insert(*stub)) else { continue };
            let sets = |statement: &Statement| {
                matches!(statement, Statement::Set { global, .. }
                if subject.answers_of(*global).is_some_and(|(set, _)| set == stub))
            };
            let tests = self.tests.iter().map(|test| (&test.name, &test.case));
            let findings = self.findings.iter().map(|finding| (&finding.name, &finding.case));
            let message = format!("{message}, about the stub of {}", subject.stubs[stub.index()].name);
            let parts: Vec<Refused> = tests
                .chain(findings)
                .filter(|(_, case)| case.statements.iter().any(sets))
                .map(|(name, _)| Refused { name: name.clone(), message: message.clone() })
                .collect();
            self.leave_out_refused(&parts);
        }
    }

    /// Takes out a test that a sanitizer complains about. If the code under test is to blame, that is a finding; unless it was
    /// given less than it reads, which it may rely on.
    fn leave_out_reported(&mut self, index: usize, report: &Report, build: &Tried<'_>) {
        let test = self.tests[index].clone();
        let Culprit::Code(place) = &report.culprit else {
            self.leave_out_test(index, build.cause(), build.reason());
            return;
        };
        let cause = Cause::Sanitizer(report.kind.clone());
        let finding = findings::of_report(&self.input, &self.findings, &test, report, place);
        if let Some(variable) = &report.passed {
            let text = format!("{variable} has all elements that are read");
            self.leave_out_test(index, cause, Reason::OnlyByBreaking(text.clone()));
            let is_same = |known: &Assumption| known.function == test.function && known.text == text;
            if !self.assumptions.iter().any(is_same) {
                self.assumptions.push(Assumption { function: test.function, text, broken_by: finding });
            }
            return;
        }
        self.leave_out_test(index, cause, Reason::OnlyByFinding);
        let known = |other: &Finding| {
            (other.function, &other.kind, &other.place) == (finding.function, &finding.kind, &finding.place)
        };
        if !self.findings.iter().any(known) {
            self.findings.push(finding);
        }
    }

    /// Takes out a test; what it showed is open again, for this reason.
    fn leave_out_test(&mut self, index: usize, cause: Cause, reason: Reason) {
        let Test { name, function, goals, .. } = self.tests.remove(index);
        // That its assertions went before it says nothing more.
        self.taken_out.retain(|taken| taken.name != name || taken.part == TakenPart::Test);
        self.taken_out.push(TakenOut { function, name, part: TakenPart::Test, cause });
        self.left_out.push(LeftOut { function, goals, reason });
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.tests.iter().position(|test| test.name == name)
    }

    fn leave_out_assertion(&mut self, index: usize, what: &str, build: &Tried<'_>) {
        let arrays = self.array_params(self.tests[index].function);
        let input = Rc::clone(&self.input);
        let subject = &input.subject;
        let test = &mut self.tests[index];
        let manner = Manner { arrays: &arrays, freed: &test.freed, asserted: &test.assertions };
        let Ok(mut body) = body(subject, input.wording(test.function), &test.case, manner) else { return };
        let result = body.writer.scope.fresh("result");
        let before = test.assertions.len();
        test.assertions.retain(|assertion| {
            let written = check(subject, &mut body.writer, &result, assertion);
            !matches!(written, Ok(Some(check)) if check.said() == what)
        });
        if test.assertions.len() < before {
            let part = TakenPart::Assertion(what.to_owned());
            let (function, name) = (test.function, test.name.clone());
            self.taken_out.push(TakenOut { function, name, part, cause: build.cause() });
        }
    }
}

/// The build in which something failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tried<'a> {
    /// The one that `make check` makes by itself.
    First,
    /// Another one, in words: `gcc -O2`.
    Another(&'a str),
}

impl Tried<'_> {
    /// Why something that differs in it was taken out.
    fn cause(&self) -> Cause {
        match self {
            Tried::First => Cause::Differs,
            Tried::Another(name) => Cause::DependsOnBuild((*name).to_owned()),
        }
    }

    /// Why what failed in it is no test.
    fn reason(&self) -> Reason {
        match self {
            Tried::First => Reason::Unstable,
            Tried::Another(name) => Reason::DependsOnBuild((*name).to_owned()),
        }
    }
}
