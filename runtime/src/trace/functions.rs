//! The table functions of the trace build: the way in from instrumented code.
//!
//! What they do is documented where they are declared, in [`testwright_abi::table`].

use testwright_abi::event::EventKind;
use testwright_abi::expr::OpCode;

use super::Trace;

macro_rules! functions {
    ($(fn $name:ident($trace:ident $(, $param:ident: $type:ty)*) $(-> $result:ty)? $body:block)*) => {$(
        #[doc = concat!("See [`testwright_abi::table::Table::", stringify!($name), "`].")]
        ///
        /// # Safety
        /// Called by instrumented code in a worker, on its only thread, after [`begin`](super::begin);
        /// handles come from earlier calls in the same run, addresses are those the code uses itself.
        pub unsafe extern "C" fn $name($($param: $type),*) $(-> $result)? {
            // SAFETY: the worker has one thread, none of these functions calls another, and `begin` prepared
            // the state.
            let $trace: &mut Trace = unsafe { super::state().as_mut().unwrap_unchecked() };
            let result = $body;
            while let Some(pointer) = $trace.arena.used_pointer() {
                $trace.path.record(EventKind::Pointer, 0, u32::MAX, pointer, 0);
            }
            while let Some((begin, end)) = $trace.arena.related_pair() {
                $trace.path.record(EventKind::Related, 0, u32::MAX, begin, end);
            }
            result
        }
    )*};
}

functions! {
    fn binary(trace, code: u32, a: u32, b: u32, x: u64, y: u64, result: u64) -> u32 {
        trace.arena.binary(code, [a, b], [x, y], result)
    }

    fn binary_wide(trace, code: u32, a: u32, b: u32, x: u128, y: u128, result: u128) -> u32 {
        trace.arena.binary(code, [a, b], [x, y], result)
    }

    fn unary(trace, code: u32, a: u32, extra: u32, result: u64) -> u32 {
        // A narrow part may be asked of a wide operand.
        if OpCode::unpack(code).2 > 64 {
            trace.arena.unary(code, a, extra, u128::from(result))
        } else {
            trace.arena.unary(code, a, extra, result)
        }
    }

    fn unary_wide(trace, code: u32, a: u32, extra: u32, result: u128) -> u32 {
        trace.arena.unary(code, a, extra, result)
    }

    fn ternary(trace, code: u32, a: u32, b: u32, c: u32, x: u64, y: u64, z: u64, result: u64) -> u32 {
        trace.arena.ternary(code, [a, b, c], [x, y, z], result)
    }

    fn select(trace, width: u32, condition: u32, taken: u32, a: u32, b: u32, x: u64, y: u64) -> u32 {
        trace.arena.select(width, (condition, taken), [a, b], [x, y])
    }

    fn select_wide(trace, width: u32, condition: u32, taken: u32, a: u32, b: u32, x: u128, y: u128) -> u32 {
        trace.arena.select(width, (condition, taken), [a, b], [x, y])
    }

    fn element(trace, a: u32, b: u32, x: u64, y: u64, scale: u64) -> u32 {
        trace.arena.element([a, b], [x, y], scale)
    }

    fn apply(trace, function: u32, a: u32, b: u32, c: u32, x: u64, y: u64, z: u64, result: u64) -> u32 {
        trace.arena.apply(function, [a, b, c], [x, y, z], result)
    }

    fn load(trace, site: u32, pointer: u32, address: u64, bytes: u32, value: u64) -> u32 {
        let pointer = trace.arena.unless_pointer(pointer);
        trace.load(site, pointer, address, bytes, value)
    }

    fn load_wide(trace, site: u32, pointer: u32, address: u64, bytes: u32, value: u128) -> u32 {
        let pointer = trace.arena.unless_pointer(pointer);
        trace.load(site, pointer, address, bytes, value)
    }

    fn store(trace, handle: u32, address: u64, bytes: u32) {
        trace.store(handle, address, bytes);
    }

    fn copy(trace, target: u64, source: u64, bytes: u64) {
        trace.copy(target, source, bytes);
    }

    fn fill(trace, target: u64, handle: u32, bytes: u64) {
        trace.fill(target, handle, bytes);
    }

    fn branch(trace, site: u32, handle: u32, taken: u32, context: u32) {
        trace.path.record(EventKind::Branch, u32::from(taken == 0), site, handle, context);
    }

    fn switch(trace, site: u32, handle: u32, outcome: u32, context: u32) {
        trace.path.record(EventKind::Switch, outcome, site, handle, context);
    }

    fn compare(trace, site: u32, handle: u32, taken: u32) {
        trace.path.record(EventKind::Compare, u32::from(taken == 0), site, handle, 0);
    }

    fn pin(trace, kind: u32, site: u32, handle: u32, extra: u32) {
        if let Some(kind) = EventKind::from_number(kind as u16) {
            let handle = trace.arena.unless_pointer(handle);
            trace.path.record_once(kind, site, handle, extra);
        }
    }

    fn given(trace, site: u32, address: u64, list: u32, callee: u32) {
        if list == 0 {
            trace.given(site, address, callee);
        } else {
            trace.given_list(site, address, callee);
        }
    }

    fn variadic(trace, list: u64) {
        trace.variadic(list);
    }
}
