//! Helpers: functions that a script defines for itself, because SMT-LIB has no operator for the operation.

use std::fmt::Write;

use crate::expr::Table;

/// A function a script can define; the number is the width of its operands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Helper {
    Ctpop(u32),
    Ctlz(u32),
    Cttz(u32),
    Bswap(u32),
    Bitreverse(u32),
    SAddO(u32),
    UAddO(u32),
    SSubO(u32),
    SMulO(u32),
    UMulO(u32),
    /// Reads `width` bits from a table.
    Table {
        table: usize,
        width: u32,
    },
}

impl Helper {
    /// The name of the function.
    pub(super) fn name(self) -> String {
        match self {
            Helper::Ctpop(width) => format!("ctpop_{width}"),
            Helper::Ctlz(width) => format!("ctlz_{width}"),
            Helper::Cttz(width) => format!("cttz_{width}"),
            Helper::Bswap(width) => format!("bswap_{width}"),
            Helper::Bitreverse(width) => format!("bitreverse_{width}"),
            Helper::SAddO(width) => format!("saddo_{width}"),
            Helper::UAddO(width) => format!("uaddo_{width}"),
            Helper::SSubO(width) => format!("ssubo_{width}"),
            Helper::SMulO(width) => format!("smulo_{width}"),
            Helper::UMulO(width) => format!("umulo_{width}"),
            Helper::Table { table, width } => format!("table_{table}_{width}"),
        }
    }

    /// The definition of the function.
    pub(super) fn definition(self, tables: &[Table]) -> String {
        let name = self.name();
        let bits = |width: u32| format!("(_ BitVec {width})");
        let (width, result, body) = match self {
            Helper::Ctpop(width) => (width, bits(width), ctpop(width, 0, width)),
            Helper::Ctlz(width) => (width, bits(width), first_one(width, (0..width).rev())),
            Helper::Cttz(width) => (width, bits(width), first_one(width, 0..width)),
            Helper::Bswap(width) => (width, bits(width), reverse(width, 8)),
            Helper::Bitreverse(width) => (width, bits(width), reverse(width, 1)),
            Helper::Table { table, width } => {
                let body = tables.get(table).map_or_else(String::new, |table| read(&table.bytes, width));
                (64, bits(width), body)
            }
            Helper::SAddO(w) | Helper::UAddO(w) | Helper::SSubO(w) | Helper::SMulO(w) | Helper::UMulO(w) => {
                let body = self.overflow(w);
                return format!("(define-fun {name} ((x (_ BitVec {w})) (y (_ BitVec {w}))) Bool {body})");
            }
        };
        format!("(define-fun {name} ((x (_ BitVec {width}))) {result} {body})")
    }

    /// Whether an operation on `x` and `y` overflows.
    fn overflow(self, w: u32) -> String {
        // One more bit holds every sum and difference: it fits if both top bits are the sign.
        let signed = |operator| {
            format!(
                "(let ((r ({operator} ((_ sign_extend 1) x) ((_ sign_extend 1) y)))) \
                 (distinct ((_ extract {w} {w}) r) ((_ extract {top} {top}) r)))",
                top = w - 1
            )
        };
        match self {
            Helper::SAddO(_) => signed("bvadd"),
            Helper::SSubO(_) => signed("bvsub"),
            Helper::UAddO(_) => "(bvult (bvadd x y) x)".into(),
            Helper::SMulO(_) => format!(
                "(distinct (bvmul ((_ sign_extend {w}) x) ((_ sign_extend {w}) y)) \
                 ((_ sign_extend {w}) (bvmul x y)))"
            ),
            _ => format!(
                "(distinct (bvmul ((_ zero_extend {w}) x) ((_ zero_extend {w}) y)) \
                 ((_ zero_extend {w}) (bvmul x y)))"
            ),
        }
    }
}

/// The number of ones among `count` bits from `low`, as a balanced sum.
fn ctpop(width: u32, low: u32, count: u32) -> String {
    if count == 1 {
        let bit = format!("((_ extract {low} {low}) x)");
        return if width == 1 { bit } else { format!("((_ zero_extend {}) {bit})", width - 1) };
    }
    let half = count / 2;
    format!("(bvadd {} {})", ctpop(width, low, half), ctpop(width, low + half, count - half))
}

/// How many of `bits` come before the first one that is set.
fn first_one(width: u32, bits: impl Iterator<Item = u32>) -> String {
    let mut text = String::new();
    for (count, bit) in bits.enumerate() {
        let _ = write!(text, "(ite (= ((_ extract {bit} {bit}) x) #b1) (_ bv{count} {width}) ");
    }
    text + &format!("(_ bv{width} {width})") + &")".repeat(width as usize)
}

/// The pieces of `x` in reverse order.
fn reverse(width: u32, piece: u32) -> String {
    let mut text = String::new();
    let mut low = 0;
    while low + piece < width {
        let _ = write!(text, "(concat ((_ extract {} {low}) x) ", low + piece - 1);
        low += piece;
    }
    let parentheses = ")".repeat((low / piece) as usize);
    text + &format!("((_ extract {} {low}) x)", width - 1) + &parentheses
}

/// What stands at offset `x`, as a binary search; neighbours that are equal become one leaf.
fn read(bytes: &[u8], width: u32) -> String {
    let mut entries: Vec<(usize, String)> = vec![];
    for (offset, entry) in bytes.windows(width as usize / 8).enumerate() {
        let digits: String = entry.iter().rev().map(|byte| format!("{byte:02x}")).collect();
        if entries.last().is_none_or(|(_, last)| *last != digits) {
            entries.push((offset, digits));
        }
    }
    search(&entries)
}

fn search(entries: &[(usize, String)]) -> String {
    match entries {
        [] => String::new(),
        [(_, digits)] => format!("#x{digits}"),
        _ => {
            let (left, right) = entries.split_at(entries.len() / 2);
            format!("(ite (bvult x #x{:016x}) {} {})", right[0].0, search(left), search(right))
        }
    }
}
