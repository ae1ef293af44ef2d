//! Found cases to a minimised, asserted suite.
