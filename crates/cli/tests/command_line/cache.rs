//! What was built is kept and used again, and a cache that is damaged, gone or closed does no harm.

use crate::support::{Answer, SUBJECTS, answer, files, testwright};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

fn call(cache: &Path) -> Answer {
    let arguments = ["run", "ends.c", "-f", "returns", "--case", "[41]"];
    answer(testwright(Path::new(SUBJECTS)).env("TESTWRIGHT_CACHE", cache).args(arguments))
}

/// A cache after one run, and that run.
fn filled() -> (tempfile::TempDir, Answer) {
    let folder = tempfile::tempdir().unwrap();
    let first = call(folder.path());
    assert_eq!(first.line("returned"), Some("42"), "{first:?}");
    (folder, first)
}

/// The libraries in a cache, with the time they were written.
fn libraries(cache: &Path) -> Vec<(PathBuf, std::time::SystemTime)> {
    files(cache)
        .into_iter()
        .filter(|path| path.extension().is_some_and(|extension| extension == "so"))
        .map(|path| (path.clone(), path.metadata().unwrap().modified().unwrap()))
        .collect()
}

#[test]
fn the_second_run_uses_what_the_first_one_built() {
    let (folder, first) = filled();
    let built = libraries(folder.path());
    assert_eq!(built.len(), 2, "{built:?}");
    // No compiler could be found now.
    let arguments = ["run", "ends.c", "-f", "returns", "--case", "[41]"];
    let mut command = testwright(Path::new(SUBJECTS));
    let second = answer(command.env("TESTWRIGHT_CACHE", folder.path()).env("CC", "/nowhere").args(arguments));
    assert_eq!(second, first);
    assert_eq!(libraries(folder.path()), built);
}

#[test]
fn a_change_of_the_source_or_the_flags_is_noticed() {
    let cache = tempfile::tempdir().unwrap();
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("f.c");
    let returned = |flag: &str| {
        let arguments = ["run", "f.c", "-f", "f", "--", flag];
        let answer = answer(testwright(folder.path()).env("TESTWRIGHT_CACHE", cache.path()).args(arguments));
        answer.line("returned").map(str::to_owned)
    };
    fs::write(&file, "int f(void) { return 1 + N; }\n").unwrap();
    assert_eq!(returned("-DN=1").as_deref(), Some("2"));
    fs::write(&file, "int f(void) { return 2 + N; }\n").unwrap();
    assert_eq!(returned("-DN=1").as_deref(), Some("3"));
    assert_eq!(returned("-DN=5").as_deref(), Some("7"));
    assert_eq!(files(folder.path()), [file]);
}

#[test]
fn a_cache_that_was_cleared_is_filled_again() {
    let (folder, first) = filled();
    fs::remove_dir_all(folder.path()).unwrap();
    assert_eq!(call(folder.path()), first);
    assert_eq!(libraries(folder.path()).len(), 2);
}

#[test]
fn whatever_is_damaged_is_built_again() {
    for damage in [Vec::new, || vec![0; 10], || b"{}".to_vec()] as [fn() -> Vec<u8>; 3] {
        let (folder, first) = filled();
        for file in files(folder.path()) {
            fs::write(file, damage()).unwrap();
        }
        assert_eq!(call(folder.path()), first);
    }
}

#[test]
fn damage_that_keeps_the_size_is_noticed_too() {
    for name in ["subject.json", ".so"] {
        let (folder, first) = filled();
        for file in files(folder.path()).iter().filter(|file| file.display().to_string().ends_with(name)) {
            let size = file.metadata().unwrap().len() as usize;
            fs::write(file, vec![b'x'; size]).unwrap();
        }
        assert_eq!(call(folder.path()), first, "{name}");
    }
}

#[test]
fn a_cache_that_cannot_be_written_costs_time_only() {
    let (_, first) = filled();
    assert_eq!(call(Path::new("/proc/no/such/folder")), first);
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("file");
    fs::write(&file, "not a folder").unwrap();
    assert_eq!(call(&file), first);
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o500)).unwrap();
    assert_eq!(call(&folder.path().join("cache")), first);
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o700)).unwrap();
}
