//! Helpers of the tests: small C texts compiled by every clang at hand, and subjects written down for reading.

use super::inspect;
use crate::error::CodeError;
use crate::frontend::c::{C, Clang, compile};
use crate::frontend::{Bitcode, Frontend, link};
use crate::{Prepared, prepare};
use expect_test::Expect;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use testwright_base::ids::TypeId;
use testwright_base::site::{Site, SiteKind};
use testwright_base::subject::{Function, Subject};
use testwright_base::types::{Shape, Types};
use testwright_llvm::Context;

/// The versions that are installed; at least one must be.
pub fn clangs() -> Vec<Clang> {
    let found: Vec<Clang> = [14, 19, 22]
        .iter()
        .filter_map(|version| Clang::at(&PathBuf::from(format!("/usr/bin/clang-{version}"))).ok())
        .collect();
    if found.is_empty() { vec![Clang::find().expect("a clang is installed")] } else { found }
}

/// The bitcode of some texts, each a file `0.c`, `1.c`.. in `folder`.
pub fn bitcode(folder: &Path, texts: &[&str], clang: &Clang) -> Result<(Bitcode, Vec<String>), CodeError> {
    let mut files = Vec::new();
    for (index, text) in texts.iter().enumerate() {
        files.push(folder.join(format!("{index}.c")));
        fs::write(&files[index], text).unwrap();
    }
    let sources = C.resolve(&files, &[])?;
    Ok((compile::compile(&sources, clang)?, sources.files()))
}

/// A text, prepared for all builds.
pub fn prepared(text: &str) -> Prepared {
    let folder = tempfile::tempdir().unwrap();
    let (bitcode, files) = bitcode(folder.path(), &[text], &Clang::find().unwrap()).unwrap();
    prepare(&C, &bitcode, &files).unwrap()
}

/// The subject of some texts.
pub fn subject(texts: &[&str], clang: &Clang) -> Subject {
    let folder = tempfile::tempdir().unwrap();
    let (bitcode, files) = bitcode(folder.path(), texts, clang).unwrap();
    let context = Context::new();
    let module = link(&context, &bitcode).unwrap();
    let subject = inspect(&module, &files).unwrap();
    module.verify().unwrap();
    subject
}

/// Compares what `render` says of some texts with what is expected; all clangs must agree.
#[track_caller]
pub fn check(texts: &[&str], render: fn(&Subject) -> String, expected: &Expect) {
    let found: Vec<(String, String)> =
        clangs().iter().map(|clang| (clang.version.clone(), render(&subject(texts, clang)))).collect();
    for (version, text) in &found {
        assert_eq!(*text, found[0].1, "{version} (left) and {} (right) differ", found[0].0);
    }
    expected.assert_eq(&found[0].1);
}

/// Signatures of functions, types of globals, and the layouts of the types they mention.
pub fn declarations(subject: &Subject) -> String {
    let mut text = String::new();
    for function in &subject.functions {
        writeln!(text, "{}", signature(function, &subject.types)).unwrap();
    }
    for global in &subject.globals {
        let ty = global.ty.map_or("?".to_owned(), |ty| subject.types.spell(ty));
        let line = global.place.as_ref().map_or(0, |place| place.line);
        writeln!(text, "{}: {ty}, {} bytes, line {line}", global.name, global.size).unwrap();
    }
    for id in (0..subject.types.len()).map(TypeId::of) {
        let layout = layout(&subject.types, id);
        // A typedef of a layout that is known says nothing new.
        let known = layout.split_once(" {").is_some_and(|(_, fields)| text.contains(fields));
        if !known {
            text.push_str(&layout);
        }
    }
    text
}

fn signature(function: &Function, types: &Types) -> String {
    let Some(signature) = &function.signature else { return format!("{}: ?", function.name) };
    let mut params: Vec<String> =
        signature.params.iter().map(|param| format!("{}: {}", param.name, types.spell(param.ty))).collect();
    if signature.variadic {
        params.push("..".to_owned());
    }
    let internal = if function.internal { "static " } else { "" };
    format!("{internal}{}({}) -> {}", function.name, params.join(", "), types.spell(signature.result))
}

fn layout(types: &Types, id: TypeId) -> String {
    let ty = types.get(id);
    let head = format!("{}, {} bytes, aligned to {}", types.spell(id), ty.size, ty.align);
    match &ty.shape {
        Shape::Record { complete: false, .. } => format!("{head}, incomplete\n"),
        Shape::Record { fields, .. } => {
            let mut text = format!("{head} {{\n");
            for field in fields {
                let name = field.name.as_deref().unwrap_or("(none)");
                let width = field.bit_width.map_or(String::new(), |bits| format!(" ({bits} bits)"));
                writeln!(text, "  {}: {name}: {}{width}", field.offset_bits, types.spell(field.ty)).unwrap();
            }
            text + "}\n"
        }
        Shape::Enum { bits, signed, constants } => format!("{head} {{ {bits} {signed} {constants:?} }}\n"),
        _ => String::new(),
    }
}

/// All sites with their outcomes.
pub fn sites(subject: &Subject) -> String {
    let mut text = String::new();
    for (index, site) in subject.sites.iter().enumerate() {
        let place =
            site.place.as_ref().map_or("-".to_owned(), |place| format!("{}:{}", place.line, place.column));
        let block = format!("{}.{}", subject.function(site.function).name, site.block);
        write!(text, "{index} {place} {block} {}", site_kind(site)).unwrap();
        let names: Vec<String> = (0..site.outcome_count).map(|index| site.outcome_name(index)).collect();
        if !names.is_empty() {
            write!(text, ": {}.. {}", site.first_outcome, names.join(", ")).unwrap();
        }
        text.push('\n');
    }
    text
}

fn site_kind(site: &Site) -> String {
    match &site.kind {
        SiteKind::Compare { predicate, feeds: Some(feeds), .. } => {
            format!("compare {predicate} feeds {feeds}")
        }
        SiteKind::Compare { predicate, chooses: true, .. } => format!("compare {predicate} chooses"),
        SiteKind::Compare { predicate, .. } => format!("compare {predicate}"),
        SiteKind::Check(kind) => format!("check: {kind}"),
        SiteKind::Access { bytes, .. } => format!("{} {bytes}", site.kind_name()),
        _ => site.kind_name().to_owned(),
    }
}

/// Sites that have outcomes.
pub fn decisions(subject: &Subject) -> String {
    let all = sites(subject);
    let lines = all.lines().zip(&subject.sites).filter(|(_, site)| site.outcome_count > 0);
    lines.map(|(line, _)| format!("{}\n", line.split_once(' ').map_or("", |(_, rest)| rest))).collect()
}

/// Blocks and calls of all functions.
pub fn graph(subject: &Subject) -> String {
    let mut text = String::new();
    for function in &subject.functions {
        writeln!(text, "{}", function.name).unwrap();
        for (index, block) in function.blocks.iter().enumerate() {
            let successors =
                block.successors.iter().map(|successor| format!(" {successor}")).collect::<String>();
            let decides = block.decides.map_or("-", |site| subject.sites[site.index()].kind_name());
            writeln!(text, "  {index} line {} {decides} ->{successors}", block.line).unwrap();
        }
        for call in &function.calls {
            writeln!(text, "  {} calls {:?}", call.block, call.callee).unwrap();
        }
    }
    text
}
