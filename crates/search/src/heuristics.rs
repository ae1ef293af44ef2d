//! Heuristics: every rule that steers a search and could be left out, with its constants, its reason and its measured effect.
//!
//! `testwright generate --without NAME` switches one off, `testwright bench ablate` measures what each is worth. A rule asks
//! [`Off::keeps`] where it acts. A search without some of them proves nothing infeasible.

mod effects;

use std::fmt::Write as _;
use testwright_base::nearest::nearest;

macro_rules! heuristics {
    ($($variant:ident, $name:literal, $part:ident, [$($constant:literal),*], $reason:literal;)*) => {
        /// A rule that steers a search.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
        pub enum Heuristic {
            $(#[doc = $reason] $variant,)*
        }

        /// All heuristics, in the order of [`Heuristic`].
        pub const ALL: &[About] = &[$(About {
            heuristic: Heuristic::$variant,
            name: $name,
            part: Part::$part,
            constants: &[$($constant),*],
            reason: $reason,
        },)*];
    };
}

/// What is known about a heuristic.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct About {
    /// Which it is.
    pub heuristic: Heuristic,
    /// Its name on the command line.
    pub name: &'static str,
    /// Where it acts.
    pub part: Part,
    /// The constants that it uses: crate, modules, name.
    pub constants: &'static [&'static str],
    /// Why it should help.
    pub reason: &'static str,
}

impl About {
    /// What was measured without it.
    #[must_use]
    pub fn effect(&self) -> &'static str {
        effects::of(self.name).unwrap_or("not measured")
    }
}

/// Where a heuristic acts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// In the search itself.
    Search,
    /// In what makes cases and runs them.
    Code,
    /// In the engine, between techniques.
    Engine,
}

heuristics! {
    TurnsWithLarger, "turns-with-larger", Search, [],
        "larger cases take turns with flips, or a loop that runs off every buffer would be all that is tried for long";
    WideInputs, "wide-inputs", Search, [],
        "a goal that no guessed length reaches is asked for once more without the guess";
    UnpinnedFlips, "unpinned-flips", Search, ["search::flip::SMALL", "search::flip::LARGEST"],
        "a goal that no path with the same addresses reaches is asked for with other ones";
    StrayChecks, "stray-checks", Search, [],
        "a goal stays open while only runs show it that use memory beside their objects";
    Doubt, "doubt", Search, ["search::coverage::DOUBT"],
        "a goal stays open for a while if only runs show it that end badly, because a test needs one that ends well";
    LastResort, "last-resort", Search, ["search::concolic::step::PATIENCE", "search::concolic::config::LAST_RESORT"],
        "sites that are a last resort have every other turn when the rest has brought nothing for a while";
    PinFlips, "pin-flips", Search, [],
        "an address, size or function pointer that is pinned is tried with several values, not with one";
    FilledElements, "filled-elements", Search, ["search::reward::OFFERED", "search::reward::REMEMBERED", "search::reward::FADING"],
        "new elements of a growing buffer take values that brought the search forward";
    PreferredValues, "preferred-values", Search, ["search::reward::CHOSEN", "search::reward::OFFERED", "search::reward::FADING"],
        "where the solver has a choice, elements take values that brought the search forward";
    Edits, "edits", Search, ["search::concolic::splice::PATIENCE", "search::concolic::splice::SHARE", "search::concolic::splice::PASSED_OVER", "search::concolic::fragments::FRAGMENTS"],
        "whole rounds of loops are put into fit cases, where one flip is too small a change";
    EditsFollowUp, "edits-follow-up", Search, [],
        "an edit that helped is followed by another one at once";
    EditsLearnShare, "edits-learn-share", Search, ["search::concolic::splice::SHARE", "search::concolic::splice::FADING"],
        "edits that work get a larger share of the steps";
    EditsOfLost, "edits-of-lost", Search, ["search::concolic::splice::LOST"],
        "now and then a run that lost the predicate is edited: what it lacks may be one more round";
    EditsByTurn, "edits-by-turn", Search, ["search::concolic::splice::AHEAD"],
        "runs with the fewest edits come first, those that brought the search forward ahead of them";
    EditsAfterSetting, "edits-after-setting", Search, [],
        "a round that asks about a variable is put into a run that set it";
    EditsInOrder, "edits-in-order", Search, [],
        "a fragment that sets a variable is promising before a round that asks about it";
    EditPairs, "edit-pairs", Search, [],
        "two fragments that each lose the predicate are tried together: one may mend what the other does wrong";
    EditMoves, "edit-moves", Search, ["search::concolic::fragments::MOVED"],
        "what a library function found is moved past what another one found";
    TargetsBeyondGoals, "targets-beyond-goals", Search, [],
        "fitness aims also at outcomes that are no goals, because flags are set there";
    WaitingTargets, "waiting-targets", Search, ["search::frontier::fitnex::WAITING", "search::concolic::splice::WAITING"],
        "a target waits for the outcomes that decide about it or set what it asks for";
    MeasuredDistances, "measured-distances", Search, [],
        "an untraced run tells distances of decisions that a trace cannot see, on counters say";
    StringDistances, "string-distances", Search, ["search::measure::STRING_SPAN"],
        "a branch on the result of strcmp is the closer the more bytes matched";
    LossesKept, "losses-kept", Search, ["search::run_fitness::LOSS"],
        "a run that loses the predicate is a little worse than its parent, because it may lack one more flip";
    SharedCredit, "shared-credit", Search, ["search::run_fitness::CREDIT", "search::run_fitness::CREDITED"],
        "a flip has a share in what the flips after it gain";
    ShortPaths, "short-paths", Search, ["search::run_fitness::SHORT"],
        "among equally fit runs those with short paths come first, or a loop would grow with every run";
    GainPerByte, "gain-per-byte", Search, [],
        "gains are kept for each byte that an input is compared with: a loop over a word has one site for all letters";
    GainOfFresh, "gain-of-fresh", Search, [],
        "flips of decisions that a run brought up are told apart from those that it inherited";
    MatchesGoOn, "matches-go-on", Search, [],
        "the byte after a match is taken to gain as much as the best flip: that is how words are completed";
    DirectFlips, "direct-flips", Search, [],
        "a flip that leads to a target itself is tried first: if the answer is no, it cost no run";
    DrawnRuns, "drawn-runs", Search, ["search::frontier::fitnex::PATIENCE"],
        "after flips in vain, less fit runs are drawn, to get out of a local optimum";
    RepeatedFlips, "repeated-flips", Search, ["search::frontier::fitnex::STAGNATION"],
        "after more flips in vain, decisions of a fit run are changed that others took both ways";
    LongerTurns, "longer-turns", Search, ["search::frontier::round_robin::BOOST", "search::frontier::round_robin::PATIENCE"],
        "a frontier that makes progress keeps its turn";
    LargerCases, "larger-cases", Code, ["exec::image::change::LONGEST"],
        "a run that lacks an object or elements makes a larger case";
    FollowedPointer, "followed-pointer", Code, ["engine::build::loaded::CANDIDATES"],
        "of several null pointers the one that was followed gets an object, not all in turn";
    Sequences, "sequences", Code, ["engine::build::loaded::sequences::RECIPES", "engine::build::loaded::sequences::CHANGERS"],
        "objects are also made and changed by calls of the code's own functions, not only set field by field";
    Queries, "queries", Engine, ["engine::judge::queries::TRIED", "engine::judge::queries::KEPT"],
        "a test asks the code's own functions about an object that only these know, or it would assert nothing";
    JoinedPointers, "joined-pointers", Code, ["engine::schedule::bounded::ROUNDS"],
        "pointers that code subtracts or orders lead into one object";
    OtherAlignments, "other-alignments", Code, ["engine::build::loaded::ALIGNMENTS"],
        "code that looks at address bits gets objects at other alignments";
    OtherMembers, "other-members", Code, ["engine::build::loaded::MEMBERS"],
        "unions hold each of their members in turn";
    TiedTags, "tied-tags", Code, ["engine::build::loaded::MEMBERS"],
        "a union holds the member that its tag names";
    GuessedLengths, "guessed-lengths", Code, ["exec::image::change::LONGEST"],
        "an integer after a pointer is taken for its length until a goal needs otherwise";
    FormattedCases, "formatted-cases", Engine, [],
        "a function with a format string begins with cases that have what the format asks for";
    EarlierCases, "earlier-cases", Engine, [],
        "a search with a budget in time begins with the cases of the earlier suite";
    FurtherStrategies, "further-strategies", Engine, ["engine::technique::techniques::STRATEGIES"],
        "eight further strategies bid for flips, because each serves some code best";
    LeadOfFirst, "lead-of-first", Engine, ["engine::technique::flips::LEAD"],
        "the first strategy serves most code best, so the others wait until it spent much in vain";
    Encore, "encore", Engine, ["engine::schedule::market::ENCORE"],
        "when every path is explored, other techniques may go on for as long again";
    LookForReturn, "look-for-return", Engine, ["engine::schedule::market::TRIES"],
        "some more runs look for one that returns, because a test needs it";
    RuleOut, "rule-out", Engine, ["engine::schedule::market::SOON", "engine::schedule::state::WORTH_IT", "engine::schedule::state::WORTH_RUNS"],
        "goals of callees that the function cannot reach are dropped";
    OwnGoalsInHaste, "own-goals-in-haste", Engine, ["engine::search::LITTLE_TIME"],
        "with little time for each function, callers leave goals to the function they lie in";
    TimeForMutants, "time-for-mutants", Engine, ["engine::schedule::market::SHARE", "engine::schedule::market::VAIN", "engine::schedule::FURTHER"],
        "a search that has brought nothing for a while leaves the rest of its time to cases that kill mutants";
    AllocationsLast, "allocations-last", Engine, ["search::concolic::config::LAST_RESORT"],
        "what fails only for lack of memory is tried when the rest has brought nothing";
    HuntsAnalyse, "hunts-analyse", Engine, ["engine::technique::input_search::FEW_PATHS", "engine::technique::input_search::FEW_GOALS", "engine::technique::input_search::FEW_BRANCHES"],
        "input searches have path conditions computed once goals were searched for in vain";
    HuntsByInfluence, "hunts-by-influence", Engine, [],
        "input searches vary only inputs that can influence the goal";
    HuntsInRounds, "hunts-in-rounds", Engine, ["engine::technique::input_search::ROUNDS"],
        "goals are searched for briefly before any is searched for long: most are easy, some impossible";
    HuntsWithRoom, "hunts-with-room", Engine, ["engine::technique::input_search::MORE_ROOM"],
        "later rounds of input searches have longer buffers";
    BriefHunts, "brief-hunts", Engine, ["engine::technique::input_search::BRIEF"],
        "an input search among other bidders ends soon, so that they have their turns";
    RandomInRoom, "random-in-room", Engine, ["engine::technique::random::ROOM"],
        "random runs begin with buffers that have room";
    RandomFromRuns, "random-from-runs", Engine, ["engine::technique::random::OTHERS"],
        "some random batches vary the case of an earlier run, because it got further";
    RandomAlike, "random-alike", Engine, ["engine::technique::random::ALIKE", "engine::technique::random::MOST_VALUES"],
        "some random batches have equal inputs, because code often asks for them";
    GrowingBatches, "growing-batches", Engine, ["engine::technique::random::BATCH", "engine::technique::random::FIRST", "engine::technique::random::MOST"],
        "random batches grow to a steady time, so that messages cost little";
}

impl Heuristic {
    /// What is known about it.
    #[must_use]
    pub fn about(self) -> &'static About {
        &ALL[self as usize]
    }

    /// The heuristic of this name.
    ///
    /// # Errors
    /// What may have been meant, in words.
    pub fn named(name: &str) -> Result<Heuristic, String> {
        let names = || ALL.iter().map(|about| about.name);
        let found = ALL.iter().find(|about| about.name == name);
        found.map(|about| about.heuristic).ok_or_else(|| match nearest(name, names()) {
            Some(near) => format!("there is no heuristic `{name}`; did you mean `{near}`?"),
            None => format!("there is no heuristic `{name}`; the manual lists them all"),
        })
    }
}

/// The heuristics that are switched off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Off(u64);

const _: () = assert!(ALL.len() <= u64::BITS as usize, "a bit for each heuristic");

impl Off {
    /// Everything is off.
    pub const ALL: Off = Off(u64::MAX >> (u64::BITS as usize - ALL.len()));

    /// This one is off too.
    #[must_use]
    pub fn with(self, heuristic: Heuristic) -> Off {
        Off(self.0 | 1 << heuristic as u32)
    }

    /// Whether a heuristic is on.
    #[must_use]
    pub fn keeps(self, heuristic: Heuristic) -> bool {
        self.0 & 1 << heuristic as u32 == 0
    }

    /// Whether all are on.
    #[must_use]
    pub fn is_nothing(self) -> bool {
        self == Off::default()
    }
}

/// The table of the manual.
#[must_use]
pub fn table() -> String {
    let mut table = String::from("| heuristic | why | constants | effect |\n|---|---|---|---|\n");
    for about in ALL {
        let constants: Vec<String> = about.constants.iter().map(|path| format!("`{path}`")).collect();
        let About { name, reason, .. } = about;
        let _ = writeln!(table, "| `{name}` | {reason} | {} | {} |", constants.join(", "), about.effect());
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;
    use std::fs;
    use std::path::Path;

    const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");

    #[test]
    fn names_are_unique_and_parse() {
        let names: BTreeSet<&str> = ALL.iter().map(|about| about.name).collect();
        assert_eq!(names.len(), ALL.len());
        for about in ALL {
            assert_eq!(Heuristic::named(about.name), Ok(about.heuristic));
            assert_eq!(about.heuristic.about().name, about.name);
        }
        assert!(effects::NAMES.iter().all(|(name, _)| names.contains(name)));
        assert!(Heuristic::named("edit").unwrap_err().contains("no heuristic `edit`"));
        assert!(Heuristic::named("encores").unwrap_err().contains("did you mean `encore`?"));
    }

    #[test]
    fn what_is_off_is_not_kept() {
        let off = Off::default().with(Heuristic::Edits);
        assert!(Off::default().is_nothing() && !off.is_nothing());
        assert!(!off.keeps(Heuristic::Edits) && off.keeps(Heuristic::Encore));
        assert!(ALL.iter().all(|about| Off::default().keeps(about.heuristic)));
        assert!(ALL.iter().all(|about| !Off::ALL.keeps(about.heuristic)));
        assert_eq!(ALL.iter().fold(Off::default(), |off, about| off.with(about.heuristic)), Off::ALL);
    }

    #[test]
    fn constants_lie_where_the_table_says() {
        for path in ALL.iter().flat_map(|about| about.constants) {
            let (place, constant) = path.rsplit_once("::").expect("a place and a name");
            let (krate, modules) = place.split_once("::").expect("a crate and modules");
            let module = format!("{ROOT}/crates/{krate}/src/{}", modules.replace("::", "/"));
            let files = [format!("{module}.rs"), format!("{module}/mod.rs")];
            let text = files.iter().find_map(|file| fs::read_to_string(Path::new(file)).ok());
            let text = text.unwrap_or_else(|| panic!("neither of {files:?} can be read"));
            assert!(text.contains(&format!("const {constant}:")), "{path}");
        }
    }

    #[test]
    fn the_manual_has_this_table() {
        let manual = fs::read_to_string(format!("{ROOT}/book/search.md")).expect("the manual");
        assert!(manual.contains(&table()), "book/search.md should have:\n{}", table());
    }
}
