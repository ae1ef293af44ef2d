//! The functions of the C library's libm, called by number on raw bits.
//!
//! Expressions name these functions ([`Function`]); whoever evaluates such an expression must get the bits
//! that the code under test got, so the real functions are called: no reimplementation rounds alike.
//! `errno` and the floating-point flags change as the C library says; nothing here reads them.

use std::ffi::CStr;
use std::mem::transmute;
use std::sync::LazyLock;
use testwright_abi::libm::Function;

/// A C type that travels in the low bits of a `u64`.
trait Scalar {
    /// The value whose bits these are; bits above its width are ignored.
    fn from_bits(bits: u64) -> Self;
    /// The bits of the value, zero-extended.
    fn into_bits(self) -> u64;
}

impl Scalar for f64 {
    fn from_bits(bits: u64) -> f64 {
        f64::from_bits(bits)
    }
    fn into_bits(self) -> u64 {
        self.to_bits()
    }
}

impl Scalar for f32 {
    fn from_bits(bits: u64) -> f32 {
        f32::from_bits(bits as u32)
    }
    fn into_bits(self) -> u64 {
        u64::from(self.to_bits())
    }
}

impl Scalar for i32 {
    fn from_bits(bits: u64) -> i32 {
        bits as i32
    }
    fn into_bits(self) -> u64 {
        u64::from(self as u32)
    }
}

impl Scalar for i64 {
    fn from_bits(bits: u64) -> i64 {
        bits as i64
    }
    fn into_bits(self) -> u64 {
        self as u64
    }
}

/// The next argument, as its parameter's type.
fn next<T: Scalar>(arguments: &mut impl Iterator<Item = u64>) -> T {
    T::from_bits(arguments.next().unwrap_or(0))
}

macro_rules! scalar {
    (F64) => {
        f64
    };
    (F32) => {
        f32
    };
    (I32) => {
        i32
    };
    (I64) => {
        i64
    };
}

/// The shared library that the code under test calls, as `dlopen` gives it.
struct Library(*mut libc::c_void);

impl Library {
    /// The address of a function.
    fn symbol(&self, name: &CStr) -> *mut libc::c_void {
        // SAFETY: the handle is that of a library that is never closed, the name ends with a zero.
        let address = unsafe { libc::dlsym(self.0, name.as_ptr()) };
        assert!(!address.is_null(), "the C library has no {name:?}");
        address
    }
}

macro_rules! bind {
    ($($name:ident($($param:ident),*) -> $result:ident;)*) => {
        /// The functions of the shared library. Linking by name would not do: the standard library of Rust has functions of
        /// its own called `cbrt`, `fmin` and so on, which the linker prefers and which round otherwise.
        struct Functions {
            $($name: extern "C" fn($(scalar!($param)),*) -> scalar!($result),)*
        }

        impl Functions {
            fn load() -> Functions {
                // SAFETY: the name ends with a zero; loading the mathematical functions runs no code of others.
                let library = Library(unsafe { libc::dlopen(c"libm.so.6".as_ptr(), libc::RTLD_NOW) });
                assert!(!library.0.is_null(), "the C library has no libm.so.6");
                Functions {
                    $($name: {
                        let name = concat!(stringify!($name), "\0");
                        let name = CStr::from_bytes_with_nul(name.as_bytes()).expect("a name that ends with a zero");
                        // SAFETY: the signatures are those of math.h on x86-64. The functions take and return numbers
                        // only, so any argument is fine; what they write besides is per thread, except that
                        // lgamma stores into the plain int `signgam`, which nothing in this process reads.
                        unsafe {
                            transmute::<*mut libc::c_void, extern "C" fn($(scalar!($param)),*) -> scalar!($result)>(
                                library.symbol(name),
                            )
                        }
                    },)*
                }
            }
        }

        /// Calls `function`. Each argument is the bits of its parameter, zero-extended, and so is the result;
        /// arguments beyond the function's parameters are ignored.
        ///
        /// # Panics
        /// If this system has no shared libm, as glibc has.
        #[must_use]
        pub fn call(function: Function, arguments: [u64; 3]) -> u64 {
            static FUNCTIONS: LazyLock<Functions> = LazyLock::new(Functions::load);
            let mut arguments = arguments.into_iter();
            match function {
                $(Function::$name => {
                    let result = (FUNCTIONS.$name)($(next::<scalar!($param)>(&mut arguments)),*);
                    result.into_bits()
                })*
            }
        }
    };
}

testwright_abi::libm_functions!(bind);

/// Whether the C library, libm and the library of the compiler included, has a function or variable of this name.
#[must_use]
pub fn provides(name: &str) -> bool {
    let Ok(name) = std::ffi::CString::new(name) else { return false };
    [c"libc.so.6", c"libm.so.6", c"libgcc_s.so.1"].into_iter().any(|library| {
        // SAFETY: both names end with a zero; these libraries are loaded already or run no code of others, and are
        // never closed. The address is only compared.
        unsafe {
            let library = libc::dlopen(library.as_ptr(), libc::RTLD_NOW);
            !library.is_null() && !libc::dlsym(library, name.as_ptr()).is_null()
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_c_library_provides_its_own_functions_and_no_others() {
        for name in ["printf", "qsort", "sqrt", "environ", "__muldc3", "__udivti3"] {
            assert!(provides(name), "{name}");
        }
        for name in ["read_clock", "__VERIFIER_nondet_int", "reach_error", "", "a\0b"] {
            assert!(!provides(name), "{name:?}");
        }
    }

    fn double(function: Function, arguments: &[f64]) -> f64 {
        let mut bits = [0; 3];
        for (bits, argument) in bits.iter_mut().zip(arguments) {
            *bits = argument.to_bits();
        }
        f64::from_bits(call(function, bits))
    }

    #[test]
    fn functions_of_one_and_two_doubles_give_known_values() {
        assert_eq!(double(Function::cos, &[0.0]), 1.0);
        assert_eq!(double(Function::log2, &[8.0]), 3.0);
        assert_eq!(double(Function::pow, &[2.0, 10.0]), 1024.0);
        assert_eq!(double(Function::hypot, &[3.0, 4.0]), 5.0);
        assert_eq!(double(Function::remainder, &[7.0, 4.0]), -1.0);
        assert_eq!(double(Function::atan2, &[1.0, 0.0]), std::f64::consts::FRAC_PI_2);
    }

    #[test]
    fn arguments_keep_their_order() {
        assert_eq!(double(Function::pow, &[3.0, 2.0]), 9.0);
        assert_eq!(double(Function::fdim, &[5.0, 3.0]), 2.0);
        assert_eq!(double(Function::fdim, &[3.0, 5.0]), 0.0);
    }

    #[test]
    fn floats_use_only_the_low_half() {
        let nine = u64::from(9f32.to_bits());
        let two = u64::from(2f32.to_bits());
        let garbage = 0xdead_beef << 32;
        assert_eq!(call(Function::powf, [nine | garbage, two, 0]), u64::from(81f32.to_bits()));
    }

    #[test]
    fn integers_are_signed_on_the_way_in_and_zero_extended_on_the_way_out() {
        assert_eq!(call(Function::ldexp, [1f64.to_bits(), u64::from(-1i32 as u32), 0]), 0.5f64.to_bits());
        assert_eq!(call(Function::ilogb, [0.25f64.to_bits(), 0, 0]), u64::from(-2i32 as u32));
        assert_eq!(call(Function::lround, [(-2.5f64).to_bits(), 0, 0]), -3i64 as u64);
    }

    #[test]
    fn nan_comes_out_where_the_function_is_undefined() {
        assert!(double(Function::acos, &[2.0]).is_nan());
        assert!(double(Function::log, &[-1.0]).is_nan());
    }

    #[test]
    fn every_function_of_the_list_is_the_one_its_name_says() {
        let bits = |value: f64| [value.to_bits(); 3];
        assert_eq!(call(Function::sin, bits(0.5)), 0.5f64.sin().to_bits());
        assert_eq!(call(Function::tanh, bits(0.5)), 0.5f64.tanh().to_bits());
        assert_eq!(call(Function::exp, bits(0.5)), 0.5f64.exp().to_bits());
        // Everything can be called with any bits at all.
        for &function in Function::ALL {
            for argument in [0, 1, u64::MAX, 1 << 63, 1f64.to_bits(), u64::from(1f32.to_bits())] {
                let result = call(function, [argument; 3]);
                if function.result().width() == 32 {
                    assert!(u32::try_from(result).is_ok(), "{} gives 32 bits", function.name());
                }
            }
        }
    }
}
