//! `ctype.h` against libc, for every argument that glibc's tables cover.

use std::hint::black_box;
use testwright_models::ctype::*;

macro_rules! compare {
    ($($name:ident $model:ident)*) => {
        mod native {
            unsafe extern "C" {
                $(pub safe fn $name(character: i32) -> i32;)*
            }
        }

        #[test]
        fn every_function_returns_what_libc_returns() {
            for character in -128..=255 {
                $(
                    // LLVM knows some of these functions and would put code of its own in their place.
                    let native = black_box(native::$name as extern "C" fn(i32) -> i32);
                    assert_eq!($model(character), native(character), "{}({character})", stringify!($name));
                )*
            }
        }
    };
}

compare! {
    isalnum tw_model_isalnum isalpha tw_model_isalpha isascii tw_model_isascii isblank tw_model_isblank
    iscntrl tw_model_iscntrl isdigit tw_model_isdigit isgraph tw_model_isgraph islower tw_model_islower
    isprint tw_model_isprint ispunct tw_model_ispunct isspace tw_model_isspace isupper tw_model_isupper
    isxdigit tw_model_isxdigit toascii tw_model_toascii tolower tw_model_tolower toupper tw_model_toupper
}

#[test]
fn conversions_leave_what_is_no_character() {
    for character in [-129, -1000, 256, 1000, i32::MIN, i32::MAX] {
        assert_eq!(tw_model_tolower(character), native::tolower(character));
        assert_eq!(tw_model_toupper(character), native::toupper(character));
        assert_eq!(tw_model_isascii(character), native::isascii(character));
        assert_eq!(tw_model_toascii(character), native::toascii(character));
    }
}

#[test]
fn the_tables_hold_what_the_tables_of_libc_hold() {
    unsafe extern "C" {
        safe fn __ctype_b_loc() -> *const *const u16;
        safe fn __ctype_tolower_loc() -> *const *const i32;
        safe fn __ctype_toupper_loc() -> *const *const i32;
    }
    for index in -128..=255 {
        // SAFETY: the tables of libc cover these indices, and those of the models claim to.
        unsafe {
            let classes = (*tw_model___ctype_b_loc()).offset(index).read();
            assert_eq!(classes, (*__ctype_b_loc()).offset(index).read(), "class of {index}");
            let lower = (*tw_model___ctype_tolower_loc()).offset(index).read();
            assert_eq!(lower, (*__ctype_tolower_loc()).offset(index).read(), "small {index}");
            let upper = (*tw_model___ctype_toupper_loc()).offset(index).read();
            assert_eq!(upper, (*__ctype_toupper_loc()).offset(index).read(), "capital {index}");
        }
    }
}
