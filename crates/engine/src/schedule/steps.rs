//! The log of steps: who bid what, who got the step, and what came of it, a line of JSON each.

use super::function::Setting;
use super::state::SearchState;
use crate::failure::Failure;
use crate::outputs;
use serde_json::json;
use std::collections::BTreeSet;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::time::Instant;
use testwright_base::ids::{FunctionId, OutcomeId};
use testwright_base::site::Site;
use testwright_search::plan::bid::Bid;
use testwright_search::reach::instructions;

/// A step that was taken.
pub struct Taken {
    /// The bids, in the order of the bidders.
    pub bids: Vec<Bid>,
    /// Whose was taken.
    pub winner: usize,
    /// Who took it in particular.
    pub by: Option<String>,
    /// How many goals it met.
    pub goals: u64,
    /// What it cost.
    pub cost: f64,
}

/// Where steps are written, if anybody wants to know.
pub struct Log<'a> {
    file: Option<&'a mut BufWriter<File>>,
    names: Vec<String>,
    started: Instant,
    covered: u64,
    reachable: Option<BTreeSet<OutcomeId>>,
}

/// The file for steps.
pub fn create(path: Option<&Path>) -> Result<Option<BufWriter<File>>, Failure> {
    path.map(|path| outputs::create(path, outputs::STEPS).map(BufWriter::new)).transpose()
}

impl<'a> Log<'a> {
    /// The log of a search among bidders of these names.
    pub fn new(file: Option<&'a mut BufWriter<File>>, names: Vec<String>) -> Log<'a> {
        Log { file, names, started: Instant::now(), covered: 0, reachable: None }
    }

    /// The search in a function is about to begin.
    pub fn begin(&mut self, setting: &Setting<'_>, function: FunctionId) -> Result<(), Failure> {
        if self.file.is_none() {
            return Ok(());
        }
        let subject = setting.subject;
        self.reachable = (setting.input_search.reachable)(function)?;
        let all = instructions(subject, function, &|outcome| self.is_reachable(outcome));
        let name = &subject.function(function).name;
        self.write(&json!({ "function": name, "instructions": all, "bidders": self.names }));
        self.started = Instant::now();
        Ok(())
    }

    /// A step was taken.
    pub fn note(&mut self, state: &SearchState<'_, '_>, taken: &Taken) {
        if self.file.is_none() {
            return;
        }
        if taken.goals > 0 || self.covered == 0 {
            let coverage = state.search.coverage();
            let is_hit = |outcome| coverage.first_hit(outcome).is_some();
            self.covered = instructions(state.setting.subject, state.function, &is_hit);
        }
        let bids: Vec<[f64; 2]> = taken.bids.iter().map(|bid| [bid.reward, bid.cost]).collect();
        let mut line = json!({
            "by": self.names[taken.winner], "bids": bids, "met": taken.goals, "cost": taken.cost,
            "goals": state.goals.len(), "open": state.open(), "runs": state.runs(), "covered": self.covered,
        });
        if let Some(by) = &taken.by {
            line["way"] = json!(by);
        }
        // What differs between two runs of the same seed has no place where costs are counted.
        if state.is_timed() {
            line["seconds"] = json!(self.started.elapsed().as_secs_f64());
        }
        self.write(&line);
    }

    /// The search is over.
    pub fn end(&mut self, state: &SearchState<'_, '_>) {
        if self.file.is_none() {
            return;
        }
        let subject = state.setting.subject;
        let place = |outcome: &OutcomeId| {
            let (site, way) = subject.outcome(*outcome)?;
            let site = subject.site(site)?;
            Some(format!("{} {}", site.place.as_ref()?, site.outcome_name(way)))
        };
        let coverage = state.search.coverage();
        let open: Vec<String> = coverage.open_outcomes().iter().filter_map(place).collect();
        let branches = subject
            .sites
            .iter()
            .filter(|site| site.kind.is_branch() && !subject.function(site.function).model);
        let is_wrong =
            |outcome: &OutcomeId| coverage.first_hit(*outcome).is_some() && !self.is_reachable(*outcome);
        let wrong: Vec<String> = branches
            .flat_map(Site::outcomes)
            .filter(is_wrong)
            .filter_map(|outcome| place(&outcome))
            .collect();
        // Nothing should be there: what was hit although it had been ruled out is a mistake of ours.
        self.write(&json!({ "left": open, "wrong": wrong }));
    }

    fn is_reachable(&self, outcome: OutcomeId) -> bool {
        self.reachable.as_ref().is_none_or(|reachable| reachable.contains(&outcome))
    }

    fn write(&mut self, line: &serde_json::Value) {
        // A full disk is no reason to lose what the search finds.
        if let Some(file) = &mut self.file {
            let _ = writeln!(file, "{line}");
        }
    }
}
