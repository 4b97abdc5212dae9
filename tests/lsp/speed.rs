//! The time of a keystroke, as a ratio to that of a whole check. `bench/lsp.py` shows the times themselves.

use super::session::Session;
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
