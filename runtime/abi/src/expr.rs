//! Expression nodes as the trace build records them.
//!
//! Everything is a bit vector of 1 to 128 bits; floating-point operations read their operands as
//! IEEE 754 single (32 bits) or double (64 bits). A handle is the index of a node; operands always have
//! smaller handles than the node that uses them. Handle 0 means "no expression: concrete".

/// An expression node, 32 bytes. Nodes that agree in everything but `value` are the same node.
#[repr(C, align(16))]
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Node {
    /// The operation; one of [`Op`].
    pub op: u8,
    /// For [`Op::App`]: which function ([`crate::libm::Function`]). Otherwise 0.
    pub function: u8,
    /// Width of the result in bits.
    pub width: u16,
    /// First operand; see the operation.
    pub a: u32,
    /// Second operand.
    pub b: u32,
    /// Third operand.
    pub c: u32,
    /// The value this expression had in the run, zero-extended.
    pub value: u128,
}

macro_rules! ops {
    ($($(#[doc = $doc:literal])* $name:ident = $number:literal, $arity:literal, $text:literal;)*) => {
        /// The operations.
        #[repr(u8)]
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Op { $($(#[doc = $doc])* $name = $number,)* }

        impl Op {
            /// All operations.
            pub const ALL: &[Op] = &[$(Op::$name,)*];

            /// How many operands are expressions (always the first ones of `a`, `b`, `c`;
            /// for [`Op::Table`] it is `b`).
            #[must_use]
            pub const fn arity(self) -> usize {
                match self { $(Op::$name => $arity,)* }
            }

            /// A short name for people.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self { $(Op::$name => $text,)* }
            }

            /// The operation with this number.
            #[inline]
            #[must_use]
            pub const fn from_number(number: u8) -> Option<Op> {
                // A table: this is asked several times for every expression that is built.
                const OPS: [Option<Op>; 256] = {
                    let mut ops = [None; 256];
                    $(ops[$number] = Some(Op::$name);)*
                    ops
                };
                OPS[number as usize]
            }
        }
    };
}

ops! {
    /// A constant of up to 64 bits: `b` = low half, `c` = high half. Wider ones are [`Op::Concat`]s.
    Const = 1, 0, "const";
    /// The input with index `a`.
    Input = 2, 0, "input";

    /// Wrapping addition.
    Add = 3, 2, "add";
    /// Wrapping subtraction.
    Sub = 4, 2, "sub";
    /// Wrapping multiplication.
    Mul = 5, 2, "mul";
    /// Unsigned division; the divisor was not 0 in the run.
    UDiv = 6, 2, "udiv";
    /// Signed division, rounding to zero.
    SDiv = 7, 2, "sdiv";
    /// Unsigned remainder.
    URem = 8, 2, "urem";
    /// Signed remainder with the sign of the dividend.
    SRem = 9, 2, "srem";
    /// Bitwise and.
    And = 10, 2, "and";
    /// Bitwise or.
    Or = 11, 2, "or";
    /// Bitwise exclusive or.
    Xor = 12, 2, "xor";
    /// Shift left; 0 if the amount is the width or more.
    Shl = 13, 2, "shl";
    /// Logical shift right; 0 if the amount is the width or more.
    LShr = 14, 2, "lshr";
    /// Arithmetic shift right; the sign if the amount is the width or more.
    AShr = 15, 2, "ashr";
    /// Equal; 1 bit.
    Eq = 16, 2, "eq";
    /// Unsigned less than; 1 bit.
    Ult = 17, 2, "ult";
    /// Unsigned less or equal; 1 bit.
    Ule = 18, 2, "ule";
    /// Signed less than; 1 bit.
    Slt = 19, 2, "slt";
    /// Signed less or equal; 1 bit.
    Sle = 20, 2, "sle";
    /// `a` gives the high bits, `b` the low ones; the width is the sum of theirs.
    Concat = 21, 2, "concat";

    /// Bitwise complement; on 1 bit the logical not.
    Not = 22, 1, "not";
    /// Zero extension to `width`.
    ZExt = 23, 1, "zext";
    /// Sign extension to `width`.
    SExt = 24, 1, "sext";
    /// The `width` bits of `a` from bit `b` (a number, not a handle) upwards.
    Extract = 25, 1, "extract";
    /// Number of ones.
    Ctpop = 26, 1, "ctpop";
    /// Leading zeros; the width for 0.
    Ctlz = 27, 1, "ctlz";
    /// Trailing zeros; the width for 0.
    Cttz = 28, 1, "cttz";
    /// Bytes reversed.
    Bswap = 29, 1, "bswap";
    /// Bits reversed.
    Bitreverse = 30, 1, "bitreverse";

    /// `b` if the 1-bit `a` is true, else `c`.
    Ite = 31, 3, "ite";

    /// Signed addition overflows; 1 bit, operands of equal width.
    SAddO = 32, 2, "saddo";
    /// Unsigned addition overflows.
    UAddO = 33, 2, "uaddo";
    /// Signed subtraction overflows.
    SSubO = 34, 2, "ssubo";
    /// Unsigned subtraction overflows.
    USubO = 35, 2, "usubo";
    /// Signed multiplication overflows.
    SMulO = 36, 2, "smulo";
    /// Unsigned multiplication overflows.
    UMulO = 37, 2, "umulo";

    /// Floating-point addition, to nearest even, as all of the following.
    FAdd = 40, 2, "fadd";
    /// Subtraction.
    FSub = 41, 2, "fsub";
    /// Multiplication.
    FMul = 42, 2, "fmul";
    /// Division.
    FDiv = 43, 2, "fdiv";
    /// Remainder as C's `fmod`.
    FRem = 44, 2, "frem";
    /// The sign bit flipped, also of NaN.
    FNeg = 45, 1, "fneg";
    /// The sign bit cleared.
    FAbs = 46, 1, "fabs";
    /// Square root, correctly rounded.
    FSqrt = 47, 1, "fsqrt";
    /// `a * b + c` rounded once.
    FFma = 48, 3, "ffma";
    /// Round towards minus infinity.
    FFloor = 49, 1, "ffloor";
    /// Round towards plus infinity.
    FCeil = 50, 1, "fceil";
    /// Round towards zero.
    FTrunc = 51, 1, "ftrunc";
    /// Round to nearest, ties to even.
    FRint = 52, 1, "frint";
    /// Round to nearest, ties away from zero.
    FRound = 53, 1, "fround";
    /// Magnitude of `a`, sign of `b`.
    FCopysign = 54, 2, "fcopysign";
    /// Equal and neither is NaN; 1 bit.
    FEq = 55, 2, "feq";
    /// Less than and neither is NaN; 1 bit.
    FLt = 56, 2, "flt";
    /// Less or equal and neither is NaN; 1 bit.
    FLe = 57, 2, "fle";
    /// At least one is NaN; 1 bit.
    FUno = 58, 2, "funo";
    /// To a signed integer of `width` bits, towards zero.
    FToS = 59, 1, "ftos";
    /// To an unsigned integer of `width` bits, towards zero.
    FToU = 60, 1, "ftou";
    /// From a signed integer.
    SToF = 61, 1, "stof";
    /// From an unsigned integer.
    UToF = 62, 1, "utof";
    /// Between single and double.
    FToF = 63, 1, "ftof";

    /// A function of libm, `function` says which; as many operands as it has parameters.
    App = 70, 3, "app";
    /// `width` bits, little endian, from table `a` (a number) at byte offset `b` (64 bits).
    Table = 71, 1, "table";
}

impl Op {
    /// Whether the result is one bit whatever the operands' width.
    #[must_use]
    pub const fn is_predicate(self) -> bool {
        matches!(
            self,
            Op::Eq
                | Op::Ult
                | Op::Ule
                | Op::Slt
                | Op::Sle
                | Op::SAddO
                | Op::UAddO
                | Op::SSubO
                | Op::USubO
                | Op::SMulO
                | Op::UMulO
                | Op::FEq
                | Op::FLt
                | Op::FLe
                | Op::FUno
        )
    }
}

/// Operation and widths packed into one number, as the functions of the table take them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpCode {
    /// The operation.
    pub op: Op,
    /// Width of the result.
    pub result: u32,
    /// Width of the operands.
    pub operand: u32,
}

impl OpCode {
    /// The packed number.
    #[must_use]
    pub const fn pack(self) -> u32 {
        self.op as u32 | self.result << 8 | self.operand << 20
    }

    /// Operation number, result width, operand width.
    #[inline]
    #[must_use]
    pub const fn unpack(code: u32) -> (u8, u16, u16) {
        (code as u8, (code >> 8 & 0xfff) as u16, (code >> 20) as u16)
    }
}
