//! The solver chain as the program uses it: cheap layers first, Z3 last.

use crate::failure::Failure;
use crate::outputs;
use std::fs;
use std::path::Path;
use testwright_logic::solve::{Backend, Dump, Layer, SolverChain, standard};
use testwright_smt::Z3;

/// The chain; with a folder, every query that the cheap layers pass on is written there as an SMT-LIB file.
pub fn chain(dump: Option<&Path>) -> Result<SolverChain, Failure> {
    let mut last: Vec<Box<dyn Layer>> = Vec::new();
    if let Some(folder) = dump {
        fs::create_dir_all(folder)?;
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            if name.starts_with("query-") && name.ends_with(".smt2") {
                outputs::check(&path, outputs::QUERY)?;
            }
        }
        let folder = folder.to_owned();
        last.push(Box::new(Dump::new(move |number: usize, text: &str| {
            // A query that cannot be written is no reason to end the search.
            let _ = fs::write(folder.join(format!("query-{number:05}.smt2")), text);
        })));
    }
    last.push(Box::new(Backend { name: "z3", solver: Z3::default() }));
    Ok(standard(last))
}
