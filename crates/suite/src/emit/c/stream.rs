//! Streams that tests hand over: files in memory, with a text that the case states.

use super::literal;
use super::value::Unwritable;
use testwright_base::case::Value;
use testwright_base::stream;

/// The name of the header that makes them.
pub const HEADER_NAME: &str = "testwright_stream.h";
/// The header.
pub const HEADER: &str = include_str!("testwright_stream.h");

/// The expression that makes the only stream of an object: `text_stream("42\n")`.
///
/// # Errors
/// If there are several: C has no arrays of streams.
pub fn made(values: &[Value]) -> Result<String, Unwritable> {
    let [value] = values else { return Err("several streams side by side".to_owned()) };
    let text = stream::text(value).ok_or("a stream without a text")?;
    Ok(format!("text_stream({})", literal::string(&text)))
}
