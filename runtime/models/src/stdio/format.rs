//! Formats of lists that a search made up.

use super::va_list::VaList;

/// Where what the arguments are is written: `crates/exec/src/image/list.rs`.
const PAGE: usize = 4096;

/// Whether a format asks for what is in its list. Lists of callers have saved registers, and callers know best.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_testwright_fits(format: *const u8, list: *const VaList) -> i32 {
    i32::from(!(*list).registers.is_null() || format.is_null() || asks_for(format, (*list).stack))
}

/// Whether the conversions of a format take these arguments, and none prints a thousand characters.
unsafe fn asks_for(mut format: *const u8, mut argument: *const u8) -> bool {
    loop {
        match *format {
            0 => return true,
            b'%' => {
                format = format.add(1);
                while matches!(*format, b'-' | b'+' | b' ' | b'#' | b'0') {
                    format = format.add(1);
                }
                let mut digits = 0;
                while matches!(*format, b'0'..=b'9' | b'.') {
                    format = format.add(1);
                    digits += 1;
                }
                let is_long = *format == b'l';
                if is_long {
                    format = format.add(1);
                }
                let letter = match *format {
                    b'd' | b'i' | b'u' | b'x' | b'X' | b'o' if is_long => b'l',
                    b'd' | b'i' | b'u' | b'x' | b'X' | b'o' => b'd',
                    b'c' if !is_long => b'd',
                    b's' if !is_long => b's',
                    b'f' | b'e' | b'g' if !is_long => b'f',
                    b'%' if !is_long => 0,
                    _ => return false,
                };
                if digits > 3 || letter != 0 && !holds(argument, letter) {
                    return false;
                }
                if letter != 0 {
                    argument = argument.add(8);
                }
            }
            _ => {}
        }
        format = format.add(1);
    }
}

/// Whether an argument is what its letter says; a text must be there.
unsafe fn holds(argument: *const u8, letter: u8) -> bool {
    // One argument too many is a fault where it would be, so that the list gets longer.
    core::ptr::read_volatile(argument);
    let offset = argument as usize % PAGE;
    let place = argument.sub(offset).add((PAGE - offset) / 8 - 1);
    *place == letter && (letter != b's' || !(*argument.cast::<*const u8>()).is_null())
}
