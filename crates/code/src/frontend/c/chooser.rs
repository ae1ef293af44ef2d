//! The chooser: what decides in mutated programs which mutant there is, as C text that any compiler takes.
//!
//! The environment names the mutant. Operations and changes have the numbers of `runtime/abi/src/mutant.rs`, and compute what is
//! computed there; a test compares both.

use crate::mutated::{CHOOSER, CHOOSER_OF_ELEMENTS, CHOOSER_VARIABLE};
use std::fmt::Write;
use testwright_abi::mutant::{Change, Operation};

/// The text.
#[must_use]
pub fn text() -> String {
    let mut text = "#include <stdint.h>\n#include <stdlib.h>\n#include <string.h>\n\nenum {\n".to_owned();
    for operation in Operation::ALL {
        let _ = writeln!(text, "    {operation:?} = {},", *operation as u8);
    }
    text +=
        "};\nenum { NONE, BECOMES, FIRST, SECOND, MORE, LESS, ZERO, NEGATIVE, ALWAYS, NEVER, LEFT_OUT };\n";
    text += "static const unsigned char changes[][8][2] = {\n";
    for operation in Operation::ALL {
        let list: Vec<String> = operation.changes().iter().map(|change| named(*change)).collect();
        let _ = writeln!(text, "    {{ {} }},", list.join(", "));
    }
    text += "};\n";
    text + &BODY
        .replace("OF_ELEMENTS", CHOOSER_OF_ELEMENTS)
        .replace("CHOOSER", CHOOSER)
        .replace("VARIABLE", CHOOSER_VARIABLE)
}

fn named(change: Change) -> String {
    let name = match change {
        Change::Becomes(operation) => return format!("{{ BECOMES, {operation:?} }}"),
        Change::First => "FIRST",
        Change::Second => "SECOND",
        Change::More => "MORE",
        Change::Less => "LESS",
        Change::Zero => "ZERO",
        Change::Negative => "NEGATIVE",
        Change::Always => "ALWAYS",
        Change::Never => "NEVER",
        Change::LeftOut => "LEFT_OUT",
    };
    format!("{{ {name}, 0 }}")
}

const BODY: &str = r#"
static double to_float(unsigned width, uint64_t bits)
{
    float single;
    double number;
    uint32_t low = (uint32_t)bits;
    memcpy(&single, &low, 4);
    memcpy(&number, &bits, 8);
    return width == 32 ? single : number;
}

static uint64_t from_float(unsigned width, double number)
{
    float single = (float)number;
    uint32_t low;
    uint64_t bits;
    memcpy(&low, &single, 4);
    memcpy(&bits, &number, 8);
    return width == 32 ? low : bits;
}

static int64_t extended(unsigned width, uint64_t bits)
{
    return (int64_t)(bits << (64 - width)) >> (64 - width);
}

static uint64_t computed(unsigned operation, unsigned width, uint64_t a, uint64_t b)
{
    int64_t x = extended(width, a), y = extended(width, b);
    double f = to_float(width, a), g = to_float(width, b);
    uint64_t result = a;
    switch (operation) {
    case Add: result = a + b; break;
    case Subtract: result = a - b; break;
    case Multiply: result = a * b; break;
    case Divide: result = y == 0 || (x == INT64_MIN && y == -1) ? 0 : (uint64_t)(x / y); break;
    case Remainder: result = y == 0 || (x == INT64_MIN && y == -1) ? 0 : (uint64_t)(x % y); break;
    case DivideUnsigned: result = b == 0 ? 0 : a / b; break;
    case RemainderUnsigned: result = b == 0 ? 0 : a % b; break;
    case And: result = a & b; break;
    case Or: result = a | b; break;
    case Xor: result = a ^ b; break;
    case ShiftLeft: result = b < width ? a << b : 0; break;
    case ShiftRight: result = b < width ? a >> b : 0; break;
    case ShiftRightSigned: result = (uint64_t)(x >> (b < 63 ? b : 63)); break;
    case FloatAdd: return from_float(width, f + g);
    case FloatSubtract: return from_float(width, f - g);
    case FloatMultiply: return from_float(width, f * g);
    case FloatDivide: return from_float(width, f / g);
    case Equal: case Same: result = a == b; break;
    case NotEqual: case Different: result = a != b; break;
    case Less: result = x < y; break;
    case LessEqual: result = x <= y; break;
    case Greater: result = x > y; break;
    case GreaterEqual: result = x >= y; break;
    case LessUnsigned: result = a < b; break;
    case LessEqualUnsigned: result = a <= b; break;
    case GreaterUnsigned: result = a > b; break;
    case GreaterEqualUnsigned: result = a >= b; break;
    case FloatEqual: result = f == g; break;
    case FloatNotEqual: result = f != g; break;
    case FloatLess: result = f < g; break;
    case FloatLessEqual: result = f <= g; break;
    case FloatGreater: result = f > g; break;
    case FloatGreaterEqual: result = f >= g; break;
    default: break;
    }
    return result & (UINT64_MAX >> (64 - width));
}

static uint64_t changed(unsigned operation, unsigned width, const unsigned char *change, uint64_t a, uint64_t b, uint64_t value)
{
    uint64_t mask = UINT64_MAX >> (64 - width);
    int is_float = (operation >= FloatAdd && operation <= FloatDivide) || operation == FloatConstant || operation == FloatValue
        || (operation >= FloatEqual && operation <= FloatGreaterEqual);
    switch (change[0]) {
    case BECOMES: return computed(change[1], width, a, b);
    case FIRST: return a;
    case SECOND: return b;
    case MORE: return is_float ? from_float(width, to_float(width, value) + 1.0) : (value + 1) & mask;
    case LESS: return (value - 1) & mask;
    case NEGATIVE: return is_float ? from_float(width, -to_float(width, value)) : (0 - value) & mask;
    case ZERO: case NEVER: return 0;
    case ALWAYS: return 1;
    case LEFT_OUT: return operation == Case ? (value == b ? a : value) : a;
    default: return value;
    }
}

static uint32_t chosen(void)
{
    static uint32_t selected;
    static int is_known;
    if (!is_known) {
        const char *text = getenv("VARIABLE");
        selected = text ? (uint32_t)strtoul(text, 0, 10) : 0;
        is_known = 1;
    }
    return selected;
}

uint64_t CHOOSER(uint32_t first, uint32_t point, uint64_t a, uint64_t b, uint64_t value)
{
    uint32_t selected = chosen();
    unsigned operation = point >> 8;
    if (selected <= first || selected > first + 8)
        return value;
    return changed(operation, point & 0xff, changes[operation][selected - first - 1], a, b, value);
}

uint64_t OF_ELEMENTS(uint32_t first, uint32_t count, uint64_t index, uint64_t value)
{
    return index < count && chosen() == first + index + 1 ? value + 1 : value;
}
"#;

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::process::Command;
    use testwright_abi::draw::Rng;
    use testwright_abi::mutant::Point;

    /// Prints what each row of its input computes.
    const MAIN: &str = r#"
#include <inttypes.h>
#include <stdio.h>
int main(void)
{
    unsigned operation, width, change;
    uint64_t a, b, value;
    while (scanf("%u %u %u %" SCNu64 " %" SCNu64 " %" SCNu64, &operation, &width, &change, &a, &b, &value) == 6)
        printf("%" PRIu64 "\n", changed(operation, width, changes[operation][change], a, b, value));
    return 0;
}
"#;

    /// Operands that tell operations apart: small, large, at the ends of their width, and floats.
    fn operands(width: u32, is_float: bool) -> Vec<u64> {
        let mut rng = Rng::new(7, u64::from(width));
        let floats = [0.0, -0.0, 1.5, -2.25, 1e300, f64::INFINITY, f64::NAN];
        let bits =
            |float: f64| if width == 32 { u64::from((float as f32).to_bits()) } else { float.to_bits() };
        let cut = |bits: u64| bits & (u64::MAX >> (64 - width));
        let whole = [0, 1, 2, 7, 31, u64::MAX, u64::MAX >> 1, 1 << (width - 1), rng.next(), rng.next()];
        if is_float { floats.map(bits).to_vec() } else { whole.map(cut).to_vec() }
    }

    #[test]
    fn c_and_rust_compute_the_same_of_every_mutant() {
        let (mut rows, mut expected) = (String::new(), String::new());
        for operation in Operation::ALL {
            let widths: &[u8] = if operation.is_float() { &[32, 64] } else { &[1, 8, 32, 64] };
            for width in widths {
                let point = Point { operation: *operation, width: *width };
                let operands = operands((*width).into(), operation.is_float());
                for (index, change) in operation.changes().iter().enumerate() {
                    for (at, a) in operands.iter().enumerate() {
                        let (b, value) = (
                            operands[(at * 3 + index + 1) % operands.len()],
                            operands[(at + 2) % operands.len()],
                        );
                        let changed = point.changed(*change, *a, b, value);
                        let is_nan =
                            operation.is_float() && changed != 0 && changed != 1 && nan(*width, changed);
                        // Which of many NaNs comes out is up to the processor.
                        if !is_nan {
                            let _ = writeln!(rows, "{} {width} {index} {a} {b} {value}", *operation as u8);
                            let _ = writeln!(expected, "{changed}");
                        }
                    }
                }
            }
        }
        let folder = tempfile::tempdir().expect("a folder");
        let (source, program, input) =
            (folder.path().join("m.c"), folder.path().join("m"), folder.path().join("rows"));
        fs::write(&source, text() + MAIN).expect("a file");
        fs::write(&input, rows).expect("a file");
        let flags = ["-Wall", "-Wextra", "-Werror", "-Wno-unused-function", "-o"];
        let built = Command::new("cc").args(flags).arg(&program).arg(&source).status().expect("cc starts");
        assert!(built.success());
        let output =
            Command::new(&program).stdin(fs::File::open(&input).expect("rows")).output().expect("it starts");
        let found = String::from_utf8_lossy(&output.stdout);
        for (number, (found, expected)) in found.lines().zip(expected.lines()).enumerate() {
            let row = fs::read_to_string(&input).expect("rows").lines().nth(number).map(str::to_owned);
            assert_eq!(found, expected, "{row:?}");
        }
        assert_eq!(found.lines().count(), expected.lines().count());
    }

    fn nan(width: u8, bits: u64) -> bool {
        if width == 32 { f32::from_bits(bits as u32).is_nan() } else { f64::from_bits(bits).is_nan() }
    }
}
