//! Which branches ask what a library function returned, so that a search can look into how it came to that.
//!
//! ```text
//! %p = call ptr @strstr(ptr %text, ptr @word)        %c = icmp eq ptr %p, null        br i1 %c, ..
//! ```

use super::condition::condition;
use super::sites::SITE_KIND;
use super::subject::MODEL;
use std::collections::{HashMap, HashSet};
use testwright_base::ids::{FunctionId, SiteId};
use testwright_base::subject::Subject;
use testwright_llvm::{Module, Opcode, Value};

/// How many values are looked at for one branch.
const LOOKED_AT: usize = 64;

/// The sites of branches and switches on what a function with a model returned, with that model, in order.
#[must_use]
pub fn results(module: &Module<'_>, subject: &Subject) -> Vec<(SiteId, FunctionId)> {
    let kind = module.context().metadata_kind(SITE_KIND);
    let models = subject.functions.iter().enumerate().filter(|(_, function)| function.model);
    let models: HashMap<&str, FunctionId> =
        models.map(|(index, model)| (plain(&model.name), FunctionId::of(index))).collect();
    let mut found = Vec::new();
    for block in module.functions().into_iter().flat_map(Value::blocks) {
        let Some(branch) = block.terminator() else { continue };
        let Some(site) = branch.numbers(kind).map(|numbers| SiteId(numbers[0] as u32)) else { continue };
        let callees = asked(branch).into_iter().filter_map(returned_by).flatten();
        found.extend(callees.filter_map(|callee| Some((site, *models.get(plain(&callee))?))));
    }
    found.sort_unstable();
    found.dedup();
    found
}

/// The name of the function that a model stands for.
fn plain(name: &str) -> &str {
    name.strip_prefix(MODEL).unwrap_or(name)
}

/// What a branch or switch asks about.
fn asked(branch: Value<'_>) -> Vec<Value<'_>> {
    match branch.opcode() {
        Some(Opcode::LLVMSwitch) => vec![branch.condition()],
        Some(Opcode::LLVMBr) if branch.is_conditional() => {
            condition(branch).compare.map_or_else(|| vec![branch.condition()], Value::operands)
        }
        _ => Vec::new(),
    }
}

/// The names of the functions that a value was returned by; none if it is made of something else.
fn returned_by(value: Value<'_>) -> Option<Vec<String>> {
    let mut names = Vec::new();
    let mut seen = HashSet::from([value]);
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        let from = match value.opcode() {
            Some(Opcode::LLVMCall) if value.callee().is_function() => {
                names.push(value.callee().name());
                continue;
            }
            Some(Opcode::LLVMZExt | Opcode::LLVMSExt | Opcode::LLVMTrunc | Opcode::LLVMFreeze) => {
                vec![value.operand(0)]
            }
            Some(Opcode::LLVMPHI) => value.incoming().into_iter().map(|(value, _)| value).collect(),
            None if value.is_constant() => continue,
            _ => return None,
        };
        open.extend(from.into_iter().filter(|value| seen.insert(*value)));
        if seen.len() > LOOKED_AT {
            return None;
        }
    }
    (!names.is_empty()).then_some(names)
}

#[cfg(test)]
mod tests {
    use crate::inspect::testing::{bitcode, clangs};
    use crate::prepare::prepare;

    #[test]
    fn a_branch_on_a_result_knows_whose_it_is() {
        let text = "#include <string.h>\nint f(const char *t, int n) {\n const char *p = strchr(t, ',');\n \
                    if (p == NULL)\n return 0;\n if (strstr(t, \"ab\") < p)\n return 1;\n return n == 3; }";
        for clang in clangs() {
            let folder = tempfile::tempdir().unwrap();
            let (bitcode, files) = bitcode(folder.path(), &[text], &clang).unwrap();
            let subject = prepare(crate::frontend(), &bitcode, &files).unwrap().subject;
            let own = subject.results.iter().filter_map(|(site, model)| {
                let site = subject.site(*site)?;
                let line = site.place.as_ref().filter(|_| !subject.function(site.function).model)?.line;
                Some((line, subject.function(*model).name.as_str()))
            });
            let mut found: Vec<_> = own.collect();
            found.sort_unstable();
            let expected = [(4, "tw_model_strchr"), (6, "tw_model_strchr"), (6, "tw_model_strstr")];
            assert_eq!(found, expected, "{}", clang.version);
        }
    }
}
