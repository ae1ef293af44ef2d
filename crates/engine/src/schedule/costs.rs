//! What solving costs on this machine, kept between runs of the program.
//!
//! The file lies in the cache, one for each host, because a home folder may be shared. It is a help, not a need: what cannot be read or
//! written, or makes no sense, is as good as nothing learnt.

use std::path::PathBuf;
use testwright_code::cache::Cache;
use testwright_search::plan::cost::CostModel;

/// What earlier searches on this machine learnt, or the first guess.
pub fn load() -> CostModel {
    let bytes = file().and_then(|file| std::fs::read(file).ok());
    let model = bytes.and_then(|bytes| serde_json::from_slice::<CostModel>(&bytes).ok());
    model.filter(CostModel::is_sound).unwrap_or_default()
}

/// Keeps what was learnt for later searches.
pub fn save(model: &CostModel) {
    let Some((file, bytes)) = file().zip(serde_json::to_vec(model).ok()) else { return };
    // Another process may read at the same time, so the file is complete from the beginning.
    let fresh = file.with_extension(std::process::id().to_string());
    if std::fs::write(&fresh, bytes).and_then(|()| std::fs::rename(&fresh, file)).is_err() {
        let _ = std::fs::remove_file(fresh);
    }
}

fn file() -> Option<PathBuf> {
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host: String = host.trim().chars().filter(|c| c.is_ascii_alphanumeric() || *c == '-').collect();
    Some(Cache::open().ok()?.folder().join(format!("solving-costs-{host}.json")))
}
