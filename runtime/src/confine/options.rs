//! What the launcher is asked to do, see [`testwright_abi::confine`].

use std::ffi::OsString;
use std::path::PathBuf;

use testwright_abi::confine::{
    FILE, FIXED, FORKS, GO_ON, MEMORY, PROCESSOR, PROGRAM, READ, SCRATCH, SET, WRITE,
};

/// What becomes of an effect.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OnEffect {
    /// The program ends.
    End,
    /// Files change in the scratch folder only, everything else fails.
    GoOn,
}

/// Whether addresses are the same each time.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Addresses {
    Random,
    Fixed,
}

/// What the launcher is asked to do.
#[derive(Debug, PartialEq, Eq)]
pub struct Options {
    pub scratch: PathBuf,
    pub read: Vec<PathBuf>,
    pub write: Vec<PathBuf>,
    pub environment: Vec<OsString>,
    pub memory: Option<u64>,
    pub processor: u64,
    pub file: u64,
    pub on_effect: OnEffect,
    pub addresses: Addresses,
    /// The program may start processes, these others and so on, so many times; 0: it may not.
    pub forks: u64,
    pub program: PathBuf,
    pub arguments: Vec<OsString>,
}

impl Options {
    /// Reads the arguments after the first.
    pub fn parse(mut arguments: impl Iterator<Item = OsString>) -> Result<Options, String> {
        let mut options = Options {
            scratch: PathBuf::new(),
            read: Vec::new(),
            write: Vec::new(),
            environment: Vec::new(),
            memory: None,
            processor: u64::MAX,
            file: u64::MAX,
            on_effect: OnEffect::End,
            addresses: Addresses::Random,
            forks: 0,
            program: PathBuf::new(),
            arguments: Vec::new(),
        };
        while let Some(name) = arguments.next() {
            let name = name.to_string_lossy().into_owned();
            let mut value = || arguments.next().ok_or_else(|| format!("{name} has no value"));
            match name.as_str() {
                SCRATCH => options.scratch = value()?.into(),
                READ => options.read.push(value()?.into()),
                WRITE => options.write.push(value()?.into()),
                SET => options.environment.push(value()?),
                MEMORY => options.memory = Some(number(&name, &value()?)?),
                PROCESSOR => options.processor = number(&name, &value()?)?,
                FILE => options.file = number(&name, &value()?)?,
                GO_ON => options.on_effect = OnEffect::GoOn,
                FIXED => options.addresses = Addresses::Fixed,
                FORKS => options.forks = number(&name, &value()?)?,
                PROGRAM => {
                    options.program = value()?.into();
                    options.arguments = arguments.collect();
                    return options.complete();
                }
                _ => return Err(format!("there is no option {name}")),
            }
        }
        Err("no program is named".to_owned())
    }

    fn complete(self) -> Result<Options, String> {
        if self.scratch.is_absolute() { Ok(self) } else { Err("no scratch folder is named".to_owned()) }
    }
}

fn number(name: &str, text: &OsString) -> Result<u64, String> {
    text.to_string_lossy().parse().map_err(|_| format!("{name} takes a number"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Options, String> {
        Options::parse(text.split_whitespace().map(OsString::from))
    }

    #[test]
    fn options_come_before_the_program_and_arguments_after_it() {
        let options = parse("--scratch /s --read /a --read /b --memory 5 --go-on -- ./p --read x").unwrap();
        assert_eq!(options.read, [PathBuf::from("/a"), PathBuf::from("/b")]);
        assert_eq!((options.memory, options.on_effect), (Some(5), OnEffect::GoOn));
        assert_eq!((options.program, options.arguments), ("./p".into(), vec!["--read".into(), "x".into()]));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        assert_eq!(parse("--scratch /s -- "), Err("-- has no value".to_owned()));
        assert_eq!(parse("--scratch /s"), Err("no program is named".to_owned()));
        assert_eq!(parse("-- p"), Err("no scratch folder is named".to_owned()));
        assert_eq!(parse("--scratch s -- p"), Err("no scratch folder is named".to_owned()));
        assert_eq!(parse("--memory much -- p"), Err("--memory takes a number".to_owned()));
        assert_eq!(parse("--else"), Err("there is no option --else".to_owned()));
    }
}
