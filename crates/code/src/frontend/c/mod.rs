//! C source to bitcode: find clang, find the flags, compile every file.

mod chooser;
mod clang;
mod command;
mod companion;
pub(crate) mod compile;
mod database;
mod declared;
mod definitions;
mod dependencies;
mod flags;
mod handle;
mod known;
mod lengths;
mod macros;
mod parameters;
mod precondition;
mod response;
mod rival;
mod source;

pub(crate) use clang::Clang;

use super::{Bitcode, Compiler, Condition, Fitting, Frontend, Sources, Unit, Used};
use crate::cache::Key;
use crate::error::CodeError;
use crate::handle::Handle;
use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;
use testwright_base::subject::{Param, Subject};
use testwright_base::types::Types;

/// The front end of C.
pub struct C;

impl Frontend for C {
    fn resolve(&self, targets: &[PathBuf], flags: &[String]) -> Result<Sources, CodeError> {
        source::resolve(targets, flags)
    }

    fn key(&self, sources: &Sources, options: &[&str]) -> Result<Key, CodeError> {
        Ok(source::key(sources, &Clang::find_anyhow()?, options))
    }

    fn compile(&self, sources: &Sources) -> Result<Fitting, CodeError> {
        rival::fitting(sources, &Clang::find_anyhow()?)
    }

    fn handles(&self, sources: &Sources, subject: &Subject) -> Result<Vec<Handle>, CodeError> {
        handle::handles(sources, &Clang::find_anyhow()?, subject)
    }

    fn chooser(&self) -> String {
        chooser::text()
    }

    fn compile_stating(
        &self,
        sources: &Sources,
        subject: &Subject,
        conditions: &[Condition],
        handles: &[Handle],
    ) -> Result<Bitcode, CodeError> {
        precondition::compile_requiring(sources, &Clang::find_anyhow()?, subject, conditions, handles)
    }

    fn compile_natively(&self, sources: &Sources) -> Result<Bitcode, CodeError> {
        compile::compile_natively(sources, &Clang::find_anyhow()?)
    }

    fn lengths(&self, types: &Types, params: &[Param]) -> BTreeMap<usize, Vec<usize>> {
        lengths::lengths(types, params)
    }

    fn used_flags(&self, unit: &Unit) -> Result<Used, CodeError> {
        known::used_flags(unit, &Clang::find_anyhow()?)
    }

    fn constants(&self, unit: &Unit, names: &BTreeSet<String>) -> Result<BTreeMap<String, i128>, CodeError> {
        Ok(macros::macro_values(unit, &Clang::find_anyhow()?, names))
    }

    fn compiler(&self) -> Result<Compiler, CodeError> {
        let Clang { path, version, .. } = Clang::find_anyhow()?;
        Ok(Compiler { path, version })
    }
}

#[cfg(test)]
mod tests;
