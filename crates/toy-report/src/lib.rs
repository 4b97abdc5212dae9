//! One compilation as data, and as a page: `--report=FILE.html`, `--report=FILE.json`.
//!
//! Input: the events of the compilation, through an observer of the driver, so that the page shows exactly
//! this compilation. Output: a [`Report`], which [`page()`] wraps into one self-contained HTML file and [`data`]
//! writes as JSON; both have the same fields, and one script (`page/`) shows them, also for `toyc serve`.
//!
//! | module | subject |
//! |---|---|
//! | [`parts`] | texts, cut into functions; equal parts are kept once |
//! | [`large`] | texts that are mostly not shown |
//! | [`passes`] | the changes of each pass |
//! | [`rewrites`] | the rewrites of canonicalization, one by one |
//! | [`printed`](mod@printed) | the text of a module, as `-emit` prints it |
//! | [`origin`] | the lines of the source that a line comes from |
//! | [`twin`] | the same program with line tables, for the origins of LLVM IR and assembly |
//! | [`calls`] | the function that each call was resolved to |
//! | [`page`](mod@page) | the files |
//!
//! Invariants: recording does not affect the compilation; the same compilation gives the same data, except for
//! the durations, which are all in fields called `ms`; the work and the size are bounded
//! ([`parts::MAX_TEXT`], [`passes::Budget`], [`MAX_TWIN`], [`MAX_COPIED`]), and omitted parts are counted.

mod calls;
mod large;
mod origin;
mod page;
mod parts;
mod passes;
mod printed;
mod rewrites;
mod twin;

pub use page::{RUNNER, assemble, data, page, script};
pub use twin::Twin;

use calls::Call;
use melior::ir::Module;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::{Locations, ir, location};
use origin::Origin;
use parts::{Language, Pool, Shown};
use passes::Passes;
use rewrites::Rewrite;
use serde::Serialize;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::time::Duration;
use toy_compiler::dialect::ops;
use toy_compiler::memory_plan::{self, MemoryPlan};
use toy_compiler::pipeline::Stage;
use toy_compiler::stages::loops::versions;
use toy_compiler::stages::toy::canonicalize;
use toy_diagnostics::source::Source;
use toy_diagnostics::{Diagnostic, json};
use toy_syntax::{self, ast};

/// In programs with more operations of the LLVM dialect, the source lines of optimized code and the
/// assembly are left out: they cost as much as the compilation.
pub const MAX_TWIN: usize = 20_000;

/// In programs with more operations of the stage `memref`, the plan that merging would make is left out if nothing is
/// merged: it is made on a copy, which costs a twentieth of the compilation.
pub const MAX_COPIED: usize = 10_000;

/// The most bytes of a program's output that are on its page.
pub const MAX_OUTPUT: usize = 64 << 10;

/// All data that the page shows.
#[derive(Default, Serialize)]
pub struct Report {
    /// The version of this data format.
    version: u32,
    /// The name of the source file.
    pub input: String,
    /// The command that makes the same program.
    pub command: String,
    pub target: String,
    /// toyc's version and LLVM's.
    compiler: String,
    /// The language of the source.
    language: Language,
    source: String,
    /// Texts beside the names of variables: the line, the column in UTF-16 from 0, and the text.
    pub hints: Vec<(u32, u32, String)>,
    /// The diagnostics as `--error-format=json` shows them.
    diagnostics: Vec<serde_json::Value>,
    stages: Vec<StageRecord>,
    calls: Vec<Call>,
    /// The functions that are compiled for several processors, and these.
    versions: Vec<(String, Vec<&'static str>)>,
    plan: Option<serde_json::Value>,
    /// The reason for a missing plan.
    plan_note: Option<&'static str>,
    /// The files that were made, with their sizes in bytes.
    made: Vec<(&'static str, u64)>,
    run: Option<Run>,
    /// The parts of texts that stages and passes refer to by index.
    #[serde(rename = "parts")]
    pool: Pool,
    /// The functions of the LLVM dialect that have a location in the source.
    #[serde(skip)]
    placed: HashSet<String>,
    /// The steps since the previous stage.
    #[serde(skip)]
    pending: Vec<Step>,
    #[serde(skip)]
    passes: Passes,
    /// The rewrites of the pass that runs.
    #[serde(skip)]
    rewrites: Vec<Rewrite>,
    /// The last module that was recorded: the fingerprint of the module itself, and its stage.
    #[serde(skip)]
    module: Option<(u64, usize)>,
}

/// The program at one stage.
#[derive(Serialize)]
struct StageRecord {
    /// Its name for `-emit=`.
    name: &'static str,
    title: String,
    about: String,
    language: Language,
    #[serde(flatten)]
    text: Shown,
    /// The passes and other steps that made it from the previous stage.
    steps: Vec<Step>,
    /// The number of operations of each dialect, and of each kind in it.
    operations: BTreeMap<String, BTreeMap<String, usize>>,
    /// The missing information, and the reason.
    note: Option<String>,
}

/// A step of the compilation.
#[derive(Clone, Debug, Default, Serialize)]
struct Step {
    name: String,
    ms: f64,
    /// True if a pass changed the program, as far as it is followed.
    changed: Option<bool>,
    /// The parts before a pass that changed something, and after it.
    before: Vec<u32>,
    after: Vec<u32>,
    /// The number of functions that are too large to be followed.
    left_out: usize,
    /// The rewrites of canonicalization.
    rewrites: Vec<Rewrite>,
    /// True if it is known that nothing at all has changed.
    #[serde(skip)]
    is_same: bool,
}

/// The program's run in the JIT.
#[derive(Serialize)]
struct Run {
    output: String,
    /// The number of bytes it printed after these.
    left_out: u64,
    status: i32,
    ms: f64,
}

impl Report {
    pub fn new(source: &Source, command: String, target: String, is_mlir: bool) -> Self {
        let (major, minor, patch) = inkwell::support::get_llvm_version();
        let toyc = env!("CARGO_PKG_VERSION");
        Self {
            version: 1,
            input: source.name.clone(),
            command,
            target,
            compiler: format!("toyc {toyc} with LLVM {major}.{minor}.{patch}"),
            language: if is_mlir { Language::Mlir } else { Language::Toy },
            source: parts::source(&source.text),
            ..Self::default()
        }
    }

    /// Records diagnostics of the compilation.
    pub fn diagnostics(&mut self, diagnostics: &[Diagnostic], source: &Source) {
        let lines = json::render_json(diagnostics, Some(source));
        self.diagnostics.extend(lines.lines().filter_map(|line| serde_json::from_str(line).ok()));
    }

    /// Records a step that ended; its result is the next stage to be recorded.
    pub fn step(&mut self, name: &str, time: Duration) {
        let ms = milliseconds(time);
        self.pending.push(Step { name: name.to_owned(), ms, ..Step::default() });
    }

    /// The program before the first pass.
    pub fn start(&mut self, module: &Module, locations: &Locations) {
        self.passes.start(module, locations, &mut self.pool);
    }

    /// A pass is going to run.
    pub fn before_pass(&mut self, pass: &str, module: &Module, locations: &Locations) {
        if pass == canonicalize::PASS.name {
            self.rewrites = rewrites::of(module, locations, &mut self.pool);
        }
    }

    /// Compares the program with the one before the last step, which was a pass.
    pub fn after_pass(&mut self, module: &Module, locations: &Locations) {
        let Some(step) = self.pending.last_mut() else { return };
        let change = self.passes.after(module, locations, &mut self.pool);
        step.left_out = change.left_out;
        step.rewrites = std::mem::take(&mut self.rewrites);
        step.is_same = change.is_same;
        step.changed = Some(change.before != change.after);
        if step.changed == Some(true) {
            (step.before, step.after) = (change.before, change.after);
        }
    }

    pub fn tokens(&mut self, text: &str) {
        let origins = text.lines().map(origin::of_token).collect();
        self.stage(Stage::Tokens, Language::Tokens, text, origins);
    }

    pub fn tree(&mut self, program: &ast::Module, source: &Source) {
        // The text of the tree may be quadratic in the size of the program.
        let mut text = Bounded::default();
        let _ = toy_syntax::dump::dump_to(program, source, &mut text);
        let origins = origin::of_tree(&text.text, &source.name);
        let record = self.stage(Stage::Ast, Language::Tree, &text.text, origins);
        if text.is_cut {
            record.note = Some("The rest of the tree is left out: -emit=ast shows it.".to_owned());
        }
    }

    pub fn module(&mut self, stage: Stage, module: &Module, locations: &Locations) {
        // A stage that changed nothing equals the stage before it. Passes are compared by the contents of the module.
        let fingerprint = ir::fingerprint(module.as_operation(), &[]);
        let is_same = self.pending.iter().all(|step| step.is_same);
        let same = self.module.filter(|(before, _)| is_same && *before == fingerprint);
        let (text, counts) = match same.and_then(|(_, index)| self.stages.get(index)) {
            Some(same) => (same.text.clone(), same.operations.clone()),
            None => {
                let (operations, names) = ir::operations_and_counts(module.as_operation());
                let (text, missing) = large::printed(stage, module, operations.len())
                    .unwrap_or_else(|| (printed::printed(module, self.language), Vec::new()));
                let module = module.as_operation();
                let origins = origin::of_operations(&text, module, &operations, locations);
                let shown =
                    parts::cut_rest(&text, &origins, Language::Mlir, &missing, &mut self.pool);
                (shown, counts(names))
            }
        };
        self.module = Some((fingerprint, self.stages.len()));
        self.record(stage, Language::Mlir, text).operations = counts;
        if stage == Stage::Shapes {
            self.calls = calls::collect(module, locations);
        }
        if stage == Stage::Loops {
            self.versions = versions::list(module);
        }
        if stage == Stage::MlirLlvm {
            self.placed = placed(module, locations);
        }
    }

    pub fn plan(&mut self, plan: &MemoryPlan) {
        self.plan = serde_json::from_str(&memory_plan::json(plan)).ok();
        self.plan_note = None;
    }

    /// Records the reason why there is no plan.
    pub fn no_plan(&mut self) {
        self.plan_note = Some(
            "At -O0, nothing is merged. What merging would do is left out, because planning costs much in a program \
             of this size; -emit=memory-plan shows it.",
        );
    }

    /// LLVM IR, before the optimizer or after it. The twin is the same program with line tables; None: the program
    /// is too large for one.
    pub fn llvm(&mut self, text: &str, twin: Option<&str>, file: &str, level: Option<u8>) {
        let origins = twin.and_then(|twin| origin::of_llvm(text, twin, file));
        let is_mapped = origins.is_some();
        self.stage(Stage::Llvm, Language::Llvm, text, origins.unwrap_or_default())
            .describe_llvm(level, no_origin(is_mapped, twin.is_none()));
    }

    /// LLVM IR of a program that is too large for a twin.
    pub fn large_llvm(&mut self, module: &inkwell::module::Module, level: Option<u8>) {
        let (text, missing) = large::llvm::printed(module);
        let shown = parts::cut_rest(&text, &[], Language::Llvm, &missing, &mut self.pool);
        let record = self.record(Stage::Llvm, Language::Llvm, shown);
        record.describe_llvm(level, no_origin(false, true));
    }

    /// Assembly.
    pub fn assembly(&mut self, text: &str, twin: Option<&str>) {
        // If locations are in another file, the note is at LLVM IR already.
        let is_located = self.stages.last().is_some_and(|llvm| llvm.note.is_none());
        let origins = twin.and_then(|twin| origin::of_assembly(text, twin, &self.placed));
        let origins = origins.filter(|_| is_located);
        let note = no_origin(origins.is_some(), twin.is_none());
        let origins = origins.unwrap_or_default();
        self.stage(Stage::Asm, Language::Assembly, text, origins).note = note;
    }

    /// Records the reason why there is no assembly.
    pub fn no_assembly(&mut self) {
        let note = "Left out, because it costs much in a program of this size: -emit=asm shows it.";
        let record = self.stage(Stage::Asm, Language::Assembly, "", Vec::new());
        record.note = Some(note.to_owned());
    }

    /// Records that a file of this many bytes was made.
    pub fn made(&mut self, what: &'static str, bytes: u64) {
        self.made.push((what, bytes));
    }

    /// Records the program's output, of which `output` is the start, and how it ended.
    pub fn ran(&mut self, output: &[u8], all: u64, status: i32, time: Duration) {
        let text = String::from_utf8_lossy(output);
        self.run = Some(Run {
            output: parts::source(&text),
            left_out: all - output.len() as u64,
            status,
            ms: milliseconds(time),
        });
    }

    fn stage(
        &mut self,
        stage: Stage,
        language: Language,
        text: &str,
        origins: Vec<Origin>,
    ) -> &mut StageRecord {
        let shown = parts::cut(text, &origins, language, &mut self.pool);
        self.record(stage, language, shown)
    }

    fn record(&mut self, stage: Stage, language: Language, text: Shown) -> &mut StageRecord {
        let about = match stage {
            Stage::Asm => "Assembly, without toyc's runtime library",
            _ => stage.summary(),
        };
        self.stages.push(StageRecord {
            name: stage.name(),
            title: stage.name().to_owned(),
            about: about.to_owned(),
            language,
            text,
            steps: std::mem::take(&mut self.pending),
            operations: BTreeMap::new(),
            note: None,
        });
        self.stages.last_mut().expect("it has just been added")
    }
}

impl StageRecord {
    fn describe_llvm(&mut self, level: Option<u8>, note: Option<String>) {
        self.about = "LLVM IR, as translated".to_owned();
        if let Some(level) = level {
            self.title = format!("llvm -O{level}");
            self.about = format!("LLVM IR after LLVM's optimizer at -O{level}");
        }
        self.note = note;
    }
}

/// The number of operations of each dialect, and of each kind in it.
fn counts(names: HashMap<&str, usize>) -> BTreeMap<String, BTreeMap<String, usize>> {
    let mut counts: BTreeMap<String, BTreeMap<String, usize>> = BTreeMap::new();
    for (name, count) in names {
        let dialect = name.split('.').next().unwrap_or(name);
        counts.entry(dialect.to_owned()).or_default().insert(name.to_owned(), count);
    }
    counts
}

/// The reason why the lines of a text have no origins, if they have none.
fn no_origin(is_mapped: bool, is_large: bool) -> Option<String> {
    let known = "The source lines of this text are not known";
    (!is_mapped).then(|| match is_large {
        true => format!("{known}: in a program of this size, finding them would cost too much."),
        false => format!("{known}."),
    })
}

/// The functions with their own place in the source.
fn placed(module: &Module, locations: &Locations) -> HashSet<String> {
    let everywhere = location::place(module.as_operation().location());
    let is_placed = |function: &OperationRef| {
        let place = location::place(function.location());
        place.is_some_and(|place| {
            place.start.0 > 0
                && locations.span_of_place(&place).is_some()
                && Some(&place) != everywhere.as_ref()
        })
    };
    let functions = ir::block_operations(module.body()).into_iter().filter(is_placed);
    functions.map(|function| ops::symbol_name(&function)).collect()
}

fn milliseconds(time: Duration) -> f64 {
    // Microseconds are enough.
    (time.as_secs_f64() * 1e6).round() / 1e3
}

/// A writer that stops at a limit.
#[derive(Default)]
struct Bounded {
    text: String,
    is_cut: bool,
}

impl std::fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        if self.text.len() + text.len() > parts::MAX_TEXT {
            self.is_cut = true;
            return Err(std::fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}
