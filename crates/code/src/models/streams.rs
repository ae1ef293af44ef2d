//! Functions about streams: models in every build of code that has a `FILE *` of its own, because a case may give it a stream of
//! ours.
//!
//! Code that only writes to `stderr` needs none of this, and calls the C library as ever.

use super::PREFIX;
use testwright_abi::memory::{INPUT_BASE, INPUT_SIZE};
use testwright_base::ids::TypeId;
use testwright_base::stream;
use testwright_base::types::Types;
use testwright_llvm::Module;

/// The functions that are modelled, see `runtime/models/src/stdio/stream.rs`.
const MODELLED: &[&str] = &[
    "_IO_getc",
    "_IO_putc",
    "clearerr",
    "fclose",
    "feof",
    "feof_unlocked",
    "ferror",
    "ferror_unlocked",
    "fflush",
    "fgetc",
    "fgetc_unlocked",
    "fgets",
    "fileno",
    "fputc",
    "fputc_unlocked",
    "fputs",
    "fread",
    "fseek",
    "fseeko",
    "ftell",
    "ftello",
    "fwrite",
    "getc",
    "getc_unlocked",
    "getline",
    "putc",
    "putc_unlocked",
    "rewind",
    "setvbuf",
    "ungetc",
    "vfprintf",
];

/// A function that is not followed: its name, result and parameters, and which of them is the stream.
type Refused = (&'static str, &'static str, &'static [&'static str], usize);

/// A run that gives one of these a stream of a case ends there, as one that no case can state.
const REFUSED: &[Refused] = &[
    ("__getdelim", "i64", &["ptr", "ptr", "i32", "ptr"], 3),
    ("__vfprintf_chk", "i32", &["ptr", "i32", "ptr", "ptr"], 0),
    ("clearerr_unlocked", "void", &["ptr"], 0),
    ("fflush_unlocked", "i32", &["ptr"], 0),
    ("fgetpos", "i32", &["ptr", "ptr"], 0),
    ("fgets_unlocked", "ptr", &["ptr", "i32", "ptr"], 2),
    ("fgetwc", "i32", &["ptr"], 0),
    ("fgetws", "ptr", &["ptr", "i32", "ptr"], 2),
    ("fileno_unlocked", "i32", &["ptr"], 0),
    ("flockfile", "void", &["ptr"], 0),
    ("fputs_unlocked", "i32", &["ptr", "ptr"], 1),
    ("fputwc", "i32", &["i32", "ptr"], 1),
    ("fputws", "i32", &["ptr", "ptr"], 1),
    ("fread_unlocked", "i64", &["ptr", "i64", "i64", "ptr"], 3),
    ("freopen", "ptr", &["ptr", "ptr", "ptr"], 2),
    ("fsetpos", "i32", &["ptr", "ptr"], 0),
    ("ftrylockfile", "i32", &["ptr"], 0),
    ("funlockfile", "void", &["ptr"], 0),
    ("fwide", "i32", &["ptr", "i32"], 0),
    ("fwrite_unlocked", "i64", &["ptr", "i64", "i64", "ptr"], 3),
    ("getdelim", "i64", &["ptr", "ptr", "i32", "ptr"], 3),
    ("getw", "i32", &["ptr"], 0),
    ("getwc", "i32", &["ptr"], 0),
    ("pclose", "i32", &["ptr"], 0),
    ("putw", "i32", &["i32", "ptr"], 1),
    ("putwc", "i32", &["i32", "ptr"], 1),
    ("setbuf", "void", &["ptr", "ptr"], 0),
    ("setbuffer", "void", &["ptr", "ptr", "i64"], 0),
    ("setlinebuf", "void", &["ptr"], 0),
    ("ungetwc", "i32", &["i32", "ptr"], 1),
    ("vfwprintf", "i32", &["ptr", "ptr", "ptr"], 0),
];

/// Functions that read as a format says; those formats that are not followed are refused.
const SCANNING: &[&str] = &["__isoc23_vfscanf", "__isoc99_vfscanf", "vfscanf"];

/// Variadic functions, and those that do the same with a list.
const VARIADIC: &[(&str, &str)] = &[
    ("__isoc23_fscanf", "__isoc23_vfscanf"),
    ("__isoc99_fscanf", "__isoc99_vfscanf"),
    ("fprintf", "vfprintf"),
    ("fscanf", "vfscanf"),
    ("fwprintf", "vfwprintf"),
];

/// Lets all pointers to `FILE` lead to streams of ours. A typedef is a copy under another name, and a struct of the user's may have
/// that name too.
pub fn install(types: &mut Types) {
    let all = || (0..types.len()).map(TypeId::of);
    let is_named = |id: &TypeId| matches!(types.spell(*id).as_str(), "FILE" | "struct _IO_FILE");
    let named: Vec<TypeId> = all().filter(is_named).collect();
    let file = named.iter().find(|id| types.get(**id).name.as_deref() == Some("struct _IO_FILE"));
    if let Some(file) = file.map(|file| types.get(*file).shape.clone()) {
        let files: Vec<TypeId> = named.iter().copied().filter(|id| types.get(*id).shape == file).collect();
        stream::install(types, &files, "FILE");
    }
    types.set_foreign(named);
}

/// Whether the code has a `FILE *` of its own: debug information describes only what is used.
pub fn are_inputs(module: &Module<'_>) -> bool {
    module.text().contains("name: \"_IO_FILE\"")
}

/// Whether a function is about streams.
pub fn has(name: &str) -> bool {
    names().any(|other| other == name)
}

/// The functions about streams.
pub fn names() -> impl Iterator<Item = &'static str> {
    let refused = REFUSED.iter().map(|(name, ..)| *name);
    let variadic = VARIADIC.iter().map(|(name, _)| *name);
    MODELLED.iter().chain(SCANNING).copied().chain(refused).chain(variadic)
}

/// The models that are not written in Rust: functions that refuse streams of a case, or some formats, and variadic ones.
///
/// ```text
/// define i32 @tw_model_fgetpos(ptr %0, ptr %1) {
///   if (%0 lies among input objects) tw_outside();
///   return fgetpos(%0, %1);
/// }
/// ```
pub fn text() -> String {
    let mut text = "declare void @tw_outside()\ndeclare i32 @tw_model_vfprintf(ptr, ptr, ptr)\n\
                    declare zeroext i1 @tw_scan_is_supported(ptr)\ndeclare i32 @tw_scan(ptr, ptr, ptr)\n\
                    declare void @llvm.va_start.p0(ptr)\ndeclare void @llvm.va_end.p0(ptr)\n\
                    %va = type { i32, i32, ptr, ptr }\n"
        .to_owned();
    for (name, result, params, stream) in REFUSED {
        let given: Vec<String> = params.iter().enumerate().map(|(at, ty)| format!("{ty} %{at}")).collect();
        let (types, given) = (params.join(", "), given.join(", "));
        let (kept, returned) = match *result {
            "void" => ("", "void".to_owned()),
            ty => ("%result = ", format!("{ty} %result")),
        };
        text += &format!(
            "declare {result} @{name}({types})\n\
             define {result} @{PREFIX}{name}({given}) {{\n\
             entry:\n  %address = ptrtoint ptr %{stream} to i64\n  \
             %offset = sub i64 %address, {INPUT_BASE}\n  %own = icmp ult i64 %offset, {INPUT_SIZE}\n  \
             br i1 %own, label %refused, label %allowed\n\
             refused:\n  call void @tw_outside()\n  unreachable\n\
             allowed:\n  {kept}call {result} @{name}({given})\n  ret {returned}\n}}\n"
        );
    }
    for name in SCANNING {
        text += &format!(
            "declare i32 @{name}(ptr, ptr, ptr)\n\
             define i32 @{PREFIX}{name}(ptr %stream, ptr %format, ptr %list) {{\n\
             entry:\n  %address = ptrtoint ptr %stream to i64\n  \
             %offset = sub i64 %address, {INPUT_BASE}\n  %own = icmp ult i64 %offset, {INPUT_SIZE}\n  \
             br i1 %own, label %asked, label %left\n\
             asked:\n  %known = call zeroext i1 @tw_scan_is_supported(ptr %format)\n  \
             br i1 %known, label %followed, label %refused\n\
             refused:\n  call void @tw_outside()\n  unreachable\n\
             followed:\n  %ours = call i32 @tw_scan(ptr %stream, ptr %format, ptr %list)\n  ret i32 %ours\n\
             left:\n  %theirs = call i32 @{name}(ptr %stream, ptr %format, ptr %list)\n  ret i32 %theirs\n}}\n"
        );
    }
    for (name, list) in VARIADIC {
        text += &format!(
            "define i32 @{PREFIX}{name}(ptr %stream, ptr %format, ...) {{\n  \
             %list = alloca %va, align 16\n  call void @llvm.va_start.p0(ptr %list)\n  \
             %n = call i32 @{PREFIX}{list}(ptr %stream, ptr %format, ptr %list)\n  \
             call void @llvm.va_end.p0(ptr %list)\n  ret i32 %n\n}}\n"
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;
    use testwright_base::sample;
    use testwright_base::stream::{self, MAX_CONTENT, MAX_TEXT};
    use testwright_base::types::{Shape, Types};
    use testwright_base::zero::element_behind;
    use testwright_models::stdio::{self, Stream};

    #[test]
    fn models_and_cases_mean_the_same_memory() {
        let mut types = Types::default();
        let file = sample::incomplete(&mut types, "struct _IO_FILE");
        super::install(&mut types);
        let ty = types.get(element_behind(&types, file).unwrap());
        let Shape::Record { fields, .. } = &ty.shape else { panic!("a record") };
        let offsets: Vec<usize> = fields.iter().map(|field| field.offset_bits as usize / 8).collect();
        assert_eq!(offsets, [offset_of!(Stream, length), offset_of!(Stream, text), offset_of!(Stream, at)]);
        assert_eq!((ty.size as usize, ty.align as usize), (size_of::<Stream>(), align_of::<Stream>()));
        assert_eq!((MAX_TEXT, MAX_CONTENT), (stdio::TEXT, stdio::CONTENT));
        let state = stream::STATE;
        let start = offset_of!(Stream, at);
        let expected = [offset_of!(Stream, size), offset_of!(Stream, written), offset_of!(Stream, content)];
        assert_eq!([state.size, state.written, state.content].map(|offset| start + offset), expected);
        assert_eq!(stdio::INPUT_BASE as u64, testwright_abi::memory::INPUT_BASE);
        assert_eq!(stdio::INPUT_SIZE as u64, testwright_abi::memory::INPUT_SIZE);
    }

    #[test]
    fn every_model_is_written_somewhere() {
        let unknown: Vec<&&str> =
            super::MODELLED.iter().filter(|name| !testwright_models::NAMES.contains(*name)).collect();
        assert!(unknown.is_empty(), "{unknown:?}");
    }
}
