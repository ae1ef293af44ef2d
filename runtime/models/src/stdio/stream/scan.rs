//! `vfscanf` on streams that are inputs: integers, characters and words.
//!
//! A format that asks for anything else is refused as a whole, before anything is read.

use super::{EOF, Stream, tw_model_ungetc};
use crate::libc::{ERANGE, set_errno};
use crate::stdio::VaList;

/// Whether all directives of a format are known.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_scan_is_supported(format: *const u8) -> bool {
    let mut place = format;
    while *place != 0 {
        let byte = *place;
        place = place.add(1);
        if byte == b'%' {
            let (directive, end) = Directive::read(place);
            if !directive.is_supported() {
                return false;
            }
            place = end;
        }
    }
    true
}

/// `vfscanf`, for a stream of ours and a format that is supported.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_scan(stream: *mut Stream, format: *const u8, list: *mut VaList) -> i32 {
    let mut scanner = Scanner { stream, read: 0 };
    let (mut place, mut done) = (format, 0);
    while *place != 0 {
        let byte = *place;
        place = place.add(1);
        let found = if is_space(i32::from(byte)) {
            scanner.skip_space();
            Found::Nothing
        } else if byte == b'%' {
            let (directive, end) = Directive::read(place);
            place = end;
            scanner.convert(&directive, list)
        } else {
            scanner.expect(byte)
        };
        match found {
            Found::Value => done += 1,
            Found::Nothing => {}
            Found::Other => return done,
            Found::End => return if done == 0 { EOF } else { done },
        }
    }
    done
}

/// What a directive found.
enum Found {
    /// What it stored.
    Value,
    /// What it wanted, without storing anything.
    Nothing,
    /// Something else.
    Other,
    /// The end of the stream.
    End,
}

/// What follows a percent sign.
struct Directive {
    /// Whether what is read is not stored.
    drops: bool,
    /// How many bytes are read at most; 0 if that is not said.
    width: usize,
    /// The size of an integer in bytes.
    size: usize,
    conversion: u8,
}

impl Directive {
    /// The directive that begins here, and where it ends.
    unsafe fn read(mut place: *const u8) -> (Directive, *const u8) {
        let mut directive = Directive { drops: false, width: 0, size: 4, conversion: 0 };
        if *place == b'*' {
            directive.drops = true;
            place = place.add(1);
        }
        while (*place).is_ascii_digit() {
            directive.width = directive.width.wrapping_mul(10).wrapping_add(usize::from(*place - b'0'));
            place = place.add(1);
        }
        loop {
            directive.size = match *place {
                b'h' => directive.size / 2,
                b'l' | b'j' | b'z' | b't' => 8,
                _ => break,
            };
            place = place.add(1);
        }
        directive.conversion = *place;
        // A format that ends here must not be read on.
        (directive, if *place == 0 { place } else { place.add(1) })
    }

    fn is_supported(&self) -> bool {
        let sized = self.size != 0;
        match self.conversion {
            b'd' | b'u' | b'x' | b'X' => sized,
            b'n' => sized && !self.drops && self.width == 0,
            // Those with a length are about wide characters.
            b'c' | b's' | b'%' => self.size == 4,
            _ => false,
        }
    }
}

struct Scanner {
    stream: *mut Stream,
    /// How many bytes were read.
    read: i64,
}

impl Scanner {
    unsafe fn get(&mut self) -> i32 {
        let byte = Stream::get(self.stream);
        if byte != EOF {
            self.read += 1;
        }
        byte
    }

    unsafe fn give_back(&mut self, byte: i32) {
        if byte != EOF {
            tw_model_ungetc(byte, self.stream);
            self.read -= 1;
        }
    }

    unsafe fn skip_space(&mut self) {
        let mut byte = self.get();
        while is_space(byte) {
            byte = self.get();
        }
        self.give_back(byte);
    }

    unsafe fn expect(&mut self, wanted: u8) -> Found {
        let byte = self.get();
        if byte == i32::from(wanted) {
            return Found::Nothing;
        }
        self.give_back(byte);
        if byte == EOF { Found::End } else { Found::Other }
    }

    unsafe fn convert(&mut self, directive: &Directive, list: *mut VaList) -> Found {
        if directive.conversion == b'n' {
            store((*list).next() as *mut u8, directive.size, self.read as u64);
            return Found::Nothing;
        }
        if directive.conversion != b'c' {
            self.skip_space();
        }
        match directive.conversion {
            b'%' => self.expect(b'%'),
            b'c' => self.characters(directive, list),
            b's' => self.word(directive, list),
            _ => self.integer(directive, list),
        }
    }

    unsafe fn characters(&mut self, directive: &Directive, list: *mut VaList) -> Found {
        let target = if directive.drops { core::ptr::null_mut() } else { (*list).next() as *mut u8 };
        let wanted = if directive.width == 0 { 1 } else { directive.width };
        let mut count = 0;
        while count < wanted {
            let byte = self.get();
            if byte == EOF {
                break;
            }
            if !directive.drops {
                *target.add(count) = byte as u8;
            }
            count += 1;
        }
        found(directive, count != 0)
    }

    unsafe fn word(&mut self, directive: &Directive, list: *mut VaList) -> Found {
        let target = if directive.drops { core::ptr::null_mut() } else { (*list).next() as *mut u8 };
        let mut count = 0;
        while directive.width == 0 || count < directive.width {
            let byte = self.get();
            if byte == EOF || is_space(byte) {
                self.give_back(byte);
                break;
            }
            if !directive.drops {
                *target.add(count) = byte as u8;
            }
            count += 1;
        }
        if count != 0 && !directive.drops {
            *target.add(count) = 0;
        }
        found(directive, count != 0)
    }

    unsafe fn integer(&mut self, directive: &Directive, list: *mut VaList) -> Found {
        let base = if directive.conversion | 0x20 == b'x' { 16 } else { 10 };
        let mut room = if directive.width == 0 { usize::MAX } else { directive.width };
        let mut byte = self.get();
        if byte == EOF {
            return Found::End;
        }
        let negative = byte == i32::from(b'-');
        if negative || byte == i32::from(b'+') {
            room -= 1;
            byte = self.get();
        }
        let mut number = Number { value: 0, digits: 0, overflows: false };
        if base == 16 && room != 0 && byte == i32::from(b'0') {
            number.digits = 1;
            room -= 1;
            byte = self.get();
            if room != 0 && (byte == i32::from(b'x') || byte == i32::from(b'X')) {
                room -= 1;
                byte = self.get();
            }
        }
        while room != 0 && number.add(byte, base) {
            room -= 1;
            byte = self.get();
        }
        self.give_back(byte);
        if number.digits == 0 {
            return Found::Other;
        }
        if !directive.drops {
            let value = if directive.conversion == b'd' {
                number.signed(negative)
            } else {
                number.unsigned(negative)
            };
            store((*list).next() as *mut u8, directive.size, value);
        }
        found(directive, true)
    }
}

/// An integer that is being read.
struct Number {
    value: u64,
    digits: usize,
    overflows: bool,
}

impl Number {
    /// Adds a digit; false if the byte is none.
    fn add(&mut self, byte: i32, base: u64) -> bool {
        let digit = if byte >= i32::from(b'0') && byte <= i32::from(b'9') {
            byte - i32::from(b'0')
        } else if base == 16 && byte >= i32::from(b'a') && byte <= i32::from(b'f') {
            byte - i32::from(b'a') + 10
        } else if base == 16 && byte >= i32::from(b'A') && byte <= i32::from(b'F') {
            byte - i32::from(b'A') + 10
        } else {
            return false;
        };
        let most = if base == 16 { u64::MAX / 16 } else { u64::MAX / 10 };
        let product = self.value.wrapping_mul(base);
        if self.may_be_large() {
            self.overflows |= self.value > most || product > u64::MAX - digit as u64;
        }
        self.value = product.wrapping_add(digit as u64);
        self.digits += 1;
        true
    }

    /// Whether so many digits can leave the range: solvers are not asked about numbers with fewer.
    fn may_be_large(&self) -> bool {
        self.digits >= 15
    }

    /// The value as `strtol` gives it: at the end of the range if it is beyond.
    fn signed(&self, negative: bool) -> u64 {
        let limit = i64::MAX as u64 + u64::from(negative);
        let beyond = self.may_be_large() && (self.overflows || self.value > limit);
        if beyond {
            set_errno(ERANGE);
        }
        let value = if beyond { limit } else { self.value };
        if negative { value.wrapping_neg() } else { value }
    }

    /// The value as `strtoul` gives it.
    fn unsigned(&self, negative: bool) -> u64 {
        if self.overflows {
            set_errno(ERANGE);
            return u64::MAX;
        }
        if negative { self.value.wrapping_neg() } else { self.value }
    }
}

fn found(directive: &Directive, anything: bool) -> Found {
    match (anything, directive.drops) {
        (false, _) => Found::End,
        (true, true) => Found::Nothing,
        (true, false) => Found::Value,
    }
}

fn is_space(byte: i32) -> bool {
    byte == i32::from(b' ') || (9..=13).contains(&byte)
}

unsafe fn store(target: *mut u8, size: usize, value: u64) {
    match size {
        1 => *target = value as u8,
        2 => *target.cast::<u16>() = value as u16,
        4 => *target.cast::<u32>() = value as u32,
        _ => *target.cast::<u64>() = value,
    }
}
