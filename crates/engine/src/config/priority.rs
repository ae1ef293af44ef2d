//! Priorities: what users want flipped first, by function or by line, as weights of sites.

use crate::own_functions;
use std::collections::{BTreeMap, BTreeSet};
use testwright_base::ids::{FunctionId, SiteId};
use testwright_base::nearest::nearest;
use testwright_base::site::{Place, Site};
use testwright_base::subject::Subject;

/// What the priorities of a config file mean for a subject.
#[derive(Debug, Default)]
pub struct Priorities {
    /// By site; the others have 0.
    pub weights: BTreeMap<SiteId, i32>,
    functions: BTreeMap<FunctionId, i32>,
}

impl Priorities {
    /// Whether a key names a line, `file.c:120`, rather than a function.
    pub fn is_line(key: &str) -> bool {
        key.contains(':')
    }

    /// Whether the subject has the function that a key names, or code in the file whose line it names.
    pub fn concern(subject: &Subject, key: &str) -> bool {
        match key.rsplit_once(':') {
            Some((file, _)) => {
                sites(subject).any(|(_, site)| site.place.as_ref().is_some_and(|place| is_in(place, file)))
            }
            None => subject.function_named(key).is_some(),
        }
    }

    /// The priority of a function itself.
    pub fn of_function(&self, function: FunctionId) -> i32 {
        self.functions.get(&function).copied().unwrap_or(0)
    }

    /// Adds a priority; what was said before about the same sites no longer counts.
    ///
    /// # Errors
    /// In words, if the key names nothing, with what may have been meant.
    pub fn add(&mut self, subject: &Subject, key: &str, priority: i32) -> Result<(), String> {
        if Priorities::is_line(key) {
            let sites = at_line(subject, key)?;
            self.weights.extend(sites.into_iter().map(|site| (site, priority)));
            return Ok(());
        }
        let function = subject.function_named(key).ok_or_else(|| no_function(subject, key))?;
        let own = sites(subject).filter(|(_, site)| site.function == function);
        self.weights.extend(own.map(|(id, _)| (id, priority)));
        self.functions.insert(function, priority);
        Ok(())
    }
}

fn sites(subject: &Subject) -> impl Iterator<Item = (SiteId, &Site)> {
    subject.sites.iter().enumerate().map(|(index, site)| (SiteId::of(index), site))
}

/// Whether a place lies in a file, named by the end of its path.
fn is_in(place: &Place, file: &str) -> bool {
    place.file == file || place.file.ends_with(&format!("/{file}"))
}

fn no_function(subject: &Subject, name: &str) -> String {
    let names: Vec<&str> = own_functions(subject).map(|id| subject.function(id).name.as_str()).collect();
    let hint = match nearest(name, names.iter().copied()) {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("it has {}; a line is named `file.c:120`", crate::build::first_of(&names)),
    };
    format!("there is no function `{name}` in the target; {hint}")
}

/// The sites of a line; if it decides nothing itself, the decisions that lead to the code on it.
fn at_line(subject: &Subject, key: &str) -> Result<Vec<SiteId>, String> {
    let (file, line) = key.rsplit_once(':').unwrap_or((key, ""));
    let line: u32 = line
        .parse()
        .map_err(|_| format!("`{key}` names neither a function nor a line; a line is named `file.c:120`"))?;
    let own = |site: &Site| !subject.function(site.function).model;
    let in_file = |place: &Place| is_in(place, file);
    let placed: Vec<(SiteId, &Site, u32)> = sites(subject)
        .filter(|(_, site)| own(site))
        .filter_map(|(id, site)| Some((id, site, site.place.as_ref().filter(|place| in_file(place))?.line)))
        .collect();
    if placed.is_empty() {
        let files: BTreeSet<&str> = sites(subject)
            .filter(|(_, site)| own(site))
            .filter_map(|(_, site)| Some(site.place.as_ref()?.file.as_str()))
            .collect();
        let files: Vec<&str> = files.into_iter().collect();
        return Err(format!(
            "the target has no code in {file}; it has code in {}",
            crate::build::first_of(&files)
        ));
    }
    let here: Vec<(SiteId, &Site, u32)> = placed.iter().copied().filter(|(.., at)| *at == line).collect();
    if here.iter().any(|(_, site, _)| decides(site)) {
        return Ok(here.into_iter().map(|(id, ..)| id).collect());
    }
    let leading = leading_to(subject, &in_file, line);
    if !leading.is_empty() {
        return Ok(leading);
    }
    let decisions = placed.iter().filter(|(_, site, _)| decides(site)).map(|(.., at)| *at);
    Err(match decisions.min_by_key(|at| at.abs_diff(line)) {
        Some(near) => format!(
            "nothing is decided on line {line} of {file} or before it; the nearest decision is on line {near}"
        ),
        None => format!("{file} decides nothing, so its lines have no priorities"),
    })
}

fn decides(site: &Site) -> bool {
    site.kind.is_branch()
}

/// The decisions that the block with this line depends on: the last block of its function that begins at or before it.
fn leading_to(subject: &Subject, in_file: &dyn Fn(&Place) -> bool, line: u32) -> Vec<SiteId> {
    let starts = own_functions(subject).filter_map(|id| {
        let place =
            subject.function(id).place.as_ref().filter(|place| in_file(place) && place.line <= line)?;
        Some((place.line, id))
    });
    let Some((_, function)) = starts.max() else { return Vec::new() };
    let blocks = &subject.function(function).blocks;
    let before = (0..).zip(blocks).filter(|(_, block)| block.line > 0 && block.line <= line);
    let Some((index, _)) = before.max_by_key(|(_, block)| block.line) else { return Vec::new() };
    let flow = subject.flow(function);
    let dependences = flow.dependences(testwright_base::ids::BlockId(index)).to_vec();
    let decisions = dependences.into_iter().filter_map(|(block, _)| blocks.get(block.index())?.decides);
    decisions.filter(|id| subject.site(*id).is_some_and(decides)).collect()
}
