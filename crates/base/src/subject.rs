//! The subject: the compiled code under test. It never changes after it is built.

use crate::case::{Case, Value};
use crate::contract::{Contract, PRECONDITION, Promise};
use crate::decision::Decision;
use crate::doubt::Doubt;
use crate::graph::FlowGraph;
use crate::ids::{BlockId, FunctionId, GlobalId, OutcomeId, SiteId, TypeId};
use crate::mutant::Mutant;
use crate::site::{Place, Site};
use crate::stub::Stub;
use crate::types::Types;
use serde::{Deserialize, Serialize};
use serde_json::Value as Json;
use std::collections::BTreeMap;

/// The code under test.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Subject {
    /// The source files, as named by the user.
    pub files: Vec<String>,
    /// All types that signatures and globals mention.
    pub types: Types,
    /// The functions that are defined, in the order of the code. Library models come last.
    pub functions: Vec<Function>,
    /// The global variables that are defined and can be written.
    pub globals: Vec<Global>,
    /// All sites.
    pub sites: Vec<Site>,
    /// How many outcomes the sites have together.
    pub outcome_count: u32,
    /// Functions that are called but neither defined nor modelled; events refer to them by index.
    pub externals: Vec<String>,
    /// What could not be instrumented, in words; events refer to these by index.
    pub unsupported: Vec<String>,
    /// Functions that are called or handed over, and that nobody defines.
    pub stubs: Vec<Stub>,
    /// What callers promise, as the code states it.
    #[serde(default)]
    pub promises: Vec<Promise>,
    /// Variables that are used and that nobody defines.
    #[serde(default)]
    pub undefined: Vec<Undefined>,
    /// Who would define some of what is missing.
    #[serde(default)]
    pub elsewhere: Vec<Elsewhere>,
    /// The files that are not part of it although they were named, and why.
    #[serde(default)]
    pub left_out: Vec<String>,
    /// Memory at fixed addresses that stands for registers, in order.
    #[serde(default)]
    pub fixed: Vec<Fixed>,
    /// All numbers that the code takes for addresses, in order; those that are no variables in `fixed` lead nowhere.
    #[serde(default)]
    pub addresses: Vec<u64>,
    /// Outcomes that happen after others, in order.
    #[serde(default)]
    pub precedences: Vec<Precedence>,
    /// The branches and switches on what library functions returned, with their models, in order.
    #[serde(default)]
    pub results: Vec<(SiteId, FunctionId)>,
    /// The small changes of the code that the mutant build holds, by number.
    #[serde(default)]
    pub mutants: Vec<Mutant>,
    /// The boolean expressions of several clauses, in the order of the code.
    #[serde(default)]
    pub decisions: Vec<Decision>,
}

/// A variable that the code uses and nobody defines.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Undefined {
    /// Its name.
    pub name: String,
    /// Size in bytes; some if it is not known.
    pub size: u64,
    /// Whether there is one per thread.
    pub thread_local: bool,
    /// Whether it is declared without a size.
    pub unbounded: bool,
}

/// A function or variable that is missing although a file of the project defines it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Elsewhere {
    /// Its name.
    pub name: String,
    /// The file that defines it.
    pub file: String,
    /// Why that file cannot be used.
    pub why: String,
}

/// A variable that stands for memory at an address that the code names by a number.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fixed {
    /// The name of the variable.
    pub name: String,
    /// Where the code expects it.
    pub address: u64,
    /// Size in bytes: 1, 2, 4 or 8.
    pub size: u64,
}

/// An outcome that happens after one of some others, because these bring about the value that it asks for.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Precedence {
    /// The outcome.
    pub outcome: OutcomeId,
    /// The others, at least one, in order.
    pub after: Vec<OutcomeId>,
    /// Whether the value may come about without any of them too.
    pub anyway: bool,
}

/// What code names: inputs that are like it come to more places.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Words {
    /// The numbers that it compares and computes with, in order.
    pub numbers: Vec<i128>,
    /// The texts, without the NUL at their ends, in order.
    pub texts: Vec<Vec<u8>>,
}

/// A function of the subject.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Function {
    /// Its name.
    pub name: String,
    /// Where it is defined.
    pub place: Option<Place>,
    /// Whether it is `static`.
    pub internal: bool,
    /// Whether it is a library model of ours rather than code under test.
    pub model: bool,
    /// Whether its file was not named, but defines what the named ones call.
    #[serde(default)]
    pub companion: bool,
    /// Its parameters and result; none for functions without debug information.
    pub signature: Option<Signature>,
    /// Its basic blocks.
    pub blocks: Vec<Block>,
    /// Calls it makes.
    pub calls: Vec<Call>,
    /// Why no case can call it, if so.
    pub uncallable: Option<String>,
    /// The globals that it reads and that something may have changed before.
    #[serde(default)]
    pub reads: Vec<GlobalId>,
    /// Whether it, or what it calls, looks at the bits of addresses: how they are aligned, say.
    #[serde(default)]
    pub looks_at_addresses: bool,
    /// The parameters, by index, that point to structs whose definition its file need not know.
    #[serde(default)]
    pub hidden: Vec<usize>,
    /// The parameters that may say how many elements a pointer leads to, likeliest first, by pointer.
    #[serde(default)]
    pub lengths: BTreeMap<usize, Vec<usize>>,
    /// Arguments worth trying, by parameter.
    #[serde(default)]
    pub examples: Vec<BTreeMap<usize, Json>>,
    /// The numbers and texts that its code names.
    #[serde(default)]
    pub words: Words,
    /// What the user says that it asks of its callers.
    #[serde(default)]
    pub contract: Contract,
    /// What it does that a search cannot vary completely. Without this list nothing could be proved, so it has no default.
    pub doubts: Vec<Doubt>,
}

/// Parameters and result.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Signature {
    /// The parameters in order.
    pub params: Vec<Param>,
    /// The result; the type may be void.
    pub result: TypeId,
    /// Whether more arguments may follow.
    pub variadic: bool,
}

impl Signature {
    /// The parameters that C declares: without the list that stands for the dots.
    #[must_use]
    pub fn declared(&self, types: &Types) -> &[Param] {
        match self.params.as_slice() {
            [declared @ .., last] if self.variadic && types.is_list(last.ty) => declared,
            all => all,
        }
    }
}

/// A parameter.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Param {
    /// Its name; `arg0`, `arg1`.. if it has none.
    pub name: String,
    /// Its type.
    pub ty: TypeId,
}

/// A basic block.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Block {
    /// Where control can go next; the order is that of the outcomes of its branch or switch.
    pub successors: Vec<BlockId>,
    /// The site of the branch or switch that ends it.
    pub decides: Option<SiteId>,
    /// The first line of it.
    pub line: u32,
    /// How many instructions it has.
    #[serde(default)]
    pub instructions: u32,
}

/// A call made by a function.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    /// The block that makes it.
    pub block: BlockId,
    /// Who is called.
    pub callee: Callee,
}

impl Call {
    /// The functions of the subject that it may enter.
    #[must_use]
    pub fn targets(&self) -> &[FunctionId] {
        match &self.callee {
            Callee::Defined(function) => std::slice::from_ref(function),
            Callee::Pointer(candidates) => candidates,
            Callee::External(_) => &[],
        }
    }
}

/// Who is called.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Callee {
    /// A function of the subject.
    Defined(FunctionId),
    /// A function defined elsewhere.
    External(String),
    /// A function pointer; these are the functions of that type whose address is taken.
    Pointer(Vec<FunctionId>),
}

/// A global variable.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Global {
    /// Its name.
    pub name: String,
    /// Its type; none without debug information (string literals and the like).
    pub ty: Option<TypeId>,
    /// Size in bytes.
    pub size: u64,
    /// Where it is defined.
    pub place: Option<Place>,
}

impl Function {
    /// Whether it is what the user wants tests for: in a file that was named, and no model of ours.
    #[must_use]
    pub fn is_named(&self) -> bool {
        !self.model && !self.companion
    }
}

impl Subject {
    /// The number that the code takes for an address if something at `address` probably belongs to the device there.
    #[must_use]
    pub fn fixed_address_near(&self, address: u64) -> Option<u64> {
        /// Devices have their registers in blocks of this size, or less.
        const BLOCK: u64 = 1 << 16;
        let before = self.addresses.iter().rev().find(|base| **base <= address)?;
        (address - before < BLOCK).then_some(*before)
    }

    /// How C names the object of a case, seen from the call: `*items`.
    #[must_use]
    pub fn object_name(&self, case: &Case, object: usize) -> String {
        let name = case.call().and_then(|(function, arguments)| {
            let signature = self.function(function).signature.as_ref()?;
            let points =
                |value: &Value| matches!(value, Value::Pointer { object: target, .. } if *target == object);
            let index = arguments.iter().position(points)?;
            Some(format!("*{}", signature.params.get(index)?.name))
        });
        name.unwrap_or_else(|| format!("object {object}"))
    }

    /// The function with this name.
    #[must_use]
    pub fn function_named(&self, name: &str) -> Option<FunctionId> {
        self.functions
            .iter()
            .position(|function| !function.model && function.name == name)
            .map(FunctionId::of)
    }

    /// The function that checks what another one requires of its callers, if something was stated.
    #[must_use]
    pub fn precondition(&self, function: FunctionId) -> Option<FunctionId> {
        self.model_named(&format!("{PRECONDITION}{}", self.function(function).name))
    }

    /// The function of ours with this name.
    #[must_use]
    pub fn model_named(&self, name: &str) -> Option<FunctionId> {
        self.functions.iter().position(|function| function.model && function.name == name).map(FunctionId::of)
    }

    /// The global with this name.
    #[must_use]
    pub fn global_named(&self, name: &str) -> Option<GlobalId> {
        self.globals.iter().position(|global| global.name == name).map(GlobalId::of)
    }

    /// The function of this id.
    #[must_use]
    pub fn function(&self, id: FunctionId) -> &Function {
        &self.functions[id.index()]
    }

    /// The site of this id.
    #[must_use]
    pub fn site(&self, id: SiteId) -> Option<&Site> {
        self.sites.get(id.index())
    }

    /// The site that has this outcome, and the outcome's index within it.
    #[must_use]
    pub fn outcome(&self, id: OutcomeId) -> Option<(SiteId, u32)> {
        // Sites are in the order of their outcomes; those without outcomes share the number of the next one.
        let after = self.sites.partition_point(|site| site.first_outcome <= id);
        let index = self.sites[..after].iter().rposition(|site| site.outcome_count > 0)?;
        let site = &self.sites[index];
        let within = id.0 - site.first_outcome.0;
        (within < site.outcome_count).then(|| (SiteId::of(index), within))
    }

    /// The outcomes that bring about what this one asks for; none if nothing is known.
    #[must_use]
    pub fn after(&self, outcome: OutcomeId) -> &[OutcomeId] {
        self.precedence(outcome).map_or(&[], |precedence| &precedence.after)
    }

    /// What is known to happen before an outcome.
    #[must_use]
    pub fn precedence(&self, outcome: OutcomeId) -> Option<&Precedence> {
        let found = self.precedences.binary_search_by_key(&outcome, |precedence| precedence.outcome);
        found.ok().map(|index| &self.precedences[index])
    }

    /// The models of the library functions whose results a branch or switch asks about.
    pub fn asks_results_of(&self, site: SiteId) -> impl Iterator<Item = FunctionId> + '_ {
        let first = self.results.partition_point(|(other, _)| *other < site);
        self.results[first..].iter().take_while(move |(other, _)| *other == site).map(|(_, model)| *model)
    }

    /// The decisions of a function.
    #[must_use]
    pub fn decisions_of(&self, function: FunctionId) -> &[Decision] {
        let first = self.decisions.partition_point(|decision| decision.function < function);
        let count = self.decisions[first..].partition_point(|decision| decision.function == function);
        &self.decisions[first..first + count]
    }

    /// How many outcomes the code under test has; those of library models come after them.
    #[must_use]
    pub fn own_outcome_count(&self) -> u32 {
        let first_model = self.sites.iter().find(|site| self.function(site.function).model);
        first_model.map_or(self.outcome_count, |site| site.first_outcome.0)
    }

    /// The flow graph of a function.
    #[must_use]
    pub fn flow(&self, id: FunctionId) -> FlowGraph {
        FlowGraph::new(self.function(id).blocks.iter().map(|block| block.successors.clone()).collect())
    }
}
