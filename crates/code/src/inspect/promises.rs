//! What the code itself states about its callers: the macros of `testwright.h` leave texts in the module.
//!
//! ```text
//! @f.tw_promise = internal constant [18 x i8] c"requires:12:n > 0\00", align 16
//! ```

use testwright_base::contract::Promise;

/// How the variables are called that hold the texts; the function comes before it.
const VARIABLE: &str = ".tw_promise";

/// The promises in the text of a module.
#[must_use]
pub fn promises(text: &str) -> Vec<Promise> {
    text.lines().filter(|line| line.starts_with('@')).filter_map(promise).collect()
}

fn promise(line: &str) -> Option<Promise> {
    let (name, rest) = line[1..].split_once(" = ")?;
    let (function, _) = name.trim_matches('"').split_once(VARIABLE)?;
    let (_, literal) = rest.split_once(" c\"")?;
    let content = decoded(literal.split('"').next()?);
    let mut parts = content.trim_end_matches('\0').splitn(3, ':');
    let (kind, line, text) = (parts.next()?, parts.next()?, parts.next()?);
    Some(Promise {
        function: function.to_owned(),
        line: line.parse().ok()?,
        kind: kind.to_owned(),
        text: text.trim().to_owned(),
    })
}

/// LLVM writes quotes, backslashes and what cannot be printed as a backslash and two hexadecimal digits.
fn decoded(literal: &str) -> String {
    let (mut bytes, mut rest) = (Vec::new(), literal.bytes());
    while let Some(byte) = rest.next() {
        let digits = (byte == b'\\').then(|| [rest.next(), rest.next()].map(|digit| digit.unwrap_or(b'0')));
        let code = digits.and_then(|digits| u8::from_str_radix(std::str::from_utf8(&digits).ok()?, 16).ok());
        bytes.push(code.unwrap_or(byte));
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_read_with_function_line_and_kind() {
        let text = "@f.tw_promise = internal constant [9 x i8] c\"length:3:data,size\\00\", align 16, !dbg !0\n\
            @f.tw_promise.1 = internal constant [9 x i8] c\"requires:12:s[0] != '\\5C\\22' && a:b\\00\"\n\
            @other = global i32 0\n";
        let promise = |line, kind: &str, text: &str| Promise {
            function: "f".to_owned(),
            line,
            kind: kind.to_owned(),
            text: text.to_owned(),
        };
        assert_eq!(
            promises(text),
            [promise(3, "length", "data,size"), promise(12, "requires", "s[0] != '\\\"' && a:b")]
        );
    }
}
