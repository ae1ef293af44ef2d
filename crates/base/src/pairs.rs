//! Pointers and their lengths: which integer parameter says how many elements a pointer parameter leads to.
//!
//! A contract may say so; else the front end suggests what names and neighbours say.

use crate::contract::Contract;
use crate::ids::FunctionId;
use crate::subject::{Param, Signature, Subject};
use crate::types::{Shape, Types};
use serde::{Deserialize, Serialize};

/// A pointer parameter and the parameter that says how many elements it leads to, by index.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Pair {
    /// The pointer.
    pub pointer: usize,
    /// The length.
    pub length: usize,
    /// Whether a contract says so; otherwise it is a guess.
    pub stated: bool,
    /// Whether the length is first of all that of another pointer, as in `(dest, src, n)`. Then this one has as many
    /// elements to begin with, but nobody promises that it has no more.
    pub shared: bool,
}

/// The pairs of a function: those that its contract states, and those that the front end suggests. No pointer is in more than
/// one. Every laid out case asks.
#[must_use]
pub fn pairs(subject: &Subject, function: FunctionId) -> Vec<Pair> {
    let function = subject.function(function);
    let Some(Signature { params, .. }) = &function.signature else { return Vec::new() };
    let (types, contract) = (&subject.types, &function.contract);
    let mut pairs: Vec<Pair> = contract.lengths.clone();
    for (pointer, param) in params.iter().enumerate() {
        let is_stated =
            pairs.iter().any(|pair| pair.pointer == pointer) || contract.null_terminated.contains(&pointer);
        if is_stated || !is_buffer(types, param) {
            continue;
        }
        let is_free = |index: &&usize| !pairs.iter().any(|pair| pair.length == **index);
        let suggested = function.lengths.get(&pointer).into_iter().flatten().find(is_free);
        if let Some(length) = suggested.copied() {
            pairs.push(Pair { pointer, length, stated: false, shared: false });
        }
    }
    pairs.extend(sharing(types, params, &pairs, contract));
    pairs
}

/// Pointers that stand before a pointer and its length, with nothing but pointers in between.
fn sharing(types: &Types, params: &[Param], pairs: &[Pair], contract: &Contract) -> Vec<Pair> {
    let is_free = |pointer: usize| {
        is_buffer(types, &params[pointer])
            && !pairs.iter().any(|pair| pair.pointer == pointer)
            && !contract.null_terminated.contains(&pointer)
    };
    let shared = |pointer: usize| {
        let next = (pointer + 1..params.len()).find(|index| !is_buffer(types, &params[*index]))?;
        let own = pairs.iter().find(|pair| pair.length == next && (pointer..next).contains(&pair.pointer))?;
        Some(Pair { pointer, length: own.length, stated: false, shared: true })
    };
    (0..params.len()).filter(|pointer| is_free(*pointer)).filter_map(shared).collect()
}

fn is_buffer(types: &Types, param: &Param) -> bool {
    match &types.get(param.ty).shape {
        _ if types.is_list(param.ty) => false,
        Shape::Pointer(target) => {
            types.get(*target).size > 0 || matches!(types.get(*target).shape, Shape::Void)
        }
        _ => false,
    }
}
