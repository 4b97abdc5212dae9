//! Messages that clients should not send, and programs that are being typed.
//!
//! The random numbers are the same in every run; TOYC_RANDOM_SEED and TOYC_RANDOM_COUNT choose others, and more.

use super::session::{Session, URI, expect, place, range_of};
use crate::tools::{Outcome, fail, root};
use libtest_mimic::Failed;
use serde_json::{Value, json};

/// A small generator (xorshift).
struct Random(u64);

impl Random {
    fn new(stream: u64) -> Self {
        let seed = std::env::var("TOYC_RANDOM_SEED").ok().and_then(|seed| seed.parse().ok());
        Self(seed.unwrap_or(1u64).wrapping_mul(0x9e37_79b9_7f4a_7c15).wrapping_add(stream) | 1)
    }

    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 >> 11) as usize % limit.max(1)
    }

    fn of<'t, T: ?Sized>(&mut self, all: &[&'t T]) -> &'t T {
        all[self.below(all.len())]
    }
}

fn count(default: usize) -> usize {
    let count = std::env::var("TOYC_RANDOM_COUNT").ok().and_then(|count| count.parse().ok());
    count.unwrap_or(default)
}

/// Requests that are about a document.
const REQUESTS: [&str; 20] = [
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/typeDefinition",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/signatureHelp",
    "textDocument/completion",
    "textDocument/prepareRename",
    "textDocument/rename",
    "textDocument/documentSymbol",
    "textDocument/foldingRange",
    "textDocument/semanticTokens/full",
    "textDocument/semanticTokens/range",
    "textDocument/inlayHint",
    "textDocument/codeLens",
    "textDocument/codeAction",
    "textDocument/formatting",
    "textDocument/rangeFormatting",
    "workspace/symbol",
    "workspace/executeCommand",
];

const PROGRAM: &str = "# \u{e9}\u{1f600}\nstruct P { var x; }\ndef f(P p) { return p.x * 2; }\r\n\
                       def main() {\n  P p = {[1, 2]};\n  print(\"\u{1f600}\", f(p)); # \u{4e16}\n}\n";

pub fn messages() -> Outcome {
    let mut session = Session::with(PROGRAM)?;
    let mut random = Random::new(1);
    let mut open = Vec::new();
    for step in 0..count(400) {
        match random.below(8) {
            0 => session.send_bytes(&garbage(&mut random))?,
            1 => {
                let body = random.of(&[
                    "",
                    "[]",
                    "{}",
                    "nul",
                    "\u{0}",
                    "\"\u{1f600}\"",
                    "{\"id\":{}}",
                    "{\"jsonrpc\":\"2.0\",\"id\":1e99,\"method\":\"x\"}",
                    "{\"method\":5,\"id\":1000000}",
                    // Answers to requests that were not sent, and wrong answers to the others.
                    "{\"jsonrpc\":\"2.0\",\"id\":\"toyc-1\",\"result\":[{\"exports\":[\"x()\"]}]}",
                    "{\"jsonrpc\":\"2.0\",\"id\":\"toyc-1\",\"error\":{\"code\":1,\"message\":\"\"}}",
                ]);
                session.send_bytes(
                    format!("Content-Length: {}\r\n\r\n{body}", body.len()).as_bytes(),
                )?;
            }
            2 => {
                let notification = random.of(&[
                    "textDocument/didChange",
                    "textDocument/didOpen",
                    "textDocument/didClose",
                    "textDocument/didSave",
                    "$/setTrace",
                    "initialized",
                    "workspace/didChangeWorkspaceFolders",
                    "workspace/didChangeConfiguration",
                    "workspace/didChangeConfiguration",
                    "$/cancelRequest",
                    "nothing",
                ]);
                let is_settings = notification.ends_with("Configuration") && random.below(3) > 0;
                let params = match is_settings {
                    true => json!({"settings": {"toyc": settings(&mut random)}}),
                    false => nonsense(&mut random, 3),
                };
                session.notify(notification, params)?;
            }
            3 => {
                let (range, text) =
                    (anywhere(&mut random), random.of(&["", "x", "\u{1f600}", "{", "\r"]));
                let change = json!({"range": range, "text": text});
                let document = json!({"uri": URI, "version": random.below(9)});
                let params = json!({"textDocument": document, "contentChanges": [change]});
                session.notify("textDocument/didChange", params)?;
            }
            4 if !open.is_empty() => {
                let id = open[random.below(open.len())];
                session.notify("$/cancelRequest", json!({ "id": id }))?;
            }
            _ => {
                let mut params = params(&mut random);
                if random.below(4) == 0 {
                    let keys: Vec<String> =
                        params.as_object().into_iter().flat_map(|it| it.keys().cloned()).collect();
                    let key = random.below(keys.len());
                    params[&keys[key]] = nonsense(&mut random, 2);
                }
                open.push(session.send_request(random.of(&REQUESTS), params)?);
            }
        }
        if step % 50 == 49 {
            answered(&mut session, &mut open)?;
        }
    }
    answered(&mut session, &mut open)?;
    // Its diagnostics after all this are right.
    session.open("def main() { print(a); }")?;
    session.diagnosed(&["E0201"])?;
    session.finish()
}

fn settings(random: &mut Random) -> Value {
    let mut all = json!({});
    for key in
        ["exports", "warnings", "deny", "optimizationLevel", "target", "cpu", "features", "\u{e9}"]
    {
        if random.below(3) == 0 {
            all[key] = match random.below(3) {
                0 => nonsense(random, 2),
                1 => json!(random.below(5)),
                _ => json!([random.of(&[
                    "f({<2>})",
                    "main()",
                    "f(",
                    "no-all",
                    "error",
                    "shadowing",
                    "+avx2",
                    "native",
                ])]),
            };
        }
    }
    all
}

/// Each request has one answer.
fn answered(session: &mut Session, open: &mut Vec<i32>) -> Outcome {
    let last = session.send_request("textDocument/hover", place(0, 0))?;
    open.push(last);
    for id in open.iter() {
        let is_answer = |message: &Value| message.get("method").is_none() && message["id"] == *id;
        let known = session.notifications.iter().position(is_answer);
        match known {
            Some(at) => drop(session.notifications.remove(at)),
            None => drop(session.answer_of(*id)?),
        }
    }
    let twice = session.notifications.iter().find(|message| {
        message.get("method").is_none() && open.iter().any(|id| message["id"] == *id)
    });
    if let Some(twice) = twice {
        return fail(format!("two answers: {twice}"));
    }
    open.clear();
    session.notifications.clear();
    expect(session.is_running(), true)
}

fn garbage(random: &mut Random) -> Vec<u8> {
    match random.below(5) {
        0 => (0..random.below(300))
            .map(|_| random.below(256) as u8)
            .filter(|it| *it != b'C')
            .collect(),
        1 => b"Content-Length: 18446744073709551615\r\n\r\n".to_vec(),
        2 => b"Content-Length: -5\r\n\r\n{}".to_vec(),
        3 => b"\r\n\r\n\r\nContent-Type: x\r\n\r\n".to_vec(),
        // A length that takes a part of the next message.
        _ => {
            let body = "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}";
            format!("Content-Length: {}\r\n\r\n{body}", body.len() + random.below(30)).into_bytes()
        }
    }
}

fn params(random: &mut Random) -> Value {
    let place = anywhere(random);
    json!({
        "textDocument": {"uri": random.of(&[URI, URI, URI, "file:///none", "untitled:1"])},
        "position": place["start"],
        "range": place,
        "newName": random.of(&["x", "y", "", "1", "\u{1f600}", "print"]),
        "query": random.of(&["", "m", "\u{e9}"]),
        "context": {"includeDeclaration": true, "diagnostics": []},
        "options": {"tabSize": 2, "insertSpaces": true},
        "command": random.of(&["toyc.showPlan", "toyc.nothing"]),
        "arguments": [random.of(&[URI, "x"])],
    })
}

fn anywhere(random: &mut Random) -> Value {
    let mut number = || match random.below(6) {
        0 => u32::MAX,
        1 => 1_000,
        _ => random.below(12) as u32,
    };
    range_of([number(), number(), number(), number()])
}

fn nonsense(random: &mut Random, depth: usize) -> Value {
    match random.below(if depth == 0 { 6 } else { 8 }) {
        0 => Value::Null,
        1 => json!(random.below(9) as i64 - 4),
        2 => json!(random.of(&["", "x", URI, "\u{1f600}", "file://%"])),
        3 => json!(1.5),
        4 => json!(-1),
        5 => json!(true),
        6 => json!([nonsense(random, depth - 1), nonsense(random, depth - 1)]),
        _ => {
            let key =
                random.of(&["textDocument", "uri", "position", "event", "contentChanges", "id"]);
            json!({ key: nonsense(random, depth - 1) })
        }
    }
}

/// Inserted texts: parts of programs, and characters of all sizes.
const TYPED: [&str; 22] = [
    "a",
    "def f(x) {",
    "}",
    "(",
    ")",
    "[1, 2",
    "]",
    ";",
    "\n",
    "\r\n",
    "\r",
    "\u{e9}",
    "\u{1f600}",
    "#",
    "\"",
    "var x = ",
    ".",
    "struct S { var a; }",
    "transpose(",
    "while (1) {",
    " @ ",
    "\u{feff}",
];

pub fn edits() -> Outcome {
    let mut random = Random::new(2);
    for example in ["structs", "transpose", "life"] {
        let path = root().join(format!("examples/{example}.toy"));
        let start = std::fs::read_to_string(path).unwrap_or_else(|_| PROGRAM.to_owned());
        let mut text = start.clone();
        let mut session = Session::with(&text)?;
        for step in 0..count(60) {
            let (from, to) = (boundary(&text, &mut random), boundary(&text, &mut random));
            let (from, to) = (from.min(to), from.max(to));
            // Seldom more than a few letters are replaced.
            let to = if random.below(4) == 0 { to } else { from };
            let (line, column) = position(&text, from);
            let (end_line, end_column) = position(&text, to);
            let typed = random.of(&TYPED);
            session.change(Some([line, column, end_line, end_column]), typed)?;
            text.replace_range(from..to, typed);
            if step % 20 == 19 {
                text = start.clone();
                session.change(None, &text)?;
            }
            let (line, column) = position(&text, boundary(&text, &mut random));
            let mut params = params(&mut random);
            params["textDocument"]["uri"] = json!(URI);
            params["position"] = json!({"line": line, "character": column});
            let request = random.of(&REQUESTS[..18]);
            let id = session.send_request(request, params)?;
            let answer = session.answer_of(id)?;
            if answer["error"]["code"] == -32603 {
                return fail(format!("{answer}\n{text}"));
            }
        }
        same_as_new(&mut session, &text)?;
        session.finish()?;
    }
    Ok(())
}

/// The server has the text that the client has.
fn same_as_new(session: &mut Session, text: &str) -> Result<(), Failed> {
    let mut new = Session::with(text)?;
    for request in ["semanticTokens/full", "documentSymbol", "foldingRange"] {
        expect(session.of(request)?, new.of(request)?)?;
    }
    new.finish()
}

/// An offset between characters that a position can name.
fn boundary(text: &str, random: &mut Random) -> usize {
    let mut at = random.below(text.len() + 1);
    while !text.is_char_boundary(at) || text[..at].ends_with('\r') && text[at..].starts_with('\n') {
        at -= 1;
    }
    at
}

fn position(text: &str, offset: usize) -> (u32, u32) {
    let before = text[..offset].replace("\r\n", "\n").replace('\r', "\n");
    let line = before.matches('\n').count() as u32;
    let last = before.rsplit('\n').next().unwrap_or_default();
    (line, last.encode_utf16().count() as u32)
}
