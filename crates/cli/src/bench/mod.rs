//! `testwright bench`: Testwright measured against alternatives in the same run.

use crate::args::BenchCore;
use crate::exit::{Exit, Failure};

/// `testwright bench core`
pub fn core(arguments: &BenchCore) -> Result<Exit, Failure> {
    let _ = arguments;
    Ok(Exit::Done)
}
