//! Streams: what lies behind a pointer to a file of a library.
//!
//! Only the library can make a file, so a case has a struct of ours instead, which models of the functions about streams
//! know (`runtime/models/src/stdio/stream.rs`). To everything that varies inputs it is a struct like others:
//!
//! ```text
//! {length: 3, text: "42\n"}      FILE *in = text_stream("42\n");
//! ```
//!
//! What the code did to the stream lies behind that, in a part without a name. Nothing varies it.
//!
//! The text is part of the struct rather than an object of its own, so one flip makes a stream longer, without a run that faults. Tests
//! make streams of the same behaviour with `fopencookie`: they create no file, and see what was written after `fclose`.

use crate::case::Value;
use crate::ids::TypeId;
use crate::types::{Field, Shape, Type, Types};

/// How many bytes of text a case can state.
pub const MAX_TEXT: usize = 255;
/// How many bytes are kept of a stream that was written to.
pub const MAX_CONTENT: usize = 4096 - 1 - MAX_TEXT - STATE.content;
/// Where things are in the part without a name.
pub const STATE: State = State { size: 8, written: 17, content: 32 };

/// Offsets in the part of a stream without a name.
#[derive(Debug)]
pub struct State {
    /// The size of the file, once it was written to.
    pub size: usize,
    /// Whether it was.
    pub written: usize,
    /// What the file holds then.
    pub content: usize,
}

/// Lets pointers to these types, which have this name, lead to streams of ours.
pub fn install(types: &mut Types, files: &[TypeId], name: &str) {
    let byte = |name: &str, signed, character| {
        let shape = Shape::Int { bits: 8, signed, character };
        Type { name: Some(name.to_owned()), size: 1, align: 1, shape }
    };
    let length = types.push(byte("uint8_t", false, false));
    let element = types.push(byte("char", true, true));
    let (text_size, state_size) = (MAX_TEXT as u64, (STATE.content + MAX_CONTENT) as u64);
    let shape = Shape::Array { element, count: Some(text_size) };
    let text = types.push(Type { name: None, size: text_size, align: 1, shape });
    let shape = Shape::Other("the state of a stream".to_owned());
    let state = types.push(Type { name: None, size: state_size, align: 8, shape });
    let field = |name: Option<&str>, ty, offset: u64| Field {
        name: name.map(str::to_owned),
        ty,
        offset_bits: 8 * offset,
        bit_width: None,
    };
    let fields = vec![
        field(Some("length"), length, 0),
        field(Some("text"), text, 1),
        field(None, state, 1 + text_size),
    ];
    let shape = Shape::Record { union: false, fields, complete: true };
    let size = 1 + text_size + state_size;
    let stream = types.push(Type { name: Some(name.to_owned()), size, align: 8, shape });
    types.lead_to_streams(files, stream);
    types.set_foreign([stream]);
}

/// The value of a stream with this text; none if it is too long.
#[must_use]
pub fn of_text(text: &[u8]) -> Option<Value> {
    if text.len() > MAX_TEXT {
        return None;
    }
    // A char has a sign.
    let byte = |byte: &u8| Value::Int(i128::from(*byte as i8));
    let mut values: Vec<Value> = text.iter().map(byte).collect();
    values.resize(MAX_TEXT, Value::Int(0));
    let state = Value::Bytes(vec![0; STATE.content + MAX_CONTENT]);
    Some(Value::Record(vec![Value::Int(text.len() as i128), Value::Array(values), state]))
}

/// What a stream holds before the call; none if the value is not that of a stream.
#[must_use]
pub fn text(value: &Value) -> Option<Vec<u8>> {
    let (length, values, _) = parts(value)?;
    Some(
        values
            .iter()
            .take(length)
            .map(|value| if let Value::Int(value) = value { *value as u8 } else { 0 })
            .collect(),
    )
}

/// What a stream holds after the call; none if that is too long to be kept.
#[must_use]
pub fn content(value: &Value) -> Option<Vec<u8>> {
    let (.., state) = parts(value)?;
    if state.get(STATE.written).is_none_or(|written| *written == 0) {
        return text(value);
    }
    let size = u64::from_le_bytes(state.get(STATE.size..STATE.size + 8)?.try_into().ok()?);
    let end = STATE.content.checked_add(usize::try_from(size).ok()?)?;
    state.get(STATE.content..end).map(<[u8]>::to_vec)
}

fn parts(value: &Value) -> Option<(usize, &[Value], &[u8])> {
    let Value::Record(fields) = value else { return None };
    let [Value::Int(length), Value::Array(values), Value::Bytes(state)] = fields.as_slice() else {
        return None;
    };
    Some((usize::try_from(*length).ok()?, values, state))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::layout::leaves;
    use crate::sample;
    use crate::zero::{element_behind, zero};

    #[test]
    fn a_pointer_to_a_file_leads_to_a_stream_whose_text_can_be_varied() {
        let mut types = Types::default();
        let file = sample::incomplete(&mut types, "struct _IO_FILE");
        types.set_foreign([file]);
        assert_eq!(element_behind(&types, file), None);
        install(&mut types, &[file], "FILE");
        let stream = element_behind(&types, file).unwrap();
        assert!(types.is_stream(stream) && !types.is_stream(file));
        assert_eq!((types.get(stream).size, leaves(&types, stream).len()), (4096, 1 + MAX_TEXT));
        assert_eq!(of_text(b""), Some(zero(&types, stream)));
    }

    #[test]
    fn a_stream_holds_its_text_until_something_is_written() {
        let mut value = of_text(b"a\n\xff").unwrap();
        assert_eq!(text(&value), Some(b"a\n\xff".to_vec()));
        assert_eq!(content(&value), text(&value));
        let Value::Record(fields) = &mut value else { panic!("a record") };
        let Value::Bytes(state) = &mut fields[2] else { panic!("bytes") };
        state[STATE.size] = 2;
        state[STATE.written] = 1;
        state[STATE.content..][..2].copy_from_slice(b"ok");
        assert_eq!(content(&value), Some(b"ok".to_vec()));
        let Value::Record(fields) = &mut value else { panic!("a record") };
        let Value::Bytes(state) = &mut fields[2] else { panic!("bytes") };
        state[STATE.size + 1] = 0xff;
        assert_eq!(content(&value), None, "not all of it was kept");
        assert_eq!(of_text(&[b'x'; MAX_TEXT + 1]), None);
    }
}
