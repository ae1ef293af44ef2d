//! Compiler flags of a user, cleaned of what would get in our way.
//!
//! We decide about output, optimisation, debug information, sanitizers and diagnostics ourselves, so flags about
//! these are dropped; everything that says what the code means (include paths, macros, the language) stays.
//!
//! Flags under which the result depends on the optimiser are left out, and a note says so: `-ffast-math` and its parts. Tests
//! are built with the same flags, so they are about the code that was searched.

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
    "-Wp,-M*",
    "-fdebug-prefix-map=*",
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

/// Flags that leave the results of floating-point operations to the optimiser.
const LOOSE_FLOATS: &[&str] = &[
    "-ffast-math",
    "-Ofast",
    "-funsafe-math-optimizations",
    "-ffinite-math-only",
    "-fassociative-math",
    "-freciprocal-math",
    "-fno-signed-zeros",
    "-fno-honor-nans",
    "-fno-honor-infinities",
    "-fapprox-func",
    "-fcx-limited-range",
    "-fcx-fortran-rules",
    "-ffp-contract=fast",
    "-ffp-contract=on",
    "-ffp-model=fast",
    "-ffp-model=aggressive",
    "-mrecip*",
];

/// Flags that say for which kind of machine the code is; the last one counts.
const MACHINES: &[&str] = &["-m16", "-m32", "-mx32", "-m64"];

/// What was made of flags.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Cleaned {
    /// Those that say what the code means, in their order.
    pub kept: Vec<String>,
    /// What the user should know about others.
    pub notes: Vec<String>,
}

/// The flags that say what the code means.
#[must_use]
pub fn clean(flags: &[String]) -> Cleaned {
    let mut cleaned = Cleaned::default();
    let mut rest = flags.iter();
    while let Some(flag) = rest.next() {
        let is_one_of = |patterns: &[&str]| patterns.iter().any(|pattern| matches(pattern, flag));
        if DROPPED_WITH_VALUE.contains(&flag.as_str()) {
            rest.next();
        } else if KEPT_WITH_VALUE.contains(&flag.as_str()) {
            cleaned.kept.push(flag.clone());
            cleaned.kept.extend(rest.next().cloned());
        } else if is_one_of(LOOSE_FLOATS) {
            cleaned.notes.push(format!(
                "{flag} is left out, because with it floating-point results depend on the optimiser; where it is used, \
                 results may differ from those in the tests"
            ));
            // Code that asks for the macro stays the same code.
            if matches!(flag.as_str(), "-ffast-math" | "-Ofast") {
                cleaned.kept.push("-D__FAST_MATH__=1".to_owned());
            }
        } else if is_one_of(&["-fopenmp*"]) {
            cleaned.notes.push(format!("{flag} is left out: the code is searched and tested in one thread"));
        } else if let Some(map) = flag.strip_prefix("-ffile-prefix-map=") {
            // Places must lead to the files; what `__FILE__` says stays.
            cleaned.kept.push(format!("-fmacro-prefix-map={map}"));
        } else if flag.starts_with('-') && !is_one_of(DROPPED) && !is_one_of(MACHINES) {
            cleaned.kept.push(flag.clone());
        }
    }
    cleaned
}

fn matches(pattern: &str, flag: &str) -> bool {
    match pattern.strip_suffix('*') {
        Some(start) => flag.starts_with(start),
        None => flag == pattern,
    }
}

/// Whether signed numbers wrap round: then an overflow is no mistake.
#[must_use]
pub fn wraps<'a>(flags: impl IntoIterator<Item = &'a String>) -> bool {
    let mut wraps = false;
    for flag in flags {
        match flag.as_str() {
            "-fwrapv" | "-fno-strict-overflow" => wraps = true,
            "-fno-wrapv" | "-fstrict-overflow" | "-ftrapv" => wraps = false,
            _ => {}
        }
    }
    wraps
}

/// Checks that flags ask for code that this machine runs; later ones win over earlier ones.
///
/// # Errors
/// With the flag that asks for something else.
pub fn check_machine<'a>(flags: impl IntoIterator<Item = &'a String>) -> Result<(), CodeError> {
    let (mut machine, mut target): (Option<&str>, Option<(&str, String)>) = (None, None);
    let mut rest = flags.into_iter();
    while let Some(flag) = rest.next() {
        if MACHINES.contains(&flag.as_str()) {
            machine = Some(flag);
        } else if let Some(name) = flag.strip_prefix("--target=") {
            target = Some((name, flag.clone()));
        } else if flag == "-target" {
            target = rest.next().map(|name| (name.as_str(), format!("-target {name}")));
        }
    }
    if let Some((name, flag)) = target {
        let fits = name.starts_with("x86_64") && name.contains("linux") && !name.contains("x32");
        if !fits {
            let instead = "--target=x86_64-linux-gnu";
            return Err(CodeError::OtherTarget { flag, instead });
        }
    }
    match machine {
        None | Some("-m64") => Ok(()),
        Some(flag) => Err(CodeError::OtherTarget { flag: flag.to_owned(), instead: "-m64" }),
    }
}

/// The flags for tests of the code, which gcc should understand as well: what is meant for clang alone is left out.
#[must_use]
pub fn for_tests(flags: &[String]) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    let mut rest = flags.iter();
    while let Some(flag) = rest.next() {
        if matches!(flag.as_str(), "-Xclang" | "-mllvm" | "-target" | "-ivfsoverlay") {
            rest.next();
        } else if !flag.starts_with("--target=") {
            kept.push(flag.clone());
        }
    }
    // Where machines can multiply and add at once, gcc does unless it is told not to; the search did not.
    if kept.iter().any(|flag| flag.starts_with("-mfma") || flag.starts_with("-march=")) {
        kept.push("-ffp-contract=off".to_owned());
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(flags: &str, expected: &str) {
        let flags: Vec<String> = flags.split(' ').map(str::to_owned).collect();
        assert_eq!(clean(&flags).kept.join(" "), expected);
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

    fn words(flags: &str) -> Vec<String> {
        flags.split(' ').map(str::to_owned).collect()
    }

    #[test]
    fn flags_that_change_meaning_stay() {
        let flags = "-fwrapv -fno-strict-aliasing -funsigned-char -fsigned-char -fno-strict-overflow \
                     -fno-delete-null-pointer-checks -fshort-enums -fpack-struct=2 -ftrapv -fno-builtin -std=gnu89 \
                     -fgnu89-inline -fcommon -fno-math-errno";
        check(flags, flags);
    }

    #[test]
    fn floats_that_depend_on_the_optimiser_are_left_out_with_a_note() {
        check("-ffast-math -DX", "-D__FAST_MATH__=1 -DX");
        check("-Ofast", "-D__FAST_MATH__=1");
        check("-fassociative-math -ffinite-math-only -mrecip=all -ffp-contract=fast", "");
        let notes = clean(&words("-O2 -ffast-math -g")).notes;
        assert_eq!(notes.len(), 1, "{notes:?}");
        assert!(notes[0].starts_with("-ffast-math is left out"), "{notes:?}");
    }

    #[test]
    fn the_last_word_on_overflow_counts() {
        assert!(wraps(&words("-fwrapv")) && wraps(&words("-fno-strict-overflow")));
        assert!(!wraps(&words("-fwrapv -ftrapv")) && !wraps(&words("-fwrapv -fno-wrapv")));
        assert!(wraps(&words("-ftrapv -fwrapv")) && !wraps(&words("-O2")));
    }

    #[test]
    fn code_for_other_machines_is_refused_unless_a_later_flag_says_otherwise() {
        let refused = |flags: &str| check_machine(&words(flags)).err().map(|error| error.to_string());
        let told = |flag: &str, instead: &str| {
            Some(format!(
                "the compiler flag {flag} asks for other code than x86-64, which Testwright could not run. Add {instead} \
                 after -- to test it as code for x86-64, where sizes of types may differ"
            ))
        };
        assert_eq!(refused("-m32"), told("-m32", "-m64"));
        let instead = "--target=x86_64-linux-gnu";
        assert_eq!(refused("--target=armv7-none-eabi"), told("--target=armv7-none-eabi", instead));
        assert_eq!(refused("-target i686-linux-gnu"), told("-target i686-linux-gnu", instead));
        assert_eq!(refused("-target x86_64-pc-linux-gnu"), None);
        assert_eq!(refused("-m32 -DX -m64"), None);
        check("-m32 -DX -m64", "-DX");
    }

    #[test]
    fn tests_get_flags_that_gcc_understands() {
        let flags = words("-DX -Xclang -foo --target=x86_64-linux-gnu -mllvm -x -fwrapv -mfma");
        assert_eq!(for_tests(&flags).join(" "), "-DX -fwrapv -mfma -ffp-contract=off");
    }
}
