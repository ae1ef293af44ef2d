//! One subject of the experiment: all its branches, both techniques, both fitness functions, all seeds.

use super::Protocol;
use super::subjects::Subject;
use crate::console;
use std::time::{Duration, Instant};
use testwright_base::build::Build;
use testwright_base::case::Case;
use testwright_base::contract::Contract;
use testwright_base::ids::OutcomeId;
use testwright_base::json::parse_case;
use testwright_base::start::plainest_case;
use testwright_code::{frontend, path_conditions};
use testwright_engine::Failure;
use testwright_engine::build;
use testwright_engine::technique::evaluator::{Measure, SessionEvaluator};
use testwright_exec::image::{Domains, Image, Start};
use testwright_exec::{Session, Variable};
use testwright_search::sbst::{Targets, Technique, seek};

/// The techniques, in the order of the tables.
pub const TECHNIQUES: [Technique; 2] = [Technique::Avm, Technique::Genetic];

/// What was measured on a subject.
pub struct Measured {
    /// The function.
    pub function: String,
    /// Whether it is one of those on which the alternating variable method should never fail.
    pub is_sample: bool,
    /// Its branches.
    pub branches: Vec<Branch>,
    /// How many scalars were varied.
    pub variables: usize,
    /// How much processor time the static analysis took.
    pub analysis: Duration,
    /// Evaluations per second of the alternating variable method, by fitness: standard, symbolic.
    pub speed: [f64; 2],
}

/// What was measured on a branch.
pub struct Branch {
    /// `12 true`
    pub name: String,
    /// Why it has the standard fitness, if so.
    pub fallback: Option<String>,
    /// By technique, then by fitness (standard, symbolic), per seed: evaluations, and whether the branch was hit.
    pub searches: [[Vec<(u64, bool)>; 2]; 2],
}

/// Measures a subject.
pub fn measure(subject: &Subject, protocol: &Protocol) -> Result<Measured, Failure> {
    let sources = frontend().resolve(&subject.files, &subject.flags)?;
    let name = &subject.function;
    let settings = path_conditions::Settings {
        unroll: protocol.settings.unroll,
        paths: protocol.settings.paths as usize,
        described: false,
    };
    let find = |subject: &testwright_base::subject::Subject| Ok(vec![build::function(subject, name)?]);
    let loaded = build::load_for_search(
        &sources,
        &[Build::RunWithDistances],
        Some(&settings),
        &build::Stated::NOTHING,
        find,
    )?;
    let (session, analysis) = (loaded.session, loaded.analysis.unwrap_or_default());
    let function = build::function(session.subject(), name)?;
    let contract = Contract { ranges: subject.ranges.clone(), ..Contract::default() };
    let mut session = session.with_contracts([(function, contract)]);
    let code = session.subject().clone();
    let case = match &subject.start {
        Some(text) => parse_case(&code, function, text)?,
        None => plainest_case(&code, function)?,
    };
    let image = Image::lay_out(&code, &case).map_err(|error| Failure::usage(error.to_string()))?;
    let domains =
        Domains { start: Start::Uniform, precision: protocol.settings.precision, null_pointers: false };
    let variables = image.variables(&code, &case, &domains);
    let mut targets = Targets::new(&code, function);
    let mut bench = Bench { session: &mut session, case: &case, variables: &variables, protocol };
    let (mut branches, mut spent) = (Vec::new(), [(0, Duration::ZERO); 2]);
    let owner = |target: OutcomeId| Some(code.sites[code.outcome(target)?.0.index()].function);
    let mut deciding =
        subject.decides.iter().map(|name| build::function(&code, name)).collect::<Result<Vec<_>, _>>()?;
    if deciding.is_empty() {
        deciding.push(function);
    }
    let is_measured = |target: &OutcomeId| owner(*target).is_some_and(|owner| deciding.contains(&owner));
    for target in targets.all().into_iter().filter(is_measured) {
        let Some((site, way)) = code.outcome(target) else { continue };
        let site = &code.sites[site.index()];
        let line = site.place.as_ref().map_or(0, |place| place.line);
        let (symbolic, fallback) = Measure::symbolic(targets.levels(target), &analysis, target);
        let measures = [Measure::standard(targets.levels(target)), symbolic];
        let mut searches = [const { [const { Vec::new() }; 2] }; 2];
        for (technique, searches) in TECHNIQUES.iter().zip(&mut searches) {
            for (index, measure) in measures.iter().enumerate() {
                // The same measure and seeds: the same searches.
                if index == 1 && fallback.is_some() {
                    searches[1] = searches[0].clone();
                    continue;
                }
                let start = Instant::now();
                searches[index] = bench.searches(*technique, target, measure)?;
                if *technique == Technique::Avm {
                    spent[index].0 += searches[index].iter().map(|(evaluations, _)| evaluations).sum::<u64>();
                    spent[index].1 += start.elapsed();
                }
            }
        }
        let name = format!("{line} {}", site.outcome_name(way));
        branches.push(Branch { name, fallback: fallback.map(|fallback| fallback.to_string()), searches });
    }
    Ok(Measured {
        function: name.clone(),
        is_sample: subject.is_sample,
        branches,
        variables: variables.len(),
        analysis: analysis.times.values().sum(),
        speed: spent.map(|(evaluations, time)| evaluations as f64 / time.as_secs_f64().max(1e-9)),
    })
}

/// The searches of one subject.
struct Bench<'a> {
    session: &'a mut Session,
    case: &'a Case,
    variables: &'a [Variable],
    protocol: &'a Protocol,
}

impl Bench<'_> {
    fn searches(
        &mut self,
        technique: Technique,
        target: OutcomeId,
        measure: &Measure,
    ) -> Result<Vec<(u64, bool)>, Failure> {
        let mut list = Vec::new();
        for number in 0..self.protocol.seeds {
            let seed = self.protocol.first_seed.wrapping_add(number);
            let mut chase = SessionEvaluator {
                session: self.session,
                case: self.case,
                target,
                variables: self.variables,
                measure,
                deadline: None,
                interrupted: console::interrupted(),
                ends: None,
            };
            let sought =
                seek(&mut chase, technique, &self.protocol.settings, seed, self.protocol.evaluations)
                    .map_err(Failure::usage)?;
            list.push((sought.evaluations, sought.found.is_some()));
        }
        Ok(list)
    }
}
