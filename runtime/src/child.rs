//! The process that carries out commands.

use std::os::fd::RawFd;

use testwright_abi::command::{Command, CommandKind, Refusal, Reply, ReplyKind, Span, status};
use testwright_abi::memory::DISTANCE_NONE;

use crate::library::Library;
use crate::replacements::heap;
use crate::request::Request;
use crate::shared::{COMMAND, control, coverage, distances};
use crate::single::{self, Mode};
use crate::space::InputPages;
use crate::{batch, channel, effects, intact, mutants, sandbox, table, target_search, trace};

/// What a child needs, on sealed pages.
#[derive(Clone, Copy)]
pub struct LoadedCode {
    pub libraries: &'static [Library],
    /// Memory that no run may change.
    pub watched: &'static [Span],
}

/// Reads commands and answers them until the channel is broken: the host is gone, or a run has closed it.
pub fn serve(code: LoadedCode, channel: RawFd) -> ! {
    let whole = intact::digest(code.watched);
    let mut child = Child { libraries: code.libraries, pages: InputPages::default(), traced: None };
    while let Some(command) = channel::next_command(channel) {
        let mut reply = Reply { number: command.number, ..Reply::default() };
        match child.carry_out(command) {
            Ok(nanoseconds) => {
                reply.kind = ReplyKind::Done as u32;
                reply.nanoseconds = nanoseconds;
            }
            Err(refusal) => {
                reply.kind = ReplyKind::Refused as u32;
                reply.status = refusal as i32;
            }
        }
        if intact::digest(code.watched) != whole || !channel::answer(channel, reply) {
            break;
        }
    }
    // Nothing of ours is to be flushed, and handlers of the code under test must not run.
    // SAFETY: `_exit` has no precondition.
    unsafe { libc::_exit(status::DAMAGED) }
}

struct Child<'a> {
    libraries: &'a [Library],
    pages: InputPages,
    /// The library that was traced last, if the last command was a trace and left taint behind.
    traced: Option<u32>,
}

impl Child<'_> {
    /// Returns the nanoseconds it took.
    fn carry_out(&mut self, command: Command) -> Result<u64, Refusal> {
        const RUN: u32 = CommandKind::Run as u32;
        const TRACE: u32 = CommandKind::Trace as u32;
        const BATCH: u32 = CommandKind::Batch as u32;
        const BARE: u32 = CommandKind::Bare as u32;
        const REPEAT: u32 = CommandKind::Repeat as u32;
        const REPEAT_TRACE: u32 = CommandKind::RepeatTrace as u32;
        const COUNT: u32 = CommandKind::Count as u32;
        const COUNT_TRACE: u32 = CommandKind::CountTrace as u32;
        const CLIMB: u32 = CommandKind::Climb as u32;
        const SCORE: u32 = CommandKind::Score as u32;
        const MUTANTS: u32 = CommandKind::Mutants as u32;
        COMMAND.write(command);
        // SAFETY: the control block is mapped. A run, even one in an earlier process, may have overwritten the table.
        unsafe {
            (*control()).begun = command.number;
            (*control()).table = table::filled();
        }
        let request = Request::read(command, self.libraries, &mut self.pages)?;
        let traced = matches!(command.kind, TRACE | REPEAT_TRACE | COUNT_TRACE).then_some(command.library);
        if traced.is_some() && traced != self.traced {
            trace::set_tables(request.library.tables);
        }
        if core::mem::replace(&mut self.traced, traced).is_some() {
            trace::reset();
        }
        begin(&command);
        Ok(match command.kind {
            RUN => single::once(&request, Mode::Plain),
            TRACE => single::once(&request, Mode::Traced),
            BATCH => batch::run(&request),
            BARE => batch::run_bare(&request),
            REPEAT => single::repeat(&request, Mode::Plain),
            REPEAT_TRACE => single::repeat(&request, Mode::Traced),
            COUNT => single::count(&request, Mode::Plain),
            COUNT_TRACE => single::count(&request, Mode::Traced),
            CLIMB => target_search::climb(&request)?,
            SCORE => target_search::score(&request)?,
            MUTANTS => mutants::run(&request)?,
            _ => return Err(Refusal::Kind),
        })
    }
}

/// Clears what the last command left in the shared segment.
fn begin(command: &Command) {
    heap::set_limit(command.heap);
    heap::set_fenced(command.fenced == 1);
    sandbox::limit_memory(command.heap);
    effects::reset();
    let outcomes = command.outcome_count as usize;
    // SAFETY: the maps have room for all outcomes, which was checked; the control block is mapped.
    unsafe {
        (*control()).news = 0;
        (*control()).kept_count = 0;
        (*control()).iteration = command.first;
        (*control()).output_length = 0;
        if command.clear == 1 {
            coverage().write_bytes(0, outcomes);
            core::slice::from_raw_parts_mut(distances(), outcomes).fill(DISTANCE_NONE);
        }
    }
}
