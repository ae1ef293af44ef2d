//! Reading a strategy, and saying where it is wrong.

use super::Strategy;
use crate::frontier::{Entry, TABLE, Takes};
use std::fmt;

/// How deep strategies may be nested.
const MAX_DEPTH: usize = 32;

/// A text is not a strategy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrategyError {
    text: String,
    /// The offending character, counted from 0.
    position: usize,
    problem: String,
}

impl StrategyError {
    /// The offending character, counted from 0; the length of the text if something is missing at its end.
    #[must_use]
    pub fn position(&self) -> usize {
        self.position
    }

    /// What is wrong there.
    #[must_use]
    pub fn problem(&self) -> &str {
        &self.problem
    }
}

impl std::error::Error for StrategyError {}

impl fmt::Display for StrategyError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(formatter, "{}", self.problem)?;
        // A tab or line break would part the mark from what it points at.
        let text: String =
            self.text.chars().map(|character| if character.is_control() { ' ' } else { character }).collect();
        writeln!(formatter, "  {text}")?;
        writeln!(formatter, "  {}^", " ".repeat(self.position))?;
        write!(formatter, "strategies are made of:")?;
        for entry in TABLE {
            let form = match entry.takes {
                Takes::Nothing => entry.name.to_owned(),
                Takes::Number(usual) => format!("{}({usual})", entry.name),
                Takes::One => format!("{}(S)", entry.name),
                Takes::Many => format!("{}(S, ..)", entry.name),
            };
            write!(formatter, "\n  {form:<20} {}", entry.about)?;
        }
        Ok(())
    }
}

/// The strategy that `text` says.
pub fn parse(text: &str) -> Result<Strategy, StrategyError> {
    let mut parser = Parser { text, characters: text.chars().collect(), at: 0 };
    let strategy = parser.strategy(0)?;
    parser.skip_spaces();
    match parser.peek() {
        None => Ok(strategy),
        Some(character) => {
            Err(parser.error(parser.at, format!("nothing can follow here, but '{character}' does")))
        }
    }
}

struct Parser<'a> {
    text: &'a str,
    characters: Vec<char>,
    at: usize,
}

impl Parser<'_> {
    fn strategy(&mut self, depth: usize) -> Result<Strategy, StrategyError> {
        self.skip_spaces();
        let start = self.at;
        if depth > MAX_DEPTH {
            return Err(self.error(start, format!("strategies are nested at most {MAX_DEPTH} deep")));
        }
        let name = self.word();
        if name.is_empty() {
            return Err(self.error(start, "the name of a strategy is missing".to_owned()));
        }
        let entry =
            Entry::named(&name).ok_or_else(|| self.error(start, format!("there is no strategy '{name}'")))?;
        let mut strategy = Strategy { entry, number: 0, parts: Vec::new() };
        match entry.takes {
            Takes::Nothing => self.nothing(&name)?,
            Takes::Number(usual) => strategy.number = self.number(usual)?,
            Takes::One | Takes::Many => strategy.parts = self.parts(entry, depth)?,
        }
        Ok(strategy)
    }

    fn nothing(&mut self, name: &str) -> Result<(), StrategyError> {
        self.skip_spaces();
        if self.peek() == Some('(') {
            return Err(self.error(self.at, format!("'{name}' takes nothing in parentheses")));
        }
        Ok(())
    }

    fn number(&mut self, usual: u32) -> Result<u32, StrategyError> {
        self.skip_spaces();
        if self.peek() != Some('(') {
            return Ok(usual);
        }
        self.at += 1;
        self.skip_spaces();
        let start = self.at;
        let number = self.word().parse().ok().filter(|number| (1..=1000).contains(number));
        let number =
            number.ok_or_else(|| self.error(start, "a number from 1 to 1000 belongs here".to_owned()))?;
        self.close("')'")?;
        Ok(number)
    }

    fn parts(&mut self, entry: &Entry, depth: usize) -> Result<Vec<Strategy>, StrategyError> {
        self.skip_spaces();
        if self.peek() != Some('(') {
            return Err(self.error(self.at, format!("'{}' needs a strategy in parentheses", entry.name)));
        }
        self.at += 1;
        let mut parts = vec![self.strategy(depth + 1)?];
        self.skip_spaces();
        while self.peek() == Some(',') {
            if entry.takes == Takes::One {
                return Err(self.error(self.at, format!("'{}' takes one strategy only", entry.name)));
            }
            self.at += 1;
            parts.push(self.strategy(depth + 1)?);
            self.skip_spaces();
        }
        self.close(if entry.takes == Takes::One { "')'" } else { "',' or ')'" })?;
        Ok(parts)
    }

    fn close(&mut self, expected: &str) -> Result<(), StrategyError> {
        self.skip_spaces();
        if self.peek() != Some(')') {
            return Err(self.error(self.at, format!("{expected} is missing")));
        }
        self.at += 1;
        Ok(())
    }

    fn word(&mut self) -> String {
        let rest = self.characters[self.at..].iter();
        let word: String = rest.take_while(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect();
        self.at += word.chars().count();
        word
    }

    fn skip_spaces(&mut self) {
        self.at += self.characters[self.at..].iter().take_while(|c| c.is_whitespace()).count();
    }

    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    fn error(&self, position: usize, problem: String) -> StrategyError {
        StrategyError { text: self.text.to_owned(), position, problem }
    }
}
