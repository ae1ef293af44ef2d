//! Where experiments say what they found. They print nothing themselves: whoever starts them names a console, once, as with
//! the facade of a logger.

use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;

/// Shows texts, and knows whether somebody wants to stop.
pub trait Console: Sync {
    /// Shows a result.
    fn put(&self, text: &str);
    /// Shows something beside the results.
    fn remark(&self, text: &str);
    /// Whether remarks can be written over.
    fn is_terminal(&self) -> bool;
    /// Set when the user wants to stop.
    fn interrupted(&self) -> &'static AtomicBool;
}

static CONSOLE: OnceLock<&'static dyn Console> = OnceLock::new();
static GO_ON: AtomicBool = AtomicBool::new(false);

/// Names the console. The first one stays.
pub fn show_on(console: &'static dyn Console) {
    let _ = CONSOLE.set(console);
}

/// Shows a result.
pub(crate) fn put(text: &str) {
    if let Some(console) = CONSOLE.get() {
        console.put(text);
    }
}

/// Shows something beside the results.
pub(crate) fn show(text: &str) {
    if let Some(console) = CONSOLE.get() {
        console.remark(text);
    }
}

/// Whether remarks can be written over.
pub(crate) fn is_terminal() -> bool {
    CONSOLE.get().is_some_and(|console| console.is_terminal())
}

/// Set when the user wants to stop.
pub(crate) fn interrupted() -> &'static AtomicBool {
    CONSOLE.get().map_or(&GO_ON, |console| console.interrupted())
}

/// Shows a part of a line.
macro_rules! part {
    ($($arguments:tt)*) => { $crate::console::put(&format!($($arguments)*)) };
}

/// Shows a line.
macro_rules! line {
    () => { $crate::console::put("\n") };
    ($($arguments:tt)*) => { $crate::console::put(&(format!($($arguments)*) + "\n")) };
}

/// Shows a line beside the results.
macro_rules! remark {
    ($($arguments:tt)*) => { $crate::console::show(&(format!($($arguments)*) + "\n")) };
}

pub(crate) use {line, part, remark};
