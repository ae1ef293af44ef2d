//! The terminal, for experiments.

use crate::interrupt;
use std::io::{self, IsTerminal};
use std::sync::atomic::AtomicBool;
use testwright_bench::Console;

/// Results on standard output, remarks on standard error.
pub struct Terminal;

impl Console for Terminal {
    fn put(&self, text: &str) {
        print!("{text}");
    }

    fn remark(&self, text: &str) {
        eprint!("{text}");
    }

    fn is_terminal(&self) -> bool {
        io::stderr().is_terminal()
    }

    fn interrupted(&self) -> &'static AtomicBool {
        interrupt::flag()
    }
}
