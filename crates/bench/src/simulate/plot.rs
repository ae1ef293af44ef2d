//! The plot: relative cost over the number of states, one line per strategy, as SVG.

use std::fmt::Write;
use testwright_search::simulate::study::{STRATEGIES, Study};

const WIDTH: f64 = 760.0;
const HEIGHT: f64 = 460.0;
/// Where the axes begin and end.
const LEFT: f64 = 70.0;
const RIGHT: f64 = WIDTH - 110.0;
const TOP: f64 = 40.0;
const BOTTOM: f64 = HEIGHT - 60.0;
/// Colours that people with any kind of colour vision tell apart, as far as eleven can be.
const COLOURS: [&str; 11] = [
    "#999999", "#e69f00", "#56b4e9", "#009e73", "#b8a800", "#0072b2", "#d55e00", "#cc79a7", "#7f3c8d",
    "#000000", "#e41a1c",
];

/// The plot of a study.
pub fn svg(study: &Study) -> String {
    let all = study.relative_cost.iter().flatten();
    let most = all.fold(10.0_f64, |most, cost| most.max(*cost));
    let scale = Scale { decades: most.log10().ceil(), sizes: &study.sizes };
    let mut svg = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" font-family=\"sans-serif\" \
         font-size=\"13\">\n<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n"
    );
    axes(&mut svg, &scale);
    for (place, (strategy, costs)) in STRATEGIES.iter().zip(&study.relative_cost).enumerate() {
        line(&mut svg, &scale, place, strategy.name, costs);
    }
    svg += "</svg>\n";
    svg
}

struct Scale<'a> {
    /// The vertical axis goes from 1 to 10 to the power of this.
    decades: f64,
    sizes: &'a [usize],
}

impl Scale<'_> {
    fn x(&self, place: usize) -> f64 {
        let last = self.sizes.len() - 1;
        let share = if last == 0 { 0.5 } else { place as f64 / last as f64 };
        LEFT + share * (RIGHT - LEFT)
    }

    fn y(&self, cost: f64) -> f64 {
        // Noise may bring a mean just below the optimum.
        BOTTOM - cost.max(1.0).log10() / self.decades * (BOTTOM - TOP)
    }
}

fn axes(svg: &mut String, scale: &Scale<'_>) {
    let _ = writeln!(
        svg,
        "<text x=\"{LEFT}\" y=\"{}\" font-size=\"15\">Cost to cover a model, relative to the optimum</text>",
        TOP - 18.0
    );
    for decade in 0..=scale.decades as i32 {
        let cost = 10_f64.powi(decade);
        let y = scale.y(cost);
        let _ = writeln!(
            svg,
            "<line x1=\"{LEFT}\" y1=\"{y:.1}\" x2=\"{RIGHT}\" y2=\"{y:.1}\" stroke=\"#dddddd\"/>\n\
             <text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{cost}</text>",
            LEFT - 8.0,
            y + 4.0
        );
    }
    for (place, states) in scale.sizes.iter().enumerate() {
        let _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{}\" text-anchor=\"middle\">{states}</text>",
            scale.x(place),
            BOTTOM + 20.0
        );
    }
    let middle = f64::midpoint(LEFT, RIGHT);
    let _ =
        writeln!(svg, "<text x=\"{middle}\" y=\"{}\" text-anchor=\"middle\">states</text>", BOTTOM + 42.0);
}

fn line(svg: &mut String, scale: &Scale<'_>, place: usize, name: &str, costs: &[f64]) {
    let colour = COLOURS[place % COLOURS.len()];
    let width = if place + 2 >= STRATEGIES.len() { 3 } else { 1 };
    let points: Vec<(f64, f64)> =
        costs.iter().enumerate().map(|(place, cost)| (scale.x(place), scale.y(*cost))).collect();
    let joined: Vec<String> = points.iter().map(|(x, y)| format!("{x:.1},{y:.1}")).collect();
    let _ = writeln!(
        svg,
        "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"{width}\"/>",
        joined.join(" ")
    );
    for (x, y) in points {
        let _ = writeln!(svg, "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{}\" fill=\"{colour}\"/>", width + 2);
    }
    let y = TOP + 22.0 * place as f64;
    let _ = writeln!(
        svg,
        "<line x1=\"{}\" y1=\"{y}\" x2=\"{}\" y2=\"{y}\" stroke=\"{colour}\" stroke-width=\"{}\"/>\n\
         <text x=\"{}\" y=\"{}\">{name}</text>",
        RIGHT + 18.0,
        RIGHT + 40.0,
        width + 1,
        RIGHT + 46.0,
        y + 4.0
    );
}
