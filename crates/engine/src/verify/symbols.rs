//! Symbols: the functions and lines behind the addresses in a sanitizer's reports.
//!
//! A sanitizer would read the debug information of the program anew for every report, and that of clang would start a program for
//! it, which the sandbox forbids. So reports come without names, and one `addr2line` per program adds them to all of its reports.

use super::probe;
use crate::failure::Failure;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;
use std::time::Duration;
use std::{fmt::Write as _, fs};
use testwright_exec::{end_with_us, run_within};

/// The program that knows names.
const PROGRAM: &str = "addr2line";
/// What a sanitizer is told so that it leaves them out.
pub const WITHOUT: (&str, &str) = ("ASAN_OPTIONS", "symbolize=0");
/// How long all addresses of a program may take.
const LIMIT: Duration = Duration::from_secs(60);

/// Whether names can be added here.
pub fn can_be_added() -> bool {
    probe::on_path(PROGRAM).is_some()
}

/// Adds names to what this program said, each time that it ran.
pub fn add<'a>(program: &Path, said: impl Iterator<Item = &'a mut String>) -> Result<(), Failure> {
    let mut said: Vec<&mut String> = said.collect();
    // Reports name the program as the system does.
    let Ok(program) = program.canonicalize() else { return Ok(()) };
    let name = program.to_string_lossy();
    let addresses: BTreeSet<String> = said
        .iter()
        .flat_map(|text| text.lines())
        .filter_map(|line| frame(line, &name))
        .map(|(_, address)| address.to_owned())
        .collect();
    if addresses.is_empty() {
        return Ok(());
    }
    let names = names(&program, &addresses)?;
    for text in &mut said {
        **text = with_names(text, &name, &names);
    }
    Ok(())
}

/// The start of a line of a stack and the address in this program: `#0 0x56519640b2ab  (/tmp/tests+0x12ab)`.
fn frame<'a>(line: &'a str, program: &str) -> Option<(&'a str, &'a str)> {
    let (start, place) = line.split_once(" (")?;
    let address = place.strip_prefix(program)?.strip_prefix('+')?.split(')').next()?;
    start.trim_start().starts_with('#').then_some((start.trim_end(), address))
}

/// The text with `#0 0x56519640b2ab in sum /home/me/t.c:8`.
fn with_names(text: &str, program: &str, names: &BTreeMap<String, String>) -> String {
    let mut named = String::with_capacity(text.len());
    for line in text.lines() {
        let known = frame(line, program).and_then(|(start, address)| Some((start, names.get(address)?)));
        // Writing to a string cannot fail.
        let _ = match known {
            Some((start, name)) => writeln!(named, "{start} in {name}"),
            None => writeln!(named, "{line}"),
        };
    }
    named
}

/// What lies at these addresses: `sum /home/me/t.c:8`. Places that the debug information does not know are in brackets.
fn names(program: &Path, addresses: &BTreeSet<String>) -> Result<BTreeMap<String, String>, Failure> {
    let folder = testwright_scratch::folder()?;
    let list = folder.path().join("addresses");
    fs::write(&list, addresses.iter().map(|address| format!("{address}\n")).collect::<String>())?;
    let mut command = Command::new(PROGRAM);
    command.arg("--functions").arg("--exe").arg(program).arg(format!("@{}", list.display()));
    end_with_us(&mut command);
    let Some(finished) = run_within(&mut command, LIMIT)? else { return Ok(BTreeMap::new()) };
    let said = String::from_utf8_lossy(&finished.output);
    let lines: Vec<&str> = said.lines().collect();
    let name = |pair: &[&str]| match pair {
        [function, place] if place.starts_with('?') => format!("{function} ({place})"),
        [function, place] => {
            // `t.c:8 (discriminator 2)`
            format!("{function} {}", place.split(" (").next().unwrap_or_default())
        }
        _ => String::new(),
    };
    Ok(addresses.iter().cloned().zip(lines.chunks(2).map(name)).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_of_the_program_get_names_and_others_stay_as_they_are() {
        let text = "    #0 0x56519640b2ab  (/tmp/tests+0x12ab)\n    #1 0x7f85 (/lib/libc.so.6+0x27249)\n\
             printed (/tmp/tests+0x12ab)\n    #2 0x562a  (/tmp/tests+0x10) (BuildId: b2ff)\n";
        let names = [("0x12ab", "sum /home/me/t.c:8"), ("0x10", "strlen (??:0)")];
        let names = names.map(|(address, name)| (address.to_owned(), name.to_owned())).into();
        assert_eq!(
            with_names(text, "/tmp/tests", &names),
            "    #0 0x56519640b2ab in sum /home/me/t.c:8\n    #1 0x7f85 (/lib/libc.so.6+0x27249)\n\
             printed (/tmp/tests+0x12ab)\n    #2 0x562a in strlen (??:0)\n"
        );
    }
}
