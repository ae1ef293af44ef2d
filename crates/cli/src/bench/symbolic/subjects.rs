//! The subjects of the experiment: our own, and functions of real libraries that are fetched when needed.

use crate::bench::debian;
use crate::exit::Failure;
use std::fs;
use std::path::{Path, PathBuf};

/// A subject.
pub struct Subject {
    /// Its files.
    pub files: Vec<PathBuf>,
    /// Flags of the compiler.
    pub flags: Vec<String>,
    /// The function.
    pub function: String,
    /// The case whose scalars are varied, as JSON; the plainest one if there is none.
    pub start: Option<String>,
    /// Whether it is triangle or one of the get and set functions.
    pub is_sample: bool,
}

/// The subjects in a folder: C files that name their function in a comment.
pub fn ours(folder: &Path) -> Result<Vec<Subject>, Failure> {
    let entries = fs::read_dir(folder)
        .map_err(|error| Failure::usage(format!("cannot read {}: {error}", folder.display())))?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut subjects = Vec::new();
    for file in files.into_iter().filter(|file| file.extension().is_some_and(|extension| extension == "c")) {
        let text = fs::read_to_string(&file)?;
        let Some(function) = marked(&text, "function:") else { continue };
        let is_sample = function == "triangle" || function.ends_with("_sample");
        let start = marked(&text, "start:");
        subjects.push(Subject { files: vec![file], flags: Vec::new(), function, start, is_sample });
    }
    Ok(subjects)
}

/// Functions of libtiff and bibclean; or why one cannot be had.
pub fn real() -> Vec<Result<Subject, String>> {
    let tiff = debian::tiff();
    let of_tiff = |function: &str, start: &str| {
        let (file, flags) = tiff.clone()?;
        let (function, start) = (function.to_owned(), Some(start.to_owned()));
        Ok(Subject { files: vec![file], flags, function, start, is_sample: false })
    };
    let bibclean = debian::bibclean();
    let of_bibclean = |function: &str| {
        let (files, flags) = bibclean.clone()?;
        let start = r#"{"args": [], "globals": {"current_value": ""}}"#.to_owned();
        Ok(Subject { files, flags, function: function.to_owned(), start: Some(start), is_sample: false })
    };
    vec![
        of_tiff("TIFF_GetSourceSamples", GET_SOURCE_SAMPLES),
        of_tiff("TIFF_SetSample", SET_SAMPLE),
        of_bibclean("check_ISBN"),
        of_bibclean("check_ISSN"),
    ]
}

/// Room for a raster of a few samples of any type.
const GET_SOURCE_SAMPLES: &str = r#"[{"buffer": "", "size": 64}, {"buffer": "", "size": 64}, 0, 0, 0, 0]"#;
const SET_SAMPLE: &str = r#"[{"buffer": "", "size": 16}, 0, 0, 0.0]"#;

/// What stands in the comment `/* KEY .. */`.
fn marked(text: &str, key: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("/* {key}"))?;
    Some(rest.split_once("*/")?.0.trim().to_owned())
}
