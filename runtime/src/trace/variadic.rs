//! Where variadic arguments lie after `va_start`, by the x86-64 System V convention.
//!
//! The list says where the registers were saved and which of them named parameters used up. A
//! value occupies the low bytes of its slot; the rest of the slot is concrete.

use testwright_abi::control::VariadicClass;

use super::Trace;
use super::counters;
use super::shadow;

/// Ends of the two register areas, as offsets into the save area.
const GENERAL_END: u32 = 48;
const VECTOR_END: u32 = 176;

/// A `va_list` element.
#[repr(C)]
#[derive(Clone, Copy)]
struct List {
    gp_offset: u32,
    fp_offset: u32,
    overflow_arg_area: u64,
    reg_save_area: u64,
}

impl List {
    /// Takes the next slot for a value of this class and size: where it is, and how long.
    fn next(&mut self, class: VariadicClass, size: u32) -> (u64, u32) {
        let wide = size > 8;
        match class {
            VariadicClass::Integer => {
                let length = if wide { 16 } else { 8 };
                if self.gp_offset + length <= GENERAL_END {
                    let at = self.reg_save_area + u64::from(self.gp_offset);
                    self.gp_offset += length;
                    return (at, length);
                }
            }
            VariadicClass::Float => {
                if self.fp_offset + 16 <= VECTOR_END {
                    let at = self.reg_save_area + u64::from(self.fp_offset);
                    self.fp_offset += 16;
                    return (at, 16);
                }
            }
            VariadicClass::Memory16 | VariadicClass::Memory => {}
        }
        let length = if wide || class == VariadicClass::Memory16 { 16 } else { 8 };
        let at = self.overflow_arg_area.next_multiple_of(length);
        self.overflow_arg_area = at + length;
        (at, length as u32)
    }
}

impl Trace {
    /// Code that is not traced is given the rest of the list at `list`.
    pub(super) fn given_list(&mut self, site: u32, list: u64, callee: u32) {
        // SAFETY: the code under test has initialised the list there.
        let List { reg_save_area, overflow_arg_area, .. } = unsafe { (list as *const List).read_unaligned() };
        self.given(site, reg_save_area, callee);
        self.given(site, overflow_arg_area, callee);
    }

    /// Gives the variadic arguments of the call under way their expressions, in the list at `list`.
    pub(super) fn variadic(&mut self, list: u64) {
        // SAFETY: the code under test has just initialised the list there.
        let mut slots = unsafe { (list as *const List).read_unaligned() };
        shadow::clear(list, size_of::<List>() as u64);
        let arguments = (0..).map_while(counters::variadic_argument);
        for argument in arguments {
            let (at, length) = slots.next(argument.class, argument.size);
            shadow::clear(at, length.into());
            if argument.handle != 0 {
                self.store(argument.handle, at, argument.size.clamp(1, length));
            }
        }
    }
}
