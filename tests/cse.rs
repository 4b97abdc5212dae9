//! Common and unused results at -O1 and higher: equal calls are computed once, unused results not at all.
//!
//! Input: programs that would run forever, or need gigabytes, if compiled literally. Checked: they end within
//! [`SECONDS`], and a program with superfluous work becomes the same as without it.

use crate::tools::{Outcome, fail, toyc, trial};
use libtest_mimic::Trial;
use std::fmt::Write;

/// Much more than any of the programs takes, much less than 2^40 calls do.
const SECONDS: u64 = 60;
const LEVELS: [&str; 3] = ["-O1", "-O2", "-O3"];

pub fn trials() -> Vec<Trial> {
    vec![
        trial("cse/a_tree_of_2_to_40_equal_calls_runs", call_tree),
        trial("cse/unused_results_cost_nothing", unused_results),
        trial("cse/equal_functions_are_one", equal_functions),
        trial("cse/a_long_chain_of_calls_takes_no_stack", long_chain),
        trial("cse/level_0_merges_nothing", level_0),
    ]
}

/// Each function calls the previous one twice with the same argument: as written, for an hour.
fn tree(height: usize) -> String {
    let mut program = "def f0(x) { return x * x; }\n".to_owned();
    for index in 1..=height {
        let callee = index - 1;
        let _ = writeln!(program, "def f{index}(x) {{ return f{callee}(x) + f{callee}(x); }}");
    }
    let _ = writeln!(program, "def main() {{ print(f{height}([1, 2])); }}");
    program
}

fn call_tree() -> Outcome {
    let sum = format!("{:.6} {:.6} ", 2f64.powi(40), 4.0 * 2f64.powi(40));
    for level in LEVELS {
        let run = toyc(["-x", "toy", "-", "-emit=jit", level]).stdin(tree(40)).limit(SECONDS);
        run.run()?.exits(0)?.prints(&sum)?.silent()?;
    }
    Ok(())
}

fn emitted(program: &str, stage: &str, level: &str) -> Result<String, libtest_mimic::Failed> {
    let stage = format!("-emit={stage}");
    let run = toyc(["-w", "-x", "toy", "-", &stage, level]).stdin(program).limit(SECONDS).run()?;
    Ok(String::from_utf8_lossy(&run.exits(0)?.silent()?.stdout).into_owned())
}

fn unused_results() -> Outcome {
    let with = "
        struct Pair { var a; var b; }
        def f(x) { return g(x) * x + transpose(x); }
        def g(x) { return x / 3; }
        def swapped(Pair p) { Pair q = {p.b, g(p.a)}; return q; }
        def main() {
          var a<3000, 3000> = 2;
          f(a); f(a); var u = f(a + a); g(u); f(f(f(a)));
          Pair p = {a, a * a};
          var s = swapped(swapped(p));
          var flat<9000000> = s.a;
          print([1, 2]);
        }";
    let without = "def main() { print([1, 2]); }";
    for level in LEVELS {
        for stage in ["shapes", "dealloc", "llvm"] {
            if emitted(with, stage, level)? != emitted(without, stage, level)? {
                return fail(format!("-emit={stage} {level} shows unused work"));
            }
        }
    }
    Ok(())
}

fn equal_functions() -> Outcome {
    let mut program = String::new();
    let mut sum = "0".to_owned();
    for index in 0..300 {
        let (callee, name) = (format!("f{index}"), format!("v{index}"));
        let _ = writeln!(program, "def {callee}(x) {{ var {name} = x * [2, 3]; return {name}; }}");
        let _ = writeln!(program, "def g{index}(x) {{ return {callee}(x) + 1; }}");
        let _ = write!(sum, " + g{index}(a)");
    }
    let _ = writeln!(program, "def main() {{ var a = [1, 2]; print({sum}); }}");
    let text = emitted(&program, "shapes", "-O1")?;
    for (what, count) in [("func.func", 3), ("call @f", 1), ("call @g", 1), ("toy.add", 301)] {
        let found = text.matches(what).count();
        if found != count {
            return fail(format!("{found} times `{what}` in place of {count}:\n{text}"));
        }
    }
    Ok(())
}

/// The chain is there twice: once needed, once dead.
fn long_chain() -> Outcome {
    let mut program = "def f0(x) { return x; } def g0(x) { return -x; }\n".to_owned();
    for index in 1..10_000 {
        for name in ["f", "g"] {
            let callee = index - 1;
            let _ = writeln!(program, "def {name}{index}(x) {{ return {name}{callee}(x) + x; }}");
        }
    }
    program += "def main() { g9999([1]); print(f9999([1])); }";
    let text = emitted(&program, "shapes", "-O1")?;
    let found = text.matches("func.func").count();
    if found == 10_001 { Ok(()) } else { fail(format!("{found} functions")) }
}

fn level_0() -> Outcome {
    let text = emitted(&tree(3), "shapes", "-O0")?;
    let calls = text.matches("call @").count();
    if calls == 7 { Ok(()) } else { fail(format!("{calls} calls:\n{text}")) }
}
