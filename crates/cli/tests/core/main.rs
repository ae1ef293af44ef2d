//! The execution core against a corpus of small C files that state what they expect.
//!
//! `testdata/core/` holds one file per concept; the lines that begin with `//:` say how its functions are called and
//! what must come out (see [`fixture`]). Every case is checked in six ways:
//!
//! * the stated result or end, in the run build;
//! * run build, trace build and the independent evaluator agree;
//! * nothing became concrete but what the line says;
//! * random variations of the case agree too, and the path of each predicts where the others leave it ([`predict`]);
//! * batches of random runs hit the same outcomes with and without distances ([`batch`]);
//! * gcc's code for the same file gives the same results ([`native`]).

mod batch;
mod behind;
mod check;
mod fenced;
mod fixture;
mod fuzz;
mod load;
mod lost;
mod mutants;
mod native;
mod predict;
mod vary;

use std::path::PathBuf;

/// Where the fixtures lie.
fn folder() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../testdata/core")
}

macro_rules! fixtures {
    ($($name:ident)*) => {
        const NAMES: &[&str] = &[$(stringify!($name)),*];
        $(
            #[test]
            fn $name() {
                check::check(&folder().join(concat!(stringify!($name), ".c")));
            }
        )*
    };
}

fixtures! {
    bit_functions
    bitfields
    casts
    characters
    combinations
    complex
    control
    conversions
    copies
    doubles
    ends
    explained
    far_jumps
    float_functions
    float_order
    floats
    functions
    globals
    heap
    int128
    integers
    libm
    odd_types
    overflow
    pointers
    printing
    searches
    sequences
    sorting
    stack
    strings
    struct_arguments
    struct_results
    tables
    unions
    varargs
    vectors
}

#[test]
fn every_file_of_the_folder_is_checked() {
    let mut names: Vec<String> = std::fs::read_dir(folder())
        .expect("the folder of fixtures")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|extension| extension == "c"))
        .map(|path| path.file_stem().expect("a name").to_string_lossy().into_owned())
        .collect();
    names.sort();
    assert_eq!(names, NAMES);
}
