//! The key of a cache entry: a hash of everything that is known before building.

use std::path::Path;
use std::time::UNIX_EPOCH;
use std::{env, fmt};

/// A hash in hexadecimal digits.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Key(String);

/// Collects what a key depends on.
#[derive(Debug)]
pub struct KeyBuilder {
    hasher: blake3::Hasher,
}

impl Key {
    /// The digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl Default for KeyBuilder {
    fn default() -> KeyBuilder {
        KeyBuilder::new()
    }
}

impl KeyBuilder {
    /// Starts with our own version, and with the program itself, which differs from build to build.
    #[must_use]
    pub fn new() -> KeyBuilder {
        let builder = KeyBuilder { hasher: blake3::Hasher::new() }.text(env!("CARGO_PKG_VERSION"));
        match env::current_exe() {
            Ok(program) => builder.file(&program),
            Err(_) => builder.text("unknown program"),
        }
    }

    /// Adds a text.
    #[must_use]
    pub fn text(mut self, text: &str) -> KeyBuilder {
        // The length keeps "a", "bc" apart from "ab", "c".
        self.hasher.update(&(text.len() as u64).to_le_bytes());
        self.hasher.update(text.as_bytes());
        self
    }

    /// Adds a list of texts.
    #[must_use]
    pub fn list<T: AsRef<str>>(mut self, texts: &[T]) -> KeyBuilder {
        self.hasher.update(&(texts.len() as u64).to_le_bytes());
        texts.iter().fold(self, |builder, text| builder.text(text.as_ref()))
    }

    /// Adds the absolute name of a file, whatever it contains.
    #[must_use]
    pub fn path(self, path: &Path) -> KeyBuilder {
        let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
        self.text(&path.to_string_lossy())
    }

    /// Adds the absolute name of a file, its size and the time of its last change.
    #[must_use]
    pub fn file(self, path: &Path) -> KeyBuilder {
        let state = path.metadata().ok().map(|data| {
            let changed = data.modified().ok().and_then(|time| time.duration_since(UNIX_EPOCH).ok());
            (data.len(), changed)
        });
        self.path(path).text(&format!("{state:?}"))
    }

    /// The key.
    #[must_use]
    pub fn finish(self) -> Key {
        Key(self.hasher.finalize().to_hex().to_string())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_do_not_run_into_each_other() {
        let key = |texts: &[&str]| texts.iter().fold(KeyBuilder::new(), |key, text| key.text(text)).finish();
        assert_eq!(key(&["a", "bc"]), key(&["a", "bc"]));
        assert_ne!(key(&["a", "bc"]), key(&["ab", "c"]));
        let list = |texts: &[&str], more: &[&str]| KeyBuilder::new().list(texts).list(more).finish();
        assert_ne!(list(&["a"], &["b"]), list(&["a", "b"], &[]));
    }

    #[test]
    fn a_file_that_changed_gives_another_key() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("tool");
        let keys = || (KeyBuilder::new().path(&path).finish(), KeyBuilder::new().file(&path).finish());
        let missing = keys();
        std::fs::write(&path, "a").unwrap();
        let short = keys();
        std::fs::write(&path, "ab").unwrap();
        let long = keys();
        assert!(missing.0 == short.0 && short.0 == long.0);
        assert!(missing.1 != short.1 && short.1 != long.1);
    }
}
