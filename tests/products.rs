//! Products of matrices at -O2 and higher: every bit is the same as with the obvious loops of fused multiply-adds.
//!
//! Input: programs of random numbers in shapes that do not divide evenly into tiles, panels and blocks. The expected
//! numbers come from a loop here, or from -O0; they are printed with the JIT, in executables for several processors,
//! and with options of `toy-loop-nests` that choose other tiles.

use crate::tools::{Job, Outcome, fail, scratch, toyc, trial};
use libtest_mimic::Trial;
use std::fmt::Write;

/// Rows, columns, and the dimension between them.
const SIZES: [[usize; 3]; 19] = [
    [1, 1, 1],
    [1, 37, 5],
    [1, 131, 40],
    [5, 1, 9],
    [67, 1, 33],
    [7, 2, 3],
    [3, 3, 3],
    [8, 8, 8],
    [13, 17, 1],
    [17, 31, 2],
    [16, 33, 29],
    [31, 32, 33],
    [4, 65, 64],
    [66, 63, 19],
    [35, 69, 130],
    [2, 129, 67],
    [33, 7, 300],
    [25, 71, 301],
    [41, 139, 131],
];

/// With `a` of M x K, `b` of K x N, `c` of M x N, `d` of N x M.
const EXPRESSIONS: [&str; 7] = [
    "a @ b",
    "transpose(b) @ transpose(a)",
    "transpose(transpose(a)) @ b + c",
    "(a + a * 2) @ (b - 0.5 * b)",
    "c @ transpose(b)",
    "transpose(a) @ c",
    "d @ (a * transpose(transpose(a)))",
];

/// Other registers than this machine's, blocks that end unevenly, panels that are packed for a few rows, rows that are
/// copied in small blocks.
const OPTIONS: [&str; 5] = [
    "register-bytes=64 unpacked-bytes=1 block=7",
    "register-bytes=32 unpacked-bytes=1 block=3",
    "register-bytes=32 unpacked-bytes=1 block=9 rows-bytes=300",
    "register-bytes=16",
    "register-bytes=64 unpacked-bytes=1000000",
];

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for [rows, columns, shared] in SIZES {
        let name = format!("products/{rows}x{shared} by {shared}x{columns}");
        trials.push(trial(name, move || matrices([rows, columns, shared])));
    }
    for (seed, options) in (100..).zip(OPTIONS) {
        let name = format!("products/options/{options}");
        trials.push(trial(name, move || with_options(seed, options)));
    }
    trials.push(trial("products/batches", batches));
    trials
}

fn matrices(sizes: [usize; 3]) -> Outcome {
    let [rows, columns, shared] = sizes;
    let mut random = Random(rows as u64 * 1000 + columns as u64);
    let (a, b) = (random.numbers(rows * shared), random.numbers(shared * columns));
    let mut expected = String::new();
    for i in 0..rows {
        for j in 0..columns {
            let sum =
                (0..shared).fold(0.0, |sum, k| a[i * shared + k].mul_add(b[k * columns + j], sum));
            let _ = write!(expected, "{sum:.6} ");
        }
        expected.push('\n');
    }
    let [a, b] = [literal("a", &[rows, shared], &a), literal("b", &[shared, columns], &b)];
    let program = format!("def main() {{\n{a}{b}  print(a @ b);\n}}\n");
    for level in ["-O0", "-O2", "-O3"] {
        let run = toyc(["-w", "-x", "toy", "-", "-emit=jit", level]).stdin(program.clone());
        run.run()?.exits(0)?.prints(&expected)?;
    }
    let program = all_expressions(&mut random, sizes);
    let plain = toyc(["-w", "-x", "toy", "-", "-emit=jit", "-O0"]);
    let expected = plain.stdin(program.clone()).run()?.exits(0)?.out();
    let jit = toyc(["-w", "-x", "toy", "-", "-emit=jit", "-O2"]);
    jit.stdin(program.clone()).run()?.exits(0)?.prints(&expected)?;
    if !cfg!(target_arch = "x86_64") {
        return Ok(());
    }
    let directory = scratch(&format!("products/{rows}-{columns}-{shared}"));
    let [source, output] = ["program.toy", "program"].map(|name| directory.join(name));
    std::fs::write(&source, &program)?;
    for cpu in ["--cpu=x86-64", "--cpu=x86-64-v3"] {
        let arguments = [source.as_os_str(), "-o".as_ref(), output.as_os_str()];
        let flags = ["-w", "-O2", cpu].map(AsRef::as_ref);
        toyc(arguments.into_iter().chain(flags)).run()?.exits(0)?;
        Job::new(&output, [""; 0]).run()?.exits(0)?.prints(&expected)?;
    }
    std::fs::remove_dir_all(&directory)?;
    Ok(())
}

fn with_options(seed: u64, options: &str) -> Outcome {
    let mut random = Random(seed);
    for sizes in [[9, 70, 20], [31, 69, 25], [21, 35, 13], [5, 9, 31], [1, 33, 8]] {
        let program = all_expressions(&mut random, sizes);
        let plain = toyc(["-w", "-x", "toy", "-", "-emit=jit", "-O0"]);
        let expected = plain.stdin(program.clone()).run()?.exits(0)?.out();
        let buffers = toyc(["-w", "-x", "toy", "-", "-emit=dealloc", "-O2"]);
        let buffers = buffers.stdin(program).run()?.exits(0)?.stdout;
        let pass = format!("--toy-loop-nests={options}");
        let loops = Job::new(env!("CARGO_BIN_EXE_toy-opt"), ["-", &pass]);
        let loops = loops.stdin(buffers).run()?.exits(0)?.stdout;
        if String::from_utf8_lossy(&loops).contains("\"reduction\"") {
            return fail(format!("a product of {sizes:?} is left to the obvious loops"));
        }
        let jit = toyc(["-w", "-x", "mlir", "-", "-emit=jit", "-O2"]);
        jit.stdin(loops).run()?.exits(0)?.prints(&expected)?;
    }
    Ok(())
}

fn batches() -> Outcome {
    let mut random = Random(7);
    for [count, rows, columns, shared] in
        [[3, 5, 33, 7], [2, 1, 9, 4], [4, 6, 1, 3], [2, 9, 40, 17]]
    {
        let a = literal("a", &[count, rows, shared], &random.numbers(count * rows * shared));
        let b = literal("b", &[count, shared, columns], &random.numbers(count * shared * columns));
        let program = format!("def main() {{\n{a}{b}  print(a @ b);\n  print(-a @ b);\n}}\n");
        let run = |level| toyc(["-w", "-x", "toy", "-", "-emit=jit", level]).stdin(program.clone());
        let expected = run("-O0").run()?.exits(0)?.out();
        run("-O2").run()?.exits(0)?.prints(&expected)?;
    }
    Ok(())
}

/// A program that prints each expression, each of a function of its own.
fn all_expressions(random: &mut Random, [rows, columns, shared]: [usize; 3]) -> String {
    let shapes = [[rows, shared], [shared, columns], [rows, columns], [columns, rows]];
    let (mut functions, mut main) = (String::new(), String::new());
    for (name, shape) in ["a", "b", "c", "d"].into_iter().zip(&shapes) {
        main += &literal(name, shape, &random.numbers(shape[0] * shape[1]));
    }
    for (number, expression) in EXPRESSIONS.iter().enumerate() {
        let _ = writeln!(functions, "def f{number}(a, b, c, d) {{ return {expression}; }}");
        let _ = writeln!(main, "  print(f{number}(a, b, c, d));");
    }
    format!("{functions}def main() {{\n{main}}}\n")
}

fn literal(name: &str, shape: &[usize], numbers: &[f64]) -> String {
    let join = |parts: Vec<String>| parts.join(", ");
    let shape = join(shape.iter().map(usize::to_string).collect());
    format!("  var {name}<{shape}> = [{}];\n", join(numbers.iter().map(f64::to_string).collect()))
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Numbers whose products and sums are rounded, and printed with all digits.
    fn numbers(&mut self, count: usize) -> Vec<f64> {
        let number = |random: &mut Self| {
            let whole = random.next() % (1 << 41);
            whole as f64 - (1u64 << 40) as f64 + (random.next() % 1000) as f64 / 1000.0
        };
        (0..count).map(|_| number(self)).collect()
    }
}
