//! Compiler flags as seen from another folder: the relative paths in them lead to the same files from there.

/// The flags that paths follow, joined or as the next word.
const WITH_PATH: [&str; 8] =
    ["-isystem", "-iquote", "-idirafter", "-include", "-imacros", "--sysroot=", "-I", "-L"];

/// Those whose file may also lie in an include folder.
const SOUGHT: [&str; 2] = ["-include", "-imacros"];

/// The flags, with `folder` before every relative path: the folder that they are relative to, as seen from where
/// they will be used. A file to include that is not `here`, in that folder, is one that the compiler finds in an include folder.
#[must_use]
pub fn flags_seen_from(folder: &str, flags: &[String], here: impl Fn(&str) -> bool) -> Vec<String> {
    let seen = |start: &str, path: &str| {
        let is_elsewhere = SOUGHT.contains(&start) && !here(path);
        if path.starts_with('/') || folder.is_empty() || is_elsewhere {
            path.to_owned()
        } else {
            format!("{folder}/{path}")
        }
    };
    let mut path_follows: Option<&str> = None;
    let mut rewrite = |flag: &String| {
        if let Some(start) = path_follows.take() {
            return seen(start, flag);
        }
        match WITH_PATH.iter().find_map(|start| flag.strip_prefix(start).map(|path| (*start, path))) {
            Some((start, "")) => {
                path_follows = Some(start);
                flag.clone()
            }
            Some((start, path)) => format!("{start}{}", seen(start, path)),
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
        assert_eq!(flags_seen_from("..", &flags.map(str::to_owned), |_| true), expected);
    }

    #[test]
    fn a_file_from_an_include_folder_is_found_there() {
        let flags = ["-include", "config.h", "-imacros", "here.h"].map(str::to_owned);
        let expected = ["-include", "config.h", "-imacros", "../here.h"];
        assert_eq!(flags_seen_from("..", &flags, |path| path == "here.h"), expected);
    }
}
