//! Formats of lists that a search made up.

use super::va_list::VaList;

/// Whether a format asks for what is in its list. Those of a search hold `int`s; those of callers have saved registers, and callers
/// know best.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn tw_model_testwright_fits(format: *const u8, list: *const VaList) -> i32 {
    i32::from(!(*list).registers.is_null() || format.is_null() || asks_for_ints(format))
}

/// Whether all conversions of a format take an `int`, and none prints a thousand characters.
unsafe fn asks_for_ints(mut format: *const u8) -> bool {
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
                if digits > 3 || !matches!(*format, b'd' | b'i' | b'u' | b'x' | b'X' | b'o' | b'c' | b'%') {
                    return false;
                }
            }
            _ => {}
        }
        format = format.add(1);
    }
}
