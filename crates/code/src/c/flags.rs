//! Compiler flags of a user, cleaned of what would get in our way.
//!
//! We decide about output, optimisation, debug information, sanitizers and diagnostics ourselves, so flags about
//! these are dropped; everything that says what the code means (include paths, macros, the language) stays.

use crate::error::CodeError;

/// Options whose value is the next argument, and which stay.
const KEPT_WITH_VALUE: &[&str] = &[
    "-D",
    "-U",
    "-I",
    "-F",
    "-x",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-cxx-isystem",
    "-Xclang",
    "-Xpreprocessor",
    "-target",
    "--param",
    "-mllvm",
    "--sysroot",
    "-ivfsoverlay",
];

/// Options whose value is the next argument, and which go.
const DROPPED_WITH_VALUE: &[&str] = &[
    "-o",
    "-MF",
    "-MT",
    "-MQ",
    "-MJ",
    "-L",
    "-l",
    "-T",
    "-u",
    "-z",
    "-e",
    "-arch",
    "-Xlinker",
    "-Xassembler",
    "-include-pch",
    "--serialize-diagnostics",
    "-dumpbase",
    "-dumpdir",
];

/// Options that go; a star stands for any ending.
const DROPPED: &[&str] = &[
    "-c",
    "-S",
    "-E",
    "-O*",
    "-g*",
    "-M*",
    "-o*",
    "-l*",
    "-L*",
    "-Werror*",
    "-pedantic-errors",
    "-fsanitize*",
    "-fno-sanitize*",
    "-flto*",
    "-fno-lto",
    "-march=native",
    "-mtune=native",
    "-mcpu=native",
    "-Wl,*",
    "-Wa,*",
    "-shared*",
    "-static*",
    "-pie",
    "-no-pie",
    "-rdynamic",
    "-save-temps*",
    "-pg",
    "-finstrument-functions*",
    "-fprofile*",
    "-fcoverage*",
    "-ftest-coverage",
    "--coverage",
    "-fstack-protector*",
    "-fplugin*",
    "-emit-llvm",
    "-fsyntax-only",
    "-fdiagnostics-color*",
    "-fcolor-diagnostics",
    "-ftime-report*",
    "-ftime-trace*",
    "-v",
    "-###",
    "-fsplit-*",
    "-fembed-bitcode*",
    "-fthinlto*",
    "-fwhole-program*",
    "-fuse-ld=*",
];

/// The flags that say what the code means, in their order.
///
/// # Errors
/// If a flag asks for code that this machine does not run.
pub fn clean(flags: &[String]) -> Result<Vec<String>, CodeError> {
    let mut kept = Vec::new();
    let mut rest = flags.iter();
    while let Some(flag) = rest.next() {
        if DROPPED_WITH_VALUE.contains(&flag.as_str()) {
            rest.next();
        } else if KEPT_WITH_VALUE.contains(&flag.as_str()) {
            let value = rest.next();
            if let (true, Some(target)) = (flag == "-target", value) {
                check_target(target, &format!("-target {target}"))?;
            }
            kept.push(flag.clone());
            kept.extend(value.cloned());
        } else if flag.starts_with('-') && !DROPPED.iter().any(|pattern| matches(pattern, flag)) {
            check_flag(flag)?;
            kept.push(flag.clone());
        }
    }
    Ok(kept)
}

fn matches(pattern: &str, flag: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => flag.starts_with(start),
        None => flag == pattern,
    }
}

fn check_flag(flag: &str) -> Result<(), CodeError> {
    if matches!(flag, "-m32" | "-mx32" | "-m16") {
        return Err(CodeError::OtherTarget(flag.to_owned()));
    }
    flag.strip_prefix("--target=").map_or(Ok(()), |target| check_target(target, flag))
}

fn check_target(target: &str, flag: &str) -> Result<(), CodeError> {
    let fits = target.starts_with("x86_64") && target.contains("linux") && !target.contains("x32");
    if fits { Ok(()) } else { Err(CodeError::OtherTarget(flag.to_owned())) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(flags: &str, expected: &str) {
        let flags: Vec<String> = flags.split(' ').map(str::to_owned).collect();
        let found = match clean(&flags) {
            Ok(flags) => flags.join(" "),
            Err(error) => error.to_string(),
        };
        assert_eq!(found, expected);
    }

    #[test]
    fn what_says_what_the_code_means_stays_in_order() {
        let flags = "-std=c99 -I include -Iother -D A=1 -DB -UC -include config.h -isystem /x -fno-strict-aliasing \
                     -funsigned-char -pthread -mavx2 -Wall -x c";
        check(flags, flags);
    }

    #[test]
    fn what_we_decide_ourselves_goes() {
        check(
            "-c a.c -o a.o -O2 -g3 -ggdb -MD -MF a.d -MT a.o -Werror -Werror=format -fsanitize=address -flto=thin \
             -march=native -Ifoo -fstack-protector-strong --coverage -lm -L /x -Wl,-z,now",
            "-Ifoo",
        );
    }

    #[test]
    fn a_source_among_the_flags_goes_but_not_the_value_of_a_flag() {
        check("-I a.c b.c", "-I a.c");
    }

    #[test]
    fn code_for_other_machines_is_refused() {
        let tail = "asks for other code than x86-64, which Testwright could not run";
        check("-m32", &format!("the compiler flag -m32 {tail}"));
        check("--target=armv7-none-eabi", &format!("the compiler flag --target=armv7-none-eabi {tail}"));
        check("-target i686-linux-gnu", &format!("the compiler flag -target i686-linux-gnu {tail}"));
        check("-target x86_64-pc-linux-gnu", "-target x86_64-pc-linux-gnu");
    }
}
