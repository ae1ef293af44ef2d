//! What the experiment says: Table 1 (scores), Table 2 (tests, conditions, time), and the figures.

use super::Sought;
use super::measure::{Kill, Measured};
use super::rows::{COLUMNS, Row};
use crate::figures::{Aim, Figure};
use crate::record;
use serde_json::{Value, json};
use std::fmt::Write as _;

/// What the tables are about, for those who read the JSON.
const MEASURE: &str = "Mutants of the mutant build, all of the file: ROR, AOR, LOR, CRO, UOI, SDL. Weakly killed: another value at its place in \
    some test; strongly killed: something differs that a test could observe. Scores leave out mutants that are proved equivalent, raw \
    ones do not. The paper scores mutants of path conditions, weakly.";

/// What the weak score is to be, in percent, mean over the rows: more than 20 and 12 points above the paper's.
const AIMS: [(&str, f64); 2] = [("all", 95.0), ("boundary", 80.0)];
/// No row may take longer.
const LONGEST: f64 = 5.0;

/// Everything that was measured.
pub struct Report<'a> {
    /// The measurements, by row and then by what was searched for.
    pub measured: &'a [Measured],
    /// What was searched for.
    pub sought: &'a [Sought],
}

/// Takes a number from a measurement.
type Take<'t> = &'t dyn Fn(&Measured) -> f64;

impl Report<'_> {
    /// For programs.
    pub fn json(&self) -> Value {
        let mut report = record::to_json(&self.figures());
        report["measure"] = json!(MEASURE);
        report["rows"] = self.measured.iter().map(Measured::json).collect();
        report["paper"] = self.rows().into_iter().map(paper).collect();
        report
    }

    /// For people.
    pub fn text(&self) -> String {
        let mut text = self.table(
            "weakly killed, % of mutants not proved equivalent",
            &|one| one.score(Kill::Weak, false),
            1,
        );
        text += &self.table("the same of all mutants", &|one| one.score(Kill::Weak, true), 1);
        text += &self.table(
            "strongly killed, % of mutants not proved equivalent",
            &|one| one.score(Kill::Strong, false),
            1,
        );
        text += &self.table("tests (a method)", &|one| one.each(one.tests as f64), 1);
        text += &self.table("goals met (a method)", &|one| one.each(one.goals.met as f64), 1);
        text += &self.table(
            "conditions asked of the solver (a method)",
            &|one| one.each(one.solver.all.queries as f64),
            1,
        );
        text += &self.table("seconds (all methods)", &|one| one.seconds, 2);
        text += &self.layers();
        text += &self.paper_table();
        self.figures().iter().for_each(|figure| text += &format!("{}\n", figure.line()));
        text
    }

    /// The rows in their order, each once.
    fn rows(&self) -> Vec<&'static Row> {
        let mut rows: Vec<&'static Row> = self.measured.iter().map(|measured| measured.row).collect();
        rows.dedup_by_key(|row| row.name);
        rows
    }

    /// The mean over the seeds.
    fn mean(&self, row: &Row, sought: &str, take: Take<'_>) -> f64 {
        let own = self.measured.iter().filter(|one| one.row.name == row.name && one.sought == sought);
        let numbers: Vec<f64> = own.map(take).collect();
        numbers.iter().sum::<f64>() / numbers.len().max(1) as f64
    }

    /// The mean over the rows.
    fn mean_of_rows(&self, sought: &str, take: Take<'_>) -> f64 {
        let rows = self.rows();
        rows.iter().map(|row| self.mean(row, sought, take)).sum::<f64>() / rows.len().max(1) as f64
    }

    fn table(&self, title: &str, take: Take<'_>, digits: usize) -> String {
        let mut text = format!("  {title:<55}");
        self.sought.iter().for_each(|sought| _ = write!(text, " {:>9}", sought.name));
        for row in self.rows() {
            let _ = write!(text, "\n    {:<53}", row.name);
            for sought in self.sought {
                let _ = write!(text, " {:>9.digits$}", self.mean(row, sought.name, take));
            }
        }
        let _ = write!(text, "\n    {:<53}", "mean");
        for sought in self.sought {
            let _ = write!(text, " {:>9.digits$}", self.mean_of_rows(sought.name, take));
        }
        text + "\n\n"
    }

    /// Who answered the conditions of all rows, and in what time.
    fn layers(&self) -> String {
        let mut names: Vec<&str> = Vec::new();
        for layer in self.measured.iter().flat_map(|one| &one.solver.layers) {
            if !names.contains(&layer.name) {
                names.push(layer.name);
            }
        }
        let mut text = format!("  {:<55}", "conditions of all rows by who answered (seconds)");
        self.sought.iter().for_each(|sought| _ = write!(text, " {:>15}", sought.name));
        for name in names {
            let _ = write!(text, "\n    {name:<53}");
            for sought in self.sought {
                let own = self.measured.iter().filter(|one| one.sought == sought.name);
                let own = own.flat_map(|one| &one.solver.layers).filter(|layer| layer.name == name);
                let (count, time) = own.fold((0, 0.0), |(count, time), layer| {
                    (count + layer.sat + layer.unsat, time + layer.time_s)
                });
                let _ = write!(text, " {:>15}", format!("{count} ({time:.2})"));
            }
        }
        text + "\n\n"
    }

    /// What the paper measured.
    fn paper_table(&self) -> String {
        let mut text = format!("  {:<55}", "the paper: weakly killed % (tests/conditions, seconds)");
        COLUMNS.iter().for_each(|name| _ = write!(text, " {name:>26}"));
        for row in self.rows() {
            let _ = write!(text, "\n    {:<53}", row.name);
            for ((killed, (tests, conditions)), seconds) in row.killed.iter().zip(row.tests).zip(row.seconds)
            {
                let effort = format!("({tests}/{conditions}, {seconds} s)");
                let _ = write!(text, " {killed:>7.2} {effort:>18}");
            }
        }
        text + "\n\n"
    }

    fn figures(&self) -> Vec<Figure> {
        let mut figures = Vec::new();
        for sought in self.sought {
            let name = sought.name;
            let mean = |take: Take<'_>| self.mean_of_rows(name, take);
            let note = format!(
                "raw {:.1}; tests {:.1}, conditions {:.0}, goals met {:.0}",
                mean(&|one| one.score(Kill::Weak, true)),
                mean(&|one| one.each(one.tests as f64)),
                mean(&|one| one.each(one.solver.all.queries as f64)),
                mean(&|one| one.each(one.goals.met as f64)),
            );
            let weak = (format!("{name}: weakly killed"), mean(&|one| one.score(Kill::Weak, false)), " %");
            let aim = AIMS.iter().find(|(aimed, _)| *aimed == name);
            figures.push(match aim {
                Some((_, least)) => Figure::new(weak.0, weak.1, weak.2, Aim::AtLeast(*least), note),
                None => Figure::told(weak.0, weak.1, weak.2, note),
            });
            let note = format!("raw {:.1}", mean(&|one| one.score(Kill::Strong, true)));
            let strong = mean(&|one| one.score(Kill::Strong, false));
            figures.push(Figure::told(format!("{name}: strongly killed"), strong, " %", note));
        }
        let slowest = self.measured.iter().max_by(|a, b| a.seconds.total_cmp(&b.seconds));
        figures.extend(slowest.map(|slowest| {
            let note = format!("{}, {}", slowest.row.name, slowest.sought);
            Figure::new("slowest row", slowest.seconds, " s", Aim::AtMost(LONGEST), note)
        }));
        figures
    }
}

/// What the paper says of a row.
fn paper(row: &Row) -> Value {
    let columns = COLUMNS.iter().enumerate().map(|(index, name)| {
        let (tests, conditions) = row.tests[index];
        let seconds = row.seconds[index];
        let column =
            json!({"weak": row.killed[index], "tests": tests, "conditions": conditions, "seconds": seconds});
        ((*name).to_owned(), column)
    });
    let columns: serde_json::Map<String, Value> = columns.collect();
    json!({"row": row.name, "criteria": columns})
}
