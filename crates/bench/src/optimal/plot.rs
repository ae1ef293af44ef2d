//! The plot: mean instruction coverage over time, one line per technique, as SVG.

use super::Technique;
use super::measure::Row;
use std::fmt::Write;
use std::time::Duration;

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 460.0;
const LEFT: f64 = 70.0;
const RIGHT: f64 = WIDTH - 120.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = HEIGHT - 60.0;
/// The first moment that is shown, in seconds; the axis is logarithmic.
const FIRST: f64 = 0.01;
/// How many points a line has.
const POINTS: u32 = 120;
/// Colours that people with any kind of colour vision tell apart, as far as twelve can be.
const COLOURS: [&str; 12] = [
    "#e41a1c", "#000000", "#0072b2", "#009e73", "#e69f00", "#56b4e9", "#b8a800", "#d55e00", "#cc79a7",
    "#7f3c8d", "#999999", "#66a61e",
];

/// The plot of all rows.
pub fn svg(rows: &[Row], techniques: &[Technique], budget: Duration) -> String {
    let last = budget.as_secs_f64().max(10.0 * FIRST);
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    axes(&mut svg, last);
    for (place, technique) in techniques.iter().enumerate() {
        let own: Vec<&Row> = rows.iter().filter(|row| row.technique == *technique).collect();
        let points = (0..=POINTS).map(|point| {
            let seconds = FIRST * (last / FIRST).powf(f64::from(point) / f64::from(POINTS));
            (x(seconds, last), y(mean_at(&own, Duration::from_secs_f64(seconds))))
        });
        line(&mut svg, place, technique.name, points);
    }
    svg += "</svg>\n";
    svg
}

/// The mean share of instructions at a time; what could not be measured covers nothing.
pub fn mean_at(rows: &[&Row], time: Duration) -> f64 {
    let share = |row: &&Row| row.outcome.as_ref().map_or(0.0, |measured| measured.share_at(time));
    rows.iter().map(share).sum::<f64>() / rows.len().max(1) as f64
}

fn x(seconds: f64, last: f64) -> f64 {
    LEFT + (seconds / FIRST).log10() / (last / FIRST).log10() * (RIGHT - LEFT)
}

fn y(share: f64) -> f64 {
    BOTTOM - share * (BOTTOM - TOP)
}

fn axes(svg: &mut String, last: f64) {
    let title = "Instructions covered, mean over the functions";
    let _ = writeln!(svg, "<text x=\"{LEFT}\" y=\"{}\" font-size=\"15\">{title}</text>", TOP - 18.0);
    for tenth in 0..=5 {
        let share = f64::from(tenth) / 5.0;
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" y1=\"{0:.1}\" x2=\"{RIGHT}\" y2=\"{0:.1}\" stroke=\"#dddddd\"/>\n\
             <text x=\"{1}\" y=\"{2:.1}\" text-anchor=\"end\">{3:.0} %</text>",
            y(share),
            LEFT - 8.0,
            y(share) + 4.0,
            100.0 * share
        );
    }
    let mut seconds = FIRST;
    while seconds <= last * 1.001 {
        let place = x(seconds, last);
        let text =
            format!("<text x=\"{place:.1}\" y=\"{}\" text-anchor=\"middle\">{seconds}</text>", BOTTOM + 20.0);
        svg.push_str(&text);
        svg.push('\n');
        // Whole decades, without the noise of repeated multiplication.
        seconds = 10_f64.powf((seconds * 10.0).log10().round());
    }
    let middle = f64::midpoint(LEFT, RIGHT);
    let _ =
        writeln!(svg, "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">seconds</text>", BOTTOM + 42.0);
}

fn line(svg: &mut String, place: usize, name: &str, points: impl Iterator<Item = (f64, f64)>) {
    let colour = COLOURS[place % COLOURS.len()];
    let width = if place == 0 { 3 } else { 1 };
    let joined: Vec<String> = points.map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let y = TOP + 22.0 * place as f64;
    let _ = writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"/>\n\
         <line x1=\"{}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\" stroke=\"{colour}\" stroke-width=\"{}\"/>\n\
         <text x=\"{}\" y=\"{}\">{name}</text>",
        joined.join(" "),
        RIGHT + 18.0,
        RIGHT + 40.0,
        width + 1,
        RIGHT + 46.0,
        y + 4.0
    );
}
