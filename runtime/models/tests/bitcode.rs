//! The models as bitcode: what the trace build gets must define every name, and need nothing unexpected.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

/// Compiles the models as for a trace build, and returns the IR as text.
fn intermediate_code(file: &str) -> String {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR")).join(file);
    let status = Command::new(std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into()))
        .args(testwright_models::COMPILER_FLAGS)
        .args(["--emit=llvm-ir", "-o"])
        .arg(&target)
        .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("src/lib.rs"))
        .status()
        .unwrap();
    assert!(status.success());
    std::fs::read_to_string(target).unwrap()
}

/// The name after the first `@` of a line.
fn symbol(line: &str) -> &str {
    let name = &line[line.find('@').unwrap() + 1..];
    &name[..name.find('(').unwrap()]
}

#[test]
fn the_list_of_names_is_what_the_bitcode_defines() {
    let code = intermediate_code("names.ll");
    let defined: BTreeSet<&str> = code
        .lines()
        .filter(|line| line.starts_with("define "))
        .filter_map(|line| symbol(line).strip_prefix("tw_model_"))
        // What only our own drivers call is no function of C.
        .filter(|name| !name.starts_with("testwright_"))
        .collect();
    let named: BTreeSet<&str> = testwright_models::NAMES.iter().copied().collect();
    assert_eq!(defined, named);
    assert_eq!(named.len(), testwright_models::NAMES.len(), "a name is listed twice");
}

#[test]
fn the_bitcode_calls_nothing_but_the_heap_errno_the_native_printer_and_native_streams() {
    let code = intermediate_code("calls.ll");
    let declared: BTreeSet<&str> = code
        .lines()
        .filter(|line| line.starts_with("declare "))
        .map(symbol)
        .filter(|name| !name.starts_with("llvm."))
        .collect();
    const STREAMS: [&str; 18] = [
        "clearerr", "fclose", "feof", "ferror", "fflush", "fgetc", "fgets", "fileno", "fputc", "fputs",
        "fread", "fseek", "ftell", "fwrite", "getline", "rewind", "setvbuf", "ungetc",
    ];
    let others = ["__errno_location", "free", "malloc", "realloc", "vfprintf", "vsnprintf"];
    assert_eq!(declared, BTreeSet::from_iter(STREAMS.into_iter().chain(others)));
}

#[test]
fn the_bitcode_uses_only_intrinsics_that_the_instrumenter_is_told_of() {
    const KNOWN: [&str; 12] = [
        "llvm.abs",
        "llvm.ctlz",
        "llvm.experimental.noalias.scope.decl",
        "llvm.fshl",
        "llvm.lifetime.end",
        "llvm.lifetime.start",
        "llvm.memcpy",
        "llvm.memset",
        "llvm.smax",
        "llvm.umax",
        "llvm.umin",
        "llvm.usub.sat",
    ];
    let code = intermediate_code("intrinsics.ll");
    let unknown: Vec<&str> = code
        .lines()
        .filter(|line| line.starts_with("declare "))
        .map(symbol)
        .filter(|name| name.starts_with("llvm.") && !KNOWN.iter().any(|known| name.starts_with(known)))
        .collect();
    assert!(unknown.is_empty(), "{unknown:?}");
}

#[test]
fn loops_in_the_bitcode_stay_loops_over_single_bytes() {
    let code = intermediate_code("loops.ll");
    let vector =
        |line: &str| line.split(['<', '>']).any(|part| part.split(" x ").next().is_some_and(is_number));
    assert_eq!(code.lines().filter(|line| !line.starts_with('@')).find(|line| vector(line)), None);
    assert!(!code.contains("xtraiter"), "a loop is unrolled, which splits one decision into several");
}

fn is_number(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}
