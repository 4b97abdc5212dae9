//! URIs: the paths of files, and clients' spellings that are not quite URIs.
//!
//! Input: messages as JSON. Output: the same with valid URIs, and the other way around. Invariants: every URI that is
//! sent has the spelling that the client used last; texts of programs are not searched; a valid URI is left alone.

use serde_json::Value;
use std::collections::HashMap;
use std::fmt::Write;

/// The path of a `file:` URI.
pub fn path_of(uri: &str) -> Option<String> {
    let rest = uri.strip_prefix("file://")?;
    // A host, which is empty or `localhost`.
    let path = &rest[rest.find('/')?..];
    let bytes = path.as_bytes();
    let mut decoded = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let digits = bytes.get(at + 1..at + 3).and_then(|digits| std::str::from_utf8(digits).ok());
        match (bytes[at], digits.and_then(|digits| u8::from_str_radix(digits, 16).ok())) {
            (b'%', Some(byte)) => {
                decoded.push(byte);
                at += 3;
            }
            (byte, _) => {
                decoded.push(byte);
                at += 1;
            }
        }
    }
    String::from_utf8(decoded).ok()
}

/// The URI of a path.
pub fn uri_of(path: &str) -> Option<lsp_types::Uri> {
    let mut uri = "file://".to_owned();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            uri.push(char::from(byte));
        } else {
            uri.push_str(&format!("%{byte:02X}"));
        }
    }
    uri.parse().ok()
}

/// The spellings of clients that escape less than RFC 3986 asks for: `file:///tmp/é.toy`.
#[derive(Default)]
pub struct Spellings {
    /// The client's spellings, by the valid URI.
    written: HashMap<String, String>,
}

impl Spellings {
    /// Makes the URIs in the parameters of a message valid. Values are not deeper than the reader of JSON allows.
    pub fn read(&mut self, params: &mut Value) {
        match params {
            Value::Object(fields) => {
                for (name, value) in fields {
                    match (name.as_str(), value) {
                        ("uri" | "rootUri" | "scopeUri", Value::String(uri)) => self.read_uri(uri),
                        // The arguments of commands; only the first is a URI.
                        ("arguments", Value::Array(all)) => {
                            if let Some(Value::String(uri)) = all.first_mut() {
                                self.read_uri(uri);
                            }
                        }
                        (_, value) => self.read(value),
                    }
                }
            }
            Value::Array(all) => all.iter_mut().for_each(|value| self.read(value)),
            _ => {}
        }
    }

    fn read_uri(&mut self, uri: &mut String) {
        if uri.parse::<lsp_types::Uri>().is_ok() {
            self.written.remove(uri);
            return;
        }
        let valid = escaped(uri);
        self.written.insert(valid.clone(), std::mem::replace(uri, valid));
    }

    /// Gives the URIs of a result or of a notification the spelling that the client knows.
    pub fn write(&self, value: &mut Value) {
        if self.written.is_empty() {
            return;
        }
        match value {
            Value::String(text) => {
                if let Some(written) = self.written.get(text) {
                    text.clone_from(written);
                }
            }
            Value::Array(all) => all.iter_mut().for_each(|value| self.write(value)),
            Value::Object(fields) => {
                fields.values_mut().for_each(|value| self.write(value));
                // The URIs of `changes` are names of fields.
                let known = |name: &String| Some((name.clone(), self.written.get(name)?.clone()));
                let uris: Vec<_> = fields.keys().filter_map(known).collect();
                for (valid, written) in uris {
                    let value = fields.remove(&valid);
                    fields.extend(value.map(|value| (written, value)));
                }
            }
            _ => {}
        }
    }
}

/// The URI with every byte escaped that may not be in one.
fn escaped(uri: &str) -> String {
    let bytes = uri.as_bytes();
    let is_digit = |at: usize| bytes.get(at).is_some_and(u8::is_ascii_hexdigit);
    let mut escaped = String::with_capacity(uri.len() + 16);
    for (at, byte) in bytes.iter().enumerate() {
        let is_escape = *byte == b'%' && is_digit(at + 1) && is_digit(at + 2);
        if is_escape || byte.is_ascii_alphanumeric() || b"/-._~:?#@!$&'()*+,;=".contains(byte) {
            escaped.push(char::from(*byte));
        } else {
            // Writing to a string does not fail.
            let _ = write!(escaped, "%{byte:02X}");
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn uris_that_are_not_escaped_are_read_and_written_back() {
        let mut spellings = Spellings::default();
        let raw = "file:///tmp/a b/\u{e9}%20[1]%.toy";
        let mut params = json!({"textDocument": {"uri": raw, "text": "file:///tmp/\u{e9}"},
            "arguments": [raw, "f(2x3, scalar)"], "x": [{"uri": "file:///a%20b"}, {"uri": 1}]});
        let original = params.clone();
        spellings.read(&mut params);
        let valid = "file:///tmp/a%20b/%C3%A9%20%5B1%5D%25.toy";
        assert!(valid.parse::<lsp_types::Uri>().is_ok());
        assert_eq!(path_of(valid).unwrap(), "/tmp/a b/\u{e9} [1]%.toy");
        let expected = json!({"textDocument": {"uri": valid, "text": "file:///tmp/\u{e9}"},
            "arguments": [valid, "f(2x3, scalar)"], "x": [{"uri": "file:///a%20b"}, {"uri": 1}]});
        assert_eq!(params, expected);
        spellings.write(&mut params);
        assert_eq!(params, original);
        let mut edit = json!({"changes": {valid: [{"newText": "x"}]}});
        spellings.write(&mut edit);
        assert_eq!(edit, json!({"changes": {raw: [{"newText": "x"}]}}));
        // The last spelling used is the one sent.
        spellings.read(&mut json!({ "uri": valid }));
        let mut result = json!([valid]);
        spellings.write(&mut result);
        assert_eq!(result, json!([valid]));
    }

    #[test]
    fn paths_and_uris() {
        assert_eq!(path_of("file:///a%20b.toy"), Some("/a b.toy".to_owned()));
        assert_eq!(uri_of("/a b/\u{e9}.toy").unwrap().as_str(), "file:///a%20b/%C3%A9.toy");
        assert_eq!(path_of("file:///a%2/%zz"), Some("/a%2/%zz".to_owned()));
        assert_eq!(path_of("untitled:1"), None);
        assert_eq!(path_of("file://"), None);
    }
}
