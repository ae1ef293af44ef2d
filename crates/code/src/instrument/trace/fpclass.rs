//! `llvm.is.fpclass` as integer arithmetic on the bits of a float.

use crate::instrument::emitter::Emitter;
use testwright_llvm::{IntPredicate, Kind, Opcode, Value};

/// ```text
/// before:  %r = call i1 @llvm.is.fpclass.f64(double %x, i32 <mask>)
/// after:   %bits = bitcast %x;  %magnitude = %bits & 0x7ff..;  one range test per class in the mask, joined by or
/// ```
pub fn lower<'c>(emitter: &Emitter<'c, '_>, call: Value<'c>) -> Option<Value<'c>> {
    use IntPredicate::*;
    let (ty, fraction) = match call.operand(0).ty().kind() {
        Kind::Float => (emitter.i32, 23),
        Kind::Double => (emitter.i64, 52),
        _ => return None,
    };
    let mask = call.operand(1).constant_int()?;
    let builder = &emitter.builder;
    let width = ty.int_width();
    let bits = builder.cast(Opcode::LLVMBitCast, call.operand(0), ty);
    let magnitude = builder.binary(Opcode::LLVMAnd, bits, ty.constant((1 << (width - 1)) - 1));
    let negative = builder.compare(LLVMIntSLT, bits, ty.zero());
    let positive = builder.xor(negative, emitter.i1.constant(1));
    let infinity = ((1u64 << (width - 1 - fraction)) - 1) << fraction;
    let smallest_normal = 1u64 << fraction;
    let quiet = infinity | 1 << (fraction - 1);
    // The magnitude lies in low ..= high.
    let within = |low: u64, high: u64| {
        let offset = builder.sub(magnitude, ty.constant(low));
        builder.compare(LLVMIntULE, offset, ty.constant(high - low))
    };
    let top = (1u64 << (width - 1)) - 1;
    let classes: [(u32, u64, u64, Option<Value<'c>>); 10] = [
        (0, infinity + 1, quiet - 1, None),
        (1, quiet, top, None),
        (2, infinity, infinity, Some(negative)),
        (3, smallest_normal, infinity - 1, Some(negative)),
        (4, 1, smallest_normal - 1, Some(negative)),
        (5, 0, 0, Some(negative)),
        (6, 0, 0, Some(positive)),
        (7, 1, smallest_normal - 1, Some(positive)),
        (8, smallest_normal, infinity - 1, Some(positive)),
        (9, infinity, infinity, Some(positive)),
    ];
    let mut result = emitter.i1.zero();
    for (bit, low, high, sign) in classes {
        if mask >> bit & 1 == 1 {
            let mut test = within(low, high);
            if let Some(sign) = sign {
                test = builder.binary(Opcode::LLVMAnd, test, sign);
            }
            result = builder.or(result, test);
        }
    }
    Some(result)
}
