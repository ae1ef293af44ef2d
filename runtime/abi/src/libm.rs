//! The functions of libm that appear in expressions by name.

/// What a parameter or result is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scalar {
    /// `double`
    F64,
    /// `float`
    F32,
    /// `int`
    I32,
    /// `long`
    I64,
}

impl Scalar {
    /// Width in bits.
    #[must_use]
    pub const fn width(self) -> u32 {
        match self {
            Scalar::F64 | Scalar::I64 => 64,
            Scalar::F32 | Scalar::I32 => 32,
        }
    }
}

macro_rules! functions {
    ($($name:ident($($param:ident),*) -> $result:ident;)*) => {
        /// A function of libm.
        #[repr(u8)]
        #[expect(non_camel_case_types, reason = "these are the C names")]
        #[expect(missing_docs, reason = "the C library documents them")]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        pub enum Function { $($name,)* }

        impl Function {
            /// All of them, in the order of their numbers.
            pub const ALL: &[Function] = &[$(Function::$name,)*];

            /// The C name.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Function::$name => stringify!($name),)* }
            }

            /// The parameters.
            #[must_use]
            pub const fn params(self) -> &'static [Scalar] {
                match self { $(Function::$name => &[$(Scalar::$param),*],)* }
            }

            /// The result.
            #[must_use]
            pub const fn result(self) -> Scalar {
                match self { $(Function::$name => Scalar::$result,)* }
            }

            /// The function with this C name.
            #[must_use]
            pub fn from_name(name: &str) -> Option<Function> {
                match name { $(stringify!($name) => Some(Function::$name),)* _ => None }
            }

            /// The function with this number.
            #[must_use]
            pub fn from_number(number: u8) -> Option<Function> {
                Function::ALL.get(number as usize).copied()
            }
        }

        /// Calls `$callback!` with the whole list, so that others can make tables of it.
        #[macro_export]
        macro_rules! libm_functions {
            ($callback:ident) => { $callback! { $($name($($param),*) -> $result;)* } };
        }
    };
}

functions! {
    sin(F64) -> F64; cos(F64) -> F64; tan(F64) -> F64;
    asin(F64) -> F64; acos(F64) -> F64; atan(F64) -> F64; atan2(F64, F64) -> F64;
    sinh(F64) -> F64; cosh(F64) -> F64; tanh(F64) -> F64;
    asinh(F64) -> F64; acosh(F64) -> F64; atanh(F64) -> F64;
    exp(F64) -> F64; exp2(F64) -> F64; expm1(F64) -> F64;
    log(F64) -> F64; log2(F64) -> F64; log10(F64) -> F64; log1p(F64) -> F64; logb(F64) -> F64;
    pow(F64, F64) -> F64; hypot(F64, F64) -> F64; cbrt(F64) -> F64;
    erf(F64) -> F64; erfc(F64) -> F64; lgamma(F64) -> F64; tgamma(F64) -> F64;
    j0(F64) -> F64; j1(F64) -> F64; y0(F64) -> F64; y1(F64) -> F64;
    remainder(F64, F64) -> F64; fmin(F64, F64) -> F64; fmax(F64, F64) -> F64; fdim(F64, F64) -> F64;
    nextafter(F64, F64) -> F64; ldexp(F64, I32) -> F64; scalbn(F64, I32) -> F64;
    ilogb(F64) -> I32; lround(F64) -> I64; lrint(F64) -> I64;
    sinf(F32) -> F32; cosf(F32) -> F32; tanf(F32) -> F32;
    asinf(F32) -> F32; acosf(F32) -> F32; atanf(F32) -> F32; atan2f(F32, F32) -> F32;
    sinhf(F32) -> F32; coshf(F32) -> F32; tanhf(F32) -> F32;
    expf(F32) -> F32; exp2f(F32) -> F32; expm1f(F32) -> F32;
    logf(F32) -> F32; log2f(F32) -> F32; log10f(F32) -> F32; log1pf(F32) -> F32;
    powf(F32, F32) -> F32; hypotf(F32, F32) -> F32; cbrtf(F32) -> F32;
    fminf(F32, F32) -> F32; fmaxf(F32, F32) -> F32; fdimf(F32, F32) -> F32;
    ldexpf(F32, I32) -> F32; scalbnf(F32, I32) -> F32;
}
