//! The ends of integer types, as C names them: `INT_MAX`, `SIZE_MAX`, `INT64_MIN`.

use crate::ids::TypeId;
use crate::layout::integer;
use crate::types::Types;

/// The ends of a type, and how they are named.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// What both names begin with: `INT`.
    pub stem: &'static str,
    /// The header that has them; none for those of `stdint.h`, because code may define its types by itself.
    pub header: Option<&'static str>,
    /// The least value; C has no name for 0.
    pub least: i128,
    /// The greatest value.
    pub most: i128,
}

/// The ends of an integer type. None for bytes, which are plain numbers to people, and for what C has no names for.
#[must_use]
pub fn limits(types: &Types, ty: TypeId) -> Option<Limits> {
    let (bits, signed) = integer(types, ty)?;
    let standard = match types.get(ty).name.as_deref().unwrap_or_default() {
        "size_t" => Some("SIZE"),
        "int16_t" => Some("INT16"),
        "uint16_t" => Some("UINT16"),
        "int32_t" => Some("INT32"),
        "uint32_t" => Some("UINT32"),
        "int64_t" => Some("INT64"),
        "uint64_t" => Some("UINT64"),
        _ => None,
    };
    let is_long_long = types.get(ty).name.as_deref().is_some_and(|name| name.contains("long long"));
    let header = standard.is_none().then_some("limits.h");
    let stem = match (standard, bits, signed) {
        (Some(stem), ..) => stem,
        (None, 16, true) => "SHRT",
        (None, 16, false) => "USHRT",
        (None, 32, true) => "INT",
        (None, 32, false) => "UINT",
        (None, 64, true) => {
            if is_long_long {
                "LLONG"
            } else {
                "LONG"
            }
        }
        (None, 64, false) => {
            if is_long_long {
                "ULLONG"
            } else {
                "ULONG"
            }
        }
        _ => return None,
    };
    let (least, most) =
        if signed { (-(1i128 << (bits - 1)), (1i128 << (bits - 1)) - 1) } else { (0, (1i128 << bits) - 1) };
    Some(Limits { stem, header, least, most })
}

impl Limits {
    /// The name of a value that is an end.
    #[must_use]
    pub fn name(&self, value: i128) -> Option<String> {
        match value {
            _ if value == self.most => Some(format!("{}_MAX", self.stem)),
            _ if value == self.least && value != 0 => Some(format!("{}_MIN", self.stem)),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sample;

    #[test]
    fn ends_are_named_after_the_type() {
        let check = |name: &str, bits: u32, signed: bool, names: [Option<&str>; 2]| {
            let mut types = Types::default();
            let ty = sample::int(&mut types, name, bits, signed);
            let limits = limits(&types, ty).expect("it has ends");
            assert_eq!(
                [limits.least, limits.most].map(|end| limits.name(end)),
                names.map(|n| n.map(str::to_owned))
            );
        };
        check("int", 32, true, [Some("INT_MIN"), Some("INT_MAX")]);
        check("size_t", 64, false, [None, Some("SIZE_MAX")]);
        check("int64_t", 64, true, [Some("INT64_MIN"), Some("INT64_MAX")]);
        check("unsigned long long", 64, false, [None, Some("ULLONG_MAX")]);
        check("ticks", 64, true, [Some("LONG_MIN"), Some("LONG_MAX")]);
        let mut types = Types::default();
        let byte = sample::int(&mut types, "uint8_t", 8, false);
        assert_eq!(limits(&types, byte), None);
    }
}
