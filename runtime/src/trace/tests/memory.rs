//! Expressions survive the way through memory, byte by byte.

use testwright_abi::draw::Rng;
use testwright_abi::expr::Op;
use testwright_abi::memory::{PAGE, taint_address};

use super::evaluate::all_nodes;
use super::{MEMORY, control, inputs, leaf, load, node, peek, poke, store, worker};
use crate::trace::{begin, forget, functions, reset};

/// Where the random accesses happen: across a page boundary.
const PLACE: u64 = MEMORY + 0x3000 - 150;
const LENGTH: u64 = 600;

fn taint(address: u64) -> u8 {
    peek(taint_address(address), 1) as u8
}

/// A byte as the naive model sees it: concrete, or byte `k` of input `n`.
#[derive(Clone, Copy, PartialEq, Debug)]
enum Byte {
    Concrete,
    Of(usize, u32),
}

/// Memory, inputs and the naive model of what the bytes are.
struct Model {
    values: Vec<u128>,
    handles: Vec<u32>,
    bytes: Vec<Byte>,
}

const SIZES: [u32; 6] = [1, 2, 4, 8, 16, 4];

impl Model {
    fn range(start: u64, length: u64) -> std::ops::Range<usize> {
        start as usize..(start + length) as usize
    }

    fn store(&mut self, input: Option<usize>, at: u64, bytes: u32, filler: u8) {
        let value = input.map_or([filler; 16], |i| self.values[i].to_le_bytes());
        poke(PLACE + at, &value[..bytes as usize]);
        store(input.map_or(0, |i| self.handles[i]), PLACE + at, bytes);
        for k in 0..bytes {
            self.bytes[at as usize + k as usize] = input.map_or(Byte::Concrete, |i| Byte::Of(i, k));
        }
    }

    fn copy(&mut self, target: u64, source: u64, length: u64) {
        // SAFETY: the test holds the turn, and both ranges are in its memory.
        unsafe {
            functions::copy(PLACE + target, PLACE + source, length);
            core::ptr::copy((PLACE + source) as *const u8, (PLACE + target) as *mut u8, length as usize);
        }
        self.bytes.copy_within(Model::range(source, length), target as usize);
    }

    fn fill(&mut self, input: Option<usize>, at: u64, length: u64) {
        let value = input.map_or(0x55, |i| self.values[i] as u8);
        // SAFETY: as above.
        unsafe {
            functions::fill(PLACE + at, input.map_or(0, |i| self.handles[i]), length);
            ((PLACE + at) as *mut u8).write_bytes(value, length as usize);
        }
        self.bytes[Model::range(at, length)].fill(input.map_or(Byte::Concrete, |i| Byte::Of(i, 0)));
    }

    /// What a load gives, for other inputs, has to be what the model puts together.
    fn check_load(&self, at: u64, bytes: u32, others: &[Vec<u128>]) {
        let handle = load(0, PLACE + at, bytes);
        let parts = &self.bytes[Model::range(at, bytes.into())];
        let symbolic = parts.iter().any(|&part| part != Byte::Concrete);
        assert_eq!(handle != 0, symbolic, "{parts:?}");
        if handle == 0 {
            return;
        }
        assert_eq!(u32::from(node(handle).width), 8 * bytes);
        assert_eq!(node(handle).value, peek(PLACE + at, bytes));
        for inputs in others {
            let expected = parts.iter().enumerate().fold(0, |value, (k, part)| {
                let byte = match part {
                    Byte::Concrete => peek(PLACE + at + k as u64, 1),
                    Byte::Of(input, byte) => inputs[*input] >> (8 * byte) & 255,
                };
                value | byte << (8 * k)
            });
            assert_eq!(all_nodes(inputs)[handle as usize], expected, "{parts:?}");
        }
    }
}

#[test]
fn random_stores_copies_and_fills_load_as_a_byte_model_says() {
    let _turn = worker();
    for seed in 0..40 {
        let mut rng = Rng::new(3, seed);
        let mut draw = |limit: u64| rng.next() % limit;
        let values: Vec<u128> = SIZES
            .iter()
            .map(|&bytes| u128::from(draw(u64::MAX)) & super::evaluate::ones(8 * bytes))
            .collect();
        let list: Vec<(u32, u128)> = SIZES.into_iter().zip(values.iter().copied()).collect();
        let handles = inputs(&list);
        let others: Vec<Vec<u128>> = (0..2)
            .map(|i| values.iter().map(|value| !value & super::evaluate::ones(8) | i).collect())
            .collect();
        let mut model = Model { values, handles, bytes: vec![Byte::Concrete; LENGTH as usize] };
        for _ in 0..200 {
            let at = draw(LENGTH - 300);
            match draw(8) {
                0 | 1 => {
                    let input = draw(SIZES.len() as u64) as usize;
                    model.store(Some(input), at, SIZES[input], 0);
                }
                2 => model.store(None, at, 1 + draw(16) as u32, 0x77),
                3 => model.copy(draw(LENGTH - 300), at, 1 + draw(300)),
                4 => model.fill(Some(0), at, 1 + draw(20)),
                5 => model.fill(None, at, 1 + draw(20)),
                _ => model.check_load(at, 1 + draw(16) as u32, &others),
            }
        }
        assert_eq!((control().stale_count, control().overflowed), (0, 0));
    }
}

#[test]
fn a_stored_value_loads_as_the_same_node_and_its_parts_as_slices() {
    let _turn = worker();
    let x = inputs(&[(8, 0x8877_6655_4433_2211)])[0];
    let place = MEMORY + PAGE - 3;
    poke(place, &peek(MEMORY, 8).to_le_bytes()[..8]);
    store(x, place, 8);
    assert_eq!(load(0, place, 8), x);
    let part = node(load(0, place + 2, 2));
    assert_eq!((part.op, part.a, part.b, part.value), (Op::Extract as u8, x, 16, 0x4433));
}

#[test]
fn a_truth_value_is_stored_as_a_byte() {
    let _turn = worker();
    let x = inputs(&[(1, 9)])[0];
    let truth = super::binary(Op::Ult, 1, 8, (x, 9), (0, 10), 1);
    poke(MEMORY + 64, &[1]);
    store(truth, MEMORY + 64, 1);
    let byte = load(0, MEMORY + 64, 1);
    assert_eq!((node(byte).op, node(byte).a, node(byte).width), (Op::ZExt as u8, truth, 8));
    assert_eq!(super::unary(Op::Extract, 1, 8, byte, 0, 1), truth);
}

#[test]
fn bytes_that_foreign_code_overwrote_are_concrete() {
    let _turn = worker();
    let handles = inputs(&[(4, 0x0403_0201), (1, 9)]);
    poke(MEMORY + 1, &[0xee]);
    let mixed = load(0, MEMORY, 4);
    assert_eq!(mixed, 0, "one piece, so all of it is doubtful");
    assert_eq!(control().stale_count, 1);
    assert_eq!([0, 1, 2, 3].map(|i| taint(MEMORY + i)), [0; 4]);
    assert_eq!(load(0, MEMORY + 16, 1), handles[1]);
}

#[test]
fn reset_and_forget_make_memory_concrete() {
    let _turn = worker();
    let x = inputs(&[(4, 77)])[0];
    let places = [MEMORY + 0x100, MEMORY + 3 * PAGE - 2, MEMORY + 9 * PAGE];
    for place in places {
        store(x, place, 4);
    }
    forget(places[0] + 1, 2);
    assert_eq!([0, 1, 2, 3].map(|i| taint(places[0] + i)), [1, 0, 0, 4]);
    reset();
    for place in places {
        assert_eq!([0, 1, 2, 3].map(|i| taint(place + i)), [0; 4]);
    }
    assert_eq!(taint(MEMORY), 0);
    begin(&[leaf(0x200, 2)]);
    assert_eq!(taint(MEMORY + 0x201), 2);
    begin(&[]);
    assert_eq!(taint(MEMORY + 0x201), 0, "a run that was never reset leaves nothing behind");
}

#[test]
fn a_page_is_cleared_in_every_run_that_touches_it() {
    let _turn = worker();
    let place = MEMORY + 7 * PAGE;
    for _ in 0..3 {
        begin(&[leaf(7 * PAGE, 4)]);
        assert_eq!(taint(place + 3), 4);
        let x = load(0, place, 4);
        store(x, place + PAGE - 2, 4);
        assert_eq!(taint(place + PAGE + 1), 4);
        reset();
        assert_eq!((taint(place + 3), taint(place + PAGE + 1)), (0, 0));
    }
}

#[test]
fn memory_of_many_pages_is_given_back() {
    let _turn = worker();
    let x = inputs(&[(1, 5)])[0];
    let start = 0x7311_0000_0000;
    let length = 5000 * PAGE;
    super::map(start, length);
    // SAFETY: the test holds the turn and has just mapped the range.
    unsafe { functions::fill(start, x, length) };
    assert_eq!(taint(start + length - 1), 1);
    reset();
    assert_eq!((taint(start), taint(start + length - 1)), (0, 0));
    // SAFETY: mapped above, used by nobody else.
    unsafe { libc::munmap(start as *mut libc::c_void, length as usize) };
}

#[test]
fn memory_without_shadow_is_left_alone() {
    let _turn = worker();
    let x = inputs(&[(8, 5)])[0];
    let before = control().news;
    for address in [0x1000, 0x1000_0000, 0x5000_1000_0000, 0x7fff_ffff_ffff, u64::MAX - 2] {
        store(x, address, 8);
        store(0, address, 8);
        forget(address, 100);
        // SAFETY: the test holds the turn; nothing is read or written where there is no shadow.
        unsafe { functions::copy(address, MEMORY, 8) };
    }
    assert_eq!(control().news, before);
}

#[test]
fn a_wide_leaf_is_one_node() {
    let _turn = worker();
    let x = inputs(&[(16, u128::MAX - 7)])[0];
    assert_eq!((node(x).op, node(x).width, node(x).value), (Op::Input as u8, 128, u128::MAX - 7));
}
