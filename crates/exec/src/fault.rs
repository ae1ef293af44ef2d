//! Where a run faulted, as its code would say.
//!
//! The trace build may look at the taint of an address before it looks at the address itself. What lies near null, or
//! below everything that the worker maps, has no taint, so the fault then tells where that would be.

use testwright_abi::memory::TAINT_BELOW;

/// An address so near to zero is one behind, or before, what a null pointer leads to. Nothing is mapped there. A struct or an index
/// of a megabyte is as much as code has in practice; the 64 KiB that the kernel keeps free would leave out larger ones.
pub(crate) const NEAR_NULL: u64 = 1 << 20;

/// Whether an address is what code gets that follows a null pointer.
#[must_use]
pub fn is_near_null(address: u64) -> bool {
    address.wrapping_add(NEAR_NULL) < 2 * NEAR_NULL
}

/// The address that the code meant when a run faulted at `address`.
pub(crate) fn meant(address: u64) -> u64 {
    let owner = address.wrapping_add(TAINT_BELOW);
    // Taint of what lies below `TAINT_BELOW` would lie in the upper half, where no program has memory.
    let is_low = owner < TAINT_BELOW && address > i64::MAX as u64 && !is_near_null(address);
    if is_low || is_near_null(owner) { owner } else { address }
}

#[cfg(test)]
mod tests {
    use super::*;
    use testwright_abi::memory::{INPUT_BASE, taint_address};

    #[test]
    fn a_fault_at_the_taint_of_null_is_one_at_null() {
        for address in [0, 0x3c, 2u64.wrapping_neg()] {
            assert_eq!(meant(taint_address(address)), address);
            assert_eq!(meant(address), address);
        }
        assert_eq!(meant(INPUT_BASE + 5), INPUT_BASE + 5);
    }

    #[test]
    fn a_fault_at_the_taint_of_a_register_is_one_at_the_register() {
        for address in [0x1000_0000, 0x4002_1004, 0xe000_e100] {
            assert_eq!(meant(taint_address(address)), address);
            assert_eq!(meant(address), address);
        }
    }
}
