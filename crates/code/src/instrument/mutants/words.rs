//! What a mutant changes, in words.

use super::points::{Held, Point};
use testwright_abi::mutant::{Change, Operation};
use testwright_llvm::Value;

/// What becomes of what: `` `<` -> `<=` ``.
pub fn change(point: &Point<'_>, change: Change) -> String {
    match point.operation {
        Operation::Store => "the assignment is left out".to_owned(),
        Operation::Call => format!("the call of `{}` is left out", callee(point.at)),
        Operation::Case => match point.held {
            Held::Case { value, .. } => format!("case {value} is left out"),
            _ => "a case is left out".to_owned(),
        },
        Operation::Constant | Operation::Bit => constant(point, change),
        Operation::FloatConstant => format!("a constant -> {}", of("it", change)),
        Operation::Value | Operation::FloatValue | Operation::Address => {
            format!("`value` -> `{}`", of("value", change))
        }
        operation => {
            let symbol = operation.symbol();
            match change {
                Change::Becomes(other) => format!("`{symbol}` -> `{}`", other.symbol()),
                _ => format!("`a {symbol} b` -> `{}`", of(&format!("a {symbol} b"), change)),
            }
        }
    }
}

fn of(what: &str, change: Change) -> String {
    match change {
        Change::First => "a".to_owned(),
        Change::Second => "b".to_owned(),
        Change::More => format!("{what} + 1"),
        Change::Less => format!("{what} - 1"),
        Change::Zero => "0".to_owned(),
        Change::Negative => format!("-{what}"),
        Change::Always => "true".to_owned(),
        Change::Never => "false".to_owned(),
        Change::Becomes(_) | Change::LeftOut => String::new(),
    }
}

fn constant(point: &Point<'_>, change: Change) -> String {
    let Held::Operand { user, index, .. } = point.held else { return of("a constant", change) };
    let operand = user.operand(index);
    let (Some(bits), width) = (operand.constant_int(), operand.ty().int_width()) else {
        return of("a constant", change);
    };
    if width == 1 {
        return format!("`{}` -> `{}`", bits == 1, bits == 0);
    }
    let number = testwright_base::site::sign_extend(bits, width);
    let changed = match change {
        Change::More => number + 1,
        Change::Less => number - 1,
        _ => 0,
    };
    format!("`{number}` -> `{changed}`")
}

fn callee(call: Value<'_>) -> String {
    let name = call.callee().name();
    let known =
        ["memcpy", "memmove", "memset"].iter().find(|known| name.starts_with(&format!("llvm.{known}.")));
    match known {
        Some(known) => (*known).to_owned(),
        None if name.is_empty() => "a function".to_owned(),
        None => name.strip_prefix("tw_model_").unwrap_or(&name).to_owned(),
    }
}
