//! Addresses of elements and applications of libm functions.

use testwright_abi::libm::Function;

use super::arena::Arena;
use super::term::Term;

impl Arena {
    /// `base + index * scale` on 64 bits.
    pub(super) fn element(&mut self, [a, b]: [u32; 2], [x, y]: [u64; 2], scale: u64) -> u32 {
        let [a, b] = [a, b].map(|handle| self.unless_pointer(handle));
        if a | b == 0 {
            return 0;
        }
        let (base, index) = (self.given(a, x, 64), self.given(b, y, 64));
        let offset = self.mul(index, Term::constant(scale, 64));
        let term = self.add(base, offset);
        self.agreed(term, x.wrapping_add(y.wrapping_mul(scale)))
    }

    /// The libm function with this number applied to as many operands as it has parameters.
    pub(super) fn apply(&mut self, function: u32, handles: [u32; 3], values: [u64; 3], result: u64) -> u32 {
        let number = u8::try_from(function).ok();
        let Some(function) = number.and_then(Function::from_number) else { return 0 };
        let mut terms = [Term::NONE; 3];
        for (i, parameter) in function.params().iter().enumerate() {
            terms[i] = self.given(handles[i], values[i], parameter.width() as u16);
        }
        if terms.iter().all(|term| term.is_constant()) {
            return 0;
        }
        let width = function.result().width() as u16;
        let term = self.application(function as u8, width, terms, result);
        self.agreed(term, result)
    }
}
