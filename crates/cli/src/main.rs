//! The command line: argv to config to run to exit code. The only crate that prints.
#![forbid(unsafe_code)]

mod args;
mod bench;
mod code;
mod exit;
mod hunting;
mod interrupt;
mod load;
mod outputs;
mod progress;
mod publish;
mod solver;
mod verbs;
mod verify;
mod workshop;

use clap::Parser;
use exit::{Exit, Failure};
use std::process::ExitCode;

fn main() -> ExitCode {
    testwright_exec::end_quietly_when_nobody_reads();
    let arguments = match args::Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are asked for; anything else is a usage error.
            let asked = !error.use_stderr();
            let _ = error.print();
            return if asked { Exit::Done } else { Exit::Usage }.into();
        }
    };
    interrupt::listen();
    publish::clean_up_after_others();
    let result = verbs::perform(&arguments.verb);
    // What fails because everything is being removed is nothing to talk about.
    testwright_exec::wait_for_signals();
    match result {
        Ok(exit) => exit.into(),
        Err(Failure { exit, message }) => {
            eprintln!("testwright: {}", message.trim_end());
            exit.into()
        }
    }
}
