//! Simplification: every node is built by a rule that makes it as small as it cheaply can be.
//!
//! Rules are exact: the simplified expression has the same value for *all* inputs, not only those of the run,
//! with the semantics that [`Op`](testwright_abi::expr::Op) documents. They look at
//! the node and its operands, hardly deeper, so that their cost is bounded. One file per family.

mod arithmetic;
mod bitwise;
mod choice;
mod compare;
mod dispatch;
mod overflow;
mod range;
mod slices;
