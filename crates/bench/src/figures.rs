//! Figures: what was measured, and what it should be.

use crate::console::line;
use serde::Serialize;

/// Something that was measured.
#[derive(Debug, Clone, Serialize)]
pub struct Figure {
    /// What it is.
    pub name: String,
    /// The value; none if it could not be measured.
    pub value: Option<f64>,
    /// The unit: `x` for ratios, `ms`, `/s`, or nothing for counts.
    pub unit: &'static str,
    /// What it should be.
    pub aim: Option<Aim>,
    /// How it came about, or why it could not be measured.
    pub note: String,
}

/// What a figure should be.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Aim {
    /// This or more.
    AtLeast(f64),
    /// This or less.
    AtMost(f64),
    /// This, give or take [`NEAR`]: what was recorded.
    Near(f64),
}

/// How far a figure may be from what was recorded, in percent. Below that lies what versions of compilers differ by; one more
/// instruction in a loop of nine is more.
const NEAR: f64 = 10.0;

impl Figure {
    /// A figure with an aim.
    pub fn new(
        name: impl Into<String>,
        value: f64,
        unit: &'static str,
        aim: Aim,
        note: impl Into<String>,
    ) -> Figure {
        Figure { name: name.into(), value: Some(value), unit, aim: Some(aim), note: note.into() }
    }

    /// A figure that is only told.
    pub fn told(name: impl Into<String>, value: f64, unit: &'static str, note: impl Into<String>) -> Figure {
        Figure { name: name.into(), value: Some(value), unit, aim: None, note: note.into() }
    }

    /// A figure that could not be measured, and why.
    pub fn missing(name: impl Into<String>, why: impl Into<String>) -> Figure {
        Figure { name: name.into(), value: None, unit: "", aim: None, note: why.into() }
    }

    /// Whether it is as it should be; none without an aim or value.
    pub fn is_met(&self) -> Option<bool> {
        match (self.value?, self.aim?) {
            (value, Aim::AtLeast(least)) => Some(value >= least),
            (value, Aim::AtMost(most)) => Some(value <= most),
            (value, Aim::Near(recorded)) => Some((value - recorded).abs() * 100.0 <= recorded * NEAR),
        }
    }

    /// Prints its line.
    pub fn print(&self) {
        line!("{}", self.line());
    }

    /// One line.
    pub fn line(&self) -> String {
        let value =
            self.value.map_or_else(|| "-".to_owned(), |value| format!("{}{}", short(value), self.unit));
        let aim = match self.aim {
            Some(Aim::AtLeast(least)) => format!(">= {}{}", short(least), self.unit),
            Some(Aim::AtMost(most)) => format!("<= {}{}", short(most), self.unit),
            Some(Aim::Near(recorded)) => format!("= {} ± {NEAR} %", short(recorded)),
            None => String::new(),
        };
        let verdict = match self.is_met() {
            Some(true) => "met",
            Some(false) => "MISSED",
            None => "",
        };
        format!("  {:<50} {value:>12}  {aim:<18} {verdict:<6}  {}", self.name, self.note)
    }
}

/// Three digits that count.
fn short(value: f64) -> String {
    match value {
        _ if value == value.trunc() => format!("{value}"),
        _ if value.abs() >= 100.0 => format!("{value:.0}"),
        _ if value.abs() >= 10.0 => format!("{value:.1}"),
        _ => format!("{value:.2}"),
    }
}
