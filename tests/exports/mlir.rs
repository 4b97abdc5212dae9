//! Functions exported from MLIR, functions exported again, and very many exports.

use crate::tools::{Job, Outcome, fail, scratch, toyc, trial};
use libtest_mimic::Trial;
use toy_compiler::interface::Export;

pub fn trials() -> Vec<Trial> {
    vec![
        trial("exports/mlir", mlir),
        trial("exports/of_what_has_exports", again),
        trial("exports/ten_times_as_many_take_not_much_more_each", many),
    ]
}

/// Functions of MLIR, at the level of Toy and below.
fn mlir() -> Outcome {
    let directory = scratch("exports/mlir");
    let text = r#"
func.func private @turn(%a: tensor<*xf64>) -> tensor<*xf64> {
  %0 = "toy.transpose"(%a) : (tensor<*xf64>) -> tensor<*xf64>
  return %0 : tensor<*xf64>
}
func.func @both(%a: tensor<2x3xf64>, %n: tensor<f64>) -> (tensor<3x2xf64>, tensor<2x3xf64>, tensor<2x3xf64>) {
  %empty = tensor.empty() : tensor<3x2xf64>
  %0 = linalg.transpose ins(%a : tensor<2x3xf64>) outs(%empty : tensor<3x2xf64>) permutation = [1, 0]
  %number = tensor.extract %n[] : tensor<f64>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      outs(%0 : tensor<3x2xf64>) {
  ^bb0(%element: f64):
    %scaled = arith.mulf %element, %number : f64
    linalg.yield %scaled : f64
  } -> tensor<3x2xf64>
  return %1, %a, %a : tensor<3x2xf64>, tensor<2x3xf64>, tensor<2x3xf64>
}
func.func @main() {
  return
}
"#;
    std::fs::write(directory.join("low.mlir"), text)?;
    let program = r#"
#include "low.h"
#include <stdio.h>
int main(void)
{
    const double a[6] = {1, 2, 3, 4, 5, 6};
    double r[6], s[6], t[6];
    if (turn(a, r) != 0)
        return 1;
    printf("%g %g %g\n", r[0], r[1], r[5]);
    if (both(a, 10, r, s, t) != 0)
        return 2;
    printf("%g %g %g %g %g\n", r[0], r[1], r[5], s[5], t[5]);
    return both(a, 10, r, s, s) == TOY_OVERLAP ? 0 : 3;
}
"#;
    std::fs::write(directory.join("main.c"), program)?;
    for level in ["-O0", "-O2"] {
        for stage in ["header", "staticlib"] {
            let exports = ["--export", "turn=turn(2x3)", "--export", "both=both(2x3, ())"];
            let arguments = ["low.mlir", level, "-emit", stage].into_iter().chain(exports);
            toyc(arguments).current_dir(&directory).run()?.exits(0)?.silent()?;
        }
        let arguments = ["main.c", "liblow.a", "-o", "main"];
        Job::new("cc", arguments).current_dir(&directory).run()?.exits(0)?;
        Job::new("./main", [""; 0])
            .current_dir(&directory)
            .run()?
            .exits(0)?
            .prints("1 4 6\n10 40 60 6 6\n")?;
    }
    Ok(())
}

/// The stage `toy` of a library, exported again: as before, and for shapes that are new or did not fit.
fn again() -> Outcome {
    let directory = scratch("exports/again");
    let text = "def f(a, b) { return transpose(a) * b; }\ndef f_2_2(a) { return a; }\n";
    std::fs::write(directory.join("one.toy"), text)?;
    let run = |arguments: &[&str]| toyc(arguments).current_dir(&directory).run();
    for (before, after) in [
        ("f(2x3, 3x2)", "f(2x3, 3x2)"),
        ("f(2, 2)", "f(3, 3)"),
        ("k=f(2, 3)", "k=f(2x3, 3x2)"),
        ("k=f(2, 3)", "f(2, 2)"),
    ] {
        run(&["one.toy", "--export", before, "-emit=toy", "-o", "two.mlir"])?.exits(0)?.silent()?;
        let mut headers = Vec::new();
        for file in ["one.toy", "two.mlir"] {
            let header = run(&[file, "--export", after, "-emit=header", "-o", "-"])?;
            let names = |line: &&str| line.contains("TOY_SYMBOL(\"");
            let header = header.exits(0)?.silent()?.out();
            headers.push(header.lines().filter(names).map(str::to_owned).collect::<Vec<_>>());
            run(&[file, "--export", after, "-emit=lib", "-o", "lib.so"])?.exits(0)?.silent()?;
        }
        if headers[0] != headers[1] || headers[0].len() != 2 {
            return fail(format!("{headers:?}"));
        }
        // An earlier export stays if something calls it.
        let symbol = format!("@{}$export", Export::parse(before).map_err(|d| d.message)?.c_name);
        let text = std::fs::read_to_string(directory.join("two.mlir"))?;
        if before == after {
            let caller = format!(
                "func.func @caller(%a: tensor<2x3xf64>, %b: tensor<3x2xf64>) -> tensor<*xf64> {{\n  \
                 %0 = call {symbol}(%a, %b) : (tensor<2x3xf64>, tensor<3x2xf64>) -> tensor<*xf64>\n  \
                 return %0 : tensor<*xf64>\n}}\n"
            );
            let end = text.rfind('}').unwrap_or(text.len());
            std::fs::write(directory.join("three.mlir"), format!("{}{caller}}}\n", &text[..end]))?;
            let exports = ["--export", after, "--export", "caller(2x3, 3x2)", "-emit=lib"];
            run(&[&["three.mlir"], exports.as_slice()].concat())?.exits(0)?.silent()?;
        }
    }
    Ok(())
}

/// The compiler's time is linear in the number of exports, not quadratic.
fn many() -> Outcome {
    let directory = scratch("exports/many");
    let mut seconds = Vec::new();
    for count in [300, 3000] {
        let text: String =
            (0..count).map(|i| format!("def f{i}(a) {{ return a + {i}; }}\n")).collect();
        std::fs::write(directory.join("many.toy"), text)?;
        let exports: Vec<_> = (0..count).map(|i| format!("f{i}(2)")).collect();
        let arguments = ["many.toy", "-emit=toy", "-o", "many.mlir"].into_iter();
        let arguments = arguments.chain(exports.iter().flat_map(|export| ["--export", export]));
        let start = std::time::Instant::now();
        toyc(arguments).current_dir(&directory).limit(600).run()?.exits(0)?.silent()?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    // It was 40 times.
    if seconds[1] > 25.0 * seconds[0].max(0.05) { fail(format!("{seconds:?}")) } else { Ok(()) }
}
