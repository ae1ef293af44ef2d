//! Where operations stand in the source, for the build with mutants: debug information does not last that long.

use super::subject::function_values;
use testwright_base::ids::FunctionId;
use testwright_base::subject::Subject;
use testwright_llvm::{Module, Value};

/// The metadata that says it: function, line and column.
pub const PLACE_KIND: &str = "tw.place";

/// Marks the instructions of the functions that the user named.
pub fn mark_places(module: &Module<'_>, subject: &Subject) {
    let kind = module.context().metadata_kind(PLACE_KIND);
    for (index, function) in function_values(module).into_iter().enumerate() {
        if !subject.function(FunctionId::of(index)).is_named() {
            continue;
        }
        let instructions = function.blocks().into_iter().flat_map(testwright_llvm::Block::instructions);
        for (instruction, location) in instructions.filter_map(|one| Some((one, Value::location(one)?))) {
            let place = [index as u64, location.line.into(), location.column.into()];
            instruction.set_numbers(kind, &place);
        }
    }
}
