//! `unsafe` stands only behind the fence, and every block there says why it is sound.

use super::complaint::Complaint;
use super::file::File;
use super::rust::{Parts, line_of, words};

/// Folders whose code may be unsafe.
const FENCE: &[&str] = &["sys/", "runtime/"];

/// Complains about `unsafe` outside the folders that may use it.
pub fn unsafe_stays_behind_the_fence(file: &File) -> Vec<Complaint> {
    let Some(parts) = file.rust.as_ref().filter(|_| !file.is_below(FENCE)) else {
        return Vec::new();
    };
    words(&parts.code, "unsafe")
        .map(|place| {
            Complaint::new(&file.path, line_of(&parts.code, place), "`unsafe` outside sys/ and runtime/")
        })
        .collect()
}

/// Complains about unsafe blocks and implementations without a comment that begins with `SAFETY:`.
pub fn unsafe_says_why_it_is_sound(file: &File) -> Vec<Complaint> {
    let Some(parts) = &file.rust else {
        return Vec::new();
    };
    words(&parts.code, "unsafe")
        .filter(|&place| needs_reason(&parts.code[place..]))
        .map(|place| line_of(&parts.code, place))
        .filter(|&line| !has_reason(parts, line))
        .map(|line| Complaint::new(&file.path, line, "`unsafe` without a `// SAFETY:` comment"))
        .collect()
}

/// True for blocks and implementations; functions and external blocks state their contract in their own documentation.
fn needs_reason(code: &str) -> bool {
    let after = code.trim_start_matches("unsafe").trim_start();
    after.starts_with('{') || words(after, "impl").next() == Some(0)
}

/// True if a `SAFETY:` comment stands on the line, or above it before the statement that it belongs to began.
fn has_reason(parts: &Parts, line: usize) -> bool {
    let code: Vec<&str> = parts.code.lines().collect();
    let comments: Vec<&str> = parts.comments.lines().collect();
    let states_reason = |index: usize| comments.get(index).is_some_and(|text| text.contains("SAFETY:"));
    let is_end = |index: usize| code[index].trim_end().ends_with([';', '{', '}']);
    let above = (0..line - 1).rev().take_while(|&index| !is_end(index));
    states_reason(line - 1) || above.into_iter().any(states_reason)
}

#[cfg(test)]
mod tests {
    use super::super::complaint::assert_complaints;
    use super::*;

    fn file(path: &str, text: &str) -> File {
        File::new(path, text.as_bytes().to_vec())
    }

    #[test]
    fn unsafe_code_passes_only_in_sys_and_runtime() {
        let text = "fn f() {}\nunsafe fn g() {}\n";
        assert_complaints(&unsafe_stays_behind_the_fence(&file("sys/llvm/src/a.rs", text)), &[]);
        assert_complaints(&unsafe_stays_behind_the_fence(&file("runtime/src/a.rs", text)), &[]);
        let expected = ["crates/exec/src/a.rs:2: `unsafe` outside sys/ and runtime/"];
        assert_complaints(&unsafe_stays_behind_the_fence(&file("crates/exec/src/a.rs", text)), &expected);
    }

    #[test]
    fn the_word_in_comments_strings_and_names_is_not_meant() {
        let text = "// unsafe\n#![forbid(unsafe_code)]\nconst A: &str = \"unsafe {\";\n";
        assert_complaints(&unsafe_stays_behind_the_fence(&file("crates/a.rs", text)), &[]);
    }

    #[track_caller]
    fn check_reason(text: &str, expected: &[&str]) {
        assert_complaints(&unsafe_says_why_it_is_sound(&file("sys/a.rs", text)), expected);
    }

    #[test]
    fn a_block_with_its_reason_passes() {
        check_reason("// SAFETY: it is.\nunsafe { f() };\n", &[]);
        check_reason("// SAFETY: it is,\n// as you see.\nlet x =\n    unsafe { f() };\n", &[]);
        check_reason("/* SAFETY: it is. */ unsafe { f() };\n", &[]);
        check_reason("// SAFETY: it is.\n#[cold]\nunsafe impl Send for A {}\n", &[]);
    }

    #[test]
    fn a_block_without_one_does_not() {
        check_reason("unsafe { f() };\n", &["sys/a.rs:1: `unsafe` without a `// SAFETY:` comment"]);
        check_reason(
            "// SAFETY: of another.\nunsafe { f() };\nunsafe { g() };\n",
            &["sys/a.rs:3: `unsafe` without a `// SAFETY:` comment"],
        );
        check_reason("unsafe impl Send for A {}\n", &["sys/a.rs:1: `unsafe` without a `// SAFETY:` comment"]);
    }

    #[test]
    fn declarations_need_no_comment_of_this_kind() {
        check_reason(
            "unsafe fn f() {}\nunsafe extern \"C\" { fn g(); }\n#[unsafe(no_mangle)]\nfn h() {}\n",
            &[],
        );
    }
}
