//! What the cache finds again, and what it must not.

use super::*;

struct Fixture {
    folder: tempfile::TempDir,
    cache: Cache,
    header: PathBuf,
    key: Key,
}

/// A cache with one entry that was built from one header.
fn fixture() -> Fixture {
    let folder = tempfile::tempdir().unwrap();
    let cache = Cache::at(&folder.path().join("cache")).unwrap();
    let header = folder.path().join("a.h");
    fs::write(&header, "int a;").unwrap();
    let key = KeyBuilder::new().text("one").finish();
    cache
        .store(&key, std::slice::from_ref(&header), &[("run.so", b"code"), ("subject.json", b"{}")])
        .unwrap();
    Fixture { folder, cache, header, key }
}

fn age(path: &Path, seconds: u64) {
    let time = SystemTime::now() - Duration::from_secs(seconds);
    File::options().write(true).open(path).unwrap().set_modified(time).unwrap();
}

#[test]
fn what_was_stored_is_found() {
    let Fixture { cache, key, folder: _folder, .. } = fixture();
    let entry = cache.entry(&key).expect("the entry is valid");
    assert_eq!(fs::read(entry.path("run.so")).unwrap(), b"code");
    assert_eq!(fs::read(entry.path("subject.json")).unwrap(), b"{}");
    assert!(cache.entry(&KeyBuilder::new().text("two").finish()).is_none());
}

#[test]
fn a_changed_header_makes_the_entry_invalid_and_the_old_content_valid_again() {
    let Fixture { cache, header, key, folder: _folder } = fixture();
    fs::write(&header, "int b;").unwrap();
    assert!(cache.entry(&key).is_none(), "same size, other content, right after storing");
    fs::write(&header, "int a;").unwrap();
    age(&header, 100);
    assert!(cache.entry(&key).is_some(), "same content, other time");
    fs::remove_file(&header).unwrap();
    assert!(cache.entry(&key).is_none());
}

#[test]
fn a_settled_time_stamp_is_trusted_without_reading_the_file() {
    let Fixture { cache, header, key, folder: _folder } = fixture();
    age(&header, 100);
    let stamp = header.metadata().unwrap().modified().unwrap();
    cache.store(&key, std::slice::from_ref(&header), &[]).unwrap();
    fs::write(&header, "int b;").unwrap();
    assert!(cache.entry(&key).is_none());
    File::options().write(true).open(&header).unwrap().set_modified(stamp).unwrap();
    assert!(cache.entry(&key).is_some());
}

#[test]
fn an_entry_that_is_damaged_is_ignored_and_replaced() {
    let Fixture { cache, header, key, folder: _folder } = fixture();
    let folder = cache.entry(&key).unwrap().folder;
    for (name, content) in [("run.so", "cod"), (MANIFEST, "{"), (MANIFEST, "[]")] {
        fs::write(folder.join(name), content).unwrap();
        assert!(cache.entry(&key).is_none(), "{name}: {content}");
        cache.store(&key, std::slice::from_ref(&header), &[("run.so", b"new")]).unwrap();
        assert_eq!(fs::read(cache.entry(&key).unwrap().path("run.so")).unwrap(), b"new");
    }
    assert_eq!(fs::read_dir(&cache.folder).unwrap().count(), 1, "nothing is left behind");
}

#[test]
fn a_missing_dependency_stores_nothing() {
    let Fixture { folder, cache, .. } = fixture();
    let key = KeyBuilder::new().text("three").finish();
    assert!(cache.store(&key, &[folder.path().join("gone.h")], &[("x", b"y")]).is_err());
    assert!(cache.entry(&key).is_none());
    assert_eq!(fs::read_dir(&cache.folder).unwrap().count(), 1);
}

#[test]
fn the_entry_that_was_not_used_for_longest_goes_first() {
    let mut fixture = fixture();
    fixture.cache.most_entries = 3;
    let keys: Vec<Key> =
        (0..4).map(|number| KeyBuilder::new().text(&format!("key {number}")).finish()).collect();
    let path = |key: &Key| fixture.cache.folder.join(key.as_str()).join(MANIFEST);
    age(&path(&fixture.key), 500);
    for (key, seconds) in keys[..2].iter().zip([400, 300]) {
        fixture.cache.store(key, &[], &[]).unwrap();
        age(&path(key), seconds);
    }
    assert!(fixture.cache.entry(&fixture.key).is_some(), "using it makes it young");
    fixture.cache.store(&keys[2], &[], &[]).unwrap();
    fixture.cache.store(&keys[3], &[], &[]).unwrap();
    let kept: Vec<bool> = keys.iter().map(|key| fixture.cache.entry(key).is_some()).collect();
    assert_eq!(kept, [false, false, true, true]);
    assert!(fixture.cache.entry(&fixture.key).is_some());
}

#[test]
fn what_else_lies_in_the_folder_stays() {
    let mut fixture = fixture();
    fixture.cache.most_entries = 1;
    let other = fixture.cache.folder.join("z3-5.3.2.0");
    fs::create_dir(&other).unwrap();
    let file = File::open(&other).unwrap();
    file.set_modified(SystemTime::now() - Duration::from_secs(1000)).unwrap();
    fixture.cache.store(&KeyBuilder::new().text("another").finish(), &[], &[]).unwrap();
    assert!(fixture.cache.entry(&fixture.key).is_none(), "there was room for one only");
    assert!(other.is_dir());
}

#[test]
fn stores_at_the_same_time_leave_one_whole_entry() {
    let Fixture { cache, key, folder: _folder, .. } = fixture();
    std::thread::scope(|scope| {
        for number in 0..8_u8 {
            let (cache, key) = (&cache, &key);
            scope.spawn(move || {
                for _ in 0..20 {
                    // Losing the race is allowed, a mixture is not.
                    let _ = cache.store(key, &[], &[("a", &[number; 100]), ("b", &[number; 100])]);
                }
            });
        }
    });
    let entry = cache.entry(&key).expect("one of them won");
    assert_eq!(fs::read(entry.path("a")).unwrap(), fs::read(entry.path("b")).unwrap());
}

#[test]
fn a_temporary_cache_lives_as_long_as_its_entries() {
    let temporary = Arc::new(testwright_scratch::folder().unwrap());
    let mut cache = Cache::at(temporary.path()).unwrap();
    cache.temporary = Some(temporary);
    let entry = cache.store(&KeyBuilder::new().finish(), &[], &[("a", b"b")]).unwrap();
    drop(cache);
    assert!(entry.path("a").exists());
    let path = entry.path("a");
    drop(entry);
    assert!(!path.exists());
}
