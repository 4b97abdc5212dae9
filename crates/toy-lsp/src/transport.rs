//! Messages as bytes.
//!
//! Input: any bytes. Output: the messages in them, and errors about the rest. Invariants: reading ends only
//! with the input; no length that a header claims makes it allocate more than arrives; after malformed input,
//! the next `Content-Length:` begins a message.

use lsp_server::Message;
use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};

/// A message from the client.
#[derive(Debug)]
pub enum Incoming {
    Message(Message),
    /// A malformed message, with the answer that the client gets.
    Malformed(Value),
}

/// The longest message: larger than any program that is analyzed.
const MAX_LENGTH: u64 = 64 << 20;

const LENGTH: &[u8] = b"content-length:";

/// Reads messages to the end of the input.
pub struct Reader<R> {
    input: R,
    /// Bytes that were read as a part of something else and have to be read again.
    again: io::Cursor<Vec<u8>>,
}

impl<R: BufRead> Reader<R> {
    pub fn new(input: R) -> Self {
        Self { input, again: io::Cursor::default() }
    }

    /// The next message. None: the input has ended.
    pub fn read(&mut self) -> Option<Incoming> {
        let length = self.header()?;
        if length > MAX_LENGTH {
            let message = format!("a message of {length} bytes; at most {MAX_LENGTH} are read");
            return Some(Incoming::Malformed(error(Value::Null, INVALID_REQUEST, &message)));
        }
        let mut body = Vec::new();
        let mut both = (&mut self.again).chain(&mut self.input);
        both.by_ref().take(length).read_to_end(&mut body).ok()?;
        if (body.len() as u64) < length && body.is_empty() {
            return None;
        }
        Some(self.parse(body))
    }

    /// The length that the next header gives; anything before it is skipped.
    fn header(&mut self) -> Option<u64> {
        let mut length = None;
        loop {
            let line = self.line()?;
            let is_empty = line.iter().all(u8::is_ascii_whitespace);
            match length {
                Some(length) if is_empty => return Some(length),
                _ => {}
            }
            if let Some(at) = find(&line, LENGTH) {
                let number = String::from_utf8_lossy(&line[at + LENGTH.len()..]).into_owned();
                length = number.trim().parse().ok();
            }
        }
    }

    /// The next line, or as much of it as a header may have. None at the end.
    fn line(&mut self) -> Option<Vec<u8>> {
        const LONGEST: u64 = 4096;
        let mut line = Vec::new();
        let mut both = (&mut self.again).chain(&mut self.input);
        both.by_ref().take(LONGEST).read_until(b'\n', &mut line).ok()?;
        (!line.is_empty()).then_some(line)
    }

    /// Puts bytes back in front of the input.
    fn read_again(&mut self, bytes: &[u8]) {
        if bytes.iter().all(u8::is_ascii_whitespace) {
            return;
        }
        let rest = &self.again.get_ref()[self.again.position() as usize..];
        self.again = io::Cursor::new([bytes, rest].concat());
    }

    fn parse(&mut self, body: Vec<u8>) -> Incoming {
        let mut values = serde_json::Deserializer::from_slice(&body).into_iter::<Value>();
        let first = values.next();
        let end = values.byte_offset();
        // If the length was too large, the next message was taken for a part of this one.
        let value = match first {
            Some(Ok(value)) => {
                self.read_again(&body[end..]);
                value
            }
            Some(Err(_)) | None => {
                let next = find(&body, LENGTH).unwrap_or(body.len() - started(&body));
                self.read_again(&body[next..]);
                let message = match first {
                    Some(Err(problem)) => format!("this is not JSON: {problem}"),
                    _ => "a message without content".to_owned(),
                };
                return Incoming::Malformed(error(Value::Null, PARSE_ERROR, &message));
            }
        };
        let id = value.get("id").cloned().unwrap_or(Value::Null);
        let is_request = value.get("method").is_some() && value.get("id").is_some();
        match serde_json::from_value::<Message>(value) {
            Ok(Message::Notification(_)) if is_request => {
                let message = "the id of a request is a 32-bit integer or a string";
                Incoming::Malformed(error(id, INVALID_REQUEST, message))
            }
            Ok(message) => Incoming::Message(message),
            Err(_) => {
                let message = "neither a request, nor a response, nor a notification";
                Incoming::Malformed(error(id, INVALID_REQUEST, message))
            }
        }
    }
}

/// The number of bytes at the end that may begin a header.
fn started(body: &[u8]) -> usize {
    let most = body.len().min(LENGTH.len());
    let is_start =
        |length: &usize| body[body.len() - length..].eq_ignore_ascii_case(&LENGTH[..*length]);
    (0..=most).rev().find(is_start).unwrap_or(0)
}

const PARSE_ERROR: i32 = lsp_server::ErrorCode::ParseError as i32;
const INVALID_REQUEST: i32 = lsp_server::ErrorCode::InvalidRequest as i32;

fn error(id: Value, code: i32, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code, "message": message}})
}

/// The place of a text in lower case, whatever the case in the bytes.
fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window.eq_ignore_ascii_case(wanted))
}

/// A message to the client.
#[derive(Debug)]
pub enum Outgoing {
    Message(Message),
    Value(Value),
}

/// Writes a message with its header.
///
/// # Errors
///
/// If `out` fails.
pub fn write(out: &mut impl Write, outgoing: &Outgoing) -> io::Result<()> {
    match outgoing {
        Outgoing::Message(message) => message.write(out),
        Outgoing::Value(value) => {
            let text = value.to_string();
            write!(out, "Content-Length: {}\r\n\r\n{text}", text.len())?;
            out.flush()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &[u8]) -> Vec<String> {
        let mut reader = Reader::new(input);
        let describe = |incoming| match incoming {
            Incoming::Message(Message::Request(request)) => request.method,
            Incoming::Message(Message::Notification(notification)) => notification.method,
            Incoming::Message(Message::Response(_)) => "response".to_owned(),
            Incoming::Malformed(value) => value["error"]["code"].to_string(),
        };
        std::iter::from_fn(|| reader.read()).map(describe).collect()
    }

    fn framed(body: &str) -> String {
        format!("Content-Length: {}\r\n\r\n{body}", body.len())
    }

    const GOOD: &str = r#"{"jsonrpc":"2.0","id":1,"method":"good"}"#;

    #[test]
    fn messages_are_found_between_garbage() {
        let good = framed(GOOD);
        assert_eq!(read(good.as_bytes()), ["good"]);
        assert_eq!(read(format!("junk\r\n\r\njunk{good}").as_bytes()), ["good"]);
        assert_eq!(
            read(format!("\n\n{}{good}", framed("nonsense")).as_bytes()),
            ["-32700", "good"]
        );
        let typed = format!("Content-Type: x\r\ncontent-length:{}\n\n{GOOD}", GOOD.len());
        assert_eq!(read(typed.as_bytes()), ["good"]);
        assert_eq!(read(&[&[0xff; 10_000][..], good.as_bytes()].concat()), ["good"]);
    }

    #[test]
    fn a_length_that_is_wrong_costs_one_message_at_most() {
        let good = framed(GOOD);
        // Whatever a length that is too large takes of the next message is not lost.
        for more in 1..good.len() {
            for (body, first) in [(GOOD, "good"), ("{\"id\": c", "-32700")] {
                let long =
                    format!("Content-Length: {}\r\n\r\n{body}{good}{good}", body.len() + more);
                assert_eq!(read(long.as_bytes()), [first, "good", "good"], "{more} {body}");
            }
        }
        let short = format!("Content-Length: {}\r\n\r\n{GOOD}{good}", GOOD.len() - 3);
        assert_eq!(read(short.as_bytes()), ["-32700", "good"]);
        let huge = format!("Content-Length: 99999999999999\r\n\r\n{good}");
        assert_eq!(read(huge.as_bytes()), ["-32600", "good"]);
        let none = format!("Content-Length: many\r\n\r\n{good}");
        assert_eq!(read(none.as_bytes()), ["good"]);
    }

    #[test]
    fn an_end_in_the_middle_is_an_end() {
        let good = framed(GOOD);
        for length in 0..good.len() {
            assert!(!read(&good.as_bytes()[..length]).contains(&"good".to_owned()));
        }
    }

    #[test]
    fn what_is_json_but_no_message_is_answered() {
        for body in ["[]", "1", "null", "{}", r#"{"id":1}"#, r#"{"id":1.5,"method":"x"}"#] {
            assert_eq!(read(framed(body).as_bytes()), ["-32600"], "{body}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(read(framed(&deep).as_bytes()), ["-32700"]);
    }
}
