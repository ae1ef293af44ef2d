//! Random expressions mean the same before and after simplification, for all inputs tried.

use testwright_abi::draw::Rng;
use testwright_abi::expr::Op;

use super::evaluate::{self, ones, signed};
use super::{binary, control, inputs, node, select, unary, worker};

/// Sizes of the inputs in bytes.
const INPUTS: [u32; 7] = [1, 1, 2, 4, 4, 8, 16];
/// How many large programs to try.
const PROGRAMS: u64 = 4_000;
/// How many short chains to try.
const CHAINS: u64 = 60_000;
const WIDTHS: [u32; 6] = [1, 8, 16, 32, 64, 128];

/// Numbers from which one step of a program is made.
#[derive(Debug, Clone)]
struct Choice {
    op: usize,
    first: usize,
    second: usize,
    third: usize,
    width: usize,
    constant: Option<u128>,
    /// Where the constant stands.
    left: bool,
}

/// A value as the subject computes it, without simplification: `op` on earlier values.
#[derive(Debug, Clone)]
enum Step {
    Input(usize),
    Constant(u128),
    Operation { op: Op, low: u32, operands: Vec<usize> },
}

/// A subject's straight-line program, and what tracing made of it.
#[derive(Default)]
struct Program {
    steps: Vec<(Step, u32)>,
    /// Values in the traced run.
    run: Vec<u128>,
    handles: Vec<u32>,
}

const OPS: &[Op] = &[
    Op::Add,
    Op::Sub,
    Op::Mul,
    Op::UDiv,
    Op::SDiv,
    Op::URem,
    Op::SRem,
    Op::And,
    Op::Or,
    Op::Xor,
    Op::Shl,
    Op::LShr,
    Op::AShr,
    Op::Eq,
    Op::Ult,
    Op::Ule,
    Op::Slt,
    Op::Sle,
    Op::Concat,
    Op::Not,
    Op::ZExt,
    Op::SExt,
    Op::Extract,
    Op::Ctpop,
    Op::Ctlz,
    Op::Cttz,
    Op::Bswap,
    Op::Bitreverse,
    Op::Ite,
    Op::SAddO,
    Op::UAddO,
    Op::SSubO,
    Op::USubO,
    Op::SMulO,
    Op::UMulO,
];

impl Program {
    fn push(&mut self, step: Step, width: u32, value: u128, handle: u32) -> usize {
        self.steps.push((step, width));
        self.run.push(value);
        self.handles.push(handle);
        self.run.len() - 1
    }

    fn constant(&mut self, value: u128, width: u32) -> usize {
        self.push(Step::Constant(value & ones(width)), width, value & ones(width), 0)
    }

    /// A value of this width, from `start` on; or a constant.
    fn operand(&mut self, start: usize, width: u32, constant: u128) -> usize {
        let count = self.steps.len();
        let found = (0..count).map(|i| (start + i) % count).find(|&i| self.steps[i].1 == width);
        found.unwrap_or_else(|| self.constant(constant, width))
    }

    /// Adds the step that `choice` describes, unless the machine would trap there.
    fn add(&mut self, choice: &Choice) {
        let op = OPS[choice.op % OPS.len()];
        let x = choice.first % self.steps.len();
        let width = self.steps[x].1;
        let other = WIDTHS[choice.width % WIDTHS.len()];
        let constant = choice.constant.unwrap_or(5);
        match op {
            Op::ZExt | Op::SExt if other > width => self.one(op, other, 0, x),
            Op::Extract if other < width => {
                self.one(op, other, (choice.second as u32) % (width - other + 1), x);
            }
            Op::Bswap if !width.is_multiple_of(16) => {}
            Op::Not | Op::Ctpop | Op::Ctlz | Op::Cttz | Op::Bswap | Op::Bitreverse => {
                self.one(op, width, 0, x);
            }
            Op::Concat => {
                let y = choice.second % self.steps.len();
                if width + self.steps[y].1 <= 128 {
                    self.two(op, width + self.steps[y].1, x, y);
                }
            }
            Op::Ite => {
                let condition = self.operand(choice.third, 1, constant);
                let y = match choice.constant {
                    Some(value) => self.constant(value, width),
                    None => self.operand(choice.second, width, constant),
                };
                let (x, y) = if choice.left { (y, x) } else { (x, y) };
                self.choose(width, condition, x, y);
            }
            Op::ZExt | Op::SExt | Op::Extract => {}
            _ => {
                let y = match choice.constant {
                    Some(value) => self.constant(value, width),
                    None => self.operand(choice.second, width, constant),
                };
                let (x, y) = if choice.left { (y, x) } else { (x, y) };
                let divides = matches!(op, Op::UDiv | Op::SDiv | Op::URem | Op::SRem);
                let least = signed(1 << (width - 1), width);
                let (p, q) = (signed(self.run[x], width), signed(self.run[y], width));
                if !divides || (q != 0 && !(p == least && q == -1)) {
                    self.two(op, if op.is_predicate() { 1 } else { width }, x, y);
                }
            }
        }
    }

    fn one(&mut self, op: Op, result: u32, low: u32, x: usize) {
        let step = Step::Operation { op, low, operands: vec![x] };
        let value = self.meaning(&step, result, &self.run);
        let handle = match self.handles[x] {
            0 => 0,
            handle => unary(op, result, self.steps[x].1, handle, low, value),
        };
        self.push(step, result, value, handle);
    }

    fn two(&mut self, op: Op, result: u32, x: usize, y: usize) {
        let step = Step::Operation { op, low: 0, operands: vec![x, y] };
        let value = self.meaning(&step, result, &self.run);
        let handle = binary(op, result, self.steps[x].1, self.named(x), self.named(y), value);
        self.push(step, result, value, handle);
    }

    fn choose(&mut self, width: u32, condition: usize, x: usize, y: usize) {
        let step = Step::Operation { op: Op::Ite, low: 0, operands: vec![condition, x, y] };
        let value = self.meaning(&step, width, &self.run);
        let handle = select(width, self.named(condition), self.named(x), self.named(y));
        self.push(step, width, value, handle);
    }

    fn named(&self, index: usize) -> (u32, u128) {
        (self.handles[index], self.run[index])
    }

    fn meaning(&self, step: &Step, width: u32, values: &[u128]) -> u128 {
        let Step::Operation { op, low, operands } = step else { panic!("{step:?} has no operands") };
        let value = |i: usize| values[operands[i]];
        let width_of = |i: usize| self.steps[operands[i]].1;
        match op {
            Op::Extract => value(0) >> low & ones(width),
            Op::Concat => value(0) << width_of(1) | value(1),
            Op::Ite => {
                if value(0) == 1 {
                    value(1)
                } else {
                    value(2)
                }
            }
            _ => evaluate::apply(
                *op,
                width,
                width_of(0),
                value(0),
                if operands.len() > 1 { value(1) } else { 0 },
            ),
        }
    }

    /// All values for other inputs.
    fn values(&self, inputs: &[u128]) -> Vec<u128> {
        let mut values: Vec<u128> = Vec::new();
        for (step, width) in &self.steps {
            values.push(match step {
                Step::Input(number) => inputs[*number],
                Step::Constant(value) => *value,
                Step::Operation { .. } => self.meaning(step, *width, &values),
            });
        }
        values
    }

    /// Begins a run with these inputs.
    fn begin(sizes: &[u32], run: &[u128]) -> Program {
        let list: Vec<(u32, u128)> = sizes.iter().copied().zip(run.iter().copied()).collect();
        let mut program = Program::default();
        for (number, handle) in inputs(&list).into_iter().enumerate() {
            program.push(Step::Input(number), 8 * sizes[number], run[number], handle);
        }
        program
    }

    fn check(&self, inputs: &[u128]) {
        let values = self.values(inputs);
        let nodes = evaluate::all_nodes(inputs);
        for (index, &handle) in self.handles.iter().enumerate() {
            let traced = if handle == 0 { self.run[index] } else { nodes[handle as usize] };
            assert_eq!(traced, values[index], "step {index} of {:?} for {inputs:x?}", self.steps);
        }
    }
}

/// A value where something may change.
fn interesting(rng: &mut Rng) -> u128 {
    let bits = rng.next();
    let power = 1u128 << (bits >> 8 & 127);
    match bits & 15 {
        0..4 => u128::from(bits >> 8 & 3),
        4 | 5 => power,
        6 | 7 => power.wrapping_sub(1),
        8 | 9 => power.wrapping_neg(),
        10 => power.wrapping_sub(2),
        11 => 0x0101_0101_0101_0101_0101_0101_0101_0101,
        12 | 13 => u128::from(bits) << 64 | u128::from(rng.next()),
        _ => u128::from(bits as u8),
    }
}

fn choice(rng: &mut Rng) -> Choice {
    let [op, first, second, third, width] = [(); 5].map(|()| (rng.next() >> 1) as usize);
    let constant = (rng.next() & 1 == 0).then(|| interesting(rng));
    Choice { op, first, second, third, width, constant, left: rng.next() & 1 == 0 }
}

fn assignment(rng: &mut Rng) -> [u128; INPUTS.len()] {
    INPUTS.map(|bytes| interesting(rng) & ones(8 * bytes))
}

#[test]
fn simplified_programs_mean_the_same_for_all_inputs() {
    let _turn = worker();
    for seed in 0..PROGRAMS {
        let mut rng = Rng::new(2, seed);
        let run = assignment(&mut rng);
        let mut program = Program::begin(&INPUTS, &run);
        for _ in 0..1 + rng.next() % 60 {
            program.add(&choice(&mut rng));
        }
        assert_eq!(control().stale_count, 0, "program {seed}");
        program.check(&run);
        for (handle, value) in evaluate::all_nodes(&run).into_iter().enumerate().skip(1) {
            assert_eq!(node(handle as u32).value, value, "node {handle} of program {seed}");
        }
        for _ in 0..12 {
            program.check(&assignment(&mut rng));
        }
    }
}

/// A constant for a short chain: small, or near a power of two.
fn chain_constant(rng: &mut Rng) -> u128 {
    let bits = rng.next();
    let power = 1u128 << (bits >> 8 & 15);
    match bits & 7 {
        0 | 1 => u128::from(bits >> 8 & 7),
        2 => power,
        3 => power - 1,
        4 => power.wrapping_neg(),
        5 => (bits >> 8 & 15).wrapping_neg().into(),
        _ => u128::from(bits >> 8 & 0xffff),
    }
}

/// Rules look at an operation, its operands and theirs: chains of up to four on bytes try their
/// combinations much more densely than large programs do.
#[test]
fn chains_of_operations_mean_the_same_for_all_bytes() {
    const CORNERS: [u128; 12] = [0, 1, 2, 3, 0x40, 0x7e, 0x7f, 0x80, 0x81, 0xaa, 0xfe, 0xff];
    let _turn = worker();
    for seed in 0..CHAINS {
        let mut rng = Rng::new(1, seed);
        let run = [rng.next() as u8, rng.next() as u8].map(u128::from);
        let mut program = Program::begin(&[1, 1], &run);
        let mut latest = (rng.next() & 1) as usize;
        for _ in 0..2 + rng.next() % 3 {
            let [op, second, third, width] =
                [rng.next(), rng.next(), rng.next(), rng.next()].map(|n| n as usize >> 1);
            let constant = (rng.next() & 1 == 0).then(|| chain_constant(&mut rng));
            let left = rng.next() & 3 == 0;
            let before = program.steps.len();
            program.add(&Choice { op, first: latest, second, third, width: width % 3, constant, left });
            if program.steps.len() > before {
                latest = program.steps.len() - 1;
            }
        }
        assert_eq!(control().stale_count, 0, "{:?}", program.steps);
        program.check(&run);
        for x in CORNERS {
            program.check(&[x, rng.next() as u8 as u128]);
            program.check(&[rng.next() as u8 as u128, x]);
        }
    }
}
