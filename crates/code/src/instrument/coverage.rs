//! Outcomes hit: every branch, switch and free comparison marks the way it went.

use super::distance::Distances;
use super::emitter::Emitter;
use testwright_abi::memory::{COVERAGE_OFFSET, SHARED_BASE};
use testwright_base::site::SiteKind;
use testwright_base::subject::Subject;
use testwright_llvm::{Opcode, Value};

/// Instruments all sites with outcomes; with distances too if given.
///
/// Marks stand on edges, where they are a comparison with a byte at a constant address:
///
/// ```text
/// before:  br c, A, B                  (site with outcomes 7, 8)
/// after:   br c, edge1, edge2
///          edge1: if (coverage[7] == 0) { coverage[7] = 1; news += 1; }  distances of 8;  br A
///          edge2: if (coverage[8] == 0) { coverage[8] = 1; news += 1; }  distances of 7;  br B
/// ```
pub fn instrument<'c>(
    emitter: &Emitter<'c, '_>,
    subject: &Subject,
    distances: Option<&Distances<'c, '_, '_>>,
) {
    for instruction in numbered_instructions(emitter) {
        let Some((site, first)) = emitter.site(instruction) else { continue };
        let Some(info) = subject.sites.get(site as usize) else { continue };
        // What a model does is nobody's goal.
        if info.outcome_count == 0 || subject.function(info.function).model {
            continue;
        }
        match (&info.kind, instruction.opcode()) {
            (SiteKind::Branch, Some(Opcode::LLVMBr)) => branch(emitter, instruction, first, distances),
            (SiteKind::Switch { cases, .. }, Some(Opcode::LLVMSwitch)) => {
                switch(emitter, instruction, first, cases.len(), distances);
            }
            (SiteKind::Compare { .. }, Some(Opcode::LLVMICmp | Opcode::LLVMFCmp)) => {
                comparison(emitter, instruction, first, distances);
            }
            (SiteKind::Clause, Some(_)) => comparison(emitter, instruction, first, None),
            (SiteKind::Error, Some(Opcode::LLVMCall)) => {
                emitter.builder.before(instruction);
                emitter.hit(first, instruction);
            }
            _ => {}
        }
    }
}

/// All instructions that carry a site number; collected first, because instrumenting splits blocks.
fn numbered_instructions<'c>(emitter: &Emitter<'c, '_>) -> Vec<Value<'c>> {
    let mut list = Vec::new();
    for function in emitter.module.functions() {
        for block in function.blocks() {
            list.extend(block.instructions().into_iter().filter(|i| i.has_metadata(emitter.site_kind)));
        }
    }
    list
}

fn branch<'c>(
    emitter: &Emitter<'c, '_>,
    branch: Value<'c>,
    first: u32,
    distances: Option<&Distances<'c, '_, '_>>,
) {
    // The condition is looked up before edges are made: afterwards phis may be new ones.
    let condition = distances.map(|_| crate::inspect::condition::condition(branch));
    for way in 0..2 {
        let jump = emitter.edge_block(branch, way as usize);
        emitter.builder.before(jump);
        emitter.hit(first + way, jump);
        if let (Some(distances), Some(condition)) = (distances, &condition) {
            distances.other_way(condition, way == 0, first + (1 - way), jump);
        }
    }
}

fn switch<'c>(
    emitter: &Emitter<'c, '_>,
    switch: Value<'c>,
    first: u32,
    case_count: usize,
    distances: Option<&Distances<'c, '_, '_>>,
) {
    if let Some(distances) = distances {
        emitter.builder.before(switch);
        distances.switch(switch, first);
    }
    for successor in 0..=case_count {
        // Successor 0 is the default, which is the last outcome.
        let outcome = if successor == 0 { case_count } else { successor - 1 };
        let jump = emitter.edge_block(switch, successor);
        emitter.builder.before(jump);
        emitter.hit(first + outcome as u32, jump);
        if let Some(distances) = distances
            && successor > 0
        {
            distances.one_away(first + case_count as u32, jump);
        }
    }
}

/// A comparison that feeds no branch has no edges: the address of the mark is selected.
fn comparison<'c>(
    emitter: &Emitter<'c, '_>,
    compare: Value<'c>,
    first: u32,
    distances: Option<&Distances<'c, '_, '_>>,
) {
    if compare.ty().int_width() != 1 {
        return;
    }
    let after = compare.next().expect("a comparison does not end a block");
    let builder = &emitter.builder;
    builder.before(after);
    let base = emitter.pointer.address(SHARED_BASE + COVERAGE_OFFSET + u64::from(first));
    let no = emitter.pointer.address(SHARED_BASE + COVERAGE_OFFSET + u64::from(first) + 1);
    let mark = builder.select(compare, base, no);
    emitter.hit_at(mark, after);
    if let Some(distances) = distances {
        distances.comparison(compare, first, after);
    }
}
