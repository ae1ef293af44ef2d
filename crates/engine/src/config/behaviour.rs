//! What functions do that nobody defines, `[stub.read_adc]`: the results that they have, the buffers that they fill, and whether they return.

use super::contract::Wrong;
use crate::build::first_of;
use serde::Deserialize;
use testwright_base::layout::integer;
use testwright_base::nearest;
use testwright_base::stub::{Behaviour, Stub};
use testwright_base::subject::Subject;
use testwright_base::types::Shape;
use toml::Spanned;

/// What is stated about a stub.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Manner {
    /// The least and the largest result, `0..255`.
    returns: Option<Spanned<String>>,
    /// Whether a call ends the program.
    #[serde(default)]
    never_returns: bool,
    /// A buffer that it fills, and the parameter that says how far, `len(buf) == n`.
    out: Option<Spanned<String>>,
}

impl Manner {
    /// What it means for the stub of this name.
    pub fn behaviour(&self, subject: &Subject, name: &Spanned<String>) -> Result<Behaviour, Wrong> {
        let stub = subject.stubs.iter().find(|stub| stub.name == *name.get_ref());
        let stub = stub.ok_or_else(|| Wrong { span: name.span(), text: unknown(subject, name.get_ref()) })?;
        let mut behaviour = Behaviour { never_returns: self.never_returns, ..Behaviour::default() };
        if let Some(range) = &self.returns {
            let read = results(subject, stub, range.get_ref());
            behaviour.returns = Some(read.map_err(|text| Wrong { span: range.span(), text })?);
        }
        if let Some(filled) = &self.out {
            let read = filled_buffer(subject, stub, filled.get_ref());
            let (buffer, length) = read.map_err(|text| Wrong { span: filled.span(), text })?;
            behaviour.fills.insert(buffer, length);
        }
        Ok(behaviour)
    }

    /// What tells it from another one.
    pub fn identity(&self) -> String {
        let text = |part: &Option<Spanned<String>>| part.as_ref().map(|part| part.get_ref().clone());
        format!("{:?} {} {:?}", text(&self.returns), self.never_returns, text(&self.out))
    }
}

fn unknown(subject: &Subject, name: &str) -> String {
    let stubs = subject.stubs.iter().filter(|stub| !stub.is_allocation());
    let names: Vec<&str> = stubs.map(|stub| stub.name.as_str()).collect();
    let hint = match nearest::nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => "nothing is".to_owned(),
        None => format!("these are: {}", first_of(&names)),
    };
    format!("`{name}` is not stubbed; {hint}")
}

/// `0..255`, or one number.
fn results(subject: &Subject, stub: &Stub, text: &str) -> Result<(i128, i128), String> {
    let how = "results are stated as `returns = \"0..255\"`, or as one number";
    let number =
        |text: &str| text.trim().parse::<i64>().map_err(|_| format!("`{text}` is no whole number; {how}"));
    let (low, high) = text.split_once("..").unwrap_or((text, text));
    let (low, high) = (number(low)?, number(high)?);
    let Some((bits, signed)) = integer(&subject.types, stub.signature.result) else {
        return Err(format!(
            "`{}` returns no whole number, so nothing like this can be stated about it",
            stub.name
        ));
    };
    if low > high {
        return Err(format!("`{low}..{high}` is empty; {how}"));
    }
    let (least, most) = match signed {
        true => (-(1_i128 << (bits - 1)), (1_i128 << (bits - 1)) - 1),
        false => (0, (1_i128 << bits) - 1),
    };
    match i128::from(low) >= least && i128::from(high) <= most {
        true => Ok((low.into(), high.into())),
        false => Err(format!("what `{}` returns lies between {least} and {most}", stub.name)),
    }
}

/// The numbers of the parameters in `len(buf) == n`.
fn filled_buffer(subject: &Subject, stub: &Stub, text: &str) -> Result<(usize, usize), String> {
    let how = "what a function fills is stated as `out = \"len(buf) == n\"`, with two of its parameters";
    let sides = text.split_once("==").map(|(buffer, length)| (buffer.trim(), length.trim()));
    let named = sides
        .and_then(|(buffer, length)| Some((buffer.strip_prefix("len(")?.strip_suffix(')')?.trim(), length)));
    let (buffer, length) = named.ok_or_else(|| how.to_owned())?;
    let params = &stub.signature.params;
    let find = |name: &str| {
        let names = params.iter().map(|param| param.name.as_str()).collect::<Vec<_>>();
        let place = names.iter().position(|known| *known == name);
        place.ok_or_else(|| {
            format!("`{}` has no parameter `{name}`, but {}; {how}", stub.name, first_of(&names))
        })
    };
    let (buffer, length) = (find(buffer)?, find(length)?);
    let is_pointer = matches!(subject.types.get(params[buffer].ty).shape, Shape::Pointer(_));
    if !is_pointer || stub.constant.contains(&buffer) {
        return Err(format!(
            "`{}` of `{}` does not point to what can be filled",
            params[buffer].name, stub.name
        ));
    }
    if integer(&subject.types, params[length].ty).is_none() {
        return Err(format!("`{}` of `{}` is no whole number", params[length].name, stub.name));
    }
    Ok((buffer, length))
}
