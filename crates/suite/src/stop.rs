//! Why a search ended, in words that follow from what was reached: "all goals met" stands only where the table says so too.

use crate::summary::Counts;

/// Why the search in a function ended; those that leave more open come later.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Stop {
    /// Runs met all goals.
    GoalsMet,
    /// Every path was explored.
    Explored,
    /// No technique had anything left to try.
    Declined,
    /// Its runs were made.
    Runs,
    /// Its time was over.
    Time,
    /// There was no time for it; what the budget was.
    NotSearched(String),
    /// It failed by a fault of ours.
    Failed(String),
    /// The user wanted it to end.
    Interrupted,
}

/// How a function ended: why its search did, none if it cannot be called, and what tests show of its branches.
pub(crate) type Ended<'a> = (Option<&'a Stop>, Counts);

/// Why the searches ended, and what they leave open.
#[must_use]
pub(crate) fn words(functions: &[Ended<'_>]) -> String {
    let Some(last) = functions.iter().filter_map(|(stop, _)| *stop).max() else {
        return "nothing to search".to_owned();
    };
    match last {
        Stop::Interrupted => return "interrupted".to_owned(),
        Stop::Failed(why) => return format!("failed: {why}"),
        _ => {}
    }
    let count = |wanted: &dyn Fn(&Ended<'_>) -> usize| functions.iter().map(wanted).sum::<usize>();
    let left = |counts: &Counts| counts.total - counts.covered - counts.infeasible;
    let open = count(&|(stop, counts)| if stop.is_some() { left(counts) } else { 0 });
    let skipped = count(&|(stop, counts)| usize::from(stop.is_none() && counts.total > 0));
    let infeasible = count(&|(_, counts)| counts.infeasible);
    let total = count(&|(_, counts)| counts.total);
    let not_searched = count(&|(stop, _)| usize::from(matches!(stop, Some(Stop::NotSearched(_)))));
    // Only functions that leave something open say why.
    let reason = functions.iter().filter(|(_, counts)| left(counts) > 0).filter_map(|(stop, _)| *stop).max();
    let because = match reason {
        None if not_searched > 0 => "time spent",
        None if total == 0 && *last == Stop::Explored => "all paths explored",
        None if skipped + infeasible > 0 => "nothing else is open",
        None => "all goals met",
        Some(Stop::GoalsMet) => "every goal was met",
        Some(Stop::Explored) => "all paths explored",
        Some(Stop::Declined) => "nothing left to try",
        Some(Stop::Runs) => "runs spent",
        Some(_) => "time spent",
    };
    let open = match reason {
        Some(Stop::GoalsMet) => (open, "by no test"),
        _ => (open, "open"),
    };
    let tail = [
        open,
        (infeasible, "proved infeasible"),
        (skipped, "of the functions skipped"),
        (not_searched, "of the functions not searched"),
    ];
    let tail = tail.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!(", {count} {what}"));
    let mut text = because.to_owned() + &tail.collect::<String>();
    if reason.is_none() && matches!(last, Stop::Runs | Stop::Time) {
        text += ", the rest was spent on code they call";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(functions: &[(Option<Stop>, [usize; 3])], expected: &str) {
        let ended = functions.iter().map(|(stop, [total, covered, infeasible])| {
            (stop.as_ref(), Counts { total: *total, covered: *covered, infeasible: *infeasible })
        });
        assert_eq!(words(&ended.collect::<Vec<_>>()), expected);
    }

    #[test]
    fn all_goals_are_met_only_if_the_table_says_so() {
        check(&[(Some(Stop::GoalsMet), [4, 4, 0])], "all goals met");
        check(&[(Some(Stop::GoalsMet), [4, 2, 0])], "every goal was met, 2 by no test");
        check(&[(Some(Stop::Explored), [4, 2, 2])], "nothing else is open, 2 proved infeasible");
        check(
            &[(Some(Stop::GoalsMet), [4, 4, 0]), (None, [2, 0, 0])],
            "nothing else is open, 1 of the functions skipped",
        );
    }

    #[test]
    fn only_functions_with_open_goals_say_why() {
        let (time, explored) = (|| Some(Stop::Time), || Some(Stop::Explored));
        check(&[(time(), [4, 4, 0]), (explored(), [4, 3, 0])], "all paths explored, 1 open");
        check(&[(time(), [4, 3, 0]), (explored(), [4, 3, 1])], "time spent, 1 open, 1 proved infeasible");
        check(&[(time(), [4, 4, 0])], "all goals met, the rest was spent on code they call");
        check(&[], "nothing to search");
        check(&[(explored(), [0, 0, 0])], "all paths explored");
    }

    #[test]
    fn what_was_not_searched_is_counted() {
        let none = || Some(Stop::NotSearched("10 s for 2 functions".to_owned()));
        let met = || (Some(Stop::GoalsMet), [4, 4, 0]);
        check(&[met(), (none(), [4, 0, 0])], "time spent, 4 open, 1 of the functions not searched");
        check(&[met(), (none(), [0, 0, 0])], "time spent, 1 of the functions not searched");
    }

    #[test]
    fn interruptions_and_faults_come_first() {
        check(&[(Some(Stop::Interrupted), [4, 4, 0])], "interrupted");
        check(&[(Some(Stop::Failed("no worker".to_owned())), [4, 4, 0])], "failed: no worker");
    }
}
