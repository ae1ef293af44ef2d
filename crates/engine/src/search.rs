//! The search: build the target, schedule techniques on its functions, judge what they found.

use crate::build::loaded::LoadedSubject;
use crate::build::{self, Analyst, Stated};
use crate::config::{Chosen, ConfigFile};
use crate::failure::Failure;
use crate::judge::{self, Patience, Tried};
use crate::request::{FitnessName, Scope, Searching, Target, Wanted};
use crate::schedule::{self, FunctionResult, Seeds, Setting, Shared, Tools};
use crate::technique::{FunctionAnalysis, InputSearchSetting, Techniques};
use crate::verify::Pace;
use crate::watch::{Event, Watch};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::BufWriter;
use std::rc::Rc;
use std::sync::Arc;
use std::time::{Duration, Instant};
use testwright_base::build::Build;
use testwright_base::goal::Goals;
use testwright_base::graph::CallGraph;
use testwright_base::ids::{FunctionId, SiteId};
use testwright_base::site::{Place, Site};
use testwright_base::subject::Subject;
use testwright_code::path_conditions;
use testwright_logic::solve::Statistics;
use testwright_search::concolic::{Answered, LAST_RESORT, Planning};
use testwright_search::goals::{self, Criteria, Mutation};
use testwright_search::heuristics::{Heuristic, Off};
use testwright_search::plan::cost::CostModel;
use testwright_search::plan::markov::Estimate;
use testwright_suite::replay::Origin;
use testwright_suite::{Answers, Earlier, Effort, Found, Input, LayerCounts, RunCounts, SolverCounts, Style};

/// With less time for each function, the branches of what it calls are left to the searches there.
const LITTLE_TIME: Duration = Duration::from_millis(250);

/// What a search brought.
pub struct Searched {
    /// The code under test.
    pub subject: Rc<Subject>,
    /// What tests should show.
    pub goals: Arc<Goals>,
    /// Which functions were wanted.
    pub chosen: Chosen,
    /// What was kept, and what it does.
    pub found: Vec<Found>,
    /// What the solver did.
    pub solver: Statistics,
    /// How long building took.
    pub built: Duration,
    /// How long what follows may take.
    pub pace: Pace,
    greedy_covers: BTreeMap<FunctionId, usize>,
    /// What failed by a fault of ours, by function.
    lost: BTreeMap<FunctionId, String>,
    seed: u64,
    shared: Shared,
    /// What of the solver's work was asked for goals that no flip leads to.
    augmented: Answered,
    elapsed: Duration,
}

impl Searched {
    /// What a suite is made of, apart from where and how it is written.
    pub fn input(&self, target: &Target) -> Input {
        let explored = &self.shared.explored;
        Input {
            subject: Rc::clone(&self.subject),
            goals: Arc::clone(&self.goals),
            target: target.text(),
            seed: self.seed,
            origin: Origin::default(),
            sources: Vec::new(),
            functions: self.chosen.all(),
            found: self.found.clone(),
            greedy_covers: self.greedy_covers.clone(),
            unmet: self.shared.unmet(&self.goals).chain(self.chosen.unmet(&self.goals)).collect(),
            lost: self.lost.clone(),
            stops: self.shared.stops(),
            notes: Vec::new(),
            effort: effort(explored, solver_counts(&self.solver, &self.augmented), self.elapsed),
            style: Style::default(),
            earlier: Earlier::default(),
            line: Rc::new(source_lines()),
        }
    }
}

/// Builds the target and explores the functions that are wanted. A budget in time begins with earlier cases.
pub fn search(
    target: &Target,
    wanted: &Wanted,
    searching: &Searching,
    earlier: &Earlier,
    watch: &mut dyn Watch,
) -> Result<Searched, Failure> {
    // What makes no sense is refused before anything is compiled.
    let config = ConfigFile::find(searching.config.as_deref(), target)?;
    let settings = searching.settings(config.settings()?)?;
    let mut log = schedule::create_log(searching.log_steps.as_deref())?;
    let started = Instant::now();
    let stated = Stated {
        identity: config.identity(),
        conditions: &|subject: &Subject| config.conditions(subject),
        behaviours: &|subject: &Subject| config.behaviours(subject),
    };
    let mut builds = vec![Build::RunWithDistances, Build::Trace];
    builds.extend(searching.criteria.contains(&Mutation::NAME).then_some(Build::Mutants));
    let session = build::load_stating(target, &builds, &stated)?;
    let contracts = config.contracts(session.subject())?;
    let session = session.with_contracts(contracts);
    let subject = Rc::new(session.subject().clone());
    let priorities = config.priorities(&subject)?;
    config.notes(&subject).iter().for_each(|note| watch.tell(Event::Note(note)));
    let chosen = Chosen::new(&subject, wanted, &priorities)?;
    let budget = searching.times.budget(chosen.functions.len());
    let analyst = Analyst::new(target, &stated)?;
    let unroll = settings.unroll;
    let is_symbolic = |_: &u32| searching.fitness == FitnessName::Symbolic;
    let prepare = |function: FunctionId, scope: &BTreeSet<FunctionId>, paths: Option<u32>| {
        let limits =
            |paths: u32| path_conditions::Settings { unroll, paths: paths as usize, described: false };
        let limits = paths.filter(is_symbolic).map(limits);
        let symbolic = limits.map(|limits| analyst.path_conditions(&subject, scope, &limits)).transpose()?;
        Ok(FunctionAnalysis { symbolic, influences: analyst.influences(function)? })
    };
    let input_search = InputSearchSetting {
        settings,
        prepare: &prepare,
        reachable: &|function| analyst.reachable(function),
    };
    let built = started.elapsed();

    let criteria = Criteria::new(&subject, &goals::ALL, searching.criteria.iter().copied());
    let criteria = Rc::new(criteria.solved_by(searching.augmentation));
    let mut setting = Setting {
        subject: &subject,
        calls: CallGraph::new(&subject),
        strategy: searching.strategy.clone(),
        criteria: Rc::clone(&criteria),
        seed: searching.seed,
        runs: searching.runs,
        shares_time: searching.criteria.contains(&Mutation::NAME)
            && searching.off.keeps(Heuristic::TimeForMutants),
        weights: with_allocations_last(&subject, priorities.weights, searching.off),
        off: searching.off,
        interrupted: searching.interrupted,
        planning: planning(searching.runs, &searching.techniques),
        techniques: searching.techniques.clone(),
        input_search,
        elsewhere: elsewhere(searching, &chosen.functions, budget),
        seeds: seeds(searching, &subject, &chosen.functions, earlier),
        only: None,
        thorough: false,
        observe: None,
    };
    let mut code = LoadedSubject::new(session).without(searching.off);
    let (shared, mut solver, elapsed) =
        scheduled(&mut setting, searching, &chosen.functions, &mut code, log.as_mut(), watch)?;
    let pace = if searching.runs.is_some() { Pace::unhurried() } else { Pace::after(budget, elapsed) };
    let patience = Patience::after(shared.explored.len(), searching.runs, &pace, searching.interrupted);
    let Tried { found, greedy_covers, mut lost, solver: judging } =
        judge::tried_all(&mut code, &shared.explored, &setting.seeds, &patience, &criteria, watch);
    lost.extend(shared.lost());
    solver.add(&judging);
    let mut augmented = Answered::of(&judging);
    shared.explored.iter().for_each(|function| augmented.add(&function.augmented));
    let (seed, goals) = (searching.seed, Arc::clone(criteria.goals()));
    Ok(Searched {
        subject,
        goals,
        chosen,
        found,
        greedy_covers,
        lost,
        seed,
        shared,
        solver,
        augmented,
        built,
        elapsed,
        pace,
    })
}
/// Lets the techniques search in all functions; what that brought, what the solver did, and how long it took.
fn scheduled(
    setting: &mut Setting<'_>,
    searching: &Searching,
    functions: &[FunctionId],
    code: &mut LoadedSubject,
    log: Option<&mut BufWriter<File>>,
    watch: &mut dyn Watch,
) -> Result<(Shared, Statistics, Duration), Failure> {
    let mut solver = build::solver::chain(searching.dump_queries.as_deref())?;
    let budget = searching.times.budget(functions.len());
    watch.tell(Event::Searching { functions: functions.len(), runs: searching.runs, budget });
    let started = Instant::now();
    let interrupted = setting.interrupted;
    let shared = testwright_smt::interruptible(interrupted, || {
        let mut tools = Tools { code, solver: &mut solver, watch, log };
        schedule::explore_all(setting, functions, &searching.times, &mut tools)
    })?;
    watch.tell(Event::PhaseEnds);
    if let Some(planning) = setting.planning.as_ref().filter(|planning| planning.timed) {
        schedule::keep_costs(&planning.costs);
    }
    Ok((shared, solver.statistics().clone(), started.elapsed()))
}

/// What fails only because there is no memory is tried when nothing else is left.
fn with_allocations_last(
    subject: &Subject,
    mut weights: BTreeMap<SiteId, i32>,
    off: Off,
) -> BTreeMap<SiteId, i32> {
    if !off.keeps(Heuristic::AllocationsLast) {
        return weights;
    }
    let refuses = |site: &Site| testwright_code::may_refuse(&subject.function(site.function).name);
    let sites = subject.sites.iter().enumerate().filter(|(_, site)| refuses(site));
    weights.extend(sites.map(|(index, _)| (SiteId::of(index), LAST_RESORT)));
    weights
}

/// The cases to begin with. A suite with a budget in runs does not depend on what was there before.
fn seeds(searching: &Searching, subject: &Subject, functions: &[FunctionId], earlier: &Earlier) -> Seeds {
    match searching.runs {
        Some(_) => Seeds::default(),
        None => Seeds::new(subject, functions, earlier),
    }
}

/// The functions that callers leave to their own searches: all that are searched, if it is so wanted, or if there is not even time to look at
/// what each of them calls.
fn elsewhere(searching: &Searching, functions: &[FunctionId], budget: Duration) -> Rc<BTreeSet<FunctionId>> {
    let each = budget / u32::try_from(functions.len().max(1)).unwrap_or(u32::MAX);
    let is_on = searching.off.keeps(Heuristic::OwnGoalsInHaste);
    let is_short = searching.runs.is_none() && each < LITTLE_TIME && is_on;
    match searching.scope {
        Some(Scope::Own) => Rc::new(functions.iter().copied().collect()),
        None if is_short => Rc::new(functions.iter().copied().collect()),
        Some(Scope::Callees) | None => Rc::default(),
    }
}

/// How a planned search is set up. With a budget in runs nothing is measured, so that the same seed gives the same suite.
fn planning(runs: Option<u64>, techniques: &Techniques) -> Option<Planning> {
    techniques.is_planned().then(|| {
        let timed = runs.is_none();
        let costs = if timed { schedule::known_costs() } else { CostModel::default() };
        Planning { estimate: Estimate::default(), costs, timed }
    })
}

fn effort(explored: &[FunctionResult], solver: SolverCounts, elapsed: Duration) -> Effort {
    Effort {
        elapsed_s: elapsed.as_secs_f64(),
        runs: RunCounts {
            random: explored.iter().map(|function| function.drawn).sum(),
            search: explored.iter().map(|function| function.evaluations).sum(),
            concolic: explored.iter().map(|function| function.runs).sum(),
        },
        solver,
        divergences: explored.iter().map(|function| function.divergences).sum(),
        planning_s: explored.iter().map(|function| function.planning.as_secs_f64()).sum(),
    }
}

fn solver_counts(solver: &Statistics, augmented: &Answered) -> SolverCounts {
    let answers = |answered: &Answered| Answers {
        queries: answered.queries(),
        sat: answered.sat,
        unsat: answered.unsat,
        unknown: answered.unknown,
        time_s: answered.time.as_secs_f64(),
    };
    let layers = solver.layers.iter().map(|layer| LayerCounts {
        name: layer.name,
        sat: layer.sat,
        unsat: layer.unsat,
        time_s: layer.time.as_secs_f64(),
    });
    SolverCounts {
        all: answers(&Answered::of(solver)),
        augmented: answers(augmented),
        layers: layers.collect(),
    }
}

/// Gives the text of the line at a place. Each file is read once: many ask for it.
fn source_lines() -> impl Fn(&Place) -> Option<String> {
    let files: RefCell<BTreeMap<String, Vec<String>>> = RefCell::default();
    move |place: &Place| {
        let mut files = files.borrow_mut();
        let lines = files.entry(place.file.clone()).or_insert_with(|| {
            let text = std::fs::read_to_string(&place.file).unwrap_or_default();
            text.lines().map(str::to_owned).collect()
        });
        lines.get(place.line.checked_sub(1)? as usize).cloned()
    }
}
