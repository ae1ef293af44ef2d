//! The command line of `testwright bench`: one struct per experiment.

use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

/// `testwright bench`
#[derive(Debug, Subcommand)]
pub enum Bench {
    /// The execution core: run build, trace build, loading, crashes, csmith
    Core(BenchCore),
    /// What each heuristic is worth: searches without it, against searches with everything on
    Ablate(BenchAblate),
    /// The Fitnex experiment: runs to the target of each subject, per strategy
    Fitnex(BenchFitnex),
    /// Real code: branches reached in every function of cJSON, jsmn, http-parser, mbedtls, zlib, musl and GSL
    Real(BenchReal),
    /// The 20 GSL functions of the paper on optimal concolic testing: coverage over time, by every technique
    Optimal(BenchOptimal),
    /// The truth: nothing that some input reaches is called proved infeasible
    Truth(BenchTruth),
    /// The experiment on augmented conditions: mutants that suites notice, by criterion
    Augmentation(BenchAugmentation),
    /// The experiment on symbolic fitness: evaluations per branch, by technique and fitness function
    SymbolicFitness(BenchSymbolic),
}

/// `testwright bench augmentation`
#[derive(Debug, Args)]
pub struct BenchAugmentation {
    /// The rows of the table to measure, such as GCD or ToHex [default: all 12]
    #[arg(value_name = "ROW")]
    pub rows: Vec<String>,
    /// Where the subjects are
    #[arg(long, value_name = "DIR", default_value = "subjects/augmentation")]
    pub subjects: PathBuf,
    /// Augment conditions every time that a path comes to a place, as the paper does
    #[arg(long)]
    pub augment_every_occurrence: bool,
    /// Time for each search; choosing tests may take 1.7 s more
    #[arg(long, default_value = "3s", value_name = "TIME")]
    pub budget: String,
    /// Decides all random choices
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// How many seeds; the mean counts
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub repeat: u64,
    /// Keep the results under bench/runs
    #[arg(long)]
    pub record: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `testwright bench optimal`
#[derive(Debug, Args)]
pub struct BenchOptimal {
    /// Only this function; may be repeated
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// Only this technique (all, greedy, random, concolic, rcn, rss, rps, dfs, dart, gs, cgs, sgs); may be repeated
    #[arg(long = "technique", value_name = "NAME")]
    pub techniques: Vec<String>,
    /// Time for each search
    #[arg(long, default_value = "300s", value_name = "TIME")]
    pub budget: String,
    /// When coverage is told, besides at the end; may be repeated
    #[arg(long = "at", value_name = "TIME", default_values_t = ["10s".to_owned(), "60s".to_owned()])]
    pub marks: Vec<String>,
    /// How many searches at a time
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub jobs: usize,
    /// Decides all random choices
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Where to write the plot
    #[arg(long, default_value = "optimal.svg", value_name = "FILE")]
    pub plot: PathBuf,
    /// Keep the results under bench/runs
    #[arg(long)]
    pub record: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `testwright bench real`
#[derive(Debug, Args)]
pub struct BenchReal {
    /// Only this project (cjson, jsmn, http-parser, mbedtls, zlib, musl, gsl); may be repeated
    #[arg(long, value_name = "PROJECT")]
    pub only: Vec<String>,
    /// Only functions of this name; may be repeated
    #[arg(long = "function", value_name = "NAME")]
    pub functions: Vec<String>,
    /// Only so many functions, drawn from all with at least four branches by the SHA-256 of project/function
    #[arg(long, value_name = "N")]
    pub sample: Option<usize>,
    /// Keep the suites, each in a folder project/function of this one
    #[arg(long, value_name = "DIR")]
    pub keep: Option<PathBuf>,
    /// Time for the search in each function
    #[arg(long, default_value = "20s", value_name = "TIME")]
    pub budget: String,
    /// How many functions at a time
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub jobs: usize,
    /// Keep the results under bench/runs
    #[arg(long)]
    pub record: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `testwright bench truth`
#[derive(Debug, Args)]
pub struct BenchTruth {
    /// Where our own subjects are
    #[arg(long, value_name = "DIR", default_value = "subjects/truth")]
    pub subjects: PathBuf,
    /// Only this kind: the name of a subject without its ending, or random; may be repeated
    #[arg(long, value_name = "KIND")]
    pub only: Vec<String>,
    /// How many random functions are made
    #[arg(long, default_value_t = 300, value_name = "N")]
    pub random: u64,
    /// Decides which
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// How many runs the search in each function gets
    #[arg(long, default_value_t = 300, value_name = "N")]
    pub runs: u64,
    /// Instead, check what is claimed about these files, each by itself, by random runs and with the others at hand
    #[arg(long, value_name = "FILE", num_args = 1..)]
    pub check_claims: Vec<PathBuf>,
    /// The time of each search with --check-claims
    #[arg(long, default_value = "10s", value_name = "TIME")]
    pub budget: String,
    /// Keep the results under bench/runs
    #[arg(long)]
    pub record: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `testwright bench symbolic-fitness`
#[derive(Debug, Args)]
pub struct BenchSymbolic {
    /// Where our own subjects are
    #[arg(long, value_name = "DIR", default_value = "subjects/search")]
    pub subjects: PathBuf,
    /// 5 seeds, 20,000 evaluations, our own subjects only
    #[arg(long)]
    pub quick: bool,
    /// How many seeds [default: 30]
    #[arg(long, value_name = "N")]
    pub seeds: Option<u64>,
    /// The first of them
    #[arg(long, value_name = "N", default_value_t = 1)]
    pub first_seed: u64,
    /// Only this function; may be repeated
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// Show every branch
    #[arg(long)]
    pub branches: bool,
    /// How many functions are measured at a time [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub jobs: Option<u32>,
    /// A setting of the search, as NAME=VALUE; may be repeated
    #[arg(long = "set", value_name = "NAME=VALUE")]
    pub settings: Vec<String>,
    /// Keep the results under bench/runs
    #[arg(long)]
    pub record: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `testwright bench ablate`
#[derive(Debug, Args)]
pub struct BenchAblate {
    /// Only this heuristic; may be repeated
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// What to measure on; may be repeated
    #[arg(long, value_enum, default_value = "fitnex")]
    pub subjects: Vec<AblateSubjects>,
    /// Where the subjects of the Fitnex experiment are
    #[arg(long, value_name = "DIR", default_value = "subjects/fitnex")]
    pub folder: PathBuf,
    /// A search that needs more runs has not reached its target
    #[arg(long, default_value_t = 300, value_name = "N")]
    pub cap: u64,
    /// How many seeds
    #[arg(long, default_value_t = 3, value_name = "N")]
    pub seeds: u64,
    /// How many functions of real code
    #[arg(long, default_value_t = 20, value_name = "N")]
    pub sample: usize,
    /// Time for the search in each function of real code
    #[arg(long, default_value = "2s", value_name = "TIME")]
    pub budget: String,
    /// How many searches at a time [default: as many as there are processors]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub jobs: Option<u32>,
    /// Keep the results under bench/runs
    #[arg(long)]
    pub record: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// What heuristics are measured on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum AblateSubjects {
    /// Runs to the target of each subject of the Fitnex experiment
    Fitnex,
    /// Branches of a sample of real functions, as `bench real --sample` draws it
    Real,
    /// Branches of functions of GSL
    Gsl,
}

impl AblateSubjects {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            AblateSubjects::Fitnex => "fitnex",
            AblateSubjects::Real => "real",
            AblateSubjects::Gsl => "gsl",
        }
    }
}

/// `testwright bench fitnex`
#[derive(Debug, Args)]
pub struct BenchFitnex {
    /// Where the subjects are
    #[arg(long, value_name = "DIR", default_value = "subjects/fitnex")]
    pub subjects: PathBuf,
    /// A search that needs more runs has not reached its target
    #[arg(long, default_value_t = 1000, value_name = "N")]
    pub cap: u64,
    /// Run every case of the default strategy again in both builds, and recompute all expressions
    #[arg(long)]
    pub self_check: bool,
    /// Keep the results under bench/runs
    #[arg(long)]
    pub record: bool,
    /// Searches per subject and strategy, with different seeds; the median counts
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub repeat: u64,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `testwright bench core`
#[derive(Debug, Args)]
pub struct BenchCore {
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// How many csmith programs to check
    #[arg(long, default_value_t = 300, value_name = "N")]
    pub csmith: u64,
    /// How many crashing runs to handle
    #[arg(long, default_value_t = 10_000, value_name = "N")]
    pub crashes: u64,
    /// First seed of the csmith programs
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Only these parts (run, trace, load, crash, csmith, explore, steps, mutants, instructions); may be repeated
    #[arg(long, value_name = "PART")]
    pub only: Vec<String>,
    /// Write the results to a folder under bench/runs of this folder too, and instructions to bench/instructions.json
    #[arg(long)]
    pub record: bool,
}

/// `testwright simulate`
#[derive(Debug, Args)]
pub struct Simulate {
    /// Numbers of states of the models, 2 to 24
    #[arg(long, value_name = "N", value_delimiter = ',', default_value = "5,10,15,20")]
    pub states: Vec<usize>,
    /// How many models of each size
    #[arg(long, value_name = "N", default_value_t = 50)]
    pub models: usize,
    /// How often each strategy covers each model
    #[arg(long, value_name = "N", default_value_t = 1000)]
    pub repetitions: usize,
    /// How the greedy strategy estimates probabilities
    #[arg(long, value_enum, default_value_t = EstimateName::Laplace)]
    pub estimate: EstimateName,
    /// Decides all random choices
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Where the plot goes
    #[arg(long, value_name = "FILE", default_value = "simulate.svg")]
    pub plot: PathBuf,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// An estimate of probabilities, by name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum EstimateName {
    /// As if every edge had been taken once before
    Laplace,
    /// What was never seen is as likely as what was seen once
    GoodTuring,
}
