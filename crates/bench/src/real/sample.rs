//! A sample of the functions of all projects: of those with enough branches the ones with the smallest SHA-256 of
//! `project/function`, so that nobody chooses.

use super::Job;
use std::collections::BTreeMap;
use std::fs;
use std::process::Command;
use testwright_engine::Failure;

/// Functions with fewer outcomes say little.
const FEWEST_BRANCHES: u32 = 4;

/// So many of the functions, in the order of their hashes.
pub fn drawn(jobs: Vec<Job>, size: usize) -> Result<Vec<Job>, Failure> {
    let jobs: Vec<Job> = jobs.into_iter().filter(|job| job.branches >= FEWEST_BRANCHES).collect();
    let names: Vec<String> = jobs.iter().map(|job| format!("{}/{}", job.project, job.function)).collect();
    // Static functions of several files may share a name; the first stands for them.
    let mut by_hash = BTreeMap::new();
    for (hash, job) in hashes(&names)?.into_iter().zip(jobs) {
        by_hash.entry(hash).or_insert(job);
    }
    Ok(by_hash.into_values().take(size).collect())
}

/// The SHA-256 of each text, in hexadecimal.
fn hashes(texts: &[String]) -> Result<Vec<String>, Failure> {
    let folder = testwright_scratch::folder()?;
    for (index, text) in texts.iter().enumerate() {
        fs::write(folder.path().join(index.to_string()), text)?;
    }
    let mut command = Command::new("sha256sum");
    command.current_dir(folder.path()).args((0..texts.len()).map(|index| index.to_string()));
    let output = command.stdin(std::process::Stdio::null()).output()?;
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let hashes: Vec<String> =
        text.lines().filter_map(|line| line.split(' ').next().map(str::to_owned)).collect();
    if hashes.len() == texts.len() {
        Ok(hashes)
    } else {
        Err(Failure::usage("sha256sum is needed to draw a sample, and does not work"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hashes_are_those_of_the_texts() {
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(hashes(&["abc".to_owned()]).unwrap(), [expected]);
    }
}
