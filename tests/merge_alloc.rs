//! merge-alloc by itself: the pass is run on MLIR text that earlier passes of the pipeline would change, and
//! on random programs, whose output is the same with and without it.
//!
//! Tests of the whole pipeline are in `filecheck/merge_alloc/`.

mod blocks;
pub mod generator;
pub mod programs;
mod rotation;
mod wrong;

use crate::tools::{Outcome, Tests, fail, files, trial};
use libtest_mimic::{Failed, Trial};
use melior::ir::Module;
use std::time::{Duration, Instant};
use toy_compiler::diagnostic::Diagnosed;
use toy_compiler::mlir::Locations;
use toy_compiler::mlir::pass::PassContext;
use toy_compiler::mlir::session::{Printing, print_module};
use toy_compiler::source::Source;
use toy_compiler::stages::merged::merge_alloc;
use toy_compiler::stages::merged::merge_alloc::Options;
use toy_compiler::stages::merged::merge_alloc::stages::{OffsetPlanner, Schedule};
use toy_compiler::stages::merged::merge_alloc::stages::{Stages, Views};
use toy_compiler::stages::merged::merge_alloc::stages::{Ticks, Trace};

pub fn trials() -> Vec<Trial> {
    let tests: Tests = vec![
        ("a_buffer_of_several_blocks_is_always_live", a_buffer_of_several_blocks_is_always_live),
        ("buffers_of_a_cycle_are_live_throughout", buffers_of_a_cycle_are_live_throughout),
        ("a_block_argument_keeps_two_buffers_live", a_block_argument_keeps_two_buffers_live),
        ("an_alloca_scope_is_a_scope", an_alloca_scope_is_a_scope),
        ("a_second_run_changes_nothing", a_second_run_changes_nothing),
        ("time_is_linear_in_the_length_of_a_function", time_is_linear_in_the_length_of_a_function),
        ("a_long_call_tree_has_one_allocation", a_long_call_tree_has_one_allocation),
        (
            "too_many_aliases_leave_a_function_unchanged",
            too_many_aliases_leave_a_function_unchanged,
        ),
        ("a_wrong_planner_is_caught", a_wrong_planner_is_caught),
        ("random_blocks_print_the_same", blocks::random_blocks_print_the_same),
        ("correct_programs_are_accepted", programs::correct_programs_are_accepted),
        ("merged_programs_free_once", programs::merged_programs_free_once),
        ("everyday_loops_rotate_their_buffers", rotation::everyday_loops_rotate_their_buffers),
        ("shortened_lifetimes_are_caught", wrong::shortened_lifetimes_are_caught),
        ("moved_buffers_are_caught", wrong::moved_buffers_are_caught),
    ];
    let tests = tests.into_iter().map(|(name, test)| trial(format!("merge_alloc/{name}"), test));
    tests.chain(programs::trials()).chain(rotation::trials()).collect()
}

/// Runs the pass on a text; the result is the module that it makes.
fn merged(text: &str, options: &str) -> Result<String, Failed> {
    with_pass(text, options, |context, module, options| merge_alloc::run(context, module, options))
}

fn with_pass(
    text: &str,
    options: &str,
    pass: impl for<'c> Fn(&PassContext<'c>, &mut Module<'c>, &Options) -> Diagnosed<()>,
) -> Result<String, Failed> {
    let session = toy_compiler::dialect::new_session();
    // As in toy-opt: a program may have memory spaces of any dialect.
    session.register_all_dialects();
    session.allow_unregistered_dialects();
    let source = Source::new("test.mlir", text);
    let locations = Locations { source: &source, file: "test.mlir" };
    let context = PassContext::new(&session, locations);
    let options = Options::parse(options).map_err(|diagnostic| diagnostic.message)?;
    let Some(mut module) = session.parse(&source) else {
        return Err(format!("{:?}\n{text}", session.take_diagnostics()).into());
    };
    pass(&context, &mut module, &options).map_err(|diagnostics| format!("{diagnostics:?}"))?;
    if !session.verify(&module) {
        return Err(format!("{:?}\n{text}", session.take_diagnostics()).into());
    }
    let mut printed = Vec::new();
    print_module(&module, Printing::default(), &mut printed)?;
    Ok(String::from_utf8(printed)?)
}

/// Expects texts in this order in the output of the pass.
fn expect(text: &str, options: &str, expected: &[&str]) -> Outcome {
    let output = merged(text, options)?;
    let mut rest = output.as_str();
    for wanted in expected {
        match rest.find(wanted) {
            Some(at) => rest = &rest[at + wanted.len()..],
            None => return fail(format!("`{wanted}` is missing in\n{output}")),
        }
    }
    Ok(())
}

/// Blocks do not run in the order of the text: only a buffer that a single block allocates and uses has a
/// shorter lifetime.
fn a_buffer_of_several_blocks_is_always_live() -> Outcome {
    let text = "
        func.func private @use(memref<4xf32>)
        func.func @f(%c: i1, %n: index) {
          %a = memref.alloc() : memref<4xf32>
          %e0 = memref.alloc() : memref<4xf32>
          func.call @use(%e0) : (memref<4xf32>) -> ()
          cf.cond_br %c, ^bb1(%a : memref<4xf32>), ^bb2
        ^bb1(%x: memref<4xf32>):
          %b = memref.alloc() : memref<4xf32>
          func.call @use(%x) : (memref<4xf32>) -> ()
          func.call @use(%b) : (memref<4xf32>) -> ()
          cf.br ^bb2
        ^bb2:
          %d = memref.alloc() : memref<4xf32>
          %e = memref.alloc() : memref<4xf32>
          func.call @use(%d) : (memref<4xf32>) -> ()
          func.call @use(%e) : (memref<4xf32>) -> ()
          scf.forall (%i) in (%n) {
            %g = memref.alloc() : memref<4xf32>
            func.call @use(%g) : (memref<4xf32>) -> ()
          }
          cf.cond_br %c, ^bb2, ^bb3
        ^bb3:
          return
        }";
    let own = "merge_alloc.offset = 0";
    expect(
        text,
        "plan-only min-allocs=1",
        &["array<i64: 0, 0, 15>, merge_alloc.offset = 64", own, own, own, own, "i64: 1, 13, 13>"],
    )?;
    let arena = "memref.alloc() {alignment = 64 : i64} : memref<80xi8>";
    let view = "memref.view %alloc";
    let expected =
        [arena, view, view, "^bb1", view, "^bb2", view, view, "forall", "memref.alloc()"];
    expect(text, "", &expected)
}

/// A region whose blocks form a cycle: a buffer that is used in it is live throughout, and so is one that a
/// block allocates and another one uses.
fn buffers_of_a_cycle_are_live_throughout() -> Outcome {
    let text = "
        func.func private @use(memref<4xf32>)
        func.func @f(%c: i1) {
          %a = memref.alloc() : memref<4xf32>
          %b = memref.alloc() : memref<4xf32>
          scf.execute_region {
            cf.br ^bb1
          ^bb1:
            func.call @use(%a) : (memref<4xf32>) -> ()
            %e = memref.alloc() : memref<4xf32>
            cf.br ^bb2(%b : memref<4xf32>)
          ^bb2(%x: memref<4xf32>):
            %d = memref.alloc() : memref<4xf32>
            func.call @use(%d) : (memref<4xf32>) -> ()
            func.call @use(%x) : (memref<4xf32>) -> ()
            func.call @use(%e) : (memref<4xf32>) -> ()
            cf.cond_br %c, ^bb1, ^bb3
          ^bb3:
            scf.yield
          }
          return
        }";
    let expected = [
        "merge_alloc.lifetime = array<i64: 0, 2, 10>, merge_alloc.offset = 0",
        "merge_alloc.lifetime = array<i64: 0, 2, 10>, merge_alloc.offset = 64",
        "merge_alloc.lifetime = array<i64: 0, 2, 10>, merge_alloc.offset = 128",
        "merge_alloc.lifetime = array<i64: 0, 7, 7>, merge_alloc.offset = 192",
    ];
    expect(text, "plan-only", &expected)
}

/// A buffer from the previous block, which may be this block itself: two buffers are live at a time.
fn a_block_argument_keeps_two_buffers_live() -> Outcome {
    let text = "
        func.func private @use(memref<4xf32>)
        func.func @f(%c: i1) {
          %a = memref.alloc() : memref<4xf32>
          %b = memref.alloc() : memref<4xf32>
          cf.br ^bb1(%a, %b : memref<4xf32>, memref<4xf32>)
        ^bb1(%x: memref<4xf32>, %y: memref<4xf32>):
          %d = scf.if %c -> (memref<4xf32>) {
            %e = memref.alloc() : memref<4xf32>
            scf.yield %e : memref<4xf32>
          } else {
            scf.yield %x : memref<4xf32>
          }
          func.call @use(%x) : (memref<4xf32>) -> ()
          cf.cond_br %c, ^bb1(%y, %d : memref<4xf32>, memref<4xf32>), ^bb2
        ^bb2:
          return
        }";
    let expected = [
        "merge_alloc.offset = 0",
        "merge_alloc.offset = 64",
        "merge_alloc.untouched = \"`cf.cond_br` passes it on to another block\"",
    ];
    expect(text, "plan-only", &expected)
}

fn an_alloca_scope_is_a_scope() -> Outcome {
    let text = "
        func.func private @use(memref<4xf32>)
        func.func @f(%from: index, %to: index) {
          scf.for %i = %from to %to step %to {
            %r = memref.alloca_scope -> (memref<4xf32>) {
              %a = memref.alloc() : memref<4xf32>
              %b = memref.alloc() : memref<4xf32>
              %d = memref.alloc() : memref<4xf32>
              func.call @use(%a) : (memref<4xf32>) -> ()
              func.call @use(%b) : (memref<4xf32>) -> ()
              memref.alloca_scope.return %d : memref<4xf32>
            }
            func.call @use(%r) : (memref<4xf32>) -> ()
          }
          return
        }";
    let leaves = "untouched = \"`memref.alloca_scope.return` passes it out of its scope\"";
    expect(text, "plan-only", &["offset = 0", "offset = 0", leaves])?;
    let arena = "memref.alloc() {alignment = 64 : i64} : memref<16xi8>";
    expect(text, "", &["alloca_scope", arena, "memref.view", "memref.view", "memref.alloc()"])
}

/// Tested on every input of the FileCheck tests.
fn a_second_run_changes_nothing() -> Outcome {
    let files = files("tests/filecheck/merge_alloc", &["mlir"]);
    if files.len() < 8 {
        return fail("the programs were not found");
    }
    for file in files {
        let text = std::fs::read_to_string(&file)?;
        for options in [
            "",
            "min-allocs=1",
            "min-allocs=1 reuse=none alignment=1",
            "call-trees",
            "call-trees planner=chunk-size min-allocs=3",
        ] {
            let once = merged(&text, options)?;
            if merged(&text, options)? != once {
                return fail(format!("{} is merged in two ways", file.display()));
            }
            let twice = merged(&once, options)?;
            if once != twice {
                return fail(format!("{} with `{options}`:\n{once}\n{twice}", file.display()));
            }
        }
    }
    Ok(())
}

/// Time is linear in the length of a function.
fn time_is_linear_in_the_length_of_a_function() -> Outcome {
    let mut text = "func.func private @use(memref<4xf32>, memref<4xf32>)
        func.func @f() { %0 = memref.alloc() : memref<4xf32>\n"
        .to_owned();
    for index in 1..100_000 {
        text += &format!(
            "%{index} = memref.alloc() : memref<4xf32>
             func.call @use(%{}, %{index}) : (memref<4xf32>, memref<4xf32>) -> ()\n",
            index - 1
        );
    }
    let start = Instant::now();
    expect(&(text + "return }"), "", &["memref<80xi8>", "arith.constant 64"])?;
    soon(start)
}

/// A long chain of functions that call the next one twice each gets one allocation, quickly.
fn a_long_call_tree_has_one_allocation() -> Outcome {
    let mut text = "func.func private @use(memref<4xf32>)
        func.func private @f0() { return }\n"
        .to_owned();
    for index in 1..5_000 {
        let callee = index - 1;
        text += &format!(
            "func.func private @f{index}() {{
               %a = memref.alloc() : memref<4xf32>
               func.call @use(%a) : (memref<4xf32>) -> ()
               func.call @f{callee}() : () -> ()
               func.call @use(%a) : (memref<4xf32>) -> ()
               func.call @f{callee}() : () -> ()
               return
             }}\n",
        );
    }
    text += "func.func @main() { func.call @f4999() : () -> () return }";
    let start = Instant::now();
    let output = merged(&text, "call-trees")?;
    soon(start)?;
    // Its 4,999 buffers are in use at once.
    let size = 4_998 * 64 + 16;
    let allocation = format!("memref.alloc() {{alignment = 64 : i64}} : memref<{size}xi8>");
    if output.matches("memref.alloc").count() == 1 && output.contains(&allocation) {
        return Ok(());
    }
    fail(output.lines().rev().take(20).collect::<Vec<_>>().join("\n"))
}

/// Every buffer has thousands of aliases, more than the budget allows to follow: all buffers of the function stay as
/// they are, however often the pass is run. Other functions' buffers are merged.
fn too_many_aliases_leave_a_function_unchanged() -> Outcome {
    let mut text = "func.func private @use(memref<4xf32>)
        func.func @f(%c: i1) {
          %a = memref.alloc() : memref<4xf32>
          func.call @use(%a) : (memref<4xf32>) -> ()
          %b = memref.alloc() : memref<4xf32>
          func.call @use(%b) : (memref<4xf32>) -> ()
          %s0 = memref.alloc() : memref<4xf32>\n"
        .to_owned();
    for index in 1..3_000 {
        text += &format!(
            "%{index} = memref.alloc() : memref<4xf32>
             %s{index} = arith.select %c, %{index}, %s{} : memref<4xf32>\n",
            index - 1
        );
    }
    text += "func.call @use(%s2999) : (memref<4xf32>) -> () return }
        func.func @g() {
          %a = memref.alloc() : memref<4xf32>
          %b = memref.alloc() : memref<4xf32>
          func.call @use(%a) : (memref<4xf32>) -> ()
          func.call @use(%b) : (memref<4xf32>) -> ()
          return
        }";
    let start = Instant::now();
    let reason = "untouched = \"its function uses its buffers in too many ways to follow\"";
    expect(&text, "plan-only", &[reason, reason, reason, "@g", "merge_alloc.offset"])?;
    let once = merged(&text, "")?;
    let left = once.matches("memref.alloc()").count();
    if left != 3_003 {
        return fail(format!("{left} allocations are left"));
    }
    if merged(&once, "")? != once {
        return fail("a second run changes something");
    }
    soon(start)
}

/// A planner that places buffers one after the other, or all of them at the start.
struct Stack {
    is_right: bool,
}

impl OffsetPlanner for Stack {
    fn plan(&self, trace: &Trace, _: &Options, _: &Locations) -> Diagnosed<Option<Schedule>> {
        let mut total = 0;
        let mut offsets = Vec::new();
        for buffer in &trace.buffers {
            let start =
                if self.is_right { u64::next_multiple_of(total, buffer.alignment) } else { 0 };
            offsets.push(start);
            total = start + buffer.size;
        }
        Ok(Some(Schedule { offsets, total, lower_bound: 0, staggered: 0 }))
    }
}

/// A stage can be replaced, and a wrong planner is caught.
fn a_wrong_planner_is_caught() -> Outcome {
    let text = "
        func.func private @use(memref<4xf32>, memref<4xf32>)
        func.func @f() {
          %a = memref.alloc() : memref<4xf32>
          %b = memref.alloc() : memref<4xf32>
          func.call @use(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()
          return
        }";
    for is_right in [true, false] {
        let output = with_pass(text, "", |context, module, options| {
            let planner = &Stack { is_right };
            let stages = Stages { tracer: &Ticks, planner, rewriter: &Views::default() };
            merge_alloc::run_with(context, module, options, &stages)
        });
        let (wanted, found) = match output {
            Ok(output) => ("memref<80xi8>", output),
            Err(failure) => ("share memory while both are live", format!("{failure:?}")),
        };
        if !found.contains(wanted) || found.contains("xi8") != is_right {
            return fail(found);
        }
    }
    Ok(())
}

fn soon(start: Instant) -> Outcome {
    let limit = Duration::from_secs(60);
    if start.elapsed() > limit { fail(format!("took {:?}", start.elapsed())) } else { Ok(()) }
}
