//! The wiring: from what the user named to code that is loaded and can be run.

use crate::failure::Failure;
use crate::request::Target;
use std::cell::OnceCell;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs, thread};
use testwright_base::build::Build;
use testwright_base::case::Case;
use testwright_base::ids::{FunctionId, OutcomeId, TypeId};
use testwright_base::json::parse_case;
use testwright_base::nearest;
use testwright_base::run::{End, Run};
use testwright_base::subject::Subject;
use testwright_code::cache::{Cache, Entry};
use testwright_code::frontend::{Condition, Fitting, Sources};
use testwright_code::path_conditions::influence::Influence;
use testwright_code::{Behaviours, Object, Prepared, frontend, path_conditions};
use testwright_exec::{Session, library};
use testwright_search::sbst::Targets;

/// Where the subject's description lies in a cache entry.
const SUBJECT: &str = "subject.json";

/// The sources that a target means.
pub fn sources(target: &Target) -> Result<Sources, Failure> {
    Ok(Sources { alone: target.alone, ..frontend().resolve(&target.targets, &target.flags)? })
}

/// Target to sources to bitcode to subject to builds to a worker that has loaded them.
pub fn load(target: &Target, builds: &[Build]) -> Result<Session, Failure> {
    load_stating(target, builds, &Stated::NOTHING)
}

/// The files of a target that a session has nothing of, because another file defines the same.
pub fn rivals(target: &Target, session: &Session) -> Result<Vec<String>, Failure> {
    let files = sources(target)?.files();
    Ok(files.into_iter().filter(|file| !session.subject().files.contains(file)).collect())
}

/// What is stated about the callers of functions and about stubs, besides the code itself.
pub struct Stated<'a> {
    /// What tells it from other statements, for the cache.
    pub identity: String,
    /// The conditions that hold whenever functions are called.
    pub conditions: &'a dyn Fn(&Subject) -> Result<Vec<Condition>, Failure>,
    /// What stubs do.
    pub behaviours: &'a dyn Fn(&Subject) -> Result<Behaviours, Failure>,
}

impl Stated<'static> {
    /// Nothing is stated, and what the code states is not heeded.
    pub const NOTHING: Stated<'static> = Stated {
        identity: String::new(),
        conditions: &|_| Ok(Vec::new()),
        behaviours: &|_| Ok(Behaviours::new()),
    };
}

/// As [`load`], with conditions that end a run before a function is called if they do not hold.
pub fn load_stating(target: &Target, builds: &[Build], stated: &Stated<'_>) -> Result<Session, Failure> {
    let sources = sources(target)?;
    load_resolved(&sources, builds, stated, &target.allow_read)
}

/// As [`load`], for sources that are resolved.
pub fn load_sources(sources: &Sources, builds: &[Build]) -> Result<Session, Failure> {
    load_resolved(sources, builds, &Stated::NOTHING, &[])
}

fn load_resolved(
    sources: &Sources,
    builds: &[Build],
    stated: &Stated<'_>,
    readable: &[PathBuf],
) -> Result<Session, Failure> {
    let cache = Cache::open()?;
    let names: Vec<&str> = builds.iter().map(|build| build.name()).collect();
    let program = program_identity();
    let options = [&[testwright_code::IDENTITY, &program, &stated.identity], names.as_slice()].concat();
    let key = frontend().key(sources, &options)?;
    // Whatever is wrong with what was kept, building it again either helps or says what is wrong.
    if let Some(session) = cache.entry(&key).and_then(|entry| start_entry(&entry, builds, readable).ok()) {
        return Ok(session);
    }
    let (dependencies, prepared) = until_prepared_with(sources, stated)?;
    let (subject, libraries) = until_linked(&prepared, builds)?;
    let description = serde_json::to_vec(&subject).map_err(|error| Failure::bug(error.to_string()))?;
    let names: Vec<String> = builds.iter().map(|build| library_name(*build)).collect();
    let mut blobs: Vec<(&str, &[u8])> = vec![(SUBJECT, &description)];
    blobs.extend(names.iter().zip(&libraries).map(|(name, bytes)| (name.as_str(), bytes.as_slice())));
    // A cache that cannot be written costs time only. What was stored may be replaced by another process at once, so
    // this one uses its own.
    let _ = cache.store(&key, &dependencies, &blobs);
    start_linked(subject, builds, &libraries, readable)
}

/// Code that is loaded for a search over inputs.
pub struct Searchable {
    /// Runs the cases.
    pub session: Session,
    /// The path conditions of its branches, if they were asked for.
    pub analysis: Option<path_conditions::Analysis>,
}

/// As [`load_sources`], always built anew; with the fitness build of some functions if there are settings for it.
pub fn load_for_search(
    sources: &Sources,
    builds: &[Build],
    settings: Option<&path_conditions::Settings>,
    stated: &Stated<'_>,
    functions: impl Fn(&Subject) -> Result<Vec<FunctionId>, Failure>,
) -> Result<Searchable, Failure> {
    let (_, prepared) = until_prepared_with(sources, stated)?;
    let functions = functions(&prepared.subject)?;
    let (subject, mut libraries) = until_linked(&prepared, builds)?;
    let mut builds = builds.to_vec();
    let mut analysis = None;
    if let Some(settings) = settings {
        let targets = functions.iter().map(|function| Targets::new(&subject, *function));
        let scope = targets.flat_map(|targets| targets.scope().clone()).collect();
        let (object, found) = testwright_code::fitness_object(&prepared, &scope, settings)?;
        let folder = testwright_scratch::folder()?;
        libraries.push(fs::read(library::link(&object.bytes, folder.path(), Build::Fitness.name())?)?);
        builds.push(Build::Fitness);
        analysis = Some(found);
    }
    Ok(Searchable { session: start_linked(subject, &builds, &libraries, &[])?, analysis })
}

/// What is found out about functions before their inputs are searched, when somebody asks.
pub struct Analyst<'a> {
    sources: Sources,
    readable: &'a [PathBuf],
    stated: &'a Stated<'a>,
    prepared: OnceCell<Prepared>,
}

impl<'a> Analyst<'a> {
    /// For the functions of a target.
    pub fn new(target: &'a Target, stated: &'a Stated<'a>) -> Result<Analyst<'a>, Failure> {
        let sources = sources(target)?;
        Ok(Analyst { sources, readable: &target.allow_read, stated, prepared: OnceCell::new() })
    }

    fn prepared(&self) -> Result<&Prepared, Failure> {
        if let Some(prepared) = self.prepared.get() {
            return Ok(prepared);
        }
        let (_, prepared) = until_prepared_with(&self.sources, self.stated)?;
        Ok(self.prepared.get_or_init(|| prepared))
    }

    /// What can influence the branches of a function.
    pub fn influences(&self, function: FunctionId) -> Result<BTreeMap<OutcomeId, Influence>, Failure> {
        Ok(path_conditions::influence::influences(self.prepared()?, function)?)
    }

    /// The outcomes that a call of a function may come to; none if that cannot be told.
    pub fn reachable(&self, function: FunctionId) -> Result<Option<BTreeSet<OutcomeId>>, Failure> {
        Ok(testwright_code::reachable_outcomes(self.prepared()?, function)?)
    }

    /// The path conditions of these functions, and a worker with the build that evaluates them.
    pub fn path_conditions(
        &self,
        subject: &Subject,
        scope: &BTreeSet<FunctionId>,
        settings: &path_conditions::Settings,
    ) -> Result<(path_conditions::Analysis, Session), Failure> {
        let (object, analysis) = testwright_code::fitness_object(self.prepared()?, scope, settings)?;
        let folder = testwright_scratch::folder()?;
        let library = fs::read(library::link(&object.bytes, folder.path(), Build::Fitness.name())?)?;
        Ok((analysis, start_linked(subject.clone(), &[Build::Fitness], &[library], self.readable)?))
    }
}

/// A worker with what the cache kept.
fn start_entry(entry: &Entry, builds: &[Build], readable: &[PathBuf]) -> Result<Session, Failure> {
    let subject: Subject = serde_json::from_slice(&fs::read(entry.path(SUBJECT))?)
        .map_err(|error| Failure::bug(format!("the cache is damaged: {error}")))?;
    let libraries: Vec<(Build, PathBuf)> =
        builds.iter().map(|build| (*build, entry.path(&library_name(*build)))).collect();
    Ok(Session::start(subject, &libraries, &worker_program()?, readable)?)
}

/// As [`load_sources`], but always built anew and never kept.
pub fn load_uncached(sources: &Sources, builds: &[Build]) -> Result<Session, Failure> {
    let (_, prepared) = until_prepared_with(sources, &Stated::NOTHING)?;
    start(&prepared, builds)
}

/// The code as it is in production: no checks, no instrumentation, the compiler's builtins.
pub fn load_native(sources: &Sources) -> Result<Session, Failure> {
    let bitcode = frontend().compile_natively(sources)?;
    let prepared = testwright_code::prepare(frontend(), &bitcode, &sources.files())?;
    start(&prepared, &[Build::Bare])
}

fn start(prepared: &Prepared, builds: &[Build]) -> Result<Session, Failure> {
    let (subject, libraries) = until_linked(prepared, builds)?;
    start_linked(subject, builds, &libraries, &[])
}

fn start_linked(
    subject: Subject,
    builds: &[Build],
    libraries: &[Vec<u8>],
    readable: &[PathBuf],
) -> Result<Session, Failure> {
    let folder = testwright_scratch::folder()?;
    let mut paths = Vec::new();
    for (build, bytes) in builds.iter().zip(libraries) {
        let path = folder.path().join(library_name(*build));
        fs::write(&path, bytes)?;
        paths.push((*build, path));
    }
    // The worker has opened the libraries when it is ready, so the folder may go.
    Ok(Session::start(subject, &paths, &worker_program()?, readable)?)
}

/// Target to sources to bitcode to subject.
pub fn until_prepared(target: &Target) -> Result<Prepared, Failure> {
    let sources = sources(target)?;
    Ok(until_prepared_with(&sources, &Stated::NOTHING)?.1)
}

fn until_prepared_with(sources: &Sources, stated: &Stated<'_>) -> Result<(Vec<PathBuf>, Prepared), Failure> {
    let frontend = frontend();
    let Fitting { sources, mut bitcode, elsewhere, left_out } = frontend.compile(sources)?;
    let files = sources.files();
    let mut prepared = testwright_code::prepare(frontend, &bitcode, &files)?;
    prepared.subject.elsewhere.clone_from(&elsewhere);
    prepared.subject.left_out.clone_from(&left_out);
    let conditions = (stated.conditions)(&prepared.subject)?;
    let behaviours = (stated.behaviours)(&prepared.subject)?;
    let handles = frontend.handles(&sources, &prepared.subject)?;
    let dependencies = std::mem::take(&mut bitcode.dependencies);
    if conditions.is_empty() && behaviours.is_empty() && handles.is_empty() {
        return Ok((dependencies, prepared));
    }
    if !conditions.is_empty() || !handles.is_empty() {
        bitcode = frontend.compile_stating(&sources, &prepared.subject, &conditions, &handles)?;
    }
    let mut prepared = testwright_code::prepare_with(frontend, &bitcode, &files, &handles, &behaviours)?;
    prepared.subject.elsewhere = elsewhere;
    prepared.subject.left_out = left_out;
    Ok((dependencies, prepared))
}

/// Subject to linked libraries, all builds at the same time.
fn until_linked(prepared: &Prepared, builds: &[Build]) -> Result<(Subject, Vec<Vec<u8>>), Failure> {
    let folder = testwright_scratch::folder()?;
    let make = |build: Build| -> Result<(Object, Vec<u8>), Failure> {
        let object = testwright_code::object(prepared, build)?;
        let path = library::link(&object.bytes, folder.path(), build.name())?;
        Ok((object, fs::read(path)?))
    };
    let results: Vec<Result<(Object, Vec<u8>), Failure>> = thread::scope(|scope| {
        let handles: Vec<_> = builds.iter().map(|build| scope.spawn(|| make(*build))).collect();
        handles
            .into_iter()
            .map(|handle| handle.join().unwrap_or_else(|_| Err(Failure::bug("compiling a build failed"))))
            .collect()
    });
    let mut subject = prepared.subject.clone();
    let mut libraries = Vec::new();
    for (build, result) in builds.iter().zip(results) {
        let (object, library) = result?;
        // The trace build adds what it calls natively and what it cannot express.
        if *build == Build::Trace {
            let mutants = std::mem::take(&mut subject.mutants);
            subject = Subject { mutants, ..object.subject };
        } else if *build == Build::Mutants {
            subject.mutants = object.subject.mutants;
        }
        libraries.push(library);
    }
    Ok((subject, libraries))
}

fn library_name(build: Build) -> String {
    format!("{}.so", build.name())
}

/// The worker lies beside this program.
pub fn worker_program() -> Result<PathBuf, Failure> {
    const NAME: &str = "testwright-worker";
    if let Some(path) = env::var_os("TESTWRIGHT_WORKER") {
        return Ok(path.into());
    }
    let here = env::current_exe()?;
    let beside = here.parent().unwrap_or(Path::new(".")).join(NAME);
    if beside.is_file() {
        return Ok(beside);
    }
    // Test programs lie one folder deeper.
    let above = here.parent().and_then(Path::parent).map(|folder| folder.join(NAME));
    Ok(above.filter(|path| path.is_file()).unwrap_or(beside))
}

/// What tells this program from the next one that is built from changed source.
fn program_identity() -> String {
    let data = env::current_exe().and_then(fs::metadata);
    let changed = data.and_then(|data| Ok((data.len(), data.modified()?)));
    format!("{changed:?}")
}

/// The function of this name, or a message with what may have been meant.
pub fn function(subject: &Subject, name: &str) -> Result<FunctionId, Failure> {
    if let Some(id) = subject.function_named(name) {
        return Ok(id);
    }
    let names: Vec<&str> = subject
        .functions
        .iter()
        .filter(|function| function.is_named())
        .map(|function| function.name.as_str())
        .collect();
    let hint = match nearest::nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None if names.is_empty() => "it defines no function".to_owned(),
        None => format!("it defines {}", first_of(&names)),
    };
    Err(Failure::usage(format!("there is no function `{name}` in {}; {hint}", subject.files.join(", "))))
}

/// The names, or the first of them if they are many.
pub fn first_of(names: &[&str]) -> String {
    const MOST: usize = 12;
    match names.len().checked_sub(MOST) {
        None | Some(0) => names.join(", "),
        Some(more) => format!("{} and {more} more", names[..MOST].join(", ")),
    }
}

/// The case that the text of `--case` stands for.
pub fn case(subject: &Subject, function: FunctionId, text: &str) -> Result<Case, Failure> {
    let info = subject.function(function);
    if let Some(reason) = &info.uncallable {
        return Err(Failure::usage(format!("`{}` cannot be called: {reason}", info.name)));
    }
    parse_case(subject, function, text).map_err(|error| {
        // What is wrong with the case as a whole needs no place.
        let problem = if error.place == "the case" { error.problem } else { error.to_string() };
        Failure::usage(format!("the case does not fit `{}`: {problem}", declaration(subject, function)))
    })
}

/// `int triangle(int a, int b, int c)`
fn declaration(subject: &Subject, function: FunctionId) -> String {
    let info = subject.function(function);
    let Some(signature) = &info.signature else { return info.name.clone() };
    let typed = |ty: TypeId, name: &str| {
        let spelled = subject.types.spell(ty);
        format!("{spelled}{}{name}", if spelled.ends_with('*') { "" } else { " " })
    };
    let declared = signature.declared(&subject.types).iter();
    let mut params: Vec<String> = declared.map(|param| typed(param.ty, &param.name)).collect();
    if signature.variadic {
        params.push("...".to_owned());
    }
    let params = if params.is_empty() { "void".to_owned() } else { params.join(", ") };
    format!("{}({params})", typed(signature.result, &info.name))
}

/// The run build does not know where a signal struck; the trace build does.
pub fn locate(session: &mut Session, case: &Case, run: &mut Run) -> Result<(), Failure> {
    if let End::Signal { signal, site: None, .. } = run.end
        && let End::Signal { signal: again, address, site } = session.run(case, Build::Trace)?.end
        && again == signal
    {
        run.end = End::Signal { signal, address, site };
    }
    Ok(())
}
