//! Arguments behind dots, and parameters that are a `va_list`.
//!
//! A case has them as one more parameter, the *list*: a pointer to an object of eight bytes for each argument. The platform passes what
//! does not fit into registers in memory, one argument after the other; a `va_list` which says that the registers are used up reads
//! all of them from there. So the driver makes such a list, and a function with dots takes it instead of its own:
//!
//! ```text
//! va_start(ap);     ->     va_start(ap); if (tw_listed) *ap = {48, 176, tw_list, null};
//! ```
//!
//! One argument too many is a fault behind the object, as with every buffer, and the search makes the object longer. What each
//! argument is, is told by the code: it reads one type only, or several without a loop. Who reads several types in an order that only a run
//! tells is given `int`s. Who hands the list to `vprintf` and the like is given a list of unions: each argument is of one of the types that
//! formats ask for. A run that asks for anything else than what the list holds ends there, as one that breaks a precondition.

mod examples;

pub use examples::give_examples;

use crate::inspect::{Argument, Read, VA_LIST_ELEMENT, arguments_read, function_values};
use examples::{DOUBLE, INT, LONG, TEXT};
use std::collections::HashMap;
use testwright_base::ids::TypeId;
use testwright_base::subject::{Param, Signature, Subject};
use testwright_base::types::{Field, Shape, Type, Types};
use testwright_llvm::{Block, Builder, IntPredicate, Module, Opcode, Value};

/// The functions that print a list, and which of their arguments is the format. The list follows it.
const PRINTERS: &[(&str, usize)] = &[
    ("vprintf", 0),
    ("vfprintf", 1),
    ("vdprintf", 1),
    ("vsprintf", 1),
    ("vasprintf", 1),
    ("vsnprintf", 2),
    ("vsyslog", 1),
];

/// How many bytes an argument takes in a list.
const BYTES: u64 = 8;

/// The models that end a run if a list of ours holds something else than what a format, or the code, asks for.
pub const CHECKS: &[&str] = &[FORMAT, ARGUMENT];
const FORMAT: &str = "testwright_format";
const ARGUMENT: &str = "testwright_argument";

/// Checks lists where they may hold something else than what is read.
///
/// ```text
/// vsnprintf(to, size, format, ap);     ->     testwright_format(format, ap); vsnprintf(to, size, format, ap);
/// va_arg(ap, double)                   ->     testwright_argument(ap); va_arg(ap, double)
/// ```
pub fn check(module: &Module<'_>) {
    check_formats(module);
    let context = module.context();
    let ty = context.void().function(&[context.pointer()], false);
    let builder = Builder::new(context);
    for function in module.functions() {
        let read = arguments_read(function);
        if !is_mixed(function, &read) {
            continue;
        }
        for read in read.iter().filter(|read| read.argument != Argument::Int) {
            let check = module.function(ARGUMENT).unwrap_or_else(|| module.add_function(ARGUMENT, ty));
            builder.before(read.area);
            builder.call_function(check, &[read.list]);
        }
    }
}

fn check_formats(module: &Module<'_>) {
    let context = module.context();
    let ty = context.void().function(&[context.pointer(), context.pointer()], false);
    let builder = Builder::new(context);
    for (name, format) in PRINTERS {
        let Some(printer) = module.function(name).filter(|printer| printer.is_declaration()) else {
            continue;
        };
        for call in printer.users().into_iter().filter(|user| is_call_of(*user, printer)) {
            let arguments = call.call_arguments();
            let (Some(format), Some(list)) = (arguments.get(*format), arguments.get(format + 1)) else {
                continue;
            };
            let check = module.function(FORMAT).unwrap_or_else(|| module.add_function(FORMAT, ty));
            builder.before(call);
            builder.call_function(check, &[*format, *list]);
        }
    }
}

fn is_call_of(user: Value<'_>, function: Value<'_>) -> bool {
    user.opcode() == Some(Opcode::LLVMCall) && user.callee() == function
}

/// Gives functions that take more arguments a parameter for them, and replaces each `va_list` by one.
pub fn describe(module: &Module<'_>, subject: &mut Subject) {
    let functions = function_values(module);
    let takers: HashMap<Value<'_>, usize> = functions
        .iter()
        .enumerate()
        .filter(|(index, _)| list_parameter(subject, *index).is_some())
        .map(|(index, function)| (*function, index))
        .collect();
    for (index, function) in functions.iter().enumerate() {
        let info = &subject.functions[index];
        let given = list_parameter(subject, index);
        let dots = info.signature.as_ref().is_some_and(|signature| signature.variadic);
        if info.model || info.uncallable.is_some() || !dots && given.is_none() {
            continue;
        }
        let wanted = match wanted(*function, &takers, &mut Vec::new()) {
            Wanted::Nothing if dots => continue,
            Wanted::Unknown => {
                let reason = "it and what it calls read arguments of several types from one list";
                subject.functions[index].uncallable = Some(reason.to_owned());
                continue;
            }
            wanted => wanted,
        };
        let slot = slot(&mut subject.types, &wanted);
        let list = subject.types.list_of(slot);
        let Some(signature) = &mut subject.functions[index].signature else { continue };
        match given {
            Some(param) => signature.params[param].ty = list,
            None => {
                let name = name_for_list(signature);
                signature.params.push(Param { name, ty: list });
                take_list(module, *function);
            }
        }
    }
}

/// The parameter of a function that is a `va_list`, by index. Functions with dots and a list besides are none of ours.
fn list_parameter(subject: &Subject, index: usize) -> Option<usize> {
    let signature = subject.functions[index].signature.as_ref().filter(|signature| !signature.variadic)?;
    let types = &subject.types;
    let is_list = |param: &Param| match types.get(param.ty).shape {
        Shape::Pointer(target) => types.get(target).name.as_deref() == Some(VA_LIST_ELEMENT),
        _ => false,
    };
    signature.params.iter().position(is_list)
}

fn name_for_list(signature: &Signature) -> String {
    let mut name = "arguments".to_owned();
    while signature.params.iter().any(|param| param.name == name) {
        name = format!("more_{name}");
    }
    name
}

/// What a function wants to find in its list.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Wanted {
    /// It does not look.
    Nothing,
    /// Any number of these.
    Many(Argument),
    /// These, one after the other.
    Row(Vec<Argument>),
    /// What a format asks for.
    Formatted,
    /// Now this, now that.
    Unknown,
}

fn wanted<'c>(function: Value<'c>, takers: &HashMap<Value<'c>, usize>, seen: &mut Vec<Value<'c>>) -> Wanted {
    if seen.contains(&function) {
        return Wanted::Nothing;
    }
    seen.push(function);
    let read = arguments_read(function);
    let mut all = match kinds(&read).as_slice() {
        [] => Vec::new(),
        _ if is_mixed(function, &read) => vec![Wanted::Many(Argument::Int)],
        [one] => vec![Wanted::Many(*one)],
        _ => vec![Wanted::Row(read.iter().map(|read| read.argument).collect())],
    };
    for call in function.blocks().into_iter().flat_map(Block::instructions).filter(is_call) {
        let callee = call.callee();
        if takers.contains_key(&callee) {
            all.push(wanted(callee, takers, seen));
        } else if callee.is_function() && PRINTERS.iter().any(|(name, _)| *name == callee.name()) {
            all.push(Wanted::Formatted);
        }
    }
    all.retain(|wanted| *wanted != Wanted::Nothing);
    // A format may ask for what the code itself reads.
    if all.contains(&Wanted::Many(Argument::Int)) {
        all.retain(|wanted| *wanted != Wanted::Formatted);
    }
    all.dedup();
    match all.as_slice() {
        [] => Wanted::Nothing,
        [one] => one.clone(),
        _ => Wanted::Unknown,
    }
}

fn is_call(instruction: &Value<'_>) -> bool {
    instruction.opcode() == Some(Opcode::LLVMCall)
}

fn kinds(read: &[Read<'_>]) -> Vec<Argument> {
    let mut kinds: Vec<Argument> = read.iter().map(|read| read.argument).collect();
    kinds.sort_unstable();
    kinds.dedup();
    kinds
}

/// Whether only a run tells which arguments a function reads.
fn is_mixed(function: Value<'_>, read: &[Read<'_>]) -> bool {
    let kinds = kinds(read);
    kinds.contains(&Argument::Other) || kinds.len() > 1 && !is_row(function, read)
}

/// Whether a function reads its arguments in this order, each at most once: none is reached again, nor without the one before it.
fn is_row(function: Value<'_>, read: &[Read<'_>]) -> bool {
    let Some(entry) = function.blocks().into_iter().next() else { return false };
    read.iter().all(|read| !reached(read.block, None).contains(&read.block))
        && read.windows(2).all(|pair| !reached(entry, Some(pair[0].block)).contains(&pair[1].block))
}

/// The blocks that control comes to from a block, without passing another one.
fn reached<'c>(from: Block<'c>, without: Option<Block<'c>>) -> Vec<Block<'c>> {
    let mut seen: Vec<Block<'c>> = Vec::new();
    let mut open = vec![from];
    while let Some(block) = open.pop() {
        for next in block.terminator().map(Value::successors).unwrap_or_default() {
            if !seen.contains(&next) && without != Some(next) {
                seen.push(next);
                open.push(next);
            }
        }
    }
    seen
}

/// The type of the elements of a list: one argument, or all of them.
fn slot(types: &mut Types, wanted: &Wanted) -> TypeId {
    match wanted {
        Wanted::Row(arguments) => row(types, arguments),
        Wanted::Many(argument) => row(types, &[*argument]),
        Wanted::Nothing | Wanted::Unknown => row(types, &[Argument::Int]),
        Wanted::Formatted => {
            // All members have the same size, so the first one stands for a slot of which nothing is known.
            let members = [
                (INT, Argument::Int),
                (LONG, Argument::Long),
                (DOUBLE, Argument::Double),
                (TEXT, Argument::Pointer),
            ];
            let fields = members.map(|(name, argument)| {
                let ty = row(types, &[argument]);
                Field { name: Some(name.to_owned()), ty, offset_bits: 0, bit_width: None }
            });
            let shape = Shape::Record { union: true, fields: fields.to_vec(), complete: true };
            types.push(Type { name: None, size: BYTES, align: BYTES, shape })
        }
    }
}

/// Arguments one after the other.
fn row(types: &mut Types, arguments: &[Argument]) -> TypeId {
    let mut fields = Vec::new();
    for (index, argument) in (0..).zip(arguments) {
        let name = if arguments.len() == 1 { "value".to_owned() } else { format!("value{index}") };
        let ty = scalar(types, *argument);
        fields.push(Field { name: Some(name), ty, offset_bits: index * BYTES * 8, bit_width: None });
    }
    let size = BYTES * fields.len() as u64;
    let shape = Shape::Record { union: false, fields, complete: true };
    types.push(Type { name: None, size, align: BYTES, shape })
}

fn scalar(types: &mut Types, argument: Argument) -> TypeId {
    let integer = |bits| Shape::Int { bits, signed: true, character: false };
    let (name, size, shape) = match argument {
        Argument::Int | Argument::Other => ("int", 4, integer(32)),
        Argument::Long => ("long", 8, integer(64)),
        Argument::Double => ("double", 8, Shape::Float { bits: 64 }),
        Argument::Pointer => {
            let is_text = |id: &TypeId| types.get(*id).name.as_deref() == Some("char");
            let text = (0..types.len()).map(TypeId::of).find(is_text).unwrap_or_else(|| {
                let shape = Shape::Int { bits: 8, signed: true, character: true };
                types.push(Type { name: Some("char".to_owned()), size: 1, align: 1, shape })
            });
            return types.push(Type { name: None, size: 8, align: 8, shape: Shape::Pointer(text) });
        }
    };
    types.push(Type { name: Some(name.to_owned()), size, align: size, shape })
}

/// Lets a function with dots take the list that its driver has left for it. Whoever else calls it has none.
fn take_list<'c>(module: &Module<'c>, function: Value<'c>) {
    let context = module.context();
    let builder = Builder::new(context);
    let Some(first) = function.blocks().first().and_then(|block| block.instructions().first().copied())
    else {
        return;
    };
    builder.before(first);
    let (list, listed) = (list(module), listed(module));
    let (pointer, word) = (context.pointer(), context.int(32));
    let taken = builder.load(pointer, list);
    let is_listed = builder.compare(IntPredicate::LLVMIntNE, builder.load(word, listed), word.zero());
    builder.store(word.zero(), listed);
    let starts = function.blocks().into_iter().flat_map(Block::instructions).filter(is_start);
    for start in starts.collect::<Vec<_>>() {
        let Some(next) = start.next() else { continue };
        builder.before(next);
        for (offset, value) in fields(module, taken) {
            let place = builder.offset(start.operand(0), context.int(64).constant(offset));
            let own = builder.load(value.ty(), place);
            builder.store(builder.select(is_listed, value, own), place);
        }
    }
}

fn is_start(instruction: &Value<'_>) -> bool {
    is_call(instruction)
        && instruction.callee().is_function()
        && instruction.callee().name().starts_with("llvm.va_start")
}

/// What a `va_list` holds that reads everything from `list`: offsets and values. No registers are saved, which tells it from others.
pub fn fields<'c>(module: &Module<'c>, list: Value<'c>) -> [(u64, Value<'c>); 4] {
    let context = module.context();
    let word = |value| context.int(32).constant(value);
    [(0, word(48)), (4, word(176)), (8, list), (16, context.pointer().zero())]
}

/// The variable in which a driver leaves the list.
pub fn list<'c>(module: &Module<'c>) -> Value<'c> {
    variable(module, "tw_list", module.context().pointer().zero())
}

/// The variable in which a driver says that there is a list. The pointer itself would not do: it is an input.
pub fn listed<'c>(module: &Module<'c>) -> Value<'c> {
    variable(module, "tw_listed", module.context().int(32).zero())
}

fn variable<'c>(module: &Module<'c>, name: &str, initial: Value<'c>) -> Value<'c> {
    module.global(name).unwrap_or_else(|| {
        let variable = module.add_global(name, initial.ty());
        variable.set_initializer(initial);
        variable.set_internal(true);
        variable
    })
}
