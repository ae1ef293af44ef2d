//! What `testwright bench ablate` measured, by heuristic. More runs without it, or fewer branches, mean that it pays.

/// Names and effects.
pub const NAMES: &[(&str, &str)] = &[];

/// The effect of the heuristic of this name, if it was measured.
pub fn of(name: &str) -> Option<&'static str> {
    NAMES.iter().find(|(known, _)| *known == name).map(|(_, effect)| *effect)
}
