//! Filling the table of runtime functions in the control block.

use testwright_abi::runtime_functions;
use testwright_abi::table::Table;

/// All table functions under their names in the list.
mod functions {
    pub use crate::mutants::{mutate, mutate_element};
    pub use crate::readable::{is_readable, path_distance};
    pub use crate::replacements::clock::*;
    pub use crate::replacements::ending::*;
    pub use crate::replacements::handlers::*;
    pub use crate::replacements::heap::*;
    pub use crate::replacements::precondition::*;
    pub use crate::replacements::random::*;
    pub use crate::replacements::stubs::*;
    pub use crate::trace::functions::*;
}

macro_rules! pointer_type {
    ([$($param:tt)*] unit) => { unsafe extern "C" fn($($param),*) };
    ([$($param:tt)*] never) => { unsafe extern "C" fn($($param),*) -> ! };
    ([$($param:tt)*] $result:tt) => { unsafe extern "C" fn($($param),*) -> $result };
}

macro_rules! fill {
    ($($name:ident($($param:ident: $type:tt),*) -> $result:tt;)*) => {
        Table { $($name: {
            let function: pointer_type!([$($type)*] $result) = functions::$name;
            function as usize as u64
        },)* }
    };
}

/// The table; a function whose signature differs from the list does not compile.
pub fn filled() -> Table {
    runtime_functions!(fill)
}
