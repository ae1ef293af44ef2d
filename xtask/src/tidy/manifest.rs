//! Every crate uses the lints of the workspace.

use super::complaint::Complaint;
use super::file::File;

/// Complains about a crate whose manifest does not say `[lints] workspace = true`.
pub fn inherits_the_lints(file: &File) -> Vec<Complaint> {
    let is_crate = file.path.ends_with("Cargo.toml")
        && file.is_below(&["crates/", "runtime/", "sys/", "xtask/"])
        && file.text.contains("[package]");
    let mut lines = file.text.lines().map(str::trim).skip_while(|line| *line != "[lints]").skip(1);
    if !is_crate || lines.next() == Some("workspace = true") {
        return Vec::new();
    }
    vec![Complaint::new(&file.path, 1, "must have `[lints]` with `workspace = true`")]
}

#[cfg(test)]
mod tests {
    use super::super::complaint::assert_complaints;
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        assert_complaints(&inherits_the_lints(&File::new(path, text.as_bytes().to_vec())), expected);
    }

    #[test]
    fn a_crate_with_the_lints_of_the_workspace_passes() {
        check("crates/a/Cargo.toml", "[package]\nname = \"a\"\n\n[lints]\nworkspace = true\n", &[]);
    }

    #[test]
    fn a_crate_with_lints_of_its_own_does_not() {
        let expected = ["crates/a/Cargo.toml:1: must have `[lints]` with `workspace = true`"];
        check("crates/a/Cargo.toml", "[package]\nname = \"a\"\n", &expected);
        check("crates/a/Cargo.toml", "[package]\n[lints]\n[dependencies]\nworkspace = true\n", &expected);
    }

    #[test]
    fn fixtures_may_have_any_manifest() {
        check("testdata/a/Cargo.toml", "[package]\nname = \"a\"\n", &[]);
    }
}
