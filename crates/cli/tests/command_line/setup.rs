//! `scripts/setup`: what one user prepares, another can use.

use crate::support::ROOT;
use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::Path;
use std::process::Command;

/// A clone for which a Z3 was fetched before; no other is found.
fn clone_with_kept_z3(folder: &Path) {
    fs::create_dir_all(folder.join("clone/scripts")).unwrap();
    let script = fs::read_to_string(Path::new(ROOT).join("scripts/setup")).unwrap();
    fs::write(folder.join("clone/scripts/setup"), &script).unwrap();
    let release = script.lines().find_map(|line| line.strip_prefix("z3_release=")).expect("the release");
    let kept = folder.join("home/.cache/testwright").join(format!("z3-{release}"));
    fs::create_dir_all(&kept).unwrap();
    fs::write(kept.join("libz3.so"), "the library").unwrap();
    fs::set_permissions(kept.join("libz3.so"), fs::Permissions::from_mode(0o600)).unwrap();
    fs::set_permissions(folder.join("home"), fs::Permissions::from_mode(0o700)).unwrap();
    fs::create_dir(folder.join("programs")).unwrap();
    symlink("/bin/false", folder.join("programs/pkg-config")).unwrap();
}

#[test]
fn a_z3_that_was_fetched_can_be_read_by_all_and_does_not_lie_in_the_home_of_one() {
    let folder = tempfile::tempdir().unwrap();
    clone_with_kept_z3(folder.path());
    let programs = [folder.path().join("programs")];
    let others = std::env::var_os("PATH").unwrap();
    let path = std::env::join_paths(programs.into_iter().chain(std::env::split_paths(&others))).unwrap();
    let output = Command::new("sh")
        .args(["-c", "umask 077 && exec sh clone/scripts/setup"])
        .current_dir(folder.path())
        .env("HOME", folder.path().join("home"))
        .env("PATH", path)
        .env_remove("XDG_CACHE_HOME")
        .env_remove("Z3_LIBRARY_PATH_OVERRIDE")
        .output()
        .expect("sh starts");
    assert!(output.status.success(), "{output:?}");
    assert!(output.stdout.is_empty(), "nothing had to be installed: {output:?}");
    let library = folder.path().join("clone/build/z3/lib/libz3.so");
    assert_eq!(fs::read_to_string(&library).unwrap(), "the library");
    let clone = folder.path().join("clone").canonicalize().unwrap();
    assert!(library.canonicalize().unwrap().starts_with(clone), "it is no link to somebody's home");
    for (path, mode) in [(library.as_path(), 0o644), (library.parent().unwrap(), 0o755)] {
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, mode, "{}", path.display());
    }
}
