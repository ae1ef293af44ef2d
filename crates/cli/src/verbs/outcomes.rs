//! Outcomes, distances and ends of a run in words.

use testwright_base::ids::{OutcomeId, SiteId};
use testwright_base::run::{End, Run, signal_name};
use testwright_base::site::{Compared, SiteKind};
use testwright_base::subject::Subject;

/// How far a run was from an outcome; what that means depends on what is compared.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Distance {
    /// Between integers or addresses.
    Whole(u64),
    /// Between floats; not finite if one of them is not.
    Float(f64),
}

impl Distance {
    /// For sorting.
    fn size(self) -> f64 {
        match self {
            Distance::Whole(distance) => distance as f64,
            Distance::Float(distance) if distance.is_nan() => f64::INFINITY,
            Distance::Float(distance) => distance,
        }
    }

    /// In figures.
    pub fn text(self) -> String {
        match self {
            Distance::Whole(distance) => distance.to_string(),
            Distance::Float(_) if !self.size().is_finite() => "inf".to_owned(),
            Distance::Float(distance) => format!("{distance:?}"),
        }
    }

    /// A number, or `"inf"`, which JSON has no number for.
    pub fn to_json(self) -> serde_json::Value {
        match self {
            Distance::Whole(distance) => distance.into(),
            Distance::Float(distance) if self.size().is_finite() => distance.into(),
            Distance::Float(_) => "inf".into(),
        }
    }
}

/// The outcomes that were missed, nearest first.
pub fn missed(subject: &Subject, run: &Run) -> Vec<(OutcomeId, Distance)> {
    let mut missed: Vec<(OutcomeId, Distance)> = run
        .distances
        .iter()
        .map(|(id, distance)| {
            let float = subject.outcome(*id).is_some_and(|(site, _)| is_float_site(subject, site));
            let meant =
                if float { Distance::Float(f64::from_bits(*distance)) } else { Distance::Whole(*distance) };
            (*id, meant)
        })
        .collect();
    missed.sort_by(|(_, a), (_, b)| a.size().total_cmp(&b.size()));
    missed
}

/// Whether the comparison at a site, or the one that feeds it, is one of floats.
fn is_float_site(subject: &Subject, id: SiteId) -> bool {
    subject.sites.iter().enumerate().any(|(index, site)| match &site.kind {
        SiteKind::Compare { compared: Compared::Floats, feeds, .. } => {
            *feeds == Some(id) || index == id.index()
        }
        _ => false,
    })
}

/// `triangle.c:8:11 branch true`; none inside library models.
pub fn outcome_text(subject: &Subject, id: OutcomeId) -> Option<String> {
    let (site, index) = subject.outcome(id)?;
    let info = subject.site(site)?;
    let function = subject.function(info.function);
    if function.model {
        return None;
    }
    let place = info.place.as_ref().map_or_else(|| format!("in {}", function.name), ToString::to_string);
    Some(format!("{place} {} {}", info.kind_name(), info.outcome_name(index)))
}

/// How the run ended, and where if that is known.
pub fn end_text(subject: &Subject, end: End) -> String {
    let what = match end {
        // Only faults have an address.
        End::Signal { signal, address, .. } if matches!(signal, 7 | 11) => {
            format!("{} (signal {signal}, address {address:#x})", signal_name(signal))
        }
        End::Signal { signal, .. } if signal_name(signal) == "signal" => format!("signal {signal}"),
        End::Signal { signal, .. } => format!("{} (signal {signal})", signal_name(signal)),
        other => other.to_string(),
    };
    end_place(subject, end).map_or_else(|| what.clone(), |place| format!("{what}, at {place}"))
}

/// Where the run ended, if that is known.
pub fn end_place(subject: &Subject, end: End) -> Option<String> {
    let (End::Trap { site, .. } | End::Signal { site, .. }) = end else { return None };
    subject.site(site?)?.place.as_ref().map(ToString::to_string)
}
