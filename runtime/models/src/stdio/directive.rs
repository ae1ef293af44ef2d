//! Directives of a format: `%-08.3lx`.

/// A directive of a kind that the model can print.
pub(super) struct Directive {
    /// `-`: pad on the right.
    pub(super) left: bool,
    /// `+`: print the sign of positive numbers too.
    pub(super) plus: bool,
    /// A space in place of that sign.
    pub(super) space: bool,
    /// `#`: print the prefix of the base.
    pub(super) alternative: bool,
    /// `0`: pad with zeros.
    pub(super) zeros: bool,
    pub(super) width: Amount,
    pub(super) precision: Amount,
    pub(super) length: Length,
    pub(super) conversion: u8,
}

/// A width or precision.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Amount {
    Absent,
    Given(i32),
    /// `*`: an argument of type `int`.
    Argument,
}

/// How long an integer argument is.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Length {
    Char,
    Short,
    Int,
    /// `long`, and all types that are as long.
    Long,
}

/// Whether the model can print everything the format asks for.
pub(super) unsafe fn all_are_supported(format: *const u8) -> bool {
    let mut place = format;
    loop {
        let byte = *place;
        if byte == 0 {
            return true;
        }
        place = place.add(1);
        if byte == b'%' {
            match Directive::read(place) {
                Some((_, end)) => place = end,
                None => return false,
            }
        }
    }
}

impl Directive {
    /// Reads what follows `%`, and says what follows that; `None` if the model cannot print it.
    pub(super) unsafe fn read(text: *const u8) -> Option<(Directive, *const u8)> {
        let mut directive = Directive {
            left: false,
            plus: false,
            space: false,
            alternative: false,
            zeros: false,
            width: Amount::Absent,
            precision: Amount::Absent,
            length: Length::Int,
            conversion: 0,
        };
        let mut place = directive.read_flags(text);
        (directive.width, place) = read_amount(place)?;
        if *place == b'.' {
            let (precision, end) = read_amount(place.add(1))?;
            directive.precision = if precision == Amount::Absent { Amount::Given(0) } else { precision };
            place = end;
        }
        let has_length = matches!(*place, b'h' | b'l' | b'z' | b'j' | b't');
        (directive.length, place) = read_length(place);
        directive.conversion = *place;
        let supported = match directive.conversion {
            b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => true,
            b'c' | b's' | b'p' => !has_length,
            // With anything in between, `%%` is an error to some versions of glibc, not to others.
            b'%' => place == text,
            _ => false,
        };
        if supported { Some((directive, place.add(1))) } else { None }
    }

    unsafe fn read_flags(&mut self, text: *const u8) -> *const u8 {
        let mut place = text;
        loop {
            match *place {
                b'-' => self.left = true,
                b'+' => self.plus = true,
                b' ' => self.space = true,
                b'#' => self.alternative = true,
                b'0' => self.zeros = true,
                _ => return place,
            }
            place = place.add(1);
        }
    }
}

/// Reads a number or `*`; `None` if the number is so large that glibc may refuse it.
unsafe fn read_amount(text: *const u8) -> Option<(Amount, *const u8)> {
    const LARGE: i32 = 100_000_000;
    let mut place = text;
    if *place == b'*' {
        return Some((Amount::Argument, place.add(1)));
    }
    let mut amount: i32 = 0;
    while (*place).is_ascii_digit() {
        amount = amount * 10 + i32::from(*place - b'0');
        if amount >= LARGE {
            return None;
        }
        place = place.add(1);
    }
    Some((if place == text { Amount::Absent } else { Amount::Given(amount) }, place))
}

unsafe fn read_length(place: *const u8) -> (Length, *const u8) {
    let (first, second) = (*place, if *place == 0 { 0 } else { *place.add(1) });
    match first {
        b'h' if second == b'h' => (Length::Char, place.add(2)),
        b'h' => (Length::Short, place.add(1)),
        b'l' if second == b'l' => (Length::Long, place.add(2)),
        b'l' | b'z' | b'j' | b't' => (Length::Long, place.add(1)),
        _ => (Length::Int, place),
    }
}
