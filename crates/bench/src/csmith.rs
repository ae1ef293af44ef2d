//! Random programs by csmith: gcc, the run build and the trace build must print the same checksum.
//!
//! Part of the state of each program is symbolic in the trace build, and the independent evaluator
//! recomputes every expression. Nobody here wrote the programs.

use super::figures::{Aim, Figure};
use crate::console::remark;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use testwright_base::build::Build;
use testwright_base::ids::GlobalId;
use testwright_base::json::parse_case;
use testwright_base::run::{End, Run};
use testwright_code::frontend;
use testwright_engine::Failure;
use testwright_engine::build;
use testwright_exec::{Session, check};

/// What came of checking many programs.
#[derive(Debug, Default)]
struct Report {
    /// Programs checked.
    programs: u64,
    /// Of these, programs with floating point.
    with_floats: u64,
    /// Programs left out: they do not end within the time limit when compiled by gcc, or are undefined.
    left_out: u64,
    /// Programs whose trace was cut short because there was no more room for expressions.
    cut_short: u64,
    /// Expressions recomputed.
    expressions: u64,
    /// What did not agree, with the seed.
    disagreements: Vec<String>,
}

/// The figures of checking `count` programs.
pub fn measure(first_seed: u64, count: u64) -> Result<Vec<Figure>, Failure> {
    if Command::new("csmith").arg("--version").output().is_err() {
        return Ok(vec![Figure::missing(
            "csmith programs",
            "csmith is not installed (Debian: csmith, libcsmith-dev)",
        )]);
    }
    let mut shown = 0;
    let report = check_programs(first_seed, count, |report| {
        for problem in &report.disagreements[shown..] {
            remark!("csmith {problem}");
        }
        shown = report.disagreements.len();
        if report.programs.is_multiple_of(25) {
            remark!("csmith: {} of {count} programs", report.programs);
        }
    })?;
    let note = format!(
        "of {}, {} with floats; {} endless or undefined ones left out; {} expressions recomputed in {} with symbolic state, {} cut short",
        report.programs,
        report.with_floats,
        report.left_out,
        report.expressions,
        report.programs,
        report.cut_short
    );
    let wrong = report.disagreements.len() as f64;
    Ok(vec![Figure::new("csmith programs that disagree", wrong, "", Aim::AtMost(0.0), note)])
}

/// Checks `count` programs, those with odd seeds with floats.
fn check_programs(first_seed: u64, count: u64, mut progress: impl FnMut(&Report)) -> Result<Report, Failure> {
    let folder = testwright_scratch::folder()?;
    let mut report = Report::default();
    let mut seed = first_seed;
    while report.programs < count {
        match check_program(seed, folder.path(), &mut report)? {
            Some(problems) => {
                report.programs += 1;
                report.with_floats += seed % 2;
                report
                    .disagreements
                    .extend(problems.into_iter().map(|problem| format!("seed {seed}: {problem}")));
            }
            None => report.left_out += 1,
        }
        seed += 1;
        progress(&report);
    }
    Ok(report)
}

/// What does not agree about one program; none if it does not end by itself or is undefined.
fn check_program(seed: u64, folder: &Path, report: &mut Report) -> Result<Option<Vec<String>>, Failure> {
    let source = folder.join("program.c");
    generate(seed, &source)?;
    let Some(expected) = native_output(&source, folder)? else { return Ok(None) };
    let flags = ["-I/usr/include/csmith".to_owned()];
    let sources = frontend().resolve(std::slice::from_ref(&source), &flags)?;
    let mut session = build::load_uncached(&sources, &[Build::Run, Build::Trace])?;
    session.limits.wall = Duration::from_secs(120);
    session.limits.steps = 10_000_000_000;
    let main = build::function(session.subject(), "main")?;
    let case = parse_case(session.subject(), main, r#"[1, ["program"]]"#)?;
    let run = session.run(&case, Build::Run)?;
    if matches!(run.end, End::Trap { .. }) && is_undefined(&source, folder)? {
        return Ok(None);
    }
    let mut problems = compare_output("run build", &run, &expected);
    let trace = session.trace_with_globals(&case, &symbolic_globals(&session))?;
    problems.extend(compare_output("trace build", &trace.run, &expected));
    problems.extend(check::compare(&run, &trace.run));
    problems.extend(check::check_trace(&trace));
    report.expressions += trace.exprs.len() as u64;
    report.cut_short += u64::from(trace.overflowed);
    Ok(Some(problems))
}

fn generate(seed: u64, source: &Path) -> Result<(), Failure> {
    let mut command = Command::new("csmith");
    command.args(["--seed", &seed.to_string(), "--output"]).arg(source);
    if seed % 2 == 1 {
        command.arg("--float");
    }
    let output = command.output().map_err(|error| {
        Failure::usage(format!("cannot start csmith: {error}. Install it (Debian: csmith, libcsmith-dev)"))
    })?;
    if !output.status.success() {
        return Err(Failure::usage(format!("csmith failed: {}", String::from_utf8_lossy(&output.stderr))));
    }
    Ok(())
}

/// What the program prints when gcc compiles it; none if it does not end within two seconds.
fn native_output(source: &Path, folder: &Path) -> Result<Option<Vec<u8>>, Failure> {
    let program = folder.join("program");
    let status = Command::new("gcc")
        .args(["-w", "-O1", "-ffp-contract=off", "-I/usr/include/csmith", "-o"])
        .arg(&program)
        .arg(source)
        .arg("-lm")
        .status()?;
    if !status.success() {
        return Err(Failure::usage("gcc cannot compile a csmith program; is libcsmith-dev installed?"));
    }
    let output_path = folder.join("output");
    let output = fs::File::create(&output_path)?;
    let mut child = Command::new(&program).stdout(output).stderr(Stdio::null()).spawn()?;
    let deadline = Instant::now() + Duration::from_secs(2);
    loop {
        if let Some(status) = child.try_wait()? {
            return Ok(if status.success() { Some(fs::read(&output_path)?) } else { None });
        }
        if Instant::now() > deadline {
            child.kill()?;
            child.wait()?;
            return Ok(None);
        }
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Whether gcc's own sanitizer says that the program's behaviour is undefined: csmith does not guard conversions from
/// float to integer.
fn is_undefined(source: &Path, folder: &Path) -> Result<bool, Failure> {
    let program = folder.join("sanitized");
    let status = Command::new("gcc")
        .args(["-w", "-O1", "-fsanitize=undefined,float-cast-overflow", "-I/usr/include/csmith", "-o"])
        .arg(&program)
        .arg(source)
        .arg("-lm")
        .status()?;
    let output = Command::new(&program).output()?;
    Ok(status.success() && String::from_utf8_lossy(&output.stderr).contains("runtime error"))
}

fn compare_output(build: &str, run: &Run, expected: &[u8]) -> Vec<String> {
    // `main` returns or calls exit, as the program likes.
    if !matches!(run.end, End::Returned | End::Exit(0)) {
        return vec![format!("the {build} ended with: {}", run.end)];
    }
    if run.output == expected {
        return Vec::new();
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).trim().to_owned();
    vec![format!("gcc printed `{}`, the {build} `{}`", text(expected), text(&run.output))]
}

/// Every second global, so that symbolic and concrete state meet.
fn symbolic_globals(session: &Session) -> Vec<GlobalId> {
    let globals = &session.subject().globals;
    let own = |index: &usize| globals[*index].ty.is_some() && globals[*index].name.starts_with("g_");
    (0..globals.len()).filter(own).step_by(2).map(GlobalId::of).collect()
}
