//! The time of a keystroke relative to a whole check, and for texts that are unlike programs. `bench/lsp.py` shows the
//! times themselves.

use super::session::{Session, URI, range_of};
use crate::tools::{Outcome, fail, scratch, toyc};
use libtest_mimic::Failed;
use serde_json::json;
use std::fmt::Write;
use std::time::{Duration, Instant};

/// A program of 2,000 lines.
pub fn program() -> String {
    let mut text = String::new();
    for function in 0..160 {
        let _ = writeln!(text, "def f{function}(a, b) {{");
        for variable in 0..8 {
            let _ =
                writeln!(text, "  var x{variable} = a * b + transpose(transpose(a)) - {variable};");
        }
        text += "  return x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7;\n}\n\n";
    }
    text += "def main() {\n";
    for function in 0..160 {
        let _ = writeln!(text, "  print(f{function}([[1, 2], [3, 4]], [[5, 6], [7, 8]]));");
    }
    text + "}\n"
}

/// The time of `toyc check`.
fn check(text: &str, name: &str) -> Result<Duration, Failed> {
    let file = scratch(&format!("lsp/speed/{name}")).join("large.toy");
    std::fs::write(&file, text)?;
    let mut check = Duration::MAX;
    for _ in 0..3 {
        let start = Instant::now();
        toyc([std::ffi::OsStr::new("check"), file.as_os_str()]).run()?.exits(0)?;
        check = check.min(start.elapsed());
    }
    Ok(check)
}

/// Shapes are found as by a check, and then written down.
pub fn shapes() -> Outcome {
    let text = program();
    let check = check(&text, "shapes")?;
    let mut known = Duration::MAX;
    for _ in 0..3 {
        let mut session = Session::start(&["--time-limit=100"])?;
        session.initialize(json!({}))?;
        let start = Instant::now();
        session.open(&text)?;
        let is_known = |hover: &serde_json::Value| hover.to_string().contains("2x2");
        session.until(|session| session.at("hover", 1, 6), is_known)?;
        known = known.min(start.elapsed());
        session.finish()?;
    }
    let ratio = known.as_secs_f64() / check.as_secs_f64();
    println!("the shapes of 2,000 lines take {ratio:.2} of `toyc check`");
    if ratio < 4.0 { Ok(()) } else { fail(format!("shapes take {ratio:.2} of a check")) }
}

pub fn keystroke() -> Outcome {
    let text = program();
    let check = check(&text, "keystroke")?;
    let mut session = Session::start(&["--time-limit=0"])?;
    session.initialize(json!({}))?;
    session.open(&text)?;
    let mut key = Duration::MAX;
    for round in 0..5 {
        let start = Instant::now();
        session.change(Some([1, 30, 1, 30]), if round % 2 == 0 { " " } else { "  " })?;
        session.published()?;
        session.at("hover", 1, 6)?;
        key = key.min(start.elapsed());
    }
    session.finish()?;
    let ratio = key.as_secs_f64() / check.as_secs_f64();
    println!("a keystroke in 2,000 lines takes {ratio:.2} of `toyc check`");
    // It has no shapes to find.
    if ratio < 0.8 { Ok(()) } else { fail(format!("a keystroke takes {ratio:.2} of a check")) }
}

/// The shortest of three times.
fn shortest(mut work: impl FnMut() -> Result<(), Failed>) -> Result<f64, Failed> {
    let mut shortest = f64::MAX;
    for _ in 0..3 {
        let start = Instant::now();
        work()?;
        shortest = shortest.min(start.elapsed().as_secs_f64());
    }
    Ok(shortest)
}

/// Columns are not counted from the start of a very long line.
pub fn long_line() -> Outcome {
    let mut times = Vec::new();
    for between in ["\n", " "] {
        let mut text = "def main() { print(\"\u{e9}\"); }".to_owned();
        for function in 0..3_000 {
            let _ = write!(text, "{between}def f{function}(a) {{ return a; }}");
        }
        let mut session = Session::start(&["--time-limit=0"])?;
        session.initialize(json!({}))?;
        session.open(&text)?;
        session.at("hover", 0, 5)?;
        for request in ["semanticTokens/full", "documentSymbol"] {
            times.push(shortest(|| session.of(request).map(drop))?);
        }
        session.finish()?;
    }
    let ratio = (times[2] / times[0]).max(times[3] / times[1]);
    println!("one long line takes {ratio:.2} of the same in 3,000 lines");
    if ratio < 5.0 { Ok(()) } else { fail(format!("one long line takes {ratio:.2} of many")) }
}

/// A name that is replaced everywhere is one notification.
pub fn many_changes() -> Outcome {
    const LINES: u32 = 4_000;
    let text = format!("def main() {{\n{}}}\n", "  print(1);\n".repeat(LINES as usize));
    let mut session = Session::start(&["--time-limit=0"])?;
    session.initialize(json!({}))?;
    session.open(&text)?;
    let change = |session: &mut Session, count: u32| {
        let one = |line: u32| json!({"range": range_of([line, 8, line, 9]), "text": "2"});
        let changes: Vec<_> = (1..=count).map(one).collect();
        let document = json!({"uri": URI, "version": 2});
        let params = json!({"textDocument": document, "contentChanges": changes});
        session.notify("textDocument/didChange", params)?;
        session.at("hover", 0, 5).map(drop)
    };
    let one = shortest(|| change(&mut session, 1))?;
    let all = shortest(|| change(&mut session, LINES))?;
    session.finish()?;
    let ratio = all / one;
    println!("4,000 changes at once take {ratio:.2} of one");
    if ratio < 20.0 { Ok(()) } else { fail(format!("4,000 changes take {ratio:.2} of one")) }
}
