//! What `testwright bench ablate` measured, by heuristic. More runs without it, or fewer branches, mean that it pays.

/// Names and effects.
pub const NAMES: &[(&str, &str)] = &[
    (
        "turns-with-larger",
        "no effect seen: no subject has an occasion for it; only `gcd` differs, which needs other runs each time",
    ),
    (
        "wide-inputs",
        "no effect seen: no subject has an occasion for it; only `gcd` differs, which needs other runs each time",
    ),
    (
        "unpinned-flips",
        "no effect seen: no subject has an occasion for it; only `gcd` differs, which needs other runs each time",
    ),
    (
        "stray-checks",
        "no effect seen: no subject has an occasion for it; only `gcd` differs, which needs other runs each time",
    ),
    (
        "doubt",
        "no effect seen: no subject has an occasion for it; only `gcd` differs, which needs other runs each time",
    ),
    (
        "last-resort",
        "no effect seen: no subject has an occasion for it; only `gcd` differs, which needs other runs each time",
    ),
    ("pin-flips", "no effect seen: 0.98x, p 0.37, better 0, worse 2 of 30"),
    ("filled-elements", "no effect seen: 1.02x, p 0.67, better 6, worse 6 of 30; `equal_pairs` 2.5x"),
    ("preferred-values", "no effect seen: 1.00x, p 0.81, better 11, worse 14 of 30"),
    ("edits", "no effect seen: 1.18x, p 0.49, better 9, worse 12 of 30; `connection` 5.2x"),
    ("edits-follow-up", "no effect seen: 1.04x, p 0.78, better 6, worse 7 of 30"),
    ("edits-learn-share", "no effect seen: 0.97x, p 0.98, better 8, worse 8 of 30"),
    ("edits-of-lost", "no effect seen: 0.96x, p 0.41, better 4, worse 6 of 30"),
    ("edits-by-turn", "no effect seen: 1.02x, p 0.40, better 11, worse 9 of 30; `binary_search` 2.1x"),
    ("edits-after-setting", "no effect seen: 0.98x, p 0.50, better 4, worse 7 of 30"),
    ("edits-in-order", "no effect seen: 1.01x, p 0.78, better 5, worse 8 of 30"),
    ("edit-pairs", "no effect seen: 0.98x, p 0.23, better 2, worse 6 of 30"),
    ("edit-moves", "no effect seen: 1.05x, p 1.00, better 1, worse 1 of 30; `greeting` 4.6x"),
    ("targets-beyond-goals", "no effect seen: 1.07x, p 0.76, better 10, worse 9 of 30; `greeting` 4.6x"),
    ("waiting-targets", "no effect seen: 1.02x, p 0.82, better 9, worse 7 of 30; `greeting` 3.2x"),
    ("measured-distances", "pays: 2.89x, p below 0.001, better 24, worse 2 of 30; `ascending` 12.9x"),
    ("string-distances", "no effect seen: 1.11x, p 0.18, better 4, worse 1 of 30; `pascal` 8.5x"),
    ("losses-kept", "no effect seen: 1.13x, p 0.11, better 13, worse 4 of 30; `greeting` 3.1x"),
    ("shared-credit", "no effect seen: 1.00x, p 0.66, better 10, worse 8 of 30; `brackets` 2.4x"),
    ("short-paths", "no effect seen: 0.99x, p 0.37, better 0, worse 2 of 30"),
    ("gain-per-byte", "no effect seen: 1.05x, p 0.58, better 3, worse 1 of 30; `greeting` 4.4x"),
    ("gain-of-fresh", "no effect seen: 1.03x, p 0.75, better 9, worse 11 of 30; `greeting` 4.6x"),
    ("matches-go-on", "no effect seen: 1.06x, p 0.36, better 3, worse 1 of 30; `greeting` 3.0x"),
    ("direct-flips", "no effect seen: 1.01x, p 1.00, better 1, worse 2 of 30; `greeting` 2.8x"),
    ("drawn-runs", "no effect seen: 0.99x, p 0.73, better 4, worse 4 of 30"),
    ("repeated-flips", "no effect seen: 1.03x, p 0.58, better 2, worse 2 of 30"),
    ("longer-turns", "pays: 1.20x, p below 0.001, better 25, worse 3 of 30; `brackets` 2.5x"),
    (
        "larger-cases",
        "no effect seen: no subject has an occasion for it; only `gcd` differs, which needs other runs each time",
    ),
    (
        "followed-pointer",
        "no effect seen: no subject has an occasion for it; only `gcd` differs, which needs other runs each time",
    ),
    (
        "joined-pointers",
        "no effect seen: no subject has an occasion for it; only `gcd` differs, which needs other runs each time",
    ),
    (
        "other-alignments",
        "no effect seen: no subject has an occasion for it; only `gcd` differs, which needs other runs each time",
    ),
    (
        "other-members",
        "no effect seen: no subject has an occasion for it; only `gcd` differs, which needs other runs each time",
    ),
    (
        "tied-tags",
        "no effect seen: no subject has an occasion for it; only `gcd` differs, which needs other runs each time",
    ),
    ("guessed-lengths", "no effect seen: 1.10x, p 0.44, better 5, worse 3 of 30; `palindrome` 9.4x"),
];

/// The effect of the heuristic of this name, if it was measured.
pub fn of(name: &str) -> Option<&'static str> {
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, effect)| *effect)
}
