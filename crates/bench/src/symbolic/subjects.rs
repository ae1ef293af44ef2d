//! The subjects of the experiment: our own, and functions of real libraries that are fetched when needed.

use crate::debian;
use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use testwright_engine::Failure;

/// A subject.
pub struct Subject {
    /// Its files.
    pub files: Vec<PathBuf>,
    /// Flags of the compiler.
    pub flags: Vec<String>,
    /// The function.
    pub function: String,
    /// The functions whose branches are measured; its own if there are none.
    pub decides: Vec<String>,
    /// The case whose scalars are varied, as JSON; the plainest one if there is none.
    pub start: Option<String>,
    /// What numbers may be, by parameter, where more would only lead out of the buffers.
    pub ranges: BTreeMap<usize, (i128, i128)>,
    /// Whether it is triangle or one of the get and set functions.
    pub is_sample: bool,
    /// Whether it is fetched: then the experiment goes on without it if it does not build.
    pub is_real: bool,
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
        subjects.push(Subject {
            files: vec![file],
            flags: Vec::new(),
            function,
            decides: Vec::new(),
            start,
            ranges: BTreeMap::new(),
            is_sample,
            is_real: false,
        });
    }
    Ok(subjects)
}

/// Functions of libtiff and bibclean; or why one cannot be had.
pub fn real() -> Vec<Result<Subject, String>> {
    let tiff = debian::tiff();
    let of_tiff = |function: &str, start: &str, ranges: &[(usize, (i128, i128))]| {
        let (file, flags) = tiff.clone()?;
        Ok(real_subject(vec![file], flags, function, start, ranges))
    };
    let bibclean = debian::bibclean();
    let of_bibclean = |function: &str, own: &[&str]| {
        let (files, flags) = bibclean.clone()?;
        let decides = CHECKING.iter().chain(own).map(|name| (*name).to_owned()).collect();
        Ok(Subject { decides, ..real_subject(files, flags, function, CURRENT_VALUE, &[]) })
    };
    vec![
        of_tiff(
            "TIFF_GetSourceSamples",
            GET_SOURCE_SAMPLES,
            &[(4, (0, 8)), (5, (0, 8)), (6, (0, 8)), (7, (0, 16))],
        ),
        of_tiff("TIFF_SetSample", SET_SAMPLE, &[]),
        of_bibclean("check_ISBN", &["is_ISBN_char", "validate_ISBN", "bad_ISBN"]),
        of_bibclean("check_ISSN", &["is_ISSN_char", "validate_ISSN", "bad_ISSN"]),
    ]
}

fn real_subject(
    files: Vec<PathBuf>,
    flags: Vec<String>,
    function: &str,
    start: &str,
    ranges: &[(usize, (i128, i128))],
) -> Subject {
    let (function, start) = (function.to_owned(), Some(start.to_owned()));
    let ranges = ranges.iter().copied().collect();
    Subject { files, flags, function, decides: Vec::new(), start, ranges, is_sample: false, is_real: true }
}

/// Room for a raster of 8 by 8 samples of any type.
const GET_SOURCE_SAMPLES: &str = r#"{"padfSamples": [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,
    0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0], "pabySrc": {"buffer": "", "size": 192},
    "nPixelBytes": 0, "nSampleFormat": 0, "nXSize": 1, "nYSize": 1, "nPixelOffset": 0, "nLineOffset": 0}"#;
/// The checks of bibclean are a call of a function that is given others as arguments; these serve all of them.
const CHECKING: [&str; 4] = ["parse_list", "parse_element", "parse_separator", "copy_element"];
/// The text that bibclean checks is a global.
const CURRENT_VALUE: &str = r#"{"args": [], "globals": {"current_value": ""}}"#;
const SET_SAMPLE: &str = r#"[{"buffer": "", "size": 16}, 0, 0, 0.0]"#;

/// What stands in the comment `/* KEY .. */`.
fn marked(text: &str, key: &str) -> Option<String> {
    let (_, rest) = text.split_once(&format!("/* {key}"))?;
    Some(rest.split_once("*/")?.0.trim().to_owned())
}
