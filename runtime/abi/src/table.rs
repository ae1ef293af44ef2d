//! The functions instrumented code may call, as a table of addresses in the control block.
//!
//! The list below is the only place where they are declared. The instrumenter reads [`FUNCTIONS`] to
//! build calls; the runtime fills a [`Table`] through [`runtime_functions!`](crate::runtime_functions), so that a
//! signature that differs does not compile.
//!
//! Names that start with `c_` replace the C function of that name in both builds: they make a run
//! repeatable (heap, time, random numbers) or end it (`exit`, `abort`).

/// A parameter or result of a table function.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Type {
    /// No result.
    Unit,
    /// The function does not return.
    Never,
    /// 32 bits.
    U32,
    /// 64 bits; also addresses.
    U64,
    /// 128 bits.
    U128,
}

/// A table function: its name, place and type.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Function {
    /// The name of the field in [`Table`].
    pub name: &'static str,
    /// Offset of the field in [`Table`].
    pub offset: u64,
    /// Parameters.
    pub params: &'static [Type],
    /// Result.
    pub result: Type,
}

impl Function {
    /// The table function of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<&'static Function> {
        FUNCTIONS.iter().find(|function| function.name == name)
    }
}

macro_rules! type_of {
    (unit) => {
        Type::Unit
    };
    (never) => {
        Type::Never
    };
    (u32) => {
        Type::U32
    };
    (u64) => {
        Type::U64
    };
    (u128) => {
        Type::U128
    };
}

macro_rules! functions {
    ($($(#[doc = $doc:literal])* $name:ident($($param:ident: $type:tt),*) -> $result:tt;)*) => {
        /// Addresses of the functions, in the order of the list.
        #[repr(C)]
        #[derive(Debug, Clone, Copy, Default)]
        #[expect(non_snake_case, reason = "fields are named after C functions")]
        pub struct Table { $($(#[doc = $doc])* pub $name: u64,)* }

        /// The functions, in the order of the table.
        pub const FUNCTIONS: &[Function] = &[$(Function {
            name: stringify!($name),
            offset: core::mem::offset_of!(Table, $name) as u64,
            params: &[$(type_of!($type)),*],
            result: type_of!($result),
        },)*];

        /// Calls `$callback!` with the list of functions: `name(param: type, ..) -> result;`.
        #[macro_export]
        macro_rules! runtime_functions {
            ($callback:ident) => { $callback! { $($name($($param: $type),*) -> $result;)* } };
        }
    };
}

functions! {
    /// `code(a, b) = result`; handles 0 stand for the constants `x`, `y`. Returns the new handle.
    binary(code: u32, a: u32, b: u32, x: u64, y: u64, result: u64) -> u32;
    /// As `binary`, for operands wider than 64 bits.
    binary_wide(code: u32, a: u32, b: u32, x: u128, y: u128, result: u128) -> u32;
    /// `code(a) = result`, `a` not 0. For `Extract` the low bit is `extra`.
    unary(code: u32, a: u32, extra: u32, result: u64) -> u32;
    /// As `unary`, for results wider than 64 bits.
    unary_wide(code: u32, a: u32, extra: u32, result: u128) -> u32;
    /// `code(a, b, c) = result` for three operands of one width (fused multiply-add).
    ternary(code: u32, a: u32, b: u32, c: u32, x: u64, y: u64, z: u64, result: u64) -> u32;
    /// `condition ? a : b`; `taken` is the condition's value (0 or 1), handles 0 stand for constants.
    select(width: u32, condition: u32, taken: u32, a: u32, b: u32, x: u64, y: u64) -> u32;
    /// As `select`, for operands wider than 64 bits.
    select_wide(width: u32, condition: u32, taken: u32, a: u32, b: u32, x: u128, y: u128) -> u32;
    /// `base + index * scale` on 64 bits: `base` has the handle `a` and the value `x`, `index` has `b` and `y`.
    element(a: u32, b: u32, x: u64, y: u64, scale: u64) -> u32;
    /// A libm function (number `function`) applied; unused operands are 0.
    apply(function: u32, a: u32, b: u32, c: u32, x: u64, y: u64, z: u64, result: u64) -> u32;

    /// Handle of the `bytes` bytes at `address` that were just loaded as `value`. `pointer` is the
    /// handle of the address: if not 0, the address is pinned or becomes a table read.
    load(site: u32, pointer: u32, address: u64, bytes: u32, value: u64) -> u32;
    /// As `load`, for more than 8 bytes.
    load_wide(site: u32, pointer: u32, address: u64, bytes: u32, value: u128) -> u32;
    /// The `bytes` bytes at `address` now hold the value of `handle` (0: concrete).
    store(handle: u32, address: u64, bytes: u32) -> unit;
    /// Taint and handles follow a `memcpy` or `memmove`; called before the bytes are copied.
    copy(target: u64, source: u64, bytes: u64) -> unit;
    /// Taint and handles follow a `memset` with a byte whose handle is `handle` (0: concrete).
    fill(target: u64, handle: u32, bytes: u64) -> unit;

    /// A conditional branch on `handle` (1 bit) went `taken` (1 true, 0 false), in calling context `context`.
    branch(site: u32, handle: u32, taken: u32, context: u32) -> unit;
    /// A switch on `handle` took outcome `outcome`, in calling context `context`.
    switch(site: u32, handle: u32, outcome: u32, context: u32) -> unit;
    /// A comparison that feeds no branch.
    compare(site: u32, handle: u32, taken: u32) -> unit;
    /// `handle` is pinned to its value; `kind` is an `EventKind`, `extra` goes with it.
    pin(kind: u32, site: u32, handle: u32, extra: u32) -> unit;
    /// Code that is not traced, the callee with this index, is about to read at `address`: what is symbolic there is
    /// pinned. `list` is 1 if a `va_list` lies there, whose arguments are meant.
    given(site: u32, address: u64, list: u32, callee: u32) -> unit;
    /// After `va_start` on the list at `list`: taint of the variadic arguments.
    variadic(list: u64) -> unit;

    /// The distance cells hold the distances of the path conditions of node `node` of the target that is searched for.
    path_distance(node: u32) -> unit;
    /// 1 if `bytes` bytes at `address` can be read.
    is_readable(address: u64, bytes: u64) -> u32;

    /// The value of a point of the mutant build, or what the selected one of its mutants computes instead; the first of them
    /// has the number `first`, `point` is a `mutant::Point`.
    mutate(first: u32, point: u32, a: u64, b: u64, value: u64) -> u64;
    /// As `mutate`, for the element with this index of a constant table, of which each has a mutant: one more.
    mutate_element(first: u32, count: u32, index: u64, value: u64) -> u64;

    /// A sanitizer check failed.
    trap(site: u32, kind: u32) -> never;
    /// The step limit was reached.
    step_limit() -> never;

    /// Counts a call of the stub with this number; gives how many there were before in this run.
    c_tw_stub_call(stub: u32) -> u64;
    /// A stated precondition does not hold.
    c_tw_outside() -> never;
    /// All stated preconditions hold: the function is called next, and what was covered so far does not count.
    c_tw_inside() -> unit;
    /// `malloc`
    c_malloc(size: u64) -> u64;
    /// `calloc`
    c_calloc(count: u64, size: u64) -> u64;
    /// `realloc`
    c_realloc(block: u64, size: u64) -> u64;
    /// `reallocarray`
    c_reallocarray(block: u64, count: u64, size: u64) -> u64;
    /// `free`
    c_free(block: u64) -> unit;
    /// `aligned_alloc`
    c_aligned_alloc(alignment: u64, size: u64) -> u64;
    /// `memalign`
    c_memalign(alignment: u64, size: u64) -> u64;
    /// `posix_memalign`
    c_posix_memalign(target: u64, alignment: u64, size: u64) -> u32;
    /// `malloc_usable_size`
    c_malloc_usable_size(block: u64) -> u64;
    /// `rand`
    c_rand() -> u32;
    /// `srand`
    c_srand(seed: u32) -> unit;
    /// `random`
    c_random() -> u64;
    /// `srandom`
    c_srandom(seed: u32) -> unit;
    /// `time`
    c_time(target: u64) -> u64;
    /// `clock`
    c_clock() -> u64;
    /// `gettimeofday`
    c_gettimeofday(target: u64, zone: u64) -> u32;
    /// `clock_gettime`
    c_clock_gettime(clock: u32, target: u64) -> u32;
    /// `getpid`
    c_getpid() -> u32;
    /// `sleep`
    c_sleep(seconds: u32) -> u32;
    /// `usleep`
    c_usleep(microseconds: u32) -> u32;
    /// `nanosleep`
    c_nanosleep(time: u64, rest: u64) -> u32;
    /// `exit`
    c_exit(status: u32) -> never;
    /// `_exit`
    c__exit(status: u32) -> never;
    /// `_Exit`
    c__Exit(status: u32) -> never;
    /// `quick_exit`
    c_quick_exit(status: u32) -> never;
    /// `abort`
    c_abort() -> never;
    /// `__assert_fail`
    c___assert_fail(text: u64, file: u64, line: u32, function: u64) -> never;
    /// `__stack_chk_fail`
    c___stack_chk_fail() -> never;
    /// `atexit`
    c_atexit(function: u64) -> u32;
    /// `signal`
    c_signal(number: u32, handler: u64) -> u64;
    /// `sigaction`
    c_sigaction(number: u32, action: u64, old: u64) -> u32;
}
