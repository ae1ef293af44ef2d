//! Response files: `@flags.txt` among the arguments of a compiler stands for the arguments in that file.

use super::command::split;
use std::fs;
use std::path::Path;

/// How deep such files may lead to others.
const DEPTH: usize = 8;

/// The arguments with those of response files in their place. Paths lead from `directory`. As compilers do it, an argument is
/// taken as it is if there is no such file.
pub fn expand(arguments: Vec<String>, directory: &Path) -> Vec<String> {
    expand_to(arguments, directory, DEPTH)
}

fn expand_to(arguments: Vec<String>, directory: &Path, depth: usize) -> Vec<String> {
    let read = |argument: &String| fs::read_to_string(directory.join(argument.strip_prefix('@')?)).ok();
    let one = |argument: String| match read(&argument).filter(|_| depth > 0) {
        Some(text) => expand_to(split(&text), directory, depth - 1),
        None => vec![argument],
    };
    arguments.into_iter().flat_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_read_in_their_place_and_those_that_lead_to_themselves_end() {
        let folder = tempfile::tempdir().unwrap();
        let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).unwrap();
        write("flags", "-DA=\"x y\"\n-I inc @more");
        write("more", "-DB");
        write("round", "-DC @round");
        let expand = |words: &str| expand(words.split(' ').map(str::to_owned).collect(), folder.path());
        assert_eq!(expand("-DX @flags -DY"), ["-DX", "-DA=x y", "-I", "inc", "-DB", "-DY"]);
        assert_eq!(expand("@none"), ["@none"]);
        assert_eq!(expand("@round").len(), DEPTH + 1);
    }
}
