//! What a test is called: what the call does, and the condition that the case shows.
//!
//! `returns_3_if_a_eq_b` where the condition is known, `returns_3_line_12_true` where it is not. Of the outcomes that
//! a case is kept for, the one that the fewest other tests show tells most about it. Names are C identifiers of at most
//! 60 characters, each used once.

pub mod condition;
pub(crate) mod tokens;
pub mod words;

use condition::{Condition, Form, condition_at};
use std::collections::BTreeSet;
use testwright_base::goal::Goal;
use testwright_base::ids::OutcomeId;
use testwright_base::run::{End, Run};
use testwright_base::site::{Compared, Place, Site, SiteKind};
use testwright_base::subject::{Signature, Subject};

/// The longest name.
pub const LONGEST: usize = 60;

/// What an outcome shows, for names and comments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Where.
    pub place: Option<Place>,
    /// In the words of a name: `if_a_eq_b`, `line_12_true`.
    pub words: String,
    /// In a comment: `a == b true`.
    pub text: String,
}

impl Shown {
    /// The line, if it is known.
    #[must_use]
    pub fn line(&self) -> Option<u32> {
        self.place.as_ref().map(|place| place.line)
    }
}

/// Says what outcomes show.
pub struct Namer<'a> {
    /// The code under test.
    pub subject: &'a Subject,
    /// The text of the line at a place.
    pub line: &'a dyn Fn(&Place) -> Option<String>,
}

impl Namer<'_> {
    /// What a run shows that meets a goal. `hit` are all outcomes of the run: the parts of one decision are told together.
    #[must_use]
    pub fn shown(&self, goal: &Goal, hit: &[OutcomeId]) -> Option<Shown> {
        let shown = self.outcome(goal.outcome, hit)?;
        if goal.detail.is_empty() {
            return Some(shown);
        }
        let words = format!("{}_{}", shown.words, words::identifier(&goal.detail));
        Some(Shown { words, text: format!("{}, {}", shown.text, goal.detail), ..shown })
    }

    fn outcome(&self, outcome: OutcomeId, hit: &[OutcomeId]) -> Option<Shown> {
        let (site, index) = self.subject.outcome(outcome)?;
        let site = self.subject.site(site)?;
        let name = site.outcome_name(index);
        let Some(place) = site.place.clone() else {
            let words = words::identifier(&format!("{}_{name}", site.kind_name()));
            return Some(Shown { place: None, words, text: format!("{} {name}", site.kind_name()) });
        };
        let line = (self.line)(&place);
        let Some(condition) = line.as_deref().and_then(|line| condition_at(line, place.column as usize))
        else {
            let words = words::identifier(&format!("line_{}_{name}", place.line));
            return Some(Shown { place: Some(place), words, text: format!("{} {name}", site.kind_name()) });
        };
        let chain = self.chain(site, index, line.as_deref().unwrap_or_default(), hit);
        let (words, text) = match chain {
            Some(chain) => chain,
            None => (self.words(site, index, &condition), format!("{} {name}", condition.text)),
        };
        Some(Shown { place: Some(place), words: format!("if_{words}"), text })
    }

    /// The condition that decides at a site, if the line of its place has all of it.
    #[must_use]
    pub fn condition(&self, site: &Site) -> Option<String> {
        let place = site.place.as_ref()?;
        condition_at(&(self.line)(place)?, place.column as usize).map(|condition| condition.text)
    }

    fn words(&self, site: &Site, index: u32, condition: &Condition) -> String {
        let words = words::of_expression(&condition.text);
        match (condition.form, &site.kind) {
            (Form::Switch, _) | (_, SiteKind::Switch { .. }) => {
                match site.outcome_name(index).strip_prefix("case ") {
                    Some(value) => format!("{words}_is_{}", words::identifier(&value.replace('-', "minus_"))),
                    None => format!("{words}_is_other"),
                }
            }
            _ if index == 0 => words,
            (Form::Comparison, _) => words::of_false_comparison(&condition.text, self.compares_floats(site)),
            (Form::Truth, _) => format!("not_{words}"),
        }
    }

    /// Whether the comparison that decides at a site is one of floats.
    fn compares_floats(&self, site: &Site) -> bool {
        let at_place = self.subject.sites.iter().filter(|other| other.place == site.place);
        at_place
            .into_iter()
            .any(|other| matches!(other.kind, SiteKind::Compare { compared: Compared::Floats, .. }))
    }

    /// All of `a == b && b == c` if both hold, or of `a <= 0 || b <= 0` if neither does: then no part alone
    /// says why the decision came out this way.
    fn chain(&self, site: &Site, index: u32, line: &str, hit: &[OutcomeId]) -> Option<(String, String)> {
        let joint = match (line.contains("&&"), line.contains("||"), index) {
            (true, false, 0) => " && ",
            (false, true, 1) => " || ",
            _ => return None,
        };
        let is_part = |other: &&Site| {
            other.function == site.function
                && matches!(other.kind, SiteKind::Branch)
                && matches!((&other.place, &site.place), (Some(a), Some(b)) if a.file == b.file && a.line == b.line)
        };
        let (mut all_words, mut texts) = (Vec::new(), Vec::new());
        for part in self.subject.sites.iter().filter(is_part) {
            let outcomes: Vec<u32> =
                (0..2).filter(|index| hit.contains(&OutcomeId(part.first_outcome.0 + index))).collect();
            if outcomes != [index] {
                return None;
            }
            let condition = condition_at(line, part.place.as_ref()?.column as usize)?;
            all_words.push(self.words(part, index, &condition));
            texts.push(condition.text);
        }
        let name = site.outcome_name(index);
        (texts.len() > 1).then(|| (all_words.join("_and_"), format!("{} {name}", texts.join(joint))))
    }
}

/// What the call does to what a parameter points to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect<'a> {
    /// The test sees nothing of the kind.
    None,
    /// It is changed.
    Changes(&'a str),
    /// It could be changed, but is not.
    Keeps(&'a str),
    /// It is freed.
    Frees(&'a str),
}

/// What the call does: `returns_3`, `exits_with_2`, `aborts`, `changes_out`, `keeps_out`, `frees_list`, `runs`.
#[must_use]
pub fn behaviour(subject: &Subject, signature: Option<&Signature>, run: &Run, effect: Effect<'_>) -> String {
    match (run.end, &run.result, signature, effect) {
        (End::Exit(status), ..) => {
            format!("exits_with_{}", words::identifier(&status.to_string().replace('-', "minus_")))
        }
        (End::Abort, ..) => "aborts".to_owned(),
        (_, Some(value), Some(signature), _) => {
            format!("returns_{}", words::of_value(subject, signature.result, value))
        }
        (.., Effect::Changes(param)) => format!("changes_{}", words::identifier(param)),
        (.., Effect::Keeps(param)) => format!("keeps_{}", words::identifier(param)),
        (.., Effect::Frees(param)) => format!("frees_{}", words::identifier(param)),
        (.., Effect::None) => "runs".to_owned(),
    }
}

/// The first of the wanted names that is free, else the first with a number; cut to fit at the end of a word.
pub fn unique(taken: &mut BTreeSet<String>, wanted: &[String]) -> String {
    let cut = |name: &str, room: usize| {
        if name.len() <= room {
            return name.to_owned();
        }
        let end = name[..=room].rfind('_').filter(|end| *end > 0).unwrap_or(room);
        let mut cut = &name[..end];
        // A name that ends in the middle of a condition should not end in its operator.
        while let Some((
            rest,
            "if" | "and" | "or" | "eq" | "ne" | "lt" | "le" | "gt" | "ge" | "plus" | "minus" | "not",
        )) = cut.rsplit_once('_')
        {
            cut = rest;
        }
        cut.to_owned()
    };
    let free = wanted.iter().map(|name| cut(name, LONGEST)).find(|name| !taken.contains(name));
    let name = free.unwrap_or_else(|| {
        let base = wanted.first().map_or("test", String::as_str);
        let numbered = |number: u32| {
            let suffix = format!("_{number}");
            cut(base, LONGEST - suffix.len()) + &suffix
        };
        (2..).map(numbered).find(|name| !taken.contains(name)).expect("numbers do not run out")
    });
    taken.insert(name.clone());
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_short_and_unique() {
        let mut taken = BTreeSet::new();
        let long = format!("returns_0_if_{}_eq_b", "a_plus_".repeat(20));
        let first = unique(&mut taken, std::slice::from_ref(&long));
        let second = unique(&mut taken, std::slice::from_ref(&long));
        assert!(first.len() <= LONGEST && second.len() <= LONGEST);
        assert!(first.ends_with("_a"), "{first}");
        assert_eq!(second, format!("{first}_2"));
        let third = unique(&mut taken, &[long, "returns_0_if_c".to_owned()]);
        assert_eq!(third, "returns_0_if_c");
    }
}
