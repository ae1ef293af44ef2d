//! A suite as text: the formats that suites are written in, one folder per language.
//!
//! * [`c`]: tests of C code, and the programs that they make.
//!
//! A new format is a file with a [`Format`] and its line in [`Format::ALL`].

pub mod c;

use crate::input::Found;
use crate::suite::Suite;
use c::makefile::Recipe;

/// A format that suites are written in.
#[derive(Debug)]
pub struct Format {
    /// Its name on the command line.
    pub name: &'static str,
    /// What it is, in a few words.
    pub about: &'static str,
    /// The library that its programs need, if any.
    pub library: Option<Library>,
    /// The runs whose inputs are all that it has, if it asserts nothing.
    pub inputs: Option<Inputs>,
    /// Its files: path and text.
    pub files: fn(&Suite) -> Vec<(String, String)>,
    /// Its programs, and how they are built.
    pub recipes: fn(&Suite) -> Vec<Recipe>,
}

/// The runs whose inputs a format has.
pub type Inputs = for<'a> fn(&'a Suite) -> Vec<&'a Found>;

/// A library that the programs of a format need.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Library {
    /// The header that shows whether it is there.
    pub header: &'static str,
    /// The language of that header, as compilers name it.
    pub language: &'static str,
    /// The variable of the Makefile with the compiler for it.
    pub compiler: &'static str,
    /// The package of Debian that has it.
    pub package: &'static str,
}

impl Format {
    /// All formats.
    pub const ALL: &'static [Format] =
        &[c::plain::FORMAT, c::cmocka::FORMAT, c::gtest::FORMAT, c::testcomp::FORMAT];
    /// The format in which every suite is tried.
    pub const PLAIN: &'static Format = &c::plain::FORMAT;

    /// The format of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Format> {
        Format::ALL.iter().find(|format| format.name == name)
    }
}

impl PartialEq for Format {
    fn eq(&self, other: &Format) -> bool {
        self.name == other.name
    }
}
