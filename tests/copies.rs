//! Copies of tensors: a program makes none where the old value is dead, at any level.
//!
//! Input: programs that update tensors. A program prints the same as in the interpreter, and has exactly as many
//! `memref.copy` as it needs: if there is none in the program, none is executed.

use crate::interpreter;
use crate::tools::{Outcome, Run, fail, toyc, trial};
use libtest_mimic::{Failed, Trial};

/// Name, number of copies needed, program.
const PROGRAMS: &[(&str, usize, &str)] = &[
    (
        "part",
        0,
        "def main() { var t = range(16) + 1; var x = range(4) * 7; t[4:8] = x; print(t); }",
    ),
    (
        "row_of_itself",
        0,
        "def main() {
           var x = [[1, 2, 3], [4, 5, 6], [7, 8, 9]] * 3;
           for i in 0..3 { x[i] = x[i] / 2; }
           print(x);
         }",
    ),
    (
        "branch_computes_after_update",
        0,
        "def main() {
           var x = range(8) * 3;
           if (sum(x) > 1) { x[3] = 4; x = x * 2; } else { x[2] = 1; }
           print(x);
         }",
    ),
    (
        "nested_branches",
        0,
        "def main() {
           var x = range(8) * 3;
           for i in 0..4 {
             if (i > 1) {
               x[i] = 4;
               if (i > 2) { x[0] = 1; x = x * 2; x = x - i; } else { x[1] = 1; }
             } else { x[2] = i; x = x + 1; }
           }
           print(x);
         }",
    ),
    (
        "while_with_call",
        0,
        "def step(x, k) { x[k] = 3; return x * 2; }
         def main() {
           var x = range(8) * 3;
           var n = 0;
           while (n < 5) { x = step(x, n); n = n + 1; }
           print(x);
         }",
    ),
    // The old value is read after the update: one copy, and no more.
    (
        "old_value_is_read",
        1,
        "def main() {
           var x = range(8) * 3;
           var y = x;
           for i in 0..3 { y[i] = 100; }
           print(x);
           print(y);
         }",
    ),
];

/// Loops that recompute all elements from the carried ones: name, allocations at -O0, program. They need no more memory
/// than their variables and the program's constants have.
const LOOPS: &[(&str, usize, &str)] = &[
    (
        "dead_variable_is_computed",
        2,
        "def main() {
           var x = range(8) * 3;
           var b = x * 0;
           for i in 0..5 { b = x * i; x = x + b; }
           print(x, b[1]);
           print(b);
         }",
    ),
    (
        "several_steps",
        1,
        "def main() {
           var x = range(8) * 3;
           for i in 0..5 { x = x * 2; x = x - i; if (x[0] > 1) { x = x / 3; } }
           print(x);
         }",
    ),
];

const LEVELS: [&str; 4] = ["-O0", "-O1", "-O2", "-O3"];

pub fn trials() -> Vec<Trial> {
    let copies = PROGRAMS.iter().map(|(name, copies, program)| {
        trial(format!("copies/{name}"), || {
            LEVELS.iter().try_for_each(|level| has(program, level, "memref.copy ", *copies))
        })
    });
    let loops = LOOPS.iter().map(|(name, allocations, program)| {
        trial(format!("copies/loop/{name}"), || {
            LEVELS.iter().try_for_each(|level| has(program, level, "memref.copy ", 0))?;
            has(program, "-O0", "memref.alloc(", *allocations)
        })
    });
    copies.chain(loops).collect()
}

/// Fails unless a program has this many operations of the name, and prints the right numbers.
fn has(program: &str, level: &str, operation: &str, count: usize) -> Outcome {
    let expected = interpreter::run(program).map_err(|stop| format!("{stop:?}"))?;
    compiled(program, level, "-emit=jit")?.prints(expected)?;
    let merged = compiled(program, level, "-emit=merged")?;
    let found = merged.out().matches(operation).count();
    if found == count {
        Ok(())
    } else {
        fail(format!("{level}: {found} of `{operation}`, not {count}:\n{}", merged.out()))
    }
}

fn compiled(program: &str, level: &str, emit: &str) -> Result<Run, Failed> {
    toyc(["-x", "toy", "-", level, emit]).stdin(program.as_bytes().to_vec()).run()?.exits(0)
}
