//! The rows of the paper's tables: our subject for each, and what the paper says about it.

/// A row.
#[derive(Debug)]
pub struct Row {
    /// Its name in the paper.
    pub name: &'static str,
    /// The file of the subject.
    pub file: &'static str,
    /// Percent of the mutants of path conditions that are killed weakly: by branches alone, with boundaries, with mutation.
    pub killed: [f64; 3],
    /// Tests, and conditions that were solved for them, in the same order.
    pub tests: [(f64, f64); 3],
    /// Seconds; those that took less than one have 0.
    pub seconds: [f64; 3],
    /// Of how many methods these are the mean.
    pub methods: usize,
}

/// What the paper's columns are called here.
pub const COLUMNS: [&str; 3] = ["plain", "boundary", "mutation"];

/// All of them.
pub const ROWS: [Row; 12] = [
    row("Factorial", "factorial.c", [87.10, 92.86, 93.88], [(4., 4.), (6., 11.), (8., 98.)], [0., 0., 0.]),
    row("Power", "power.c", [61.35, 85.66, 90.91], [(4., 4.), (10., 31.), (15., 286.)], [0., 0., 1.]),
    row("MaxValue", "max_value.c", [68.33, 88.28, 89.37], [(5., 5.), (11., 38.), (15., 367.)], [0., 0., 1.]),
    row("Fibonacci", "fibonacci.c", [84.76, 87.80, 89.02], [(6., 6.), (7., 15.), (9., 164.)], [0., 0., 0.]),
    row("GCD", "gcd.c", [41.74, 41.04, 58.07], [(4., 4.), (4., 17.), (27., 1004.)], [0., 0., 174.]),
    row(
        "WBS",
        "wheel_brake.c",
        [27.76, 26.28, 28.27],
        [(18., 18.), (101., 174.), (365., 2508.)],
        [0., 2., 108.],
    ),
    row(
        "FindMiddle",
        "find_middle.c",
        [58.65, 64.69, 74.60],
        [(11., 11.), (25., 180.), (71., 2240.)],
        [0., 0., 19.],
    ),
    row("WrapInc", "wrap_inc.c", [76.32, 87.50, 95.00], [(2., 2.), (4., 6.), (6., 40.)], [0., 0., 0.]),
    row(
        "Remainder",
        "remainder.c",
        [58.87, 74.97, 82.92],
        [(11., 11.), (33., 139.), (64., 1838.)],
        [0., 1., 58.],
    ),
    row(
        "ToOctal",
        "to_octal.c",
        [28.71, 33.16, 40.77],
        [(6., 6.), (18., 301.), (71., 14524.)],
        [0., 16., 2159.],
    ),
    row(
        "ToHex",
        "to_hex.c",
        [51.97, 61.03, 70.11],
        [(14., 14.), (24., 382.), (101., 11395.)],
        [0., 9., 747.],
    ),
    Row {
        methods: 44,
        ..row(
            "Linear",
            "linear.c",
            [65.08, 71.52, 90.56],
            [(2.05, 2.05), (2.36, 4.68), (5.50, 94.39)],
            [0., 0., 0.],
        )
    },
];

const fn row(
    name: &'static str,
    file: &'static str,
    killed: [f64; 3],
    tests: [(f64, f64); 3],
    seconds: [f64; 3],
) -> Row {
    Row { name, file, killed, tests, seconds, methods: 1 }
}
