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

/// Fails if `rounds` of measuring all exceed `limit`. Other tests share the machine and can slow one half of a round, so
/// the smallest ratio of several rounds counts: what is really slower is slower in all of them.
fn at_most(
    limit: f64,
    subject: &str,
    mut round: impl FnMut() -> Result<(Duration, Duration), Failed>,
) -> Outcome {
    let mut smallest = f64::MAX;
    for _ in 0..20 {
        let (time, of) = round()?;
        smallest = smallest.min(time.as_secs_f64() / of.as_secs_f64());
        if smallest < limit {
            println!("{subject}: {smallest:.2}");
            return Ok(());
        }
    }
    fail(format!("{subject}: {smallest:.2}, at most {limit} expected"))
}

/// The time of `toyc check`.
fn check(text: &str, name: &str) -> Result<Duration, Failed> {
    let file = scratch(&format!("lsp/speed/{name}")).join("large.toy");
    std::fs::write(&file, text)?;
    let start = Instant::now();
    toyc([std::ffi::OsStr::new("check"), file.as_os_str()]).run()?.exits(0)?;
    Ok(start.elapsed())
}

/// Shapes are found as by a check, and then written down.
pub fn shapes() -> Outcome {
    let text = program();
    at_most(4.0, "the time of the shapes of 2,000 lines by that of `toyc check`", || {
        let check = check(&text, "shapes")?;
        let mut session = Session::start(&["--time-limit=100"])?;
        session.initialize(json!({}))?;
        let start = Instant::now();
        session.open(&text)?;
        let is_known = |hover: &serde_json::Value| hover.to_string().contains("2x2");
        session.until(|session| session.at("hover", 1, 6), is_known)?;
        let known = start.elapsed();
        session.finish()?;
        Ok((known, check))
    })
}

pub fn keystroke() -> Outcome {
    let text = program();
    let mut session = Session::start(&["--time-limit=0"])?;
    session.initialize(json!({}))?;
    session.open(&text)?;
    let mut spaces = [" ", "  "].iter().cycle();
    // A keystroke has no shapes to find.
    at_most(0.8, "the time of a keystroke in 2,000 lines by that of `toyc check`", || {
        let check = check(&text, "keystroke")?;
        let start = Instant::now();
        session.change(Some([1, 30, 1, 30]), spaces.next().unwrap_or(&" "))?;
        session.published()?;
        session.at("hover", 1, 6)?;
        Ok((start.elapsed(), check))
    })?;
    session.finish()
}

/// Columns are not counted from the start of a very long line.
pub fn long_line() -> Outcome {
    let texts = ["\n", " "].map(|between| {
        let mut text = "def main() { print(\"\u{e9}\"); }".to_owned();
        for function in 0..3_000 {
            let _ = write!(text, "{between}def f{function}(a) {{ return a; }}");
        }
        text
    });
    let mut sessions = Vec::new();
    for text in &texts {
        let mut session = Session::start(&["--time-limit=0"])?;
        session.initialize(json!({}))?;
        session.open(text)?;
        session.at("hover", 0, 5)?;
        sessions.push(session);
    }
    for request in ["semanticTokens/full", "documentSymbol"] {
        let subject = format!("the time of {request} in one long line by that in 3,000 lines");
        at_most(5.0, &subject, || {
            let mut times = [Duration::ZERO; 2];
            for (session, time) in sessions.iter_mut().zip(&mut times) {
                let start = Instant::now();
                session.of(request)?;
                *time = start.elapsed();
            }
            Ok((times[1], times[0]))
        })?;
    }
    sessions.into_iter().try_for_each(Session::finish)
}

/// A name that is replaced everywhere is one notification.
pub fn many_changes() -> Outcome {
    const LINES: u32 = 4_000;
    let text = format!("def main() {{\n{}}}\n", "  print(1);\n".repeat(LINES as usize));
    let mut session = Session::start(&["--time-limit=0"])?;
    session.initialize(json!({}))?;
    session.open(&text)?;
    let mut change = |count: u32| -> Result<Duration, Failed> {
        let one = |line: u32| json!({"range": range_of([line, 8, line, 9]), "text": "2"});
        let changes: Vec<_> = (1..=count).map(one).collect();
        let document = json!({"uri": URI, "version": 2});
        let params = json!({"textDocument": document, "contentChanges": changes});
        let start = Instant::now();
        session.notify("textDocument/didChange", params)?;
        session.at("hover", 0, 5)?;
        Ok(start.elapsed())
    };
    at_most(20.0, "the time of 4,000 changes at once by that of one", || {
        let one = change(1)?;
        Ok((change(LINES)?, one))
    })?;
    session.finish()
}
