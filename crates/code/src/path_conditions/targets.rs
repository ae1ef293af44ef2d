//! Targets and their nodes: which paths are analysed, and which code calls for their conditions.

use super::atom::{Atom, Clause};
use super::body::Body;
use super::carried::Carried;
use super::counter::Counters;
use super::describe::Describe;
use super::emit::{self, Conditions, Emitted};
use super::execute::{Executor, GivenUp};
use super::merge::Conjunction;
use super::range::{Prospect, prospect, without_implied};
use super::slice::Slice;
use super::state::State;
use super::term::Terms;
use super::{Analysis, Fallback, NodeConditions, Product, Settings, TargetConditions};
use crate::instrument::emitter::Emitter;
use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};
use std::rc::Rc;
use std::sync::LazyLock;
use std::time::{Duration, Instant};
use testwright_abi::fitness::{COUNTED, FIRST, MAX_CONDITIONS};
use testwright_base::graph::paths::{Edge, Path, blocks_between, paths, paths_without_return};
use testwright_base::ids::{BlockId, FunctionId, OutcomeId};
use testwright_base::subject::{Callee, Subject};

/// Steps of symbolic execution per function. They decide how long an analysis can take, and unlike the clock they are the
/// same on every machine.
const STEPS: u64 = 3_000_000;
/// What the paths from one node to one target may take of them. If that is not enough, those that come back to the node are left
/// out: when a run does come back, the node is asked again.
const STEPS_PER_ROUTE: u64 = 50_000;

/// Where paths end.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Goal {
    /// With an edge.
    Edge(Edge),
    /// With a block that calls this function.
    Call(FunctionId),
}

/// Paths from a node to a goal.
type Route = (FunctionId, BlockId, Goal);

/// What was found out about a route.
struct Surveyed {
    products: Vec<Product>,
    conditions: Conditions,
    /// Whether no condition was dropped on any path.
    complete: bool,
}

/// Analyses all targets of these functions and lets their nodes call for the conditions.
pub fn instrument(
    emitter: &Emitter<'_, '_>,
    subject: &Subject,
    functions: &BTreeSet<FunctionId>,
    settings: &Settings,
) -> Analysis {
    let mut survey = Survey::new(emitter, subject, functions, *settings);
    let mut analysis = Analysis::default();
    let mut hooks = Hooks::default();
    for function in functions {
        let start = processor_time();
        survey.fuel = STEPS;
        let Some(body) = survey.bodies.get(function) else { continue };
        for (target, edge) in body.outcomes() {
            let conditions = match survey.target(*function, edge) {
                Ok(routes) => TargetConditions::Nodes(survey.describe(target, &routes, &mut hooks)),
                Err(fallback) => TargetConditions::Fallback(fallback),
            };
            analysis.targets.insert(target, conditions);
        }
        analysis.times.insert(*function, processor_time().saturating_sub(start));
    }
    survey.emit(&hooks);
    analysis
}

/// A target, the number of a node among those of the target, and the route between them.
type Hooked = (u32, u32, Route);

/// Which targets a node has, in the order in which hooks are emitted.
#[derive(Default)]
struct Hooks {
    /// Per node.
    nodes: BTreeMap<(FunctionId, BlockId), Vec<Hooked>>,
}

struct Survey<'a, 'c, 'm> {
    emitter: &'a Emitter<'c, 'm>,
    subject: &'a Subject,
    functions: &'a BTreeSet<FunctionId>,
    settings: Settings,
    bodies: HashMap<FunctionId, Body<'c>>,
    carried: HashMap<FunctionId, Carried<'c>>,
    counters: HashMap<FunctionId, Counters<'c>>,
    terms: Terms<'c>,
    routes: HashMap<Route, Result<Surveyed, Fallback>>,
    fuel: u64,
}

impl<'a, 'c, 'm> Survey<'a, 'c, 'm> {
    fn new(
        emitter: &'a Emitter<'c, 'm>,
        subject: &'a Subject,
        functions: &'a BTreeSet<FunctionId>,
        settings: Settings,
    ) -> Survey<'a, 'c, 'm> {
        let body = |function: &FunctionId| Some((*function, Body::new(emitter.module, subject, *function)?));
        let bodies: HashMap<FunctionId, Body<'c>> = functions.iter().filter_map(body).collect();
        let counters = bodies.iter().map(|(function, body)| (*function, Counters::new(body))).collect();
        let mut survey = Survey {
            emitter,
            subject,
            functions,
            settings,
            bodies,
            carried: HashMap::new(),
            counters,
            terms: Terms::default(),
            routes: HashMap::new(),
            fuel: STEPS,
        };
        let repeated = survey.called_again();
        let carried = |(function, body): (&FunctionId, &Body<'c>)| {
            (*function, Carried::new(body, repeated.contains(function)))
        };
        survey.carried = survey.bodies.iter().map(carried).collect();
        survey
    }

    /// The functions that loops call, directly or through others.
    fn called_again(&self) -> BTreeSet<FunctionId> {
        let mut repeated = BTreeSet::new();
        let mut changed = true;
        while std::mem::take(&mut changed) {
            for (caller, body) in &self.bodies {
                let may_call = |callee: &&FunctionId| {
                    self.calling_blocks(*caller, **callee)
                        .iter()
                        .any(|block| repeated.contains(caller) || body.flow.comes_back(*block))
                };
                let called: Vec<FunctionId> = self.functions.iter().filter(may_call).copied().collect();
                for callee in called {
                    changed |= repeated.insert(callee);
                }
            }
        }
        repeated
    }

    /// The routes to a target, with the conditions that count as dropped besides.
    fn target(&mut self, function: FunctionId, edge: Edge) -> Result<Vec<(Route, u32)>, Fallback> {
        let Some(body) = self.bodies.get(&function) else { return Err(Fallback::NoPath) };
        let mut nodes = body.deciders(edge.0);
        if !nodes.contains(&edge.0) {
            nodes.push(edge.0);
        }
        let mut routes: Vec<(Route, u32)> =
            nodes.into_iter().map(|node| ((function, node, Goal::Edge(edge)), 0)).collect();
        routes.extend(self.routes_of_callers(function, 1 + depth(body, edge.0)));
        let mut opposing = None;
        let mut kept = Vec::new();
        for (route, more) in routes {
            if !self.routes.contains_key(&route) {
                let surveyed = self.survey(route);
                self.routes.insert(route, surveyed);
            }
            match &self.routes[&route] {
                Ok(_) => kept.push((route, more)),
                Err(Fallback::NoPath) => {}
                Err(fallback @ Fallback::Opposing(_)) => opposing = Some(fallback.clone()),
                Err(fallback) => return Err(fallback.clone()),
            }
        }
        match opposing {
            Some(fallback) => Err(fallback),
            None if kept.is_empty() => Err(Fallback::NoPath),
            None => Ok(self.without_blind(kept)),
        }
    }

    /// Leaves out nodes that see less than one before them. A node that is passed on every way to another, and from which
    /// every path is known completely, knows how the variables come about that the other only finds: `if (equal > 3)`
    /// has a distance, but no way to make it smaller, where `equal` counts equalities.
    fn without_blind(&self, routes: Vec<(Route, u32)>) -> Vec<(Route, u32)> {
        let sees_all = |(route, _): &&(Route, u32)| {
            matches!(self.routes.get(route), Some(Ok(Surveyed { complete: true, .. })))
        };
        let seeing: Vec<Route> = routes.iter().filter(sees_all).map(|(route, _)| *route).collect();
        let is_blind = |(function, node, goal): &Route| {
            seeing.iter().any(|(other_function, other, other_goal)| {
                (other_function, other_goal) == (function, goal)
                    && other != node
                    && self.bodies[function].flow.dominates(*other, *node)
            })
        };
        routes.into_iter().filter(|(route, _)| !is_blind(route)).collect()
    }

    /// The routes to the blocks that call a function, directly or through others.
    fn routes_of_callers(&self, function: FunctionId, depth_in_it: u32) -> Vec<(Route, u32)> {
        let mut routes = Vec::new();
        let mut seen = BTreeSet::from([function]);
        let mut open = VecDeque::from([(function, depth_in_it)]);
        while let Some((callee, more)) = open.pop_front() {
            for caller in self.functions {
                let Some(body) = self.bodies.get(caller) else { continue };
                let blocks = self.calling_blocks(*caller, callee);
                let nodes: BTreeSet<BlockId> =
                    blocks.iter().flat_map(|block| body.deciders(*block)).collect();
                routes.extend(nodes.into_iter().map(|node| ((*caller, node, Goal::Call(callee)), more)));
                let nearest = blocks.iter().map(|block| depth(body, *block)).min();
                if let Some(nearest) = nearest.filter(|_| seen.insert(*caller)) {
                    open.push_back((*caller, more + nearest));
                }
            }
        }
        routes
    }

    /// The blocks of a function that call another.
    fn calling_blocks(&self, caller: FunctionId, callee: FunctionId) -> BTreeSet<BlockId> {
        let calls = self.subject.function(caller).calls.iter().filter(|call| match &call.callee {
            Callee::Defined(id) => *id == callee,
            Callee::Pointer(candidates) => candidates.contains(&callee),
            Callee::External(_) => false,
        });
        calls.map(|call| call.block).collect()
    }

    fn survey(&mut self, route: Route) -> Result<Surveyed, Fallback> {
        let (function, node, goal) = route;
        let (mut states, mut has_all) = (Vec::new(), true);
        let Some(body) = self.bodies.get(&function) else { return Err(Fallback::NoPath) };
        let edges: Vec<Edge> = match goal {
            Goal::Edge(edge) => vec![edge],
            Goal::Call(callee) => {
                let blocks = self.calling_blocks(function, callee);
                let sources = body.flow.blocks();
                let edges = sources
                    .flat_map(|from| (0..body.flow.successors(from).len()).map(move |way| (from, way)));
                edges.filter(|edge| blocks.contains(&body.flow.target(*edge))).collect()
            }
        };
        for edge in edges {
            let slice = Slice::new(body, &blocks_between(&body.flow, node, edge));
            let mut execute = |path: Option<Rc<Path>>| {
                let fuel = self.fuel.min(STEPS_PER_ROUTE);
                let mut left = fuel;
                let mut executor = Executor {
                    module: self.emitter.module,
                    body,
                    node,
                    counters: &self.counters[&function],
                    slice: &slice,
                    terms: &mut self.terms,
                    unroll: self.settings.unroll,
                    limit: self.settings.paths,
                    target: Some(edge),
                    fuel: &mut left,
                };
                let found = path.map_or(Ok(Vec::new()), |path| executor.execute(&path));
                self.fuel -= fuel - left;
                found
            };
            let found = match execute(paths(&body.flow, node, edge)) {
                Err(_) => {
                    has_all = false;
                    execute(paths_without_return(&body.flow, node, edge))
                }
                found => found,
            };
            let found = found.map_err(|given_up| match given_up {
                GivenUp::Paths => {
                    Fallback::Paths { limit: self.settings.paths, line: self.line(function, node) }
                }
                GivenUp::Steps => Fallback::Steps,
            })?;
            states.extend(found);
        }
        let complete = has_all && states.iter().all(|state| state.dropped == 0);
        let products = self.products(function, states)?;
        let conditions = Conditions::of(&products);
        if conditions.len() > MAX_CONDITIONS {
            return Err(Fallback::Conditions);
        }
        Ok(Surveyed { products, conditions, complete })
    }

    /// The line of the decision that ends a block.
    fn line(&self, function: FunctionId, block: BlockId) -> u32 {
        let block = &self.subject.function(function).blocks[block.index()];
        let site = block.decides.and_then(|site| self.subject.site(site));
        site.and_then(|site| site.place.as_ref()).map_or(block.line, |place| place.line)
    }

    /// The paths that are worth looking at.
    fn products(&self, function: FunctionId, states: Vec<State>) -> Result<Vec<Product>, Fallback> {
        let mut opposing = None;
        let mut products: Vec<Product> = Vec::new();
        for state in states {
            match prospect(&self.terms, &state.clauses) {
                Prospect::Possible => {
                    let clauses = without_implied(&self.terms, state.clauses);
                    products.push(Product { dropped: state.dropped, clauses });
                }
                Prospect::Impossible => {}
                Prospect::OnlyByWrapping(index) => {
                    opposing.get_or_insert((state.clauses, index));
                }
            }
        }
        match (products.is_empty(), opposing) {
            (false, _) => {
                let counts = |clause: &Clause| self.marks(function, clause) & COUNTED != 0;
                Ok(undominated(&self.terms, products, counts))
            }
            (true, Some((clauses, _))) => {
                let describe = Describe::new(self.subject, &self.terms);
                Err(Fallback::Opposing(clauses.iter().map(|clause| describe.clause(clause)).collect()))
            }
            (true, None) => Err(Fallback::NoPath),
        }
    }

    /// How a clause counts: those on what rounds leave to the next come first, and those on counters alone count rounds.
    fn marks(&self, function: FunctionId, clause: &Clause) -> u32 {
        let is_carried = self.carried.get(&function).is_some_and(|carried| carried.has(&self.terms, clause));
        let is_later = clause.iter().any(|atom| match atom {
            Atom::Integers(_, a, b) => self.terms.is_later(*a) || self.terms.is_later(*b),
            Atom::OneOf(term, _) | Atom::NoneOf(term, _) => self.terms.is_later(*term),
            Atom::Floats(..) | Atom::Bit(..) => false,
        });
        let counts =
            self.counters.get(&function).is_some_and(|counters| counters.are_all(&self.terms, clause));
        let counted = if counts && (is_carried || is_later) { COUNTED } else { 0 };
        if is_carried && !is_later { FIRST | counted } else { counted }
    }

    /// What a path counts besides that a counter keeps from being taken: more than any path that goes round a loop of the function.
    fn out_of_reach(&self, function: FunctionId, routes: &[(Route, u32)]) -> u32 {
        let here = routes.iter().filter(|((other, ..), _)| *other == function);
        let surveyed = here.filter_map(|(route, _)| self.routes.get(route)?.as_ref().ok());
        let goes_round =
            |product: &&Product| product.clauses.iter().any(|clause| self.marks(function, clause) == COUNTED);
        let round = surveyed.flat_map(|surveyed| surveyed.products.iter().filter(goes_round));
        round.map(|product| product.dropped + 1).max().unwrap_or(0)
    }

    /// The nodes of a target; they are to be hooked.
    fn describe(&self, target: OutcomeId, routes: &[(Route, u32)], hooks: &mut Hooks) -> Vec<NodeConditions> {
        let describe = Describe::new(self.subject, &self.terms);
        let mut nodes = Vec::new();
        let own = routes.first().map_or(0, |((function, ..), _)| self.out_of_reach(*function, routes));
        for (route, more) in routes.iter().copied() {
            let Some(Ok(Surveyed { products, conditions, .. })) = self.routes.get(&route) else { continue };
            let (function, block, _) = route;
            let number = nodes.len() as u32;
            hooks.nodes.entry((function, block)).or_default().push((target.0, number, route));
            // Callers are farther away than what counts in the function itself.
            let more = if more > 0 { more + own } else { more };
            let text = |product: &Product| {
                let clauses = product.clauses.iter().map(|clause| describe.clause(clause)).collect();
                (product.dropped + more, clauses)
            };
            let paths =
                if self.settings.described { products.iter().map(text).collect() } else { Vec::new() };
            let line = self.line(function, block);
            nodes.push(NodeConditions {
                function,
                block,
                line,
                words: conditions.words(products, more, self.out_of_reach(function, routes), |clause| {
                    self.marks(function, clause)
                }),
                paths,
            });
        }
        nodes
    }

    /// Emits the code of all routes, then the calls: nodes are split only when everything is known.
    fn emit(&self, hooks: &Hooks) {
        let mut emitted: HashMap<Route, Emitted<'c>> = HashMap::new();
        for route in hooks.nodes.values().flatten().map(|(_, _, route)| route) {
            if let (false, Some(Ok(surveyed))) = (emitted.contains_key(route), self.routes.get(route)) {
                let name = format!("tw_fitness_{}", emitted.len());
                let code = emit::function(self.emitter, &self.terms, &surveyed.conditions, &name);
                emitted.insert(*route, code);
            }
        }
        for ((function, block), targets) in &hooks.nodes {
            let mut list: Vec<(u32, u32, &Emitted<'c>)> = Vec::new();
            for (target, number, route) in targets {
                // A node may lead to a target in several ways, by calls of different functions; the first counts.
                if list.iter().all(|(other, ..)| other != target) {
                    list.extend(emitted.get(route).map(|code| (*target, *number, code)));
                }
            }
            emit::hook(self.emitter, self.bodies[function].blocks[block.index()], &list);
        }
    }
}

/// What this thread has used of a processor; what others do meanwhile does not count. Where nobody knows, the clock.
fn processor_time() -> Duration {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    let used = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanoseconds = used.and_then(|text| text.split_whitespace().next()?.parse().ok());
    nanoseconds.map_or_else(|| START.elapsed(), Duration::from_nanos)
}

/// How many decisions have to go right to come to a block, at least.
fn depth(body: &Body<'_>, block: BlockId) -> u32 {
    let mut seen = BTreeSet::from([block]);
    let mut open = VecDeque::from([(block, 0)]);
    while let Some((block, depth)) = open.pop_front() {
        if body.flow.post_dominates(block, BlockId(0)) {
            return depth;
        }
        for (source, _) in body.flow.dependences(block) {
            if seen.insert(*source) {
                open.push_back((*source, depth + 1));
            }
        }
    }
    0
}

/// Leaves out paths whose sum is never the smallest: they imply all conditions of another one, or have more dropped
/// conditions than another one has conditions at all, each of which counts less than one unless it counts rounds.
fn undominated(terms: &Terms<'_>, products: Vec<Product>, counts: impl Fn(&Clause) -> bool) -> Vec<Product> {
    let conjunctions: Vec<Conjunction> =
        products.iter().map(|product| Conjunction::new(terms, product.clauses.clone())).collect();
    let mut keep = vec![true; products.len()];
    for (index, product) in products.iter().enumerate() {
        keep[index] = !products.iter().enumerate().any(|(other, better)| {
            let total = better.dropped + better.clauses.len() as u32;
            let is_nearer = better.dropped <= product.dropped
                && conjunctions[index].implies_all(terms, &conjunctions[other]);
            keep[other]
                && other != index
                && (is_nearer
                    || product.dropped >= total
                        && !better.clauses.is_empty()
                        && !better.clauses.iter().any(&counts))
        });
    }
    products.into_iter().zip(keep).filter(|(_, keep)| *keep).map(|(product, _)| product).collect()
}
