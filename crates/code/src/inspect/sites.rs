//! Sites: every place that decides gets a number, kept on the instruction as metadata.
//!
//! Numbers follow the code: functions in the order of the subject, then blocks, then instructions. Both builds and
//! the subject read the same metadata, `tw.site` with the numbers of the site and of its first outcome.
//!
//! A comparison that decides a `?:`, or the value of `a && b`, without a branch of its own is a branch all the same: gcov counts it,
//! and the trace build records it. Code behind a constant condition has no outcomes.

use super::branches::{Branches, Marks, Role, chooses, is_fixed, live_blocks, trap};
use super::calls::is_call;
use super::clauses::{FoundClause, WAY_KIND, WayMark, decisions};
use super::condition::condition;
use super::files::FileNames;
use super::places::place;
use super::subject::MODEL;
use std::collections::HashMap;
use testwright_base::decision::{Clause, Decision, Next};
use testwright_base::ids::{BlockId, FunctionId, OutcomeId, SiteId};
use testwright_base::site::{Compared, Site, SiteKind};
use testwright_llvm::{IntPredicate, Kind, Module, Opcode, RealPredicate, Value};

/// The kind of metadata that carries the numbers.
pub const SITE_KIND: &str = "tw.site";

/// The sites of a module.
#[derive(Debug, Default)]
pub struct Sites {
    /// All of them.
    pub list: Vec<Site>,
    /// How many outcomes they have together.
    pub outcome_count: u32,
    /// The decisions of several clauses.
    pub decisions: Vec<Decision>,
}

/// Numbers the sites of these functions.
pub fn number<'c>(module: &Module<'c>, functions: &[Value<'c>], files: &mut FileNames) -> Sites {
    let mut numbering = Numbering {
        module,
        files,
        marks: Marks::new(module),
        kind: module.context().metadata_kind(SITE_KIND),
        sites: Sites::default(),
    };
    for (index, function) in functions.iter().enumerate() {
        numbering.function(FunctionId::of(index), *function);
    }
    numbering.sites
}

struct Numbering<'n, 'c> {
    module: &'n Module<'c>,
    files: &'n mut FileNames,
    marks: Marks,
    kind: u32,
    sites: Sites,
}

impl<'c> Numbering<'_, 'c> {
    fn function(&mut self, id: FunctionId, function: Value<'c>) {
        let branches = Branches::of(function, self.marks);
        let live = live_blocks(function);
        let mut ids = HashMap::new();
        for (index, block) in function.blocks().into_iter().enumerate() {
            for instruction in block.instructions() {
                let Some((kind, mut outcome_count)) = self.describe(instruction, &branches) else { continue };
                if !live.contains(&block) {
                    outcome_count = 0;
                }
                ids.insert(instruction, SiteId::of(self.sites.list.len()));
                let first_outcome = OutcomeId(self.sites.outcome_count);
                instruction
                    .set_numbers(self.kind, &[self.sites.list.len() as u64, u64::from(first_outcome.0)]);
                let place = place(deciding(instruction, &branches), self.files);
                let block = BlockId::of(index);
                self.sites.list.push(Site { function: id, block, place, kind, first_outcome, outcome_count });
                self.sites.outcome_count += outcome_count;
            }
        }
        self.connect(&branches, &ids);
        // What a model does is nobody's goal.
        if !function.name().starts_with(MODEL) {
            let found = decisions(function, &branches);
            found.iter().for_each(|clauses| self.decision(id, clauses, &ids));
        }
    }

    /// A decision becomes a site of its own if the outcomes of its clauses do not tell which way an evaluation took.
    fn decision(
        &mut self,
        function: FunctionId,
        found: &[FoundClause<'c>],
        ids: &HashMap<Value<'c>, SiteId>,
    ) {
        let mut ids: HashMap<Value<'c>, SiteId> =
            found.iter().filter_map(|clause| Some((clause.value, *ids.get(&clause.value)?))).collect();
        for clause in found.iter().filter(|clause| !is_call(clause.value)) {
            ids.entry(clause.value).or_insert_with(|| self.clause(function, clause.value));
        }
        let count = |site: SiteId| self.sites.list[site.index()].outcome_count;
        let clause = |found: &FoundClause<'c>| {
            let site = ids.get(&found.value).copied().filter(|site| count(*site) == 2);
            Clause { site, next: found.next }
        };
        let clauses: Vec<Clause> = found.iter().map(clause).collect();
        let Some(first) = clauses[0].site.map(|site| self.sites.list[site.index()].clone()) else { return };
        let mut decision = Decision { function, place: first.place.clone(), clauses, site: None };
        if decision.is_small() && !decision.is_told_by_clauses(|site| count(site) == 2) {
            let (outcomes, ways) = (self.sites.outcome_count, decision.way_count() as u32);
            decision.site = Some(SiteId::of(self.sites.list.len()));
            self.sites.list.push(Site {
                kind: SiteKind::Decision,
                first_outcome: OutcomeId(outcomes),
                outcome_count: ways,
                ..first
            });
            self.sites.outcome_count += ways;
            let kind = self.module.context().metadata_kind(WAY_KIND);
            for (index, (found, addends)) in found.iter().zip(decision.addends()).enumerate() {
                let mark = WayMark {
                    first: outcomes,
                    begins: index == 0,
                    addends: addends.map(|addend| addend as u32),
                    ends: found.next.map(|next| matches!(next, Next::Value(_))),
                };
                found.value.set_numbers(kind, &mark.numbers());
            }
        }
        self.sites.decisions.push(decision);
    }

    /// Comparisons learn which branch they feed, traps which check they belong to; both may stand on either side.
    fn connect(&mut self, branches: &Branches<'c>, ids: &HashMap<Value<'c>, SiteId>) {
        for (compare, branch) in &branches.feeds {
            if let (Some(compare), Some(branch_id)) = (ids.get(compare), ids.get(branch))
                && let SiteKind::Compare { feeds, negated, .. } = &mut self.sites.list[compare.index()].kind
            {
                *feeds = Some(*branch_id);
                *negated = condition(*branch).negated;
            }
        }
        for (trap, checks) in &branches.guards {
            if let [check] = checks[..]
                && let Some(numbers) = check.numbers(self.kind)
            {
                trap.set_numbers(self.kind, &numbers);
            }
        }
    }

    /// A value that is no site yet, but a clause.
    fn clause(&mut self, function: FunctionId, value: Value<'c>) -> SiteId {
        let id = SiteId::of(self.sites.list.len());
        let first_outcome = OutcomeId(self.sites.outcome_count);
        value.set_numbers(self.kind, &[self.sites.list.len() as u64, u64::from(first_outcome.0)]);
        let place = place(value, self.files);
        let block = value.block();
        let blocks = block.function().blocks();
        let block = BlockId::of(blocks.iter().position(|other| *other == block).unwrap_or_default());
        let kind = SiteKind::Clause;
        self.sites.list.push(Site { function, block, place, kind, first_outcome, outcome_count: 2 });
        self.sites.outcome_count += 2;
        id
    }

    /// What decides at an instruction, and how many outcomes it has.
    fn describe(&self, instruction: Value<'c>, branches: &Branches<'c>) -> Option<(SiteKind, u32)> {
        match instruction.opcode()? {
            Opcode::LLVMBr => match branches.roles.get(&instruction)? {
                Role::Decision => Some((SiteKind::Branch, 2)),
                Role::Silent => Some((SiteKind::Branch, 0)),
                Role::Check { kind, possible } => Some((SiteKind::Check(*kind), u32::from(*possible))),
            },
            Opcode::LLVMSwitch => {
                let cases: Vec<u128> =
                    instruction.switch_cases().into_iter().map(|(value, _)| value).collect();
                let count = cases.len() as u32 + 1;
                Some((SiteKind::Switch { cases, bits: instruction.condition().ty().int_width() }, count))
            }
            Opcode::LLVMICmp => {
                Some(self.compare(instruction, int_name(instruction.int_predicate()), branches))
            }
            Opcode::LLVMFCmp => {
                Some(self.compare(instruction, real_name(instruction.real_predicate()), branches))
            }
            Opcode::LLVMUDiv | Opcode::LLVMSDiv | Opcode::LLVMURem | Opcode::LLVMSRem => {
                Some((SiteKind::Division, 0))
            }
            Opcode::LLVMShl | Opcode::LLVMLShr | Opcode::LLVMAShr => Some((SiteKind::Shift, 0)),
            _ if is_call(instruction) => self.call(instruction, branches),
            _ => self.access(instruction),
        }
    }

    fn compare(&self, compare: Value<'c>, predicate: &str, branches: &Branches<'c>) -> (SiteKind, u32) {
        let own = compare.ty().int_width() == 1
            && !branches.feeds.contains_key(&compare)
            && !self.marks.is_sanitizer(compare)
            && !is_fixed(compare, 8)
            && !branches.only_checks(compare);
        // The branch it feeds may come later, so its number is filled in when all are known.
        let compared = match compare.operand(0).ty().kind() {
            _ if compare.opcode() == Some(Opcode::LLVMFCmp) => Compared::Floats,
            Kind::Pointer => Compared::Pointers,
            _ => Compared::Integers,
        };
        let (predicate, chooses) = (predicate.to_owned(), own && chooses(compare));
        let kind = SiteKind::Compare { predicate, compared, feeds: None, negated: false, chooses };
        (kind, if own { 2 } else { 0 })
    }

    fn call(&self, call: Value<'c>, branches: &Branches<'c>) -> Option<(SiteKind, u32)> {
        if let Some(kind) = trap(call) {
            let alone = !branches.guards.contains_key(&call);
            return alone.then_some((SiteKind::Check(kind), 1));
        }
        if is_error(call.callee()) {
            return Some((SiteKind::Error, 1));
        }
        if !call.callee().is_intrinsic() {
            return Some((SiteKind::Call, 0));
        }
        let name = call.callee().name();
        let moves =
            ["llvm.memcpy.", "llvm.memmove.", "llvm.memset."].iter().any(|start| name.starts_with(start));
        if !moves || self.marks.is_initialisation(call) {
            return None;
        }
        let bytes = call.operand(2).constant_int().unwrap_or(0) as u64;
        Some((SiteKind::Access { write: true, bytes }, 0))
    }

    /// A memory access; those to a plain local variable, which cannot fail, are left out.
    fn access(&self, instruction: Value<'c>) -> Option<(SiteKind, u32)> {
        let (write, pointer, ty) = match instruction.opcode()? {
            Opcode::LLVMLoad => (false, instruction.operand(0), instruction.ty()),
            Opcode::LLVMStore => (true, instruction.operand(1), instruction.operand(0).ty()),
            Opcode::LLVMAtomicRMW | Opcode::LLVMAtomicCmpXchg => {
                (true, instruction.operand(0), instruction.operand(1).ty())
            }
            _ => return None,
        };
        let plain =
            pointer.opcode() == Some(Opcode::LLVMAlloca) && pointer.operand(0).constant_int() == Some(1);
        (!plain).then(|| (SiteKind::Access { write, bytes: self.module.store_size(ty) }, 0))
    }
}

/// Functions whose calls are errors: those of the C library that end the program as one, those of verification
/// programs, and what nobody defines and never returns.
fn is_error(callee: Value<'_>) -> bool {
    const NAMES: &[&str] = &["abort", "__assert_fail", "reach_error", "__VERIFIER_error"];
    callee.is_function()
        && (NAMES.contains(&callee.name().as_str())
            || crate::missing::is_missing(callee) && crate::missing::never_returns(callee))
}

/// The instruction whose place is shown. Compilers differ in what a branch points at, but a branch of `&&` or `||`
/// is best known by its own comparison.
fn deciding<'c>(instruction: Value<'c>, branches: &Branches<'c>) -> Value<'c> {
    if branches.roles.get(&instruction) != Some(&Role::Decision) {
        return instruction;
    }
    condition(instruction).compare.filter(|compare| compare.location().is_some()).unwrap_or(instruction)
}

fn int_name(predicate: IntPredicate) -> &'static str {
    match predicate {
        IntPredicate::LLVMIntEQ => "eq",
        IntPredicate::LLVMIntNE => "ne",
        IntPredicate::LLVMIntUGT => "ugt",
        IntPredicate::LLVMIntUGE => "uge",
        IntPredicate::LLVMIntULT => "ult",
        IntPredicate::LLVMIntULE => "ule",
        IntPredicate::LLVMIntSGT => "sgt",
        IntPredicate::LLVMIntSGE => "sge",
        IntPredicate::LLVMIntSLT => "slt",
        IntPredicate::LLVMIntSLE => "sle",
    }
}

fn real_name(predicate: RealPredicate) -> &'static str {
    match predicate {
        RealPredicate::LLVMRealPredicateFalse => "false",
        RealPredicate::LLVMRealOEQ => "oeq",
        RealPredicate::LLVMRealOGT => "ogt",
        RealPredicate::LLVMRealOGE => "oge",
        RealPredicate::LLVMRealOLT => "olt",
        RealPredicate::LLVMRealOLE => "ole",
        RealPredicate::LLVMRealONE => "one",
        RealPredicate::LLVMRealORD => "ord",
        RealPredicate::LLVMRealUNO => "uno",
        RealPredicate::LLVMRealUEQ => "ueq",
        RealPredicate::LLVMRealUGT => "ugt",
        RealPredicate::LLVMRealUGE => "uge",
        RealPredicate::LLVMRealULT => "ult",
        RealPredicate::LLVMRealULE => "ule",
        RealPredicate::LLVMRealUNE => "une",
        RealPredicate::LLVMRealPredicateTrue => "true",
    }
}
