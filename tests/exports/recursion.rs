//! Exported functions with loops, and functions that call themselves: their memory is known before they run. Loops
//! allocate nothing; a function that calls itself can be exported only if it just reads its tensors, so that no call
//! copies one.

use super::{Library, at, parsed};
use crate::memory::valgrind;
use crate::tools::{Outcome, scratch, toyc, trial};
use libtest_mimic::Trial;

pub fn trials() -> Vec<Trial> {
    vec![
        trial("exports/recursion/tensors_that_are_read", tensors_that_are_read),
        trial("exports/recursion/tensors_in_each_call", tensors_in_each_call),
        trial("exports/recursion/loops_allocate_nothing", loops_allocate_nothing),
    ]
}

/// Each reads a tensor after a call of its own cycle, which therefore must not have changed it.
const READERS: &str = "
def total(x, n) { if (n < 1) { return sum(x); } return total(x, n / 2) + x[0] * x[2]; }
def even(x, n) { if (n < 1) { return x[1]; } return odd(x, n / 3) + x[0]; }
def odd(x, n) { if (n < 1) { return sum(x); } return even(x, n / 2) * x[1] - max(x); }
def two(x, y, n) { if (n < 1) { return x @ y; } return two(y, x, n / 2) + x[0] - y[1]; }
def looped(x, n) {
  var s = 0;
  for i in 0..4 { s = s + total(x, n * 9 + i) * x[i]; }
  return x * s;
}
def deep(x, n) {
  if (n < 1) { return sum(x); }
  var s = 0;
  for i in 0..2 { s = s + deep(x, n / 4 - i) * x[i]; }
  return s + x[3];
}
";

const READ: [&str; 6] =
    ["total(4, ())", "even(4, ())", "odd(4, ())", "two(4, 4, ())", "looped(4, ())", "deep(4, ())"];

fn tensors_that_are_read() -> Outcome {
    for level in [0, 1, 2] {
        let directory = scratch(&format!("exports/recursion{level}"));
        let library = Library::with(READERS, &parsed(&READ), at(level), &directory)?;
        library.check()?;
        if level == 1 {
            let driver = library.driver("cc", &["-g"])?;
            valgrind(&driver)?.exits(0)?.prints(&library.expected)?.silent()?;
        }
    }
    Ok(())
}

/// Loops whose carried values begin with an argument, another variable, or the result of a branch.
const LOOPS: &str = "
def scaled(x, y) { for i in 0..5 { x = transpose(transpose(x) * transpose(y)); } return x; }
def swapped(x, y) { for i in 0..3 { var old = x + y; x = y; y = old; } return x - y; }
def chosen(x, y) {
  if (x[0, 0] < y[0, 0]) { x = y; }
  var n = 0;
  while (n < 4) { x = x * 2 - y; y = abs(x); n = n + 1; }
  return x + y;
}
def updated(x, y) { for i in 0..2 { x[i] = y[1 - i]; y = y + x; } return scaled(x, y) - swapped(x, y); }
";

fn loops_allocate_nothing() -> Outcome {
    let exports =
        ["scaled", "swapped", "chosen", "updated"].map(|name| format!("{name}(2x3, 2x3)"));
    let exports = exports.each_ref().map(String::as_str);
    for level in [0, 1, 2] {
        let directory = scratch(&format!("exports/loops{level}"));
        let library = Library::with(LOOPS, &parsed(&exports), at(level), &directory)?;
        library.check()?;
        let driver = library.driver("cc", &["-g"])?;
        valgrind(&driver)?.exits(0)?.prints(&library.expected)?.silent()?;
    }
    Ok(())
}

/// As many tensors as calls: their number is not known before the function runs.
fn tensors_in_each_call() -> Outcome {
    let directory = scratch("exports/recursion_in_each_call");
    let text = "def half(x, n) { if (n < 1) { return x; } return half(x / 2, n - 1) + x; }\n";
    std::fs::write(directory.join("half.toy"), text)?;
    for level in ["-O0", "-O2"] {
        let arguments = ["half.toy", "--export", "half(4, ())", "-emit=header", level];
        let run = toyc(arguments).current_dir(&directory).run()?;
        let run = run.exits(1)?.says("[E0535]")?.says("`for` or `while` loop")?;
        run.says("each call of `half` needs memory of its own for this tensor")?;
    }
    // The remedy that the message names.
    let text = "def half(x, n) {
        var sum = x;
        var last = x;
        for _ in 0..n { last = last / 2; sum = last + sum; }
        return sum;
    }\n";
    std::fs::write(directory.join("half.toy"), text)?;
    let arguments = ["half.toy", "--export", "half(4, ())", "-emit=header"];
    toyc(arguments).current_dir(&directory).run()?.exits(0)?.silent()?;
    Ok(())
}
