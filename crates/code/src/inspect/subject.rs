//! Module to subject.

use super::addresses::{looks_at_addresses, spread_to_callers};
use super::calls::Calls;
use super::debug::{Debug, Declared};
use super::files::FileNames;
use super::metadata::Metadata;
use super::nameless::name_by_use;
use super::places::first_line;
use super::promises::promises;
use super::reads::reads;
use super::sites::{self, SITE_KIND};
use super::stubs;
use crate::error::CodeError;
use crate::frontend::COMPANION;
use crate::{meaning, missing};
use std::collections::{BTreeMap, HashMap};
use testwright_abi::memory::MAX_OUTCOMES;
use testwright_base::contract::Contract;
use testwright_base::ids::{BlockId, SiteId, TypeId};
use testwright_base::subject::{Block, Function, Global, Subject, Words};
use testwright_base::types::{Shape, Type, Types};
use testwright_base::zero::byte_type;
use testwright_llvm::{Module, Opcode, Value};

/// How the names of library models begin.
pub(super) const MODEL: &str = "tw_model_";
/// How all names of ours begin.
const OURS: &str = "tw_";

/// Numbers the sites of a module and describes it. `files` are the sources as the user named them. What is called
/// but not defined is for the caller to sort into models and externals.
///
/// # Errors
/// If the code has more outcomes than can be recorded.
pub fn inspect(module: &Module<'_>, files: &[String]) -> Result<Subject, CodeError> {
    // The text is taken before sites are numbered, which would add a node for each.
    let text = module.text();
    let metadata = Metadata::of(&text);
    let mut debug = Debug::new(&metadata);
    let mut names = FileNames::new(files);
    let values = function_values(module);
    let sites = sites::number(module, &values, &mut names);
    if u64::from(sites.outcome_count) > MAX_OUTCOMES {
        return Err(CodeError::TooLarge { count: sites.outcome_count.into(), limit: MAX_OUTCOMES });
    }
    let functions = functions(module, &values, &mut debug, &mut names);
    let globals = globals(module, &mut debug, &mut names);
    meaning::structs(module).iter().for_each(|name| debug.know_struct(name));
    let variables: Vec<TypeId> = globals.iter().filter_map(|global| global.ty).collect();
    let stubs = stubs::stubs(module, &values, &functions, &variables, &mut debug, &mut names);
    let mut types = with_bytes(debug.into_types());
    let globals: Vec<Global> = globals.into_iter().map(|global| with_room(&mut types, global)).collect();
    name_by_use(&mut types, &globals);
    let mut subject = Subject {
        files: files.to_vec(),
        types,
        functions,
        globals,
        sites: sites.list,
        outcome_count: sites.outcome_count,
        externals: Vec::new(),
        unsupported: Vec::new(),
        stubs,
        promises: promises(&text),
        undefined: Vec::new(),
        elsewhere: Vec::new(),
        left_out: Vec::new(),
        fixed: Vec::new(),
        addresses: Vec::new(),
        precedences: Vec::new(),
        results: Vec::new(),
        mutants: Vec::new(),
        decisions: sites.decisions,
    };
    spread_to_callers(&mut subject);
    Ok(subject)
}

/// The functions of the module in the order of the subject's: code under test, then library models.
#[must_use]
pub fn function_values<'c>(module: &Module<'c>) -> Vec<Value<'c>> {
    let defined = || module.functions().into_iter().filter(|function| !function.is_declaration());
    let under_test = defined().filter(|function| !function.name().starts_with(OURS));
    let models = defined().filter(|function| function.name().starts_with(MODEL));
    under_test.chain(models).collect()
}

/// The global variables of the module in the order of the subject's: defined, and not constant.
#[must_use]
pub fn global_values<'c>(module: &Module<'c>) -> Vec<Value<'c>> {
    let is_ours = |name: &str| name.starts_with(OURS) || name.starts_with("llvm.");
    let mut list = module.globals();
    list.retain(|global| {
        !global.is_declaration() && !global.is_global_constant() && !is_ours(&global.name())
    });
    list
}

fn functions<'c>(
    module: &Module<'c>,
    values: &[Value<'c>],
    debug: &mut Debug<'_, '_>,
    files: &mut FileNames,
) -> Vec<Function> {
    let calls = Calls::new(values);
    let reads = reads(module);
    let kind = module.context().metadata_kind(SITE_KIND);
    let declared: Vec<Option<Declared>> =
        values.iter().map(|function| debug.function(&function.name(), files)).collect();
    let names = unique_names(values, &declared);
    let parts = values.iter().zip(declared).zip(names);
    parts
        .map(|((function, declared), name)| {
            let model = function.name().starts_with(MODEL);
            let variadic = function.global_type().is_variadic();
            let signature = declared.as_ref().map(|declared| debug.signature(declared, variadic));
            let hidden = declared.as_ref().map(|declared| debug.hidden(declared)).unwrap_or_default();
            let uncallable = match (model, &signature) {
                (true, _) => Some("it is a model of a library function"),
                (false, None) => Some("it has no debug information"),
                (false, Some(_)) => None,
            };
            Function {
                name,
                place: declared.and_then(|declared| declared.place),
                internal: function.is_internal(),
                model,
                companion: function.is_marked(COMPANION),
                signature,
                blocks: blocks(*function, kind),
                calls: calls.of(*function),
                uncallable: uncallable.map(str::to_owned),
                reads: reads.get(function).cloned().unwrap_or_default(),
                // Models of ours compute the same wherever objects lie.
                looks_at_addresses: !model && looks_at_addresses(*function),
                hidden,
                words: Words::default(),
                lengths: BTreeMap::new(),
                examples: Vec::new(),
                contract: Contract::default(),
                doubts: Vec::new(),
            }
        })
        .collect()
}

fn globals(module: &Module<'_>, debug: &mut Debug<'_, '_>, files: &mut FileNames) -> Vec<Global> {
    let values = global_values(module);
    let declared: Vec<Option<Declared>> =
        values.iter().map(|global| debug.variable(&global.name(), files)).collect();
    let names = unique_names(&values, &declared);
    let parts = values.iter().zip(declared).zip(names);
    parts
        .map(|((global, declared), name)| Global {
            ty: match &declared {
                Some(declared) => Some(debug.type_of(declared)),
                None => debug.pointed_type(&missing::type_variable(&name)),
            },
            name,
            size: module.alloc_size(global.global_type()),
            place: declared.and_then(|declared| declared.place),
        })
        .collect()
}

/// The name in the source where that is unique, else the one that linking gave.
fn unique_names(values: &[Value<'_>], declared: &[Option<Declared>]) -> Vec<String> {
    let mut counts: HashMap<&str, u32> = HashMap::new();
    for declared in declared.iter().flatten() {
        *counts.entry(&declared.name).or_default() += 1;
    }
    let name = |(value, declared): (&Value<'_>, &Option<Declared>)| match declared {
        Some(declared) if counts[declared.name.as_str()] == 1 => declared.name.clone(),
        _ => value.name(),
    };
    values.iter().zip(declared).map(name).collect()
}

fn blocks(function: Value<'_>, kind: u32) -> Vec<Block> {
    let blocks = function.blocks();
    let ids: HashMap<_, _> =
        blocks.iter().enumerate().map(|(index, block)| (*block, BlockId::of(index))).collect();
    let describe = |block: &testwright_llvm::Block<'_>| {
        let terminator = block.terminator();
        let mut successors: Vec<BlockId> =
            terminator.map(Value::successors).unwrap_or_default().iter().map(|block| ids[block]).collect();
        // LLVM has the default of a switch first; among the outcomes it comes last.
        if terminator.and_then(Value::opcode) == Some(Opcode::LLVMSwitch) {
            successors.rotate_left(1);
        }
        let numbers = terminator.and_then(|terminator| terminator.numbers(kind));
        let decides = numbers.map(|numbers| SiteId(numbers[0] as u32));
        let instructions = block.instructions().len() as u32;
        Block { successors, decides, line: first_line(*block), instructions }
    };
    blocks.iter().map(describe).collect()
}

/// A variable that is declared as `extern int table[];` and that nobody defines has as many elements as there is room for. What
/// else has no size cannot be set.
fn with_room(types: &mut Types, global: Global) -> Global {
    let Some(ty) = global.ty.filter(|ty| types.get(*ty).size == 0) else { return global };
    let element = match types.get(ty).shape {
        Shape::Array { element, .. } => Some(element),
        _ => None,
    };
    let element = element.map(|element| (element, types.get(element).size, types.get(element).align));
    let ty =
        element.filter(|(_, size, _)| *size > 0 && *size <= global.size).map(|(element, size, align)| {
            let count = global.size / size;
            let shape = Shape::Array { element, count: Some(count) };
            types.push(Type { name: None, size: count * size, align, shape })
        });
    Global { ty, ..global }
}

/// Behind a `void *` lie bytes, also if the code itself has no type of one byte.
fn with_bytes(mut types: Types) -> Types {
    if byte_type(&types).is_none() {
        let shape = Shape::Int { bits: 8, signed: false, character: true };
        types.push(Type { name: Some("unsigned char".to_owned()), size: 1, align: 1, shape });
    }
    types
}
