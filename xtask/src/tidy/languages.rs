//! What knows a language stays in the folders of that language, so that another one can stand beside it.

use super::complaint::Complaint;
use super::file::File;
use super::rust::{line_of, words};

/// Names that know C.
const OF_C: &[&str] = &["testwright_c::", "frontend::c::", "Clang::"];
/// Where they may be used: C's front end, what picks it, and C's emitters.
const FOLDERS: &[&str] =
    &["crates/code/src/frontend.rs", "crates/code/src/frontend/c/", "crates/suite/src/emit/c/", "crates/c/"];

/// Complains about code outside the folders of C that names what knows C; tests may.
pub fn languages_stay_in_their_folders(file: &File) -> Vec<Complaint> {
    let exempt = file.is_below(FOLDERS) || file.is_test() || file.path.ends_with("/testing.rs");
    let Some(parts) = file.rust.as_ref().filter(|_| file.is_below(&["crates/"]) && !exempt) else {
        return Vec::new();
    };
    let complain = |name: &str, place| {
        let message = format!("`{name}` outside the folders of C");
        Complaint::new(&file.path, line_of(&parts.shipped, place), message)
    };
    OF_C.iter().flat_map(|name| words(&parts.shipped, name).map(|place| complain(name, place))).collect()
}

#[cfg(test)]
mod tests {
    use super::super::complaint::assert_complaints;
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        let file = File::new(path, text.as_bytes().to_vec());
        assert_complaints(&languages_stay_in_their_folders(&file), expected);
    }

    #[test]
    fn only_the_folders_of_a_language_know_it() {
        let text = "use a;\nuse testwright_c::declare;\n";
        let expected = ["crates/suite/src/a.rs:2: `testwright_c::` outside the folders of C"];
        check("crates/suite/src/a.rs", text, &expected);
        check("crates/suite/src/emit/c/a.rs", text, &[]);
        check("crates/code/src/frontend/c/a.rs", text, &[]);
        check(
            "crates/engine/src/a.rs",
            "#[cfg(test)]\nmod tests {\n    use testwright_c::declare;\n}\n",
            &[],
        );
    }
}
