//! Batches of random runs: the build with short ways through decisions against the one without.

use testwright_base::build::Build;
use testwright_base::case::Case;
use testwright_base::ids::OutcomeId;
use testwright_exec::{Draws, Session};

/// How many random runs each build makes.
const RUNS: u64 = 300;
/// How many of them may end their process. A new process costs as much as thousands of runs.
const DEATHS: usize = 10;

/// What the two run builds say differently about the same random runs.
pub fn disagreement(session: &mut Session, case: &Case) -> Option<String> {
    let plain = outcomes(session, case, Build::Run);
    let with_distances = outcomes(session, case, Build::RunWithDistances);
    if plain.hit != with_distances.hit {
        return Some(format!("random runs hit {:?}, with distances {:?}", plain.hit, with_distances.hit));
    }
    let marked = plain.hit.len() as u64;
    let news = plain.news.unwrap_or(marked);
    (news != marked).then(|| format!("{marked} outcomes hit, {news} news"))
}

struct Hit {
    hit: Vec<OutcomeId>,
    /// How many news there were; unknown if a run took its process with it, because its news are not in the list.
    news: Option<u64>,
}

/// All outcomes that the random runs hit, until too many of them have ended their process.
fn outcomes(session: &mut Session, case: &Case, build: Build) -> Hit {
    let (mut first, mut news, mut deaths) = (0, Some(0), 0);
    while first < RUNS && deaths < DEATHS {
        let draws = Draws { seed: 5, first, count: RUNS - first, clear: first == 0 };
        let batch = session.batch(case, build, draws).unwrap_or_else(|error| panic!("{error}"));
        let brought: u64 = batch.kept.iter().map(|kept| kept.news).sum();
        news = news.filter(|_| batch.died.is_none()).map(|news| news + brought);
        deaths += usize::from(batch.died.is_some());
        first = batch.next;
    }
    Hit { hit: session.hit(), news }
}
