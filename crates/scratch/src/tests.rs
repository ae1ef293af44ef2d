//! Temporary folders: gone with their value, and found again when their process was killed.

use crate::*;
use std::fs::{self, Permissions};
use std::os::unix::fs::PermissionsExt;

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).unwrap();
    let mut names: Vec<String> =
        entries.map(|entry| entry.unwrap().file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// A root as a killed process leaves it.
fn left_behind(parent: &Path, name: &str) -> PathBuf {
    let root = parent.join(name);
    fs::create_dir_all(root.join("1/deep")).unwrap();
    fs::write(root.join("1/deep/file"), "text").unwrap();
    fs::write(root.join("lock"), "").unwrap();
    root
}

#[test]
fn a_folder_goes_with_its_value_and_the_root_with_the_last_folder() {
    let parent = tempfile::tempdir().unwrap();
    let first = folder_in(parent.path()).unwrap();
    let second = folder_in(parent.path()).unwrap();
    assert_eq!(names(parent.path()).len(), 1, "one root for both");
    fs::write(first.path().join("file"), "text").unwrap();
    let path = first.path().to_owned();
    drop(first);
    assert!(!path.exists() && second.path().exists());
    drop(second);
    assert_eq!(names(parent.path()), [""; 0]);
    assert!(folder_in(parent.path()).unwrap().path().exists(), "there can be another root");
}

#[test]
fn a_root_that_another_thread_is_still_removing_is_waited_for() {
    let parent = tempfile::tempdir().unwrap();
    let root = Arc::new(Root::new(parent.path()).unwrap());
    let known = KnownRoot::of(&root);
    let path = root.subfolder().unwrap();
    let place = path.parent().unwrap();
    // As it is while the last value is being dropped: nobody has the root any more, but it is there.
    let aside = parent.path().join("aside");
    fs::rename(place, &aside).unwrap();
    drop(root);
    fs::rename(&aside, place).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            std::thread::sleep(std::time::Duration::from_millis(100));
            remove_tree(place).unwrap();
        });
        known.remove();
        assert!(!place.exists(), "the process would have ended before");
    });
}

#[test]
fn what_a_killed_process_left_is_removed_and_what_lives_stays() {
    let parent = tempfile::tempdir().unwrap();
    let living = folder_in(parent.path()).unwrap();
    let before = names(parent.path());
    left_behind(parent.path(), "testwright-tmp.dead");
    fs::create_dir(parent.path().join("testwright-tmp.empty")).unwrap();
    assert!(clean(parent.path()).is_empty());
    assert_eq!(names(parent.path()), before);
    assert!(living.path().exists());
}

#[test]
fn what_is_not_ours_is_left_alone() {
    let parent = tempfile::tempdir().unwrap();
    left_behind(parent.path(), "other-tmp.dead");
    let elsewhere = left_behind(parent.path(), "target");
    std::os::unix::fs::symlink(&elsewhere, parent.path().join("testwright-tmp.link")).unwrap();
    fs::create_dir_all(parent.path().join("testwright-tmp.unlocked/file")).unwrap();
    let before = names(parent.path());
    assert!(clean(parent.path()).is_empty());
    assert_eq!(names(parent.path()), before);
    assert!(elsewhere.join("1/deep/file").exists());
}

#[test]
fn folders_that_are_closed_to_their_owner_are_removed_too() {
    let parent = tempfile::tempdir().unwrap();
    let root = left_behind(parent.path(), "testwright-tmp.dead");
    fs::set_permissions(root.join("1/deep"), Permissions::from_mode(0o0)).unwrap();
    assert!(clean(parent.path()).is_empty());
    assert_eq!(names(parent.path()), [""; 0]);
}

#[test]
fn a_claim_is_for_one_process_and_leaves_nothing() {
    let parent = tempfile::tempdir().unwrap();
    let (place, lock) = (parent.path().join("a/b/out"), parent.path().join("a/b/.lock"));
    let take = || Claim::take(&place, &lock, &parent.path().join("a/b/.new")).unwrap();
    let claim = take().expect("nobody else is here");
    assert!(take().is_none());
    fs::create_dir(claim.folder()).unwrap();
    assert_eq!(claim.undivided(|| 1).unwrap(), 1);
    drop(claim);
    assert_eq!(names(parent.path()), [""; 0], "folders that were made for it are gone");
    let claim = take().expect("it is free again");
    fs::create_dir(&place).unwrap();
    drop(claim);
    assert_eq!(names(&parent.path().join("a/b")), ["out"]);
}

#[test]
fn places_that_a_killed_process_had_claimed_are_named() {
    let parent = tempfile::tempdir().unwrap();
    let root = left_behind(parent.path(), "testwright-tmp.dead");
    fs::write(root.join("note-2"), "/somewhere/out").unwrap();
    assert_eq!(clean(parent.path()), [PathBuf::from("/somewhere/out")]);
    assert_eq!(names(parent.path()), [""; 0]);
}
