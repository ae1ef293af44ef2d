//! Subjects by hand: C text beside the functions, sites and types that a compiler would report for it.

use std::rc::Rc;
use std::sync::Arc;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::effect::Effects;
use testwright_base::goal::{Goal, Goals, at_outcomes};
use testwright_base::ids::{BlockId, FunctionId, GoalId, OutcomeId};
use testwright_base::run::{End, Run};
use testwright_base::sample;
use testwright_base::site::{Place, Site, SiteKind};
use testwright_base::subject::Subject;
use testwright_suite::replay::Origin;
use testwright_suite::{Access, Effort, Found, Input, Lines, Source, Style};

/// A subject with its text.
pub struct Sketch {
    /// The name of its file.
    pub file: &'static str,
    /// Its text.
    pub text: &'static str,
    /// What a compiler would report.
    pub subject: Subject,
}

impl Sketch {
    pub fn new(file: &'static str, text: &'static str) -> Sketch {
        let mut subject = sample::empty_subject();
        subject.files = vec![file.to_owned()];
        Sketch { file, text, subject }
    }

    /// Adds a site where `condition` stands; the caret in it marks the column.
    pub fn site(&mut self, function: FunctionId, kind: SiteKind, outcome_count: u32, condition: &str) {
        let offset = condition.find('^').expect("a caret marks the column");
        let condition = condition.replacen('^', "", 1);
        let (line, text) = (1..)
            .zip(self.text.lines())
            .find(|(_, line)| line.contains(&condition))
            .expect("the condition stands in the text");
        let column = (text.find(&condition).unwrap() + offset + 1) as u32;
        let place = Some(Place { file: self.file.to_owned(), line, column });
        let first_outcome = OutcomeId(self.subject.outcome_count);
        self.subject.outcome_count += outcome_count;
        self.subject.sites.push(Site {
            function,
            block: BlockId(0),
            place,
            kind,
            first_outcome,
            outcome_count,
        });
    }

    /// The input of a suite about all functions, with the sources seen from a folder beside them.
    pub fn input(&self, found: Vec<Found>) -> Input {
        let functions: Vec<FunctionId> = (0..self.subject.functions.len()).map(FunctionId::of).collect();
        let access = Access::choose(&self.subject, &functions, &found, &[]);
        let path = format!("../{}", self.file);
        Input {
            subject: Rc::new(self.subject.clone()),
            goals: Arc::new(goals(&self.subject)),
            target: self.file.to_owned(),
            seed: 1,
            origin: Origin::default(),
            sources: vec![Source {
                file: self.file.to_owned(),
                path,
                flags: Vec::new(),
                access,
                constants: Default::default(),
            }],
            functions,
            found,
            greedy_covers: Default::default(),
            lost: Default::default(),
            notes: Default::default(),
            unmet: Vec::new(),
            effort: Effort::default(),
            stops: Default::default(),
            style: Style::default(),
            earlier: Default::default(),
            line: self.lines(),
        }
    }

    /// As [`Sketch::input`], where nobody can read the text.
    pub fn unread_input(&self, found: Vec<Found>) -> Input {
        Input { line: Rc::new(|_| None), ..self.input(found) }
    }

    /// Gives the line at a place of the text.
    fn lines(&self) -> Rc<Lines> {
        let text = self.text;
        Rc::new(move |place: &Place| text.lines().nth(place.line as usize - 1).map(str::to_owned))
    }
}

/// The goals of a subject, each with the number of its outcome, and some more for tests to take.
fn goals(subject: &Subject) -> Goals {
    let is_check = |kind: &SiteKind| matches!(kind, SiteKind::Check(_) | SiteKind::Error);
    let mut all = at_outcomes(subject, "branch", |site| site.kind.is_branch());
    all.extend(at_outcomes(subject, "error", |site| is_check(&site.kind)));
    all.extend(at_outcomes(subject, "comparison", |site| !site.kind.is_branch() && !is_check(&site.kind)));
    let spare = (0..1000).map(OutcomeId).filter(|outcome| subject.outcome(*outcome).is_none());
    let function = FunctionId(u32::MAX);
    all.extend(spare.map(|outcome| Goal {
        criterion: "spare",
        function,
        outcome,
        detail: String::new(),
        shown_by: Vec::new(),
    }));
    Goals::new(subject, all, ["branch"])
}

/// A case that only calls.
pub fn call(function: u32, arguments: Vec<Value>) -> Case {
    Case { statements: vec![Statement::Call { function: FunctionId(function), arguments }] }
}

/// A run that returned this.
pub fn returned(result: Option<Value>, objects: Vec<Option<Value>>) -> Run {
    Run {
        end: End::Returned,
        result,
        objects,
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

/// A found case with goals of its own, so that it is kept.
pub fn found(case: Case, run: Run, goal: u32) -> Found {
    Found {
        case,
        run,
        again: None,
        goals: vec![GoalId(goal)],
        kills: Vec::new(),
        broke: None,
        strays: false,
        earlier: false,
        demanded: false,
        queries: Vec::new(),
    }
}
