//! Making the process what it was before the first run.
//!
//! What can have changed depends on the library: its `needs`, whether it has globals, and whether the
//! case has objects besides the argument block. A tiny function without any of that pays for two stores.

use core::arch::asm;
use std::ptr::{with_exposed_provenance, with_exposed_provenance_mut};

use testwright_abi::command::{Span, needs};

use crate::request::Request;
use crate::{native, replacements};

/// How to reset before each run of one command.
pub struct Reset<'a> {
    request: &'a Request<'a>,
    /// Input objects and what they held when the command came.
    objects: Vec<(u64, Box<[u8]>)>,
    errno: *mut i32,
}

impl<'a> Reset<'a> {
    /// For one run: the host has just laid out the objects.
    pub fn once(request: &'a Request) -> Reset<'a> {
        // SAFETY: libc's own place.
        Reset { request, objects: Vec::new(), errno: unsafe { libc::__errno_location() } }
    }

    /// For many runs of one case: what a run may write to has to be restored. Argument block and
    /// result belong to the driver; the code under test does not see them.
    pub fn repeated(request: &'a Request) -> Reset<'a> {
        let copy = |object: &Span| {
            let place = with_exposed_provenance::<u8>(object.address as usize);
            // SAFETY: the objects of a request are accessible, and nothing is running.
            (object.address, unsafe { core::slice::from_raw_parts(place, object.length as usize) }.into())
        };
        let restored = |object: &&Span| object.length > 0 && !request.is_of_driver(object);
        let objects = request.objects.iter().filter(restored).map(copy).collect();
        Reset { objects, ..Reset::once(request) }
    }

    /// Whether [`Reset::light`] is all there is to do.
    pub fn is_light(&self) -> bool {
        let heavy = needs::STREAMS | needs::FLOAT_ENVIRONMENT | needs::UNKNOWN;
        let library = self.request.library;
        self.objects.is_empty()
            && self.request.writes.is_empty()
            && !library.has_globals()
            && library.needs & heavy == 0
    }

    /// The part that every run needs.
    #[inline]
    pub fn light(&self) {
        replacements::reset();
        // SAFETY: libc's own place.
        unsafe { *self.errno = 0 };
    }

    /// Everything.
    pub fn full(&self) {
        self.light();
        if self.needs(needs::FLOAT_ENVIRONMENT | needs::UNKNOWN) {
            reset_float_environment();
        }
        self.request.library.restore_globals();
        let objects = self.objects.iter().map(|(address, bytes)| (*address, bytes));
        let globals = self.request.writes.iter().map(|write| (write.target, &write.bytes));
        for (address, bytes) in objects.chain(globals) {
            let place = with_exposed_provenance_mut::<u8>(address as usize);
            // SAFETY: objects and globals of a request are accessible, and no code under test is running.
            unsafe { place.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
        }
        if self.needs(needs::UNKNOWN) {
            native::reset();
            // The calls above may have set it.
            self.light();
        }
    }

    /// Whether code under test may have printed something.
    pub fn has_output(&self) -> bool {
        self.needs(needs::STREAMS | needs::UNKNOWN)
    }

    fn needs(&self, bits: u64) -> bool {
        self.request.library.needs & bits != 0
    }
}

/// Rounding to nearest, no exception raised, none unmasked; x87 in extended precision.
fn reset_float_environment() {
    let mxcsr = 0x1f80u32;
    // SAFETY: these are the values that the calling convention expects at function entry.
    unsafe { asm!("fninit", "ldmxcsr [{}]", in(reg) &raw const mxcsr, options(nostack)) };
}
