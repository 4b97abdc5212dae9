//! Random programs of buffers, before and after merge-alloc: they print the same, and the verifier accepts the merged
//! allocations.
//!
//! Input: seeds, in batches that are compiled as one module. Each batch is merged in several ways, most of them with
//! poison, and checked by verify-merged-allocs before and after its control flow is lowered. It is run unmerged and
//! merged in two of these ways, which alternate, and every fourth batch through the whole pipeline at -O2. All print
//! the same as a run in which nothing is merged or freed. A failure shows the seeds, each with its program.
//!
//! The variables of [`crate::random`] choose the seeds and their number, here half of it: 200 programs
//! in the suite.

use super::generator::module;
use crate::memory::valgrind;
use crate::ownership::without_freeing;
use crate::programs::build;
use crate::random::{Tally, variable};
use crate::tools::{Outcome, Run, fail, scratch, toyc, trial};
use libtest_mimic::{Failed, Trial};
use melior::ir::Module;
use std::ops::Range;
use toy_compiler::diagnostic::Diagnosed;
use toy_compiler::mlir::Locations;
use toy_compiler::mlir::pass::{PassContext, run_pipeline};
use toy_compiler::mlir::session::{Printing, print_module};
use toy_compiler::source::Source;
use toy_compiler::stages::merged::merge_alloc;
use toy_compiler::stages::merged::merge_alloc::Options;

/// Programs of a module.
const BATCH: u64 = 50;

/// The number of them that run, in turn; all are verified.
const RUN: usize = 2;

/// One batch in this many is optimized as well, which takes as long as all the rest.
const OPTIMIZED: usize = 4;

/// Ways to merge. The first is the default of `-O1`.
const WAYS: [&str; 6] = [
    "",
    "poison min-allocs=1",
    "poison compact call-trees",
    "poison planner=chunk-size alignment=1",
    "poison planner=chunk-hot alignment=8",
    "poison call-trees",
];

/// Passes that make control flow a graph, and leave buffers as they are.
const LOWERING: &str = "lower-affine,convert-scf-to-cf";

pub fn trials() -> Vec<Trial> {
    let first = variable("TOYC_RANDOM_SEED", 0);
    let end = first + variable("TOYC_RANDOM_COUNT", 200).div_ceil(2);
    let batches = (first..end).step_by(BATCH as usize).map(|start| start..end.min(start + BATCH));
    let name = |seeds: &Range<u64>| format!("merge_alloc/random/{}-{}", seeds.start, seeds.end - 1);
    batches.map(|seeds| trial(name(&seeds), move || batch(seeds))).collect()
}

fn batch(seeds: Range<u64>) -> Outcome {
    let mut tally = Tally::new("merge_alloc");
    tally.add("merged-programs", seeds.end - seeds.start);
    if let Err(failure) = compare(&seeds, &mut tally) {
        // Each by itself, to find the failing one.
        let mut failed = false;
        for seed in seeds.clone() {
            let one = seed..seed + 1;
            if let Err(failure) = compare(&one, &mut Tally::new("merge_alloc")) {
                failed = true;
                if !tally.failed(seed, "mlir", module(one).as_bytes(), &failure)? {
                    break;
                }
            }
        }
        if !failed {
            tally.failed(seeds.start, "mlir", module(seeds).as_bytes(), &failure)?;
        }
    }
    tally.finish()
}

fn compare(seeds: &Range<u64>, tally: &mut Tally) -> Outcome {
    let is_whole = seeds.end - seeds.start == BATCH;
    let text = module(seeds.clone());
    let expected = lines(&without_freeing(&text)?, seeds, &["-emit=jit", "-O0"])?;
    let buffers = run(&text, &["-emit=memref", "-O0"])?.exits(0)?.stdout;
    let buffers = String::from_utf8_lossy(&buffers).into_owned();
    let judge = |what: &str, found: Vec<String>| {
        let wrong = seeds.clone().zip(found.iter().zip(&expected)).find(|(_, (a, b))| a != b);
        match wrong {
            Some((seed, (found, expected))) => {
                fail(format!("seed {seed}, {what}: {found} instead of {expected}"))
            }
            None => Ok(()),
        }
    };
    judge("unmerged", lines(&text, seeds, &["-emit=jit", "-O0"])?)?;
    let batch = (seeds.start / BATCH) as usize;
    for (number, way) in WAYS.into_iter().enumerate() {
        let merged = merge(&buffers, way, merge_alloc::run)?;
        if let Some(complaint) = merged.structured.iter().chain(&merged.lowered).next() {
            return fail(format!("merged with `{way}`: {complaint}\n{}", merged.text));
        }
        tally.add("merged-buffers", merged.views);
        if is_whole && merged.views < BATCH {
            return fail("hardly anything is merged");
        }
        if is_whole && (batch + number) % WAYS.len() >= RUN {
            continue;
        }
        judge(&format!("merged with `{way}`"), lines(&merged.text, seeds, &["-emit=jit", "-O0"])?)?;
        tally.add("merged-runs", seeds.end - seeds.start);
    }
    if batch.is_multiple_of(OPTIMIZED) {
        judge("at -O2", lines(&text, seeds, &["-emit=jit", "-O2", "--merge-alloc=poison"])?)?;
        tally.add("merged-runs", seeds.end - seeds.start);
    }
    Ok(())
}

/// The output of each program.
pub fn lines(text: &str, seeds: &Range<u64>, options: &[&str]) -> Result<Vec<String>, Failed> {
    lines_of(&run(text, options)?.exits(0)?.stdout, seeds)
}

pub fn lines_of(output: &[u8], seeds: &Range<u64>) -> Result<Vec<String>, Failed> {
    let lines: Vec<_> = String::from_utf8_lossy(output).lines().map(str::to_owned).collect();
    let programs = seeds.clone().count();
    if lines.len() == programs {
        Ok(lines)
    } else {
        fail(format!("{programs} programs print {} lines", lines.len()))
    }
}

fn run(program: &str, options: &[&str]) -> Result<Run, Failed> {
    toyc([&["-x", "mlir", "-"], options].concat()).stdin(program.as_bytes().to_vec()).run()
}

/// A module after merge-alloc, and the errors that verify-merged-allocs reports.
pub struct Merged {
    pub text: String,
    /// The number of views.
    pub views: u64,
    /// The errors in the module as it is.
    pub structured: Vec<String>,
    /// The errors after control flow has been lowered.
    pub lowered: Vec<String>,
}

/// Runs a pass that merges, and looks at the result.
pub fn merge(
    text: &str,
    options: &str,
    pass: impl for<'c> Fn(&PassContext<'c>, &Module<'c>, &Options) -> Diagnosed<()>,
) -> Result<Merged, Failed> {
    let session = toy_compiler::dialect::new_session();
    let source = Source::new("test.mlir", text);
    let locations = Locations { source: &source, file: "test.mlir" };
    let context = PassContext::new(&session, locations);
    let options = Options::parse(options).map_err(|diagnostic| diagnostic.message)?;
    let wrong = || Failed::from(format!("{:?}\n{text}", session.take_diagnostics()));
    let mut module = session.parse(&source).ok_or_else(wrong)?;
    pass(&context, &module, &options).map_err(|diagnostics| format!("{diagnostics:?}"))?;
    if !session.verify(&module) {
        return Err(wrong());
    }
    let mut printed = Vec::new();
    print_module(&module, Printing::default(), &mut printed)?;
    let judge = |module: &_| merge_alloc::verify(&context, module).err().unwrap_or_default();
    let mut complaints = vec![judge(&module)];
    // Its verifier accepts several blocks in `memref.alloca_scope`, MLIR's does not.
    if !run_pipeline(&session, &mut module, LOWERING, false) {
        return Err(wrong());
    }
    complaints.push(judge(&module));
    let [structured, lowered] = [0, 1].map(|at| {
        let complaints = complaints[at].iter();
        complaints
            .map(|complaint| format!("{} {}", complaint.message, complaint.notes.join(" ")))
            .collect()
    });
    let text = String::from_utf8(printed)?;
    let views = text.matches("memref.view").count() as u64;
    Ok(Merged { views, text, structured, lowered })
}

/// `toy-opt --merge-alloc --verify-merged-allocs` accepts correct programs as they are written.
pub fn correct_programs_are_accepted() -> Outcome {
    let first = variable("TOYC_RANDOM_SEED", 0) + 3_000_000;
    let end = first + variable("TOYC_RANDOM_COUNT", 200).div_ceil(2);
    for start in (first..end).step_by(BATCH as usize) {
        let seeds = start..end.min(start + BATCH);
        for way in WAYS {
            let merged = merge(&module(seeds.clone()), way, merge_alloc::run)?;
            if let Some(complaint) = merged.structured.iter().chain(&merged.lowered).next() {
                return fail(format!("merged with `{way}`: {complaint}\n{}", merged.text));
            }
        }
    }
    Ok(())
}

/// Merged programs free exactly their own allocations.
pub fn merged_programs_free_once() -> Outcome {
    let directory = scratch("merge_alloc/frees_once");
    let source = directory.join("programs.mlir");
    let seeds = 1_000_000..1_000_030;
    std::fs::write(&source, module(seeds.clone()))?;
    let expected = without_freeing(&module(seeds.clone()))?;
    let expected = lines(&expected, &seeds, &["-emit=jit", "-O0"])?;
    for level in ["-O0", "-O2"] {
        let executable = directory.join(level);
        build(&source, &executable, level, None)?;
        let found = valgrind(&executable)?.exits(0)?.stdout;
        if String::from_utf8_lossy(&found).lines().ne(expected.iter()) {
            return fail(format!("the executable of {level} prints something else"));
        }
    }
    Ok(())
}
