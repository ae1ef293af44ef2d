//! What the experiment says: a line per function, the figures, and everything as JSON.

use super::Protocol;
use super::measure::{Branch, Measured, TECHNIQUES};
use crate::console::{line, part};
use crate::figures::{Aim, Figure};
use crate::wilcoxon;
use serde_json::{Value, json};
use std::borrow::Borrow;
use std::fmt::Write as _;

/// The first line of the table.
pub fn print_head() {
    line!(
        "  {:<22} {:>8} {:>9} {:>9} {:>8} | {:<4} {:>8} {:>8} {:>10} {:>13} {:>8}",
        "function",
        "branches",
        "variables",
        "analysis",
        "fallback",
        "by",
        "standard",
        "symbolic",
        "normalised",
        "success",
        "p"
    );
}

/// The lines of a function, one per technique; with as many per branch, if wanted.
pub fn print_row(measured: &Measured, with_branches: bool) {
    let fallbacks = measured.branches.iter().filter(|branch| branch.fallback.is_some()).count();
    let head = format!(
        "{:<22} {:>8} {:>9} {:>6.0} ms {fallbacks:>8}",
        measured.function,
        measured.branches.len(),
        measured.variables,
        measured.analysis.as_secs_f64() * 1e3,
    );
    let mut text = lines(&head, &measured.branches);
    if with_branches {
        for branch in &measured.branches {
            let fallback = branch.fallback.as_deref().map(|why| format!(" standard: {why}"));
            let head = format!("  {}{}", branch.name, fallback.unwrap_or_default());
            text += &lines(&head, std::slice::from_ref(branch));
        }
    }
    part!("{text}");
}

/// The lines of all functions together.
pub fn print_all(measured: &[Measured]) {
    let head = format!(
        "{:<22} {:>8}",
        "all",
        measured.iter().map(|measured| measured.branches.len()).sum::<usize>()
    );
    let branches: Vec<&Branch> = measured.iter().flat_map(|measured| &measured.branches).collect();
    part!("{}", lines(&head, &branches));
}

/// A line per technique.
fn lines<B: Borrow<Branch>>(head: &str, branches: &[B]) -> String {
    let mut text = String::new();
    for (index, technique) in TECHNIQUES.iter().enumerate() {
        let [standard, symbolic] = means(branches, index);
        let [before, after] = success(branches, index);
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "  {:<60} | {:<4} {standard:>8.0} {symbolic:>8.0} {:>8.1} % {before:>5.1} {after:>5.1} % {:>8}",
            if index == 0 { head } else { "" },
            technique.name(),
            100.0 + change(branches, index),
            probability(wilcoxon::one_sided(&pairs(branches, index))),
        );
    }
    text
}

/// A probability, to four digits.
fn probability(p: f64) -> String {
    if p < 0.0001 { "< 0.0001".to_owned() } else { format!("{p:.4}") }
}

/// Mean evaluations: standard, symbolic.
fn means<B: Borrow<Branch>>(branches: &[B], technique: usize) -> [f64; 2] {
    [0, 1].map(|fitness| {
        let all = branches.iter().flat_map(|branch| &branch.borrow().searches[technique][fitness]);
        let (count, sum) = all.fold((0, 0), |(count, sum), (evaluations, _)| (count + 1, sum + evaluations));
        sum as f64 / f64::from(count.max(1))
    })
}

/// By how many percent the symbolic function needs more evaluations.
fn change<B: Borrow<Branch>>(branches: &[B], technique: usize) -> f64 {
    let [standard, symbolic] = means(branches, technique);
    (symbolic / standard.max(1e-9) - 1.0) * 100.0
}

/// Percent of the searches that hit their branch: standard, symbolic.
fn success<B: Borrow<Branch>>(branches: &[B], technique: usize) -> [f64; 2] {
    [0, 1].map(|fitness| {
        let all = branches.iter().flat_map(|branch| &branch.borrow().searches[technique][fitness]);
        let (count, hits) = all.fold((0, 0), |(count, hits), (_, hit)| (count + 1, hits + u32::from(*hit)));
        f64::from(hits) * 100.0 / f64::from(count.max(1))
    })
}

/// Pairs of evaluations with the same branch and seed: symbolic, standard.
fn pairs<B: Borrow<Branch>>(branches: &[B], technique: usize) -> Vec<(f64, f64)> {
    let pair = |branch: &B| -> Vec<(f64, f64)> {
        let [standard, symbolic] = &branch.borrow().searches[technique];
        let both = standard.iter().zip(symbolic);
        both.map(|((before, _), (after, _))| (*after as f64, *before as f64)).collect()
    };
    branches.iter().flat_map(pair).collect()
}

/// The figures of the experiment.
pub fn figures(measured: &[Measured]) -> Vec<Figure> {
    let mut figures = Vec::new();
    let branches: Vec<&Branch> = measured.iter().flat_map(|measured| &measured.branches).collect();
    for (technique, aim) in [(0, -25.0), (1, -10.0)] {
        let name = TECHNIQUES[technique].name();
        let changes: Vec<(f64, &str)> = measured
            .iter()
            .map(|measured| (change(&measured.branches, technique), measured.function.as_str()))
            .collect();
        let mean = changes.iter().map(|(change, _)| change).sum::<f64>() / changes.len().max(1) as f64;
        figures.push(Figure::new(
            format!("{name}: evaluations, symbolic against standard"),
            mean,
            " %",
            Aim::AtMost(aim),
            "mean over functions",
        ));
        let by_branch = branches.iter().map(|branch| change(std::slice::from_ref(branch), technique));
        figures.push(Figure::told(
            format!("{name}: the same, mean over branches"),
            by_branch.sum::<f64>() / branches.len().max(1) as f64,
            " %",
            "each with the mean of its seeds",
        ));
        for (rate, fitness) in success(&branches, technique).iter().zip(["standard", "symbolic"]) {
            let note = "searches that hit their branch";
            figures.push(Figure::told(format!("{name}, {fitness}: success"), *rate, " %", note));
        }
        let p = wilcoxon::one_sided(&pairs(&branches, technique));
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
        .map(|branch| success(std::slice::from_ref(branch), 0)[1])
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
        let mut value = compared(std::slice::from_ref(branch));
        value["branch"] = json!(branch.name);
        value["fallback"] = json!(branch.fallback);
        value
    };
    let function = |measured: &Measured| {
        let mut value = compared(&measured.branches);
        value["function"] = json!(measured.function);
        value["variables"] = json!(measured.variables);
        value["analysis_ms"] = json!(measured.analysis.as_secs_f64() * 1e3);
        value["avm_evaluations_per_second"] =
            json!({"standard": measured.speed[0], "symbolic": measured.speed[1]});
        value["branches"] = measured.branches.iter().map(branch).collect();
        value
    };
    let branches: Vec<&Branch> = measured.iter().flat_map(|measured| &measured.branches).collect();
    let mut value = crate::record::to_json(figures);
    value["seeds"] = json!(protocol.seeds);
    value["first_seed"] = json!(protocol.first_seed);
    value["evaluations"] = json!(protocol.evaluations);
    value["left_out"] = json!(missing);
    value["all"] = compared(&branches);
    value["functions"] = measured.iter().map(function).collect();
    value
}

/// What both fitness functions needed, by technique.
fn compared<B: Borrow<Branch>>(branches: &[B]) -> Value {
    let mut value = json!({});
    for (index, technique) in TECHNIQUES.iter().enumerate() {
        let ([standard, symbolic], [before, after]) = (means(branches, index), success(branches, index));
        value[technique.name()] = json!({
            "evaluations": {"standard": standard, "symbolic": symbolic},
            "normalised": 100.0 + change(branches, index),
            "success": {"standard": before, "symbolic": after},
            "p": wilcoxon::one_sided(&pairs(branches, index)),
        });
    }
    value
}
