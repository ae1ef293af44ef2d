//! The same calls in code that gcc compiled, so that expectations are not only our own opinion.
//!
//! A program that includes the fixture makes every call in a process of its own and prints the scalars of the result
//! and of the objects afterwards. Values that hold pointers have no literal and no text; calls with such are left out.

use std::fmt::Write;
use std::fs;
use std::path::Path;
use std::process::Command;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::TypeId;
use testwright_base::run::Run;
use testwright_base::subject::Subject;
use testwright_base::types::{Shape, Types};

/// A call that returned, and what our run build made of it.
pub struct Call {
    /// The case, for people.
    pub title: String,
    /// The case.
    pub case: Case,
    /// What came out.
    pub run: Run,
}

const PRELUDE: &str = r#"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
static float tw_single(uint32_t bits) { float f; memcpy(&f, &bits, 4); return f; }
static double tw_double(uint64_t bits) { double d; memcpy(&d, &bits, 8); return d; }
#define TW_INT(x) printf(" %016llx%016llx", (unsigned long long)((__int128)(x) >> 64), (unsigned long long)(x))
static void tw_print_single(float f) { uint32_t bits; memcpy(&bits, &f, 4); if (f != f) printf(" nan"); else printf(" %08x", bits); }
static void tw_print_double(double d) { uint64_t bits; memcpy(&bits, &d, 8); if (d != d) printf(" nan"); else printf(" %016llx", (unsigned long long)bits); }
"#;

/// Makes the calls natively and says where the results differ.
pub fn compare(fixture: &Path, subject: &Subject, calls: &[Call]) -> Vec<String> {
    let mut functions = String::new();
    let mut list = String::new();
    let mut expected = Vec::new();
    for (index, call) in calls.iter().enumerate() {
        let Some((body, texts)) = function(subject, call) else { continue };
        writeln!(functions, "static void tw_call_{index}(void) {{\n{body}}}").expect("a string grows");
        write!(list, "{{{index}, tw_call_{index}}}, ").expect("a string grows");
        expected.push((index, texts));
    }
    let file = fs::canonicalize(fixture).expect("the fixture");
    let program = format!(
        "#include {file:?}\n{PRELUDE}{functions}\
         static struct {{ int index; void (*call)(void); }} tw_calls[] = {{{list}{{-1, 0}}}};\n\
         int main(void) {{\n  setvbuf(stdout, 0, _IOFBF, 1 << 16);\n  for (int i = 0; tw_calls[i].call; i++) {{\n    \
         fflush(stdout);\n    if (fork() == 0) {{ alarm(5); printf(\"@%d\", tw_calls[i].index); tw_calls[i].call(); \
         printf(\"\\n\"); fflush(stdout); _exit(0); }}\n    wait(0);\n  }}\n}}\n"
    );
    let output = build_and_run(&program);
    let mut problems = Vec::new();
    for (index, texts) in expected {
        // The code under test may have printed something before.
        let mark = format!("@{index} ");
        let found =
            output.lines().find_map(|line| line.split_once(mark.as_str()).map(|(_, rest)| rest.trim()));
        let texts = texts.join(" ");
        if found != Some(texts.as_str()) && !(found.is_none() && texts.is_empty()) {
            problems.push(format!("{}: we say {texts}, gcc says {found:?}", calls[index].title));
        }
    }
    problems
}

fn build_and_run(program: &str) -> String {
    let folder = tempfile::tempdir().expect("a folder");
    let (source, binary) = (folder.path().join("native.c"), folder.path().join("native"));
    fs::write(&source, program).expect("the program");
    let output = Command::new("gcc")
        .args(["-std=gnu2x", "-O0", "-w", "-fwrapv", "-fno-strict-aliasing", "-ffp-contract=off", "-o"])
        .args([&binary, &source])
        .arg("-lm")
        .output()
        .expect("gcc starts");
    assert!(output.status.success(), "gcc: {}", String::from_utf8_lossy(&output.stderr));
    let output = Command::new(&binary).output().expect("the native program starts");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

/// The body of a function that makes the call and prints, and what it must print.
fn function(subject: &Subject, call: &Call) -> Option<(String, Vec<String>)> {
    let types = &subject.types;
    let (mut body, mut texts) = (String::new(), Vec::new());
    let mut prints = String::new();
    for (index, statement) in call.case.statements.iter().enumerate() {
        match statement {
            Statement::Object { element, values } => {
                let spelled = declared(types, *element, &format!("object_{index}[]"))?;
                let list: Option<Vec<String>> =
                    values.iter().map(|value| literal(types, *element, value)).collect();
                writeln!(body, "  {spelled} = {{{}}};", list?.join(", ")).ok()?;
                if let Some(Some(Value::Array(after))) = call.run.objects.get(index) {
                    for (position, value) in after.iter().enumerate() {
                        let place = format!("object_{index}[{position}]");
                        print(types, *element, &place, value, &mut prints, &mut texts)?;
                    }
                }
            }
            Statement::Set { global, value } => {
                let global = &subject.globals[global.index()];
                let ty = global.ty?;
                let spelled = declared(types, ty, "value")?;
                let value = literal(types, ty, value)?;
                let name = &global.name;
                writeln!(body, "  {{ {spelled} = {value}; memcpy(&{name}, &value, sizeof value); }}").ok()?;
            }
            Statement::Call { function, arguments } => {
                let function = subject.function(*function);
                let signature = function.signature.as_ref()?;
                let mut list = Vec::new();
                for (number, (param, value)) in signature.params.iter().zip(arguments).enumerate() {
                    let name = format!("argument_{index}_{number}");
                    let spelled = declared(types, param.ty, &name)?;
                    writeln!(body, "  {spelled} = {};", literal(types, param.ty, value)?).ok()?;
                    list.push(name);
                }
                let call_text = format!("{}({})", function.name, list.join(", "));
                match &call.run.result {
                    _ if index + 1 < call.case.statements.len() => {
                        let is_used = call.case.is_used(index);
                        let keep =
                            if is_used { format!("__auto_type returned_{index} = ") } else { String::new() };
                        writeln!(body, "  {keep}{call_text};").ok()?;
                    }
                    Some(value) => {
                        writeln!(body, "  __auto_type result = {call_text};").ok()?;
                        print(types, signature.result, "result", value, &mut prints, &mut texts)?;
                    }
                    None => writeln!(body, "  {call_text};").ok()?,
                }
            }
        }
    }
    Some((body + &prints, texts))
}

/// `int name`, `struct point name`, `char *name`, `int name[3]`; none if the type cannot be written down here.
fn declared(types: &Types, ty: TypeId, name: &str) -> Option<String> {
    if let Some(spelled) = &types.get(ty).name {
        return Some(format!("{spelled} {name}"));
    }
    match &types.get(ty).shape {
        Shape::Pointer(_) => Some(format!("void *{name}")),
        Shape::Array { element, count: Some(count) } => {
            declared(types, *element, &format!("{name}[{count}]"))
        }
        Shape::Bool | Shape::Int { .. } | Shape::Float { .. } => Some(format!("{} {name}", types.spell(ty))),
        _ => None,
    }
}

/// A value as an initialiser.
fn literal(types: &Types, ty: TypeId, value: &Value) -> Option<String> {
    Some(match (value, &types.get(ty).shape) {
        (Value::Int(value), _) => {
            let (high, low) = ((*value >> 64) as u64, *value as u64);
            if types.get(ty).size <= 8 {
                format!("{low:#x}ull")
            } else {
                format!("((unsigned __int128){high:#x}ull << 64 | {low:#x}ull)")
            }
        }
        (Value::Single(bits), _) => format!("tw_single({bits:#x}u)"),
        (Value::Double(bits), _) => format!("tw_double({bits:#x}ull)"),
        (Value::Null, _) => "0".to_owned(),
        (Value::Returned { call }, _) => format!("returned_{call}"),
        (Value::Pointer { object, offset }, _) => format!("(void *)((char *)object_{object} + {offset})"),
        (Value::Array(values), Shape::Array { element, .. }) => {
            let list: Option<Vec<String>> =
                values.iter().map(|value| literal(types, *element, value)).collect();
            format!("{{{}}}", list?.join(", "))
        }
        (Value::Record(values), Shape::Record { fields, .. }) => {
            let list = fields.iter().zip(values).map(|(field, value)| {
                Some(format!(".{} = {}", field.name.as_ref()?, literal(types, field.ty, value)?))
            });
            format!("{{{}}}", list.collect::<Option<Vec<String>>>()?.join(", "))
        }
        (Value::Member(index, value), Shape::Record { fields, .. }) => {
            let field = &fields[*index];
            format!("{{.{} = {}}}", field.name.as_ref()?, literal(types, field.ty, value)?)
        }
        _ => return None,
    })
}

/// Code that prints the scalars of `value` at `place`, and what it must print; none if it holds pointers.
fn print(
    types: &Types,
    ty: TypeId,
    place: &str,
    value: &Value,
    code: &mut String,
    texts: &mut Vec<String>,
) -> Option<()> {
    match (value, &types.get(ty).shape) {
        (Value::Int(value), _) => {
            writeln!(code, "  TW_INT({place});").ok()?;
            // Unsigned values of 64 bits are extended by zeros on both sides.
            texts.push(format!("{value:032x}"));
        }
        (Value::Single(bits), _) => {
            writeln!(code, "  tw_print_single({place});").ok()?;
            let nan = f32::from_bits(*bits).is_nan();
            texts.push(if nan { "nan".to_owned() } else { format!("{bits:08x}") });
        }
        (Value::Double(bits), _) => {
            writeln!(code, "  tw_print_double({place});").ok()?;
            let nan = f64::from_bits(*bits).is_nan();
            texts.push(if nan { "nan".to_owned() } else { format!("{bits:016x}") });
        }
        (Value::Array(values), Shape::Array { element, .. }) => {
            for (index, value) in values.iter().enumerate() {
                print(types, *element, &format!("{place}[{index}]"), value, code, texts)?;
            }
        }
        (Value::Record(values), Shape::Record { fields, .. }) => {
            for (field, value) in fields.iter().zip(values) {
                print(types, field.ty, &format!("{place}.{}", field.name.as_ref()?), value, code, texts)?;
            }
        }
        (Value::Member(index, value), Shape::Record { fields, .. }) => {
            let field = &fields[*index];
            print(types, field.ty, &format!("{place}.{}", field.name.as_ref()?), value, code, texts)?;
        }
        _ => return None,
    }
    Some(())
}
