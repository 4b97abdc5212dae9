//! The life of a server: its answers in each state, and its end.

use super::session::{Session, expect, place};
use crate::tools::Outcome;
use serde_json::{Value, json};

pub fn exit_status() -> Outcome {
    Session::with("def main() { print(1); }")?.finish()?;
    // Without `shutdown` it is a failure, whether the client says `exit` or is gone.
    let mut session = Session::with("")?;
    session.notify("exit", Value::Null)?;
    expect(session.status()?, 1)?;
    let mut session = Session::start(&["--stdio"])?;
    session.close();
    expect(session.status()?, 1)?;
    let mut session = Session::with("")?;
    session.request("shutdown", Value::Null)?;
    session.close();
    expect(session.status()?, 0)
}

pub fn order() -> Outcome {
    let mut session = Session::start(&[])?;
    expect(session.error("textDocument/hover", place(0, 0))?, -32002)?;
    session.notify("textDocument/didOpen", json!({"nonsense": 1}))?;
    let result = session.initialize(json!({}))?;
    expect(&result["serverInfo"]["name"], "toyc")?;
    expect(session.error("initialize", json!({"capabilities": {}}))?, -32600)?;
    expect(session.error("textDocument/hover", place(0, 0))?, -32602)?;
    session.open("def main() { print(1); }")?;
    expect(session.error("textDocument/hover", json!({"position": "here"}))?, -32602)?;
    expect(session.error("textDocument/nothing", json!({}))?, -32601)?;
    session.request("shutdown", Value::Null)?;
    expect(session.error("textDocument/hover", place(0, 0))?, -32600)?;
    session.notify("exit", Value::Null)?;
    expect(session.status()?, 0)
}

pub fn cancelled() -> Outcome {
    let mut session = Session::with("def main() { print(1); }")?;
    let command = json!({"command": "toyc.showStage", "arguments": [super::session::URI, "asm"]});
    let id = session.send_request("workspace/executeCommand", command)?;
    session.notify("$/cancelRequest", json!({ "id": id }))?;
    let answer = session.answer_of(id)?;
    // It was fast, or it was cancelled.
    let code = answer["error"]["code"].as_i64();
    expect(code == Some(-32800) || answer["result"].is_string(), true)?;
    // Only a pending request can be cancelled.
    for id in [json!(id), json!(999), json!("x"), json!(null), json!({})] {
        session.notify("$/cancelRequest", json!({ "id": id }))?;
    }
    let twice = session.of("documentSymbol")?;
    expect(twice.as_array().map(Vec::len), Some(1))?;
    let answers = session.notifications.iter().filter(|it| it["id"] == id).count();
    expect(answers, 0)?;
    session.finish()
}
