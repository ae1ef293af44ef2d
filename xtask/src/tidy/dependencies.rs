//! Fences between crates: what a crate must not need, directly or not.

use super::complaint::Complaint;
use super::workspace::Workspace;

/// Crates that bring LLVM or Z3 types.
const ENGINES: &[&str] = &["inkwell", "llvm-sys", "testwright-llvm", "testwright-smt", "z3", "z3-sys"];
/// Crates that build and run subjects.
const MAKERS: &[&str] = &["testwright-code", "testwright-exec", "testwright-process"];

/// Crates and what they must not need. A crate that does not exist yet keeps its fence.
const FENCES: &[(&str, &[&[&str]])] = &[
    ("testwright-base", &[ENGINES, MAKERS]),
    ("testwright-c", &[ENGINES, MAKERS]),
    ("testwright-logic", &[ENGINES, MAKERS]),
    ("testwright-search", &[ENGINES, MAKERS]),
    ("testwright-suite", &[ENGINES, MAKERS]),
    // The worker starts in milliseconds and holds nothing that the code under test could disturb.
    ("testwright-runtime", &[ENGINES, &["testwright-code", "testwright-exec"]]),
    ("testwright-abi", &[ENGINES, MAKERS]),
];

/// Complains about crates that need what lies behind their fence.
pub fn fences_hold(workspace: &Workspace) -> Vec<Complaint> {
    let existing =
        FENCES.iter().filter_map(|(name, fences)| Some((name, fences, workspace.members.get(*name)?)));
    existing
        .flat_map(|(name, fences, folder)| {
            let needs = workspace.needs(name);
            let forbidden = fences.iter().copied().flatten();
            let chains: Vec<String> =
                forbidden.filter_map(|name| Some(needs.get(name)?.join(" -> "))).collect();
            chains.into_iter().map(move |chain| {
                Complaint::new(&format!("{folder}/Cargo.toml"), 1, format!("must not need it: {chain}"))
            })
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::complaint::assert_complaints;
    use super::super::workspace::tests::workspace;
    use super::*;

    #[test]
    fn a_crate_within_its_fence_passes() {
        let crates: &[(&str, &[&str])] = &[
            ("testwright-base", &["serde"]),
            ("serde", &[]),
            ("testwright-code", &["llvm-sys"]),
            ("llvm-sys", &[]),
        ];
        assert_complaints(&fences_hold(&workspace(crates, &[])), &[]);
    }

    #[test]
    fn a_crate_that_reaches_llvm_through_another_does_not() {
        let crates: &[(&str, &[&str])] =
            &[("testwright-logic", &["helper"]), ("helper", &["llvm-sys"]), ("llvm-sys", &[])];
        let expected = [
            "crates/testwright-logic/Cargo.toml:1: must not need it: testwright-logic -> helper -> llvm-sys",
        ];
        assert_complaints(&fences_hold(&workspace(crates, &[])), &expected);
    }

    #[test]
    fn tests_may_reach_over_the_fence() {
        let crates: &[(&str, &[&str])] = &[("testwright-logic", &[]), ("testwright-exec", &[])];
        assert_complaints(&fences_hold(&workspace(crates, &[("testwright-logic", "testwright-exec")])), &[]);
    }
}
