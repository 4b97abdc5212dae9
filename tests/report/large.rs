//! Pages of large programs: small, made in time, and cut by function.

use super::{Page, page, parts, read_page, stage};
use crate::command_line::toyc_in;
use crate::tools::{Outcome, fail, scratch};
use libtest_mimic::Failed;
use serde_json::Value;
use std::time::{Duration, Instant};

/// Thousands of lines a stage, one line of a megabyte, and a tree of quadratic size.
pub fn pages_of_large_programs_are_small() -> Outcome {
    let directory = scratch("report/large");
    let mut long = "def main() {\n  var a0 = [[1, 2], [3, 4]];\n".to_owned();
    for index in 1..1_500 {
        long += &format!("  var a{index} = a{} * transpose(a{});\n", index - 1, index / 2);
    }
    std::fs::write(directory.join("long.toy"), long + "  print(a1499);\n}\n")?;
    let wide = vec!["1.5"; 100_000].join(", ");
    std::fs::write(directory.join("wide.toy"), format!("def main() {{ print([{wide}]); }}\n"))?;
    let chain = vec!["a"; 1_500].join(" + ");
    let text = format!("def main() {{ var a = [1, 2]; print({chain}); }}\n");
    std::fs::write(directory.join("chain.toy"), text)?;
    for name in ["long", "wide", "chain"] {
        let time = |arguments: &str| {
            let start = Instant::now();
            toyc_in(&directory, arguments)?.exits(0)?;
            Ok::<_, Failed>(start.elapsed())
        };
        let alone = time(&format!("{name}.toy -emit=obj -o x.o"))?;
        let both = time(&format!("{name}.toy -emit=obj -o x.o --report={name}.html"))?;
        // Without optimization, Rust is slow at text; quadratic work takes minutes.
        if both > 10 * alone + Duration::from_secs(20) {
            return fail(format!("{name}: with a page {both:?}, without {alone:?}"));
        }
        let html = std::fs::read_to_string(directory.join(format!("{name}.html")))?;
        if html.len() > 3_000_000 {
            return fail(format!("{name}: the page has {} bytes", html.len()));
        }
        let page = read_page(html)?;
        let all = parts_of_all_stages(&page);
        let is_clipped = |part: &&Value| part["text"].to_string().contains("more characters)");
        if name == "wide" && !all.iter().any(is_clipped) {
            return fail("the long line is there");
        }
    }
    Ok(())
}

/// Texts that are too long have at least the first line of every function; the lines, and the number of omitted ones,
/// are as `-emit` prints them.
pub fn large_texts_are_cut_by_function() -> Outcome {
    const FUNCTIONS: usize = 300;
    let directory = scratch("report/cut");
    let mut program = "def main() {\n  var a = [[1, 2, 3], [4, 5, 6]];\n".to_owned();
    for index in 0..FUNCTIONS {
        program += &format!("  print(f{index}(a, a));\n");
    }
    program += "}\n";
    for index in 0..FUNCTIONS {
        program += &format!("def f{index}(a, b) {{\n  var c = transpose(a) @ (b + {index});\n");
        program += &format!("  return exp(c) @ c - c / {};\n}}\n", index + 2);
    }
    std::fs::write(directory.join("p.toy"), program)?;
    // Bodies that are not shown are moved while LLVM prints. Afterwards they are the same as before.
    let alone = toyc_in(&directory, "p.toy -O2 -emit=llvm")?.exits(0)?.out();
    toyc_in(&directory, "p.toy -O2 -emit=llvm -o x.ll --report=p.json")?.exits(0)?;
    if std::fs::read_to_string(directory.join("x.ll"))? != alone {
        return fail("-O2: with a page it is another program");
    }
    let page = page(&directory, "p.toy -O0 -emit=llvm -o x.ll")?;
    if !page.data["plan"].is_null() || !page.data["plan_note"].is_string() {
        return fail("at -O0, a plan of so large a program is left out, which is said");
    }
    for name in ["loops", "mlir-llvm", "llvm"] {
        let printed = toyc_in(&directory, &format!("p.toy -O0 -emit={name}"))?.exits(0)?.out();
        let printed: Vec<&str> = printed.lines().collect();
        let (mut at, mut left_out, mut named) = (0, 0, 0);
        for part in parts(&page, &stage(&page, name)?["parts"]) {
            let text = part["text"].as_str().unwrap_or_default();
            let more = part["left_out"].as_u64().unwrap_or(0) as usize;
            let lines = if text.is_empty() && more > 0 { 0 } else { text.split('\n').count() };
            if printed.get(at..at + lines).map(|lines| lines.join("\n")).as_deref() != Some(text) {
                return fail(format!("{name}: this is not what follows line {at}:\n{text}"));
            }
            at += lines + more;
            left_out += more;
            named += usize::from(part["name"].is_string() && lines > 0);
        }
        let stage = stage(&page, name)?;
        if at != printed.len() || stage["lines"] != at || named < FUNCTIONS {
            return fail(format!("{name}: {at} lines of {}, {named} functions", printed.len()));
        }
        // Only printed text has a size.
        if left_out == 0 || stage["bytes"].is_null() != (name != "loops") {
            return fail(format!(
                "{name}: {left_out} lines are left out of {} bytes",
                stage["bytes"]
            ));
        }
    }
    Ok(())
}

/// The parts of all stages.
fn parts_of_all_stages(page: &Page) -> Vec<&Value> {
    let stages = page.data["stages"].as_array().into_iter().flatten();
    stages.flat_map(|stage| parts(page, &stage["parts"])).collect()
}
