//! Obstacles for a newcomer: places of errors while a line is typed, names that are offered, settings.

use super::session::{Session, URI, document_changes, edited, edits_of, expect, place, shown};
use super::shapes::{contains, hints_of, hovered};
use crate::tools::{Outcome, fail};
use libtest_mimic::Failed;
use serde_json::{Value, json};

/// `code line:column-line:column` of each diagnostic.
fn placed(all: &[Value]) -> Vec<String> {
    let one =
        |it: &Value| format!("{} {}", it["code"].as_str().unwrap_or("?"), shown(&it["range"]));
    all.iter().map(one).collect()
}

pub fn unfinished_lines() -> Outcome {
    let mut session = Session::with("")?;
    session.diagnosed(&[])?;
    // There is one error, in the line that is typed, and it names the missing part once.
    for (typed, wanted) in [
        ("var q =", "E0103 1:9-1:9"),
        ("print(m", "E0103 1:9-1:9"),
        ("pri", "E0103 1:5-1:5"),
        ("var m", "E0103 1:7-1:7"),
    ] {
        session
            .change(None, &format!("def main() {{\n  {typed}\n  var m = 1;\n  print(m);\n}}\n"))?;
        let all = session.diagnosed(&["E0103"])?;
        expect(placed(&all), [wanted])?;
        let message = all[0]["message"].as_str().unwrap_or("");
        expect(message.matches("expected").count(), 1)?;
    }
    // A function with parameters is not a misspelled `main`.
    session.change(None, "def mean(x) { return sum(x) / shape(x, 0); }\n")?;
    let all = session.diagnosed(&["E0208"])?;
    expect(all[0]["message"].as_str().unwrap_or("").contains("did you mean"), false)?;
    session.finish()
}

pub fn fixes_of_the_line() -> Outcome {
    let text = "def main() {\n  var x = 3\n  print(x);\n}\n";
    let mut session = Session::of_client(document_changes(), text)?;
    session.diagnosed(&["E0103"])?;
    let mut at = |line: u32, column: u32| {
        let here = place(line, column)["position"].clone();
        let params = json!({"textDocument": {"uri": URI}, "range": {"start": here, "end": here},
            "context": {"diagnostics": []}});
        session.request("textDocument/codeAction", params)
    };
    let actions = at(1, 2)?;
    let edits = edits_of(&actions[0]["edit"], true)?;
    expect(edited(text, &edits), text.replace("= 3", "= 3;"))?;
    expect(at(2, 2)?, Vec::<Value>::new())?;
    session.finish()
}

/// Where element types meet, the fix converts the operand that is f64, or the value of the assignment.
pub fn fixes_of_element_types() -> Outcome {
    for (text, code, line, [before, after]) in [
        ("a + b", "E0322", 2, ["b)", "f32(b))"]),
        ("b + 1 + a", "E0322", 2, ["b + 1 + a", "f32(b + 1) + a"]),
        ("max(b, a)", "E0322", 2, ["max(b", "max(f32(b)"]),
        ("where(a > 0, a, b)", "E0322", 2, ["b)", "f32(b))"]),
        ("concat(a, b)", "E0322", 2, ["b)", "f32(b))"]),
        ("[a, b * 2]", "E0322", 2, ["b * 2", "f32(b * 2)"]),
        ("a);\n  a[0:1] = (b[0:1]", "E0322", 3, ["(b[0:1])", "f32((b[0:1]))"]),
        ("a);\n  a = (b", "E0330", 3, ["(b)", "f32((b))"]),
    ] {
        let text = format!(
            "def main() {{\n  var a = f32([1, 2]); var b = [3, 4];\n  print({text});\n  print(a);\n}}\n"
        );
        let mut session = Session::of_client(document_changes(), &text)?;
        session.diagnosed(&[code])?;
        let here = place(line, 8)["position"].clone();
        let actions = session.request(
            "textDocument/codeAction",
            json!({"textDocument": {"uri": URI}, "range": {"start": here, "end": here},
                "context": {"diagnostics": []}}),
        )?;
        let edits = edits_of(&actions[0]["edit"], true)?;
        let last = text.rfind(before).unwrap_or(0);
        let expected = format!("{}{after}{}", &text[..last], &text[last + before.len()..]);
        expect(edited(&text, &edits), expected)?;
        session.finish()?;
    }
    Ok(())
}

pub fn offers() -> Outcome {
    let mut session = Session::with("")?;
    let start = "# Of numbers.\nstruct P { var x; var a; }\ndef f(p) { return p; }\ndef main() {\n  \
                 P p = {1, 2};\n  for i in 0..3 {\n    var inner = i;\n    print(inner);\n  }\n";
    // The words that are offered, of these.
    let words = ["var", "else", "if", "in", "p", "q", "i", "inner", "f", "sum", "print", "P", "x"];
    for (line, wanted) in [
        ("  ", "var if p f sum print P"),
        ("  q", "var if p f sum print P"),
        ("  P ", ""),
        ("  P q = {", "p f sum"),
        ("  P q = {{1}, ", "p f sum"),
        ("  print(p) ", ""),
        ("  print(\"a ", ""),
        ("  print(\"a # \", ", "p f sum"),
        ("  var q<", ""),
        ("  for q ", "in"),
        ("  for q in ", "p f sum"),
        ("  if ", ""),
        ("  if (1) { } ", "var else if p f sum print P"),
        ("  print(1)\n  ", "var if p f sum print P"),
        ("}\ndef g(", "P"),
        ("}\nstruct R { ", "var P"),
        ("}\nstruct R { var ", ""),
    ] {
        session.change(None, &format!("{start}{line}\n  var z = 1;\n}}\n"))?;
        let last = line.lines().last().unwrap_or_default();
        let at = 8 + line.lines().count() as u32;
        let items = session.at("completion", at, last.len() as u32)?;
        let has = |word: &&&str| {
            items.as_array().into_iter().flatten().any(|item| item["label"] == **word)
        };
        let offered: Vec<&str> = words.iter().filter(has).copied().collect();
        if offered.join(" ") != wanted {
            return fail(format!("`{line}`: {offered:?}, not {wanted}"));
        }
    }
    // Fields come in the order of the struct, and comments with their fields.
    session.change(None, &format!("{start}  print(p.\n}}\n"))?;
    let items = session.at("completion", 9, 10)?;
    let mut sorted: Vec<_> = items.as_array().cloned().unwrap_or_default();
    sorted.sort_by_key(|item| item["sortText"].as_str().unwrap_or("").to_owned());
    expect(sorted.iter().map(|item| &item["label"]).collect::<Vec<_>>(), ["x", "a"])?;
    session.change(None, &format!("{start}  \n}}\n"))?;
    let items = session.at("completion", 9, 2)?;
    let documented =
        |item: &&Value| item["label"] == "P" && item["documentation"]["value"] == "Of numbers.";
    expect(items.as_array().into_iter().flatten().filter(documented).count(), 1)?;
    session.finish()
}

const DOCUMENTED: &str = "# A place.
struct P { var x; var y; }

# Weighs it,
# twice.
def f(P p) {
  for i in 0..2 { p = {p.x * 2, p.y}; }
  return p.x;
}

def down(x) {
  if (shape(x, 0) == 1) { return x[0]; }
  return down(x[0:shape(x, 0) - 1]) + 1;
}

def main() { print(f({1, [1, 2]})); }
";

pub fn hovers() -> Outcome {
    let mut session = Session::with(DOCUMENTED)?;
    contains(&hovered(&mut session, 15, 19, "**scalar**")?, &["def f(P p)", "Weighs it,\ntwice."])?;
    contains(&hovered(&mut session, 5, 6, "struct P")?, &["A place."])?;
    // A field has the shape that it has here; a loop has none.
    contains(&hovered(&mut session, 7, 11, "p.x: scalar")?, &["struct P { var x; }"])?;
    contains(&hovered(&mut session, 6, 34, "p.y: 2")?, &["struct P { var y; }"])?;
    expect(session.at("hover", 6, 3)?, Value::Null)?;
    // A field in a line of its own has a comment of its own.
    let lines = DOCUMENTED.replace("{ var x; var y; }", "{\n  # Across.\n  var x;\n  var y;\n}");
    session.change(None, &lines)?;
    contains(&hovered(&mut session, 3, 6, "Across.")?, &["struct P { var x; }"])?;
    let next = session.at("hover", 4, 6)?.to_string();
    expect(next.contains("Across") || next.contains("A place"), false)?;
    // The result of a call that does not end is not known; it is not without a value.
    let endless =
        DOCUMENTED.replace("{ print(f({1, [1, 2]})); }", "{ print(down(range(25000))); }");
    session.change(None, &endless)?;
    session.diagnosed(&["W0102", "W0101", "E0305"])?;
    let before = session.at("hover", 10, 5)?;
    expect(before.to_string().contains("never called"), false)?;
    contains(&hovered(&mut session, 5, 5, "def f(P p)")?, &["the last program without errors"])?;
    session.finish()?;
    let mut session = Session::with(&endless)?;
    contains(
        &hovered(&mut session, 10, 5, "down(25000)")?,
        &["**not known**", "`down(24998)`, called by itself, called in line 16 by `main`"],
    )?;
    let call = hovered(&mut session, 15, 20, "def down")?;
    contains(&call, &["- the result of `down(25000)` is not known"])?;
    session.finish()
}

pub fn refusals() -> Outcome {
    let mut session = Session::with(DOCUMENTED)?;
    let mut refused = |line: u32, column: u32, name: &str, part: &str| -> Result<(), Failed> {
        let mut params = place(line, column);
        params["newName"] = json!(name);
        let id = session.send_request("textDocument/rename", params)?;
        let answer = session.answer_of(id)?;
        contains(answer["error"]["message"].as_str().unwrap_or("?"), &[part])
    };
    refused(6, 6, "p", "a parameter has it, defined in line 6")?;
    refused(1, 15, "y", "a field has it, defined in line 2")?;
    refused(10, 4, "f", "a function has it, defined in line 6")?;
    refused(10, 4, "print", "the program would mean something else")?;
    session.finish()
}

const LIBRARY: &str = "def scale(x, by) {
  var unused = 1;
  var y = x * by;
  return y;
}
";

pub fn settings() -> Outcome {
    let mut session = Session::start(&[])?;
    let options = json!({"exports": ["scale(2x3, ())"], "export": 1});
    let params = json!({"capabilities": {}, "initializationOptions": options});
    session.request("initialize", params)?;
    session.notify("initialized", json!({}))?;
    // An unknown setting is reported, and the others count.
    let is_said = |it: &Value| it["method"] == "window/showMessage";
    let said = session.notifications.iter().find(|it| is_said(it)).cloned().unwrap_or_default();
    contains(said["params"]["message"].as_str().unwrap_or("?"), &["no setting `export`"])?;
    session.open(LIBRARY)?;
    session.diagnosed(&["W0101"])?;
    let wanted = |hints: &Value| hints.to_string().contains("2:7: 2x3");
    session.until(|session| Ok(json!(hints_of(session)?)), wanted)?;
    contains(&hovered(&mut session, 0, 5, "scale(2x3, scalar)")?, &["`, exported: **2x3**"])?;
    // Warnings are off, on, and errors; a program with such an error is still one.
    let change = |session: &mut Session, settings: Value| {
        let params = json!({"settings": {"toyc": settings}});
        session.notify("workspace/didChangeConfiguration", params)
    };
    let exports = json!(["scale(<3>, <3>)"]);
    change(&mut session, json!({"exports": exports, "warnings": ["no-unused-variable"]}))?;
    session.diagnosed(&[])?;
    let wanted = |hints: &Value| hints.to_string().contains("2:7: 3");
    session.until(|session| Ok(json!(hints_of(session)?)), wanted)?;
    change(&mut session, json!({"exports": exports, "deny": ["unused-variable"]}))?;
    let all = session.diagnosed(&["W0101"])?;
    expect(&all[0]["severity"], 1)?;
    session.until(|session| Ok(json!(hints_of(session)?)), wanted)?;
    // An export that the compiler cannot make is diagnosed.
    change(&mut session, json!({"exports": ["scale(2x"]}))?;
    session.diagnosed(&["E0530", "W0101"])?;
    change(&mut session, json!({"exports": ["scale(2, 3)"]}))?;
    session.diagnosed(&["W0101", "E0301"])?;
    change(&mut session, json!({"exports": exports, "target": "pdp11"}))?;
    session.diagnosed(&["E0501", "W0101"])?;
    // Stages are for the target, at the level.
    let options =
        json!({"exports": exports, "target": "aarch64-unknown-linux-gnu", "optimizationLevel": 2});
    change(&mut session, options)?;
    let params = json!({"command": "toyc.showStage", "arguments": [URI, "asm"]});
    let text = session.request("workspace/executeCommand", params)?;
    contains(text.as_str().unwrap_or(""), &["fmul"])?;
    // A program beside the library has nothing to do with them.
    change(&mut session, json!({"exports": exports, "warnings": "no-all"}))?;
    session.change(None, "def main() { var x = 1; print(x); }")?;
    session.diagnosed(&[])?;
    let wanted = |hints: &Value| hints.to_string().contains("0:18: scalar");
    session.until(|session| Ok(json!(hints_of(session)?)), wanted)?;
    session.change(None, LIBRARY)?;
    session.diagnosed(&[])?;
    // Without settings, it is a program without `main` again.
    change(&mut session, json!({}))?;
    session.diagnosed(&["E0208"])?;
    session.finish()
}

pub fn asked_settings() -> Outcome {
    let mut session = Session::start(&[])?;
    let workspace =
        json!({"configuration": true, "didChangeConfiguration": {"dynamicRegistration": true}});
    session.initialize(json!({ "workspace": workspace }))?;
    let give = |session: &mut Session, settings: Value| -> Result<(), Failed> {
        loop {
            let message = session.receive()?;
            if message["method"] == "workspace/configuration" {
                expect(&message["params"]["items"][0]["section"], "toyc")?;
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": [settings]});
                return session.send(&answer);
            }
            if message["method"] == "client/registerCapability" {
                let answer = json!({"jsonrpc": "2.0", "id": message["id"], "result": null});
                session.send(&answer)?;
            }
        }
    };
    give(&mut session, json!({"exports": ["scale(2x3, ())"], "path": "/bin/toyc"}))?;
    session.open(LIBRARY)?;
    session.diagnosed(&["W0101"])?;
    session.notify("workspace/didChangeConfiguration", json!({"settings": null}))?;
    give(&mut session, json!({"exports": ["scale(2x3, ())"], "warnings": "no-all"}))?;
    session.diagnosed(&[])?;
    session.finish()
}

/// An editor has ended, while something else holds the input open.
pub fn orphans() -> Outcome {
    let mut editor = std::process::Command::new("sleep").arg("1000").spawn()?;
    let mut session = Session::start(&[])?;
    session.request("initialize", json!({"processId": editor.id(), "capabilities": {}}))?;
    session.of("documentSymbol").err().ok_or("no document is open")?;
    editor.kill()?;
    editor.wait()?;
    expect(session.status()?, 1)
}
