//! `testwright mutate`: how many small changes of the code a suite notices.

use super::put;
use crate::args;
use crate::exit::{Exit, Failure};
use crate::progress::Progress;
use std::ffi::OsString;
use std::fs;
use testwright_engine::mutate::{Scored, compile, score};

/// Scores a suite.
pub fn perform(arguments: &args::Mutate) -> Result<Exit, Failure> {
    let scored = Scored {
        suite: arguments.folder.clone(),
        sources: arguments.sources.clone(),
        diff: arguments.in_diff.clone(),
    };
    let score = score(&scored, &mut Progress::on_stderr())?;
    let json = format!("{:#}\n", score.json());
    if let Some(path) = &arguments.report {
        fs::write(path, &json)
            .map_err(|error| Failure::usage(format!("cannot write {}: {error}", path.display())))?;
    }
    put(&if arguments.json { json } else { score.text() })?;
    Ok(Exit::Done)
}

/// Does what a compiler does, for [`perform`].
pub fn unit(arguments: &[OsString]) -> Result<Exit, Failure> {
    match compile(arguments)? {
        0 => Ok(Exit::Done),
        _ => Ok(Exit::Usage),
    }
}
