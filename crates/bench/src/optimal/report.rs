//! The report: a table of coverage by function and technique, and the figures that are asked for.

use super::super::figures::{Aim, Figure};
use super::super::record;
use super::Technique;
use super::measure::{Measured, Row};
use super::plot::mean_at;
use serde_json::{Value, json};
use std::fmt::Write;
use std::time::Duration;

/// What the best peer reached within 60 seconds, and the fewest tests that any peer wrote which came as far:
/// function, branches, tests. Measured with gcov on replayed inputs; see the manual.
const PEERS: [(&str, u64, u64); 7] = [
    ("gsl_sf_coupling_6j_e", 30, 42),
    ("gsl_sf_exprel_n_e", 26, 43),
    ("gsl_sf_lngamma_e", 17, 17),
    ("gsl_sf_bessel_cos_pi4_e", 6, 4),
    ("gsl_sf_elljac_e", 19, 19),
    ("dilog_xge0", 14, 15),
    ("solve_tridiag", 24, u64::MAX),
];

/// Everything that was measured.
pub struct Report<'a> {
    /// The searches.
    pub rows: &'a [Row],
    /// The techniques, `all` first if it is among them.
    pub techniques: &'a [Technique],
    /// When coverage is told.
    pub marks: &'a [Duration],
    /// The time of each search.
    pub budget: Duration,
}

impl Report<'_> {
    /// For programs.
    pub fn json(&self) -> Value {
        let rows: Vec<Value> = self.rows.iter().map(|row| self.row(row)).collect();
        let means: Value = self
            .techniques
            .iter()
            .map(|technique| {
                let own = self.own(technique);
                let at: Vec<f64> = self.marks.iter().map(|mark| mean_at(&own, *mark)).collect();
                (technique.name.to_owned(), json!(at))
            })
            .collect::<serde_json::Map<_, _>>()
            .into();
        let mut report = record::to_json(&self.figures());
        report["budget_s"] = json!(self.budget.as_secs_f64());
        report["at_s"] = json!(self.marks.iter().map(Duration::as_secs_f64).collect::<Vec<_>>());
        report["instruction_coverage"] = means;
        report["functions"] = json!(rows);
        report
    }

    fn own(&self, technique: &Technique) -> Vec<&Row> {
        self.rows.iter().filter(|row| row.technique == *technique).collect()
    }

    fn row(&self, row: &Row) -> Value {
        let mut value = json!({"function": row.function, "technique": row.technique.name});
        match &row.outcome {
            Err(why) => value["failed"] = json!(why),
            Ok(measured) => {
                let at = |mark: &Duration| {
                    let moment = measured.at(*mark);
                    json!([moment.instructions, moment.branches])
                };
                value["instructions"] = json!(measured.instructions);
                value["branches"] = json!(measured.branches);
                value["covered"] = json!(self.marks.iter().map(at).collect::<Vec<_>>());
                value["own_branches"] = json!([measured.own.0, measured.own.1]);
                value["runs"] = json!({
                    "random": measured.random, "symbolic": measured.symbolic, "search": measured.judged,
                });
                value["tests"] = json!(measured.tests);
                value["planning"] = json!(measured.planning);
                let gcov = &measured.gcov;
                value["gcov"] = json!({
                    "lines": gcov.lines.0, "executed": gcov.lines.1,
                    "agreed": gcov.agreed.0, "lines_with_untaken": gcov.agreed.1,
                });
            }
        }
        value
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut text = String::from("instructions covered at the end, in percent\n\n");
        let _ = write!(text, "  {:<40}", "");
        self.techniques.iter().for_each(|technique| _ = write!(text, " {:>8}", technique.name));
        let mut functions: Vec<&str> = self.rows.iter().map(|row| row.function).collect();
        functions.dedup();
        for function in functions {
            let _ = write!(text, "\n  {function:<40}");
            for technique in self.techniques {
                let share = self.find(function, technique).map(|measured| measured.share_at(self.budget));
                let shown = share.map_or("-".to_owned(), |share| format!("{:.1}", 100.0 * share));
                let _ = write!(text, " {shown:>8}");
            }
        }
        for mark in self.marks {
            let _ = write!(text, "\n  mean after {:<29}", format!("{:.0} s", mark.as_secs_f64()));
            for technique in self.techniques {
                let _ = write!(text, " {:>8.1}", 100.0 * mean_at(&self.own(technique), *mark));
            }
        }
        text += "\n\n";
        self.figures().iter().for_each(|figure| text += &format!("{}\n", figure.line()));
        text
    }

    fn find(&self, function: &str, technique: &Technique) -> Option<&Measured> {
        let row = self.rows.iter().find(|row| row.function == function && row.technique == *technique);
        row.and_then(|row| row.outcome.as_ref().ok())
    }

    /// What is asked of `all`; nothing if it was not measured.
    fn figures(&self) -> Vec<Figure> {
        let Some(all) = self.techniques.iter().find(|technique| technique.name == "all") else {
            return Vec::new();
        };
        let own = self.own(all);
        let mean = mean_at(&own, self.budget);
        let mut figures = vec![Figure::new(
            "instructions covered by all techniques together, mean",
            100.0 * mean,
            "%",
            Aim::AtLeast(93.0),
            "of the function and what it may call",
        )];
        for technique in self.techniques.iter().filter(|technique| *technique != all) {
            let margin = 100.0 * (mean - mean_at(&self.own(technique), self.budget));
            let name = format!("points of all above {}", technique.name);
            figures.push(Figure::new(name, margin, "", Aim::AtLeast(0.0), "mean instruction coverage"));
        }
        figures.push(self.worst(all));
        figures.extend(self.against_peers(all));
        let planning = own.iter().filter_map(|row| Some(row.outcome.as_ref().ok()?.planning));
        let most = planning.fold(0.0, f64::max);
        figures.push(Figure::new(
            "planning, most of all functions",
            100.0 * most,
            "%",
            Aim::AtMost(5.0),
            "of the time",
        ));
        let (agreed, lines) = own
            .iter()
            .filter_map(|row| row.outcome.as_ref().ok())
            .fold((0, 0), |sum, measured| (sum.0 + measured.gcov.agreed.0, sum.1 + measured.gcov.agreed.1));
        let share = 100.0 * agreed as f64 / lines.max(1) as f64;
        let note = format!("{agreed} of {lines} lines with a branch that no test takes");
        figures.push(Figure::told("gcov agrees with the summaries of all", share, "%", note));
        figures
    }

    /// Where the best other technique is farthest ahead.
    fn worst(&self, all: &Technique) -> Figure {
        let mut worst = (f64::NEG_INFINITY, String::from("no other technique was measured"));
        for row in self.rows.iter().filter(|row| row.technique != *all) {
            let Ok(measured) = &row.outcome else { continue };
            let ours = self.find(row.function, all).map_or(0.0, |measured| measured.share_at(self.budget));
            let behind = 100.0 * (measured.share_at(self.budget) - ours);
            if behind > worst.0 {
                worst = (behind, format!("{} by {}", row.function, row.technique.name));
            }
        }
        Figure::new(
            "points behind the best other technique, worst function",
            worst.0,
            "",
            Aim::AtMost(2.0),
            worst.1,
        )
    }

    /// Branches and tests beside those of the peers.
    fn against_peers(&self, all: &Technique) -> Vec<Figure> {
        let mut figures = Vec::new();
        for (function, branches, tests) in PEERS {
            let Some(measured) = self.find(function, all) else { continue };
            let note = format!("the best peer has {branches} after 60 s");
            let name = format!("branches of {function}");
            figures.push(Figure::new(name, measured.own.0 as f64, "", Aim::AtLeast(branches as f64), note));
            if tests < u64::MAX {
                let note = format!("the peer with the fewest that comes as far has {tests}");
                let name = format!("tests of {function}");
                let most = tests as f64 - 1.0;
                figures.push(Figure::new(name, measured.tests as f64, "", Aim::AtMost(most), note));
            }
        }
        figures
    }
}
