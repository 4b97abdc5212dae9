//! A client of the language server.

use crate::tools::{TOYC, fail};
use libtest_mimic::Failed;
use serde::Serialize;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

/// The longest wait, for a busy machine.
const PATIENCE: Duration = Duration::from_secs(100);

pub const URI: &str = "file:///tmp/t.toy";

pub struct Session {
    child: Child,
    stdin: Option<ChildStdin>,
    messages: Receiver<Value>,
    /// Arrived messages besides the answers.
    pub notifications: VecDeque<Value>,
    next: i32,
    version: i32,
}

impl Session {
    /// A server that is not initialized.
    pub fn start(arguments: &[&str]) -> Result<Self, Failed> {
        let mut child = Command::new(TOYC)
            .arg("lsp")
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()?;
        let stdout = child.stdout.take().ok_or("no standard output")?;
        let (sender, messages) = channel();
        std::thread::spawn(move || {
            let mut stdout = BufReader::new(stdout);
            while let Some(message) = read(&mut stdout) {
                if sender.send(message).is_err() {
                    return;
                }
            }
        });
        let stdin = child.stdin.take();
        let notifications = VecDeque::new();
        Ok(Self { child, stdin, messages, notifications, next: 0, version: 0 })
    }

    /// An initialized server with a document, for a client with the common capabilities only.
    pub fn with(text: &str) -> Result<Self, Failed> {
        Self::of_client(json!({}), text)
    }

    /// An initialized server with a document, for a client with these capabilities.
    pub fn of_client(capabilities: Value, text: &str) -> Result<Self, Failed> {
        let mut session = Self::start(&[])?;
        session.initialize(capabilities)?;
        session.open(text)?;
        Ok(session)
    }

    pub fn initialize(&mut self, capabilities: Value) -> Result<Value, Failed> {
        let params = json!({"processId": null, "rootUri": null, "capabilities": capabilities});
        let result = self.request("initialize", params)?;
        self.notify("initialized", json!({}))?;
        Ok(result)
    }

    pub fn open(&mut self, text: &str) -> Result<(), Failed> {
        self.version += 1;
        let document =
            json!({"uri": URI, "languageId": "toy", "version": self.version, "text": text});
        self.notify("textDocument/didOpen", json!({ "textDocument": document }))
    }

    /// Replaces a range, `[line, column, line, column]`, or everything.
    pub fn change(&mut self, range: Option<[u32; 4]>, text: &str) -> Result<(), Failed> {
        self.version += 1;
        let range = range.map(range_of);
        let change = match range {
            Some(range) => json!({"range": range, "text": text}),
            None => json!({ "text": text }),
        };
        let document = json!({"uri": URI, "version": self.version});
        let params = json!({"textDocument": document, "contentChanges": [change]});
        self.notify("textDocument/didChange", params)
    }

    /// The result of a request; an error of the server is a failure.
    pub fn request(&mut self, method: &str, params: Value) -> Result<Value, Failed> {
        let answer = self.answer(method, params)?;
        match answer.get("result") {
            Some(result) => Ok(result.clone()),
            None => fail(format!("{method}: {answer}")),
        }
    }

    /// The error code of a request.
    pub fn error(&mut self, method: &str, params: Value) -> Result<i64, Failed> {
        let answer = self.answer(method, params)?;
        answer["error"]["code"].as_i64().ok_or_else(|| format!("{method}: {answer}").into())
    }

    fn answer(&mut self, method: &str, params: Value) -> Result<Value, Failed> {
        let id = self.send_request(method, params)?;
        self.answer_of(id)
    }

    /// Sends a request, and returns its number.
    pub fn send_request(&mut self, method: &str, params: Value) -> Result<i32, Failed> {
        self.next += 1;
        let id = self.next;
        self.send(&json!({"jsonrpc": "2.0", "id": id, "method": method, "params": params}))?;
        Ok(id)
    }

    pub fn answer_of(&mut self, id: i32) -> Result<Value, Failed> {
        loop {
            let message = self.receive()?;
            if message.get("method").is_none() && message["id"] == id {
                return Ok(message);
            }
            self.notifications.push_back(message);
        }
    }

    /// A request about a place of the document.
    pub fn at(&mut self, request: &str, line: u32, column: u32) -> Result<Value, Failed> {
        self.request(&format!("textDocument/{request}"), place(line, column))
    }

    /// A request about the whole document.
    pub fn of(&mut self, request: &str) -> Result<Value, Failed> {
        let everything = range_of([0, 0, 100_000, 0]);
        let params = json!({"textDocument": {"uri": URI}, "range": everything,
            "options": {"tabSize": 2, "insertSpaces": true}, "context": {"diagnostics": []}});
        self.request(&format!("textDocument/{request}"), params)
    }

    pub fn notify(&mut self, method: &str, params: Value) -> Result<(), Failed> {
        self.send(&json!({"jsonrpc": "2.0", "method": method, "params": params}))
    }

    pub fn send(&mut self, message: &Value) -> Result<(), Failed> {
        let text = message.to_string();
        self.send_bytes(format!("Content-Length: {}\r\n\r\n{text}", text.len()).as_bytes())
    }

    pub fn send_bytes(&mut self, bytes: &[u8]) -> Result<(), Failed> {
        let stdin = self.stdin.as_mut().ok_or("the input has ended")?;
        stdin.write_all(bytes)?;
        Ok(stdin.flush()?)
    }

    /// The next message of the server.
    pub fn receive(&mut self) -> Result<Value, Failed> {
        match self.messages.recv_timeout(PATIENCE) {
            Ok(message) => Ok(message),
            Err(RecvTimeoutError::Timeout) => fail("the server does not answer"),
            Err(RecvTimeoutError::Disconnected) => fail("the server has ended"),
        }
    }

    /// The codes of the diagnostics, once they are as expected.
    pub fn diagnosed(&mut self, expected: &[&str]) -> Result<Vec<Value>, Failed> {
        let mut last = Vec::new();
        let start = Instant::now();
        loop {
            let message = match self.notifications.pop_front() {
                Some(message) => message,
                None if start.elapsed() > PATIENCE => {
                    return fail(format!("expected {expected:?}, not {last:?}"));
                }
                None => self.messages.recv_timeout(PATIENCE).map_err(|_| {
                    Failed::from(format!("expected {expected:?}, and nothing after {last:?}"))
                })?,
            };
            if message["method"] == "textDocument/publishDiagnostics"
                && message["params"]["version"] == self.version
            {
                let all = message["params"]["diagnostics"].as_array().cloned().unwrap_or_default();
                last = all.iter().filter_map(|it| Some(it["code"].as_str()?.to_owned())).collect();
                if last == expected {
                    return Ok(all);
                }
            }
        }
    }

    /// Waits for any diagnostics of the newest text.
    pub fn published(&mut self) -> Result<(), Failed> {
        loop {
            let message = self.receive()?;
            if message["params"]["version"] == self.version {
                return Ok(());
            }
        }
    }

    /// Waits until a document has no diagnostics.
    pub fn cleared(&mut self, uri: &str) -> Result<(), Failed> {
        loop {
            let params = &self.receive()?["params"];
            if params["uri"] == uri && params["diagnostics"] == json!([]) {
                return Ok(());
            }
        }
    }

    /// Repeats a request until the answer is as wanted: shapes arrive when they are known.
    pub fn until(
        &mut self,
        mut ask: impl FnMut(&mut Self) -> Result<Value, Failed>,
        is_wanted: impl Fn(&Value) -> bool,
    ) -> Result<Value, Failed> {
        let start = Instant::now();
        loop {
            let answer = ask(self)?;
            if is_wanted(&answer) {
                return Ok(answer);
            }
            if start.elapsed() > PATIENCE {
                return fail(format!("this does not change anymore: {answer}"));
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// Shuts the server down; it has to end as it should.
    pub fn finish(mut self) -> Result<(), Failed> {
        self.request("shutdown", Value::Null)?;
        self.notify("exit", Value::Null)?;
        match self.status()? {
            0 => Ok(()),
            status => fail(format!("the server ended with {status}")),
        }
    }

    /// Closes the input.
    pub fn close(&mut self) {
        self.stdin = None;
    }

    /// The exit status, when the server has ended.
    pub fn status(&mut self) -> Result<i32, Failed> {
        let start = Instant::now();
        while start.elapsed() < PATIENCE {
            if let Some(status) = self.child.try_wait()? {
                return status.code().ok_or_else(|| format!("{status}").into());
            }
            std::thread::sleep(Duration::from_millis(5));
        }
        fail("the server does not end")
    }

    /// The process that compiles, if there is one.
    pub fn worker(&self) -> Result<String, Failed> {
        let start = Instant::now();
        let parent = format!(" {} ", self.child.id());
        while start.elapsed() < PATIENCE {
            for entry in std::fs::read_dir("/proc")?.flatten() {
                // After the name, in parentheses: the state and the parent.
                let stat = std::fs::read_to_string(entry.path().join("stat")).unwrap_or_default();
                let rest = stat.rsplit(')').next().unwrap_or_default();
                if rest.get(2..).is_some_and(|rest| rest.starts_with(&parent)) {
                    return Ok(entry.file_name().to_string_lossy().into_owned());
                }
            }
            std::thread::sleep(Duration::from_millis(1));
        }
        fail("the server starts no worker")
    }

    pub fn is_running(&mut self) -> bool {
        matches!(self.child.try_wait(), Ok(None))
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn read(stdout: &mut impl BufRead) -> Option<Value> {
    let mut length = 0;
    loop {
        let mut line = String::new();
        if stdout.read_line(&mut line).ok()? == 0 {
            return None;
        }
        match line.trim().strip_prefix("Content-Length: ") {
            Some(number) => length = number.parse().ok()?,
            None if line.trim().is_empty() => break,
            None => return None,
        }
    }
    let mut body = vec![0; length];
    stdout.read_exact(&mut body).ok()?;
    serde_json::from_slice(&body).ok()
}

pub fn place(line: u32, column: u32) -> Value {
    json!({"textDocument": {"uri": URI}, "position": {"line": line, "character": column}})
}

pub fn range_of([line, column, end_line, end_column]: [u32; 4]) -> Value {
    json!({"start": {"line": line, "character": column},
        "end": {"line": end_line, "character": end_column}})
}

/// The capabilities of a client that reads edits of versions of documents.
pub fn document_changes() -> Value {
    json!({"workspace": {"workspaceEdit": {"documentChanges": true}}})
}

/// The edits of the document in an edit of the workspace, which has them only in the form that the client reads.
pub fn edits_of(edit: &Value, has_document_changes: bool) -> Result<Value, Failed> {
    let (edits, other) = match has_document_changes {
        true => (&edit["documentChanges"][0]["edits"], &edit["changes"]),
        false => (&edit["changes"][URI], &edit["documentChanges"]),
    };
    match edits.is_array() && other.is_null() {
        true => Ok(edits.clone()),
        false => fail(format!("not an edit for this client: {edit}")),
    }
}

/// `line:column-line:column` of each range in a list.
pub fn ranges(list: &Value) -> Vec<String> {
    let all = list.as_array().cloned().unwrap_or_default();
    all.iter().map(|it| shown(&it["range"])).collect()
}

pub fn shown(range: &Value) -> String {
    let (start, end) = (&range["start"], &range["end"]);
    format!("{}:{}-{}:{}", start["line"], start["character"], end["line"], end["character"])
}

/// The text after edits, which are given in any order.
pub fn edited(text: &str, edits: &Value) -> String {
    let mut edits = edits.as_array().cloned().unwrap_or_default();
    let offset = |place: &Value| {
        let line = place["line"].as_u64().unwrap_or(0) as usize;
        let start: usize = text.split_inclusive('\n').take(line).map(str::len).sum();
        start + place["character"].as_u64().unwrap_or(0) as usize
    };
    edits.sort_by_key(|edit| std::cmp::Reverse(offset(&edit["range"]["start"])));
    let mut result = text.to_owned();
    for edit in edits {
        let range = offset(&edit["range"]["start"])..offset(&edit["range"]["end"]);
        result.replace_range(range, edit["newText"].as_str().unwrap_or("?"));
    }
    result
}

/// Compares two values as JSON.
pub fn expect(is: impl Serialize, wanted: impl Serialize) -> Result<(), Failed> {
    let (is, wanted): (Value, Value) = (
        serde_json::to_value(is).map_err(|error| error.to_string())?,
        serde_json::to_value(wanted).map_err(|error| error.to_string())?,
    );
    if is == wanted { Ok(()) } else { fail(format!("expected {wanted}\nfound    {is}")) }
}
