//! The compiler's knowledge: shapes, specializations, plans.

use super::session::{Session, URI, expect, shown};
use crate::tools::{Job, Outcome, fail, toyc};
use libtest_mimic::Failed;
use serde_json::{Value, json};

const PROGRAM: &str = "def half(x) { return x / 2; }
def flip(a) {
  var b = transpose(a);
  return half(b);
}
def unused(x) { var y = x; return y; }
def main() {
  var c<3, 2> = [1, 2, 3, 4, 5, 6];
  print(flip([[1, 2, 3]]));
  var d = flip(c) * 2;
  print(d, half(1));
}
";

/// The text of a hover, when it contains a part.
pub fn hovered(
    session: &mut Session,
    line: u32,
    column: u32,
    part: &str,
) -> Result<String, Failed> {
    let text = |answer: &Value| answer["contents"]["value"].as_str().unwrap_or("").to_owned();
    let ask = |session: &mut Session| session.at("hover", line, column);
    let answer = session.until(ask, |answer| text(answer).contains(part))?;
    Ok(text(&answer))
}

pub fn contains(text: &str, parts: &[&str]) -> Outcome {
    match parts.iter().find(|part| !text.contains(**part)) {
        Some(part) => fail(format!("`{part}` is not in\n{text}")),
        None => Ok(()),
    }
}

pub fn hover() -> Outcome {
    let mut session = Session::with(PROGRAM)?;
    // A variable, with how the program comes to each of its shapes.
    let text = hovered(&mut session, 2, 6, "3x1")?;
    contains(&text, &["var b: 3x1 | 2x3", "**3x1** in `flip(1x3)`, called in line 9 by `main`"])?;
    contains(&text, &["**2x3** in `flip(3x2)`, called in line 10 by `main`"])?;
    // A parameter two calls away, an operator, a call, a function, a builtin.
    let text = hovered(&mut session, 0, 9, "parameter x")?;
    let chain = "in `half(2x3)`, called in line 4 by `flip(3x2)`, called in line 10 by `main`";
    contains(&text, &["parameter x: scalar | 3x1 | 2x3", chain])?;
    let text = hovered(&mut session, 9, 18, "2x3")?;
    contains(&text, &["flip(c) * 2: 2x3"])?;
    let text = hovered(&mut session, 3, 9, "half(x)")?;
    contains(&text, &["def half(x)", "`half(3x1)` gives **3x1**", "`half(2x3)` gives **2x3**"])?;
    let text = hovered(&mut session, 1, 4, "def flip(a)")?;
    contains(&text, &["`flip(1x3)`, called in line 9 by `main`: **3x1**"])?;
    let text = hovered(&mut session, 2, 12, "reverse order")?;
    contains(&text, &["transpose(a): 3x1 | 2x3"])?;
    contains(&hovered(&mut session, 5, 20, "var y")?, &["`unused` is never called"])?;
    expect(session.at("hover", 11, 1)?, Value::Null)?;
    session.finish()
}

pub fn hints_of(session: &mut Session) -> Result<Vec<String>, Failed> {
    let answer = session.of("inlayHint")?;
    let shown = |it: &Value| {
        let label = it["label"].as_str().unwrap_or("?");
        format!("{}:{}{label}", it["position"]["line"], it["position"]["character"])
    };
    Ok(answer.as_array().into_iter().flatten().map(shown).collect())
}

fn lenses_of(session: &mut Session) -> Result<Vec<String>, Failed> {
    let answer = session.of("codeLens")?;
    let shown = |it: &Value| format!("{} {}", it["range"]["start"]["line"], it["command"]["title"]);
    Ok(answer.as_array().into_iter().flatten().map(shown).collect())
}

pub fn hints() -> Outcome {
    let mut session = Session::start(&[])?;
    let refresh = json!({"refreshSupport": true});
    session.initialize(json!({"workspace": {"inlayHint": refresh, "codeLens": refresh}}))?;
    session.open(PROGRAM)?;
    // Both are asked for again when they are known.
    for wanted in ["workspace/inlayHint/refresh", "workspace/codeLens/refresh"] {
        while session.receive()?["method"] != wanted {}
    }
    let expected = ["0:10: scalar | 3x1 | 2x3", "1:10: 1x3 | 3x2", "2:7: 3x1 | 2x3", "9:7: 2x3"];
    expect(hints_of(&mut session)?, expected)?;
    let lenses = session.until(
        |session| Ok(json!(lenses_of(session)?)),
        |lenses| lenses.to_string().contains("planned"),
    )?;
    let expected = [
        "0 \"3 specializations\"",
        "1 \"2 specializations\"",
        "5 \"never called\"",
        "6 \"1 specialization\"",
    ];
    for lens in expected {
        contains(&lenses.to_string().replace("\\\"", "\""), &[lens])?;
    }
    session.finish()
}

pub fn unfinished() -> Outcome {
    let mut session = Session::with(PROGRAM)?;
    hovered(&mut session, 9, 6, "2x3")?;
    // Lines before and a statement that is being typed: shapes move with their places.
    session.change(Some([8, 0, 8, 0]), "  var e = c\n")?;
    session.change(Some([0, 0, 0, 0]), "# new\n\n")?;
    session.diagnosed(&["E0103"])?;
    let expected = ["2:10: scalar | 3x1 | 2x3", "3:10: 1x3 | 3x2", "4:7: 3x1 | 2x3", "12:7: 2x3"];
    expect(hints_of(&mut session)?, expected)?;
    let text = hovered(&mut session, 12, 6, "2x3")?;
    contains(&text, &["the last program without errors"])?;
    // A name that becomes another one has no shape until the compiler knows it.
    session.change(Some([12, 7, 12, 7]), "d")?;
    expect(hints_of(&mut session)?, &expected[..3])?;
    // Once it is a program again, all are known.
    session.change(Some([10, 0, 11, 0]), "")?;
    session.change(Some([12, 8, 12, 9]), "dd")?;
    let wanted = |hints: &Value| hints.to_string().contains("11:8: 2x3");
    session.until(|session| Ok(json!(hints_of(session)?)), wanted)?;
    session.finish()
}

/// A file that is opened with errors: the statements that they do not touch have shapes.
pub fn parts() -> Outcome {
    let text = "def f(a) {\n  var t = transpose(a);\n  return t;\n}\ndef main() {\n  var x = [[1, 2, 3]];\n  \
                var y = f(x);\n  var z = nothing + y;\n  var w =\n  print(y, z);\n  print(x + x);\n}\n";
    let mut session = Session::with(text)?;
    session.diagnosed(&["E0201", "E0103"])?;
    hovered(&mut session, 6, 6, "var y: 3x1")?;
    hovered(&mut session, 1, 6, "var t: 3x1")?;
    expect(hints_of(&mut session)?, ["0:7: 1x3", "1:7: 3x1", "5:7: 1x3", "6:7: 3x1"])?;
    // An error that follows from the text that is left out is not shown.
    session.change(Some([7, 10, 7, 17]), "[1, 2]")?;
    session.diagnosed(&["E0103"])?;
    session.finish()
}

pub fn errors() -> Outcome {
    let text = "def add(a, b) {\n  var c = a;\n  return c + b;\n}\ndef main() {\n  print(add([1, 2], [1, 2, 3]));\n  print(add(1, 2));\n}\n";
    let mut session = Session::with(text)?;
    let all = session.diagnosed(&["E0301"])?;
    let related = &all[0]["relatedInformation"];
    let places: Vec<String> = related
        .as_array()
        .into_iter()
        .flatten()
        .map(|it| format!("{} {}", shown(&it["location"]["range"]), it["message"]))
        .collect();
    contains(&places.join("\n"), &["5:8-5:30 \"in `add` for shapes 2, 3, called here\""])?;
    // Shapes found before the error are known.
    hovered(&mut session, 1, 6, "var c: 2 | scalar")?;
    // It is the error that `toyc check` reports.
    let check = toyc(["check", "-", "--error-format=json"]).stdin(text).run()?.exits(1)?;
    let first: Value = serde_json::from_str(check.stderr.lines().next().unwrap_or(""))
        .map_err(|error| error.to_string())?;
    let message = all[0]["message"].as_str().unwrap_or("");
    contains(message, &[first["message"].as_str().unwrap_or("?")])?;
    // It moves with the text, and goes when it is fixed.
    session.change(Some([0, 0, 0, 0]), "\n")?;
    session.change(Some([6, 25, 6, 28]), "")?;
    session.diagnosed(&[])?;
    session.finish()
}

pub fn commands() -> Outcome {
    let mut session = Session::with(PROGRAM)?;
    let mut run = |command: &str, arguments: Value| {
        let params = json!({"command": command, "arguments": arguments});
        let id = session.send_request("workspace/executeCommand", params)?;
        session.answer_of(id)
    };
    let answer = run("toyc.showStage", json!([URI, "shapes", "half"]))?;
    let text = answer["result"].as_str().unwrap_or("");
    contains(text, &["@half$2x3", "@half$s"])?;
    expect(text.contains("@flip"), false)?;
    let answer = run("toyc.showStage", json!([URI, "llvm", null, 2]))?;
    contains(answer["result"].as_str().unwrap_or(""), &["i32 @main()"])?;
    let answer = run("toyc.showPlan", json!([URI]))?;
    contains(answer["result"].as_str().unwrap_or(""), &["main: 2 buffers"])?;
    for (command, arguments) in [
        ("toyc.showStage", json!([URI, "exe"])),
        ("toyc.showStage", json!([URI, "shapes", "nothing"])),
        ("toyc.showStage", json!([URI])),
        ("toyc.showStage", json!(["file:///other.toy", "toy"])),
        ("toyc.showPlan", json!([])),
        ("rm", json!([URI])),
    ] {
        let answer = run(command, arguments)?;
        if !answer["error"]["message"].is_string() {
            return fail(format!("{command}: {answer}"));
        }
    }
    session.change(None, "def main() { print([1, 2, 3] + [2, 3]); }")?;
    let mut answer = Value::Null;
    for stage in ["ast", "llvm"] {
        let params = json!({"command": "toyc.showStage", "arguments": [URI, stage]});
        let id = session.send_request("workspace/executeCommand", params)?;
        answer = session.answer_of(id)?;
    }
    contains(answer["error"]["message"].as_str().unwrap_or(""), &["error[E0301]"])?;
    session.finish()
}

pub fn crashes() -> Outcome {
    let mut session = Session::with(&super::speed::program())?;
    let worker = session.worker()?;
    Job::new("kill", ["-KILL", &worker]).run()?.exits(0)?;
    let all = session.diagnosed(&["E0004"])?;
    contains(all[0]["message"].as_str().unwrap_or(""), &["signal: 9"])?;
    // The next program is compiled by another one.
    session.change(None, PROGRAM)?;
    hovered(&mut session, 9, 6, "2x3")?;
    session.finish()
}

pub fn limits() -> Outcome {
    let mut session = Session::start(&["--time-limit=0"])?;
    session.initialize(json!({}))?;
    // A short program might end before anybody looks at a clock.
    session.open(&format!("def main() {{ var x = 1; {} }}", "print(x);".repeat(3000)))?;
    let all = session.diagnosed(&["E0004"])?;
    contains(all[0]["message"].as_str().unwrap_or(""), &["longer than 0 s"])?;
    let params = json!({"command": "toyc.showPlan", "arguments": [URI]});
    expect(session.error("workspace/executeCommand", params)?, -32803)?;
    // Results that need no compiler are there.
    expect(session.of("documentSymbol")?.as_array().map(Vec::len), Some(2))?;
    session.finish()
}
