//! A trace: a run together with its expressions and path.

use crate::ExecError;
use testwright_abi::event::TableRecord;
use testwright_base::run::Run;
use testwright_base::site::SiteKind;
use testwright_base::subject::Subject;
use testwright_logic::expr::{Exprs, Table};
use testwright_logic::path::Path;
use testwright_process::SharedSegment;

/// What a traced run showed.
#[derive(Debug)]
pub struct Trace {
    /// The run.
    pub run: Run,
    /// Every expression over the inputs that came up.
    pub exprs: Exprs,
    /// The path: what was decided, in order.
    pub path: Path,
    /// Names of the inputs, in the order of their numbers.
    pub inputs: Vec<String>,
    /// Whether expressions or events were left out because there was no more room.
    pub overflowed: bool,
    /// How often memory held something else than its expression says, because native code had written there.
    pub stale: u32,
}

impl Trace {
    pub(crate) fn read(
        segment: &SharedSegment,
        subject: &Subject,
        run: Run,
        inputs: Vec<String>,
    ) -> Result<Trace, ExecError> {
        let status = segment.status();
        let tables = read_tables(segment.tables(), status.table_count as usize)
            .ok_or_else(|| ExecError::Damaged("the tables do not fit their area".to_owned()))?;
        let exprs = Exprs::from_nodes(segment.nodes(), tables)
            .map_err(|error| ExecError::Damaged(error.to_string()))?;
        let cases = |site: u32| match subject.sites.get(site as usize).map(|site| &site.kind) {
            Some(SiteKind::Switch { cases, .. }) => Some(cases.as_slice()),
            _ => None,
        };
        let path = Path::from_events(segment.events(), &exprs, cases)
            .map_err(|error| ExecError::Damaged(error.to_string()))?;
        Ok(Trace { run, exprs, path, inputs, overflowed: status.overflowed != 0, stale: status.stale_count })
    }
}

/// The tables area: records first, then the bytes they refer to.
fn read_tables(area: &[u8], count: usize) -> Option<Vec<Table>> {
    (0..count)
        .map(|index| {
            let start = index * size_of::<TableRecord>();
            let record = area.get(start..start + size_of::<TableRecord>())?;
            let word = |at: usize| Some(u32::from_le_bytes(record.get(at..at + 4)?.try_into().ok()?));
            let (length, offset) = (word(8)? as usize, word(12)? as usize);
            Some(Table { bytes: area.get(offset..offset + length)?.to_vec() })
        })
        .collect()
}
