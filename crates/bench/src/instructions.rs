//! Instructions per call of native code and of each build: figures that noise cannot change.
//!
//! The worker stops after each instruction and counts, so the same code has the same count on any machine, idle or busy.
//! Code is generated for the baseline x86-64 everywhere. What counts depend on are the compilers: clang, LLVM and, where
//! something is symbolic, the Rust compiler that made the worker, which has the same LLVM. Both stand in the record,
//! `bench/instructions.json`; `testwright bench core --only instructions --record` writes it anew.

use super::figures::{Aim, Figure};
use super::run_build::{case, sources};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};
use testwright_base::build::Build;
use testwright_code::{frontend, llvm_version};
use testwright_engine::Failure;
use testwright_engine::build;

/// Where the record lies, from the root of our sources.
const PATH: &str = "bench/instructions.json";

/// The record that this program was built with.
const RECORD: &str = include_str!("../../../bench/instructions.json");

/// Bytes of the inputs: enough that loops outweigh what is done once for each call.
const LENGTH: usize = 32;

/// Bytes of symbolic inputs, which take hundreds of times as many instructions; each takes microseconds to count.
const SYMBOLIC_LENGTH: usize = 8;

/// What was counted, and with which compilers.
#[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
struct Record {
    /// The compiler of the C code, and its version.
    clang: String,
    /// Which LLVM made machine code of it.
    llvm: String,
    /// The processor that code is generated for.
    processor: String,
    /// Instructions by name of the figure.
    instructions: BTreeMap<String, u64>,
}

impl Record {
    /// Whether these compilers make the code that was counted; releases of one version do.
    fn is_by(&self, clang: &str, llvm: &str) -> bool {
        let version =
            |text: &str| text.split(|c: char| !c.is_ascii_digit()).find_map(|part| part.parse::<u32>().ok());
        version(&self.clang) == version(clang) && version(&self.llvm) == version(llvm)
    }
}

/// Code whose instructions are counted.
struct Counted {
    name: &'static str,
    /// The name of its file, and what stands there.
    file: (&'static str, &'static str),
    function: &'static str,
    /// The case with inputs of a length.
    case: fn(usize) -> String,
}

const SUBJECTS: [Counted; 5] = [
    Counted {
        name: "triangle",
        file: ("triangle.c", include_str!("../../../examples/triangle.c")),
        function: "triangle",
        case: |_| "[3, 4, 5]".to_owned(),
    },
    Counted {
        name: "crc32 (table)",
        file: ("crc32.c", include_str!("../../../examples/crc32.c")),
        function: "crc32",
        case: buffer,
    },
    Counted {
        name: "crc32 (bitwise)",
        file: ("crc32.c", include_str!("../../../examples/crc32.c")),
        function: "crc32_bitwise",
        case: buffer,
    },
    Counted {
        name: "base64",
        file: ("base64.c", include_str!("../../../subjects/core/base64.c")),
        function: "base64_decode",
        case: text,
    },
    Counted {
        name: "base64 (in groups of four)",
        file: ("strict.c", include_str!("../../../examples/base64.c")),
        function: "base64_decode",
        case: text,
    },
];

/// Bytes and their number.
fn buffer(length: usize) -> String {
    let bytes: Vec<String> = (0..length).map(|index| (index * 7 % 256).to_string()).collect();
    format!("[[{}], {length}]", bytes.join(","))
}

/// Text in base64, its length, and room for what it stands for.
fn text(length: usize) -> String {
    let text: String = (0..length).map(|index| char::from(b'A' + (index * 11 % 26) as u8)).collect();
    format!(r#"["{text}", {length}, [{}]]"#, vec!["0"; length * 3 / 4].join(","))
}

/// Counts the instructions of each build on each subject, and compares with the record if that was made with the same compilers.
pub fn measure() -> Result<Vec<Figure>, Failure> {
    let mut recorded = parse(RECORD)?;
    if !recorded.is_by(&frontend().compiler()?.version, &llvm_version()) {
        recorded.instructions.clear();
    }
    let folder = testwright_scratch::folder()?;
    let mut figures = Vec::new();
    for subject in SUBJECTS {
        figures.extend(subject.count(folder.path(), &recorded)?);
    }
    Ok(figures)
}

impl Counted {
    /// The instructions in each build.
    fn count(&self, folder: &Path, recorded: &Record) -> Result<Vec<Figure>, Failure> {
        let sources = sources(folder, self.file.0, self.file.1)?;
        let builds = [Build::Run, Build::RunWithDistances, Build::Trace];
        let mut native = build::load_native(&sources)?;
        let mut ours = build::load_uncached(&sources, &builds)?;
        let concrete = (self.case)(LENGTH);
        let bare = native.count_calls(&case(&native, self.function, &concrete)?, Build::Bare)?;
        let beside = |count: u64| format!("{:.2}x native", count as f64 / bare as f64);
        let mut figures = vec![self.figure("native", bare, String::new(), recorded)];
        let case_of_ours = case(&ours, self.function, &concrete)?;
        for (what, build) in ["run build", "run build with distances", "trace build"].into_iter().zip(builds)
        {
            let count = ours.count_calls(&case_of_ours, build)?;
            figures.push(self.figure(what, count, beside(count), recorded));
        }
        // The worker checks itself in the build that tests use, which takes instructions.
        let worker = if cfg!(debug_assertions) { ", worker with checks" } else { "" };
        let symbolic = case(&ours, self.function, &(self.case)(SYMBOLIC_LENGTH))?;
        let count = ours.count_traces(&symbolic)?;
        figures.push(self.figure(&format!("symbolic{worker}"), count, String::new(), recorded));
        Ok(figures)
    }

    fn figure(&self, what: &str, count: u64, note: String, recorded: &Record) -> Figure {
        let name = format!("{}, {what}", self.name);
        let aim = recorded.instructions.get(&name).map(|recorded| Aim::Near(*recorded as f64));
        Figure { aim, ..Figure::told(name, count as f64, " instr", note) }
    }
}

/// Writes the counts to the record in this folder, which must be ours, and says where that is. Counts that were not measured stay.
pub fn record(figures: &[Figure]) -> Result<PathBuf, Failure> {
    let path = env::current_dir()?.join(PATH);
    let earlier = fs::read_to_string(&path)
        .map_err(|error| Failure::usage(format!("--record rewrites {}: {error}", path.display())))?;
    let record = updated(parse(&earlier)?, figures, frontend().compiler()?.version);
    let text = serde_json::to_string_pretty(&record).map_err(|error| Failure::bug(error.to_string()))?;
    fs::write(&path, text + "\n")?;
    Ok(path)
}

fn parse(text: &str) -> Result<Record, Failure> {
    serde_json::from_str(text).map_err(|error| Failure::usage(format!("{PATH}: {error}")))
}

fn updated(mut record: Record, figures: &[Figure], clang: String) -> Record {
    let counts = figures
        .iter()
        .filter_map(|figure| Some((figure.name.clone(), figure.value.map(|value| value as u64)?)));
    record.instructions.extend(counts);
    Record { clang, llvm: llvm_version(), processor: "x86-64 (baseline)".to_owned(), ..record }
}

/// What the record was made with, and what this program has; for people who see figures that differ.
pub fn compilers() -> Result<String, Failure> {
    let recorded = parse(RECORD)?;
    let clang = frontend().compiler()?.version;
    Ok(format!(
        "recorded with {}, LLVM {}; here {clang}, LLVM {}",
        recorded.clang,
        recorded.llvm,
        llvm_version()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn figure(count: f64) -> Figure {
        Figure { aim: Some(Aim::Near(1000.0)), ..Figure::told("f, native", count, " instr", "") }
    }

    #[test]
    fn a_count_that_differs_by_more_than_ten_percent_misses_its_record() {
        for (count, met) in [(1000.0, true), (1100.0, true), (900.0, true), (1110.0, false), (890.0, false)] {
            assert_eq!(figure(count).is_met(), Some(met), "{count}");
        }
        assert_eq!(Figure::told("f, unknown", 7.0, " instr", "").is_met(), None, "nothing is recorded of it");
    }

    #[test]
    fn a_record_is_for_the_versions_of_clang_and_llvm_that_made_it() {
        let record = Record {
            clang: "Debian clang version 19.1.7 (3)".into(),
            llvm: "22.1.2".into(),
            ..Record::default()
        };
        assert!(record.is_by("clang version 19.0.1", "22.1.3"));
        assert!(!record.is_by("clang version 14.0.6", "22.1.2"));
        assert!(!record.is_by("clang version 19.1.7", "23.1.0"));
    }

    #[test]
    fn a_new_record_keeps_what_was_not_measured() {
        let earlier = Record {
            instructions: BTreeMap::from([("f, native".to_owned(), 5), ("f, other worker".to_owned(), 6)]),
            ..Record::default()
        };
        let record = updated(earlier, &[figure(1110.0)], "clang 19".to_owned());
        assert_eq!(record.instructions["f, native"], 1110);
        assert_eq!(record.instructions["f, other worker"], 6);
        assert_eq!((record.clang.as_str(), record.llvm), ("clang 19", llvm_version()));
    }
}
