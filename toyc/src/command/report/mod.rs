//! One compilation as a page: `--report=FILE.html`.
//!
//! Input: the events of the compilation, through an observer of the driver, so that the page shows exactly
//! this compilation. Output: [`page`], one self-contained HTML file. Invariants: recording does not
//! affect the compilation; the same compilation gives the same page, except for the durations,
//! which are all in elements of the class `t`; the page's size is bounded ([`MAX_LINES`],
//! [`MAX_LINE`]); text of the program is always escaped.

mod calls;
mod diff;
mod highlight;
mod html;
mod origin;
mod twin;

pub use diff::common as common_lines;
pub use html::page;
pub use twin::Twin;

use crate::dialect::ops;
use crate::memory_plan::MemoryPlan;
use crate::pipeline::Stage;
use calls::Call;
use highlight::Language;
use melior::ir::Module;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::Locations;
use mlir_support::session::{Printing, print_module};
use mlir_support::{location, raw};
use origin::Origin;
use std::collections::{BTreeMap, HashSet};
use std::hash::{DefaultHasher, Hasher};
use std::ops::Range;
use std::time::Duration;
use toy_diagnostics::source::Source;
use toy_syntax::{self, ast};

/// The most lines of a stage that the page shows.
pub const MAX_LINES: usize = 2_000;

/// The most characters of a line that the page shows.
pub const MAX_LINE: usize = 1_000;

/// In larger programs, it is not determined which passes changed something: that requires printing after each.
const MAX_WATCHED: usize = 1 << 20;

/// All data that the page shows.
pub struct Report {
    /// The name of the source file.
    pub input: String,
    /// The command that makes the same program.
    pub command: String,
    pub target: String,
    pub source: Text,
    pub is_mlir: bool,
    pub stages: Vec<StageRecord>,
    calls: Vec<Call>,
    /// The functions of the LLVM dialect that have a location in the source.
    placed: HashSet<String>,
    plan: Option<MemoryPlan>,
    /// The files that were made, with their sizes in bytes.
    pub made: Vec<(&'static str, u64)>,
    /// The steps since the previous stage.
    pending: Vec<Step>,
    /// Of the module after the previous pass.
    digest: Option<u64>,
}

/// The program at one stage.
pub struct StageRecord {
    /// Its name for `-emit=`.
    pub name: &'static str,
    pub title: String,
    pub about: String,
    pub language: Language,
    pub text: Text,
    /// The passes and other steps that made it from the previous stage.
    pub steps: Vec<Step>,
    /// The number of operations of each dialect, and of each kind in it.
    pub operations: BTreeMap<String, BTreeMap<String, usize>>,
    /// Whether the previous stage is a text in the same language.
    pub is_comparable: bool,
    /// Lines of the runtime, which are left out: before which of the shown lines, and how many.
    pub gaps: Vec<(usize, usize)>,
    /// A note for lines without known origin.
    pub note: Option<&'static str>,
}

/// A step of the compilation.
#[derive(Clone, Debug)]
pub struct Step {
    pub name: String,
    pub time: Duration,
    /// Whether a pass changed the program, if known.
    pub changed: Option<bool>,
}

/// The shown part of a text.
pub struct Text {
    pub lines: Vec<Line>,
    /// Of the whole text.
    pub count: usize,
    pub bytes: usize,
    pub digest: u64,
}

pub struct Line {
    /// Its number in the whole text, from 1.
    pub number: usize,
    pub text: String,
    pub origin: Origin,
}

impl Text {
    /// The lines of a text, each with its origin in the source; extra origins are ignored.
    fn new(text: &str, origins: Vec<Origin>) -> Self {
        Self::without(text, origins, &[])
    }

    /// The same without these ranges of the lines, counted from 0.
    fn without(text: &str, mut origins: Vec<Origin>, left_out: &[Range<usize>]) -> Self {
        let count = text.lines().count();
        origins.resize(count, Origin::default());
        let lines = text.lines().zip(origins).enumerate();
        let is_shown = |index| {
            let at = left_out.partition_point(|range| range.end <= index);
            left_out.get(at).is_none_or(|range| !range.contains(&index))
        };
        let lines = lines.filter(|(index, _)| is_shown(*index)).take(MAX_LINES);
        let line =
            |(index, (text, origin))| Line { number: index + 1, text: clipped(text), origin };
        Self { lines: lines.map(line).collect(), count, bytes: text.len(), digest: digest(text) }
    }
}

impl Report {
    pub fn new(source: &Source, command: String, target: String, is_mlir: bool) -> Self {
        Self {
            input: source.name.clone(),
            command,
            target,
            source: Text::new(&source.text, Vec::new()),
            is_mlir,
            stages: Vec::new(),
            calls: Vec::new(),
            placed: HashSet::new(),
            plan: None,
            made: Vec::new(),
            pending: Vec::new(),
            digest: None,
        }
    }

    /// Records a step that ended; its result is the next stage to be recorded.
    pub fn step(&mut self, name: &str, time: Duration) {
        self.pending.push(Step { name: name.to_owned(), time, changed: None });
    }

    /// Compares the program with the one before the last step, which was a pass.
    pub fn after_pass(&mut self, module: &Module) {
        if self.stages.last().is_some_and(|stage| stage.text.bytes > MAX_WATCHED) {
            return;
        }
        let now = digest(&printed(module, false));
        let before = self.digest.replace(now);
        if let Some(step) = self.pending.last_mut() {
            step.changed = before.map(|before| before != now);
        }
    }

    pub fn tokens(&mut self, text: &str) {
        let origins = text.lines().map(origin::of_token).collect();
        self.stage(Stage::Tokens, Language::Tokens, Text::new(text, origins));
    }

    pub fn tree(&mut self, program: &ast::Module, source: &Source) {
        // The text of the tree may be quadratic in the size of the program.
        let mut text = Bounded::default();
        let _ = toy_syntax::dump::dump_to(program, source, &mut text);
        let origins = origin::of_tree(&text.text, &source.name);
        let mut shown = Text::new(&text.text, origins);
        shown.count += usize::from(text.is_cut);
        self.stage(Stage::Ast, Language::Tree, shown);
    }

    /// The program before the first pass.
    pub fn start(&mut self, module: &Module) {
        self.digest = Some(digest(&printed(module, false)));
    }

    pub fn module(&mut self, stage: Stage, module: &Module, locations: &Locations) {
        let text = printed(module, false);
        let origins = origin::of_mlir(&text, &printed(module, true), locations.file);
        self.digest = Some(digest(&text));
        self.stage(stage, Language::Mlir, Text::new(&text, origins));
        let Some(record) = self.stages.last_mut() else { return };
        for operation in raw::operations(module.as_operation()) {
            let name = raw::name(&operation);
            let dialect = name.split('.').next().unwrap_or(name);
            let kinds = record.operations.entry(dialect.to_owned()).or_default();
            *kinds.entry(name.to_owned()).or_default() += 1;
        }
        if stage == Stage::Shapes {
            self.calls = calls::collect(module, locations);
        }
        if stage == Stage::MlirLlvm {
            let everywhere = location::place(module.as_operation().location());
            let is_placed = |function: &OperationRef| {
                let place = location::place(function.location());
                place.is_some_and(|place| {
                    place.start.0 > 0
                        && locations.span_of_place(&place).is_some()
                        && Some(&place) != everywhere.as_ref()
                })
            };
            let functions = raw::block_operations(module.body()).into_iter().filter(is_placed);
            self.placed = functions.map(|function| ops::symbol_name(&function)).collect();
        }
    }

    pub fn plan(&mut self, plan: &MemoryPlan) {
        self.plan = Some(plan.clone());
    }

    /// LLVM IR, before the optimizer or after it. The twin is the same program with line tables.
    pub fn llvm(&mut self, text: &str, twin: Option<&str>, file: &str, level: Option<u8>) {
        let origins = origin::of_llvm(text, twin.unwrap_or(text), file);
        let is_mapped = origins.is_some();
        let text = Text::new(text, origins.unwrap_or_default());
        self.stage(Stage::Llvm, Language::Llvm, text);
        let Some(record) = self.stages.last_mut() else { return };
        match level {
            None => {
                record.about = "LLVM IR, as translated".to_owned();
            }
            Some(level) => {
                record.title = format!("llvm -O{level}");
                record.about = format!("LLVM IR after LLVM's optimizer at -O{level}");
                record.is_comparable = true;
            }
        }
        record.note = (!is_mapped).then_some(NO_ORIGIN);
    }

    /// Assembly, with the names of the runtime's symbols in it.
    pub fn assembly(&mut self, text: &str, twin: Option<&str>, runtime: &[String]) {
        // If locations are in another file, the note is at LLVM IR already.
        let is_located = self.stages.last().is_some_and(|llvm| llvm.note.is_none());
        let origins = origin::of_assembly(text, twin.unwrap_or(text), &self.placed);
        let origins = origins.filter(|_| is_located);
        let is_mapped = origins.is_some();
        let left_out = origin::named_in_assembly(text, runtime);
        let text = Text::without(text, origins.unwrap_or_default(), &left_out);
        self.stage(Stage::Asm, Language::Assembly, text);
        let Some(record) = self.stages.last_mut() else { return };
        let mut before = 0;
        for range in left_out {
            record.gaps.push((range.start - before, range.len()));
            before += range.len();
        }
        record.note = (!is_mapped).then_some(NO_ORIGIN);
    }

    /// Records that a file of this many bytes was made.
    pub fn made(&mut self, what: &'static str, bytes: u64) {
        self.made.push((what, bytes));
    }

    fn stage(&mut self, stage: Stage, language: Language, text: Text) {
        let (name, about) = names(stage);
        let is_comparable = language == Language::Mlir
            && self.stages.last().is_some_and(|before| before.language == language);
        self.stages.push(StageRecord {
            name,
            title: name.to_owned(),
            about: about.to_owned(),
            language,
            text,
            steps: std::mem::take(&mut self.pending),
            operations: BTreeMap::new(),
            is_comparable,
            gaps: Vec::new(),
            note: None,
        });
    }
}

const NO_ORIGIN: &str = "The source lines of this text are not known.";

/// The title and the description of a stage on the page.
fn names(stage: Stage) -> (&'static str, &'static str) {
    match stage {
        Stage::Tokens => ("tokens", "The tokens of the program with their positions"),
        Stage::Ast => ("ast", "The syntax tree"),
        Stage::Toy => ("toy", "The Toy dialect; at -O1 and higher, canonicalized"),
        Stage::Shapes => {
            ("shapes", "After specialization: one function for each combination of shapes")
        }
        Stage::Linalg => ("linalg", "linalg on tensors; at -O1 and higher, fused"),
        Stage::Memref => ("memref", "After bufferization: tensors have become buffers"),
        Stage::Merged => ("merged", "After merge-alloc: buffers share memory at -O1 and higher"),
        Stage::Dealloc => ("dealloc", "After deallocation: every buffer is freed"),
        Stage::Loops => ("loops", "Loop nests on buffers"),
        Stage::MlirLlvm => ("mlir-llvm", "MLIR's LLVM dialect"),
        Stage::Llvm => ("llvm", "LLVM IR"),
        _ => ("asm", "Assembly, including the runtime library"),
    }
}

fn printed(module: &Module, locations: bool) -> String {
    let mut text = Vec::new();
    let printing = Printing { locations, ..Printing::default() };
    // Writing to memory does not fail.
    let _ = print_module(module, printing, &mut text);
    String::from_utf8_lossy(&text).into_owned()
}

fn digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    hasher.write(text.as_bytes());
    hasher.finish()
}

/// The shown part of a line.
fn clipped(line: &str) -> String {
    match line.char_indices().nth(MAX_LINE) {
        None => line.to_owned(),
        Some((end, _)) => {
            format!("{} … ({} more characters)", &line[..end], line[end..].chars().count())
        }
    }
}

/// A writer that stops at a limit.
#[derive(Default)]
struct Bounded {
    text: String,
    is_cut: bool,
}

impl std::fmt::Write for Bounded {
    fn write_str(&mut self, text: &str) -> std::fmt::Result {
        if self.text.len() + text.len() > MAX_WATCHED {
            self.is_cut = true;
            return Err(std::fmt::Error);
        }
        self.text.push_str(text);
        Ok(())
    }
}
