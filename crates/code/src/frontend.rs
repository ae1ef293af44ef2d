//! Front ends: what the user named to bitcode with debug information, one folder per language.

pub mod c;
