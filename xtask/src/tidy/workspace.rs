//! The crates of the workspace and what each depends on, as `cargo metadata` tells it.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::process::Command;

/// The crates of the workspace with everything below them.
#[derive(Debug, Default)]
pub struct Workspace {
    /// Folder of each member, by the member's name.
    pub members: BTreeMap<String, String>,
    /// Names of the crates by their id.
    names: BTreeMap<String, String>,
    /// Ids of the normal dependencies, by the id of the crate that has them.
    dependencies: BTreeMap<String, Vec<String>>,
}

impl Workspace {
    /// Asks cargo about the workspace at `root`.
    pub fn load(root: &Path) -> Result<Workspace, String> {
        let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
        let output = Command::new(cargo)
            .args(["metadata", "--format-version", "1"])
            .current_dir(root)
            .output()
            .map_err(|error| format!("cargo cannot be run: {error}"))?;
        if !output.status.success() {
            return Err(format!("cargo metadata failed:\n{}", String::from_utf8_lossy(&output.stderr)));
        }
        let metadata =
            serde_json::from_slice(&output.stdout).map_err(|error| format!("cargo metadata: {error}"))?;
        Workspace::from_metadata(&metadata).ok_or_else(|| "cargo metadata: unknown format".to_owned())
    }

    /// Reads the answer of `cargo metadata`; `None` if it does not look as documented.
    pub fn from_metadata(metadata: &Value) -> Option<Workspace> {
        let root = metadata["workspace_root"].as_str()?;
        let members: BTreeSet<&str> = strings(&metadata["workspace_members"])?.collect();
        let mut workspace = Workspace::default();
        for package in metadata["packages"].as_array()? {
            let (id, name) = (package["id"].as_str()?, package["name"].as_str()?);
            workspace.names.insert(id.to_owned(), name.to_owned());
            if members.contains(id) {
                let folder =
                    Path::new(package["manifest_path"].as_str()?).parent()?.strip_prefix(root).ok()?;
                workspace.members.insert(name.to_owned(), folder.to_str()?.to_owned());
            }
        }
        for node in metadata["resolve"]["nodes"].as_array()? {
            let normal = node["deps"].as_array()?.iter().filter(|dependency| is_normal(dependency));
            let ids = normal.map(|dependency| dependency["pkg"].as_str().map(str::to_owned));
            workspace.dependencies.insert(node["id"].as_str()?.to_owned(), ids.collect::<Option<_>>()?);
        }
        Some(workspace)
    }

    /// For every crate that `member` needs, directly or not: the chain of names that leads to it.
    pub fn needs(&self, member: &str) -> BTreeMap<&str, Vec<&str>> {
        let mut chains: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut waiting: Vec<(&str, Vec<&str>)> = self
            .names
            .iter()
            .filter(|(_, name)| *name == member)
            .map(|(id, name)| (id.as_str(), vec![name.as_str()]))
            .collect();
        while let Some((id, chain)) = waiting.pop() {
            for next in self.dependencies.get(id).into_iter().flatten() {
                let Some(name) = self.names.get(next) else { continue };
                if !chains.contains_key(name.as_str()) {
                    let chain: Vec<&str> = chain.iter().copied().chain([name.as_str()]).collect();
                    chains.insert(name, chain.clone());
                    waiting.push((next, chain));
                }
            }
        }
        chains
    }
}

fn strings(value: &Value) -> Option<impl Iterator<Item = &str>> {
    Some(value.as_array()?.iter().filter_map(Value::as_str))
}

/// True unless the dependency is for tests or build scripts only.
fn is_normal(dependency: &Value) -> bool {
    dependency["dep_kinds"].as_array().is_none_or(|kinds| kinds.iter().any(|kind| kind["kind"].is_null()))
}

#[cfg(test)]
pub mod tests {
    use super::*;
    use serde_json::json;

    /// A workspace of crates at `crates/NAME`, each with its normal dependencies; `dev` are for tests only.
    pub fn workspace(crates: &[(&str, &[&str])], dev: &[(&str, &str)]) -> Workspace {
        let packages: Vec<Value> = crates
            .iter()
            .map(|(name, _)| json!({"id": name, "name": name, "manifest_path": format!("/w/crates/{name}/Cargo.toml")}))
            .collect();
        let nodes: Vec<Value> = crates
            .iter()
            .map(|(name, needed)| {
                let normal = needed.iter().map(|id| json!({"pkg": id, "dep_kinds": [{"kind": null}]}));
                let tests = dev.iter().filter(|(from, _)| from == name);
                let tests = tests.map(|(_, id)| json!({"pkg": id, "dep_kinds": [{"kind": "dev"}]}));
                json!({"id": name, "deps": normal.chain(tests).collect::<Vec<_>>()})
            })
            .collect();
        let members: Vec<&str> = crates.iter().map(|(name, _)| *name).collect();
        let metadata = json!({
            "workspace_root": "/w", "workspace_members": members, "packages": packages, "resolve": {"nodes": nodes},
        });
        Workspace::from_metadata(&metadata).expect("the format is right")
    }

    #[test]
    fn needs_follow_normal_dependencies_only() {
        let workspace = workspace(&[("a", &["b"]), ("b", &["c"]), ("c", &[]), ("d", &[])], &[("a", "d")]);
        let needs = workspace.needs("a");
        assert_eq!(needs.keys().copied().collect::<Vec<_>>(), ["b", "c"]);
        assert_eq!(needs["c"], ["a", "b", "c"]);
        assert_eq!(workspace.members["b"], "crates/b");
    }

    #[test]
    fn this_workspace_is_understood() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).parent().expect("xtask has a parent");
        let workspace = Workspace::load(root).expect("cargo answers");
        assert_eq!(workspace.members["xtask"], "xtask");
        assert!(workspace.needs("xtask").contains_key("serde_json"));
    }

    #[test]
    fn another_format_is_refused() {
        assert!(Workspace::from_metadata(&json!({"packages": []})).is_none());
    }
}
