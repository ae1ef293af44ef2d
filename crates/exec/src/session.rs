//! A session: a worker with the builds of one subject, and runs of cases in it.

mod behind;
mod examine;
mod give;
mod measure;
mod mutants;
mod sample;
mod target_search;

pub use sample::Sample;
pub use target_search::{SearchEnd, SearchLimits, SearchTarget};

use self::give::Library;
use crate::ExecError;
use crate::effect;
use crate::fault;
use crate::image::{Image, ImageLeaf, Part};
use crate::trace::Trace;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::time::Duration;
use testwright_abi::command::{BEHIND_RESULT, Command, CommandKind, Kept, Span, status as exit};
use testwright_abi::control::{End as RawEnd, EndKind};
use testwright_abi::draw::Draw;
use testwright_abi::memory::DISTANCE_NONE;
use testwright_base::build::Build;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::contract::Contract;
use testwright_base::effect::Effects;
use testwright_base::ids::{FunctionId, GlobalId, OutcomeId, SiteId, StubId, TypeId};
use testwright_base::run::{End, Run, Seen};
use testwright_base::site::CheckKind;
use testwright_base::subject::Subject;
use testwright_process::{Answer, Request, Status, Worker};

/// What a run may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// Loop iterations and entries of recursive functions.
    pub steps: u64,
    /// Wall clock time of one run or batch.
    pub wall: Duration,
    /// Heap bytes.
    pub heap: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { steps: 10_000_000, wall: Duration::from_secs(10), heap: 256 << 20 }
    }
}

/// How well the worker is shut in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sandbox {
    /// Version of landlock in force; none if the kernel has none.
    pub landlock: Option<u32>,
    /// Whether system calls are filtered.
    pub seccomp: bool,
}

/// A worker with the builds of one subject.
#[derive(Debug)]
pub struct Session {
    subject: Subject,
    worker: Worker,
    /// What the worker is started from, should it be lost; the libraries may have been removed by then.
    program: PathBuf,
    libraries: Vec<Library>,
    readable: Vec<PathBuf>,
    sandbox: Sandbox,
    /// How many commands in a row came to nothing.
    failures: u32,
    builds: Vec<Build>,
    /// What every run may use.
    pub limits: Limits,
    /// The only folder the code may write to; removed with the session.
    scratch: testwright_scratch::Folder,
    /// How many outcomes the subject's own code has: counting them goes through all sites, and every run asks.
    own_outcomes: usize,
}

/// A case on its way to the worker.
struct Plan {
    image: Image,
    leaves: Vec<ImageLeaf>,
    draws: Vec<Draw>,
    looked_at: Vec<GlobalId>,
    /// The type of what the result points to, if that is looked at.
    behind: Option<TypeId>,
    command: Command,
}

/// The globals that a case sets, and their bytes.
fn writes(image: &Image) -> Vec<(u32, &[u8])> {
    image.globals.iter().map(|(global, bytes)| (global.0, bytes.as_slice())).collect()
}

/// These globals, and how many bytes their types have.
/// What is to be seen: the globals, and after them what the result points to.
fn reads(subject: &Subject, plan: &Plan) -> Vec<(u32, u32)> {
    let length = |global: &GlobalId| {
        let ty = subject.globals[global.index()].ty;
        ty.map_or(0, |ty| u32::try_from(subject.types.get(ty).size).unwrap_or(0))
    };
    let behind = plan.behind.map(|_| (BEHIND_RESULT, behind::ROOM));
    plan.looked_at.iter().map(|global| (global.0, length(global))).chain(behind).collect()
}

/// What a batch of random runs brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Batch {
    /// Iterations that brought news or a new kind of end.
    pub kept: Vec<Kept>,
    /// The first iteration that was not run.
    pub next: u64,
    /// How the iteration before that ended, if it took its process with it.
    pub died: Option<End>,
    /// Time spent in the worker, where it can be known.
    pub time: Option<Duration>,
}

impl Session {
    /// Starts a worker that has loaded these libraries. The code may read the subject's files, and those of `readable`.
    ///
    /// # Errors
    /// If the worker cannot be started or a library cannot be loaded.
    pub fn start(
        subject: Subject,
        libraries: &[(Build, PathBuf)],
        worker_program: &Path,
        readable: &[PathBuf],
    ) -> Result<Session, ExecError> {
        if !worker_program.is_file() {
            return Err(ExecError::NoWorker(worker_program.to_owned()));
        }
        let scratch = give::folder()?;
        let paths: Vec<PathBuf> = libraries.iter().map(|(_, path)| path.clone()).collect();
        let sources = subject.files.iter().map(Path::new).chain(readable.iter().map(AsRef::as_ref));
        let readable: Vec<PathBuf> = sources.filter_map(|path| std::fs::canonicalize(path).ok()).collect();
        let worker = give::spawn(worker_program, &paths, &readable, scratch.path())?;
        let libraries_kept = paths.iter().map(|path| Library::open(path)).collect::<Result<_, _>>()?;
        // Before the first run, what stands there is what the worker wrote.
        let status = worker.segment().status();
        let landlock = (status.landlock_abi > 0).then_some(status.landlock_abi);
        let sandbox = Sandbox { landlock, seccomp: status.seccomp != 0 };
        Ok(Session {
            own_outcomes: subject.own_outcome_count() as usize,
            subject,
            worker,
            program: worker_program.to_owned(),
            libraries: libraries_kept,
            readable,
            failures: 0,
            builds: libraries.iter().map(|(build, _)| *build).collect(),
            sandbox,
            limits: Limits::default(),
            scratch,
        })
    }

    /// The subject.
    #[must_use]
    pub fn subject(&self) -> &Subject {
        &self.subject
    }

    /// The session of a subject whose functions have these contracts. They are stated before anybody looks at the subject, which
    /// never changes.
    #[must_use]
    pub fn with_contracts(mut self, contracts: impl IntoIterator<Item = (FunctionId, Contract)>) -> Session {
        for (function, contract) in contracts {
            self.subject.functions[function.index()].contract = contract;
        }
        self
    }

    /// How well the worker is shut in.
    #[must_use]
    pub fn sandbox(&self) -> Sandbox {
        self.sandbox
    }

    /// Process id of the fork server, for tests that look for leaks.
    #[must_use]
    pub fn process(&self) -> u32 {
        self.worker.id()
    }

    /// Runs a case in a build.
    ///
    /// # Errors
    /// If the case cannot be laid out or the worker fails.
    pub fn run(&mut self, case: &Case, build: Build) -> Result<Run, ExecError> {
        let mut plan = self.lay_out(case, build, CommandKind::Run)?;
        let answer = self.send(&mut plan)?;
        self.read_run(case, &plan.image, answer)
    }

    /// As [`Session::run`], with a look at these globals before and after the call, and at what the result points to. They must have types.
    ///
    /// # Errors
    /// As [`Session::run`].
    pub fn run_looking_at(
        &mut self,
        case: &Case,
        build: Build,
        globals: &[GlobalId],
    ) -> Result<Run, ExecError> {
        let mut plan = self.lay_out(case, build, CommandKind::Run)?;
        plan.looked_at = globals.to_vec();
        plan.behind = behind::pointee(&self.subject, case);
        let answer = self.send(&mut plan)?;
        let mut run = self.read_run(case, &plan.image, answer)?;
        if run.end == End::Returned {
            (run.globals, run.behind) = self.seen(&plan);
        }
        Ok(run)
    }

    /// Runs a case in the trace build, with every scalar of it symbolic.
    ///
    /// # Errors
    /// If the case cannot be laid out, the worker fails, or the record makes no sense.
    pub fn trace(&mut self, case: &Case) -> Result<Trace, ExecError> {
        let mut plan = self.lay_out(case, Build::Trace, CommandKind::Trace)?;
        let answer = self.send(&mut plan)?;
        self.read_trace(case, plan, answer)
    }

    /// As [`Session::trace`], with the scalars of these globals symbolic too, at the values they start with.
    ///
    /// # Errors
    /// As [`Session::trace`].
    pub fn trace_with_globals(&mut self, case: &Case, globals: &[GlobalId]) -> Result<Trace, ExecError> {
        let mut plan = self.lay_out(case, Build::Trace, CommandKind::Trace)?;
        for global in globals {
            plan.leaves.extend(ImageLeaf::of_global(&self.subject, *global));
        }
        let answer = self.send(&mut plan)?;
        self.read_trace(case, plan, answer)
    }

    /// The values that these globals start with, for those that a case can set: no pointer of theirs leads anywhere.
    ///
    /// # Errors
    /// As [`Session::trace`].
    pub fn initial_values(
        &mut self,
        case: &Case,
        globals: &[GlobalId],
    ) -> Result<Vec<(GlobalId, Value)>, ExecError> {
        let image = Image::lay_out(&self.subject, case)?;
        let before = image.leaves(&self.subject, case).len();
        let values = self.trace_with_globals(case, globals)?.exprs.recorded_inputs();
        let mut values = values.get(before..).unwrap_or_default();
        let mut initial = Vec::new();
        for global in globals {
            let leaves = ImageLeaf::of_global(&self.subject, *global);
            let (own, rest) = values.split_at(leaves.len().min(values.len()));
            values = rest;
            initial.extend(
                image.global_value(&self.subject, *global, &leaves, own).map(|value| (*global, value)),
            );
        }
        Ok(initial)
    }

    /// Runs the case `count` times with its scalars drawn at random, from iteration `first` on.
    ///
    /// # Errors
    /// If the case cannot be laid out or the worker fails.
    pub fn batch(&mut self, case: &Case, build: Build, draws: Draws) -> Result<Batch, ExecError> {
        let kind = if build == Build::Bare { CommandKind::Bare } else { CommandKind::Batch };
        let plan = self.lay_out(case, build, kind)?;
        self.finish_batch(plan, draws)
    }

    fn finish_batch(&mut self, mut plan: Plan, draws: Draws) -> Result<Batch, ExecError> {
        plan.command.seed = draws.seed;
        plan.command.first = draws.first;
        plan.command.count = draws.count;
        plan.command.clear = u32::from(draws.clear);
        let answer = self.send(&mut plan)?;
        let after_last = draws.first.saturating_add(draws.count);
        let status = self.worker.segment().status();
        // A run that overwrites the iteration must not let the batch stand still, or end before its time.
        let begun = status.iteration.clamp(draws.first, after_last);
        let mut kept = self.worker.segment().kept();
        kept.retain(|kept| (draws.first..after_last).contains(&kept.iteration));
        let (died, time, next) = match answer {
            Answer::Done { time } => (None, Some(time), begun),
            _ => {
                (Some(self.end(answer, &plan.image, &status)), None, begun.saturating_add(1).min(after_last))
            }
        };
        if died == Some(End::Damaged) {
            kept.clear();
        }
        Ok(Batch { kept, next, died, time })
    }

    /// Outcomes hit by the last run, or by all runs of batches since outcomes were last forgotten.
    #[must_use]
    pub fn hit(&self) -> Vec<OutcomeId> {
        let marks = self.worker.segment().coverage(self.own_outcomes);
        (0..marks.len()).filter(|index| marks[*index] != 0).map(OutcomeId::of).collect()
    }

    /// How often the last run called each stub.
    #[must_use]
    pub fn stub_calls(&self) -> Vec<u64> {
        self.worker.segment().stub_calls(self.subject.stubs.len())
    }

    fn lay_out(&self, case: &Case, build: Build, kind: CommandKind) -> Result<Plan, ExecError> {
        let (function, _) = case.call().ok_or(ExecError::NoCall)?;
        if let Some(reason) = &self.subject.function(function).uncallable {
            let function = self.subject.function(function).name.clone();
            return Err(ExecError::Uncallable { function, reason: reason.clone() });
        }
        let library =
            self.builds.iter().position(|loaded| *loaded == build).ok_or(ExecError::NotLoaded(build))?;
        let image = Image::lay_out(&self.subject, case)?;
        let leaves = match kind {
            CommandKind::Trace | CommandKind::RepeatTrace | CommandKind::CountTrace => {
                image.leaves(&self.subject, case)
            }
            _ => Vec::new(),
        };
        let draws = match kind {
            CommandKind::Batch | CommandKind::Bare => image.draws(&self.subject, case),
            _ => Vec::new(),
        };
        let command = Command {
            kind: kind as u32,
            library: library as u32,
            entry: function.0,
            clear: 1,
            arguments: image.arguments,
            result: image.result,
            steps: i64::try_from(self.limits.steps).unwrap_or(i64::MAX),
            heap: self.limits.heap,
            outcome_count: self.subject.outcome_count,
            ..Command::default()
        };
        Ok(Plan { image, leaves, draws, looked_at: Vec::new(), behind: None, command })
    }

    fn read_run(&self, case: &Case, image: &Image, answer: Answer) -> Result<Run, ExecError> {
        let segment = self.worker.segment();
        let status = segment.status();
        let end = self.end(answer, image, &status);
        if end == End::Damaged {
            return Ok(damaged(case));
        }
        let (mut result, mut objects) = (None, vec![None; case.statements.len()]);
        let freed = self.freed(image);
        if end == End::Returned {
            result = self.read_result(case, image)?;
            for (index, statement) in case.statements.iter().enumerate() {
                if let (Statement::Object { element, values }, false) = (statement, freed.contains(&index)) {
                    objects[index] = Some(self.read_object(image, index, *element, values)?);
                }
            }
        }
        let outcomes = self.hit();
        let marks = segment.coverage(self.own_outcomes);
        let distances = segment
            .distances(self.own_outcomes)
            .into_iter()
            .zip(marks)
            .enumerate()
            .filter(|(_, (distance, mark))| *distance != DISTANCE_NONE && *mark == 0)
            .map(|(index, (distance, _))| (OutcomeId::of(index), distance))
            .collect();
        let output = self.worker.output(1 << 20).unwrap_or_default();
        let steps = self.limits.steps.saturating_sub(u64::try_from(status.steps_left).unwrap_or(0));
        let stub_calls = self.stub_calls();
        let calls = stub_calls.iter().fold(0u64, |sum, calls| sum.saturating_add(*calls));
        let stub_order: Vec<StubId> = segment
            .stub_order(usize::try_from(calls).unwrap_or(usize::MAX))
            .into_iter()
            .map(|stub| StubId(u32::from(stub)))
            .collect();
        if stub_order.iter().any(|stub| stub.index() >= stub_calls.len()) {
            return Ok(damaged(case));
        }
        let heap_peak = status.heap_peak;
        let globals = Vec::new();
        Ok(Run {
            end,
            result,
            objects,
            outcomes,
            distances,
            output,
            steps,
            heap_peak,
            stub_calls,
            stub_order,
            freed,
            used_after_free: self.is_in_freed(image, end),
            globals,
            behind: None,
            effects: effect::of_run(status.effects, end),
        })
    }

    /// Whether a run ended at an object that it had freed: its pages cannot be accessed then.
    fn is_in_freed(&self, image: &Image, end: End) -> bool {
        let End::Signal { address, .. } = end else { return false };
        let marks = self.worker.segment().freed(image.parts.len());
        let within = |span: &Span| address.checked_sub(span.address).is_some_and(|at| at < span.length);
        image.spans.iter().zip(marks).any(|(span, mark)| mark != 0 && within(span))
    }

    /// The statements whose objects the last run freed.
    fn freed(&self, image: &Image) -> Vec<usize> {
        let marks = self.worker.segment().freed(image.parts.len());
        let parts = image.parts.iter().zip(marks).filter(|(_, mark)| *mark != 0);
        parts
            .filter_map(|(part, _)| match part {
                Part::Object(statement) => Some(*statement),
                _ => None,
            })
            .collect()
    }

    fn seen(&self, plan: &Plan) -> (Vec<Seen>, Option<Value>) {
        let (globals, reads) = (writes(&plan.image), reads(&self.subject, plan));
        let request = Request { globals: &globals, reads: &reads, ..Request::default() };
        let types = &self.subject.types;
        let read = |(global, (before, after)): (&GlobalId, (Vec<u8>, Vec<u8>))| {
            let ty = self.subject.globals[global.index()].ty?;
            let before = plan.image.read_value(types, ty, &before);
            let after = plan.image.read_again(types, ty, &after, &before);
            Some(Seen { global: *global, before, after })
        };
        let mut bytes = self.worker.segment().seen(&request);
        let behind = plan.behind.and_then(|pointee| {
            let (_, after) = bytes.pop()?;
            behind::value(types, &plan.image, pointee, &after)
        });
        (plan.looked_at.iter().zip(bytes).filter_map(read).collect(), behind)
    }

    fn read_trace(&self, case: &Case, plan: Plan, answer: Answer) -> Result<Trace, ExecError> {
        let run = self.read_run(case, &plan.image, answer)?;
        let Plan { image, leaves, .. } = plan;
        if run.end == End::Damaged {
            return Ok(Trace::damaged(run, image, leaves));
        }
        Ok(Trace::read(self.worker.segment(), &self.subject, run, image, leaves))
    }

    fn read_result(&self, case: &Case, image: &Image) -> Result<Option<Value>, ExecError> {
        let signature =
            case.call().and_then(|(function, _)| self.subject.function(function).signature.as_ref());
        let Some(ty) = signature.map(|signature| signature.result) else { return Ok(None) };
        if image.result == 0 {
            return Ok(None);
        }
        let size = self.subject.types.get(ty).size as usize;
        let bytes = self.worker.segment().input(image.result, size)?;
        Ok(Some(image.read_value(&self.subject.types, ty, &bytes)))
    }

    fn read_object(
        &self,
        image: &Image,
        statement: usize,
        element: TypeId,
        before: &[Value],
    ) -> Result<Value, ExecError> {
        let types = &self.subject.types;
        let size = types.get(element).size as usize;
        let Some(span) = image.object(statement) else { return Ok(Value::Array(Vec::new())) };
        let bytes = self.worker.segment().input(span.address, span.length as usize)?;
        let elements = before.iter().zip(bytes.chunks_exact(size.max(1)));
        Ok(Value::Array(elements.map(|(old, bytes)| image.read_again(types, element, bytes, old)).collect()))
    }

    fn end(&self, answer: Answer, image: &Image, status: &Status) -> End {
        // The code under test can write there, so what it says is believed only where there is a call before.
        let was_before = !image.steps.is_empty() && status.preparing == 1;
        match answer {
            Answer::TimedOut | Answer::Died { .. } if was_before => End::Before,
            Answer::TimedOut => End::Timeout,
            Answer::Damaged => End::Damaged,
            Answer::Died { status: exit } => match (exit.code(), exit.signal()) {
                (Some(exit::RECORDED), _) if status.end_kind() != EndKind::None => self.end_of(&status.end),
                (Some(exit::RECORDED | exit::INTERNAL | exit::FAILED | exit::CLOSED), _) => End::Damaged,
                // It went round our `exit`, and round our handlers.
                (Some(code), _) => End::Exit(code),
                (None, signal) => End::Signal { signal: signal.unwrap_or(0), address: 0, site: None },
            },
            Answer::Done { .. } if status.end_kind() == EndKind::None => End::Damaged,
            Answer::Done { .. } => self.end_of(&status.end),
        }
    }

    /// An end as the worker recorded it.
    #[must_use]
    pub fn end_of(&self, end: &RawEnd) -> End {
        let site = ((end.site as usize) < self.subject.sites.len()).then_some(SiteId(end.site));
        let Some(kind) = EndKind::from_number(end.kind) else { return End::Damaged };
        match kind {
            EndKind::None | EndKind::Returned => End::Returned,
            EndKind::Trap => End::Trap { kind: CheckKind(end.code as u32), site },
            EndKind::Signal => End::Signal { signal: end.code, address: fault::meant(end.address), site },
            EndKind::Exit => End::Exit(end.code),
            EndKind::Abort => End::Abort,
            EndKind::StackOverflow => End::StackOverflow,
            EndKind::StepLimit => End::StepLimit,
            EndKind::OutOfMemory => End::OutOfMemory,
            EndKind::BadFree => End::BadFree,
            EndKind::Outside => End::Outside,
            EndKind::Before => End::Before,
        }
    }
}

/// Which random draws a batch makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Draws {
    /// The seed; seed and iteration determine everything.
    pub seed: u64,
    /// First iteration.
    pub first: u64,
    /// How many.
    pub count: u64,
    /// Whether to forget outcomes and distances of earlier runs first.
    pub clear: bool,
}

/// What is known of a run that left only damage.
fn damaged(case: &Case) -> Run {
    Run {
        end: End::Damaged,
        result: None,
        objects: vec![None; case.statements.len()],
        outcomes: Vec::new(),
        distances: Vec::new(),
        output: Vec::new(),
        steps: 0,
        heap_peak: 0,
        stub_calls: Vec::new(),
        stub_order: Vec::new(),
        freed: Vec::new(),
        used_after_free: false,
        globals: Vec::new(),
        behind: None,
        effects: Effects::default(),
    }
}
