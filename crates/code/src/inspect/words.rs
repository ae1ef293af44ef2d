//! Words: the numbers and texts that code names, for searches that put them into inputs.
//!
//! ```text
//! icmp eq i8 %c, 123        switch i32 %c, [i32 44, ..]        call i32 @strcmp(ptr %name, ptr @"level")
//! ```

use std::collections::BTreeSet;
use testwright_base::ids::FunctionId;
use testwright_base::site::{Site, SiteKind, sign_extend};
use testwright_base::subject::{Subject, Words};
use testwright_llvm::{Block, Kind, Module, Opcode, Value};

/// No function has more numbers or texts than this.
const MOST: usize = 64;
/// Longer texts are messages rather than words.
const LONGEST: u32 = 64;

/// Adds them to the functions of a subject.
pub fn words(module: &Module<'_>, subject: &mut Subject) {
    for (index, function) in subject.functions.iter_mut().enumerate() {
        if let Some(value) = module.function(&function.name).filter(|value| !value.is_declaration()) {
            let own = subject.sites.iter().filter(|site| site.function == FunctionId::of(index));
            function.words = of_function(value, own.flat_map(cases).collect());
        }
    }
}

/// The numbers that a switch asks for.
fn cases(site: &Site) -> Vec<i128> {
    match &site.kind {
        SiteKind::Switch { cases, bits } => cases.iter().map(|case| sign_extend(*case, *bits)).collect(),
        _ => Vec::new(),
    }
}

fn of_function(function: Value<'_>, mut numbers: BTreeSet<i128>) -> Words {
    let mut texts = BTreeSet::new();
    for instruction in function.blocks().into_iter().flat_map(Block::instructions) {
        let operands = instruction.operands();
        if tells_numbers(instruction) {
            numbers.extend(operands.iter().filter_map(|operand| number(*operand)));
        }
        texts.extend(operands.into_iter().filter_map(text));
    }
    Words { numbers: numbers.into_iter().take(MOST).collect(), texts: texts.into_iter().take(MOST).collect() }
}

/// Whether the constants of an instruction are numbers that inputs may come to: those of comparisons and of arithmetic, checked or not.
fn tells_numbers(instruction: Value<'_>) -> bool {
    use Opcode::{LLVMAdd, LLVMCall, LLVMICmp, LLVMMul, LLVMSDiv, LLVMSRem, LLVMSub, LLVMUDiv, LLVMURem};
    match instruction.opcode() {
        Some(LLVMCall) => instruction.callee().name().contains(".with.overflow."),
        Some(opcode) => {
            let telling = [LLVMICmp, LLVMAdd, LLVMSub, LLVMMul, LLVMSDiv, LLVMUDiv, LLVMSRem, LLVMURem];
            telling.contains(&opcode)
        }
        None => false,
    }
}

fn number(value: Value<'_>) -> Option<i128> {
    let bits = value.constant_int()?;
    Some(sign_extend(bits, value.ty().int_width()))
}

/// The text of a constant array of characters that ends with NUL.
fn text(value: Value<'_>) -> Option<Vec<u8>> {
    let is_text = value.is_global_variable() && value.is_global_constant();
    let initial = if is_text { value.initializer()? } else { return None };
    let mut text = Vec::new();
    for index in 0..=LONGEST {
        let element = initial.element_of_constant(index)?;
        let is_character = element.ty().kind() == Kind::Int && element.ty().int_width() == 8;
        match if is_character { element.constant_int()? } else { return None } {
            0 => return (!text.is_empty()).then_some(text),
            character => text.push(character as u8),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use crate::inspect::testing::prepared;

    #[test]
    fn numbers_are_those_of_comparisons_cases_and_arithmetic_and_texts_are_what_is_handed_on() {
        let prepared = prepared(
            "int strcmp(const char *, const char *); int puts(const char *);\n\
             int f(const char *s, signed char c, int n) {\n\
                 if (c == -3 || n * 77 > 12) return 1;\n\
                 if (n == 4) return s[29];\n\
                 switch (*s) { case '{': return 2; case 'x': return 3; }\n\
                 puts(\"\");\n\
                 return strcmp(s, \"level\");\n\
             }\n",
        );
        let words = &prepared.subject.functions[0].words;
        assert_eq!(words.texts, [b"level".to_vec()]);
        for number in [-3, 12, 77, 123, 120] {
            assert!(words.numbers.contains(&number), "{number}: {words:?}");
        }
        assert!(!words.numbers.contains(&29), "where an element lies is no number of the code: {words:?}");
    }
}
