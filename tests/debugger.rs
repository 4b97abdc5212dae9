//! Debug information, as gdb sees it.
//!
//! Input: a program compiled with `-g`. Output: gdb's output in batch mode. Invariants of toyc tested here: gdb stops
//! at a line of the `.toy` file in every specialization of a function, shows that line of the source, its backtrace
//! goes through the Toy functions with their lines, and without optimization it shows variables with their elements.

use crate::tools::{Job, Outcome, Run, Tests, fail, find, scratch, toyc, trial};
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};

const PROGRAM: &str = "\
# Line 1 is a comment.
def inner(x, y) {
  var sum = x + y;
  return sum * transpose(sum);
}

def outer(x) {
  var result = inner(x, x);
  print(result);
  return result;
}

def main() {
  var a = [[1, 2], [3, 4]];
  print(outer(a));
}
";

pub fn trials() -> Vec<Trial> {
    let tests: Tests = vec![
        ("gdb_stops_in_a_callee", gdb_stops_in_a_callee),
        ("gdb_steps_through_lines", gdb_steps_through_lines),
        ("the_source_is_found_from_another_directory", the_source_is_found_from_another_directory),
        ("without_g_there_is_no_debug_information", without_g_there_is_no_debug_information),
        ("optimized_programs_keep_their_lines", optimized_programs_keep_their_lines),
        ("every_specialization_has_a_location", every_specialization_has_a_location),
        ("the_runtime_has_no_lines", the_runtime_has_no_lines),
        ("variables_have_their_elements", variables_have_their_elements),
        ("structs_show_their_fields", structs_show_their_fields),
        ("each_line_is_one_step", each_line_is_one_step),
        ("parts_of_a_function_show_its_variables", parts_of_a_function_show_its_variables),
        ("a_variable_may_be_called_this", a_variable_may_be_called_this),
        ("mlir_input_has_lines_too", mlir_input_has_lines_too),
        ("variables_are_clean_under_valgrind", variables_are_clean_under_valgrind),
    ];
    tests.into_iter().map(|(name, test)| trial(format!("debugger/{name}"), test)).collect()
}

fn build(test: &str, options: &[&str]) -> Result<PathBuf, Failed> {
    let directory = scratch(&format!("debugger/{test}"));
    std::fs::write(directory.join("program.toy"), PROGRAM)?;
    let arguments = ["program.toy"].iter().chain(options);
    toyc(arguments).current_dir(&directory).run()?.exits(0)?.silent()?;
    Ok(directory)
}

/// Runs gdb's commands on the program.
fn gdb(directory: &Path, program: &Path, commands: &[&str]) -> Result<Run, Failed> {
    if find("gdb").is_none() {
        return fail("gdb is missing: run ./setup --tests");
    }
    let mut arguments = vec!["-nx", "-batch", "-iex", "set debuginfod enabled off"];
    // In a container, gdb is not allowed to switch off address randomization; the tests do not need it to.
    arguments.extend(["-ex", "set disable-randomization off", "-ex", "set breakpoint pending on"]);
    for command in commands {
        arguments.extend(["-ex", command]);
    }
    let program = program.to_string_lossy();
    arguments.push(&program);
    Job::new("gdb", arguments).current_dir(directory).run()
}

/// Fails unless the parts are in the output in this order.
fn shows(run: Run, parts: &[&str]) -> Outcome {
    let text = run.out();
    let mut rest = text.as_str();
    for part in parts {
        match rest.split_once(part) {
            Some((_, after)) => rest = after,
            None => return run.complain(format!("`{part}` is not there (or not in this order)")),
        }
    }
    Ok(())
}

fn gdb_stops_in_a_callee() -> Outcome {
    let directory = build("stops_in_a_callee", &["-g"])?;
    let run = gdb(&directory, Path::new("program"), &["break program.toy:3", "run", "backtrace"])?;
    shows(
        run,
        &[
            "Breakpoint 1, ",
            "inner",
            "program.toy:3",
            "var sum = x + y;",
            "#0",
            "inner",
            "program.toy:3",
            "#1",
            "outer",
            "program.toy:8",
            "#2",
            "main",
            "program.toy:15",
        ],
    )
}

fn gdb_steps_through_lines() -> Outcome {
    let directory = build("steps_through_lines", &["-g"])?;
    let commands = ["break program.toy:4", "run", "info source", "finish", "continue"];
    let run = gdb(&directory, Path::new("program"), &commands)?;
    shows(
        run,
        &[
            "return sum * transpose(sum);",
            "Current source file is",
            "program.toy",
            "outer",
            "exited normally",
        ],
    )
}

/// The debugger finds the source wherever it is started.
fn the_source_is_found_from_another_directory() -> Outcome {
    let directory = build("runs_from_another_directory", &["-g", "-o", "renamed"])?;
    let program = directory.join("renamed");
    let run = gdb(Path::new("/"), &program, &["break program.toy:9", "run"])?;
    shows(run, &["Breakpoint 1, ", "program.toy:9", "print(result);"])
}

fn without_g_there_is_no_debug_information() -> Outcome {
    let directory = build("nothing_without_g", &[])?;
    let run = gdb(&directory, Path::new("program"), &["info line main", "break program.toy:3"])?;
    if run.out().contains("program.toy\"") || run.out().contains("Breakpoint 1 at") {
        return run.complain("debug information without -g");
    }
    Ok(())
}

/// Lines remain where functions are inlined.
fn optimized_programs_keep_their_lines() -> Outcome {
    let directory = build("optimized", &["-g", "-O2"])?;
    let run = gdb(&directory, Path::new("program"), &["break program.toy:9", "run", "backtrace"])?;
    shows(run, &["program.toy:9", "print(result);", "#0", "outer", "program.toy:9", "main"])
}

const VARIABLES: &str = "\
struct Point { var x; var scale; }
struct Line { Point from; Point to; }

def f(a, b) {
  var t = transpose(a);
  var u = t * transpose(b);
  return u;
}

def g(Line l, new) {
  print(l.to.scale);
  return l.from.x * l.to.scale;
}

def main() {
  var x = [[1, 2, 3], [4, 5, 6]];
  var s = 2.5;
  var c = f(x, x);
  var d = f(c, c);
  Point p = {x, s};
  Line l = {p, {c, 3}};
  var e = g(l, d);
}
";

/// Compiles a program without warnings and runs gdb's commands on it.
fn debug(test: &str, program: &str, options: &[&str], commands: &[&str]) -> Result<Run, Failed> {
    let directory = scratch(&format!("debugger/{test}"));
    let file = if program.contains("func.func") { "program.mlir" } else { "program.toy" };
    std::fs::write(directory.join(file), program)?;
    let arguments = ["-w", file, "-o", "program"].into_iter().chain(options.iter().copied());
    toyc(arguments).current_dir(&directory).run()?.exits(0)?.silent()?;
    gdb(&directory, Path::new("program"), commands)
}

fn every_specialization_has_a_location() -> Outcome {
    let commands = [
        "break program.toy:6",
        "break f",
        "run",
        "backtrace 1",
        "delete 1",
        "continue",
        "backtrace 1",
    ];
    let run = debug("every_specialization", VARIABLES, &["-g"], &commands)?;
    let parts = [
        "program.toy:6. (2 locations)",
        "f. (2 locations)",
        "#0  f<2x3, 2x3> (a=..., b=...) at",
        "#0  f<3x2, 3x2> (a=..., b=...) at",
    ];
    shows(run, &parts)?;
    // Large enough, and printed, so that the optimizer leaves something of it.
    let inlined = VARIABLES
        .replace("var x = [[1, 2, 3], [4, 5, 6]];", "var x<20, 30> = 2;")
        .replace("var e = g(l, d);", "var e = g(l, d); print(d);");
    let run = debug("every_inlined_specialization", &inlined, &["-g", "-O2"], &commands[1..4])?;
    shows(run, &["f. (2 locations)", "#0  f<20x30, 20x30> () at", "program.toy:6"])?;
    let commands = ["break f<3x2, 3x2>", "run", "info args"];
    let run = debug("one_specialization", VARIABLES, &["-g"], &commands)?;
    shows(run, &["f<3x2, 3x2> (a=..., b=...)", "a = {{1, 16}, {4, 25}, {9, 36}}"])
}

/// gdb looks up unknown names in `this`, as in C++.
fn a_variable_may_be_called_this() -> Outcome {
    let program = "def f(this) {\n  return this + 1;\n}\ndef main() { print(f([1, 2])); }\n";
    let commands = ["break f", "run", "print this_", "print unknown"];
    let run = debug("this_is_a_name", program, &["-g"], &commands)?;
    shows(run, &["$1 = {1, 2}"])
}

/// A breakpoint on the first line is at the first line with code.
fn the_runtime_has_no_lines() -> Outcome {
    let commands = ["break program.toy:1", "run", "info functions -n toy_print|malloc|free"];
    let run = debug("the_runtime_has_no_lines", PROGRAM, &["-g"], &commands)?;
    if run.out().contains("program.toy:\n1:") {
        return run.complain("a function of the runtime is on line 1");
    }
    shows(run, &["Breakpoint 1", "inner<2x2, 2x2> (x=..., y=...) at", "program.toy:3"])
}

fn variables_have_their_elements() -> Outcome {
    let commands = [
        "break f",
        "run",
        "info args",
        "info locals",
        "next",
        "next",
        "info locals",
        "ptype t",
        "print t[1][0]",
        "up",
        "info locals",
        "break program.toy:23",
        "delete 1",
        "continue",
        "info locals",
    ];
    let run = debug("variables", VARIABLES, &["-g"], &commands)?;
    let (x, c) = ("{{1, 2, 3}, {4, 5, 6}}", "{{1, 16}, {4, 25}, {9, 36}}");
    let parts = [
        "f<2x3, 2x3> (a=..., b=...) at",
        "program.toy:5",
        &format!("a = {x}\nb = {x}\n"),
        "t = <error reading variable t (Cannot access memory at address 0x0)>",
        "t = {{1, 4}, {2, 5}, {3, 6}}\n",
        &format!("u = {c}\n"),
        "type = double [3][2]",
        "$1 = 2",
        &format!("x = {x}\ns = 2.5\nc = <error"),
        "main () at",
        &format!("x = {x}\ns = 2.5\nc = {c}\nd = {{{{1, 16, 81}}, {{256, 625, 1296}}}}\n"),
        &format!("p = {{x = {x}, scale = 2.5}}\n"),
        "e = {{3, 6, 9}, {12, 15, 18}}\n",
    ];
    shows(run, &parts)
}

fn structs_show_their_fields() -> Outcome {
    let commands =
        ["break g", "run", "backtrace 1", "info args", "print l.to.x[2][1]", "ptype l", "finish"];
    let run = debug("structs", VARIABLES, &["-g"], &commands)?;
    let parts = [
        "g<Struct<Struct<2x3, scalar>, Struct<3x2, scalar> >, 2x3> (l=..., new=...) at",
        "l = {from = {x = {{1, 2, 3}, {4, 5, 6}}, scale = 2.5}, \
         to = {x = {{1, 16}, {4, 25}, {9, 36}}, scale = 3}}\n",
        "new = {{1, 16, 81}, {256, 625, 1296}}",
        "$1 = 36",
        "type = struct Line {",
        "Point from;",
        "main () at",
    ];
    shows(run, &parts)
}

fn each_line_is_one_step() -> Outcome {
    let commands = ["break main", "run", "next", "next", "step", "next", "next", "next", "next"];
    let run = debug("each_line_is_one_step", VARIABLES, &["-g"], &commands)?;
    let parts = [
        "\n16\t",
        "\n17\t",
        "\n18\t",
        "f<2x3, 2x3> (",
        "\n5\t",
        "\n6\t",
        "\n7\t",
        "\n8\t",
        "main () at",
        "19\t",
    ];
    let text = run.out();
    if text.matches("\n6\t").count() > 1 {
        return run.complain("line 6 is two steps");
    }
    // The closing brace has no code: `return` is the last line.
    shows(run, &[&parts[..7], &parts[8..]].concat())
}

/// A function of more operations than a block may have is split.
fn parts_of_a_function_show_its_variables() -> Outcome {
    let mut program = String::from("def f(a) {\n  var v0 = a + 1;\n");
    for index in 1..200 {
        program += &format!("  var v{index} = v{} * 0.5 + a;\n", index - 1);
    }
    program += "  return v199;\n}\ndef main() { print(f([1, 2])); }\n";
    let commands = ["break program.toy:150", "run", "backtrace", "info locals", "up", "info args"];
    let run = debug("parts", &program, &["-g"], &commands)?;
    let parts = [
        "#0  f$part",
        "<2> () at",
        "program.toy:150",
        "f<2> (a=...)",
        "main ()",
        "a = {1, 2}",
        "v147 = {2, 4}",
        "a = {1, 2}",
    ];
    shows(run, &parts)
}

fn mlir_input_has_lines_too() -> Outcome {
    let program = "\
func.func private @f(%a: memref<2xf64>) {
  %c0 = arith.constant 0 : index
  %v = memref.load %a[%c0] : memref<2xf64>
  memref.store %v, %a[%c0] : memref<2xf64>
  return
}
func.func @main() {
  %a = memref.alloc() : memref<2xf64>
  %x = arith.constant 2.0 : f64
  linalg.fill ins(%x : f64) outs(%a : memref<2xf64>)
  call @f(%a) : (memref<2xf64>) -> ()
  return
}
";
    let commands = ["break program.mlir:3", "run", "backtrace"];
    let run = debug("lines_of_mlir", program, &["-g"], &commands)?;
    shows(run, &["f () at", "program.mlir:3", "%v = memref.load", "main () at", "program.mlir:11"])
}

fn variables_are_clean_under_valgrind() -> Outcome {
    let directory = scratch("debugger/valgrind");
    std::fs::write(directory.join("program.toy"), VARIABLES)?;
    toyc(["-w", "program.toy", "-g"]).current_dir(&directory).run()?.exits(0)?.silent()?;
    let arguments = ["-q", "--error-exitcode=9", "--leak-check=full", "./program"];
    Job::new("valgrind", arguments).current_dir(&directory).run()?.exits(0)?;
    Ok(())
}
