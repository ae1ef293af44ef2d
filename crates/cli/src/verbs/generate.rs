//! `testwright generate`: a suite for what the user named, and a report about it.

use super::put;
use super::terminal::Report;
use crate::args;
use crate::exit::{Exit, Failure};
use crate::progress::Progress;
use testwright_engine::request::Wanted;
use testwright_engine::{Request, generate};
use testwright_suite::Suite;
use testwright_suite::emit::Format;

/// Generates tests for the named functions, or for all that can be called.
pub fn perform(arguments: &args::Generate) -> Result<Exit, Failure> {
    let request = request(arguments)?;
    let finished = generate(&request, &mut Progress::on_stderr())?;
    let report = Report(&finished);
    put(&if arguments.json { report.json() } else { report.text() })?;
    match finished.problem {
        Some(problem) => Err(problem),
        None => Ok(exit(&finished.suite, arguments)),
    }
}

/// Findings that were asked for come first: they are true whatever else was lost.
fn exit(suite: &Suite, arguments: &args::Generate) -> Exit {
    if arguments.fail_on_findings && !suite.findings.is_empty() {
        Exit::Found
    } else if suite.is_incomplete() {
        Exit::Incomplete
    } else {
        Exit::Done
    }
}

fn request(arguments: &args::Generate) -> Result<Request, Failure> {
    let float_tolerance = arguments.float_tolerance;
    if float_tolerance.is_some_and(|tolerance| !(0.0..1.0).contains(&tolerance)) {
        return Err(Failure::usage("--float-tolerance takes a number from 0 to 1, such as 1e-9"));
    }
    let mut formats: Vec<&'static Format> = Vec::new();
    for format in arguments.formats.iter().filter_map(|name| Format::named(name)) {
        if !formats.contains(&format) {
            formats.push(format);
        }
    }
    Ok(Request {
        target: arguments.target.target(),
        wanted: Wanted { names: arguments.functions.clone(), ignored: arguments.ignored.clone() },
        searching: arguments.searching.searching()?,
        max_tests: arguments.max_tests,
        formats,
        float_tolerance,
        out: arguments.out.clone(),
        all_builds: arguments.builds == args::Builds::All,
        allow_effects: arguments.allow_effects,
    })
}
