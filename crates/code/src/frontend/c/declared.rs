//! The types of missing functions and variables: files that declare some are compiled once more, with variables of those types
//! added. And the names of the parameters of those functions.
//!
//! The compiler is told to see the longer text under the name of the file, so places, `__FILE__` and includes stay as
//! they are. A declaration inside a function cannot be seen from the end of the file; such functions are known by
//! their machine types only.

use super::clang::Clang;
use super::compile::{Additions, Compiled, compile_unit, longer_text, printed_unit};
use super::parameters;
use crate::error::CodeError;
use crate::frontend::{Bitcode, Sources, Unit};
use crate::missing;
use std::collections::BTreeSet;
use testwright_llvm::Context;

/// Compiles again what declares missing functions or variables.
pub(super) fn with_types(
    sources: &Sources,
    clang: &Clang,
    options: &[&str],
    additions: &Additions,
    bitcode: &mut Bitcode,
) -> Result<(), CodeError> {
    let context = Context::new();
    let mut modules = Vec::new();
    for module in &bitcode.modules {
        modules.push(context.parse_bitcode(module, "unit")?);
    }
    let defined: BTreeSet<String> = modules
        .iter()
        .flat_map(|module| module.functions().into_iter().chain(module.globals()))
        .filter(|function| !function.is_declaration() && !function.is_internal())
        .map(testwright_llvm::Value::name)
        .collect();
    for (index, module) in modules.iter().enumerate() {
        let undefined = |values: Vec<testwright_llvm::Value<'_>>| -> Vec<String> {
            let names = values.into_iter().map(testwright_llvm::Value::name);
            names.filter(|name| !defined.contains(name)).collect()
        };
        let functions = undefined(missing::functions(module));
        let names = [functions.clone(), undefined(missing::variables(module))].concat();
        // Without the names, parameters are numbered.
        if !functions.is_empty()
            && let Ok(printed) = printed_unit(&sources.units[index], clang)
        {
            bitcode.parameters.extend(parameters::names(&printed, &functions));
        }
        let addition = additions.get(&index).map_or("", String::as_str);
        if let Some(compiled) = again(&sources.units[index], clang, options, addition, names) {
            bitcode.modules[index] = compiled.module;
        }
    }
    Ok(())
}

/// The file with variables for as many of these as can be declared; none if there are none.
fn again(
    unit: &Unit,
    clang: &Clang,
    options: &[&str],
    addition: &str,
    mut names: Vec<String>,
) -> Option<Compiled> {
    while !names.is_empty() {
        let text = longer_text(unit, &format!("{addition}\n{}", missing::declarations(&names))).ok()?;
        match compile_unit(unit, clang, options, Some(&text)) {
            Ok(compiled) => return Some(compiled),
            Err(CodeError::Compile(error)) => {
                let before = names.len();
                names.retain(|name| !error.message.contains(&format!("'{name}'")));
                if names.len() == before {
                    return None;
                }
            }
            Err(_) => return None,
        }
    }
    None
}
