//! The effect of a heuristic: how much worse subjects fare without it, and whether that may be chance.

use super::{Row, round};
use crate::args::AblateSubjects;
use crate::wilcoxon;
use serde_json::{Value, json};

/// Differences less likely than this are not taken for chance. Of twenty heuristics without effect, one will seem to have one.
const SIGNIFICANT: f64 = 0.05;

/// What a heuristic is worth.
pub struct Effect {
    name: &'static str,
    /// Runs without it over runs with it, the geometric mean; or branches with it less those without, in percent points.
    mean: f64,
    p: f64,
    /// On how many subjects it helps.
    better: usize,
    /// On how many it harms.
    worse: usize,
    is_ratio: bool,
    /// The subject that gains most by it, and how much.
    most: Option<(String, f64)>,
}

impl Effect {
    /// The effect of the heuristic that is off in a column.
    pub fn new(name: &'static str, kind: AblateSubjects, rows: &[Row], column: usize) -> Effect {
        let is_ratio = kind == AblateSubjects::Fitnex;
        let gain = |row: &Row| match is_ratio {
            true => (row.values[column] / row.values[0]).ln(),
            false => 100.0 * (row.values[0] - row.values[column]),
        };
        let gains: Vec<f64> = rows.iter().map(gain).collect();
        let pairs: Vec<(f64, f64)> = gains.iter().map(|gain| (*gain, 0.0)).collect();
        let mean = gains.iter().sum::<f64>() / gains.len().max(1) as f64;
        let shown = |value: f64| if is_ratio { value.exp() } else { value };
        let most = rows.iter().zip(&gains).max_by(|(_, a), (_, b)| a.total_cmp(b));
        Effect {
            name,
            mean: shown(mean),
            p: wilcoxon::p_value(&pairs),
            better: gains.iter().filter(|gain| **gain > 0.0).count(),
            worse: gains.iter().filter(|gain| **gain < 0.0).count(),
            is_ratio,
            most: most.filter(|(_, gain)| **gain > 0.0).map(|(row, gain)| (row.name.clone(), shown(*gain))),
        }
    }

    /// Whether it is worth its code.
    fn verdict(&self) -> &'static str {
        let neutral = if self.is_ratio { 1.0 } else { 0.0 };
        match self.p < SIGNIFICANT {
            true if self.mean > neutral => "pays",
            true if self.mean < neutral => "costs",
            _ => "no effect seen",
        }
    }

    fn text(&self, value: f64) -> String {
        if self.is_ratio { format!("{value:.2}x") } else { format!("{value:+.1}") }
    }

    /// A line of the table.
    pub fn line(&self) -> String {
        let Effect { name, p, better, worse, .. } = self;
        let most = self.most.as_ref().map(|(subject, gain)| format!("; most {subject} {}", self.text(*gain)));
        let (mean, most) = (self.text(self.mean), most.unwrap_or_default());
        format!("{name:<22} {mean:>8} {p:>8.3} {better:>7} {worse:>6}  {}{most}", self.verdict())
    }

    /// For the record.
    pub fn to_json(&self) -> Value {
        let most = self.most.as_ref().map(|(name, gain)| json!({"subject": name, "gain": round(*gain)}));
        json!({
            "name": self.name, "mean": round(self.mean), "p": round(self.p), "better": self.better,
            "worse": self.worse, "most": most, "verdict": self.verdict(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(pairs: impl Iterator<Item = (f64, f64)>) -> Vec<Row> {
        pairs.map(|(with, without)| Row { name: "f".to_owned(), values: vec![with, without] }).collect()
    }

    #[test]
    fn more_runs_and_fewer_branches_without_it_mean_that_it_pays() {
        let doubled = rows((1..20).map(|runs| (f64::from(runs), 2.0 * f64::from(runs))));
        let effect = Effect::new("edits", AblateSubjects::Fitnex, &doubled, 1);
        assert_eq!((effect.verdict(), effect.better, effect.worse), ("pays", 19, 0));
        assert!((effect.mean - 2.0).abs() < 1e-9);
        let effect = Effect::new("edits", AblateSubjects::Gsl, &doubled, 1);
        assert_eq!((effect.verdict(), effect.better, effect.worse), ("costs", 0, 19));
        let same = rows((1..20).map(|runs| (f64::from(runs), f64::from(runs))));
        let effect = Effect::new("edits", AblateSubjects::Fitnex, &same, 1);
        assert_eq!((effect.verdict(), effect.better, effect.p), ("no effect seen", 0, 1.0));
    }
}
