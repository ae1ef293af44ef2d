//! `vsnprintf`: a format and its arguments, printed into memory.

use super::directive::{Amount, Directive, Length, all_are_supported};
use super::va_list::VaList;
use crate::libc::{EOVERFLOW, set_errno, vsnprintf};
use crate::string::{tw_model_strlen, tw_model_strnlen};
use core::num::NonZero;

/// `vsnprintf`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_vsnprintf(
    target: *mut u8,
    size: usize,
    format: *const u8,
    list: *mut VaList,
) -> i32 {
    if !all_are_supported(format) {
        return vsnprintf(target, size, format, list);
    }
    let mut printer = Printer { target, room: if size == 0 { 0 } else { size - 1 }, count: 0 };
    printer.print(format, list);
    if size != 0 {
        *target.add(if printer.count < printer.room { printer.count } else { printer.room }) = 0;
    }
    if printer.count > i32::MAX as usize {
        set_errno(EOVERFLOW);
        return -1;
    }
    printer.count as i32
}

/// `vsprintf`
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_vsprintf(target: *mut u8, format: *const u8, list: *mut VaList) -> i32 {
    // No text that can be printed is longer: the functions return an `int`.
    tw_model_vsnprintf(target, i32::MAX as usize, format, list)
}

/// What is printed so far.
struct Printer {
    target: *mut u8,
    /// How many bytes fit before the final zero.
    room: usize,
    /// How many bytes were printed, whether they fitted or not.
    count: usize,
}

/// Digits of a number with what goes before them.
struct Digits {
    /// Sign or space, 0 if none.
    sign: u8,
    /// `0x` or `0X`: its letter, 0 if none.
    base_letter: u8,
    /// Zeros that the precision asks for.
    zeros: usize,
    buffer: [u8; DIGITS],
    length: usize,
}

/// Digits of a 64-bit number in base 8.
const DIGITS: usize = 22;

const EIGHT: NonZero<u64> = NonZero::new(8).unwrap();
const TEN: NonZero<u64> = NonZero::new(10).unwrap();
const SIXTEEN: NonZero<u64> = NonZero::new(16).unwrap();

impl Printer {
    /// Prints all of a format whose directives are supported.
    unsafe fn print(&mut self, format: *const u8, list: *mut VaList) {
        let mut place = format;
        loop {
            let byte = *place;
            if byte == 0 {
                return;
            }
            place = place.add(1);
            if byte != b'%' {
                self.put(byte);
                continue;
            }
            let Some((mut directive, end)) = Directive::read(place) else { return };
            let (width, precision) = directive.take_amounts(list);
            self.convert(&directive, width, precision, list);
            place = end;
        }
    }

    unsafe fn convert(
        &mut self,
        directive: &Directive,
        width: usize,
        precision: Option<usize>,
        list: *mut VaList,
    ) {
        match directive.conversion {
            b'%' => self.put(b'%'),
            b'c' => {
                let character = (*list).next_int() as u8;
                self.print_bytes(directive, width, &raw const character, 1);
            }
            b's' => self.print_text(directive, width, precision, (*list).next() as *const u8),
            b'p' => self.print_pointer(directive, width, precision, (*list).next()),
            _ => {
                let digits = Digits::of_argument(directive, precision, list);
                self.print_digits(directive, width, precision, &digits);
            }
        }
    }

    unsafe fn print_text(
        &mut self,
        directive: &Directive,
        width: usize,
        precision: Option<usize>,
        text: *const u8,
    ) {
        if text.is_null() {
            // glibc's word for it, if there is room for all of it.
            let length = if precision.is_none_or(|precision| precision >= 6) { 6 } else { 0 };
            return self.print_bytes(directive, width, b"(null)".as_ptr(), length);
        }
        let length = match precision {
            Some(precision) => tw_model_strnlen(text, precision),
            None => tw_model_strlen(text),
        };
        self.print_bytes(directive, width, text, length);
    }

    unsafe fn print_pointer(
        &mut self,
        directive: &Directive,
        width: usize,
        precision: Option<usize>,
        address: u64,
    ) {
        if address == 0 {
            return self.print_bytes(directive, width, b"(nil)".as_ptr(), 5);
        }
        let mut digits = Digits::new(address, SIXTEEN, b'a', precision);
        digits.sign = directive.sign_of_positive();
        digits.base_letter = b'x';
        self.print_digits(directive, width, precision, &digits);
    }

    unsafe fn print_bytes(&mut self, directive: &Directive, width: usize, bytes: *const u8, length: usize) {
        let padding = width.saturating_sub(length);
        if !directive.left {
            self.pad(b' ', padding);
        }
        let mut i = 0;
        while i < length {
            self.put(*bytes.add(i));
            i += 1;
        }
        if directive.left {
            self.pad(b' ', padding);
        }
    }

    unsafe fn print_digits(
        &mut self,
        directive: &Directive,
        width: usize,
        precision: Option<usize>,
        digits: &Digits,
    ) {
        let sign = usize::from(digits.sign != 0);
        let prefix = if digits.base_letter == 0 { 0 } else { 2 };
        let padding = width.saturating_sub(sign + prefix + digits.zeros + digits.length);
        let zeros = directive.zeros && !directive.left && precision.is_none();
        if !directive.left && !zeros {
            self.pad(b' ', padding);
        }
        if digits.sign != 0 {
            self.put(digits.sign);
        }
        if digits.base_letter != 0 {
            self.put(b'0');
            self.put(digits.base_letter);
        }
        self.pad(b'0', digits.zeros + if zeros { padding } else { 0 });
        let mut i = DIGITS - digits.length;
        while i < DIGITS {
            self.put(*digits.buffer.as_ptr().add(i));
            i += 1;
        }
        if directive.left {
            self.pad(b' ', padding);
        }
    }

    unsafe fn pad(&mut self, byte: u8, count: usize) {
        let mut i = 0;
        while i < count && self.count < self.room {
            self.put(byte);
            i += 1;
        }
        self.count += count - i;
    }

    unsafe fn put(&mut self, byte: u8) {
        if self.count < self.room {
            *self.target.add(self.count) = byte;
        }
        self.count += 1;
    }
}

impl Digits {
    /// The digits of the integer that comes next in `list`.
    unsafe fn of_argument(directive: &Directive, precision: Option<usize>, list: *mut VaList) -> Digits {
        let (base, ten) = match directive.conversion {
            b'x' => (SIXTEEN, b'a'),
            b'X' => (SIXTEEN, b'A'),
            b'o' => (EIGHT, 0),
            _ => (TEN, 0),
        };
        if directive.conversion == b'd' || directive.conversion == b'i' {
            let value = match directive.length {
                Length::Char => i64::from((*list).next_int() as i8),
                Length::Short => i64::from((*list).next_int() as i16),
                Length::Int => i64::from((*list).next_int()),
                Length::Long => (*list).next() as i64,
            };
            let mut digits = Digits::new(value.unsigned_abs(), base, ten, precision);
            digits.sign = if value < 0 { b'-' } else { directive.sign_of_positive() };
            return digits;
        }
        let value = match directive.length {
            Length::Char => u64::from((*list).next_int() as u8),
            Length::Short => u64::from((*list).next_int() as u16),
            Length::Int => u64::from((*list).next_int() as u32),
            Length::Long => (*list).next(),
        };
        let mut digits = Digits::new(value, base, ten, precision);
        if directive.alternative && base == SIXTEEN && value != 0 {
            digits.base_letter = directive.conversion;
        }
        if directive.alternative && base == EIGHT && digits.zeros == 0 && (value != 0 || digits.length == 0) {
            digits.zeros = 1;
        }
        digits
    }

    /// `ten` is the letter for the digit ten.
    unsafe fn new(value: u64, base: NonZero<u64>, ten: u8, precision: Option<usize>) -> Digits {
        let mut digits = Digits { sign: 0, base_letter: 0, zeros: 0, buffer: [0; DIGITS], length: 0 };
        let mut rest = value;
        // A precision of 0 makes nothing of the value 0.
        while rest != 0 || digits.length == 0 && precision != Some(0) {
            let digit = (rest % base) as u8;
            rest /= base;
            digits.length += 1;
            let byte = if digit < 10 { b'0' + digit } else { ten + (digit - 10) };
            *digits.buffer.as_mut_ptr().add(DIGITS - digits.length) = byte;
        }
        digits.zeros = precision.unwrap_or(0).saturating_sub(digits.length);
        digits
    }
}

impl Directive {
    fn sign_of_positive(&self) -> u8 {
        if self.plus {
            b'+'
        } else if self.space {
            b' '
        } else {
            0
        }
    }

    /// Width and precision, taken from the arguments where the format says so.
    unsafe fn take_amounts(&mut self, list: *mut VaList) -> (usize, Option<usize>) {
        let width = match self.width {
            Amount::Absent => 0,
            Amount::Given(width) => width,
            Amount::Argument => (*list).next_int(),
        };
        if width < 0 {
            self.left = true;
        }
        let precision = match self.precision {
            Amount::Absent => -1,
            Amount::Given(precision) => precision,
            Amount::Argument => (*list).next_int(),
        };
        (width.unsigned_abs() as usize, if precision < 0 { None } else { Some(precision as usize) })
    }
}
