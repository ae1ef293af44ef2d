//! Only programs are started that every machine has after `scripts/setup --tests`.

use super::complaint::Complaint;
use super::file::File;
use super::rust::line_of;

/// What gcc, make, csmith and a minimal Debian bring. Signals are sent by `sh -c 'kill ..'`: the program `kill` is not among
/// them. A clang is looked for, because nobody knows which version there is.
const PROGRAMS: &[&str] = &[
    "addr2line",
    "apt-get",
    "cc",
    "csmith",
    "date",
    "gcc",
    "gcov",
    "make",
    "rustc",
    "sed",
    "sh",
    "sha256sum",
    "sleep",
    "tar",
];

/// How a program is named in code.
const START: &str = "Command::new(\"";

/// Complains about programs that a machine may lack.
pub fn only_common_programs_are_started(file: &File) -> Vec<Complaint> {
    if file.rust.is_none() {
        return Vec::new();
    }
    let complain = |place: usize| {
        let name = file.text[place + START.len()..].split('"').next().unwrap_or_default();
        (!PROGRAMS.contains(&name)).then(|| {
            let line = line_of(&file.text, place);
            Complaint::new(&file.path, line, format!("`{name}`: a minimal machine may lack this program"))
        })
    };
    file.text.match_indices(START).filter_map(|(place, _)| complain(place)).collect()
}

#[cfg(test)]
mod tests {
    use super::super::complaint::assert_complaints;
    use super::*;

    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        let file = File::new("crates/a.rs", text.as_bytes().to_vec());
        assert_complaints(&only_common_programs_are_started(&file), expected);
    }

    #[test]
    fn programs_that_a_machine_may_lack_do_not_pass() {
        check(
            "fn f() {\n    Command::new(\"kill\");\n    Command::new(\"clang-22\");\n}\n",
            &[
                "crates/a.rs:2: `kill`: a minimal machine may lack this program",
                "crates/a.rs:3: `clang-22`: a minimal machine may lack this program",
            ],
        );
    }

    #[test]
    fn common_programs_and_those_that_were_looked_for_pass() {
        check("fn f() {\n    Command::new(\"sh\");\n    Command::new(clang);\n}\n", &[]);
    }
}
