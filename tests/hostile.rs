//! Hostile inputs: enormous, degenerate, garbage.
//!
//! Input: generated here. Invariants of toyc tested here: every input ends in a diagnostic with exit
//! status 1, or compiles; quickly, within a bounded address space, and never in a panic, a signal
//! or a hang.

use crate::generator::Random;
use crate::tools::{Job, Outcome, TOYC, fail, scratch, toyc, trial};
use libtest_mimic::Trial;
use toy_compiler::syntax::token::Token;

/// Seconds for one input, in a debug build on a busy machine; each takes a fraction.
const LIMIT: u64 = 100;

/// Kilobytes of address space: running out of it must fail a test, not the machine.
const MEMORY: u64 = 8_000_000;

/// The expected result of an input.
#[derive(Clone, Copy, PartialEq)]
enum Expect {
    Code(&'static str),
    /// Any error.
    Error,
    Fine,
}
use Expect::{Code, Error, Fine};

pub fn trials() -> Vec<Trial> {
    let in_main = |statement: String| format!("def main() {{ {statement} }}").into_bytes();
    let nested =
        |open: &str, close: &str, n: usize| format!("{}1{}", open.repeat(n), close.repeat(n));
    let inputs: Vec<(&str, Expect, Vec<u8>)> = vec![
        ("parentheses_100000", Code("E0104"), in_main(format!("print({});", nested("(", ")", 100_000)))),
        ("parentheses_unclosed_1000000", Code("E0104"), in_main("(".repeat(1_000_000))),
        ("parentheses_closing_1000000", Error, in_main(")".repeat(1_000_000))),
        ("lists_100000", Code("E0104"), in_main(format!("print({});", nested("[", "]", 100_000)))),
        ("lists_unclosed_100000", Code("E0104"), in_main("[".repeat(100_000))),
        ("calls_100000", Code("E0104"), in_main(format!("print({});", nested("transpose(", ")", 100_000)))),
        ("braces_100000", Error, "{".repeat(100_000).into_bytes()),
        ("angles_100000", Error, in_main(format!("var x{} = 1;", "<".repeat(100_000)))),
        ("sum_100000", Code("E0105"), in_main(format!("print(1{});", "+1".repeat(100_000)))),
        ("sum_20000", Fine, in_main(format!("print(1{});", "+1".repeat(20_000)))),
        ("operators_100000", Error, in_main("+".repeat(100_000))),
        ("minuses_100000", Error, in_main(format!("print({}1);", "-".repeat(100_000)))),
        ("comments_1000000", Fine, {
            let mut text = "# comment\n".repeat(1_000_000).into_bytes();
            text.extend(in_main("print(1);".to_owned()));
            text
        }),
        ("comments_only_1000000", Code("E0208"), "#\n".repeat(1_000_000).into_bytes()),
        ("comment_of_10_megabytes", Fine, {
            let mut text = in_main("print(1);".to_owned());
            text.extend(b"#");
            text.extend(vec![b'x'; 10_000_000]);
            text
        }),
        ("lines_1000000", Fine, {
            let mut text = "\n".repeat(1_000_000).into_bytes();
            text.extend(in_main("print(1);".to_owned()));
            text
        }),
        ("semicolons_100000", Fine, in_main(";".repeat(100_000))),
        ("blocks_100000", Code("E0104"), in_main(format!("{}{}", "if (1) {".repeat(100_000), "}".repeat(100_000)))),
        ("loops_nested_10000", Code("E0104"), in_main(format!("{}{}", "for i in 0..2 {".repeat(10_000), "}".repeat(10_000)))),
        ("branches_10000", Code("E0104"), in_main(format!("{}{{ }}", "if (1) { } else ".repeat(10_000)))),
        ("returns_in_branches_10000", Code("E0104"), in_main("if (1) { return; }".repeat(10_000))),
        ("subscripts_100000", Code("E0104"), in_main(format!("print([1]{});", "[0]".repeat(100_000)))),
        ("branches_without_braces_20000", Error, in_main("if (1) ".repeat(20_000))),
        ("string_without_end_of_10_megabytes", Code("E0107"), in_main(format!("print(\"{}", "s".repeat(10_000_000)))),
        ("string_of_escapes_without_end", Code("E0107"), in_main(format!("print(\"{}", "\\\"".repeat(1_000_000)))),
        ("empty_file", Code("E0208"), Vec::new()),
        ("white_space_only", Code("E0208"), b" \n\t\r\n ".to_vec()),
        ("nul_byte_first", Error, b"\0def main() { print(1); }".to_vec()),
        ("nul_byte_inside", Error, b"def main() { print(1); } \0 def f() { return".to_vec()),
        ("nul_bytes_10000", Error, vec![0; 10_000]),
        ("not_utf8_first", Code("E0003"), b"\xff\xfe".to_vec()),
        ("not_utf8_after_main", Code("E0003"), b"def main() { print(1); }\n\xff".to_vec()),
        ("not_utf8_surrogate", Code("E0003"), b"# \xed\xa0\x80\ndef main() { }".to_vec()),
        ("utf16", Error, "def main() { }".encode_utf16().flat_map(u16::to_le_bytes).collect()),
        ("unicode_names", Error, in_main("var \u{e9}\u{4e2d} = 1;".to_owned())),
        ("end_in_block", Code("E0103"), b"def main() { print(1);".to_vec()),
        ("end_in_call", Code("E0103"), b"def main() { print(1".to_vec()),
        ("end_in_list", Code("E0103"), b"def main() { print([1,".to_vec()),
        ("end_after_var", Code("E0103"), b"def main() { print(1); } def f() { var".to_vec()),
        ("end_after_def", Code("E0103"), b"def main() { print(1); } def".to_vec()),
        ("shape_overflow", Code("E0303"), in_main("var a<99999999999,99999999999> = 1;".to_owned())),
        ("shape_large", Code("E0303"), in_main("var a<1000000,1000000> = 1; print(a);".to_owned())),
        ("shape_dimension_overflow", Error, in_main("var a<99999999999999999999999> = 1;".to_owned())),
        ("shape_of_many_dimensions", Code("E0303"), in_main(format!("var a<{}2> = 1;", "2,".repeat(99)))),
        ("shape_of_200_ones", Fine, in_main(format!("var a<{}1> = 1; print(transpose(a));", "1,".repeat(199)))),
        ("shape_zero", Code("E0106"), in_main("var a<0> = 1;".to_owned())),
        ("shape_fraction", Code("E0106"), in_main("var a<2.7> = 1;".to_owned())),
        ("number_of_10_megabytes", Code("E0102"), in_main(format!("print({});", "9".repeat(10_000_000)))),
        ("number_of_10_megabytes_of_zeros", Fine, in_main(format!("print({}1);", "0".repeat(10_000_000)))),
        ("fraction_of_1_megabyte", Fine, in_main(format!("print(0.{});", "3".repeat(1_000_000)))),
        ("number_of_points", Error, in_main(format!("print({});", "1.".repeat(100_000)))),
        ("name_of_10_megabytes", Fine, in_main(format!("var {0} = 1; print({0});", "n".repeat(10_000_000)))),
        ("unknown_name_of_1_megabyte", Code("E0201"), in_main(format!("print({});", "n".repeat(1_000_000)))),
        ("unknown_names_20000", Code("E0201"), {
            let uses: String = (0..20_000).map(|i| format!("print(name_{i});\n")).collect();
            in_main(uses)
        }),
        ("errors_50000", Error, in_main("var = 1;\n".repeat(50_000))),
        ("errors_on_one_line", Error, in_main("$".repeat(100_000))),
        ("errors_on_one_long_line", Error, in_main("$ 1; ".repeat(20_000))),
        ("duplicate_functions_10000", Code("E0204"), "def main() { }\n".repeat(10_000).into_bytes()),
        ("duplicate_variables_10000", Code("E0206"), in_main("var x = 1; ".repeat(10_000))),
        ("parameters_10000", Fine, {
            let names: Vec<_> = (0..10_000).map(|i| format!("p{i}")).collect();
            format!("def f({}) {{ return p0; }} def main() {{ print(1); }}", names.join(",")).into_bytes()
        }),
        ("recursion", Code("E0304"), b"def f(x) { return f(x); } def main() { f(1); }".to_vec()),
        ("recursion_mutual", Code("E0304"), b"def f(x) { return g(x); } def g(x) { return f(transpose(x)); } def main() { f([[1,2]]); }".to_vec()),
        ("recursion_of_main", Code("E0304"), b"def main() { main(); }".to_vec()),
        ("call_tree_of_2_to_the_40", Fine, {
            let mut text = String::from("def f0(x) { return x; }\n");
            for i in 1..=40 {
                let j = i - 1;
                text.push_str(&format!("def f{i}(x) {{ return f{j}(x) + transpose(f{j}(transpose(x))); }}\n"));
            }
            (text + "def main() { var dead = 1; print(dead); } def unused() { print(f40([[1,2]])); }").into_bytes()
        }),
        ("call_chain_of_2000", Fine, {
            let mut text = String::from("def f0(x) { return x; }\n");
            for i in 1..2000 {
                text.push_str(&format!("def f{i}(x) {{ return f{}(x); }}\n", i - 1));
            }
            (text + "def main() { print(f1999([1,2])); }").into_bytes()
        }),
        ("mismatch_at_the_end_of_a_long_chain", Code("E0301"), {
            let mut text = String::from("def f0(x) { return x + [1, 2, 3]; }\n");
            for i in 1..3000 {
                text.push_str(&format!("def f{i}(x) {{ return f{}(x); }}\n", i - 1));
            }
            (text + "def main() { print(f2999([1,2])); }").into_bytes()
        }),
        ("too_many_specializations", Code("E0305"), {
            // Each of six functions calls the next one with one argument in eight shapes: 8^6
            // combinations.
            let shapes = ["16", "2,8", "8,2", "4,4", "1,16", "16,1", "2,2,4", "4,2,2"];
            let names: Vec<_> = (0..6).map(|i| format!("x{i}")).collect();
            let list = names.join(", ");
            let mut text = format!("def f6({list}) {{ }}\n");
            for (i, name) in names.iter().enumerate() {
                text.push_str(&format!("def f{i}({list}) {{\n"));
                for (k, shape) in shapes.iter().enumerate() {
                    let call = list.replace(name, &format!("y{k}"));
                    text.push_str(&format!("var y{k}<{shape}> = {name}; f{}({call});\n", i + 1));
                }
                text.push_str("}\n");
            }
            text.push_str("def main() { var x<16> = 1; f0(x, x, x, x, x, x); }\n");
            text.into_bytes()
        }),
        ("two_parameters_that_shrink_in_turn", Code("E0305"), {
            let text = "def g(a, b) { print(sum(a @ a)); if (shape(b, 0) > 1) { g(a, b[1:shape(b, 0)]); } }\n\
                        def f(a, b) { g(a, b); if (shape(a, 0) > 1) { f(a[1:shape(a, 0)], b); } }\n\
                        def main() { f(range(400), range(400)); }\n";
            text.as_bytes().to_vec()
        }),
        ("ranges_of_128_mebibytes", Code("E0303"), {
            let line = |i| format!("print(sum(range({})));", (1 << 24) - i);
            in_main((0..40).map(line).collect::<String>())
        }),
        ("ragged_literal_of_100000", Code("E0211"), in_main(format!("print([{}[1, 2]]);", "[1], ".repeat(100_000)))),
    ];
    let mut trials: Vec<_> = inputs
        .into_iter()
        .map(|(name, expect, text)| {
            trial(format!("hostile/{name}"), move || compile(name, expect, &text))
        })
        .collect();
    trials.push(trial("hostile/call_tree_is_memoized", call_tree_is_memoized));
    trials.push(trial("hostile/fusion_ends", fusion_ends));
    trials.push(trial("hostile/casts_of_buffers_100000", casts_of_buffers));
    for seed in 0..8 {
        trials.push(trial(format!("hostile/garbage/{seed}"), move || garbage(seed)));
        trials.push(trial(format!("hostile/mutations/{seed}"), move || mutations(seed)));
    }
    trials
}

/// Compiles to LLVM IR, through all of MLIR, and without the JIT.
fn compile(name: &str, expect: Expect, text: &[u8]) -> Outcome {
    compile_as(name, expect, text, "llvm")
}

fn compile_as(name: &str, expect: Expect, text: &[u8], emit: &str) -> Outcome {
    let directory = scratch(&format!("hostile/{name}"));
    std::fs::write(directory.join("input.toy"), text)?;
    let command = format!("ulimit -v {MEMORY}; exec {TOYC} input.toy -emit={emit} -o output");
    let run = Job::new("bash", ["-c", &command]).current_dir(&directory).limit(LIMIT).run()?;
    if run.stderr.contains("panicked") || run.stderr.contains("E0900") {
        return run.complain("an internal error of toyc");
    }
    // Every error is shown, with a part of its line only, however long that is.
    if run.stderr.len() > 20_000_000 {
        return run.complain(format!("{} bytes of messages", run.stderr.len()));
    }
    let wrote = directory.join("output").exists();
    match (expect, run.status) {
        (Fine, Some(0)) => Ok(()),
        (Code(code), Some(1)) if run.stderr.contains(code) && !wrote => Ok(()),
        (Error, Some(1)) if run.stderr.contains("[E0") && !wrote => Ok(()),
        (Fine, _) => run.complain("expected it to compile"),
        (Code(code), _) => run.complain(format!("expected {code}")),
        (Error, _) => run.complain("expected an error"),
    }
}

/// 2^40 calls over two shapes are 80 functions, not 2^40.
fn call_tree_is_memoized() -> Outcome {
    let mut text = String::from("def f0(x) { return x; }\n");
    for i in 1..=40 {
        let j = i - 1;
        text.push_str(&format!(
            "def f{i}(x) {{ return f{j}(x) + transpose(f{j}(transpose(x))); }}\n"
        ));
    }
    text.push_str("def main() { print(f40([[1, 2]])); }\n");
    compile("call_tree_is_memoized", Fine, text.as_bytes())
}

/// Fusing copies the operations fused before, so in a long loop it ends after a while: it takes minutes otherwise.
fn fusion_ends() -> Outcome {
    let statements = "x = where(x > 2, x - 1, x + 1);\n".repeat(600);
    let text =
        format!("def main() {{ var x = [1, 2]; for i in 0..9 {{ {statements} }} print(x); }}");
    let directory = scratch("hostile/fusion_ends");
    std::fs::write(directory.join("input.toy"), text)?;
    let arguments = ["-w", "-O2", "-emit=linalg", "input.toy"];
    let run = toyc(arguments).current_dir(&directory).limit(LIMIT).run()?;
    let text = String::from_utf8_lossy(&run.stdout);
    let bodies = text.split("linalg.generic").skip(1);
    let longest =
        bodies.map(|body| body.split("linalg.yield").next().unwrap_or(body).lines().count());
    match longest.max() {
        Some(10..=300) => Ok(()),
        longest => run.complain(format!("the longest body has {longest:?} lines")),
    }
}

/// Passes that follow a buffer through casts do so without recursion, and look at each cast once.
fn casts_of_buffers() -> Outcome {
    let mut text = String::from("func.func private @f(%v0: memref<4xf64>) -> memref<4xf64> {\n");
    let mut freed =
        String::from("func.func private @g() {\n%v0 = memref.alloc() : memref<4xf64>\n");
    let casts: String = (0..50_000)
        .map(|i| {
            format!(
                "%w{i} = memref.cast %v{i} : memref<4xf64> to memref<?xf64>\n\
                 %v{} = memref.cast %w{i} : memref<?xf64> to memref<4xf64>\n",
                i + 1
            )
        })
        .collect();
    text.push_str(&format!("{casts}return %v50000 : memref<4xf64>\n}}\n"));
    freed.push_str(&format!("{casts}memref.dealloc %v50000 : memref<4xf64>\nreturn\n}}\n"));
    let directory = scratch("hostile/casts_of_buffers");
    std::fs::write(directory.join("input.mlir"), text + &freed)?;
    for pass in ["--toy-drop-equivalent-buffer-results", "--toy-prepare-ownership"] {
        let toy_opt = env!("CARGO_BIN_EXE_toy-opt");
        let run = Job::new(toy_opt, [pass, "input.mlir", "-o", "output.mlir"]);
        run.current_dir(&directory).limit(LIMIT).run()?.exits(0)?;
    }
    let output = std::fs::read_to_string(directory.join("output.mlir"))?;
    match output.matches("manual_deallocation").count() {
        2 => Ok(()),
        count => fail(format!("{count} marks, not those of the allocation and the free")),
    }
}

/// Random bytes and random tokens never cause a panic.
fn garbage(seed: u64) -> Outcome {
    const OTHERS: [&str; 10] =
        ["main", "x", "print", "transpose", "1", "2.5", "#", "\n", "\"", "\u{e9}"];
    let tokens: Vec<&str> =
        Token::FIXED.iter().map(Token::spelling).chain(OTHERS).chain(["\0"]).collect();
    let mut random = Random::new(seed);
    let mut texts = Vec::new();
    for _ in 0..12 {
        let length = random.below(400);
        let bytes = (0..length).map(|_| random.next() as u8).collect::<Vec<u8>>();
        let words: String =
            (0..length).map(|_| tokens[random.below(tokens.len())].to_owned() + " ").collect();
        texts.push(bytes);
        texts.push(words.into_bytes());
    }
    for (index, text) in texts.iter().enumerate() {
        let failed = compile(&format!("garbage_{seed}_{index}"), Error, text);
        // Only an error is expected: random text is not a program.
        if let Err(failure) = failed {
            let message = failure.message().unwrap_or_default();
            return fail(format!("{message}\ninput: {:?}", String::from_utf8_lossy(text)));
        }
    }
    Ok(())
}

/// A valid program with a few characters changed compiles or is diagnosed, nothing else.
fn mutations(seed: u64) -> Outcome {
    let mut random = Random::new(seed ^ 0x5EED);
    for round in 0..12 {
        let mut text = crate::generator::program(seed * 100 + round, crate::generator::WELL_TYPED)
            .into_bytes();
        for _ in 0..1 + random.below(3) {
            let at = random.below(text.len());
            match random.below(3) {
                0 => text[at] = b"(){}[]<>,;=+*-.0aZ_ #\n\"@"[random.below(24)],
                1 => drop(text.remove(at)),
                _ => text.truncate(at.max(1)),
            }
        }
        let directory = scratch(&format!("hostile/mutations_{seed}_{round}"));
        std::fs::write(directory.join("input.toy"), &text)?;
        let command = format!("ulimit -v {MEMORY}; exec {TOYC} -w input.toy -emit=llvm -o output");
        let run = Job::new("bash", ["-c", &command]).current_dir(&directory).limit(LIMIT).run()?;
        let wrote = directory.join("output").exists();
        let good = run.status == Some(0) && wrote && run.stderr.is_empty();
        let diagnosed = run.status == Some(1) && !wrote && run.stderr.contains("[E0");
        if !(good || diagnosed) || run.stderr.contains("E0900") || run.stderr.contains("panicked") {
            return run.complain(format!("program:\n{}", String::from_utf8_lossy(&text)));
        }
    }
    Ok(())
}
