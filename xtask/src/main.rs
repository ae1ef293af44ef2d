//! Chores of the project: `cargo xtask tidy` checks the rules of the repository that a machine can check.

mod tidy;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "usage: cargo xtask tidy";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["tidy"] => tidy(),
        ["help" | "--help" | "-h"] => {
            println!("{USAGE}");
            ExitCode::SUCCESS
        }
        _ => {
            eprintln!("{USAGE}");
            ExitCode::FAILURE
        }
    }
}

fn tidy() -> ExitCode {
    match tidy::tidy(&root()) {
        Ok(tidied) if tidied.complaints.is_empty() => {
            println!("tidy: {} files, no complaints", tidied.files);
            ExitCode::SUCCESS
        }
        Ok(tidied) => {
            for complaint in &tidied.complaints {
                eprintln!("{complaint}");
            }
            eprintln!("tidy: {} files, {} complaints", tidied.files, tidied.complaints.len());
            ExitCode::FAILURE
        }
        Err(error) => {
            eprintln!("tidy: {error}");
            ExitCode::FAILURE
        }
    }
}

/// The root of the repository. Asked of cargo at run time, because clones may share a target folder.
fn root() -> PathBuf {
    let xtask = std::env::var_os("CARGO_MANIFEST_DIR").unwrap_or_else(|| env!("CARGO_MANIFEST_DIR").into());
    Path::new(&xtask).parent().map_or_else(|| PathBuf::from("."), Path::to_path_buf)
}
