//! The test suite of toyc: one binary, because each one links all of MLIR and LLVM.
//!
//! | module | tests | its data |
//! |---|---|---|
//! | [`filecheck`] | the output of each stage and of toy-opt: RUN lines and LLVM's FileCheck | `filecheck/**` |
//! | [`order_of_additions`] | sums and products: their bits, against sums in Rust | |
//! | [`numpy`] | lines of NumPy and their translations, digit by digit | `numpy/lines.txt` |
//! | [`one_state`] | every pass on the text of a program: the same as in the pipeline | `filecheck/**` |
//! | [`programs`] | the output of programs: JIT, executables, the other architecture | `programs/*`, `../examples` |
//! | [`processors`] | `--cpu` and its kin: the same results, the instructions asked for, names | |
//! | [`wasm`] | programs and libraries for WebAssembly, in Node and in Chromium | `programs/*`, `../examples`, `wasm/` |
//! | [`machines`] | building toyc for another machine, linking programs for one | |
//! | [`exports`] | functions that C calls: libraries, headers, forbidden exports | `../examples/c`, seeds |
//! | [`memory`] | the same executables under valgrind: no leak, no error | |
//! | [`copies`] | updates of tensors: how many copies they make, at every level | |
//! | [`destinations`] | given destinations: right, and without a copy, compared with upstream | `destinations/` |
//! | [`merge_alloc`] | merge-alloc by itself, and on random programs of buffers | `merge_alloc/` |
//! | [`tensor_loops`] | random loops that carry tensors, against an interpreter of values | `tensor_loops/` |
//! | [`ownership`] | who frees what, on random programs of functions that share buffers | seeds |
//! | [`memory_plan`] | the memory plan as text, as pictures and as JSON; the planner's command | `memory_plan/` |
//! | [`report`] | the page of `--report`, as data and in a browser | `../examples` |
//! | [`serve`] | the live page: refused requests, and typing in a browser | none |
//! | [`random`] | valid and invalid programs of the [`generator`], against the AST [`interpreter`] | seeds |
//! | [`mutants`] | programs of MLIR with changes that keep types valid, with optimization and without | `programs/*`, `filecheck/**` |
//! | [`snapshots`] | every diagnostic as the user sees it | `diagnostics/*` |
//! | [`explain`] | the pages of `--explain` and their examples | `../crates/toy-diagnostics/src/explain` |
//! | [`messages`] | formats, colors, warnings and their options | |
//! | [`command_line`], [`one_function`], [`instruments`], [`files`] | options, exit codes, where outputs go | |
//! | [`fmt`] | the formatter | |
//! | [`lsp`] | the language server: sessions, hostile clients, Neovim | `lsp/neovim.lua` |
//! | [`startup`] | instructions of a start, against recorded ones | `startup.txt` |
//! | [`growth`] | programs of twice the size: the time of compiling them | `growth.txt`, `../bench` |
//! | [`interrupt`] | signals during a compilation | |
//! | [`hostile`] | enormous, degenerate and garbage inputs | |
//! | [`debugger`] | gdb on an executable made with `-g` | |
//! | [`data`] | arguments and results: numbers and files, against NumPy; damaged files | `data/`, `../runtime` |
//! | [`runtime`] | the runtime's formatter against printf | `../runtime` |
//! | [`language`] | the examples of the language reference, its grammar against the parser | `../LANGUAGE.md` |
//! | [`pages`] | the README, the documents and the tutorial: outputs and quotations | `../README.md`, `../docs`, `../examples/README.md`, `../tutorial` |
//! | [`pictures`] | the pictures of the tutorial: they match the drawings, and all fits | `../tutorial/pictures` |
//! | [`project`] | the pages and files around the code: license, CI, containers, dependencies | `../*.md`, ... |
//! | [`architecture`] | the direction of dependencies between crates and folders | `../crates`, `../toyc` |
//! | [`library`] | toyc as a library: several compilations in one process | `programs/*` |
//! | [`bindings`] | Toy called from Python and from Rust; the bench of kernels | `../python/tests`, `../examples/rust` |
//! | [`challenges`] | the challenges after part one of the tutorial: their tests, with what is right and what is wrong | `../tutorial/challenges`, `challenges/` |
//! | [`steps`] | part one of the tutorial: its listings, commands, exercises and programs | `../tutorial/build`, `../tutorial/steps`, `steps/examples` |
//! | [`site`] | the tutorial as a web site: its links, and its pages in a browser | `../tutorial/site` |
//! | [`editors`] | grammars and settings of editors, in those that are here | `../editors`, `editors/neovim.lua` |
//! | [`operator`] | the change of the tutorial's chapter 19, made and run | `../tutorial/19-how-to-add-an-operator.md` |
//!
//! `cargo test --test suite -- NAME` runs the tests whose names contain NAME. With TOYC_UPDATE=1 expectations are
//! rewritten instead of compared: read the diff before you commit it.
//! One test more than there are processors runs at a time; `--test-threads=N` says otherwise.
//! A test whose tool is not on this machine is ignored; so are tests that fetch packages with TOYC_TEST_OFFLINE=1.
//! TOYC_TEST_TIME_FACTOR=N multiplies the time limits of programs in tests. TOYC_UNDER_TEST=FILE is another compiler,
//! for the tests that `tests/aarch64-host` runs.
//! TOYC_TEST_ALL=1 tests every program in every way, where they otherwise take turns; see ../CONTRIBUTING.md.
//! TOYC_RANDOM_SEED and TOYC_RANDOM_COUNT choose other, or more, random programs; `tests/fuzz` runs new ones for a
//! given time.

mod architecture;
mod bindings;
mod browser;
mod challenges;
mod command_line;
mod copies;
mod cse;
mod data;
mod debugger;
mod destinations;
mod editors;
mod explain;
mod exports;
mod filecheck;
mod files;
mod fmt;
mod generator;
mod grammar;
mod growth;
mod hostile;
mod in_place;
mod instruments;
mod interpreter;
mod interrupt;
mod language;
mod library;
mod loop_nests;
mod lsp;
mod machines;
mod markup;
mod memory;
mod memory_plan;
mod merge_alloc;
mod messages;
mod mutants;
mod numpy;
mod one_function;
mod one_state;
mod operator;
mod order_of_additions;
mod ownership;
mod pages;
mod pictures;
mod processors;
mod products;
mod programs;
mod project;
mod random;
mod report;
mod runtime;
mod serve;
mod site;
mod snapshots;
mod startup;
mod steps;
mod tensor_loops;
mod tools;
mod wasm;

use libtest_mimic::{Arguments, Trial};
use rustix::fs::{Advice, fadvise};
use std::fs::File;
use std::num::NonZero;
use std::process::ExitCode;

fn main() -> ExitCode {
    let mut arguments = Arguments::from_args();
    // One more than there are processors: now and then a test waits, for another one's build or for a signal.
    let processors = std::thread::available_parallelism().map_or(1, NonZero::get);
    arguments.test_threads.get_or_insert(processors + 1);
    // Tests that build with cargo, or wait, come first and in turn with ones that compute: two builds in one folder
    // wait for each other, and a test that takes minutes must not be the last one.
    let first = alternating(
        operator::trials().into_iter().chain(steps::trials()).chain(site::trials()),
        editors::trials()
            .into_iter()
            .chain(interrupt::trials())
            .chain(one_state::trials())
            .chain(merge_alloc::trials())
            .chain(report::trials())
            .chain(serve::trials())
            .chain(bindings::trials())
            .chain(pages::trials())
            .chain(ownership::trials())
            .chain(tensor_loops::trials()),
    );
    let others = [
        interpreter::trials(),
        filecheck::trials(),
        programs::trials(),
        processors::trials(),
        machines::trials(),
        wasm::trials(),
        exports::trials(),
        snapshots::trials(),
        explain::trials(),
        messages::trials(),
        command_line::trials(),
        copies::trials(),
        destinations::trials(),
        one_function::trials(),
        files::trials(),
        fmt::trials(),
        lsp::trials(),
        instruments::trials(),
        numpy::trials(),
        startup::trials(),
        growth::trials(),
        hostile::trials(),
        debugger::trials(),
        language::trials(),
        pictures::trials(),
        challenges::trials(),
        order_of_additions::trials(),
        project::trials(),
        library::trials(),
        architecture::trials(),
        runtime::trials(),
        data::trials(),
        mutants::trials(),
        random::trials(),
        cse::trials(),
        memory::trials(),
        in_place::trials(),
        loop_nests::trials(),
        products::trials(),
        memory_plan::trials(),
    ]
    .into_iter()
    .flatten();
    let trials: Vec<Trial> = first.into_iter().chain(others).collect();
    let is_selected =
        |trial: &&Trial| arguments.filter.as_ref().is_none_or(|f| trial.name().contains(f));
    if !arguments.list && trials.iter().filter(is_selected).count() >= MANY {
        // Programs that cannot be read again start slower.
        let _ = [tools::TOYC, env!("CARGO_BIN_EXE_toy-opt")].map(read_again);
    }
    libtest_mimic::run(&arguments, trials).exit_code()
}

/// From this number of tests on, the second that it takes to read the programs again is worth it.
const MANY: usize = 300;

/// Has the kernel read a program again, in one piece. The linker has written it page by page, and so the kernel keeps and
/// maps it: each of many thousand starts takes 8 ms of the processor more.
fn read_again(program: &str) -> std::io::Result<()> {
    let file = File::open(program)?;
    // Only what is on the disk can be dropped.
    file.sync_all()?;
    fadvise(&file, 0, None, Advice::DontNeed)?;
    std::fs::read(program).map(drop)
}

/// One of each in turn, then the rest of the longer list.
fn alternating(
    ones: impl IntoIterator<Item = Trial>,
    others: impl IntoIterator<Item = Trial>,
) -> Vec<Trial> {
    let (mut ones, mut others) = (ones.into_iter(), others.into_iter());
    let mut all = Vec::new();
    loop {
        let before = all.len();
        all.extend(ones.next());
        all.extend(others.next());
        if all.len() == before {
            return all;
        }
    }
}
