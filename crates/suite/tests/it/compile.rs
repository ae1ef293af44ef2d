//! A folder with a subject and its suite, where compilers and tests really run.

use std::path::Path;
use std::process::{Command, Output};
use testwright_suite::Suite;

/// The compilers that tests must please: gcc, and every clang there is.
pub fn compilers() -> Vec<String> {
    let exists = |name: &String| {
        Command::new(name).arg("--version").output().is_ok_and(|output| output.status.success())
    };
    let clangs = (14..=22).map(|version| format!("clang-{version}"));
    let names = ["gcc".to_owned(), "clang".to_owned()].into_iter().chain(clangs);
    let compilers: Vec<String> = names.filter(exists).collect();
    assert!(compilers.iter().any(|name| name == "gcc"), "these tests need gcc");
    assert!(compilers.iter().any(|name| name.starts_with("clang")), "these tests need clang");
    compilers
}

/// Writes sources and suite.
pub fn write(folder: &Path, sources: &[(&str, &str)], suite: &Suite) {
    for (file, text) in sources {
        std::fs::write(folder.join(file), text).unwrap();
    }
    for (path, text) in suite.files() {
        let path = folder.join("out").join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }
}

/// Runs make on the suite.
pub fn make(folder: &Path, arguments: &[&str]) -> Output {
    Command::new("make").arg("-C").arg(folder.join("out")).args(arguments).output().unwrap()
}

/// What a command printed.
pub fn text(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

/// Builds the suite with every compiler and standard without a warning, and runs it twice.
pub fn expect_to_pass(folder: &Path, standards: &[&str]) {
    for compiler in compilers() {
        for standard in standards {
            let flags = format!("CFLAGS=-std={standard} -Wall -Wextra -Werror -O1");
            for _ in 0..2 {
                let output = make(folder, &["check", &format!("CC={compiler}"), &flags]);
                let printed = text(&output);
                assert!(
                    output.status.success() && printed.contains(", 0 failed"),
                    "{compiler} {standard}: {printed}"
                );
            }
        }
    }
}
