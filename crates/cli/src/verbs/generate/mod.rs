//! `testwright generate`: explore, keep the shortest case per goal, write tests, compile and run them.

mod behaviour;
mod bidder;
mod bounded;
mod choose;
mod config;
mod contract;
mod costs;
mod doubts;
mod explore;
mod gaps;
mod ground;
mod invariant;
mod market;
mod patience;
mod priority;
mod project;
mod reasons;
mod seeds;
mod shares;
mod steps;
mod techniques;
mod terminal;
mod trial;

use crate::args;
use crate::args::FitnessName;
use crate::code::Code;
use crate::exit::{Exit, Failure};
use crate::load::{self, Analyst, Stated};
use crate::progress::Progress;
use crate::publish::Destination;
use crate::verify::Pace;
use crate::{interrupt, verify, workshop};
use bidder::{Hunter, Hunting};
use choose::Chosen;
pub use choose::Wanted;
use config::ConfigFile;
use explore::{Explored, Setting, Tools};
use patience::Patience;
use seeds::Seeds;
use shares::Shared;
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use std::rc::Rc;
use std::time::{Duration, Instant};
use techniques::Techniques;
use testwright_base::build::Build;
use testwright_base::ids::{FunctionId, SiteId};
use testwright_base::site::{Place, Site};
use testwright_base::subject::Subject;
use testwright_code::fitness;
use testwright_exec::OnEffect;
use testwright_logic::solve::Statistics;
use testwright_search::explore::{LAST_RESORT, Planning};
use testwright_search::plan::chain::Estimate;
use testwright_search::plan::cost::CostModel;
use testwright_search::strategy::{Strategy, StrategyError};
use testwright_suite::emit::Format;
use testwright_suite::replay::Origin;
use testwright_suite::{Earlier, EffectPolicy, Effort, Found, Input, RunCounts, SolverCounts, Style, Suite};
use trial::Tried;

/// With less time for each function, the branches of what it calls are left to the searches there.
const LITTLE_TIME: Duration = Duration::from_millis(250);

/// Generates tests for the named functions, or for all that can be called.
pub fn perform(arguments: &args::Generate) -> Result<Exit, Failure> {
    let style = style(arguments)?;
    let destination = Destination::claim(&arguments.out, &arguments.target)?;
    let earlier = workshop::earlier(destination.folder());
    let wanted = Wanted { names: &arguments.functions, ignored: &arguments.ignored };
    let searched = search(&arguments.target, &wanted, &arguments.searching, &earlier)?;
    let (functions, found) = (&searched.chosen.functions, &searched.found);
    let (sources, notes) =
        workshop::sources(&arguments.target, &searched.subject, functions, found, destination.folder())?;
    let origin = workshop::origin(&arguments.target, destination.folder())?;
    let style = Style { metadata: workshop::metadata(&style, &sources, destination.folder()), ..style };
    let line = source_lines();
    let input = Input { sources, notes, origin, style, earlier, ..searched.input(&arguments.target, &line) };
    let mut suite = Suite::new(&input);
    let manner = manner(arguments, searched.pace)?;
    let mut progress = Progress::on_stderr();
    let verdict = verify::write_and_try(&mut suite, destination.staging()?, manner, &mut progress)?;
    let published = destination.publish(suite.program_names())?;
    let report = terminal::Report {
        suite: &suite,
        verdict: &verdict,
        solver: &searched.solver,
        skipped: &searched.chosen.skipped,
        built: searched.built,
        out: &published.folder,
    };
    super::put(&if arguments.json { report.json() } else { report.text() })?;
    if let Some(problem) = published.problem {
        return Err(problem);
    }
    Ok(exit(&suite, arguments))
}

/// Findings that were asked for come first: they are true whatever else was lost.
fn exit(suite: &Suite<'_>, arguments: &args::Generate) -> Exit {
    if arguments.fail_on_findings && !suite.findings.is_empty() {
        Exit::Found
    } else if suite.is_incomplete() {
        Exit::Incomplete
    } else {
        Exit::Done
    }
}

/// How the suite is verified.
fn manner(arguments: &args::Generate, pace: Pace) -> Result<verify::Manner, Failure> {
    let builds = match arguments.builds {
        args::Builds::All => verify::builds::all()?,
        args::Builds::First => vec![verify::builds::first()],
    };
    let folder = |path: &PathBuf| Some(std::path::absolute(path).ok()?.parent()?.to_owned());
    Ok(verify::Manner {
        builds,
        pace,
        on_effect: if arguments.allow_effects { OnEffect::GoOn } else { OnEffect::End },
        read: arguments.target.targets.iter().filter_map(folder).collect(),
    })
}

/// What a search brought.
pub struct Searched {
    /// The code under test.
    pub subject: Subject,
    /// Which functions were wanted.
    pub chosen: Chosen,
    /// What was kept, and what it does.
    pub found: Vec<Found>,
    greedy_covers: BTreeMap<FunctionId, usize>,
    /// What failed by a fault of ours, by function.
    lost: BTreeMap<FunctionId, String>,
    seed: u64,
    shared: Shared,
    solver: Statistics,
    built: Duration,
    elapsed: Duration,
    /// How long what follows may take.
    pace: Pace,
}

impl Searched {
    /// What a suite is made of, apart from where and how it is written.
    pub fn input<'a>(
        &'a self,
        target: &args::Target,
        line: &'a dyn Fn(&Place) -> Option<String>,
    ) -> Input<'a> {
        let explored = &self.shared.explored;
        Input {
            subject: &self.subject,
            target: target_text(target),
            seed: self.seed,
            origin: Origin::default(),
            sources: Vec::new(),
            functions: self.chosen.all(),
            found: self.found.clone(),
            greedy_covers: self.greedy_covers.clone(),
            unmet: self.shared.unmet(&self.subject).chain(self.chosen.unmet(&self.subject)).collect(),
            lost: self.lost.clone(),
            stops: self.shared.stops(),
            notes: Vec::new(),
            effort: effort(explored, &self.solver, self.elapsed),
            style: Style::default(),
            earlier: Earlier::default(),
            line,
        }
    }
}

/// Builds the target and explores the named functions, or all that can be called. A budget in time begins with earlier cases.
pub fn search(
    target: &args::Target,
    wanted: &Wanted<'_>,
    searching: &args::Searching,
    earlier: &Earlier,
) -> Result<Searched, Failure> {
    // What makes no sense is refused before anything is compiled.
    let strategy = strategy(&searching.strategy)?;
    let times = searching.times()?;
    let techniques = Techniques::new(&searching.techniques)?;
    let config = ConfigFile::find(searching.config.as_deref(), target)?;
    let settings = searching.settings(config.settings()?, techniques.hunts())?;
    let mut log = steps::create(searching.log_steps.as_deref())?;
    let started = Instant::now();
    let stated = Stated {
        identity: config.identity(),
        conditions: &|subject: &Subject| config.conditions(subject),
        behaviours: &|subject: &Subject| config.behaviours(subject),
    };
    let mut session = load::load_stating(target, &[Build::RunWithDistances, Build::Trace], &stated)?;
    for (function, contract) in config.contracts(session.subject())? {
        session.keep_to(function, contract);
    }
    let subject = session.subject().clone();
    let priorities = config.priorities(&subject)?;
    for note in config.notes(&subject) {
        eprintln!("testwright: note: {note}");
    }
    let chosen = Chosen::new(&subject, wanted, &priorities)?;
    let budget = times.budget(chosen.functions.len());
    let analyst = Analyst::new(target, &stated)?;
    let unroll = settings.unroll;
    let is_symbolic = searching.fitness == FitnessName::Symbolic;
    let prepare = |function: FunctionId, scope: &BTreeSet<FunctionId>, paths: Option<u32>| {
        let limits = paths.filter(|_| is_symbolic);
        let limits =
            limits.map(|paths| fitness::Settings { unroll, paths: paths as usize, described: false });
        let symbolic = limits.map(|limits| analyst.path_conditions(&subject, scope, &limits)).transpose()?;
        Ok(Hunter { symbolic, influences: analyst.influences(function)? })
    };
    let reachable = |function: FunctionId| analyst.reachable(function);
    let hunting = Hunting { settings, prepare: &prepare, reachable: &reachable };
    let built = started.elapsed();

    let mut setting = Setting {
        subject: &subject,
        strategy,
        seed: searching.seed,
        runs: searching.runs,
        weights: with_allocations_last(&subject, priorities.weights),
        interrupted: interrupt::flag(),
        planning: planning(searching, &techniques),
        techniques,
        hunting,
        elsewhere: elsewhere(searching, &chosen.functions, budget),
        seeds: match searching.runs {
            Some(_) => Seeds::default(),
            None => Seeds::new(&subject, &chosen.functions, earlier),
        },
    };
    let mut code = Code::new(session);
    let mut solver = crate::solver::chain(searching.dump_queries.as_deref())?;
    let mut progress = Progress::on_stderr().of_search(chosen.functions.len(), searching.runs, budget);
    let search_started = Instant::now();
    let shared = testwright_smt::interruptible(setting.interrupted, || {
        let mut tools =
            Tools { code: &mut code, solver: &mut solver, progress: &mut progress, log: log.as_mut() };
        shares::explore_all(&mut setting, &chosen.functions, &times, &mut tools)
    })?;
    let elapsed = search_started.elapsed();
    progress.clear();
    if let Some(planning) = setting.planning.filter(|planning| planning.timed) {
        costs::save(&planning.costs);
    }

    let pace = if searching.runs.is_some() { Pace::unhurried() } else { Pace::after(budget, elapsed) };
    let patience = Patience::after(shared.explored.len(), searching.runs, &pace);
    let Tried { found, greedy_covers, mut lost } =
        trial::tried_all(&mut code, &shared.explored, &setting.seeds, &patience, &mut progress);
    lost.extend(shared.lost());
    let solver = solver.statistics().clone();
    let seed = searching.seed;
    Ok(Searched { subject, chosen, found, greedy_covers, lost, seed, shared, solver, built, elapsed, pace })
}

/// What fails only because there is no memory is tried when nothing else is left.
fn with_allocations_last(subject: &Subject, mut weights: BTreeMap<SiteId, i32>) -> BTreeMap<SiteId, i32> {
    let refuses = |site: &Site| testwright_code::may_refuse(&subject.function(site.function).name);
    let sites = subject.sites.iter().enumerate().filter(|(_, site)| refuses(site));
    weights.extend(sites.map(|(index, _)| (SiteId::of(index), LAST_RESORT)));
    weights
}

/// The functions that callers leave to their own searches: all that are searched, if it is so wanted, or if there is not even time to look at
/// what each of them calls.
fn elsewhere(
    searching: &args::Searching,
    functions: &[FunctionId],
    budget: Duration,
) -> Rc<BTreeSet<FunctionId>> {
    let each = budget / u32::try_from(functions.len().max(1)).unwrap_or(u32::MAX);
    let is_short = searching.runs.is_none() && each < LITTLE_TIME;
    match searching.scope {
        Some(args::Scope::Own) => Rc::new(functions.iter().copied().collect()),
        None if is_short => Rc::new(functions.iter().copied().collect()),
        Some(args::Scope::Callees) | None => Rc::default(),
    }
}

/// How a planned search is set up. With a budget in runs nothing is measured, so that the same seed gives the same suite.
fn planning(searching: &args::Searching, techniques: &Techniques) -> Option<Planning> {
    techniques.is_planned().then(|| {
        let timed = searching.runs.is_none();
        let costs = if timed { costs::load() } else { CostModel::default() };
        Planning { estimate: Estimate::default(), costs, timed }
    })
}

/// How the suite is to be written.
fn style(arguments: &args::Generate) -> Result<Style, Failure> {
    let mut formats: Vec<&'static Format> = Vec::new();
    for format in arguments.formats.iter().filter_map(|name| Format::named(name)) {
        if !formats.contains(&format) {
            formats.push(format);
        }
    }
    let float_tolerance = arguments.float_tolerance;
    if float_tolerance.is_some_and(|tolerance| !(0.0..1.0).contains(&tolerance)) {
        return Err(Failure::usage("--float-tolerance takes a number from 0 to 1, such as 1e-9"));
    }
    let effects = if arguments.allow_effects { EffectPolicy::Write } else { EffectPolicy::Report };
    Ok(Style { formats, float_tolerance, effects, max_tests: arguments.max_tests, ..Style::default() })
}

fn strategy(text: &str) -> Result<Strategy, Failure> {
    text.parse().map_err(|error: StrategyError| Failure::usage(error.to_string()))
}

fn target_text(target: &args::Target) -> String {
    let names: Vec<String> = target.targets.iter().map(|path| path.display().to_string()).collect();
    names.join(" ")
}

fn effort(explored: &[Explored], solver: &Statistics, elapsed: Duration) -> Effort {
    Effort {
        elapsed_s: elapsed.as_secs_f64(),
        runs: RunCounts {
            random: explored.iter().map(|function| function.drawn).sum(),
            search: explored.iter().map(|function| function.evaluations).sum(),
            concolic: explored.iter().map(|function| function.runs).sum(),
        },
        solver: SolverCounts {
            queries: solver.queries,
            sat: solver.sat,
            unsat: solver.unsat,
            unknown: solver.unknown,
            time_s: solver.time.as_secs_f64(),
        },
        divergences: explored.iter().map(|function| function.divergences).sum(),
        planning_s: explored.iter().map(|function| function.planning.as_secs_f64()).sum(),
    }
}

/// Gives the text of the line at a place. Each file is read once: many ask for it.
pub fn source_lines() -> impl Fn(&Place) -> Option<String> {
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

/// `1 test`, `2 tests`, `2 branches`.
fn counted(count: usize, what: &str) -> String {
    let plural = if what.ends_with("s") || what.ends_with("ch") { "es" } else { "s" };
    format!("{count} {what}{}", if count == 1 { "" } else { plural })
}

/// The functions of a subject that its user named.
pub fn own_functions(subject: &Subject) -> impl Iterator<Item = FunctionId> + '_ {
    (0..subject.functions.len()).map(FunctionId::of).filter(|id| subject.function(*id).is_named())
}
