//! The projects of `bench real`: which files of which Debian source, and how they are compiled.

use super::super::debian;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{fs, io};

/// A project.
pub struct Project {
    /// What users call it, and `--only` too.
    pub name: &'static str,
    package: &'static str,
    /// Files, or folders of which all C files are meant.
    files: &'static [&'static str],
    /// Flags; `@` stands for the folder of the source.
    flags: &'static [&'static str],
    /// Only these functions; all if there are none.
    pub functions: &'static [&'static str],
    prepare: fn(&Path) -> io::Result<()>,
}

/// A file to be compiled by itself.
#[derive(Debug, Clone)]
pub struct Unit {
    /// The file.
    pub file: PathBuf,
    /// The flags of the compiler.
    pub flags: Vec<String>,
}

/// All projects.
pub const PROJECTS: &[Project] = &[
    Project { files: &["cJSON.c"], ..project("cjson", "cjson") },
    Project { files: &["testwright_unit.c"], prepare: jsmn, ..project("jsmn", "jsmn") },
    Project { files: &["http_parser.c"], ..project("http-parser", "http-parser") },
    Project {
        files: &["library/base64.c", "library/asn1parse.c"],
        flags: &["-I@/include"],
        ..project("mbedtls", "mbedtls")
    },
    Project {
        files: &[
            "adler32.c",
            "compress.c",
            "crc32.c",
            "deflate.c",
            "infback.c",
            "inffast.c",
            "inflate.c",
            "inftrees.c",
            "trees.c",
            "uncompr.c",
            "zutil.c",
        ],
        ..project("zlib", "zlib")
    },
    Project {
        files: &["src/ctype", "src/string", "src/stdlib", "src/time"],
        flags: &[
            "-std=c99",
            "-nostdinc",
            "-ffreestanding",
            "-D_XOPEN_SOURCE=700",
            "-I@/arch/x86_64",
            "-I@/arch/generic",
            "-I@/testwright-include/internal",
            "-I@/src/include",
            "-I@/src/internal",
            "-I@/testwright-include",
            "-I@/include",
        ],
        prepare: musl,
        ..project("musl", "musl")
    },
    Project {
        files: &[
            "specfunc/coulomb.c",
            "specfunc/dilog.c",
            "specfunc/shint.c",
            "specfunc/bessel.c",
            "specfunc/coupling.c",
            "specfunc/elljac.c",
            "specfunc/exp.c",
            "specfunc/hyperg.c",
            "specfunc/gamma.c",
            "specfunc/poch.c",
            "linalg/tridiag.c",
        ],
        functions: &[
            "coulomb_FG0_series",
            "coulomb_FGmhalf_series",
            "dilog_xge0",
            "gsl_sf_Chi_e",
            "gsl_sf_bessel_Inu_scaled_asymp_unif_e",
            "gsl_sf_bessel_JY_mu_restricted",
            "gsl_sf_bessel_Knu_scaled_asymp_unif_e",
            "gsl_sf_bessel_cos_pi4_e",
            "gsl_sf_bessel_sin_pi4_e",
            "gsl_sf_coupling_6j_e",
            "gsl_sf_elljac_e",
            "gsl_sf_exprel_n_e",
            "gsl_sf_hyperg_U_large_b_e",
            "gsl_sf_lngamma_e",
            "gsl_sf_lnpoch_sgn_e",
            "lnpoch_pos",
            "solve_tridiag",
            "solve_tridiag_nonsym",
            "solve_cyc_tridiag",
            "solve_cyc_tridiag_nonsym",
        ],
        ..project("gsl", "gsl")
    },
];

const fn project(name: &'static str, package: &'static str) -> Project {
    Project { name, package, files: &[], flags: &[], functions: &[], prepare: nothing }
}

impl Project {
    /// Its files, fetched if need be; or why they cannot be had.
    pub fn units(&self) -> Result<Vec<Unit>, String> {
        if self.package == "gsl" {
            let (files, flags) = debian::gsl(self.files)?;
            return Ok(files.into_iter().map(|file| Unit { file, flags: flags.clone() }).collect());
        }
        let folder = debian::fetch(self.package)?;
        (self.prepare)(&folder).map_err(|error| format!("cannot prepare {}: {error}", self.name))?;
        let flags: Vec<String> =
            self.flags.iter().map(|flag| flag.replace('@', &folder.display().to_string())).collect();
        let mut units = Vec::new();
        for file in self.files {
            for file in c_files(&folder.join(file)).map_err(|error| format!("{file}: {error}"))? {
                units.push(Unit { file, flags: flags.clone() });
            }
        }
        Ok(units)
    }
}

/// The file itself, or the C files of a folder in order.
fn c_files(path: &Path) -> io::Result<Vec<PathBuf>> {
    if !path.is_dir() {
        return Ok(vec![path.to_owned()]);
    }
    let mut files = Vec::new();
    for entry in fs::read_dir(path)? {
        let file = entry?.path();
        if file.extension().is_some_and(|extension| extension == "c") {
            files.push(file);
        }
    }
    files.sort();
    Ok(files)
}

fn nothing(_: &Path) -> io::Result<()> {
    Ok(())
}

/// The whole library is a header.
fn jsmn(folder: &Path) -> io::Result<()> {
    fs::write(folder.join("testwright_unit.c"), "#include \"jsmn.h\"\n")
}

/// What `make` would write before it compiles.
fn musl(folder: &Path) -> io::Result<()> {
    let include = folder.join("testwright-include");
    if include.join("internal/version.h").exists() {
        return Ok(());
    }
    fs::create_dir_all(include.join("bits"))?;
    fs::create_dir_all(include.join("internal"))?;
    let types = Command::new("sed")
        .arg("-f")
        .arg(folder.join("tools/mkalltypes.sed"))
        .arg(folder.join("arch/x86_64/bits/alltypes.h.in"))
        .arg(folder.join("include/alltypes.h.in"))
        .output()?;
    fs::write(include.join("bits/alltypes.h"), types.stdout)?;
    let calls = fs::read_to_string(folder.join("arch/x86_64/bits/syscall.h.in"))?;
    let renamed = calls.replace("__NR_", "SYS_");
    fs::write(include.join("bits/syscall.h"), calls + &renamed)?;
    fs::write(include.join("internal/version.h"), "#define VERSION \"1.2.3\"\n")
}
