//! Precedence: which outcomes happen after others, because those bring about the value that is asked for.
//!
//! A flag, the state of a machine or a counter is a variable that certain branches set. Whether it has a certain value is then
//! decided long before the branch that asks, and no distance tells that branch how to get there. What tells is
//! data dependence (Ferguson and Korel, "The chaining approach for software test data generation", 1996): the ways that
//! values take to the variable, each with its value where that is a constant.
//!
//! Variables are those that became values (phis), so this looks at a module after promotion. What lies in memory may be
//! set by anybody, and is left alone.

use super::condition::condition;
use super::sites::SITE_KIND;
use std::collections::{BTreeSet, HashSet};
use testwright_base::graph::FlowGraph;
use testwright_base::ids::{BlockId, FunctionId, OutcomeId, SiteId};
use testwright_base::site::{SiteKind, sign_extend};
use testwright_base::subject::{Precedence, Subject};
use testwright_llvm::{Block, IntPredicate, Module, Opcode, Value};

/// How many phis are looked at for one branch.
const LOOKED_AT: usize = 256;

/// The outcomes of a module that happen after others, in order.
#[must_use]
pub fn precedences(module: &Module<'_>, subject: &Subject) -> Vec<Precedence> {
    let kind = module.context().metadata_kind(SITE_KIND);
    let mut found = Vec::new();
    for function in module.functions() {
        let mut context = None;
        for block in function.blocks() {
            let Some(branch) = block.terminator() else { continue };
            let Some(site) = branch.numbers(kind).map(|numbers| SiteId(numbers[0] as u32)) else { continue };
            let Some(id) = subject.site(site).map(|site| site.function) else { continue };
            let context = context.get_or_insert_with(|| Context::new(subject, id, function));
            found.extend(context.of(branch, site));
        }
    }
    found.sort_by_key(|precedence| precedence.outcome);
    found
}

/// The function that is looked at.
struct Context<'s, 'c> {
    subject: &'s Subject,
    id: FunctionId,
    blocks: Vec<Block<'c>>,
    flow: FlowGraph,
}

/// How a value comes to a variable.
struct Definition<'c> {
    /// The value if it is a constant, as wide as where it is asked for.
    constant: Option<u128>,
    /// The edge on which it comes.
    from: Block<'c>,
    to: Block<'c>,
}

/// What a branch asks of a variable.
enum Question {
    Compare { predicate: IntPredicate, with: u128, width: u32, negated: bool },
    Switch { cases: Vec<u128> },
}

impl Question {
    /// Whether the value leads to the outcome with this index.
    fn leads_to(&self, value: u128, outcome: usize) -> bool {
        match self {
            Question::Compare { predicate, with, width, negated } => {
                (holds(*predicate, value, *with, *width) != *negated) == (outcome == 0)
            }
            Question::Switch { cases } => {
                cases.iter().position(|case| *case == value).unwrap_or(cases.len()) == outcome
            }
        }
    }
}

impl<'s, 'c> Context<'s, 'c> {
    fn new(subject: &'s Subject, id: FunctionId, function: Value<'c>) -> Context<'s, 'c> {
        Context { subject, id, blocks: function.blocks(), flow: subject.flow(id) }
    }

    /// The outcomes of a branch or switch that happen after others.
    fn of(&self, branch: Value<'c>, site: SiteId) -> Vec<Precedence> {
        let Some((variable, question)) = self.asked(branch, site) else { return Vec::new() };
        let definitions = definitions(variable);
        let site = &self.subject.sites[site.index()];
        let outcomes = site.outcomes().enumerate().filter_map(|(index, outcome)| {
            let leading = definitions.iter().filter(|definition| {
                definition.constant.is_none_or(|constant| question.leads_to(constant, index))
            });
            let (mut after, mut anyway) = (BTreeSet::new(), false);
            for definition in leading {
                match self.edge(definition.from, definition.to) {
                    Some(outcomes) => after.extend(outcomes),
                    None => anyway = true,
                }
            }
            // Before the first time, something else must have happened.
            after.remove(&outcome);
            let after: Vec<OutcomeId> = after.into_iter().collect();
            (!after.is_empty()).then_some(Precedence { outcome, after, anyway })
        });
        outcomes.collect()
    }

    /// The variable that a branch or switch asks about, if it does so for constants.
    fn asked(&self, branch: Value<'c>, site: SiteId) -> Option<(Value<'c>, Question)> {
        if let SiteKind::Switch { cases, .. } = &self.subject.site(site)?.kind {
            return Some((branch.condition(), Question::Switch { cases: cases.clone() }));
        }
        if !branch.is_conditional() {
            return None;
        }
        let decides = condition(branch);
        let negated = decides.negated;
        let Some(compare) = decides.compare else {
            let variable = branch.condition();
            let predicate = IntPredicate::LLVMIntNE;
            return Some((variable, Question::Compare { predicate, with: 0, width: 1, negated: false }));
        };
        let with =
            compare.operand(1).constant_int().filter(|_| compare.opcode() == Some(Opcode::LLVMICmp))?;
        let (predicate, width) = (compare.int_predicate(), compare.operand(1).ty().int_width());
        Some((compare.operand(0), Question::Compare { predicate, with, width, negated }))
    }

    /// The outcomes one of which is taken whenever control takes an edge; none if it may be taken without any.
    fn edge(&self, from: Block<'c>, to: Block<'c>) -> Option<BTreeSet<OutcomeId>> {
        let position = |block| self.blocks.iter().position(|other| *other == block).map(BlockId::of);
        let (from, to) = (position(from)?, position(to)?);
        let ways = self.flow.successors(from);
        if ways.len() <= 1 {
            return self.block(from, &mut BTreeSet::new());
        }
        let taken = ways.iter().enumerate().filter(|(_, way)| **way == to).map(|(index, _)| index);
        taken.map(|index| self.outcome(from, index)).collect()
    }

    /// The outcomes one of which is taken whenever control comes to a block; none if it may come without any.
    fn block(&self, block: BlockId, seen: &mut BTreeSet<BlockId>) -> Option<BTreeSet<OutcomeId>> {
        let edges = self.flow.dependences(block);
        // The body of a loop that asks at its end depends on that, but not the first time.
        if edges.is_empty() || self.flow.post_dominates(block, BlockId(0)) {
            return None;
        }
        let mut outcomes = BTreeSet::new();
        for (source, index) in edges {
            match self.outcome(*source, *index) {
                Some(outcome) => drop(outcomes.insert(outcome)),
                // Checks record only that they fail, so what leads to them counts.
                None if seen.insert(*source) => outcomes.extend(self.block(*source, seen)?),
                None => {}
            }
        }
        Some(outcomes)
    }

    fn outcome(&self, block: BlockId, index: usize) -> Option<OutcomeId> {
        let site = self.subject.function(self.id).blocks[block.index()].decides?;
        let site = self.subject.site(site).filter(|site| site.outcome_count > 1)?;
        site.outcomes().nth(index)
    }
}

/// How values come to a variable; nothing if it is more than a variable that branches set.
fn definitions(variable: Value<'_>) -> Vec<Definition<'_>> {
    let (variable, mut widths) = unwidened(variable);
    widths.reverse();
    let mut found = Vec::new();
    let mut seen = HashSet::from([variable]);
    let mut open = vec![variable];
    while let Some(phi) = open.pop() {
        if phi.opcode() != Some(Opcode::LLVMPHI) || seen.len() > LOOKED_AT {
            return Vec::new();
        }
        for (value, from) in phi.incoming() {
            if value.opcode() == Some(Opcode::LLVMPHI) {
                open.extend(seen.insert(value).then_some(value));
                continue;
            }
            let width = value.ty().int_width();
            let constant = value.constant_int().map(|constant| widen(constant, width, &widths));
            found.push(Definition { constant, from, to: phi.block() });
        }
    }
    found
}

/// The value before its width was changed, and how it was, the last change first.
fn unwidened(mut value: Value<'_>) -> (Value<'_>, Vec<(Opcode, u32)>) {
    let mut changes = Vec::new();
    while let Some(change @ (Opcode::LLVMZExt | Opcode::LLVMSExt | Opcode::LLVMTrunc)) = value.opcode() {
        changes.push((change, value.ty().int_width()));
        value = value.operand(0);
    }
    (value, changes)
}

fn widen(constant: u128, mut width: u32, changes: &[(Opcode, u32)]) -> u128 {
    let mut value = constant;
    for (change, to) in changes {
        if *change == Opcode::LLVMSExt {
            value = sign_extend(value, width) as u128;
        }
        width = *to;
        value &= u128::MAX >> (128 - width.clamp(1, 128));
    }
    value
}

/// Whether a comparison of integers holds.
fn holds(predicate: IntPredicate, a: u128, b: u128, width: u32) -> bool {
    let (x, y) = (sign_extend(a, width), sign_extend(b, width));
    match predicate {
        IntPredicate::LLVMIntEQ => a == b,
        IntPredicate::LLVMIntNE => a != b,
        IntPredicate::LLVMIntUGT => a > b,
        IntPredicate::LLVMIntUGE => a >= b,
        IntPredicate::LLVMIntULT => a < b,
        IntPredicate::LLVMIntULE => a <= b,
        IntPredicate::LLVMIntSGT => x > y,
        IntPredicate::LLVMIntSGE => x >= y,
        IntPredicate::LLVMIntSLT => x < y,
        IntPredicate::LLVMIntSLE => x <= y,
    }
}

#[cfg(test)]
mod tests {
    use crate::inspect::testing::{bitcode, clangs};
    use crate::prepare::prepare;
    use testwright_base::ids::OutcomeId;
    use testwright_base::subject::Subject;

    /// The line and name of an outcome: `3 true`.
    fn spell(subject: &Subject, outcome: OutcomeId) -> String {
        let (site, index) = subject.outcome(outcome).unwrap();
        let site = &subject.sites[site.index()];
        format!("{} {}", site.place.as_ref().map_or(0, |place| place.line), site.outcome_name(index))
    }

    /// Compares the precedences of a text, as `line outcome: lines and outcomes that come before`.
    #[track_caller]
    fn check(text: &str, expected: &[&str]) {
        for clang in clangs() {
            let folder = tempfile::tempdir().unwrap();
            let (bitcode, files) = bitcode(folder.path(), &[text], &clang).unwrap();
            let subject = prepare(crate::frontend(), &bitcode, &files).unwrap().subject;
            let own = subject.precedences.iter().filter(|it| it.outcome.0 < subject.own_outcome_count());
            let found: Vec<String> = own
                .map(|it| {
                    let after: Vec<String> = it.after.iter().map(|after| spell(&subject, *after)).collect();
                    let anyway = if it.anyway { " or anyway" } else { "" };
                    format!("{}: {}{anyway}", spell(&subject, it.outcome), after.join(", "))
                })
                .collect();
            assert_eq!(found, expected, "{}", clang.version);
        }
    }

    #[test]
    fn a_flag_is_set_where_its_value_comes_from() {
        check(
            "int f(int a) {\n int flag = 0;\n if (a > 5)\n flag = 1;\n if (flag)\n return 1;\n return 0; }",
            &["5 true: 3 true", "5 false: 3 false"],
        );
    }

    #[test]
    fn a_state_comes_after_the_branches_that_lead_to_it() {
        check(
            "int f(const int *p, int n) {\n int state = 0;\n for (int i = 0; i < n; i++) {\n if (p[i] == 7)\n \
             state = 1;\n else if (state == 1)\n state = 2;\n }\n if (state == 2)\n return 5;\n return 6; }",
            &["6 true: 4 true", "6 false: 6 true or anyway", "9 true: 6 true", "9 false: 4 true or anyway"],
        );
    }

    #[test]
    fn what_lies_in_memory_or_comes_from_the_caller_is_not_known() {
        check("int g;\nint f(int a) {\n if (a == 3)\n g = 1;\n if (g == 1)\n return 1;\n return 0; }", &[]);
    }
}
