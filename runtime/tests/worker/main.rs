//! The worker as its host sees it: real processes on small C libraries that follow the contract by hand.

mod batch;
mod confined;
mod counted;
mod ends;
mod fuzz;
mod host;
mod hostile;
mod reset;
mod sandbox;
mod support;
mod target_search;
mod traced;
