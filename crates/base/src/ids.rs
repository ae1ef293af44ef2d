//! Numbers that name things; each is an index into one list of the subject.

use serde::{Deserialize, Serialize};
use std::fmt;

macro_rules! ids {
    ($($(#[doc = $doc:literal])* $name:ident;)*) => {$(
        $(#[doc = $doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(transparent)]
        pub struct $name(pub u32);

        impl $name {
            /// The number as an index.
            #[must_use]
            pub const fn index(self) -> usize {
                self.0 as usize
            }

            /// The id of the element at `index`.
            ///
            /// # Panics
            /// If there are more than 2^32 of them.
            #[must_use]
            pub fn of(index: usize) -> $name {
                $name(u32::try_from(index).expect("fewer than 2^32 of anything"))
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(formatter)
            }
        }
    )*};
}

ids! {
    /// A function of the subject.
    FunctionId;
    /// A global variable of the subject.
    GlobalId;
    /// A stub of the subject.
    StubId;
    /// A type of the subject.
    TypeId;
    /// A basic block within its function.
    BlockId;
    /// A site.
    SiteId;
    /// An outcome of a site; numbered over all sites, it is also the index into the coverage map.
    OutcomeId;
    /// A goal in [`crate::goal::Goals`].
    GoalId;
    /// A mutant of the subject.
    MutantId;
}
