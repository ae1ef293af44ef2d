//! The command line's grammar: one definition yields parser and help.

use crate::exit::Failure;
use crate::interrupt;
use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, Parser, Subcommand, ValueEnum};
use std::ffi::OsString;
use std::path::PathBuf;
use testwright_bench::args::{Bench, Simulate};
use testwright_engine::request;
use testwright_engine::technique::{TechniqueName, Techniques};
use testwright_search::augmentation::{Augmentation, Keeps};
use testwright_search::goals;
use testwright_search::heuristics::{Heuristic, Off};
use testwright_search::strategy::StrategyError;
use testwright_suite::emit::Format;

/// Writes unit tests for C code: finds inputs that reach every branch it can, and says what it could not reach and why
#[derive(Debug, Parser)]
#[command(name = "testwright", version, max_term_width = 100, after_help = AFTER_HELP)]
pub struct Arguments {
    /// What to do.
    #[command(subcommand)]
    pub verb: Verb,
}

/// What `--help` says at the end.
const AFTER_HELP: &str = "\
Try:  testwright generate examples/triangle.c

Environment:
  TESTWRIGHT_CLANG     the clang to use (default: clang, else clang-22 .. clang-14)
  TESTWRIGHT_CACHE     where built code is kept (default: ~/.cache/testwright)
  TESTWRIGHT_WORKER    the worker program (default: testwright-worker beside this program)
  TESTWRIGHT_PROGRESS  never: no line about progress while a search goes on
  CC                   the C compiler that links (default: cc)

Exit status: 0 done, 1 wrong command line or case, 2 replay found changes,
or generate --fail-on-findings has findings, 3 the target does not build,
4 part of the work was lost or could not be verified, 70 a bug of Testwright";

/// How a case is written, for `--help`.
const CASE_HELP: &str = "\
The case as JSON, or @FILE to read it from a file. Arguments in order, `[3, 4]`, or by name, `{\"a\": 3, \"b\": 4}`; \
a pointer is null, a string or an array of what it points to, a struct `{\"field\": ..}`. The chapter book/cases.md \
has all forms";

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Verb {
    /// Write tests: explore, keep the shortest case per goal, compile and run what was written
    Generate(Generate),
    /// Show what a function does: a table of inputs and outputs, one line per behaviour
    Explore(Explore),
    /// Run the saved cases of a suite again and say what changed; exit status 2 if something did
    Replay(Replay),
    /// Score a suite: how many small changes of the code make it fail, and which do not
    Mutate(Mutate),
    /// The compiler that `mutate` builds suites with
    #[command(hide = true)]
    MutateUnit(MutateUnit),
    /// Run a function on one case and show what happened
    Run(Run),
    /// Write testwright.toml for a project: what there is to test, and what may be stated about it
    Init(Init),
    /// Say what is installed that Testwright uses, and what would help
    Doctor,
    /// Print testwright.h, with macros that state in C what callers of a function promise
    Header,
    /// Show an intermediate product
    #[command(subcommand)]
    Show(Show),
    /// Study strategies on random models: what they cost, relative to the optimum
    Simulate(Simulate),
    /// Measure Testwright itself; prints ratios measured side by side
    #[command(subcommand)]
    Bench(Bench),
}

/// How a search goes.
#[derive(Debug, Clone, Args)]
pub struct Searching {
    /// Time for the search: 500ms, 10s, 2m
    ///
    /// The functions share it, and it is kept to within a second, solver included. Building the target before the search
    /// comes on top; so do writing, compiling and running the tests after it, which take a quarter of it, but five seconds
    /// at least. Builds for which no time is left are told. [default: 10s, or --per-function for each function]
    #[arg(long, value_name = "TIME", conflicts_with = "runs")]
    pub budget: Option<String>,
    /// The most time for each function: 500ms, 5s. Without --budget, all of them have so much
    #[arg(long, value_name = "TIME", conflicts_with = "runs")]
    pub per_function: Option<String>,
    /// Runs per function instead of time; the same seed then gives the same suite
    #[arg(long, value_name = "N")]
    pub runs: Option<u64>,
    /// What tests should show; the time goes to it. What they show of the other criteria is kept all the same
    #[arg(long, value_name = "CRITERION", value_delimiter = ',', default_value = goals::DEFAULT_OF_SUITES, value_parser = criteria())]
    pub criteria: Vec<String>,
    /// How much of a path stays where a criterion asks for more than an outcome: what comes before (weak), or all of it (strict)
    #[arg(long, value_name = "HOW", default_value = "weak")]
    pub augmentation: AugmentationName,
    /// Ask for it every time that a path comes to the place, not only until it is met; each solution that is needed becomes a test
    #[arg(long)]
    pub augment_every_occurrence: bool,
    /// Which path to try next, as an expression over frontiers
    #[arg(long, value_name = "EXPR", default_value = testwright_search::strategy::DEFAULT)]
    pub strategy: String,
    /// How goals are searched for; several bid for every step with what they expect to reach, and at what cost
    #[arg(long = "technique", value_name = "TECHNIQUE", value_delimiter = ',', default_value = "all",
          value_parser = techniques())]
    pub techniques: Vec<String>,
    /// Whose branches are searched for from a function [default: callees; own if there is little time for each function]
    #[arg(long, value_enum)]
    pub scope: Option<Scope>,
    /// What guides avm and ga
    #[arg(long, value_enum, default_value_t = FitnessName::Symbolic)]
    pub fitness: FitnessName,
    /// A setting of avm and ga; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE", long_help = settings_help())]
    pub settings: Vec<String>,
    /// Search without these heuristics; the manual lists them
    #[arg(long, value_name = "NAME", value_delimiter = ',', hide_short_help = true)]
    pub without: Vec<String>,
    /// The config file [default: testwright.toml here, or beside the target or above it]
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Decides all random choices
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Write who bid what for every step to this file, a line of JSON each
    #[arg(long, value_name = "FILE")]
    pub log_steps: Option<PathBuf>,
    /// Write the queries that reach Z3 to this folder, as SMT-LIB
    #[arg(long, value_name = "DIR")]
    pub dump_queries: Option<PathBuf>,
}

/// Whose branches are searched for from a function.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Scope {
    /// Its own, and those of functions it calls that are not tested themselves
    Own,
    /// Those of all functions it calls, too
    Callees,
}

/// `testwright generate`
#[derive(Debug, Args)]
pub struct Generate {
    #[command(flatten)]
    pub target: Target,
    /// The functions to test; all that can be called if none is named
    #[arg(long = "function", short, value_name = "NAME")]
    pub functions: Vec<String>,
    /// A function to leave out, by name or pattern, as in `debug_*`; may be repeated
    #[arg(long = "ignore", value_name = "NAME|GLOB")]
    pub ignored: Vec<String>,
    #[command(flatten)]
    pub searching: Searching,
    /// The most tests to write; those that show the most are kept
    #[arg(long, value_name = "N")]
    pub max_tests: Option<usize>,
    /// What the tests are written for; several may be named
    #[arg(long = "format", value_name = "FORMAT", value_delimiter = ',', default_value = "plain",
          value_parser = formats())]
    pub formats: Vec<String>,
    /// How far floating-point results may be off: relative, or absolute below 1 [default: not by a bit]
    #[arg(long, value_name = "X")]
    pub float_tolerance: Option<f64>,
    /// Where the suite goes; the suite that was there is kept as DIR.old, anything else is refused
    #[arg(long, value_name = "DIR", default_value = "testwright.out")]
    pub out: PathBuf,
    /// Which builds the tests are tried in before they are written: `all` has -O2, sanitizers, coverage and clang besides
    #[arg(long, value_name = "WHICH", default_value = "all")]
    pub builds: Builds,
    /// Write tests of runs that want what the sandbox forbids too, such as to delete files
    #[arg(long)]
    pub allow_effects: bool,
    /// End with status 2 if there are findings
    #[arg(long)]
    pub fail_on_findings: bool,
    /// Print the summary as JSON
    #[arg(long)]
    pub json: bool,
}

/// Which builds the tests are tried in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum Builds {
    /// All that the machine can make.
    All,
    /// What `make check` makes by itself.
    First,
}

/// `testwright init`
#[derive(Debug, Args)]
pub struct Init {
    /// The folder of the project
    #[arg(value_name = "DIR", default_value = ".")]
    pub folder: PathBuf,
}

/// `testwright explore`
#[derive(Debug, Args)]
pub struct Explore {
    #[command(flatten)]
    pub target: Target,
    /// The function to look at
    #[arg(long, short, value_name = "NAME")]
    pub function: String,
    #[command(flatten)]
    pub searching: Searching,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `testwright replay`
#[derive(Debug, Args)]
pub struct Replay {
    /// The folder of the suite, as `generate` wrote it
    #[arg(value_name = "DIR", default_value = "testwright.out")]
    pub folder: PathBuf,
    /// A file or folder that the code may read, besides its sources and what the system has; may be repeated
    #[arg(long, value_name = "PATH")]
    pub allow_read: Vec<PathBuf>,
    #[command(flatten)]
    pub limits: Limits,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `mutate`
#[derive(Debug, Args)]
pub struct Mutate {
    /// The folder of the suite. One that Testwright did not write has a Makefile whose target `programs` builds with $(CC) in $(BUILD)
    #[arg(value_name = "DIR", default_value = "testwright.out")]
    pub folder: PathBuf,
    /// A file of the code under test; may be repeated [default: what the suite was written for]
    #[arg(long = "source", value_name = "FILE")]
    pub sources: Vec<PathBuf>,
    /// Only changes of lines that this unified diff adds
    #[arg(long, value_name = "FILE")]
    pub in_diff: Option<PathBuf>,
    /// Also write the report here, as JSON in the schema of mutation-testing-elements
    #[arg(long, value_name = "FILE")]
    pub report: Option<PathBuf>,
    /// Print that JSON
    #[arg(long)]
    pub json: bool,
}

/// `mutate-unit`
#[derive(Debug, Args)]
pub struct MutateUnit {
    /// What a compiler is told
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    pub arguments: Vec<OsString>,
}

/// The formats by name, for parser and help.
fn formats() -> PossibleValuesParser {
    PossibleValuesParser::new(
        Format::ALL.iter().map(|format| PossibleValue::new(format.name).help(format.about)),
    )
}

/// What `--help` says about settings.
fn settings_help() -> String {
    let table = testwright_search::sbst::settings::table();
    format!("A setting of avm and ga; may be repeated. Name, default, limits, meaning:\n\n{table}")
}

/// The criteria by name, for parser and help.
fn criteria() -> PossibleValuesParser {
    PossibleValuesParser::new(
        goals::ALL.iter().map(|criterion| PossibleValue::new(criterion.name()).help(criterion.about())),
    )
}

/// The techniques by name, for parser and help.
fn techniques() -> PossibleValuesParser {
    PossibleValuesParser::new(
        TechniqueName::ALL.iter().map(|(_, name, about)| PossibleValue::new(name).help(about)),
    )
}

/// A fitness function, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum FitnessName {
    /// Approach level and distance of the nearest decision
    Standard,
    /// Path conditions from the decisions to the target, computed beforehand
    Symbolic,
}

/// How much of a path an augmented condition keeps.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AugmentationName {
    /// What comes before the place
    Weak,
    /// All of it
    Strict,
}

impl Searching {
    /// How path conditions are augmented. What no criterion asks for is refused.
    fn augmentation(&self) -> Result<Augmentation, Failure> {
        let keeps = match self.augmentation {
            AugmentationName::Weak => Keeps::Prefix,
            AugmentationName::Strict => Keeps::Path,
        };
        let augmentation = Augmentation { keeps, every_occurrence: self.augment_every_occurrence };
        let solvable: Vec<&str> =
            goals::ALL.iter().filter(|one| one.has_wishes()).map(|one| one.name()).collect();
        if augmentation != Augmentation::default()
            && !self.criteria.iter().any(|name| solvable.contains(&name.as_str()))
        {
            return Err(Failure::usage(format!(
                "--augmentation strict and --augment-every-occurrence are for criteria that ask for more than an outcome; name one with \
                 --criteria: {}",
                solvable.join(", ")
            )));
        }
        Ok(augmentation)
    }

    /// The heuristics that are switched off.
    fn off(&self) -> Result<Off, Failure> {
        let named = self.without.iter().map(|name| Heuristic::named(name));
        let refused = |problem: String| Failure::usage(format!("--without: {problem}"));
        named.map(|named| named.map_err(refused)).try_fold(Off::default(), |off, named| Ok(off.with(named?)))
    }

    /// What the engine is to do. What makes no sense is refused.
    pub fn searching(&self) -> Result<request::Searching, Failure> {
        let refused = |error: StrategyError| Failure::usage(error.to_string());
        let named: Vec<TechniqueName> =
            self.techniques.iter().filter_map(|name| TechniqueName::named(name)).collect();
        let time = |flag: &str, text: &Option<String>| {
            text.as_deref().map(|text| request::duration(flag, text)).transpose()
        };
        Ok(request::Searching {
            strategy: self.strategy.parse().map_err(refused)?,
            times: request::Times {
                budget: time("--budget", &self.budget)?,
                per_function: time("--per-function", &self.per_function)?,
            },
            criteria: goals::ALL
                .iter()
                .map(|criterion| criterion.name())
                .filter(|name| self.criteria.iter().any(|wanted| wanted == name))
                .collect(),
            augmentation: self.augmentation()?,
            techniques: Techniques::new(&named)?,
            runs: self.runs,
            scope: self.scope.map(|scope| match scope {
                Scope::Own => request::Scope::Own,
                Scope::Callees => request::Scope::Callees,
            }),
            fitness: match self.fitness {
                FitnessName::Standard => request::FitnessName::Standard,
                FitnessName::Symbolic => request::FitnessName::Symbolic,
            },
            settings: self.settings.clone(),
            off: self.off()?,
            config: self.config.clone(),
            seed: self.seed,
            log_steps: self.log_steps.clone(),
            dump_queries: self.dump_queries.clone(),
            interrupted: interrupt::flag(),
        })
    }
}

/// The code under test.
#[derive(Debug, Clone, Args)]
pub struct Target {
    /// C files, linked together, or a folder with compile_commands.json
    #[arg(required = true, value_name = "TARGET")]
    pub targets: Vec<PathBuf>,
    /// A file or folder that the code may read, besides its sources and what the system has; may be repeated
    #[arg(long, value_name = "PATH")]
    pub allow_read: Vec<PathBuf>,
    /// Stub what other files define, instead of taking those files from compile_commands.json
    #[arg(long)]
    pub alone: bool,
    /// Flags for the compiler, such as -I and -D
    #[arg(last = true, value_name = "FLAGS")]
    pub flags: Vec<String>,
}

impl Target {
    /// The target, for the engine.
    pub fn target(&self) -> request::Target {
        let Target { targets, allow_read, alone, flags } = self.clone();
        request::Target { targets, allow_read, alone, flags }
    }
}

/// What a run may use.
#[derive(Debug, Clone, Copy, Args)]
pub struct Limits {
    /// Loop iterations and calls of recursive functions that a run may take
    #[arg(long, default_value_t = 10_000_000, value_name = "N", allow_negative_numbers = true)]
    pub steps: u64,
    /// Seconds that a run may take
    #[arg(long, default_value_t = 10.0, value_name = "SECONDS", allow_negative_numbers = true)]
    pub wall: f64,
    /// MiB of heap that a run may use
    #[arg(long, default_value_t = 256, value_name = "MIB", allow_negative_numbers = true)]
    pub memory: u64,
}

/// A function and a case for it.
#[derive(Debug, Clone, Args)]
pub struct CaseOf {
    /// The function to call; static functions too
    #[arg(long, short, value_name = "NAME")]
    pub function: String,
    /// The case as JSON: `[3, 4]`, `{"a": 3, "b": 4}`, or `@FILE`
    #[arg(long, value_name = "JSON", default_value = "[]", long_help = CASE_HELP)]
    pub case: String,
    #[command(flatten)]
    pub limits: Limits,
}

/// `testwright run`
#[derive(Debug, Args)]
pub struct Run {
    #[command(flatten)]
    pub target: Target,
    #[command(flatten)]
    pub case: CaseOf,
    /// Run the trace build too, and check that both builds and the evaluator agree
    #[arg(long)]
    pub self_check: bool,
    /// List all outcomes and write long values in full
    #[arg(long)]
    pub all: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `testwright show`
#[derive(Debug, Subcommand)]
pub enum Show {
    /// The prepared code before instrumentation, as LLVM text
    Bitcode {
        #[command(flatten)]
        target: Target,
    },
    /// A build's code after instrumentation, before optimisation, as LLVM text
    Instrumented {
        #[command(flatten)]
        target: Target,
        /// Which build
        #[arg(long, value_enum, default_value_t = BuildName::Trace)]
        build: BuildName,
    },
    /// A graph, in the language of Graphviz
    Graph {
        #[command(flatten)]
        target: Target,
        /// The function whose graph to show
        #[arg(long, short, value_name = "NAME")]
        function: Option<String>,
        /// Which graph
        #[arg(long, value_enum, default_value_t = GraphKind::Flow)]
        kind: GraphKind,
    },
    /// The numbered sites: where control or value decides
    Sites {
        #[command(flatten)]
        target: Target,
        /// Only the sites of this function
        #[arg(long, short, value_name = "NAME")]
        function: Option<String>,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// The path conditions that symbolic fitness measures, per branch and decision that leads to it
    Fitness {
        #[command(flatten)]
        target: Target,
        /// The function whose branches to show
        #[arg(long, short, value_name = "NAME")]
        function: String,
        /// A setting of the search, as NAME=VALUE; may be repeated
        #[arg(long = "set", value_name = "NAME=VALUE")]
        settings: Vec<String>,
    },
    /// The path condition of a traced run, as SMT-LIB
    Trace {
        #[command(flatten)]
        target: Target,
        #[command(flatten)]
        case: CaseOf,
    },
}

/// A build, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum BuildName {
    /// The code as it is
    Bare,
    /// Outcomes hit
    Run,
    /// Outcomes hit and distances
    RunDistances,
    /// Expressions and the path
    Trace,
}

/// A graph, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum GraphKind {
    /// Control flow of a function
    Flow,
    /// Dominator tree of a function
    Dominators,
    /// Post-dominator tree of a function
    PostDominators,
    /// Control dependences of a function
    Dependence,
    /// Who calls whom
    Calls,
    /// Control flow through calls
    Interprocedural,
}
