//! Loop nests: random element-wise programs with transpositions print the same bits at all levels.
//!
//! Input: seeds. A program calls functions of tensors of ranks 1 to 4 with odd sizes; the operands that it adds,
//! multiplies and transposes are random. The numbers are so large that every bit is printed.
//! Output: an error unless the program prints the interpreter's output without loop nests of our own (-O0) and with
//! them: by the JIT, in an executable for the baseline, for other processors, and under valgrind.

use crate::interpreter;
use crate::memory::valgrind;
use crate::programs::{Cross, build};
use crate::tools::{Job, Outcome, fail, scratch, toyc, trial};
use libtest_mimic::{Failed, Trial};
use std::fmt::Write;
use std::path::PathBuf;

/// Programs of random shapes.
const PROGRAMS: u64 = 24;

/// Shapes that are larger than caches, tiles and vectors, by one or more.
const LARGE: [&[usize]; 5] = [&[129, 257], &[1023, 33], &[5, 1001], &[3, 70, 65], &[160, 161]];

/// Options of the pass that choose other tiles and classes than shapes of this size get.
const OPTIONS: [&str; 12] = [
    "direct-bytes=1 stage-rows=16 stage-columns=32",
    "direct-bytes=1 nontemporal-bytes=1 vector-bytes=32",
    "nontemporal-bytes=1 unroll=1",
    "register-tile=4 direct-rows=8 direct-columns=8",
    "register-tile=2 vector-bytes=16 unroll=3",
    "nests=2 direct-rows=16 direct-columns=4096",
    "register-bytes=64 direct-nontemporal-bytes=1 direct-bytes=1 stage-rows=16 stage-columns=32",
    "register-bytes=64 direct-nontemporal-bytes=1 nontemporal-bytes=1",
    "register-bytes=64 direct-rows=8 direct-columns=8 ahead=1",
    "register-bytes=32 direct-nontemporal-bytes=1 prefetch-bytes=1",
    "register-bytes=32 direct-rows=8 direct-columns=16 direct-operands=1",
    "register-bytes=32 register-tile=4 direct-nontemporal-bytes=4096 prefetch-bytes=1",
];

pub fn trials() -> Vec<Trial> {
    let mut trials = Vec::new();
    for seed in 0..PROGRAMS {
        trials.push(trial(format!("loop_nests/random/{seed}"), move || small(seed)));
    }
    for (seed, shape) in (1000..).zip(LARGE) {
        let name = format!("loop_nests/large/{}", join(shape, "x"));
        trials.push(trial(name, move || large(seed, shape)));
    }
    for (seed, options) in (4000..).zip(OPTIONS) {
        let name = format!("loop_nests/options/{options}");
        trials.push(trial(name, move || with_options(seed, options)));
    }
    for bytes in ["32", "64"] {
        let name = format!("loop_nests/strips/{bytes}");
        trials.push(trial(name, move || strips(bytes)));
    }
    for seed in [2000, 2001] {
        let name = format!("loop_nests/valgrind/{seed}");
        trials.push(trial(name, move || checked(seed)));
    }
    for seed in [3000, 3001] {
        let name = format!("loop_nests/emulated/{seed}");
        trials.push(Cross::other().trial(name, move |cross| emulated(seed, &cross)));
    }
    trials
}

fn small(seed: u64) -> Outcome {
    let (program, expected) = random_program(seed)?;
    for flags in [&["-O0"][..], &["-O2"], &["-O3"]] {
        run(&program, flags, &expected)?;
    }
    executable(seed, &program, ["x86-64", "x86-64-v3", "native"][seed as usize % 3], &expected)
}

/// The interpreter would take long: the expected output comes from -O0.
fn large(seed: u64, shape: &[usize]) -> Outcome {
    let mut random = Random(seed);
    let mut program = String::new();
    let _ = writeln!(program, "def f(a, b, c) {{ return {}; }}", random.expression(true, 3));
    let _ = writeln!(program, "def g(a, b, c) {{ return transpose(f(a, b, c)) + b * c; }}");
    let reversed: Vec<_> = shape.iter().rev().copied().collect();
    let a = random.literal("a", shape);
    let b = random.literal("b", &reversed);
    let _ = writeln!(program, "def main() {{\n{a}{b}  print(g(a, b, 3.25));\n}}");
    let plain = toyc(["-w", "-x", "toy", "-", "-emit=jit", "-O0"]);
    let expected = plain.stdin(program.clone()).run()?.exits(0)?.out();
    run(&program, &["-O2"], &expected)
}

fn with_options(seed: u64, options: &str) -> Outcome {
    for seed in [seed, seed + 100, seed + 200] {
        let (program, expected) = random_program(seed)?;
        let buffers = toyc(["-w", "-x", "toy", "-", "-emit=dealloc", "-O2"]);
        let buffers = buffers.stdin(program).run()?.exits(0)?.stdout;
        let pass = format!("--toy-loop-nests={options}");
        let loops = Job::new(env!("CARGO_BIN_EXE_toy-opt"), ["-", &pass]);
        let loops = loops.stdin(buffers).run()?.exits(0)?.stdout;
        let jit = toyc(["-w", "-x", "mlir", "-", "-emit=jit", "-O2"]);
        jit.stdin(loops).run()?.exits(0)?.prints(expected)?;
    }
    Ok(())
}

/// Transpositions past the caches into rows that are not whole lines, with registers of so many bytes.
fn strips(bytes: &str) -> Outcome {
    let mut random = Random(5000);
    for (shape, expression) in [
        ([45, 37], "transpose(a)"),
        ([40, 37], "transpose(a) * transpose(a + a) - b"),
        ([67, 90], "transpose(a) * b + 3"),
        ([40, 33], "(transpose(a) - b) * (transpose(a * a) + 0.25)"),
    ] {
        let [a, b] = [("a", shape), ("b", [shape[1], shape[0]])];
        let [a, b] = [a, b].map(|(name, shape)| random.literal(name, &shape));
        let program = format!(
            "def f(a, b) {{ return {}; }}\ndef main() {{\n{a}{b}  print(f(a, b));\n}}\n",
            expression
        );
        let plain = toyc(["-w", "-x", "toy", "-", "-emit=jit", "-O0"]);
        let expected = plain.stdin(program.clone()).run()?.exits(0)?.out();
        let buffers = toyc(["-w", "-x", "toy", "-", "-emit=dealloc", "-O2"]);
        let buffers = buffers.stdin(program).run()?.exits(0)?.stdout;
        let pass = format!(
            "--toy-loop-nests=register-bytes={bytes} direct-nontemporal-bytes=1 direct-operands=9"
        );
        let loops = Job::new(env!("CARGO_BIN_EXE_toy-opt"), ["-", &pass]);
        let loops = loops.stdin(buffers).run()?.exits(0)?;
        if !loops.out().contains("nontemporal") {
            return loops.complain("nothing is written past the caches");
        }
        let jit = toyc(["-w", "-x", "mlir", "-", "-emit=jit", "-O2"]);
        jit.stdin(loops.stdout).run()?.exits(0)?.prints(expected)?;
    }
    Ok(())
}

fn checked(seed: u64) -> Outcome {
    let (program, expected) = built(seed, None)?;
    valgrind(&program)?.exits(0)?.prints(expected)?;
    Ok(())
}

fn emulated(seed: u64, cross: &Cross) -> Outcome {
    let (program, expected) = built(seed, Some(cross.triple))?;
    Job::new(cross.emulator, [&program]).run()?.exits(0)?.prints(expected)?;
    Ok(())
}

/// The executable of a random program, and its expected output.
fn built(seed: u64, target: Option<&str>) -> Result<(PathBuf, String), Failed> {
    let (program, expected) = random_program(seed)?;
    let directory = scratch(&format!("loop_nests/{seed}"));
    let [source, output] = ["program.toy", "program"].map(|name| directory.join(name));
    std::fs::write(&source, &program)?;
    build(&source, &output, "-O2", target)?;
    Ok((output, expected))
}

/// A random program, and the interpreter's output.
fn random_program(seed: u64) -> Result<(String, String), Failed> {
    let program = Random(seed).program();
    let expected =
        interpreter::run(&program).or_else(|stop| fail(format!("{stop:?}\n{program}")))?;
    Ok((program, expected))
}

fn run(program: &str, flags: &[&str], expected: &str) -> Outcome {
    let arguments = ["-w", "-x", "toy", "-", "-emit=jit"].iter().chain(flags).copied();
    let run = toyc(arguments).stdin(program).run()?.exits(0)?;
    if run.out() == expected {
        return Ok(());
    }
    run.complain(format!("prints something else with {flags:?}:\n{program}"))
}

fn executable(seed: u64, program: &str, cpu: &str, expected: &str) -> Outcome {
    if !cfg!(target_arch = "x86_64") {
        return Ok(());
    }
    let directory = scratch(&format!("loop_nests/{seed}"));
    let [source, output] = ["program.toy", "program"].map(|name| directory.join(name));
    std::fs::write(&source, program)?;
    let cpu = format!("--cpu={cpu}");
    let arguments = [source.as_os_str(), "-o".as_ref(), output.as_os_str()];
    let flags = ["-w", "-O2", &cpu].map(AsRef::as_ref);
    toyc(arguments.into_iter().chain(flags)).run()?.exits(0)?;
    let run = Job::new(&output, [""; 0]).run()?.exits(0)?;
    if run.out() == expected {
        std::fs::remove_dir_all(&directory)?;
        return Ok(());
    }
    run.complain(format!("prints something else with {cpu}:\n{program}"))
}

struct Random(u64);

impl Random {
    fn below(&mut self, count: u64) -> u64 {
        // splitmix64
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (mixed ^ (mixed >> 31)) % count
    }

    /// Functions, and calls of them on tensors of several shapes.
    fn program(&mut self) -> String {
        let mut functions = String::new();
        let mut main = String::new();
        for number in 0..4 {
            let depth = 1 + self.below(4) as u32;
            let body = self.expression(true, depth);
            let _ = writeln!(functions, "def f{number}(a, b, c) {{ return {body}; }}");
            // Buffers that are used again, and results that overwrite operands.
            let _ = writeln!(
                functions,
                "def g{number}(a, b, c) {{\n  var x = f{number}(a, b, c);\n  \
                 return transpose(x * a) + f{number}(x, b, c * 2) / transpose(c);\n}}"
            );
            let shape = self.shape();
            let reversed: Vec<_> = shape.iter().rev().copied().collect();
            let a = self.literal(&format!("a{number}"), &shape);
            let b = self.literal(&format!("b{number}"), &reversed);
            let is_square = shape == reversed;
            let call = if is_square { 'g' } else { 'f' };
            let _ = writeln!(main, "{a}{b}  print({call}{number}(a{number}, b{number}, 1234.5));");
            let _ = writeln!(main, "  print(transpose(f{number}(a{number}, b{number}, 0.3)));");
        }
        format!("{functions}def main() {{\n{main}}}\n")
    }

    /// An expression in `a`, of some shape, `b`, of the reversed one, and the scalar `c`.
    fn expression(&mut self, is_straight: bool, depth: u32) -> String {
        if depth == 0 {
            return match self.below(6) {
                0 => "c".to_owned(),
                _ if is_straight == (self.below(2) == 0) => {
                    if is_straight {
                        "a".to_owned()
                    } else {
                        "b".to_owned()
                    }
                }
                _ if is_straight => "transpose(b)".to_owned(),
                _ => "transpose(a)".to_owned(),
            };
        }
        match self.below(8) {
            0 => format!("transpose({})", self.expression(!is_straight, depth - 1)),
            1 => format!("-({})", self.expression(is_straight, depth - 1)),
            operator => {
                let operator = ["+", "*", "-", "/", "+", "*"][operator as usize - 2];
                // The shape comes from `a`, not from two scalars.
                let tensor = match (is_straight, self.below(2)) {
                    (true, 0) => "a",
                    (true, _) => "transpose(b)",
                    (false, 0) => "b",
                    (false, _) => "transpose(a)",
                };
                let [left, right] =
                    [depth - 1, depth - 1].map(|depth| self.expression(is_straight, depth));
                format!("({left} {operator} ({tensor} * {right}))")
            }
        }
    }

    /// Up to 5,000 elements, in up to 4 dimensions of up to 70.
    fn shape(&mut self) -> Vec<usize> {
        let rank = [2, 1, 2, 3, 2, 4][self.below(6) as usize];
        loop {
            let most = [9, 18, 35, 71][self.below(4) as usize];
            let mut shape: Vec<_> = (0..rank).map(|_| 1 + self.below(most - 1) as usize).collect();
            if rank > 1 && self.below(4) == 0 {
                let size = shape[0];
                shape.fill(size);
            }
            if shape.iter().product::<usize>() <= 5000 {
                return shape;
            }
        }
    }

    fn literal(&mut self, name: &str, shape: &[usize]) -> String {
        let count: usize = shape.iter().product();
        let number = |random: &mut Self| {
            let whole = 1 + random.below(1 << 40);
            format!("{}{whole}.{}", ["", "-"][random.below(2) as usize], random.below(1000))
        };
        let numbers: Vec<_> = (0..count).map(|_| number(self)).collect();
        format!("  var {name}<{}> = [{}];\n", join(shape, ", "), numbers.join(", "))
    }
}

fn join(shape: &[usize], with: &str) -> String {
    shape.iter().map(usize::to_string).collect::<Vec<_>>().join(with)
}
