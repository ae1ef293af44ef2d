//! The process that carries out commands.

use core::sync::atomic::{Ordering, fence};

use testwright_abi::command::{Command, CommandKind, Refusal, Reply, ReplyKind, status};
use testwright_abi::memory::DISTANCE_NONE;

use crate::library::Library;
use crate::native::{self, Files};
use crate::replacements::heap;
use crate::request::Request;
use crate::shared::{control, coverage, distances};
use crate::single::{self, Mode};
use crate::space::InputPages;
use crate::{batch, hunt, trace};

/// Reads commands and answers them until the pipe is closed.
pub fn serve(libraries: &[Library], files: Files) -> ! {
    let mut child = Child { libraries, pages: InputPages::default(), traced: None };
    while let Some(command) = next_command(files) {
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
        if !answer(files, reply) {
            break;
        }
    }
    // Nothing of ours is to be flushed, and handlers of the code under test must not run.
    // SAFETY: `_exit` has no precondition.
    unsafe { libc::_exit(status::CLOSED) }
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
        const CLIMB: u32 = CommandKind::Climb as u32;
        const SCORE: u32 = CommandKind::Score as u32;
        let request = Request::read(command, self.libraries, &mut self.pages)?;
        let traced = matches!(command.kind, TRACE | REPEAT_TRACE).then_some(command.library);
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
            CLIMB => hunt::climb(&request)?,
            SCORE => hunt::score(&request)?,
            _ => return Err(Refusal::Kind),
        })
    }
}

/// Clears what the last command left in the shared segment.
fn begin(command: &Command) {
    heap::set_limit(command.heap);
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

/// Waits for a command and begins it. `None` when the pipe is closed.
fn next_command(files: Files) -> Option<Command> {
    let control = control();
    loop {
        // SAFETY: the control block is mapped, and a command consists of numbers. The host writes the number last,
        // and writes no other command before this one is answered.
        unsafe {
            let number = (&raw const (*control).request.number).read_volatile();
            if number > (*control).command {
                fence(Ordering::Acquire);
                (*control).running = 0;
                (*control).command = number;
                return Some((&raw const (*control).request).read_volatile());
            }
        }
        if !native::read_exactly(files.commands, &mut [0]) {
            return None;
        }
    }
}

/// Writes a reply; false when nobody reads it.
pub fn answer(files: Files, reply: Reply) -> bool {
    // SAFETY: a reply has no padding.
    let bytes = unsafe { core::mem::transmute::<Reply, [u8; size_of::<Reply>()]>(reply) };
    native::write_exactly(files.replies, &bytes)
}
