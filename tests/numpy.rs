//! Lines of NumPy, translated line by line: Toy prints NumPy's digits.
//!
//! Input: `numpy/lines.txt`. All lines of NumPy run in one process of Python, those of Toy in one program, at each
//! level. Compared are the numbers of each line, in row-major order, as `%f`; NaN has no sign. In f32, where NumPy adds in
//! another order, they are near each other; lines with tensors that are f64 by definition are left out.

use crate::tools::{Job, Outcome, fail, root, scratch, toyc, trial_unless};
use libtest_mimic::Trial;
use std::process::Command;

const PYTHON: &str = "/usr/bin/python3";

pub fn trials() -> Vec<Trial> {
    let imports = Command::new(PYTHON).args(["-c", "import numpy"]).output();
    let has_numpy = imports.is_ok_and(|it| it.status.success());
    let missing = (!has_numpy).then_some("NumPy");
    vec![
        trial_unless(missing, "numpy/lines", || lines(false)),
        trial_unless(missing, "numpy/lines_f32", || lines(true)),
    ]
}

/// The line that separates the numbers of two lines.
const NEXT: &str = "next";

const DEFINITIONS: &str = "
import numpy as np
def show(value):
    numbers = np.asarray(value, dtype=float).ravel()
    print(' '.join('nan' if n != n else '%f' % n for n in numbers))
    print('next')
";

/// Builtins whose result is f64, whatever their arguments are.
const DOUBLE: [&str; 5] = ["range(", "linspace(", "eye(", "zeros(", "ones("];

fn lines(is_single: bool) -> Outcome {
    let dtype = if is_single { "np.float32" } else { "float" };
    let text = std::fs::read_to_string(root().join("tests/numpy/lines.txt"))?;
    let mut numpy = DEFINITIONS.to_owned();
    let mut toy = "def main() {\n".to_owned();
    let mut pairs = Vec::new();
    let is_pair = |line: &&str| !line.is_empty() && !line.starts_with('#');
    let mut lines = text.lines().filter(is_pair).peekable();
    while let Some(line) = lines.next() {
        let Some((language, line)) = line.split_once(": ") else {
            return fail(format!("a line without a language: {line}"));
        };
        match language {
            "both" => {
                let Some((name, value)) = line.split_once(" = ") else { return fail(line) };
                numpy.push_str(&format!("{name} = np.array({value}, dtype={dtype})\n"));
                // Labels are compared with places, which are f64.
                let value = match is_single && name != "labels" {
                    true => format!("f32({value})"),
                    false => value.to_owned(),
                };
                toy.push_str(&format!("  var {name} = {value};\n"));
            }
            "numpy"
                if is_single
                    && lines.peek().is_some_and(|toy| DOUBLE.iter().any(|it| toy.contains(it))) =>
            {
                lines.next();
            }
            "numpy" => {
                numpy.push_str(&format!("show({line})\n"));
                pairs.push(line);
            }
            "toy" => toy.push_str(&format!("  print({line}); print(\"\\n{NEXT}\");\n")),
            _ => return fail(format!("`{language}` is not a language here")),
        }
    }
    toy.push_str("}\n");
    let directory = scratch(if is_single { "numpy_f32" } else { "numpy" });
    let program = directory.join("lines.toy");
    std::fs::write(&program, &toy)?;
    let expected = Job::new(PYTHON, ["-c", &numpy]).run()?.exits(0)?.out();
    let expected = numbers(&expected);
    if pairs.len() < if is_single { 30 } else { 40 } || expected.len() != pairs.len() {
        return fail(format!("{} lines, and {} results of NumPy", pairs.len(), expected.len()));
    }
    for level in ["-O0", "-O2"] {
        let run = toyc(["run", level, &program.to_string_lossy()]).run()?.exits(0)?;
        let (found, wanted) = (numbers(&run.out()), &expected);
        let is_same = |at: usize| match (found.get(at), wanted.get(at)) {
            (Some(found), Some(wanted)) if is_single => are_near(found, wanted),
            (found, wanted) => found == wanted,
        };
        let differing = pairs.iter().enumerate().find(|(at, _)| !is_same(*at));
        if let Some((at, line)) = differing {
            let found = found.get(at);
            return fail(format!("{line}\nNumPy {:?}\nToy {found:?} at {level}", wanted[at]));
        }
    }
    Ok(())
}

/// True if numbers differ by some units of f32.
fn are_near(found: &[String], wanted: &[String]) -> bool {
    let near = |(a, b): (&String, &String)| match (a.parse::<f64>(), b.parse::<f64>()) {
        (Ok(a), Ok(b)) => (a - b).abs() <= 1e-5 * b.abs().max(1.0) || a.is_nan() && b.is_nan(),
        _ => false,
    };
    found.len() == wanted.len() && found.iter().zip(wanted).all(near)
}

/// The numbers of each line.
fn numbers(output: &str) -> Vec<Vec<String>> {
    let words = |part: &str| part.split_whitespace().map(str::to_owned).collect();
    let mut parts: Vec<Vec<String>> = output.split(NEXT).map(words).collect();
    parts.pop();
    parts
}
