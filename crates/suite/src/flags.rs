//! Compiler flags as seen from another folder: the relative paths in them lead to the same files from there.

/// The flags that paths follow, joined or as the next word.
const WITH_PATH: [&str; 8] =
    ["-isystem", "-iquote", "-idirafter", "-include", "-imacros", "--sysroot=", "-I", "-L"];

/// The flags, with `folder` before every relative path: the folder that they are relative to, as seen from where
/// they will be used.
#[must_use]
pub fn flags_seen_from(folder: &str, flags: &[String]) -> Vec<String> {
    let seen = |path: &str| {
        if path.starts_with('/') || folder.is_empty() { path.to_owned() } else { format!("{folder}/{path}") }
    };
    let mut path_follows = false;
    let mut rewrite = |flag: &String| {
        if std::mem::take(&mut path_follows) {
            return seen(flag);
        }
        match WITH_PATH.iter().find_map(|start| flag.strip_prefix(start).map(|path| (*start, path))) {
            Some((_, "")) => {
                path_follows = true;
                flag.clone()
            }
            Some((start, path)) => format!("{start}{}", seen(path)),
            None => flag.clone(),
        }
    };
    flags.iter().map(&mut rewrite).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_paths_lead_to_the_same_place_and_the_rest_stays() {
        let flags =
            ["-Iinclude", "-I", "lib", "-isystem", "/usr/x", "-DI=1", "-include", "config.h", "-O2", "-I."];
        let expected = [
            "-I../include",
            "-I",
            "../lib",
            "-isystem",
            "/usr/x",
            "-DI=1",
            "-include",
            "../config.h",
            "-O2",
            "-I../.",
        ];
        assert_eq!(flags_seen_from("..", &flags.map(str::to_owned)), expected);
    }
}
