//! A random program: functions over numbers of all types, tables, arrays, structs, unions, pointers, globals and loops.
//!
//! Nothing in it is undefined: arithmetic is unsigned or too small to overflow, shifts and indices are masked, divisors are not
//! zero, and floats are bounded before they become integers. Every step makes an `unsigned long` from earlier ones; the goals
//! ask what some of them are, with `@number@` for what natively comes out.

use std::fmt::Write;

/// A file of functions, and a program that calls each of them with its inputs.
pub struct Program {
    /// The functions. Compiled with `PROBE`, they tell what their goals should ask for.
    pub text: String,
    /// The program.
    pub harness: String,
}

const PRELUDE: &str = "struct pair { int a; short b; double c; };
union word { unsigned u; float f; unsigned char b[4]; };
int shared_a;
unsigned short shared_b;
double shared_c;
";

/// Tells a value and goes on.
const PROBES: &str = "#ifdef PROBE
#include <stdio.h>
#define IS(number, value, wanted) (printf(\"%d %lu\\n\", number, (unsigned long)(value)), 1)
#define IS_FLOAT(number, value, wanted) (printf(\"%d %a\\n\", number, (double)(value)), 1)
#else
#define IS(number, value, wanted) ((value) == (wanted))
#define IS_FLOAT(number, value, wanted) ((value) == (wanted))
#endif
";

/// The program that calls them says which of them returned 1, once the goals are known.
const HARNESS: &str = "#include <stdio.h>
extern int shared_a;
extern unsigned short shared_b;
extern double shared_c;
#ifdef PROBE
#define TOLD(...) ((void)met)
#else
#define TOLD(...) printf(__VA_ARGS__)
#endif
";

/// Types of parameters, and how a number of that type becomes an `unsigned long`.
const INTEGERS: &[&str] =
    &["int", "unsigned", "signed char", "unsigned char", "short", "unsigned short", "long", "unsigned long"];

impl Program {
    /// The program of this seed.
    pub fn new(seed: u64, functions: u64) -> Program {
        let mut maker = Maker { random: Random(seed), text: format!("{PROBES}{PRELUDE}"), goals: 0 };
        let mut harness = HARNESS.to_owned();
        let mut calls = String::new();
        maker.table();
        for number in 0..functions {
            let call = maker.function(number, &mut harness);
            calls += &call;
        }
        let _ = write!(harness, "int main(void)\n{{\n    int met;\n{calls}    return 0;\n}}\n");
        Program { text: maker.text, harness }
    }
}

/// The text with what the program printed in the place of what its goals ask for.
pub fn filled(text: &str, printed: &str) -> String {
    let mut text = text.to_owned();
    for (number, value) in printed.lines().filter_map(|line| line.split_once(' ')) {
        let suffix = if value.contains('p') { "" } else { "ul" };
        text = text.replace(&format!("@{number}@"), &format!("{value}{suffix}"));
    }
    text
}

struct Maker {
    random: Random,
    text: String,
    goals: u32,
}

impl Maker {
    fn table(&mut self) {
        let values: Vec<String> = (0..8).map(|_| self.random.below(1000).to_string()).collect();
        let _ = writeln!(self.text, "static const unsigned short table[8] = {{{}}};", values.join(", "));
        self.text += "static unsigned long mixed(unsigned long x, unsigned long y)\n{\n    if (x % 3 == 1)\n        return x * 5 + y;\n    return y > x ? y - x : x ^ y;\n}\n\n";
    }

    /// Writes a function; gives the call that reaches its goal.
    fn function(&mut self, number: u64, harness: &mut String) -> String {
        let count = 1 + self.random.below(4);
        let (mut params, mut arguments, mut body) = (Vec::new(), Vec::new(), String::new());
        let mut types = Vec::new();
        let mut before = String::new();
        for index in 0..count {
            let (ty, argument, start) = self.parameter(number, index, &mut before);
            params.push(format!("{ty}p{index}"));
            types.push(ty.trim().to_owned());
            arguments.push(argument);
            let _ = writeln!(body, "    {start}");
        }
        let mut known = count;
        for _ in 0..2 + self.random.below(6) {
            let step = self.step(known);
            let _ = writeln!(body, "    {}", step.replace('#', &known.to_string()));
            known += 1;
        }
        let goals = 1 + self.random.below(3);
        for depth in 0..goals {
            let goal = self.goal(known);
            let pad = "    ".repeat(depth as usize + 1);
            let _ = writeln!(body, "{pad}if ({goal}) // feasible");
        }
        let pad = "    ".repeat(goals as usize + 1);
        let _ = write!(
            self.text,
            "int f{number}({})\n{{\n{body}{pad}return 1;\n    return 0;\n}}\n\n",
            params.join(", ")
        );
        let _ = writeln!(harness, "int f{number}({});", types.join(", "));
        let (a, b, c) = (self.random.below(4000), self.random.below(60_000), self.random.below(64));
        format!(
            "{before}    shared_a = {a}; shared_b = {b}; shared_c = {c} * 0.5;\n    \
             met = f{number}({}); TOLD(\"f{number} %d\\n\", met);\n",
            arguments.join(", ")
        )
    }

    /// Type, witness and first value of a parameter.
    fn parameter(&mut self, function: u64, index: u64, before: &mut String) -> (String, String, String) {
        let bits = self.random.below(31).max(4);
        let value = self.random.below(1 << bits);
        match self.random.below(12) {
            0 => {
                let start = format!(
                    "unsigned long u{index} = p{index} > -1e6f && p{index} < 1e6f ? (unsigned long)(long)(p{index} * 4.0f) : 99;"
                );
                ("float ".to_owned(), format!("{}.25f", value % 5000), start)
            }
            1 | 2 => {
                let start = format!(
                    "unsigned long u{index} = p{index} > -1e9 && p{index} < 1e9 ? (unsigned long)(long)(p{index} * 8.0) : 99;"
                );
                ("double ".to_owned(), format!("{}.125", value % 500_000), start)
            }
            3 => {
                let name = format!("given{function}_{index}");
                let _ =
                    writeln!(before, "    static int {name}[2] = {{{value}, {}}};", self.random.below(100));
                let start = format!(
                    "unsigned long u{index} = p{index} ? (unsigned long)(long)p{index}[0] + (unsigned)p{index}[1] : 7;"
                );
                ("const int *".to_owned(), name, start)
            }
            _ => {
                let ty = INTEGERS[self.random.below(INTEGERS.len() as u64) as usize];
                let start = format!("unsigned long u{index} = (unsigned long)p{index};");
                (format!("{ty} "), format!("({ty}){value}"), start)
            }
        }
    }

    /// A statement that makes number `#` from the ones before.
    fn step(&mut self, known: u64) -> String {
        let (a, b) = (format!("u{}", self.random.below(known)), format!("u{}", self.random.below(known)));
        let n = self.random.below(200);
        match self.random.below(20) {
            0 => format!("unsigned long u# = {a} + {b} * {n};"),
            1 => format!("unsigned long u# = {a} - ({b} ^ {n});"),
            2 => format!("unsigned long u# = ({a} | {b}) & {}ul;", self.random.below(1 << 40)),
            3 => format!("unsigned long u# = ({a} << ({b} & 15)) >> {};", n % 12),
            4 => format!("unsigned long u# = {a} / (({b} & 255) + 1);"),
            5 => format!("unsigned long u# = {a} % (({b} & 255) + 3);"),
            6 => format!("unsigned long u# = (unsigned long)((long)(short){a} * (signed char){b});"),
            7 => format!("unsigned long u# = (unsigned long)(long)(int)({a} * {b});"),
            8 => format!(
                "double d# = (double)(int){a} * 0.25 + (double)({b} & 1023); unsigned long u# = (unsigned long)(long)d#;"
            ),
            9 => format!(
                "float d# = (float)(short){a} / 8.0f; unsigned long u# = (unsigned long)(long)(d# * 3.0f) + {b};"
            ),
            10 => format!("unsigned long u# = table[{a} & 7] + {b};"),
            11 => format!(
                "unsigned a#[4] = {{(unsigned){a}, (unsigned){b}, {n}u, 9u}}; a#[{a} & 3] = (unsigned){b}; unsigned long u# = a#[({b} >> 1) & 3];"
            ),
            12 => format!(
                "struct pair s# = {{(int){a}, (short){b}, (double)({a} & 15)}}; struct pair *q# = &s#; q#->b = (short)({a} + {n}); unsigned long u# = (unsigned long)(long)q#->a + (unsigned long)(long)q#->b + (unsigned long)q#->c;"
            ),
            13 => format!("union word w#; w#.u = (unsigned){a}; unsigned long u# = w#.b[{b} & 3];"),
            14 => format!("union word w#; w#.u = (unsigned){a}; unsigned long u# = w#.f > 1.5f ? {b} : {n};"),
            15 => format!("unsigned long u# = {a} + (unsigned long)(long)shared_a + shared_b;"),
            16 => format!(
                "shared_a = (int){a}; unsigned long u# = (unsigned long)(long)shared_a + (shared_c > 3.0 ? {b} : {n});"
            ),
            17 => format!(
                "unsigned long u# = {a}; for (unsigned i = 0; i < ({b} & 7); i++) {{ u# = u# * 31 + i; if (u# & 1) u# ^= {b}; }}"
            ),
            18 => format!("unsigned long u# = mixed({a}, {b});"),
            _ => format!(
                "const unsigned short *t# = &table[{a} & 3]; unsigned long u# = t#[{b} & 3] + ({a} > {b} ? {a} - {b} : {n});"
            ),
        }
    }

    /// A condition that holds for the witness.
    fn goal(&mut self, known: u64) -> String {
        let number = self.goals;
        self.goals += 1;
        let a = format!("u{}", self.random.below(known));
        let value = match self.random.below(5) {
            0 => a,
            1 => format!("({a} & 0xfff)"),
            2 => format!("{a} % 97"),
            3 => format!("(unsigned long)(unsigned char)({a} >> 3)"),
            _ => return format!("IS_FLOAT({number}, (double)(int){a} * 0.5, @{number}@)"),
        };
        format!("IS({number}, {value}, @{number}@)")
    }
}

/// SplitMix64.
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    fn below(&mut self, bound: u64) -> u64 {
        self.next() % bound.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_makes_the_same_program_each_time_and_every_goal_is_filled_in() {
        let program = Program::new(3, 5);
        assert_eq!(program.text, Program::new(3, 5).text);
        assert_ne!(program.text, Program::new(4, 5).text);
        let goals = program.text.matches("// feasible").count();
        let printed: String = (0..goals).map(|number| format!("{number} 7\n")).collect();
        assert!(goals >= 5);
        assert!(!filled(&program.text, &printed).contains('@'));
    }
}
