//! Nothing is left undone, switched off or silenced.

use super::complaint::Complaint;
use super::file::File;
use super::rust::{line_of, words};

/// What code must not hold, and why.
const CODE: &[(&str, &str)] = &[
    ("#[allow(", "use `#[expect(.., reason)]`"),
    ("#![allow(", "use `#![expect(.., reason)]`"),
    ("todo!", "write it, or leave it out"),
    ("unimplemented!", "write it, or return an outcome that explains itself"),
    ("#[ignore", "a test that does not run is none"),
];

/// Notes that promise work.
const NOTES: &[&str] = &["TODO", "FIXME", "XXX"];

/// Files other than Rust whose whole text may hold comments.
const COMMENTED: &[&str] = &[".c", ".h", ".toml", ".sh", "Makefile", "scripts/setup", ".ci/run"];

/// Complains about placeholders, silenced lints, switched-off tests and notes of work to do.
pub fn nothing_is_left_undone(file: &File) -> Vec<Complaint> {
    let complain = |text: &str, place, what: &str, why: &str| {
        Complaint::new(&file.path, line_of(text, place), format!("`{what}`: {why}"))
    };
    let notes_in = |text: &str| -> Vec<Complaint> {
        let why = "do it, or describe it in an issue";
        NOTES
            .iter()
            .flat_map(|note| words(text, note).map(|place| complain(text, place, note, why)))
            .collect()
    };
    if let Some(parts) = &file.rust {
        let code = &parts.code;
        let in_code = CODE
            .iter()
            .flat_map(|(what, why)| words(code, what).map(|place| complain(code, place, what, why)));
        in_code.chain(notes_in(&parts.comments)).collect()
    } else if COMMENTED.iter().any(|end| file.path.ends_with(end)) {
        notes_in(&file.text)
    } else {
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::super::complaint::assert_complaints;
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        assert_complaints(&nothing_is_left_undone(&File::new(path, text.as_bytes().to_vec())), expected);
    }

    #[test]
    fn silenced_lints_and_placeholders_do_not_pass() {
        check(
            "crates/a.rs",
            "#[allow(dead_code)]\nfn f() {\n    todo!()\n}\n#[ignore = \"slow\"]\nfn g() {}\n",
            &[
                "crates/a.rs:1: `#[allow(`: use `#[expect(.., reason)]`",
                "crates/a.rs:3: `todo!`: write it, or leave it out",
                "crates/a.rs:5: `#[ignore`: a test that does not run is none",
            ],
        );
    }

    #[test]
    fn notes_of_work_to_do_do_not_pass() {
        let expected = ["crates/a.rs:1: `FIXME`: do it, or describe it in an issue"];
        check("crates/a.rs", "// FIXME: later\n", &expected);
        check(
            "examples/a.c",
            "int a; /* TODO */\n",
            &["examples/a.c:1: `TODO`: do it, or describe it in an issue"],
        );
    }

    #[test]
    fn finished_code_passes() {
        check("crates/a.rs", "#[expect(dead_code, reason = \"x\")]\nfn f() {}\n", &[]);
        check("crates/a.rs", "const NAME: &str = \"/tmp/fileXXXXXX\"; // The Xs are replaced.\n", &[]);
        check("crates/a.rs", "const NAME: &str = \"todo! XXX\";\n", &[]);
        check("README.md", "The check rejects `todo!` and FIXME.\n", &[]);
    }
}
