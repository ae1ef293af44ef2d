//! What compiling does with real compilers and compilation databases.

use super::compile::compile;
use super::database;
use super::handle::handles;
use super::precondition::compile_requiring;
use super::source::{key, resolve};
use super::{C, Clang};
use crate::error::CodeError;
use crate::frontend::{Condition, Sources, link};
use crate::handle::Handle;
use crate::inspect::testing::{bitcode, clangs};
use expect_test::{Expect, expect};
use std::fs;
use std::path::{Path, PathBuf};
use testwright_base::layout::named_leaves;
use testwright_llvm::Context;

fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(&path, text).unwrap();
    path
}

/// The names of the functions that are defined, or the error.
fn functions(sources: &Sources, clang: &Clang) -> Result<Vec<String>, CodeError> {
    let context = Context::new();
    let module = link(&context, &compile(sources, clang)?)?;
    let defined = module.functions().into_iter().filter(|function| !function.is_declaration());
    Ok(defined.map(testwright_llvm::Value::name).collect())
}

#[track_caller]
fn check_refused(folder: &Path, found: Result<Sources, CodeError>, expected: &Expect) {
    let message = found.unwrap_err().to_string();
    expected.assert_eq(
        &message.replace(&format!("{}/", folder.display()), "").replace(&folder.display().to_string(), "."),
    );
}

#[test]
fn a_file_that_does_not_compile_shows_the_messages_of_the_compiler() {
    for clang in clangs() {
        let folder = tempfile::tempdir().unwrap();
        let texts = ["int f(void) { return x; }\n", "int fine;\n", "int g(void) { return 1 }\n"];
        let error = bitcode(folder.path(), &texts, &clang).unwrap_err();
        assert!(matches!(error, CodeError::Compile(_)));
        let message = error.to_string();
        let place = |name: &str| format!("{}: error: ", folder.path().join(name).display());
        let first = message.find(&place("0.c:1:22")).expect(&message);
        let second = message.find(&place("2.c:1:23")).expect(&message);
        assert!(first < second && message.contains("use of undeclared identifier 'x'"), "{message}");
    }
}

#[test]
fn warnings_are_not_shown_and_do_not_stop_us() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "a.c", "int f(int unused) { int x = \"\" == 0; return 1; 2; }\n");
    let flags = ["-Wall", "-Wextra", "-Werror", "-std=c99"].map(str::to_owned);
    for clang in clangs() {
        let sources = resolve(std::slice::from_ref(&file), &flags).unwrap();
        assert_eq!(functions(&sources, &clang).unwrap(), ["f"]);
    }
}

#[test]
fn old_habits_are_no_errors_with_new_compilers() {
    let text = "f(p) int *p; { char *q = p; int i = q; if (i) return; return g(i); }\n";
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "a.c", text);
    for clang in clangs() {
        let sources = resolve(std::slice::from_ref(&file), &["-std=gnu99".to_owned()]).unwrap();
        assert_eq!(functions(&sources, &clang).unwrap(), ["f"]);
    }
}

#[test]
fn every_header_is_a_dependency() {
    let folder = tempfile::tempdir().unwrap();
    let file =
        write(folder.path(), "a b.c", "#include \"x.h\"\n#include <limits.h>\nint f(void) { return X; }\n");
    let header = write(folder.path(), "include/x.h", "#define X 1\n");
    for clang in clangs() {
        let flags = ["-I".to_owned(), folder.path().join("include").display().to_string()];
        let found =
            compile(&resolve(std::slice::from_ref(&file), &flags).unwrap(), &clang).unwrap().dependencies;
        assert!(found.contains(&file) && found.contains(&header), "{found:?}");
        assert!(found.iter().any(|path| path.ends_with("limits.h")), "{found:?}");
        assert!(found.iter().all(|path| path.is_absolute() && path.exists()), "{found:?}");
    }
}

#[test]
fn a_folder_is_compiled_as_its_database_says() {
    for clang in clangs() {
        let folder = tempfile::tempdir().unwrap();
        write(folder.path(), "src/a.c", "#include \"v.h\"\n#if A == 1\nint a(void) { return V; }\n#endif\n");
        write(folder.path(), "src/b.c", "#ifdef B\nint b(void) { return 2; }\n#endif\n");
        write(folder.path(), "inc/v.h", "#define V 3\n");
        let database = r#"[
            {"directory": "build", "file": "../src/a.c", "command": "gcc -O3 -D 'A=1' -I../inc -c ../src/a.c -o a.o"},
            {"directory": "build", "file": "../src/b.c", "arguments": ["gcc", "-DB", "-c", "../src/b.c", "-Werror"]},
            {"directory": "build", "file": "../src/x.cpp", "arguments": ["g++", "-c", "../src/x.cpp"]}]"#;
        write(folder.path(), database::NAME, database);
        fs::create_dir(folder.path().join("build")).unwrap();
        let whole = resolve(&[folder.path().to_owned()], &[]).unwrap();
        assert_eq!(functions(&whole, &clang).unwrap(), ["a", "b"]);
        let one = resolve(&[folder.path().join("src/b.c")], &["-DC".to_owned()]).unwrap();
        assert_eq!(
            (&one.units[0].build_flags[..], &one.units[0].flags[..]),
            (&["-DB".to_owned()][..], &["-DC".to_owned()][..])
        );
        assert_eq!(functions(&one, &clang).unwrap(), ["b"]);
    }
}

#[test]
fn a_file_that_the_database_does_not_know_has_the_flags_of_the_user_only() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "a.c", "int a;\n");
    write(folder.path(), database::NAME, r#"[{"directory": "/", "file": "/b.c", "command": "cc -DX /b.c"}]"#);
    let sources = resolve(&[file.clone(), file], &["-DY".to_owned(), "-O3".to_owned()]).unwrap();
    assert_eq!(sources.units.len(), 1, "a file that is named twice is compiled once");
    assert_eq!(sources.units[0].flags, ["-DY"]);
}

#[test]
fn flags_that_only_gcc_knows_are_left_out_if_they_come_from_the_database() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "a.c", "#ifdef X\nint a(void) { return 1; }\n#endif\n");
    let database = r#"[{"directory": ".", "file": "a.c", "command": "gcc -fconserve-stack -DX -fno-var-tracking-x a.c"}]"#;
    write(folder.path(), database::NAME, database);
    for clang in clangs() {
        let known = resolve(std::slice::from_ref(&file), &[]).unwrap();
        assert_eq!(functions(&known, &clang).unwrap(), ["a"]);
        let unknown = resolve(std::slice::from_ref(&file), &["-fconserve-pile".to_owned()]).unwrap();
        let message = functions(&unknown, &clang).unwrap_err().to_string();
        assert!(message.contains("unknown argument: '-fconserve-pile'"), "{message}");
    }
}

#[test]
fn targets_that_cannot_be_read_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let here = folder.path();
    let refuse = |target: PathBuf, expected: Expect| check_refused(here, resolve(&[target], &[]), &expected);
    refuse(
        write(here, "a.cpp", ""),
        expect!["a.cpp is not a C file: Testwright reads files that end in .c or .i"],
    );
    refuse(here.join("gone.c"), expect!["gone.c does not exist"]);
    refuse(
        here.to_owned(),
        expect![[r#"
        . is a folder without compile_commands.json. Name a C file, or let the build system write one (CMake: -DCMAKE_EXPORT_COMPILE_COMMANDS=ON; make: `bear -- make`)"#]],
    );
    write(here, database::NAME, r#"[{"directory": "/", "file": "/b.cc", "command": "cc /b.cc"}]"#);
    refuse(here.to_owned(), expect!["compile_commands.json: it names no C file"]);
    let file = write(here, "a.c", "");
    check_refused(
        here,
        resolve(&[file], &["-m32".to_owned()]),
        &expect![
            "the compiler flag -m32 asks for other code than x86-64, which Testwright could not run. Add -m64 after -- to test it as code for x86-64, where sizes of types may differ"
        ],
    );
}

#[test]
fn two_definitions_of_one_function_do_not_link() {
    let clang = clangs().remove(0);
    let folder = tempfile::tempdir().unwrap();
    let (bitcode, _) =
        bitcode(folder.path(), &["int f(void) { return 1; }", "int f(void) { return 2; }"], &clang).unwrap();
    let context = Context::new();
    let error = link(&context, &bitcode).unwrap_err().to_string();
    expect!["the files do not link: Linking globals named 'f': symbol multiply defined!"].assert_eq(&error);
}

#[test]
fn trailing_arrays_of_a_length_are_checked_by_every_clang() {
    let text = "struct s { int n; int a[4]; }; int f(int i) { struct s s = {0}; return s.a[i]; }\n";
    for clang in clangs() {
        let subject = crate::inspect::testing::subject(&[text], &clang);
        assert_eq!(subject.outcome_count, 1, "{}", clang.version);
    }
}

#[test]
fn the_key_depends_on_compiler_files_flags_and_options() {
    let folder = tempfile::tempdir().unwrap();
    let (a, b) = (write(folder.path(), "a.c", ""), write(folder.path(), "b.c", ""));
    let clang = clangs().remove(0);
    let other = Clang { version: "another".to_owned(), ..clang.clone() };
    let flag = ["-DX".to_owned()];
    let sources = |files: &[&PathBuf], flags: &[String]| {
        resolve(&files.iter().map(|file| (*file).clone()).collect::<Vec<_>>(), flags).unwrap()
    };
    let keys = [
        key(&sources(&[&a], &[]), &clang, &[]),
        key(&sources(&[&b], &[]), &clang, &[]),
        key(&sources(&[&a, &b], &[]), &clang, &[]),
        key(&sources(&[&a], &flag), &clang, &[]),
        key(&sources(&[&a], &[]), &clang, &["fast"]),
        key(&sources(&[&a], &[]), &other, &[]),
    ];
    for (index, key) in keys.iter().enumerate() {
        assert_eq!(keys.iter().position(|it| it == key), Some(index));
    }
    assert_eq!(keys[0], key(&sources(&[&a], &[]), &clang, &[]));
}

#[test]
fn conditions_are_compiled_into_their_file_and_complaints_name_where_they_stand() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(
        folder.path(),
        "a.c",
        "struct s { int n; };\nint f(const struct s *s, int m) { return s->n + m; }\n",
    );
    let sources = resolve(&[file], &[]).unwrap();
    for clang in clangs() {
        let plain =
            crate::prepare(&C, &compile(&sources, &clang).unwrap(), &sources.files()).unwrap().subject;
        let function = plain.function_named("f").unwrap();
        let requiring = |text: &str| {
            let condition =
                Condition { function, text: text.to_owned(), file: "mine.toml".to_owned(), line: 7 };
            compile_requiring(&sources, &clang, &plain, &[condition], &[])
        };
        let bitcode = requiring("s->n > 0 // positive").unwrap();
        let subject = crate::prepare(crate::frontend(), &bitcode, &sources.files()).unwrap().subject;
        let precondition = subject.precondition(function).expect("it is there");
        assert!(subject.function(precondition).model, "its branches are no goals");
        assert_eq!(subject.own_outcome_count(), plain.own_outcome_count());
        let message = requiring("s->m > 0").unwrap_err().to_string();
        let expected = "mine.toml:7: `f` requires `s->m > 0`, which does not compile: no member named 'm'";
        assert!(message.starts_with(expected), "{message}");
    }
}

/// Two files: one that uses stacks, one that knows what they are.
fn stacks(folder: &Path, declared: &str) -> Sources {
    let header = "typedef struct stack stack;\nstack *stack_new(int capacity);\nstack *stack_of(const char *text);\n\
                  stack *stack_push(stack *s, int value);\nint stack_size(const stack *s);\n";
    write(folder, "stack.h", header);
    let user = format!(
        "#include \"stack.h\"\n{declared}\nint is_empty(stack *s) {{ return s && stack_size(s) == 0; }}\n"
    );
    let user = write(folder, "user.c", &user);
    let text = "#include \"stack.h\"\n#include <stdlib.h>\n#include <string.h>\nstruct stack { int size; };\n\
                stack *hidden(void) { return calloc(1, sizeof(stack)); }\n\
                stack *stack_of(const char *text) { stack *s = hidden(); if (s) s->size = (int)strlen(text); return s; }\n\
                stack *stack_new(int capacity) { return capacity > 0 ? hidden() : NULL; }\n\
                stack *stack_push(stack *s, int value) { s->size += value; return s; }\n\
                int stack_size(const stack *s) { return s->size; }\n";
    resolve(&[user, write(folder, "stack.c", text)], &[]).unwrap()
}

#[test]
fn what_a_file_cannot_lay_out_is_made_by_functions_that_it_knows() {
    for clang in clangs() {
        let folder = tempfile::tempdir().unwrap();
        let sources = stacks(folder.path(), "");
        let plain =
            crate::prepare(&C, &compile(&sources, &clang).unwrap(), &sources.files()).unwrap().subject;
        let found = handles(&sources, &clang, &plain).unwrap();
        let named = |handle: &Handle| {
            let creators: Vec<&str> =
                handle.creators.iter().map(|creator| plain.function(*creator).name.as_str()).collect();
            format!("{} {} {}", plain.function(handle.function).name, handle.param, creators.join(" "))
        };
        let names: Vec<String> = found.iter().map(named).collect();
        assert_eq!(
            names,
            ["is_empty 0 stack_of stack_new"],
            "nobody declares `hidden`; `stack_push` needs one"
        );
        let bitcode = compile_requiring(&sources, &clang, &plain, &[], &found).unwrap();
        let subject = crate::prepare_with(&C, &bitcode, &sources.files(), &found, &crate::Behaviours::new())
            .unwrap()
            .subject;
        let function = subject.function(subject.function_named("is_empty").unwrap());
        assert_eq!(function.uncallable, None);
        let ty = function.signature.as_ref().unwrap().params[0].ty;
        assert_eq!(subject.types.spell(ty), "stack *");
        let leaves: Vec<String> =
            named_leaves(&subject.types, ty, None).into_iter().map(|(_, path)| path).collect();
        assert_eq!(leaves, [".how", ".stack_of.text", ".stack_new.capacity"]);
        assert_eq!(subject.own_outcome_count(), plain.own_outcome_count(), "what makes it has no goals");
    }
}

#[test]
fn a_struct_that_the_file_defines_is_no_handle() {
    let folder = tempfile::tempdir().unwrap();
    let sources = stacks(folder.path(), "struct stack { int size; };");
    let clang = Clang::find().unwrap();
    let plain = crate::prepare(&C, &compile(&sources, &clang).unwrap(), &sources.files()).unwrap().subject;
    assert_eq!(handles(&sources, &clang, &plain).unwrap(), []);
}

#[test]
fn a_handle_that_the_file_does_not_let_us_make_is_none() {
    let folder = tempfile::tempdir().unwrap();
    let sources = stacks(folder.path(), "#define how 7");
    let clang = Clang::find().unwrap();
    let plain = crate::prepare(&C, &compile(&sources, &clang).unwrap(), &sources.files()).unwrap().subject;
    assert_eq!(handles(&sources, &clang, &plain).unwrap(), []);
}
