//! The fence around Z3.
