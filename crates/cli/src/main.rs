//! The command line: argv to config to run to exit code. The only crate that prints.
#![forbid(unsafe_code)]

mod args;
mod console;
mod exit;
mod interrupt;
mod load;
mod progress;
mod verbs;

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
    testwright_engine::publish::clean_up_after_others();
    let result = verbs::perform(&arguments.verb);
    // What fails because everything is being removed is nothing to talk about.
    testwright_exec::wait_for_signals();
    match result {
        Ok(exit) => exit.into(),
        Err(Failure { fault, message }) => {
            eprintln!("testwright: {}", message.trim_end());
            Exit::from(fault).into()
        }
    }
}
