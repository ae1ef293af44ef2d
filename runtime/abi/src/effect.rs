//! Effects: what code under test wants beyond its own memory, as bits of the control block.

/// A kind of effect.
#[repr(u32)]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// `unlink`, `rmdir`.
    Delete = 0,
    /// `rename`.
    Rename = 1,
    /// A file opened for writing, created or truncated.
    Write = 2,
    /// A folder, a link or a device made.
    Make = 3,
    /// Owner, mode, times or attributes of a file.
    Change = 4,
    /// A file that the sandbox does not let it read.
    Read = 5,
    /// Sockets.
    Network = 6,
    /// `fork`, `execve`.
    Process = 7,
    /// A new thread.
    Thread = 8,
    /// A signal to another process.
    Signal = 9,
    /// Another process watched or its memory accessed.
    Trace = 10,
    /// Settings of the process or the system.
    System = 11,
    /// A wait of more than a moment.
    Sleep = 12,
    /// A system call made in a way that the sandbox does not know, such as that of 32-bit programs.
    Foreign = 13,
}

impl Effect {
    /// Every kind, in the order of their numbers.
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

    /// Its bit in the control block.
    #[must_use]
    pub const fn bit(self) -> u32 {
        1 << self as u32
    }

    /// The kind with this number.
    #[must_use]
    pub fn from_number(number: u32) -> Option<Effect> {
        Effect::ALL.into_iter().find(|effect| *effect as u32 == number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_effect_is_found_by_its_number() {
        for (number, effect) in (0..).zip(Effect::ALL) {
            assert_eq!(Effect::from_number(number), Some(effect));
        }
        assert_eq!(Effect::from_number(Effect::ALL.len() as u32), None);
    }
}
