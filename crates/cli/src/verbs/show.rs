//! `testwright show`: every intermediate product.

use super::{fitness, graph, put, sites, trace};
use crate::args::{BuildName, Show};
use crate::exit::{Exit, Failure};
use crate::load;
use testwright_base::build::Build;

/// Shows what was asked for.
pub fn perform(show: &Show) -> Result<Exit, Failure> {
    match show {
        Show::Bitcode { target } => {
            put(&testwright_code::bitcode_text(&load::until_prepared(&target.target())?)?)?;
        }
        Show::Instrumented { target, build } => {
            let prepared = load::until_prepared(&target.target())?;
            put(&testwright_code::instrumented_text(&prepared, build_named(*build))?)?;
        }
        Show::Graph { target, function, kind } => {
            let subject = load::until_prepared(&target.target())?.subject;
            put(&graph::text(&subject, function.as_deref(), *kind)?)?;
        }
        Show::Sites { target, function, json } => {
            sites::perform(&target.target(), function.as_deref(), *json)?;
        }
        Show::Fitness { target, function, settings } => {
            fitness::perform(&target.target(), function, settings)?;
        }
        Show::Trace { target, case } => trace::perform(&target.target(), case)?,
    }
    Ok(Exit::Done)
}

fn build_named(name: BuildName) -> Build {
    match name {
        BuildName::Bare => Build::Bare,
        BuildName::Run => Build::Run,
        BuildName::RunDistances => Build::RunWithDistances,
        BuildName::Trace => Build::Trace,
    }
}
