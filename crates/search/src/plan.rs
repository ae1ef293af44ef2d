//! Planning: what the next step may bring, and what it costs.
//!
//! After Wang et al., Towards optimal concolic testing (2018). A program is abstracted to a Markov [chain][`markov`] over its blocks whose
//! probabilities are estimated from the runs so far. [`rewards`] says how many uncovered blocks a run is expected
//! to meet from each block on; [`cost`] what solving a path will cost. A [`bid`] is both together, and [`greedy`] takes the best
//! one. An [`auction`] goes without a model: it learns what whole techniques deliver.
//! [`program`] makes the chain of a subject. For small models [`covering`] and [`mdp`] have the strategy of least expected cost, exactly.

pub mod auction;
pub mod bid;
pub mod cost;
pub mod covering;
pub mod greedy;
pub mod linear;
pub mod markov;
pub mod mdp;
pub mod program;
pub mod rewards;
