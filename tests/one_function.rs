//! `--function`: one function of a stage, for all shapes.
//!
//! Input: small programs, stages and names. Output: the text on standard output, or a diagnostic. The oracle is
//! the stage as a whole: the lines of a function are lines of it, up to where they are broken.

use crate::command_line::toyc_in;
use crate::tools::{Job, Outcome, Tests, fail, scratch, trial};
use libtest_mimic::{Failed, Trial};
use std::path::PathBuf;

const TOY_OPT: &str = env!("CARGO_BIN_EXE_toy-opt");

/// `f` for two shapes, a function that is like it, and one that is never called.
const PROGRAM: &str = "\
def f(a, b) { return transpose(a) * transpose(b) + 1; }
def like(a, b) { return transpose(a) * transpose(b) + 1; }
def _spare(a) { return a; }
def main() {
  var x<2, 3> = range(6);
  var y = f(x, x);
  print(f(y, y), like(y, y));
}
";

pub fn trials() -> Vec<Trial> {
    let tests: Tests = vec![
        ("function_shows_all_specializations", shows_all_specializations),
        ("function_names_one_specialization", names_one_specialization),
        ("function_prints_ir_that_can_be_read", prints_ir_that_can_be_read),
        ("function_says_what_became_of_it", says_what_became_of_it),
        ("function_that_does_not_exist_is_diagnosed", that_does_not_exist_is_diagnosed),
        ("function_needs_a_stage_that_has_functions", needs_a_stage_that_has_functions),
        ("function_goes_where_the_stage_goes", goes_where_the_stage_goes),
        ("function_of_toy_opt", of_toy_opt),
        ("function_filters_what_passes_print", filters_what_passes_print),
    ];
    let named = tests.into_iter();
    named.map(|(name, test)| trial(format!("command_line/{name}"), test)).collect()
}

fn workspace(test: &str) -> Result<PathBuf, Failed> {
    let directory = scratch(&format!("command_line/function_{test}"));
    std::fs::write(directory.join("program.toy"), PROGRAM)?;
    Ok(directory)
}

fn words(text: &str) -> Vec<&str> {
    text.split_whitespace().collect()
}

fn shows_all_specializations() -> Outcome {
    let directory = workspace("all")?;
    for stage in ["shapes", "linalg", "memref", "merged", "dealloc", "loops", "mlir-llvm", "llvm"] {
        for level in ["-O0", "-O0 -g", "-O1"] {
            let arguments = format!("program.toy {level} -emit={stage}");
            let whole = toyc_in(&directory, &arguments)?.exits(0)?.out();
            let run = toyc_in(&directory, &format!("{arguments} --function=f"))?.exits(0)?;
            let run = run.silent()?;
            let text = run.out();
            if stage == "llvm" && level == "-O1" {
                continue;
            }
            for symbol in ["f$2x3$2x3", "f$3x2$3x2"] {
                if !text.contains(&format!("@{symbol}("))
                    && !text.contains(&format!("@\"{symbol}\"("))
                {
                    return run.complain(format!("{symbol} is not in it"));
                }
            }
            if text.contains("@main(") || text.contains("@_spare") {
                return run.complain("another function is in it");
            }
            // Metadata is numbered, and attribute groups are.
            if stage == "llvm" {
                continue;
            }
            let (all, shown) = (words(&whole).join(" "), words(&text).join(" "));
            for function in shown.split("func.func ").skip(1) {
                let function = function.trim().trim_end_matches("llvm.");
                let function = function.rsplit_once('}').map_or(function, |(start, _)| start);
                if level == "-O0" && !all.contains(function.trim()) {
                    return run.complain(format!("not a part of the stage: {function}"));
                }
            }
            if let Some(long) = text.lines().find(|line| line.chars().count() > 92) {
                return run.complain(format!("a long line: {long}"));
            }
        }
    }
    for target in ["", "--target aarch64-unknown-linux-gnu"] {
        let run = toyc_in(&directory, &format!("program.toy -emit=asm --function=f {target}"))?;
        let run = run.exits(0)?.silent()?;
        let text = run.out();
        if text.matches("\nf$").count() + 1 != 2 || text.contains("main:") || !text.contains("ret")
        {
            return run.complain("not the two specializations");
        }
    }
    for (stage, start) in
        [("ast", "Module:"), ("toy-source", "def f("), ("toy", "func.func private @f(")]
    {
        let run = toyc_in(&directory, &format!("program.toy -emit={stage} --function=f"))?;
        let run = run.exits(0)?.silent()?;
        if !run.out().trim_start().starts_with(start) || run.out().contains("main") {
            return run.complain("not the function");
        }
    }
    Ok(())
}

fn names_one_specialization() -> Outcome {
    let directory = workspace("one")?;
    for name in ["f$3x2$3x2", "f(3x2,_3x2)", "f(3x2,3x2)"] {
        for stage in ["shapes", "merged", "mlir-llvm", "llvm"] {
            let name = name.replace('_', " ");
            let arguments = ["program.toy", &format!("-emit={stage}"), "--function", &name];
            let run = crate::tools::toyc(arguments).current_dir(&directory).run()?.exits(0)?;
            if run.out().contains("f$2x3$2x3") || !run.out().contains("f$3x2$3x2") {
                return run.complain("not the specialization for 3x2");
            }
        }
    }
    Ok(())
}

/// The function by itself becomes the same function in later stages.
fn prints_ir_that_can_be_read() -> Outcome {
    let directory = workspace("read")?;
    for stage in ["shapes", "linalg", "memref", "dealloc", "loops"] {
        let arguments =
            format!("program.toy -emit={stage} --function=f --print-locations -o part.mlir");
        toyc_in(&directory, &arguments)?.exits(0)?.silent()?.prints("")?;
        toyc_in(&directory, "part.mlir -emit=obj -o part.o")?.exits(0)?;
        // Specialization removes uncalled functions, and the call is in another function.
        let stage = if stage == "shapes" { "toy" } else { stage };
        let again =
            toyc_in(&directory, &format!("part.mlir -emit={stage} --function=f"))?.exits(0)?;
        if !again.out().contains("@f$2x3$2x3(") {
            return again.complain("the function is lost");
        }
    }
    Ok(())
}

fn says_what_became_of_it() -> Outcome {
    let directory = workspace("fate")?;
    for (arguments, words) in [
        ("-emit=shapes --function=_spare", "// _spare: never called"),
        ("-emit=asm --function=_spare", "# _spare: never called"),
        ("-emit=llvm -opt --function=f", "; f(2x3, 2x3): LLVM's optimizer inlined it"),
        ("-emit=shapes -opt --function=like", "// like(3x2, 3x2): merged with an equal function"),
    ] {
        let run = toyc_in(&directory, &format!("program.toy {arguments}"))?.exits(0)?.silent()?;
        if !run.out().starts_with(words) {
            return run.complain(format!("it does not begin with {words}"));
        }
    }
    std::fs::write(
        directory.join("inlined.toy"),
        "def twice(a) { return a + a; }\n\
         def main() { var x<40, 40> = range(1600); print(sum(twice(x * 3) * 2)); }\n",
    )?;
    let run = toyc_in(&directory, "inlined.toy -opt -emit=linalg --function=twice")?.exits(0)?;
    if run.out() != "// twice(40x40): inlined into its callers (pass toy-inline)\n" {
        return run.complain("not inlined by toy-inline");
    }
    Ok(())
}

fn that_does_not_exist_is_diagnosed() -> Outcome {
    let directory = workspace("unknown")?;
    std::fs::write(directory.join("old"), "old")?;
    for stage in ["ast", "toy", "shapes", "loops", "llvm", "asm"] {
        let run =
            toyc_in(&directory, &format!("program.toy -emit={stage} --function=_spre -o old"))?;
        run.diagnosed("E0004")?.says("no function `_spre`")?.says("did you mean `_spare`?")?;
    }
    let run = toyc_in(&directory, "program.toy -emit=toy --function=x -o - --error-format=json")?;
    let run = run.exits(1)?;
    if !run.stderr.starts_with('{') || !run.stderr.contains("`f`, `like`, `_spare`, `main`") {
        return run.complain("not JSON with the functions that there are");
    }
    if std::fs::read_to_string(directory.join("old"))? != "old" {
        return fail("the output was written in spite of an error");
    }
    std::fs::write(
        directory.join("g.mlir"),
        "func.func @g() { return }\nfunc.func @main() { return }",
    )?;
    toyc_in(&directory, "g.mlir -emit=loops --function=g")?.exits(0)?.silent()?;
    toyc_in(&directory, "g.mlir -emit=loops --function=gh")?.diagnosed("E0004")?.says("`g`")?;
    Ok(())
}

fn needs_a_stage_that_has_functions() -> Outcome {
    let directory = workspace("stages")?;
    for stage in ["tokens", "memory-plan", "obj", "exe", "jit"] {
        let run = toyc_in(&directory, &format!("program.toy -emit={stage} --function=f"))?;
        run.diagnosed("E0004")?.says(stage)?.says("-emit=shapes")?;
    }
    Ok(())
}

fn goes_where_the_stage_goes() -> Outcome {
    let directory = workspace("output")?;
    let expected = toyc_in(&directory, "program.toy -emit=loops --function=f")?.exits(0)?.stdout;
    for options in ["", "--report=page.html", "--memory-plan=plan.txt", "--save-temps"] {
        let arguments = format!("program.toy -emit=loops --function=f -o f.mlir {options}");
        toyc_in(&directory, &arguments)?.exits(0)?.silent()?.prints("")?;
        if std::fs::read(directory.join("f.mlir"))? != expected {
            return fail(format!("{options}: not the function"));
        }
    }
    let whole = std::fs::read_to_string(directory.join("page.html"))?;
    if whole.contains("main") { Ok(()) } else { fail("the report is not of the whole program") }
}

fn filters_what_passes_print() -> Outcome {
    let directory = workspace("passes")?;
    let arguments = "program.toy -emit=jit --function=f --print-ir-after=toy-specialize";
    let run = toyc_in(&directory, arguments)?.exits(0)?;
    let expected = toyc_in(&directory, "program.toy -emit=shapes --function=f")?.exits(0)?.out();
    if run.stderr != format!("// -----// IR after toy-specialize //----- //\n{expected}") {
        return run.complain("not the function after the pass");
    }
    Ok(())
}

fn of_toy_opt() -> Outcome {
    let directory = workspace("toy_opt")?;
    toyc_in(&directory, "program.toy -emit=shapes -o shapes.mlir")?.exits(0)?;
    let expected = toyc_in(&directory, "program.toy -emit=shapes --function=f")?.exits(0)?.stdout;
    let toy_opt = |name: &str| {
        let arguments = ["shapes.mlir", "--function", name];
        Job::new(TOY_OPT, arguments).current_dir(&directory).run()
    };
    toy_opt("f")?.exits(0)?.silent()?.prints(expected)?;
    toy_opt("g")?.diagnosed("E0004")?.says("no function `g`")?;
    Ok(())
}
