//! From a C file to a session with both builds.

use std::path::{Path, PathBuf};
use std::time::Duration;
use testwright_base::build::Build;
use testwright_code::frontend;
use testwright_exec::{Limits, Session, library};

/// Compiles the file and starts a worker with its run builds and its trace build.
pub fn load(path: &Path) -> Session {
    let sources = frontend().resolve(&[path.to_owned()], &[]).expect("sources");
    let bitcode = frontend().compile(&sources).unwrap_or_else(|error| panic!("{error}")).bitcode;
    let prepared = testwright_code::prepare(frontend(), &bitcode, &sources.files()).expect("a subject");
    let folder = tempfile::tempdir().expect("a folder");
    let mut subject = prepared.subject.clone();
    let mut libraries = Vec::new();
    for build in [Build::Run, Build::RunWithDistances, Build::Trace] {
        let object = testwright_code::object(&prepared, build).expect("machine code");
        if build == Build::Trace {
            subject = object.subject;
        }
        let library = library::link(&object.bytes, folder.path(), build.name()).expect("a library");
        libraries.push((build, library));
    }
    let worker = PathBuf::from(env!("CARGO_BIN_EXE_testwright-worker"));
    let mut session = Session::start(subject, &libraries, &worker, &[]).expect("a worker");
    // Variations may loop for long, or fill the heap; the fixtures themselves need little. No run ends because of
    // the clock.
    session.limits = Limits { steps: 200_000, wall: Duration::from_secs(600), heap: 8 << 20 };
    session
}
