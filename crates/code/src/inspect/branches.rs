//! What each conditional branch is for: a decision of the program, a sanitizer check, or neither.

use super::arguments::finds_argument;
use super::condition::condition;
use std::collections::{HashMap, HashSet};
use testwright_base::site::CheckKind;
use testwright_llvm::{Block, Module, Opcode, Value};

/// What a conditional branch is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A decision of the program.
    Decision,
    /// A sanitizer check: one way leads to a trap.
    Check {
        /// What is checked.
        kind: CheckKind,
        /// Whether the check can fail; the compiler sometimes emits one on a constant.
        possible: bool,
    },
    /// Code that the compiler made up, or a decision on a constant: no way to go is worth a goal.
    Silent,
}

/// The conditional branches of a function.
#[derive(Debug, Default)]
pub struct Branches<'c> {
    /// What each is for.
    pub roles: HashMap<Value<'c>, Role>,
    /// The branch that a comparison decides, directly or through others.
    pub feeds: HashMap<Value<'c>, Value<'c>>,
    /// The checks that lead to a trap.
    pub guards: HashMap<Value<'c>, Vec<Value<'c>>>,
}

/// Numbers of the metadata kinds with which clang marks code that it made up.
#[derive(Debug, Clone, Copy)]
pub struct Marks {
    /// Code of a sanitizer.
    sanitizer: u32,
    /// Initialisation of variables that the program does not initialise.
    annotation: u32,
}

impl Marks {
    /// The marks in this module's context.
    #[must_use]
    pub fn new(module: &Module<'_>) -> Marks {
        let kind = |name| module.context().metadata_kind(name);
        Marks { sanitizer: kind("nosanitize"), annotation: kind("annotation") }
    }

    /// Whether an instruction is part of a sanitizer check.
    #[must_use]
    pub fn is_sanitizer(self, instruction: Value<'_>) -> bool {
        instruction.has_metadata(self.sanitizer)
    }

    /// Whether an instruction initialises a variable that the program does not initialise.
    #[must_use]
    pub fn is_initialisation(self, instruction: Value<'_>) -> bool {
        instruction.has_metadata(self.annotation)
    }

    /// Whether a branch belongs to the loop that initialises an array of variable length:
    ///
    /// ```text
    /// br (length == 0), done, setup        setup: br loop        loop: memcpy; br (end), done, loop
    /// ```
    fn initialises_array(self, branch: Value<'_>) -> bool {
        let is_loop = |block: Block<'_>| {
            let repeats = block.terminator().is_some_and(|end| end.successors().contains(&block));
            repeats && block.instructions().into_iter().any(|instruction| self.is_initialisation(instruction))
        };
        let leads_to_loop = |block: Block<'_>| {
            let next = block.terminator().map(Value::successors).unwrap_or_default();
            next.len() == 1 && is_loop(next[0])
        };
        is_loop(branch.block()) || branch.successors().into_iter().any(leads_to_loop)
    }
}

impl<'c> Branches<'c> {
    /// Looks at all conditional branches of a function.
    #[must_use]
    pub fn of(function: Value<'c>, marks: Marks) -> Branches<'c> {
        let mut branches = Branches::default();
        for branch in function.blocks().into_iter().filter_map(Block::terminator) {
            if branch.is_conditional() {
                branches.add(branch, marks);
            }
        }
        branches
    }

    fn add(&mut self, branch: Value<'c>, marks: Marks) {
        let condition = condition(branch);
        for compare in condition.compare.into_iter().chain(condition.wrappers) {
            self.feeds.entry(compare).or_insert(branch);
        }
        let constant = branch.condition().constant_int();
        let ways = branch.successors();
        let failing = ways.iter().enumerate().find_map(|(way, block)| Some((way, failed_check(*block)?)));
        let role = if let Some((way, (call, kind))) = failing {
            self.guards.entry(call).or_default().push(branch);
            // Way 0 is taken when the condition holds.
            Role::Check { kind, possible: constant.is_none_or(|holds| (holds != 0) == (way == 0)) }
        } else if is_fixed(branch.condition(), 8)
            || marks.is_sanitizer(branch)
            || marks.initialises_array(branch)
            || finds_argument(branch)
        {
            Role::Silent
        } else {
            Role::Decision
        };
        self.roles.insert(branch, role);
    }

    /// Whether a boolean serves nothing but checks and other code of the compiler's.
    #[must_use]
    pub fn only_checks(&self, value: Value<'c>) -> bool {
        let mut seen = vec![value];
        let mut next = 0;
        while let Some(value) = seen.get(next).copied() {
            next += 1;
            for user in value.users() {
                match user.opcode() {
                    Some(Opcode::LLVMBr) if self.roles.get(&user) != Some(&Role::Decision) => {}
                    Some(
                        Opcode::LLVMAnd
                        | Opcode::LLVMOr
                        | Opcode::LLVMXor
                        | Opcode::LLVMPHI
                        | Opcode::LLVMSelect
                        | Opcode::LLVMFreeze,
                    ) if user.ty().int_width() == 1 => {
                        if !seen.contains(&user) {
                            seen.push(user);
                        }
                    }
                    _ => return false,
                }
            }
        }
        // A comparison that nothing uses is the program's.
        seen.len() > 1 || !value.users().is_empty()
    }
}

/// The blocks that can be reached at all: constant conditions, such as that of `0 ? a : b`, go one way.
pub fn live_blocks(function: Value<'_>) -> HashSet<Block<'_>> {
    let mut live = HashSet::new();
    let mut waiting: Vec<Block<'_>> = function.blocks().into_iter().take(1).collect();
    while let Some(block) = waiting.pop() {
        if !live.insert(block) {
            continue;
        }
        let Some(end) = block.terminator() else { continue };
        let ways = end.successors();
        let decided = (end.opcode() == Some(Opcode::LLVMBr) && end.is_conditional())
            .then(|| end.condition().constant_int())
            .flatten();
        match decided {
            Some(condition) => waiting.push(ways[usize::from(condition == 0)]),
            None => waiting.extend(ways),
        }
    }
    live
}

/// Whether a boolean decides a `?:`, `&&` or `||` for which there is no branch: compilers select between operands that
/// cost nothing, and the value of `a && b` is that of `b` where it is not false already.
pub fn chooses(value: Value<'_>) -> bool {
    value.users().into_iter().any(|user| match user.opcode() {
        Some(Opcode::LLVMPHI) => user.ty().int_width() == 1,
        Some(Opcode::LLVMSelect) => user.operand(0) == value,
        Some(Opcode::LLVMXor | Opcode::LLVMFreeze) => user.ty().int_width() == 1 && chooses(user),
        _ => false,
    })
}

/// Whether a value is the same in every run: a constant, or computed from constants only. Constant expressions of
/// older compilers, such as the comparison of two addresses, arrive as instructions.
#[must_use]
pub fn is_fixed(value: Value<'_>, depth: u32) -> bool {
    if value.is_constant() {
        return true;
    }
    let computes = matches!(
        value.opcode(),
        Some(
            Opcode::LLVMICmp
                | Opcode::LLVMZExt
                | Opcode::LLVMSExt
                | Opcode::LLVMTrunc
                | Opcode::LLVMPtrToInt
                | Opcode::LLVMIntToPtr
                | Opcode::LLVMBitCast
                | Opcode::LLVMGetElementPtr
                | Opcode::LLVMAdd
                | Opcode::LLVMSub
                | Opcode::LLVMAnd
                | Opcode::LLVMOr
                | Opcode::LLVMXor
                | Opcode::LLVMSelect
        )
    );
    computes && depth > 0 && value.operands().into_iter().all(|operand| is_fixed(operand, depth - 1))
}

/// The trap that a block begins with, if it is where a failed check leads. A `__builtin_trap` of the program's is not.
fn failed_check(block: Block<'_>) -> Option<(Value<'_>, CheckKind)> {
    let call = block.instructions().into_iter().next()?;
    trap(call).filter(|kind| *kind != CheckKind::TRAP).map(|kind| (call, kind))
}

/// What kind of trap an instruction is, if it is one.
#[must_use]
pub fn trap(instruction: Value<'_>) -> Option<CheckKind> {
    if instruction.opcode() != Some(Opcode::LLVMCall) || !instruction.callee().is_intrinsic() {
        return None;
    }
    match instruction.callee().name().as_str() {
        "llvm.ubsantrap" => Some(CheckKind(instruction.operand(0).constant_int().unwrap_or_default() as u32)),
        "llvm.trap" | "llvm.debugtrap" => Some(CheckKind::TRAP),
        _ => None,
    }
}
