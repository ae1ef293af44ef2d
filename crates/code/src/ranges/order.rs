//! How two numbers may compare: a set of less, equal, greater and unordered.

/// A set of the ways in which two numbers may compare. The bits are those of LLVM's predicates for floats.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Order(u32);

impl Order {
    /// No way.
    pub const NEVER: Order = Order(0);
    /// Both are the same number.
    pub const EQUAL: Order = Order(1);
    /// The first is greater.
    pub const GREATER: Order = Order(2);
    /// The first is less.
    pub const LESS: Order = Order(4);
    /// One of them is no number.
    pub const UNORDERED: Order = Order(8);

    /// What a predicate for floats asks for, or its opposite.
    pub fn of(predicate: testwright_llvm::RealPredicate, holds: bool) -> Order {
        let bits = predicate as u32;
        Order(if holds { bits } else { !bits & 15 })
    }

    /// The ways of either.
    pub fn or(self, other: Order) -> Order {
        Order(self.0 | other.0)
    }

    /// With another way if it is possible.
    pub fn or_if(self, other: Order, is_possible: bool) -> Order {
        if is_possible { self.or(other) } else { self }
    }

    /// Whether a way is among them.
    pub fn has(self, other: Order) -> bool {
        self.0 & other.0 != 0
    }

    /// The ways in which the second compares with the first.
    pub fn swapped(self) -> Order {
        let rest = Order(self.0 & (Order::EQUAL.0 | Order::UNORDERED.0));
        rest.or_if(Order::LESS, self.has(Order::GREATER)).or_if(Order::GREATER, self.has(Order::LESS))
    }

    /// Whether what is wanted holds if these are the possible ways; none if that is not known, or no way is possible.
    pub fn decides(self, wanted: Order) -> Option<bool> {
        match (self.0 & wanted.0 != 0, self.0 & !wanted.0 != 0) {
            (true, false) => Some(true),
            (false, true) => Some(false),
            _ => None,
        }
    }
}
