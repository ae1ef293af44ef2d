//! The variadic arguments of a call, as the x86-64 calling convention hands them on.

/// `va_list`: arguments left in the saved registers, then on the stack.
#[repr(C)]
#[derive(Debug)]
pub struct VaList {
    /// Offset of the next integer in the saved registers, 48 when they are used up.
    pub integer_offset: u32,
    /// Offset of the next float in the saved registers.
    pub float_offset: u32,
    /// The next argument on the stack.
    pub stack: *mut u8,
    /// The saved registers.
    pub registers: *mut u8,
}

const INTEGER_REGISTERS: u32 = 48;

impl VaList {
    /// Takes the next argument: an integer or pointer of 8 bytes.
    pub(super) unsafe fn next(&mut self) -> u64 {
        *self.take().cast::<u64>()
    }

    /// Takes the next argument, an `int`: the other half of its place holds anything.
    pub(super) unsafe fn next_int(&mut self) -> i32 {
        *self.take().cast::<i32>()
    }

    unsafe fn take(&mut self) -> *const u8 {
        if self.integer_offset < INTEGER_REGISTERS {
            let place = self.registers.add(self.integer_offset as usize);
            self.integer_offset += 8;
            place
        } else {
            let place = self.stack;
            self.stack = place.add(8);
            place
        }
    }
}
