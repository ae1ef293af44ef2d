//! Documents tell the truth about the tree: the paths they name exist, and the code map is complete.

use super::complaint::Complaint;
use super::file::File;
use super::workspace::Workspace;

/// The document with the code map.
const CODE_MAP: &str = "ARCHITECTURE.md";

/// Top folders: a path that begins with one is meant as a path of the repository.
const TOP_FOLDERS: &[&str] = &[
    ".cargo", ".ci", "bench", "book", "crates", "examples", "runtime", "scripts", "subjects", "sys",
    "testdata", "tests", "xtask",
];

/// Complains about paths in backticks and targets of links that do not exist.
pub fn paths_exist(files: &[File]) -> Vec<Complaint> {
    files.iter().filter(|file| is_document(&file.path)).flat_map(|file| missing_paths(file, files)).collect()
}

fn is_document(path: &str) -> bool {
    path == "README.md" || path == CODE_MAP || (path.starts_with("book/") && path.ends_with(".md"))
}

fn missing_paths(document: &File, files: &[File]) -> Vec<Complaint> {
    let folder = document.path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let mut complaints = Vec::new();
    for (line, number, fenced) in lines(&document.text) {
        let named = if fenced { Vec::new() } else { spans(line, "`", "`") };
        let mapped =
            if fenced && document.path == CODE_MAP { line.split_whitespace().collect() } else { Vec::new() };
        let paths = named.into_iter().chain(mapped).filter_map(repository_path);
        let linked = if fenced { Vec::new() } else { spans(line, "](", ")") };
        let linked = linked.into_iter().filter_map(|target| linked_path(folder, target));
        for path in paths.chain(linked).filter(|path| !exists(path, files)) {
            complaints.push(Complaint::new(&document.path, number, format!("`{path}` does not exist")));
        }
    }
    complaints
}

/// The lines of a document with their numbers, and whether they belong to a fenced block.
fn lines(text: &str) -> impl Iterator<Item = (&str, usize, bool)> {
    let mut fenced = false;
    text.lines().zip(1..).filter_map(move |(line, number)| {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        (!is_fence).then_some((line, number, fenced))
    })
}

/// What stands between `open` and `close`, each time.
fn spans<'a>(line: &'a str, open: &str, close: &str) -> Vec<&'a str> {
    let mut spans = Vec::new();
    let mut rest = line;
    while let Some((_, after)) = rest.split_once(open) {
        let Some((span, after)) = after.split_once(close) else { break };
        spans.push(span);
        rest = after;
    }
    spans
}

/// The path that `text` names, if it looks like one of the repository. Of a pattern (`bench/runs/<date>`,
/// `sys/*`) that is the part before the first component that varies.
fn repository_path(text: &str) -> Option<String> {
    let (top, _) = text.split_once('/')?;
    if !TOP_FOLDERS.contains(&top) || text.contains([' ', '(', '"', '|']) {
        return None;
    }
    let fixed: Vec<&str> = text.split(':').next()?.split('/').take_while(|part| is_name(part)).collect();
    Some(fixed.join("/").trim_end_matches([',', '.', '/']).to_owned())
}

/// True for a component that stands for itself, false for a pattern or an ellipsis.
fn is_name(component: &str) -> bool {
    !component.contains(['<', '*', '{', '$']) && !component.contains("..")
}

/// The path that a link in a document of `folder` leads to; `None` if it leads out of the repository.
fn linked_path(folder: &str, target: &str) -> Option<String> {
    let target = target.split('#').next().filter(|target| !target.is_empty() && !target.contains(':'))?;
    let mut parts: Vec<&str> = folder.split('/').filter(|part| !part.is_empty()).collect();
    for part in target.split('/') {
        match part {
            "." | "" => {}
            ".." => {
                parts.pop();
            }
            name => parts.push(name),
        }
    }
    Some(parts.join("/"))
}

/// True if `path` is a file of the repository, or a folder that holds one.
fn exists(path: &str, files: &[File]) -> bool {
    files
        .iter()
        .any(|file| file.path.strip_prefix(path).is_some_and(|rest| rest.is_empty() || rest.starts_with('/')))
}

/// Complains about crates that the code map does not mention.
pub fn code_map_is_complete(files: &[File], workspace: &Workspace) -> Vec<Complaint> {
    let Some(map) = files.iter().find(|file| file.path == CODE_MAP) else {
        return vec![Complaint::new(CODE_MAP, 1, "is missing")];
    };
    let is_end = |c: char| c.is_whitespace() || "`,;:()|".contains(c);
    let mentioned: Vec<&str> = map.text.split(is_end).map(|word| word.trim_end_matches(['/', '.'])).collect();
    workspace
        .members
        .values()
        .filter(|folder| !mentioned.contains(&folder.as_str()))
        .map(|folder| Complaint::new(CODE_MAP, 1, format!("the code map does not mention `{folder}`")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::complaint::assert_complaints;
    use super::super::workspace::tests::workspace;
    use super::*;

    #[track_caller]
    fn check(path: &str, text: &str, expected: &[&str]) {
        let file = |path: &str, text: &str| File::new(path, text.as_bytes().to_vec());
        let files = [
            file(path, text),
            file("crates/a/src/lib.rs", ""),
            file("book/run.md", ""),
            file("LICENSE-MIT", ""),
        ];
        assert_complaints(&paths_exist(&files), expected);
    }

    #[test]
    fn a_document_that_names_existing_paths_passes() {
        check(
            "README.md",
            "See `crates/a/src/lib.rs:12`, `crates/a/`, `crates/*/src` and [x](LICENSE-MIT).\n",
            &[],
        );
        check(
            "book/SUMMARY.md",
            "[Run](run.md#top) [licence](../LICENSE-MIT) [web](https://example.org/a)\n",
            &[],
        );
    }

    #[test]
    fn a_document_that_names_missing_paths_does_not() {
        check("README.md", "\nSee `crates/b`.\n", &["README.md:2: `crates/b` does not exist"]);
        check("README.md", "See `crates/b/*.rs`.\n", &["README.md:1: `crates/b` does not exist"]);
        check("book/SUMMARY.md", "[Show](show.md)\n", &["book/SUMMARY.md:1: `book/show.md` does not exist"]);
    }

    #[test]
    fn commands_and_outside_paths_are_not_meant() {
        check(
            "README.md",
            "`/usr/include/x.h`, `a/b`, `scripts/setup --tests x`\n```\ncrates/none\n```\n",
            &[],
        );
        check("CHANGELOG.md", "`crates/none`\n", &[]);
    }

    #[test]
    fn folders_in_the_drawn_code_map_exist_too() {
        check(
            "ARCHITECTURE.md",
            "```\ncrates/a  text\ncrates/b  text\n```\n",
            &["ARCHITECTURE.md:3: `crates/b` does not exist"],
        );
    }

    #[test]
    fn the_code_map_mentions_every_crate() {
        let workspace = workspace(&[("a", &[]), ("ab", &[])], &[]);
        let map = |text: &str| [File::new("ARCHITECTURE.md", text.as_bytes().to_vec())];
        assert_complaints(&code_map_is_complete(&map("`crates/a`: x\ncrates/ab/ y\n"), &workspace), &[]);
        let expected = ["ARCHITECTURE.md:1: the code map does not mention `crates/a`"];
        assert_complaints(&code_map_is_complete(&map("crates/ab y\n"), &workspace), &expected);
        assert_complaints(&code_map_is_complete(&[], &workspace), &["ARCHITECTURE.md:1: is missing"]);
    }
}
