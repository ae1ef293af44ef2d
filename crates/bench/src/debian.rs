//! Sources from Debian's archive, fetched when a benchmark needs them and kept outside the repository.

use crate::console::remark;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

/// Files of the GNU Scientific Library and the flags to compile them; or why they cannot be had.
pub fn gsl(files: &[&str]) -> Result<(Vec<PathBuf>, Vec<String>), String> {
    let folder = fetch("gsl")?;
    let include = folder.join("testwright-include");
    if !include.is_dir() {
        link_headers(&folder, &include)
            .map_err(|error| format!("cannot prepare the headers of gsl: {error}"))?;
    }
    let flags = [
        format!("-I{}", include.display()),
        format!("-I{}", folder.display()),
        "-ffp-contract=off".to_owned(),
    ];
    Ok((files.iter().map(|file| folder.join(file)).collect(), flags.to_vec()))
}

/// The file of libtiff with the functions that build overviews, and the flags to compile it; or why it cannot be had.
pub fn tiff() -> Result<(PathBuf, Vec<String>), String> {
    let folder = fetch("tiff")?;
    let include = folder.join("testwright-include");
    let problem = |error: std::io::Error| format!("cannot prepare the headers of tiff: {error}");
    if !include.is_dir() {
        fs::create_dir_all(&include).map_err(problem)?;
    }
    // What configuring would find out, as far as these functions need it.
    fs::write(include.join("tiffconf.h"), TIFF_CONFIG).map_err(problem)?;
    fs::write(include.join("tif_config.h"), "#define SIZEOF_SIZE_T 8\n").map_err(problem)?;
    let flags = [
        format!("-I{}", include.display()),
        format!("-I{}", folder.join("libtiff").display()),
        format!("-I{}", folder.join("contrib/addtiffo").display()),
    ];
    Ok((folder.join("contrib/addtiffo/tif_overview.c"), flags.to_vec()))
}

const TIFF_CONFIG: &str = "\
#include <stdint.h>
#include <inttypes.h>
#define TIFF_INT8_T int8_t
#define TIFF_INT16_T int16_t
#define TIFF_INT32_T int32_t
#define TIFF_INT64_T int64_t
#define TIFF_UINT8_T uint8_t
#define TIFF_UINT16_T uint16_t
#define TIFF_UINT32_T uint32_t
#define TIFF_UINT64_T uint64_t
#define TIFF_SSIZE_T int64_t
#define TIFF_SIZE_T uint64_t
#define HAVE_IEEEFP 1
#define HOST_FILLORDER FILLORDER_LSB2MSB
#define HOST_BIGENDIAN 0
";

/// The file of bibclean with its checks, one with what the rest of the program would define, and the flags to compile them; or
/// why they cannot be had.
pub fn bibclean() -> Result<(Vec<PathBuf>, Vec<String>), String> {
    let folder = fetch("bibclean")?;
    let rest = folder.join("testwright-rest.c");
    fs::write(&rest, BIBCLEAN_REST).map_err(|error| format!("cannot prepare bibclean: {error}"))?;
    let mut flags: Vec<String> =
        ["STDLIB", "STRING", "CTYPE", "LIMITS"].iter().map(|name| format!("-DHAVE_{name}_H")).collect();
    flags.extend([
        // Without it, functions are declared without their parameters.
        "-DSTDC_HEADERS".to_owned(),
        // Not called by the checks; calls of the system would have to be undone after every run.
        "-Dfstat=rest_fstat".to_owned(),
        "-Dfileno=rest_fileno".to_owned(),
        "-std=gnu89".to_owned(),
        "-Wno-everything".to_owned(),
        format!("-I{}", folder.display()),
    ]);
    Ok((vec![folder.join("chek.c"), rest], flags))
}

/// The text that is checked has as many characters as in the paper's experiment; what hyphenates it is left out.
const BIBCLEAN_REST: &str = "\
#include <stdio.h>
#include <sys/stat.h>
char current_value[16];
char current_field[16];
char current_key[16];
char shared_string[16];
int check_values = 1;
int stdlog_on_stdout;
FILE *stdlog;
void *month_pair[64];
void *pattern_names[64];
void ISBN_hyphenate(char *text, char *target, unsigned long size) {}
int stricmp(const char *a, const char *b) { return 1; }
int strnicmp(const char *a, const char *b, unsigned long size) { return 1; }
int match_pattern(const char *text, const char *pattern) { return 0; }
int fstat(int file, struct stat *what) { return 0; }
int fileno(FILE *file) { return 1; }
void error(const char *message) {}
void warning(const char *message) {}
";

/// What configuring does: all public headers in one folder `gsl`, beside a small `config.h`.
fn link_headers(folder: &Path, include: &Path) -> std::io::Result<()> {
    let unfinished = include.with_extension("new");
    fs::create_dir_all(unfinished.join("gsl"))?;
    let known = ["ISNAN", "ISINF", "ISFINITE", "FINITE"].map(|name| format!("#define HAVE_DECL_{name} 1\n"));
    let coerce = "#define GSL_COERCE_DBL(x) (x)\n#define RETURN_IF_NULL(x) if (!x) { return ; }\n";
    fs::write(unfinished.join("config.h"), known.concat() + coerce)?;
    let mut folders = vec![folder.to_owned()];
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if entry.file_type()?.is_dir() {
            folders.push(entry.path());
        }
    }
    for folder in folders {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if name.starts_with("gsl_") && name.ends_with(".h") && path.is_file() {
                let _ = std::os::unix::fs::symlink(&path, unfinished.join("gsl").join(name));
            }
        }
    }
    fs::rename(unfinished, include)
}

/// The unpacked source of a package, from the cache or the archive.
pub fn fetch(package: &str) -> Result<PathBuf, String> {
    let cache = env::var_os("XDG_CACHE_HOME")
        .map(PathBuf::from)
        .or_else(|| env::var_os("HOME").map(|home| PathBuf::from(home).join(".cache")))
        .unwrap_or_else(env::temp_dir)
        .join("testwright/debian");
    let folder = cache.join(package);
    if folder.is_dir() {
        return Ok(folder);
    }
    let work = cache.join(format!("{package}.new"));
    let _ = fs::remove_dir_all(&work);
    fs::create_dir_all(work.join("lists/partial")).map_err(|error| error.to_string())?;
    remark!("fetching the Debian source of {package} into {}", cache.display());
    write_sources(&work.join("sources.list")).map_err(|error| error.to_string())?;
    apt(&work, &["update"])?;
    // Debian's own changes are not needed, and an archive may lack them.
    let fetched = apt(&work, &["source", "--only-source", "--download-only", package]);
    let is_archive = |path: &PathBuf| {
        let name = path.to_string_lossy();
        name.contains(".orig.tar") && !name.ends_with(".asc")
    };
    let files = fs::read_dir(&work).map_err(|error| error.to_string())?;
    let archive = files.flatten().map(|entry| entry.path()).find(is_archive);
    let archive = match (archive, fetched) {
        (Some(archive), _) => archive,
        (None, Err(why)) => return Err(why),
        (None, Ok(())) => return Err(format!("apt-get fetched no source of {package}")),
    };
    let unpacked = work.join("unpacked");
    fs::create_dir_all(&unpacked).map_err(|error| error.to_string())?;
    run(Command::new("tar").args(["--strip-components=1", "-xf"]).arg(&archive).arg("-C").arg(&unpacked))?;
    fs::rename(&unpacked, &folder).map_err(|error| error.to_string())?;
    let _ = fs::remove_dir_all(&work);
    Ok(folder)
}

/// The machine's own sources, asked for source packages.
fn write_sources(target: &Path) -> std::io::Result<()> {
    let mut lines = String::new();
    let mut files = vec![PathBuf::from("/etc/apt/sources.list")];
    if let Ok(folder) = fs::read_dir("/etc/apt/sources.list.d") {
        files.extend(folder.flatten().map(|entry| entry.path()));
    }
    for file in files {
        let text = fs::read_to_string(&file).unwrap_or_default();
        let is_debian = |text: &str| text.contains("debian");
        for line in text.lines().filter(|line| line.starts_with("deb ") && is_debian(line)) {
            lines.push_str(&format!("deb-src {}\n", line.trim_start_matches("deb ")));
        }
        for stanza in text.split("\n\n").filter(|stanza| is_debian(stanza)) {
            lines.push_str(&one_line_sources(stanza));
        }
    }
    fs::write(target, lines)
}

/// A stanza of the newer format as lines of the older one.
fn one_line_sources(stanza: &str) -> String {
    let field = |name: &str| {
        stanza
            .lines()
            .find_map(|line| line.strip_prefix(name)?.strip_prefix(':'))
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    let (uris, suites, components, key) =
        (field("URIs"), field("Suites"), field("Components"), field("Signed-By"));
    let option = if key.is_empty() { String::new() } else { format!("[signed-by={key}] ") };
    let mut lines = String::new();
    for uri in uris.split_whitespace() {
        for suite in suites.split_whitespace() {
            lines.push_str(&format!("deb-src {option}{uri} {suite} {components}\n"));
        }
    }
    lines
}

fn apt(work: &Path, arguments: &[&str]) -> Result<(), String> {
    let option = |name: &str, path: &str| format!("{name}={}", work.join(path).display());
    let mut command = Command::new("apt-get");
    command.current_dir(work).arg("-qq");
    for option in [
        option("Dir::Etc::SourceList", "sources.list"),
        "Dir::Etc::SourceParts=-".to_owned(),
        option("Dir::State::Lists", "lists"),
        "APT::Sandbox::User=root".to_owned(),
    ] {
        command.arg("-o").arg(option);
    }
    run(command.args(arguments))
}

fn run(command: &mut Command) -> Result<(), String> {
    let name = command.get_program().to_string_lossy().into_owned();
    let output = command.output().map_err(|error| format!("cannot start {name}: {error}"))?;
    if output.status.success() {
        return Ok(());
    }
    Err(format!("{name} failed: {}", String::from_utf8_lossy(&output.stderr).trim()))
}
