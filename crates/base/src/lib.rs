//! The words of Testwright: one type per word, shared by every other crate.
//!
//! * [`subject`]: the compiled code under test, its functions, globals and types;
//! * [`site`]: places where control or value decides, and their outcomes;
//! * [`graph`]: flow graphs, dominators, control dependence, calls;
//! * [`case`]: a test case, [`json`]: as people write one;
//! * [`contract`]: what a function asks of its callers;
//! * [`creation`]: how a pointer comes about that only the code can make;
//! * [`decision`]: boolean expressions of several clauses, and which of them decide;
//! * [`doubt`]: what nobody can vary completely;
//! * [`effect`]: what code wants beyond its own memory;
//! * [`zero`]: new values and objects;
//! * [`layout`]: where the values of a case lie in memory;
//! * [`nearest`]: what a misspelt name may have meant;
//! * [`pairs`]: which parameter is the length of which pointer;
//! * [`query`]: a call that looks at an object after the call under test;
//! * [`start`]: the plainest case of a function;
//! * [`tagged`]: which member of a union goes with which tag;
//! * [`stub`]: functions that nobody defines, and their answers;
//! * [`run`]: what one execution of a case showed.
//!
//! Nothing here knows LLVM, files or processes.
#![forbid(unsafe_code)]

pub mod build;
pub mod case;
pub mod contract;
pub mod creation;
pub mod decision;
pub mod doubt;
pub mod effect;
pub mod goal;
pub mod graph;
pub mod ids;
pub mod json;
pub mod layout;
pub mod limits;
pub mod mutant;
pub mod nearest;
pub mod pairs;
pub mod query;
pub mod run;
#[cfg(any(test, feature = "sample"))]
pub mod sample;
pub mod site;
pub mod start;
pub mod stream;
pub mod stub;
pub mod subject;
pub mod tagged;
pub mod types;
pub mod zero;
