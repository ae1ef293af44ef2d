//! Code before and after each step, as LLVM's text: what comments show in short, in full and checked.
//!
//! `UPDATE_EXPECT=1 cargo test -p testwright-code snapshots` writes what the steps make now; look at the difference.
//! Addresses in shared memory have names here: `@news`, `@coverage[7]`, `@table.branch`.

mod lowered;
mod run;
mod trace;
mod ways;

use super::emitter::{Emitter, Marks};
use crate::inspect::inspect;
use expect_test::Expect;
use std::mem::offset_of;
use testwright_abi::address_of;
use testwright_abi::control::{VARIADIC_CELLS, Variadic};
use testwright_abi::memory::{COVERAGE_OFFSET, DISTANCE_OFFSET, MAX_OUTCOMES, SHARED_BASE};
use testwright_abi::table::FUNCTIONS;
use testwright_abi::target_search::{CELLS_ADDRESS, TARGET_ADDRESS};
use testwright_base::subject::Subject;
use testwright_llvm::{Context, Module, Target};

/// The most conditions that a path has here.
const CONDITIONS: u64 = 8;

/// Numbers the sites of some code, does a step to it and compares what becomes of it.
#[track_caller]
fn check(before: &str, step: impl FnOnce(&Module<'_>, &mut Subject, &Target), after: &Expect) {
    let context = Context::new();
    let target = Target::x86_64().expect("the target");
    let module = context.parse_text(before).expect("LLVM's text");
    let mut subject = inspect(&module, &[]).expect("a subject");
    step(&module, &mut subject, &target);
    module.verify().expect("well-formed code");
    after.assert_eq(&shown(&module.text()));
}

/// Checks a step that an emitter of the run build does.
#[track_caller]
fn check_run(before: &str, step: impl FnOnce(&Emitter<'_, '_>, &Subject), after: &Expect) {
    check(before, |module, subject, _| step(&Emitter::new(module, Marks::CountNews), subject), after);
}

/// The functions with a body, without metadata and notes.
fn shown(text: &str) -> String {
    let mut lines = Vec::new();
    let mut inside = false;
    for line in text.lines() {
        inside |= line.starts_with("define");
        if inside && !line.is_empty() {
            let line = line.split(" ; ").next().unwrap_or(line);
            let line = line.split(", !").next().unwrap_or(line);
            let line = line.split(" #").next().unwrap_or(line).trim_end_matches(['{', ' ']);
            lines.push(named(line) + if line.starts_with("define") { " {" } else { "" });
        }
        inside &= line != "}";
    }
    lines.join("\n") + "\n"
}

/// The line with names for addresses in shared memory.
fn named(line: &str) -> String {
    const BEFORE: &str = "inttoptr (i64 ";
    const AFTER: &str = " to ptr)";
    let mut rest = line;
    let mut text = String::new();
    while let Some((head, (number, tail))) =
        rest.split_once(BEFORE).and_then(|(head, tail)| Some((head, tail.split_once(AFTER)?)))
    {
        text += head;
        match number.parse().ok().and_then(name) {
            Some(name) => text += &name,
            None => text += &format!("{BEFORE}{number}{AFTER}"),
        }
        rest = tail;
    }
    text + rest
}

fn name(address: u64) -> Option<String> {
    let within = |offset: u64, size: u64| {
        let index = address.checked_sub(SHARED_BASE + offset)? / size;
        (index < MAX_OUTCOMES).then_some(index)
    };
    let table = |function: &&testwright_abi::table::Function| address_of!(table) + function.offset == address;
    if let Some(function) = FUNCTIONS.iter().find(table) {
        return Some(format!("@table.{}", function.name));
    }
    let fields = [
        ("steps_left", address_of!(steps_left)),
        ("news", address_of!(news)),
        ("site", address_of!(site)),
        ("variadic_count", address_of!(variadic_count)),
        ("target", TARGET_ADDRESS),
    ];
    if let Some((name, _)) = fields.iter().find(|(_, place)| *place == address) {
        return Some(format!("@{name}"));
    }
    if let Some(offset) = address.checked_sub(address_of!(variadic))
        && offset < (VARIADIC_CELLS * size_of::<Variadic>()) as u64
    {
        let (index, field) =
            (offset as usize / size_of::<Variadic>(), offset as usize % size_of::<Variadic>());
        let fields = [
            (offset_of!(Variadic, handle), "handle"),
            (offset_of!(Variadic, class), "class"),
            (offset_of!(Variadic, size), "size"),
        ];
        let (_, name) = fields.iter().find(|(place, _)| *place == field)?;
        return Some(format!("@variadic[{index}].{name}"));
    }
    if let Some(offset) = address.checked_sub(CELLS_ADDRESS)
        && offset < 8 * CONDITIONS
    {
        return Some(format!("@cell[{}]", offset / 8));
    }
    within(COVERAGE_OFFSET, 1)
        .map(|index| format!("@coverage[{index}]"))
        .or_else(|| within(DISTANCE_OFFSET, 8).map(|index| format!("@distance[{index}]")))
}
