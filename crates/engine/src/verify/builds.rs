//! The builds that a suite is tried in: what `make check` makes by itself, then others that show what depends on the compiler.
//!
//! | build | what it shows |
//! |---|---|
//! | the first | the tests as a user runs them |
//! | gcc `-O2` | code that undefined behaviour lets the optimiser change |
//! | `-fsanitize=address,undefined` | reads and writes past objects, uses of freed memory, and their places |
//! | `--coverage` | what depends on where variables lie |
//! | clang `-O2`, local variables filled with a pattern | what depends on variables that nobody has set |
//!
//! Sanitizers run at `-O0`: an optimiser may remove the very read that they would report.

use super::probe::{self, Compiler, Family};
use crate::failure::Failure;
use std::env;
use std::path::Path;
use testwright_code::cache::Cache;
use testwright_code::frontend;

/// A build.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Build {
    /// The compiler in words: `gcc`.
    pub compiler: String,
    /// What is special about it in words: `-O2`, `ASan+UBSan`.
    pub manner: &'static str,
    /// What make is told besides.
    pub variables: Vec<String>,
    /// The folder of its products, as seen from that of the suite.
    pub folder: String,
    /// Whether it has an address sanitizer.
    pub sanitized: bool,
}

impl Build {
    /// In words: `gcc -O2`.
    pub fn name(&self) -> String {
        format!("{} {}", self.compiler, self.manner)
    }

    /// Whether this is what `make check` makes by itself.
    pub fn is_first(&self) -> bool {
        self.variables.is_empty()
    }
}

/// Flags of the builds with sanitizers. A leak is no fault of a test, and recovering would hide the first report. Version 4 of the
/// debug information is the newest that Debian 12's `addr2line` reads without mistakes.
const SANITIZED: &str = "-gdwarf-4 -w -fsanitize=address,undefined -fno-sanitize-recover=all";

/// clang complains when code adds something to a null pointer to compare it with another one, which gcc and processors do not mind.
const WITHOUT_NULL_OFFSETS: &str = "-fno-sanitize=pointer-overflow";

/// All builds that this machine can make; the first one always.
pub fn all() -> Result<Vec<Build>, Failure> {
    let cache = Cache::open()?;
    let mut builds = vec![first()];
    let mut compilers: Vec<Compiler> = Vec::new();
    // Debian's `cc` is a link to a link to gcc.
    let same = |name: &str| {
        let real = |name: &str| probe::on_path(name).and_then(|path| path.canonicalize().ok());
        real(name).is_some() && real(name) == real("gcc")
    };
    if same(&builds[0].compiler) {
        builds[0].compiler = "gcc".to_owned();
    }
    let clang = frontend().compiler().ok().map(|clang| clang.path);
    for path in [probe::on_path("gcc"), clang].into_iter().flatten() {
        compilers.extend(probe::compiler(&path, &cache));
    }
    for compiler in &compilers {
        let mut add = |manner: &'static str, flags: &str, sanitized: bool| {
            let compiler_name = compiler.name();
            builds.push(Build {
                folder: format!("build/{}", folder_name(&compiler_name, manner)),
                compiler: compiler_name,
                manner,
                variables: vec![format!("CC={}", compiler.path.display()), format!("CFLAGS={flags}")],
                sanitized,
            });
        };
        match compiler.family {
            Family::Gcc => {
                add("-O2", "-O2 -w", false);
                add("--coverage", "--coverage -w", false);
            }
            Family::Clang if compiler.fills => {
                add("-O2", "-O2 -w -ftrivial-auto-var-init=pattern", false);
            }
            Family::Clang => add("-O2", "-O2 -w", false),
        }
        if compiler.sanitizes {
            let flags = match compiler.family {
                Family::Gcc => SANITIZED.to_owned(),
                Family::Clang => format!("{SANITIZED} {WITHOUT_NULL_OFFSETS}"),
            };
            add("ASan+UBSan", &flags, true);
        }
    }
    Ok(builds)
}

/// The builds in the order in which they are worth their time: what `make check` makes by itself and one with sanitizers, which tell
/// why something fails; then those that optimise; then the rest. Of several with sanitizers clang's comes first: it compiles tests in half the
/// time that gcc takes.
pub fn stages(builds: &[Build]) -> Vec<Vec<Build>> {
    let sanitized: Vec<&Build> = builds.iter().filter(|build| build.sanitized).collect();
    let by_clang = sanitized.iter().find(|build| build.compiler.starts_with("clang"));
    let reporting = by_clang.or(sanitized.first()).copied();
    let stage = |build: &Build| match build {
        build if build.is_first() || Some(build) == reporting => 0,
        build if build.manner == "-O2" => 1,
        _ => 2,
    };
    let of_stage = |number| builds.iter().filter(|build| stage(build) == number).cloned().collect();
    (0..3).map(of_stage).filter(|stage: &Vec<Build>| !stage.is_empty()).collect()
}

/// What `make check` makes by itself.
pub fn first() -> Build {
    let compiler =
        env::var("CC").ok().filter(|name| !name.trim().is_empty()).unwrap_or_else(|| "cc".to_owned());
    Build {
        compiler,
        manner: "-O0",
        variables: Vec::new(),
        folder: "build/first".to_owned(),
        sanitized: false,
    }
}

/// A name that make can work with.
fn folder_name(compiler: &str, manner: &str) -> String {
    let is_plain = |c: char| c.is_ascii_alphanumeric();
    format!("{compiler}{manner}").chars().map(|c| if is_plain(c) { c } else { '_' }).collect()
}

/// The builds in words, those of a compiler together: `gcc -O2, ASan+UBSan; clang-19 -O2`.
pub fn in_words<'a>(builds: impl IntoIterator<Item = &'a Build>) -> String {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for build in builds {
        match groups.iter_mut().find(|(compiler, _)| *compiler == build.compiler) {
            Some((_, manners)) => manners.push(build.manner),
            None => groups.push((build.compiler.clone(), vec![build.manner])),
        }
    }
    let group = |(compiler, manners): &(String, Vec<&str>)| format!("{compiler} {}", manners.join(", "));
    groups.iter().map(group).collect::<Vec<_>>().join("; ")
}

/// The path of a program as a name: `/usr/bin/clang-19` is `clang-19`.
pub fn base_name(path: &Path) -> String {
    path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn builds_of_a_compiler_are_told_together() {
        let build = |compiler: &str, manner| Build { compiler: compiler.to_owned(), manner, ..first() };
        let builds =
            [build("gcc", "-O0"), build("gcc", "-O2"), build("clang-19", "-O2"), build("gcc", "ASan+UBSan")];
        assert_eq!(in_words(&builds), "gcc -O0, -O2, ASan+UBSan; clang-19 -O2");
        assert_eq!(builds[1].name(), "gcc -O2");
    }

    #[test]
    fn what_tells_why_something_fails_comes_first_and_what_is_rare_last() {
        let build = |compiler: &str, manner| Build {
            compiler: compiler.to_owned(),
            manner,
            variables: vec![format!("CC={compiler}")],
            sanitized: manner.contains("ASan"),
            ..first()
        };
        let mut builds = vec![first()];
        builds.extend(["-O2", "--coverage", "ASan+UBSan"].map(|manner| build("gcc", manner)));
        let names = |builds: &[Build]| {
            let words = |stage: &Vec<Build>| in_words(stage);
            stages(builds).iter().skip(1).map(words).collect::<Vec<_>>()
        };
        assert_eq!(names(&builds), ["gcc -O2", "gcc --coverage"]);
        builds.extend(["-O2", "ASan+UBSan"].map(|manner| build("clang-19", manner)));
        assert_eq!(names(&builds), ["gcc -O2; clang-19 -O2", "gcc --coverage, ASan+UBSan"]);
        assert_eq!(stages(&builds)[0].len(), 2);
        assert_eq!(stages(&[first()]), [[first()]]);
    }
}
