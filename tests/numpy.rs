//! Lines of NumPy, translated line by line: Toy prints NumPy's digits.
//!
//! Input: `numpy/lines.txt`. All lines of NumPy run in one process of Python, those of Toy in one program, at each
//! level. Compared are the numbers of each line, in row-major order, as `%f`; NaN has no sign.

use crate::tools::{Job, Outcome, fail, root, scratch, toyc, trial_unless};
use libtest_mimic::Trial;
use std::process::Command;

const PYTHON: &str = "/usr/bin/python3";

pub fn trials() -> Vec<Trial> {
    let imports = Command::new(PYTHON).args(["-c", "import numpy"]).output();
    let has_numpy = imports.is_ok_and(|it| it.status.success());
    vec![trial_unless((!has_numpy).then_some("NumPy"), "numpy/lines", lines)]
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

fn lines() -> Outcome {
    let text = std::fs::read_to_string(root().join("tests/numpy/lines.txt"))?;
    let mut numpy = DEFINITIONS.to_owned();
    let mut toy = "def main() {\n".to_owned();
    let mut pairs = Vec::new();
    for line in text.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        let Some((language, line)) = line.split_once(": ") else {
            return fail(format!("a line without a language: {line}"));
        };
        match language {
            "both" => {
                let Some((name, value)) = line.split_once(" = ") else { return fail(line) };
                numpy.push_str(&format!("{name} = np.array({value}, dtype=float)\n"));
                toy.push_str(&format!("  var {name} = {value};\n"));
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
    let directory = scratch("numpy");
    let program = directory.join("lines.toy");
    std::fs::write(&program, &toy)?;
    let expected = Job::new(PYTHON, ["-c", &numpy]).run()?.exits(0)?.out();
    let expected = numbers(&expected);
    if pairs.len() < 40 || expected.len() != pairs.len() {
        return fail(format!("{} lines, and {} results of NumPy", pairs.len(), expected.len()));
    }
    for level in ["-O0", "-O2"] {
        let run = toyc(["run", level, &program.to_string_lossy()]).run()?.exits(0)?;
        let (found, wanted) = (numbers(&run.out()), &expected);
        let differing = pairs.iter().enumerate().find(|(at, _)| found.get(*at) != wanted.get(*at));
        if let Some((at, line)) = differing {
            let found = found.get(at);
            return fail(format!("{line}\nNumPy {:?}\nToy {found:?} at {level}", wanted[at]));
        }
    }
    Ok(())
}

/// The numbers of each line.
fn numbers(output: &str) -> Vec<Vec<String>> {
    let words = |part: &str| part.split_whitespace().map(str::to_owned).collect();
    let mut parts: Vec<Vec<String>> = output.split(NEXT).map(words).collect();
    parts.pop();
    parts
}
