//! Reports of sanitizers: what they say happened, where, and whose memory it was.
//!
//! ```text
//! ../table.c:4:30: runtime error: index 5 out of bounds for type 'int [4]'
//!
//! ==7==ERROR: AddressSanitizer: stack-buffer-overflow on address 0x7ffea08c2eb3 at pc ..
//! READ of size 4 at 0x7ffea08c2eb3 thread T0
//!     #0 0x7fa077a4a730 in __interceptor_strlen ../../../../src/libsanitizer/..
//!     #1 0x563990fe04d3 in length /home/me/text.c:6
//!
//! Address 0x7ffea08c2eb3 is located in stack of thread T0 at offset 35 in frame
//!     #0 0x563990fe067b in testwright_body_returns_3 /home/me/out/text_test.c:9
//!
//!     [32, 35) 'text' (line 9) <== Memory access at offset 35 overflows this variable
//! ```

use crate::suite::base_name;
use testwright_base::site::Place;

/// What a sanitizer says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Report {
    /// What happened, without what differs from input to input.
    pub kind: String,
    /// Who did it.
    pub culprit: Culprit,
    /// The variable of the test whose end was passed, if it was one.
    pub passed: Option<String>,
}

/// Who did what a sanitizer complains about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Culprit {
    /// The code under test, at this place.
    Code(Place),
    /// The test, when it looked at what the code under test left behind.
    Test,
    /// The report does not say.
    Unknown,
}

/// The report among these lines. `own` are the files of the suite.
#[must_use]
pub fn report(lines: &[&str], own: &[String]) -> Option<Report> {
    lines.iter().enumerate().find_map(|(index, line)| {
        let of_behaviour = line.split_once(": runtime error: ").map(|(place, message)| Report {
            kind: behaviour(message),
            culprit: place_in(place, own),
            passed: None,
        });
        of_behaviour.or_else(|| {
            let (_, message) = line.split_once("ERROR: AddressSanitizer: ")?;
            Some(of_address(message, &lines[index + 1..], own))
        })
    })
}

fn of_address(message: &str, rest: &[&str], own: &[String]) -> Report {
    let stacks: Vec<Vec<Frame<'_>>> = rest
        .split(|line| line.trim().is_empty())
        .map(|paragraph| paragraph.iter().filter_map(|line| Frame::read(line)).collect())
        .collect();
    let first = stacks.first().map(Vec::as_slice).unwrap_or_default();
    let culprit = first.iter().find(|frame| !frame.is_foreign());
    let is_write = rest.iter().any(|line| line.starts_with("WRITE of size"));
    // The test's own variable is named with its stack frame; what it allocated, with where it did so.
    let in_stack = rest.iter().position(|line| line.contains("is located in stack of"));
    let of_test =
        in_stack.is_some_and(|at| rest.get(at + 1).is_some_and(|line| line.contains(" in testwright_body_")));
    let variable =
        rest.iter().find(|line| line.contains("<== Memory access")).and_then(|line| line.split('\'').nth(1));
    let allocated =
        stacks.last().is_some_and(|stack| stack.iter().any(|frame| frame.function == "testwright_new"));
    let overflows = message.contains("-buffer-overflow") || message.contains("-buffer-underflow");
    Report {
        kind: address(message, is_write),
        culprit: culprit.map_or(Culprit::Unknown, |frame| place_in(frame.place, own)),
        passed: match (overflows, of_test, allocated) {
            (true, true, _) => variable.map(str::to_owned),
            (true, _, true) => Some("what it is given".to_owned()),
            (true, ..) => rest.iter().find_map(|line| global_in(line, own)),
            _ => None,
        },
    }
}

/// The variable that a file of the suite defines in place of one that the code only declares, and that has as many elements there as
/// anybody's guess: `0x5581 is located 0 bytes after global variable 'table' defined in 'out/t_test.c:8' (0x5580) of size 64`.
fn global_in(line: &str, own: &[String]) -> Option<String> {
    let (_, rest) = line.split_once("global variable '")?;
    let (name, rest) = rest.split_once("' defined in '")?;
    let file = rest.split([':', '\'']).next()?;
    own.iter().any(|name| name == base_name(file)).then(|| name.to_owned())
}

/// A line of a stack: `#1 0x563990fe04d3 in length /home/me/text.c:6`.
struct Frame<'a> {
    function: &'a str,
    place: &'a str,
}

impl<'a> Frame<'a> {
    fn read(line: &'a str) -> Option<Frame<'a>> {
        let (_, rest) = line.trim().strip_prefix('#')?.split_once(" in ")?;
        let (function, place) = rest.split_once(' ')?;
        Some(Frame { function, place })
    }

    /// Whether it belongs to the sanitizer or the system's libraries: those are not told by file and line.
    fn is_foreign(&self) -> bool {
        let part_of_sanitizer = ["__interceptor", "__asan", "__sanitizer", "__ubsan"];
        part_of_sanitizer.iter().any(|start| self.function.starts_with(start))
            || ["/libsanitizer/", "/sysdeps/", "/csu/", "/compiler-rt/"]
                .iter()
                .any(|part| self.place.contains(part))
            || self.place.starts_with('(')
            || self.place.starts_with("./")
    }
}

/// `/home/me/text.c:6`, `../text.c:6:3`.
fn place_in(text: &str, own: &[String]) -> Culprit {
    let mut parts = text.split(':');
    let (Some(file), Some(line)) = (parts.next(), parts.next().and_then(|line| line.parse().ok())) else {
        return Culprit::Unknown;
    };
    if own.iter().any(|name| name == base_name(file)) {
        return Culprit::Test;
    }
    let column = parts.next().and_then(|column| column.parse().ok()).unwrap_or(0);
    Culprit::Code(Place { file: file.to_owned(), line, column })
}

/// What AddressSanitizer says, in our words.
fn address(message: &str, is_write: bool) -> String {
    let verb = if is_write { "write" } else { "read" };
    let kinds = [
        ("heap-use-after-free", "use after free".to_owned()),
        ("stack-use-after", "use of a local variable that is gone".to_owned()),
        ("dynamic-stack-buffer-overflow", format!("{verb} past the end of a local variable")),
        ("stack-buffer-overflow", format!("{verb} past the end of a local variable")),
        ("stack-buffer-underflow", format!("{verb} before the start of a local variable")),
        ("heap-buffer-overflow", format!("{verb} past the end of an allocation")),
        ("global-buffer-overflow", format!("{verb} past the end of a variable")),
        ("double-free", "double free".to_owned()),
        ("not malloc()-ed", "free of something that is not allocated".to_owned()),
        ("param-overlap", "overlapping memory given to a function of the library".to_owned()),
        ("negative-size-param", "negative size given to a function of the library".to_owned()),
        ("stack-overflow", "stack overflow".to_owned()),
        ("SEGV", "segmentation fault".to_owned()),
        ("FPE", "arithmetic error".to_owned()),
    ];
    let known = kinds.into_iter().find(|(part, _)| message.contains(part)).map(|(_, kind)| kind);
    known.unwrap_or_else(|| message.split(" on ").next().unwrap_or(message).trim().to_owned())
}

/// What UndefinedBehaviorSanitizer says, in our words.
fn behaviour(message: &str) -> String {
    const KINDS: &[(&str, &str)] = &[
        ("out of bounds for type", "array index out of bounds"),
        ("with insufficient space for an object", "null or misaligned pointer, or object too small"),
        ("signed integer overflow", "signed overflow"),
        ("negation of", "signed overflow in a negation"),
        ("division by zero", "division by zero or overflow in a division"),
        ("shift", "shift out of range"),
        ("misaligned address", "misaligned pointer"),
        ("null pointer passed", "null passed where it must not be"),
        ("offset to null pointer", "offset added to a null pointer"),
        ("null pointer", "use of a null pointer"),
        ("pointer index expression", "pointer overflow"),
        ("not a valid value for type", "value outside its type"),
        ("outside the range of representable values", "float to integer conversion out of range"),
        ("unreachable program point", "an unreachable place was reached"),
        ("end of a value-returning function", "function ends without a return"),
        ("variable length array", "length of a variable array not positive"),
        ("incorrect function type", "call through a pointer to another type of function"),
    ];
    let known = KINDS.iter().find(|(part, _)| message.contains(part)).map(|(_, kind)| (*kind).to_owned());
    known.unwrap_or_else(|| "undefined behaviour".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, kind: &str, culprit: Culprit, passed: Option<&str>) {
        let lines: Vec<&str> = text.lines().collect();
        let expected = Report { kind: kind.to_owned(), culprit, passed: passed.map(str::to_owned) };
        assert_eq!(report(&lines, &["text_test.c".to_owned()]), Some(expected));
    }

    fn code(file: &str, line: u32, column: u32) -> Culprit {
        Culprit::Code(Place { file: file.to_owned(), line, column })
    }

    #[test]
    fn undefined_behaviour_has_a_place() {
        let text = "printed\n../t.c:4:30: runtime error: index 5 out of bounds for type 'int [4]'\n";
        check(text, "array index out of bounds", code("../t.c", 4, 30), None);
        let text = "text_test.c:7:1: runtime error: load of null pointer of type 'int'\n";
        check(text, "use of a null pointer", Culprit::Test, None);
    }

    #[test]
    fn the_frame_of_the_code_under_test_is_found_below_the_library() {
        let text = "==7==ERROR: AddressSanitizer: attempting double-free on 0x602000000010 in thread T0:\n    \
             #0 0x7f70 in __interceptor_free ../../../../src/libsanitizer/asan/asan_malloc_linux.cpp:52\n    \
             #1 0x55f0 in drop ../t.c:11\n    #2 0x55f0 in testwright_body_a /home/me/out/text_test.c:8\n\n\
             0x602000000010 is located 0 bytes inside of 8-byte region\n";
        check(text, "double free", code("../t.c", 11, 0), None);
    }

    #[test]
    fn passing_the_end_of_what_the_test_gave_is_told_apart() {
        let text = "==7==ERROR: AddressSanitizer: stack-buffer-overflow on address 0x7ffe at pc 0x7fa0\n\
             READ of size 4 at 0x7ffe thread T0\n    #0 0x5608 in sum /home/me/t.c:8\n    \
             #1 0x5608 in testwright_body_a /home/me/out/text_test.c:8\n\n\
             Address 0x7ffe is located in stack of thread T0 at offset 72 in frame\n    \
             #0 0x5608 in testwright_body_a /home/me/out/text_test.c:5\n\n  This frame has 1 object(s):\n    \
             [64, 72) 'items' (line 6) <== Memory access at offset 72 overflows this variable\n";
        check(text, "read past the end of a local variable", code("/home/me/t.c", 8, 0), Some("items"));
    }

    #[test]
    fn passing_the_end_of_a_variable_that_the_suite_stands_in_for_is_told_apart() {
        let report = |file: &str| {
            format!(
                "==7==ERROR: AddressSanitizer: global-buffer-overflow on address 0x5581 at pc 0x7fa0\n\
                 READ of size 4 at 0x5581 thread T0\n    #0 0x5608 in look /home/me/t.c:8\n\n\
                 0x5581 is located 0 bytes to the right of global variable 'table' defined in '{file}:8:5' (0x5580) of size 64\n"
            )
        };
        let kind = "read past the end of a variable";
        check(&report("out/text_test.c"), kind, code("/home/me/t.c", 8, 0), Some("table"));
        check(&report("../t.c"), kind, code("/home/me/t.c", 8, 0), None);
    }

    #[test]
    fn a_test_that_looks_at_freed_memory_is_blamed_itself() {
        let text = "==7==ERROR: AddressSanitizer: heap-use-after-free on address 0x60 at pc 0x55\n\
             READ of size 4 at 0x60 thread T0\n    #0 0x55e7 in testwright_body_a /home/me/out/text_test.c:9\n\n\
             freed by thread T0 here:\n    #0 0x7f in __interceptor_free ../x.cpp:52\n    #1 0x5 in f /home/me/t.c:1\n";
        check(text, "use after free", Culprit::Test, None);
    }
}
