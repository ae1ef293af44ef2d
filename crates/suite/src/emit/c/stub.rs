//! Stubs in a test file: functions that the code under test calls and nobody defines, with the answers of each test.
//!
//! ```text
//! WEAK size_t read_clock_calls;                                  how often it was called
//! WEAK int read_clock_given_id[16];                              what the first calls were given
//! WEAK int *read_clock_answers = (int[1]){0};                    what read_clock_returns(1000, 1001) sets
//! int read_clock_stub(int id) __asm__("read_clock");               the name that the linker looks for
//! WEAK int read_clock_stub(int id) { .. }                          gives the next answer, the last one again and again
//! ```
//!
//! Memory is copied and allocated through builtins: code that is included with its static functions may have macros of its
//! own for `calloc` and the like.
//!
//! Every file of tests of a program defines all stubs, weakly: the linker takes one definition for all of them.
//!
//! A stub has another name in C than for the linker, because the code declares the function itself, and perhaps with
//! a `restrict` that types do not keep.

use super::value::{Unwritable, Writer};
use std::collections::BTreeSet;
use testwright_base::case::Value;
use testwright_base::ids::{FunctionId, StubId, TypeId};
use testwright_base::stub::{Answers, FILLED, MOST_GIVEN, Origin, Role, Stub};
use testwright_base::subject::{Callee, Subject, Undefined};
use testwright_base::types::Shape;
use testwright_c::declare;

/// The name of the header that defines stubs.
pub const HEADER_NAME: &str = "testwright_stubs.h";

/// What all definitions of stubs begin with.
const HEAD: &str = "\
/* Functions that the code under test calls and that are not part of it. Each gives the answers of the test, one per
 * call, and the last one again and again. Written by Testwright. */
#include <stddef.h>

#undef WEAK
#define WEAK __attribute__((__weak__)) /* one definition for all files of tests */
/* A stub may differ in a restrict from what the code takes it for. */
#undef STUB
#if defined(__clang__)
#define STUB __attribute__((unused, no_sanitize(\"function\")))
#else
#define STUB __attribute__((unused))
#endif
#define ANSWER(list, call) (list)[(call) < list##_count ? (call) : list##_count - 1]
#define GIVE(list, type, ...) \\
    (list = (type){__VA_ARGS__}, list##_count = sizeof((type){__VA_ARGS__}) / sizeof *(list))
";

/// The statement by which a test says the answers: `read_clock_returns(1000, 1001);`.
///
/// # Errors
/// If an answer cannot be written as C.
pub fn script(
    subject: &Subject,
    writer: &mut Writer<'_>,
    (stub, role): (StubId, Role),
    ty: Option<TypeId>,
    value: &Value,
) -> Result<String, Unwritable> {
    let stub = &subject.stubs[stub.index()];
    let (Some(Shape::Array { element, .. }), Value::Array(values)) =
        (ty.map(|ty| &subject.types.get(ty).shape), value)
    else {
        return Err(format!("the answers of {}", stub.name));
    };
    let texts: Result<Vec<String>, Unwritable> =
        values.iter().map(|value| writer.value(*element, value)).collect();
    Ok(format!("{}({});", setter(stub, role), texts?.join(", ")))
}

/// A stub as an argument.
#[must_use]
pub fn argument(stub: &Stub) -> String {
    format!("{}_stub", identifier(stub))
}

/// The header with the stubs that tests of these functions need: all that the linker asks for, and those that are
/// handed over. Those that a compiler has `refused` are there for the linker only. None if there are none.
#[must_use]
pub fn header(subject: &Subject, functions: &[FunctionId], refused: &BTreeSet<StubId>) -> Option<String> {
    let within: BTreeSet<StubId> = subject.stubs_within_any(functions).into_iter().collect();
    let all = subject.stubs.iter().enumerate().filter(|(_, stub)| !stub.is_allocation());
    // One that nobody calls by its name is handed over by somebody, who knows where it is called then.
    let is_reached = |(index, stub): &(usize, &Stub)| {
        let id = StubId::of(*index);
        let is_needed = within.contains(&id) || (stub.origin == Origin::Missing && !is_called(subject, stub));
        is_needed && !refused.contains(&id)
    };
    let (reached, others): (Vec<_>, Vec<_>) = all.partition(is_reached);
    let texts: Vec<String> =
        reached.iter().filter_map(|(_, stub)| Definition { subject, stub }.text()).collect();
    let missing = others.iter().filter(|(_, stub)| stub.origin == Origin::Missing);
    let unreached: String = missing.map(|(_, stub)| unreached_text(stub)).collect();
    let unreached = if unreached.is_empty() { unreached } else { format!("{UNREACHED}{unreached}") };
    let variables: String = subject.undefined.iter().map(variable_text).collect();
    let variables = if variables.is_empty() { variables } else { format!("{VARIABLES}{variables}") };
    let functions = if texts.is_empty() { String::new() } else { format!("{HEAD}\n{}", texts.join("\n")) };
    let parts = [functions, unreached, variables];
    let parts: Vec<&str> = parts.iter().map(String::as_str).filter(|part| !part.is_empty()).collect();
    (!parts.is_empty()).then(|| parts.join("\n"))
}

fn is_called(subject: &Subject, stub: &Stub) -> bool {
    let mut calls = subject.functions.iter().flat_map(|function| &function.calls);
    calls.any(|call| matches!(&call.callee, Callee::External(name) if *name == stub.name))
}

/// What definitions of functions that no test comes to begin with. Their types may not be known where the tests are.
const UNREACHED: &str = "\
/* Functions that no test comes to: the code beside the tested functions calls them, and the linker asks for them. */
";

/// `void read_clock_stub(int id) __asm__("read_clock") __attribute__((__weak__));` and a body
fn unreached_text(stub: &Stub) -> String {
    let (name, identifier) = (&stub.name, identifier(stub));
    format!(
        "void {identifier}_stub(void) __asm__(\"{name}\") __attribute__((__weak__));\n\
         void {identifier}_stub(void)\n{{\n    __builtin_trap();\n}}\n"
    )
}

/// What definitions of variables begin with.
const VARIABLES: &str = "\
/* Variables that the code under test uses and that are not part of it. A definition elsewhere wins over these. */
";

/// `char testwright_limit[4] __asm__("limit") __attribute__((__weak__, __aligned__(16)));`
fn variable_text(undefined: &Undefined) -> String {
    let Undefined { name, size, thread_local, .. } = undefined;
    let storage = if *thread_local { "__thread " } else { "" };
    let identifier = name.replace(|c: char| !c.is_ascii_alphanumeric() && c != '_', "_");
    format!(
        "{storage}char testwright_{identifier}[{size}] __asm__(\"{name}\") __attribute__((__weak__, __aligned__(16)));\n"
    )
}

/// What the header calls a stub.
pub fn identifier(stub: &Stub) -> String {
    stub.name.replace(|c: char| !c.is_ascii_alphanumeric() && c != '_', "_")
}

/// The variable that counts its calls.
#[must_use]
pub fn calls(stub: &Stub) -> String {
    format!("{}_calls", identifier(stub))
}

/// The array that keeps what a parameter was given.
#[must_use]
pub fn given(stub: &Stub, param: usize) -> String {
    format!("{}_given_{}", identifier(stub), param_name(stub, param))
}

fn setter(stub: &Stub, role: Role) -> String {
    let name = identifier(stub);
    match role {
        Role::Result => format!("{name}_returns"),
        Role::Object => format!("{name}_points_to"),
        Role::NotNull => format!("{name}_is_not_null"),
        Role::Out(index) => format!("{name}_writes_{}", param_name(stub, index)),
    }
}

/// The variable that holds answers.
fn variable(stub: &Stub, role: Role) -> String {
    let name = identifier(stub);
    match role {
        Role::Result => format!("{name}_answers"),
        Role::Object => format!("{name}_objects"),
        Role::NotNull => format!("{name}_not_null"),
        Role::Out(index) => format!("{name}_{}", param_name(stub, index)),
    }
}

fn param_name(stub: &Stub, index: usize) -> &str {
    stub.signature.params.get(index).map_or("argument", |param| param.name.as_str())
}

struct Definition<'a> {
    subject: &'a Subject,
    stub: &'a Stub,
}

impl Definition<'_> {
    /// None if a type has no name that could be written.
    fn text(&self) -> Option<String> {
        let name = identifier(self.stub);
        let mut text = format!("WEAK size_t {};\n", calls(self.stub));
        for kept in &self.stub.given {
            let array = format!("{}[{MOST_GIVEN}]", given(self.stub, kept.param));
            let ty = self.stub.signature.params.get(kept.param)?.ty;
            text += &format!("WEAK {};\n", declare(&self.subject.types, ty, &array)?);
        }
        for answers in &self.stub.answers {
            text += &self.variables(answers)?;
        }
        let params = &self.stub.signature.params;
        let mut declared: Vec<String> = params
            .iter()
            .map(|param| declare(&self.subject.types, param.ty, &param.name))
            .collect::<Option<_>>()?;
        if self.stub.signature.variadic && !declared.is_empty() {
            declared.push("...".to_owned());
        }
        let list = if declared.is_empty() { "void".to_owned() } else { declared.join(", ") };
        let head = declare(&self.subject.types, self.stub.signature.result, &format!("{name}_stub({list})"))?;
        text += &match self.stub.origin {
            Origin::Missing => format!("STUB {head} __asm__(\"{}\");\nWEAK {head}\n", self.stub.name),
            _ => format!("STUB static {head}\n"),
        };
        text += &match (self.stub.answers.as_slice(), self.stub.given.as_slice()) {
            ([], []) => format!("{{\n    {name}_calls++;\n"),
            _ => format!("{{\n    size_t call = {name}_calls++;\n"),
        };
        for (index, param) in params.iter().enumerate() {
            text += &self.parameter(index, &param.name);
        }
        text += &self.ending();
        Some(text + "}\n")
    }

    /// ```text
    /// WEAK int *f_answers = (int[1]){0};
    /// WEAK size_t f_answers_count = 1;
    /// #define f_returns(...) ..
    /// ```
    fn variables(&self, answers: &Answers) -> Option<String> {
        let types = &self.subject.types;
        let ty = self.subject.globals[answers.global.index()].ty?;
        let Shape::Array { element, .. } = types.get(ty).shape else { return None };
        let inner_array =
            types.get(element).name.is_none() && matches!(types.get(element).shape, Shape::Array { .. });
        let (name, calls) = (variable(self.stub, answers.role), identifier(self.stub));
        let pointer = if inner_array { format!("(*{name})") } else { format!("*{name}") };
        let declared = declare(types, element, &pointer)?;
        let one = declare(types, element, "[1]")?;
        let list = declare(types, element, "[]")?;
        let setter = setter(self.stub, answers.role);
        Some(format!(
            "WEAK {declared} = ({one}){{0}};\nWEAK size_t {name}_count = 1;\n\
             #define {setter}(...) (GIVE({name}, {list}, __VA_ARGS__), {calls}_calls = 0)\n"
        ))
    }

    fn parameter(&self, index: usize, param: &str) -> String {
        let role = Role::Out(index);
        if self.stub.given.iter().any(|kept| kept.param == index) {
            let kept = given(self.stub, index);
            return format!("    if (call < {MOST_GIVEN}) {{\n        {kept}[call] = {param};\n    }}\n");
        }
        if !self.stub.answers.iter().any(|answers| answers.role == role) {
            return format!("    (void){param};\n");
        }
        let answer = self.answer(role);
        let write = match self.stub.behaviour.length_of(index) {
            Some(length) => {
                let (n, list) = (param_name(self.stub, length), variable(self.stub, role));
                let count = format!("(size_t)({n} > 0 ? ({n} < {FILLED} ? {n} : {FILLED}) : 0)");
                format!("__builtin_memcpy({param}, {answer}, {count} * sizeof **{list})")
            }
            // C assigns no arrays.
            None if self.is_array_behind(index) => {
                format!("__builtin_memcpy(*{param}, {answer}, sizeof *{param})")
            }
            None => format!("*{param} = {answer}"),
        };
        format!("    if ({param} != NULL) {{\n        {write};\n    }}\n")
    }

    /// Whether a parameter points to an array: `char (*s)[100]`.
    fn is_array_behind(&self, index: usize) -> bool {
        let types = &self.subject.types;
        let param = self.stub.signature.params.get(index).map(|param| &types.get(param.ty).shape);
        matches!(param, Some(Shape::Pointer(target)) if matches!(types.get(*target).shape, Shape::Array { .. }))
    }

    /// `ANSWER(f_answers, call)`
    fn answer(&self, role: Role) -> String {
        format!("ANSWER({}, call)", variable(self.stub, role))
    }

    fn ending(&self) -> String {
        let has = |role: Role| self.stub.answers.iter().any(|answers| answers.role == role);
        let types = &self.subject.types;
        let result = types.get(self.stub.signature.result);
        if self.stub.ends {
            return "    __builtin_abort();\n".to_owned();
        }
        if has(Role::Result) {
            return format!("    return {};\n", self.answer(Role::Result));
        }
        if has(Role::NotNull) {
            let object = match result.shape {
                Shape::Pointer(target) if has(Role::Object) => {
                    let text = testwright_base::layout::is_character(types, target);
                    format!("{}{}", if text { "" } else { "&" }, self.answer(Role::Object))
                }
                _ if !self.stub.allocates.is_empty() => {
                    let factors = self.stub.allocates.iter().map(|index| param_name(self.stub, *index));
                    format!("__builtin_calloc(1, (size_t){})", factors.collect::<Vec<_>>().join(" * "))
                }
                _ => "(void *)object".to_owned(),
            };
            let opaque = if has(Role::Object) || !self.stub.allocates.is_empty() {
                ""
            } else {
                "    static long long object[2];\n"
            };
            return format!("{opaque}    return {} ? {object} : NULL;\n", self.answer(Role::NotNull));
        }
        match result.shape {
            Shape::Void => String::new(),
            _ => "    return 0;\n".to_owned(),
        }
    }
}
