//! Measuring code: how long calls and traces take, how many instructions, how much memory.

use super::{Plan, Session};
use crate::error::ExecError;
use std::time::Duration;
use testwright_abi::command::CommandKind;
use testwright_abi::control::EndKind;
use testwright_base::build::Build;
use testwright_base::case::Case;
use testwright_process::Answer;

/// How long counting may take.
const COUNTING_LIMIT: Duration = Duration::from_secs(600);

impl Session {
    /// Calls the function `count` times on the case as it is, without any reset between the calls, and says how
    /// long that took in the worker; for measuring code.
    ///
    /// # Errors
    /// If the case cannot be laid out, the worker fails or the code does not return.
    pub fn time_calls(&mut self, case: &Case, build: Build, count: u64) -> Result<Duration, ExecError> {
        let mut plan = self.lay_out(case, build, CommandKind::Bare)?;
        plan.draws.clear();
        self.time(plan, count)
    }

    /// Traces the case `count` times, all its scalars symbolic, and says how long that took in the worker.
    ///
    /// # Errors
    /// As [`Session::time_calls`].
    pub fn time_traces(&mut self, case: &Case, count: u64) -> Result<Duration, ExecError> {
        let plan = self.lay_out(case, Build::Trace, CommandKind::RepeatTrace)?;
        self.time(plan, count)
    }

    fn time(&mut self, mut plan: Plan, count: u64) -> Result<Duration, ExecError> {
        plan.command.count = count;
        let bare = plan.command.kind == CommandKind::Bare as u32;
        match self.send(&mut plan)? {
            Answer::Done { time } if self.has_returned(bare, count) => Ok(time),
            answer => {
                let end = self.end(answer, &plan.image, &self.worker.segment().status());
                Err(ExecError::NotMeasured(format!("the run did not return: {end}")))
            }
        }
    }

    /// How many instructions a call of the function on the case takes, in everything that it calls: the same number each
    /// time. The call before it is not counted, so that marks are set already.
    ///
    /// # Errors
    /// As [`Session::time_calls`]; also if the system does not let the worker stop after each instruction.
    pub fn count_calls(&mut self, case: &Case, build: Build) -> Result<u64, ExecError> {
        let plan = self.lay_out(case, build, CommandKind::Count)?;
        self.count(plan)
    }

    /// As [`Session::count_calls`] in a trace, all scalars of the case symbolic.
    ///
    /// # Errors
    /// As [`Session::count_calls`].
    pub fn count_traces(&mut self, case: &Case) -> Result<u64, ExecError> {
        let plan = self.lay_out(case, Build::Trace, CommandKind::CountTrace)?;
        self.count(plan)
    }

    fn count(&mut self, plan: Plan) -> Result<u64, ExecError> {
        // Stopping takes a thousand times as long as running, more on a busy machine.
        let wall = std::mem::replace(&mut self.limits.wall, COUNTING_LIMIT);
        let ended = self.time(plan, 2);
        self.limits.wall = wall;
        ended?;
        match self.worker.segment().status().instructions {
            0 => Err(ExecError::NotMeasured(
                "this system does not stop a program after each instruction".into(),
            )),
            instructions => Ok(instructions),
        }
    }

    /// Whether all runs of a measuring command returned; the loop of bare calls only counts them.
    fn has_returned(&self, bare: bool, count: u64) -> bool {
        let status = self.worker.segment().status();
        if bare { status.iteration == count } else { status.end_kind() == EndKind::Returned }
    }

    /// How much memory the expressions and events of the last traced run took.
    #[must_use]
    pub fn trace_memory(&self) -> u64 {
        let status = self.worker.segment().status();
        u64::from(status.node_count) * size_of::<testwright_abi::expr::Node>() as u64
            + u64::from(status.event_count) * size_of::<testwright_abi::event::Event>() as u64
            + u64::from(status.tables_used)
    }
}
