//! Where instructions stand in the source.

use super::files::FileNames;
use testwright_base::site::Place;
use testwright_llvm::{Block, Value};

/// Where an instruction stands; none for code without debug information or made up by the compiler.
pub fn place(instruction: Value<'_>, files: &mut FileNames) -> Option<Place> {
    let location = instruction.location().filter(|location| location.line > 0)?;
    let file = files.name(&location.directory, &location.file);
    Some(Place { file, line: location.line, column: location.column })
}

/// The first line of a block that is known. A block without lines, such as a failed check, counts as part of the one
/// it is reached from; 0 if that has none either.
pub fn first_line(block: Block<'_>) -> u32 {
    let before = block.predecessors().into_iter();
    let mut lines = block.instructions().into_iter().chain(before).filter_map(Value::location);
    lines.find(|location| location.line > 0).map_or(0, |location| location.line)
}
