//! The report of the experiment on real projects: sums over all rows, then a line for each.

use super::row::Row;
use serde_json::{Value, json};
use std::fmt::Write;

/// All rows with what they come to.
pub struct Report<'a> {
    /// The rows.
    pub rows: &'a [Row],
    /// The time for the search in each function.
    pub budget: &'a str,
}

impl Report<'_> {
    /// The mean share of the branches that are not proved infeasible.
    pub fn mean_share(&self) -> f64 {
        mean(self.rows)
    }

    /// The sum of a number of each function.
    pub fn sum(&self, name: &str) -> u64 {
        self.rows.iter().map(|row| row.number(name)).sum()
    }

    /// As JSON with a line for each function, so that records can be compared line by line.
    pub fn text(&self) -> String {
        let head = json!({
            "budget": self.budget, "mean_share": (self.mean_share() * 1e4).round() / 1e4,
            "machine": crate::record::machine(), "tests": self.sum("tests"), "greedy_cover": self.sum("greedy_cover"),
        });
        let mut text = String::from("{");
        for (key, value) in head.as_object().into_iter().flatten() {
            let _ = write!(text, "\"{key}\": {value},\n ");
        }
        let rows: Vec<String> =
            self.rows.iter().map(Row::to_json).map(|row: Value| row.to_string()).collect();
        text + &format!("\"functions\": [\n  {}\n]}}\n", rows.join(",\n  "))
    }
}

/// The mean share of rows.
pub fn mean<'a>(rows: impl IntoIterator<Item = &'a Row>) -> f64 {
    let shares: Vec<f64> = rows.into_iter().filter_map(Row::share).collect();
    shares.iter().sum::<f64>() / shares.len().max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::path::Path;

    #[test]
    fn a_report_is_json_with_a_line_for_each_function() {
        let function = |covered: u64| json!({"branches": {"total": 4, "covered": covered}, "tests": covered});
        let row = |covered| Row::new("jsmn", Path::new("jsmn.c"), "parse", 1.0, Ok(function(covered)));
        let rows = [row(4), row(2)];
        let text = Report { rows: &rows, budget: "5s" }.text();
        let value: Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!((&value["mean_share"], &value["tests"]), (&json!(0.75), &json!(6)));
        assert_eq!(value["functions"].as_array().map(Vec::len), Some(2));
        assert_eq!(text.lines().filter(|line| line.contains("\"parse\"")).count(), 2, "{text}");
    }
}
