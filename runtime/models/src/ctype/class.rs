//! Classes of characters, by comparison of ranges.
//!
//! The functions return glibc's bit of the class, not 1: code that compares the result with 1, or stores it in
//! a byte, must go the same way in both builds.

/// The bits of the classes, as in glibc's table on a little-endian machine.
pub(super) mod bit {
    pub const UPPER: u16 = 0x0100;
    pub const LOWER: u16 = 0x0200;
    pub const ALPHA: u16 = 0x0400;
    pub const DIGIT: u16 = 0x0800;
    pub const XDIGIT: u16 = 0x1000;
    pub const SPACE: u16 = 0x2000;
    pub const PRINT: u16 = 0x4000;
    pub const GRAPH: u16 = 0x8000;
    pub const BLANK: u16 = 0x0001;
    pub const CNTRL: u16 = 0x0002;
    pub const PUNCT: u16 = 0x0004;
    pub const ALNUM: u16 = 0x0008;
}

const fn within(character: i32, first: u8, last: u8) -> bool {
    character >= first as i32 && character <= last as i32
}

macro_rules! classes {
    ($($name:ident, $bit:ident, $model:ident, $character:ident => $condition:expr;)*) => {
        $(
            const fn $name($character: i32) -> bool {
                $condition
            }

            #[doc = concat!("`", stringify!($name), "`")]
            #[unsafe(no_mangle)]
            pub extern "C" fn $model(character: i32) -> i32 {
                if $name(character) { bit::$bit as i32 } else { 0 }
            }
        )*

        /// All bits of a character.
        pub(super) const fn bits(character: i32) -> u16 {
            0 $(| if $name(character) { bit::$bit } else { 0 })*
        }
    };
}

classes! {
    isupper, UPPER, tw_model_isupper, c => within(c, b'A', b'Z');
    islower, LOWER, tw_model_islower, c => within(c, b'a', b'z');
    isalpha, ALPHA, tw_model_isalpha, c => isupper(c) || islower(c);
    isdigit, DIGIT, tw_model_isdigit, c => within(c, b'0', b'9');
    isxdigit, XDIGIT, tw_model_isxdigit, c => isdigit(c) || within(c, b'A', b'F') || within(c, b'a', b'f');
    isspace, SPACE, tw_model_isspace, c => within(c, b'\t', b'\r') || c == b' ' as i32;
    isprint, PRINT, tw_model_isprint, c => within(c, b' ', b'~');
    isgraph, GRAPH, tw_model_isgraph, c => within(c, b'!', b'~');
    isblank, BLANK, tw_model_isblank, c => c == b'\t' as i32 || c == b' ' as i32;
    iscntrl, CNTRL, tw_model_iscntrl, c => within(c, 0, 31) || c == 127;
    ispunct, PUNCT, tw_model_ispunct, c => isgraph(c) && !isalnum(c);
    isalnum, ALNUM, tw_model_isalnum, c => isalpha(c) || isdigit(c);
}

/// `isascii`
#[unsafe(no_mangle)]
pub extern "C" fn tw_model_isascii(character: i32) -> i32 {
    i32::from(within(character, 0, 127))
}

/// `toascii`
#[unsafe(no_mangle)]
pub extern "C" fn tw_model_toascii(character: i32) -> i32 {
    character & 0x7f
}

/// `tolower`
#[unsafe(no_mangle)]
pub extern "C" fn tw_model_tolower(character: i32) -> i32 {
    lower(character)
}

/// `toupper`
#[unsafe(no_mangle)]
pub extern "C" fn tw_model_toupper(character: i32) -> i32 {
    upper(character)
}

pub(super) const fn lower(character: i32) -> i32 {
    if isupper(character) { character + 32 } else { unsign(character) }
}

pub(super) const fn upper(character: i32) -> i32 {
    if islower(character) { character - 32 } else { unsign(character) }
}

/// glibc's conversions take a negative `char` for the unsigned one, unless it is also EOF.
const fn unsign(character: i32) -> i32 {
    if character >= -128 && character < -1 { character + 256 } else { character }
}
