//! Module to subject: sites are numbered, types and signatures read from debug information.

mod addresses;
mod arguments;
pub mod branches;
mod calls;
mod clauses;
pub mod condition;
mod debug;
mod files;
mod metadata;
mod nameless;
mod places;
mod points;
mod precedence;
mod promises;
mod reads;
mod results;
mod sites;
mod stubs;
mod subject;
mod types;
mod words;

#[cfg(test)]
pub(crate) mod testing;
#[cfg(test)]
mod tests;

pub use arguments::{Argument, Read, arguments_read};
pub use calls::is_call;
pub use clauses::{WAY_KIND, WayMark};
pub use points::{PLACE_KIND, mark_places};
pub use precedence::precedences;
pub use results::results;
pub use sites::SITE_KIND;
pub use subject::{function_values, global_values, inspect};
pub use types::VA_LIST_ELEMENT;
pub use words::words;
