//! A trace: a run together with its expressions and path.

use crate::image::{Image, ImageLeaf};
use testwright_abi::event::TableRecord;
use testwright_base::case::Case;
use testwright_base::ids::GlobalId;
use testwright_base::run::{End, Run};
use testwright_base::site::SiteKind;
use testwright_base::subject::Subject;
use testwright_logic::expr::{Exprs, Table};
use testwright_logic::path::Path;
use testwright_process::{SharedSegment, Status};

/// What a traced run showed.
#[derive(Debug)]
pub struct Trace {
    /// The run.
    pub run: Run,
    /// Every expression over the inputs that came up.
    pub exprs: Exprs,
    /// The path: what was decided, in order.
    pub path: Path,
    /// The memory that the run began with.
    pub image: Image,
    /// The inputs, in the order of their numbers.
    pub leaves: Vec<ImageLeaf>,
    /// Whether expressions or events were left out because there was no more room.
    pub overflowed: bool,
    /// How often memory held something else than its expression says, because native code had written there.
    pub stale: u32,
}

impl Trace {
    /// What stands in the segment after a traced run. A record that makes no sense is the work of the code under test, which
    /// has overwritten it.
    pub(crate) fn read(
        segment: &SharedSegment,
        subject: &Subject,
        run: Run,
        image: Image,
        leaves: Vec<ImageLeaf>,
    ) -> Trace {
        let status = segment.status();
        match record(segment, &status, subject, leaves.len()) {
            Some((exprs, path)) => {
                let (overflowed, stale) = (status.overflowed != 0, status.stale_count);
                Trace { run, exprs, path, image, leaves, overflowed, stale }
            }
            None => Trace::damaged(run, image, leaves),
        }
    }

    /// The trace of a run that left nothing but damage.
    pub(crate) fn damaged(run: Run, image: Image, leaves: Vec<ImageLeaf>) -> Trace {
        let (exprs, path) = (Exprs::default(), Path::default());
        let run = Run { end: End::Damaged, ..run };
        Trace { run, exprs, path, image, leaves, overflowed: false, stale: 0 }
    }

    /// How C names the inputs of the case that was traced, in the order of their numbers.
    #[must_use]
    pub fn names(&self, subject: &Subject, case: &Case) -> Vec<String> {
        let mut names = self.image.names(subject, case);
        // Behind the inputs of the case come those of globals that keep their values.
        while let Some(leaf) = self.leaves.get(names.len()) {
            names.extend(ImageLeaf::names_of_global(subject, GlobalId(leaf.leaf.global)));
        }
        names
    }
}

/// The expressions and the path, if they are whole.
fn record(
    segment: &SharedSegment,
    status: &Status,
    subject: &Subject,
    input_count: usize,
) -> Option<(Exprs, Path)> {
    let tables = read_tables(&segment.tables(status.tables_used as usize), status.table_count as usize)?;
    let exprs = Exprs::from_nodes(&segment.nodes(), tables).ok()?;
    let cases = |site: u32| match subject.sites.get(site as usize).map(|site| &site.kind) {
        Some(SiteKind::Switch { cases, .. }) => Some(cases.as_slice()),
        _ => None,
    };
    let path = Path::from_events(&segment.events(), &exprs, cases).ok()?;
    let is_site = |site: u32| (site as usize) < subject.sites.len();
    let is_whole = path.steps().iter().all(|step| step.site.is_none_or(is_site))
        && exprs.inputs().all(|(input, _)| (input as usize) < input_count);
    is_whole.then_some((exprs, path))
}

/// The tables area: records first, then the bytes they refer to.
fn read_tables(area: &[u8], count: usize) -> Option<Vec<Table>> {
    (0..count)
        .map(|index| {
            let start = index * size_of::<TableRecord>();
            let record = area.get(start..start + size_of::<TableRecord>())?;
            let word = |at: usize| Some(u32::from_le_bytes(record.get(at..at + 4)?.try_into().ok()?));
            let (length, offset) = (word(8)? as usize, word(12)? as usize);
            Some(Table { bytes: area.get(offset..offset.checked_add(length)?)?.to_vec() })
        })
        .collect()
}
