//! What the experiment says: a line per function, the figures, and everything as JSON.

use super::Protocol;
use super::measure::{Branch, Measured, TECHNIQUES};
use crate::bench::figures::{Aim, Figure};
use crate::bench::wilcoxon;
use serde_json::{Value, json};

/// The first line of the table.
pub fn print_head() {
    println!(
        "  {:<24} {:>8} {:>9} | {:>26} | {:>26} | {:>12} {:>9}",
        "function",
        "branches",
        "variables",
        "avm standard, symbolic",
        "ga standard, symbolic",
        "analysis",
        "standard"
    );
}

/// The line of a function; with a line per branch, if wanted.
pub fn print_row(measured: &Measured, with_branches: bool) {
    let cells: Vec<String> = (0..TECHNIQUES.len())
        .map(|technique| {
            let [standard, symbolic] = means(&measured.branches, technique);
            format!("{standard:>8.0} {symbolic:>8.0} {:>+7.1}%", change(measured, technique))
        })
        .collect();
    let fallbacks = measured.branches.iter().filter(|branch| branch.fallback.is_some()).count();
    let mut text = format!(
        "  {:<24} {:>8} {:>9} | {} | {} | {:>9.0} ms {fallbacks:>9}\n",
        measured.function,
        measured.branches.len(),
        measured.variables,
        cells[0],
        cells[1],
        measured.analysis.as_secs_f64() * 1e3,
    );
    if with_branches {
        for branch in &measured.branches {
            let rates: Vec<String> = (0..TECHNIQUES.len())
                .map(|technique| {
                    let [standard, symbolic] = means(std::slice::from_ref(branch), technique);
                    let [before, after] = success(branch, technique);
                    format!("{standard:>8.0} {symbolic:>8.0} {before:>4.0}%{after:>4.0}%")
                })
                .collect();
            let fallback =
                branch.fallback.as_deref().map(|why| format!("  standard: {why}")).unwrap_or_default();
            text += &format!("    {:<41} | {} | {}{fallback}\n", branch.name, rates[0], rates[1]);
        }
    }
    print!("{text}");
}

/// Mean evaluations: standard, symbolic.
fn means(branches: &[Branch], technique: usize) -> [f64; 2] {
    [0, 1].map(|fitness| {
        let all = branches.iter().flat_map(|branch| &branch.searches[technique][fitness]);
        let (count, sum) = all.fold((0, 0), |(count, sum), (evaluations, _)| (count + 1, sum + evaluations));
        sum as f64 / f64::from(count.max(1))
    })
}

/// By how many percent the symbolic function needs more evaluations.
fn change(measured: &Measured, technique: usize) -> f64 {
    let [standard, symbolic] = means(&measured.branches, technique);
    (symbolic / standard.max(1e-9) - 1.0) * 100.0
}

/// Percent of the searches that hit a branch: standard, symbolic.
fn success(branch: &Branch, technique: usize) -> [f64; 2] {
    [0, 1].map(|fitness| {
        let searches = &branch.searches[technique][fitness];
        searches.iter().filter(|(_, hit)| *hit).count() as f64 * 100.0 / searches.len().max(1) as f64
    })
}

/// Pairs of evaluations with the same branch and seed: symbolic, standard.
fn pairs(measured: &[Measured], technique: usize) -> Vec<(f64, f64)> {
    let branches = measured.iter().flat_map(|measured| &measured.branches);
    let pair = |branch: &Branch| -> Vec<(f64, f64)> {
        let [standard, symbolic] = &branch.searches[technique];
        standard
            .iter()
            .zip(symbolic)
            .map(|((before, _), (after, _))| (*after as f64, *before as f64))
            .collect()
    };
    branches.flat_map(pair).collect()
}

/// The figures of the experiment.
pub fn figures(measured: &[Measured]) -> Vec<Figure> {
    let mut figures = Vec::new();
    for (technique, aim) in [(0, -25.0), (1, -10.0)] {
        let name = TECHNIQUES[technique].name();
        let changes: Vec<(f64, &str)> = measured
            .iter()
            .map(|measured| (change(measured, technique), measured.function.as_str()))
            .collect();
        let mean = changes.iter().map(|(change, _)| change).sum::<f64>() / changes.len().max(1) as f64;
        figures.push(Figure::new(
            format!("{name}: evaluations, symbolic against standard"),
            mean,
            " %",
            Aim::AtMost(aim),
            "mean over functions",
        ));
        let p = wilcoxon::one_sided(&pairs(measured, technique));
        figures.push(Figure::new(
            format!("{name}: p of that"),
            p,
            "",
            Aim::AtMost(0.01),
            "paired, one-sided",
        ));
        if let Some((worst, function)) = changes.iter().max_by(|a, b| a.0.total_cmp(&b.0)) {
            let name = format!("{name}: the worst function");
            figures.push(Figure::new(name, *worst, " %", Aim::AtMost(2.0), *function));
        }
    }
    let samples = || measured.iter().filter(|measured| measured.is_sample);
    let least = samples()
        .flat_map(|measured| &measured.branches)
        .map(|branch| success(branch, 0)[1])
        .min_by(f64::total_cmp);
    if let Some(least) = least {
        let note = "triangle, get and set functions";
        figures.push(Figure::new("avm, symbolic: least success", least, " %", Aim::AtLeast(100.0), note));
    }
    if let Some(slowest) = measured.iter().max_by_key(|measured| measured.analysis) {
        let seconds = slowest.analysis.as_secs_f64();
        let note = slowest.function.as_str();
        figures.push(Figure::new("longest static analysis", seconds, " s", Aim::AtMost(2.0), note));
    }
    if let Some(triangle) = measured.iter().find(|measured| measured.function == "triangle") {
        for (speed, fitness) in triangle.speed.iter().zip(["standard", "symbolic"]) {
            let name = format!("evaluations on triangle, avm, {fitness}");
            figures.push(Figure::new(name, speed.round(), "/s", Aim::AtLeast(1e6), "messages included"));
        }
    }
    figures
}

/// Everything.
pub fn to_json(measured: &[Measured], figures: &[Figure], protocol: &Protocol, missing: &[String]) -> Value {
    let branch = |branch: &Branch| {
        let mut value = json!({"branch": branch.name, "fallback": branch.fallback});
        for (index, technique) in TECHNIQUES.iter().enumerate() {
            let ([standard, symbolic], [before, after]) =
                (means(std::slice::from_ref(branch), index), success(branch, index));
            value[technique.name()] = json!({
                "evaluations": {"standard": standard, "symbolic": symbolic},
                "success": {"standard": before, "symbolic": after},
            });
        }
        value
    };
    let function = |measured: &Measured| {
        let mut value = json!({
            "function": measured.function,
            "variables": measured.variables,
            "analysis_ms": measured.analysis.as_secs_f64() * 1e3,
            "avm_evaluations_per_second": {"standard": measured.speed[0], "symbolic": measured.speed[1]},
            "branches": measured.branches.iter().map(branch).collect::<Vec<_>>(),
        });
        for (index, technique) in TECHNIQUES.iter().enumerate() {
            let [standard, symbolic] = means(&measured.branches, index);
            value[technique.name()] = json!({
                "standard": standard, "symbolic": symbolic, "normalised": 100.0 + change(measured, index),
            });
        }
        value
    };
    let mut value = crate::bench::record::to_json(figures);
    value["seeds"] = json!(protocol.seeds);
    value["evaluations"] = json!(protocol.evaluations);
    value["left_out"] = json!(missing);
    value["functions"] = measured.iter().map(function).collect();
    value
}
