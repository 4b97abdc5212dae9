//! Messages as bytes.
//!
//! Input: any bytes. Output: the messages in them, and errors about the rest. Invariants: reading ends only
//! with the input; no length that a header claims makes it allocate more than arrives; after malformed input,
//! the next `Content-Length:` begins a message. `lsp_server::Connection` has none of them: it stops at the first
//! malformed byte, without an answer, and reserves what a header claims.

use lsp_server::{ErrorCode, Message};
use serde_json::{Value, json};
use std::io::{self, BufRead, Read, Write};

/// The longest message: larger than any program that is analyzed.
const MAX_LENGTH: u64 = 64 << 20;

const LENGTH: &[u8] = b"content-length:";

/// A message from the client or to it, or the answer to one that is malformed: its id may be `null` or a fraction, which
/// a [`Message`] cannot have.
pub type Transmitted = Result<Message, Value>;

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

    /// The length that the next header gives; anything before it is skipped.
    fn header(&mut self) -> Option<u64> {
        // A line may be as long as a header.
        const LONGEST: u64 = 4096;
        let mut length = None;
        loop {
            let mut line = Vec::new();
            self.bytes(LONGEST).read_until(b'\n', &mut line).ok().filter(|count| *count > 0)?;
            if length.is_some() && line.iter().all(u8::is_ascii_whitespace) {
                return length;
            }
            if let Some(at) = find(&line, LENGTH) {
                length = String::from_utf8_lossy(&line[at + LENGTH.len()..]).trim().parse().ok();
            }
        }
    }

    fn bytes(&mut self, limit: u64) -> impl BufRead {
        (&mut self.again).chain(&mut self.input).take(limit)
    }

    /// Puts bytes back in front of the input.
    fn read_again(&mut self, bytes: &[u8]) {
        if !bytes.iter().all(u8::is_ascii_whitespace) {
            let rest = &self.again.get_ref()[self.again.position() as usize..];
            self.again = io::Cursor::new([bytes, rest].concat());
        }
    }

    fn parse(&mut self, body: &[u8]) -> Transmitted {
        let mut values = serde_json::Deserializer::from_slice(body).into_iter::<Value>();
        // If the length was too large, the next message was taken for a part of this one.
        let value = match values.next() {
            Some(Ok(value)) => {
                self.read_again(&body[values.byte_offset()..]);
                value
            }
            first => {
                let next = find(body, LENGTH).unwrap_or(body.len() - started(body));
                self.read_again(&body[next..]);
                let message = match first {
                    Some(Err(problem)) => format!("this is not JSON: {problem}"),
                    _ => "a message without content".to_owned(),
                };
                return Err(error(Value::Null, ErrorCode::ParseError, &message));
            }
        };
        let id = value.get("id").cloned();
        let is_request = id.is_some() && value.get("method").is_some();
        let message = match serde_json::from_value(value) {
            Ok(Message::Notification(_)) if is_request => {
                "the id of a request is a 32-bit integer or a string"
            }
            Ok(message) => return Ok(message),
            Err(_) => "neither a request, nor a response, nor a notification",
        };
        Err(error(id.unwrap_or_default(), ErrorCode::InvalidRequest, message))
    }
}

/// The messages, to the end of the input.
impl<R: BufRead> Iterator for Reader<R> {
    type Item = Transmitted;

    fn next(&mut self) -> Option<Transmitted> {
        let length = self.header()?;
        if length > MAX_LENGTH {
            let message = format!("a message of {length} bytes; at most {MAX_LENGTH} are read");
            return Some(Err(error(Value::Null, ErrorCode::InvalidRequest, &message)));
        }
        let mut body = Vec::new();
        self.bytes(length).read_to_end(&mut body).ok()?;
        (length == 0 || !body.is_empty()).then(|| self.parse(&body))
    }
}

/// The number of bytes at the end that may begin a header.
fn started(body: &[u8]) -> usize {
    let most = body.len().min(LENGTH.len());
    let is_start =
        |length: &usize| body[body.len() - length..].eq_ignore_ascii_case(&LENGTH[..*length]);
    (0..=most).rev().find(is_start).unwrap_or(0)
}

fn error(id: Value, code: ErrorCode, message: &str) -> Value {
    json!({"jsonrpc": "2.0", "id": id, "error": {"code": code as i32, "message": message}})
}

/// The place of a text in lower case, whatever the case in the bytes.
fn find(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    bytes.windows(wanted.len()).position(|window| window.eq_ignore_ascii_case(wanted))
}

/// Writes a message with its header.
///
/// # Errors
///
/// If `out` fails.
pub fn write(out: &mut impl Write, message: &Transmitted) -> io::Result<()> {
    match message {
        Ok(message) => message.write(out),
        Err(answer) => {
            let text = answer.to_string();
            write!(out, "Content-Length: {}\r\n\r\n{text}", text.len())?;
            out.flush()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(input: &[u8]) -> Vec<String> {
        let describe = |incoming: Transmitted| match incoming {
            Ok(Message::Request(request)) => request.method,
            Ok(Message::Notification(notification)) => notification.method,
            Ok(Message::Response(_)) => "response".to_owned(),
            Err(answer) => answer["error"]["code"].to_string(),
        };
        Reader::new(input).map(describe).collect()
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
