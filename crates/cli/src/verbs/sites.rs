//! `testwright show sites`: the numbered places where control or value decides.

use super::put;
use crate::exit::Failure;
use crate::load;
use serde_json::json;
use std::fmt::Write;
use testwright_base::site::{Site, SiteKind};
use testwright_base::subject::Subject;
use testwright_engine::request::Target;

/// Shows the sites of the code under test, or of one function of it.
pub fn perform(target: &Target, function: Option<&str>, as_json: bool) -> Result<(), Failure> {
    let subject = load::until_prepared(target)?.subject;
    let only = function.map(|name| load::function(&subject, name)).transpose()?;
    let wanted =
        |site: &Site| only.is_none_or(|only| site.function == only) && !subject.function(site.function).model;
    let sites: Vec<(usize, &Site)> =
        subject.sites.iter().enumerate().filter(|(_, site)| wanted(site)).collect();
    if as_json {
        let list: Vec<_> = sites.iter().map(|(id, site)| to_json(&subject, *id, site)).collect();
        return put(&format!("{:#}\n", serde_json::Value::from(list)));
    }
    put(&table(&subject, &sites))
}

fn table(subject: &Subject, sites: &[(usize, &Site)]) -> String {
    let mut rows = vec![["site", "place", "function", "kind", "outcomes"].map(str::to_owned)];
    for (id, site) in sites {
        let place = site.place.as_ref().map_or_else(|| "-".to_owned(), ToString::to_string);
        let function = subject.function(site.function).name.clone();
        rows.push([id.to_string(), place, function, site.kind_name().to_owned(), outcomes_text(site)]);
    }
    let width = |column: usize| rows.iter().map(|row| row[column].len()).max().unwrap_or(0);
    let (first, second, third) = (width(0), width(1), width(2));
    let mut text = String::new();
    for [id, place, function, kind, outcomes] in &rows {
        let row = format!("{id:>first$}  {place:<second$}  {function:<third$}  {kind:<8}  {outcomes}");
        let _ = writeln!(text, "{}", row.trim_end());
    }
    let outcomes: u32 = sites.iter().map(|(_, site)| site.outcome_count).sum();
    let _ = writeln!(text, "{} sites, {outcomes} outcomes", sites.len());
    text
}

/// The outcomes with their numbers, and what a check is about.
fn outcomes_text(site: &Site) -> String {
    let names = (0..site.outcome_count)
        .map(|index| format!("{}:{}", site.first_outcome.0 + index, site.outcome_name(index)));
    let names = names.collect::<Vec<_>>().join(" ");
    match &site.kind {
        SiteKind::Check(kind) => format!("{names} ({kind})"),
        _ => names,
    }
}

fn to_json(subject: &Subject, id: usize, site: &Site) -> serde_json::Value {
    let outcomes: Vec<_> = (0..site.outcome_count)
        .map(|index| json!({"outcome": site.first_outcome.0 + index, "name": site.outcome_name(index)}))
        .collect();
    let place = site
        .place
        .as_ref()
        .map(|place| json!({"file": place.file, "line": place.line, "column": place.column}));
    json!({
        "site": id,
        "place": place,
        "function": subject.function(site.function).name,
        "kind": site.kind_name(),
        "outcomes": outcomes,
    })
}
