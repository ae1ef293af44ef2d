//! Every literal compiles without a warning and is exactly the value it stands for.

use crate::compile;
use proptest::prelude::*;
use std::fmt::Write;
use std::process::Command;
use testwright_base::ids::TypeId;
use testwright_base::sample;
use testwright_base::types::Types;
use testwright_suite::emit::c::literal::{self, Headers};
use testwright_suite::emit::c::{CHECK_HEADER, CHECK_SOURCE};

/// A C file whose `main` counts the literals that are not what they should be.
struct Program {
    headers: Headers,
    checks: String,
    count: u32,
}

impl Program {
    fn new() -> Program {
        Program { headers: Headers::from(["stdio.h", "string.h"]), checks: String::new(), count: 0 }
    }

    /// The literal as a value of the type must have these bytes.
    fn add(&mut self, ty: &str, literal: &str, bytes: &[u8]) {
        let bytes: Vec<String> = bytes.iter().map(ToString::to_string).collect();
        let count = self.count;
        writeln!(
            self.checks,
            "static int check_{count}(void)\n{{\n    {ty} x = {literal};\n    const unsigned char b[] = {{{}}};\n    \
             return memcmp(&x, b, sizeof b) != 0 && printf(\"%d\\n\", {count}) > 0;\n}}",
            bytes.join(", ")
        )
        .unwrap();
        self.count += 1;
    }

    fn int(&mut self, name: &str, ty: TypeId, types: &Types, value: i128) {
        let size = types.get(ty).size as usize;
        let literal = literal::int(types, ty, value, &mut self.headers);
        self.add(name, &literal, &value.to_le_bytes()[..size]);
    }

    /// Compiles with every compiler and runs; all literals must be right.
    fn check(&self) {
        let mut text = String::new();
        for header in &self.headers {
            writeln!(text, "#include <{header}>").unwrap();
        }
        text += "#include \"testwright_check.h\"\nenum colour { RED, GREEN = 5, BLUE = -3 };\n";
        text += &self.checks;
        text += "TEST(literals)\n{\n    int wrong = 0;\n";
        for index in 0..self.count {
            writeln!(text, "    wrong += check_{index}();").unwrap();
        }
        text += "    CHECK_EQ(wrong, 0);\n}\n";
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        std::fs::write(path("testwright_check.h"), CHECK_HEADER).unwrap();
        std::fs::write(path("testwright_check.c"), CHECK_SOURCE).unwrap();
        std::fs::write(path("literals.c"), &text).unwrap();
        for (compiler, standard) in compile::compilers().iter().zip(["c99", "c17"].into_iter().cycle()) {
            let output = Command::new(compiler)
                .current_dir(folder.path())
                .args([&format!("-std={standard}"), "-Wall", "-Wextra", "-Werror", "-o", "literals"])
                .args(["literals.c", "testwright_check.c"])
                .output()
                .unwrap();
            assert!(output.status.success(), "{compiler}: {}\n{text}", compile::text(&output));
            let output = Command::new(path("literals")).output().unwrap();
            assert!(output.status.success(), "{compiler}: {}\n{text}", compile::text(&output));
        }
    }
}

/// Random bits, and values where types end.
fn interesting() -> impl Strategy<Value = u128> {
    let edge = (0u32..128, -10i128..10).prop_map(|(bit, near)| (1u128 << bit).wrapping_add(near as u128));
    prop_oneof![any::<u128>(), edge, (0u128..200), any::<u64>().prop_map(u128::from)]
}

const INTEGERS: [(&str, u32, bool); 12] = [
    ("char", 8, true),
    ("signed char", 8, true),
    ("unsigned char", 8, false),
    ("short", 16, true),
    ("unsigned short", 16, false),
    ("int", 32, true),
    ("unsigned int", 32, false),
    ("long", 64, true),
    ("unsigned long", 64, false),
    ("long long", 64, true),
    ("__int128", 128, true),
    ("unsigned __int128", 128, false),
];

fn fitted(pattern: u128, bits: u32, signed: bool) -> i128 {
    let cut = pattern & (u128::MAX >> (128 - bits));
    if signed { testwright_base::site::sign_extend(cut, bits) } else { cut as i128 }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 2, max_shrink_iters: 8, ..ProptestConfig::default() })]

    #[test]
    fn integers_are_what_they_say(patterns in prop::collection::vec(interesting(), 60)) {
        let mut types = Types::default();
        let mut program = Program::new();
        for (name, bits, signed) in INTEGERS {
            let ty = sample::int(&mut types, name, bits, signed);
            for pattern in &patterns {
                program.int(name, ty, &types, fitted(*pattern, bits, signed));
            }
        }
        let colour = sample::enumeration(&mut types, "enum colour", &[("RED", 0), ("GREEN", 5), ("BLUE", -3)]);
        let boolean = sample::boolean(&mut types);
        for pattern in &patterns {
            program.int("enum colour", colour, &types, fitted(*pattern, 32, true));
            program.int("_Bool", boolean, &types, fitted(*pattern, 1, false));
        }
        for value in [0, 5, -3, i128::from(i32::MIN), i128::from(i32::MAX)] {
            program.int("enum colour", colour, &types, value);
        }
        program.check();
    }

    #[test]
    fn floats_are_what_they_say(
        doubles in prop::collection::vec(any::<u64>(), 80),
        short in prop::collection::vec((-100_000i32..100_000, 0i32..6), 80),
        extended in prop::collection::vec((any::<u64>(), 0u16..0x7fff, any::<bool>(), 0u32..64), 60),
    ) {
        let mut program = Program::new();
        let mut doubles = doubles;
        doubles.extend(short.iter().map(|(digits, places)| (f64::from(*digits) / 10f64.powi(*places)).to_bits()));
        let edges = [0.0, 5e-324, f64::MIN_POSITIVE, f64::EPSILON, f64::MAX, f64::INFINITY, f64::NAN, 1.0 / 3.0, 2.2e-310];
        doubles.extend(edges.iter().flat_map(|edge| [edge.to_bits(), (-edge).to_bits()]));
        doubles.extend([0x7ff0_0000_0000_0001, 0xfff8_0000_0000_1234]);
        for bits in &doubles {
            program.add("double", &literal::double(*bits, &mut program.headers.clone()), &bits.to_le_bytes());
            let single = (bits >> 32) as u32;
            let near = (f64::from_bits(*bits) as f32).to_bits();
            for bits in [single, near] {
                program.add("float", &literal::single(bits, &mut program.headers.clone()), &bits.to_le_bytes());
            }
        }
        program.headers.insert("float.h");
        for (mantissa, exponent, negative, zeros) in extended {
            let mantissa = if exponent == 0 { mantissa >> 1 } else { mantissa | 1 << 63 };
            let mantissa = mantissa >> zeros << zeros;
            let mantissa = if exponent == 0 { mantissa } else { mantissa | 1 << 63 };
            let mut bytes = mantissa.to_le_bytes().to_vec();
            bytes.extend((exponent | u16::from(negative) << 15).to_le_bytes());
            let literal = literal::extended(&bytes).expect("an ordinary number has a literal");
            program.add("long double", &literal, &bytes);
        }
        program.check();
    }

    #[test]
    fn strings_and_characters_are_what_they_say(texts in prop::collection::vec(prop::collection::vec(1u8.., 0..12), 60)) {
        let mut program = Program::new();
        let question = [b"??=??/".to_vec(), b"\x011".to_vec(), b"\"'\\".to_vec()];
        for text in texts.iter().chain(&question) {
            let mut bytes = text.clone();
            bytes.push(0);
            let declared = format!("const struct {{ char s[{}]; }}", bytes.len());
            program.add(&declared, &format!("{{{}}}", literal::string(text)), &bytes);
        }
        for byte in (0..=255).filter(|byte| literal::has_character(*byte)) {
            program.add("char", &literal::character(byte), &[byte]);
        }
        program.check();
    }
}
