//! The rules of the repository, and the one place that applies them all.
//!
//! A rule is a function from a file (or the workspace) to complaints. To add one, write it in a file of
//! its own and name it in [`FILE_RULES`] or in [`tidy`].

mod complaint;
mod dependencies;
mod documents;
mod file;
mod forbidden;
mod header;
mod languages;
mod length;
mod manifest;
mod printing;
mod programs;
mod purity;
mod rust;
mod safety;
mod whitespace;
mod workspace;

use complaint::Complaint;
use file::File;
use std::path::Path;
use workspace::Workspace;

/// Rules that look at one file at a time.
const FILE_RULES: &[fn(&File) -> Vec<Complaint>] = &[
    header::states_its_concept,
    length::is_short_enough,
    length::is_small_enough,
    safety::unsafe_stays_behind_the_fence,
    safety::unsafe_says_why_it_is_sound,
    printing::only_the_command_line_prints,
    programs::only_common_programs_are_started,
    languages::languages_stay_in_their_folders,
    purity::pure_crates_touch_nothing_outside,
    forbidden::nothing_is_left_undone,
    whitespace::lines_end_cleanly,
    manifest::inherits_the_lints,
];

/// What a check of the whole repository found.
pub struct Tidied {
    /// How many files were looked at.
    pub files: usize,
    /// What is wrong, sorted by place.
    pub complaints: Vec<Complaint>,
}

/// Checks every file below `root`, and the workspace there.
pub fn tidy(root: &Path) -> Result<Tidied, String> {
    let files = file::collect(root)?;
    let workspace = Workspace::load(root)?;
    let mut complaints: Vec<Complaint> =
        FILE_RULES.iter().flat_map(|rule| files.iter().flat_map(rule)).collect();
    complaints.extend(length::exceptions_are_needed(&files));
    complaints.extend(documents::paths_exist(&files));
    complaints.extend(documents::code_map_is_complete(&files, &workspace));
    complaints.extend(dependencies::fences_hold(&workspace));
    complaints.sort();
    Ok(Tidied { files: files.len(), complaints })
}
