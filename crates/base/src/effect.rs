//! Effects: what code wants beyond its own memory, and the sandbox keeps from happening.

use serde::{Deserialize, Serialize};
use std::fmt;

/// A kind of effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Deletes files.
    Delete,
    /// Renames files.
    Rename,
    /// Opens files for writing, creates or truncates them.
    Write,
    /// Makes folders, links or devices.
    Make,
    /// Changes owner, mode, times or attributes of files.
    Change,
    /// Reads files that are neither the system's nor among the sources.
    Read,
    /// Uses sockets.
    Network,
    /// Starts processes or programs.
    Process,
    /// Starts threads.
    Thread,
    /// Sends signals to other processes.
    Signal,
    /// Watches other processes or accesses their memory.
    Trace,
    /// Changes settings of the process or the system.
    System,
    /// Waits for more than a moment.
    Sleep,
    /// Makes system calls in a way that the sandbox does not know.
    Foreign,
}

impl Effect {
    /// Every kind.
    pub const ALL: [Effect; 14] = [
        Effect::Delete,
        Effect::Rename,
        Effect::Write,
        Effect::Make,
        Effect::Change,
        Effect::Read,
        Effect::Network,
        Effect::Process,
        Effect::Thread,
        Effect::Signal,
        Effect::Trace,
        Effect::System,
        Effect::Sleep,
        Effect::Foreign,
    ];

    /// What the code wants: `delete files`.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Effect::Delete => "delete files",
            Effect::Rename => "rename files",
            Effect::Write => "write files",
            Effect::Make => "make folders or links",
            Effect::Change => "change properties of files",
            Effect::Read => "read files outside the sources",
            Effect::Network => "use the network",
            Effect::Process => "start processes",
            Effect::Thread => "start threads",
            Effect::Signal => "send signals to other processes",
            Effect::Trace => "access other processes",
            Effect::System => "change settings of the system",
            Effect::Sleep => "sleep",
            Effect::Foreign => "make system calls that the sandbox forbids",
        }
    }
}

/// A set of effects, in the order of [`Effect::ALL`].
///
/// ```
/// use testwright_base::effect::{Effect, Effects};
///
/// let effects: Effects = [Effect::Network, Effect::Delete].into_iter().collect();
/// assert_eq!(effects.to_string(), "wants to delete files, use the network");
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Default, Hash, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Effects(std::collections::BTreeSet<Effect>);

impl Effects {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether this one is among them.
    #[must_use]
    pub fn contains(&self, effect: Effect) -> bool {
        self.0.contains(&effect)
    }

    /// Each of them.
    pub fn iter(&self) -> impl Iterator<Item = Effect> {
        self.0.iter().copied()
    }

    /// Adds one.
    pub fn insert(&mut self, effect: Effect) {
        self.0.insert(effect);
    }

    /// Adds those of another set.
    pub fn extend(&mut self, others: &Effects) {
        self.0.extend(&others.0);
    }
}

impl FromIterator<Effect> for Effects {
    fn from_iter<I: IntoIterator<Item = Effect>>(effects: I) -> Effects {
        Effects(effects.into_iter().collect())
    }
}

/// `wants to delete files, use the network`; nothing if there are none.
impl fmt::Display for Effects {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let words: Vec<&str> = self.iter().map(Effect::words).collect();
        if words.is_empty() { Ok(()) } else { write!(formatter, "wants to {}", words.join(", ")) }
    }
}
