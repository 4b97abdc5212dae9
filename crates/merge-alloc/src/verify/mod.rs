//! verify-merged-allocs: buffers that overlap in a merged allocation are never in use at the same time.
//!
//! Input: a module after merge-alloc, its control flow structured or lowered. Output: the unchanged module, or a
//! diagnostic for each pair of buffers that clash, and for each buffer that iterations of a parallel loop would share.
//! The pass is the verifier of merge-alloc and shares no code with it: it does not use scopes, ticks and plans, but
//! finds lifetimes in the control-flow graph. It has to run before `cse`, which makes two buffers with one offset one
//! buffer with a longer life.
//!
//! 1. [`graph`]: the function as a graph; [`regions`] knows structured control flow;
//! 2. [`buffers`]: the buffers, and their places in the allocation;
//! 3. [`names`]: the operations that access a buffer, under any name;
//! 4. [`returned`]: the arguments that functions return, so that results of calls can be told apart; [`workspaces`]:
//!    the arguments that they divide into buffers of their own;
//! 5. [`flow`]: the lifetime of each buffer, the pairs that overlap, and the buffers shared by concurrent regions.
//!
//! Every allocation of bytes that a `memref.view` looks into counts as a merged one, and so does an
//! argument: a caller that passes part of its own merged allocation is checked by itself. A call
//! accesses all its arguments. Addresses that have become numbers are not followed.

mod bits;
mod buffers;
mod flow;
mod graph;
mod names;
mod regions;
mod returned;
mod workspaces;

use buffers::MergedBuffer;
use flow::{Clash, Shared};
use graph::Graph;
use melior::ir::Module;
use melior::ir::operation::OperationRef;
use mlir_support::func::{entry_block, symbol_name};
use mlir_support::pass::{PassContext, PassDefinition};
use mlir_support::{Locations, ir};
use names::Names;
use returned::Returned;
use toy_diagnostics::{Diagnosed, Diagnostic, codes};
use workspaces::Workspaces;

/// The most clashes to show of one function.
const SHOWN: usize = 10;

/// The functions that merge-alloc changes.
const FUNCTIONS: [&str; 2] = ["func.func", "gpu.func"];

/// The pass for textual pipelines.
pub const PASS: PassDefinition = PassDefinition::new(
    "verify-merged-allocs",
    "Checks that buffers of one merged allocation that are live at the same time do not overlap",
    run,
);

/// verify-merged-allocs: checks all functions of a module, and of modules in it. Errors are pairs of buffers that share
/// bytes and are in use at the same time, buffers that concurrent regions share, and buffers that escape or leave their
/// allocation.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    check(module, &context.locations)
}

/// The same with the places of a source.
pub fn check(module: &Module, locations: &Locations) -> Diagnosed<()> {
    let functions: Vec<_> = ir::operations(module.as_operation())
        .into_iter()
        .filter(|operation| FUNCTIONS.contains(&ir::name(operation)))
        .filter(|function| entry_block(*function).is_some())
        .map(|function| (function, Graph::of(function)))
        .collect();
    let callees = (Returned::of(&functions), Workspaces::of(&functions));
    let diagnostics: Vec<_> = functions
        .iter()
        .flat_map(|(function, graph)| check_function(*function, graph, &callees, locations))
        .collect();
    if diagnostics.is_empty() { Ok(()) } else { Err(diagnostics) }
}

fn check_function<'c, 'a>(
    function: OperationRef<'c, 'a>,
    graph: &Graph<'c, 'a>,
    (returned, workspaces): &(Returned, Workspaces),
    locations: &Locations,
) -> Vec<Diagnostic> {
    let buffers = buffers::of(function, graph, workspaces);
    let names = Names::of(graph, &buffers, returned, workspaces);
    let findings = Findings { function, graph, buffers: &buffers, locations };
    let outside = buffers.iter().filter(|buffer| buffer.bytes.end > buffer.size);
    let outside = outside.map(|buffer| findings.outside(buffer));
    let escapes = names.escapes.iter();
    let escapes = escapes.map(|(at, buffer)| findings.escape(*at, &buffers[*buffer]));
    let clashes = flow::clashes(graph, &buffers, &names);
    let clashes = clashes.iter().map(|clash| findings.clash(clash));
    let shared = flow::shared(graph, &buffers, &names);
    let shared = shared.iter().map(|shared| findings.shared(shared));
    outside.chain(escapes).chain(shared).chain(clashes).take(SHOWN).collect()
}

/// The errors of a function as diagnostics.
struct Findings<'f, 'c, 'a> {
    function: OperationRef<'c, 'a>,
    graph: &'f Graph<'c, 'a>,
    buffers: &'f [MergedBuffer<'c, 'a>],
    locations: &'f Locations<'f>,
}

impl Findings<'_, '_, '_> {
    fn clash(&self, clash: &Clash) -> Diagnostic {
        let (one, other) = (&self.buffers[clash.accessed], &self.buffers[clash.other]);
        let from = one.bytes.start.max(other.bytes.start);
        let to = one.bytes.end.min(other.bytes.end) - 1;
        let message = format!(
            "two merged buffers share the bytes {from} to {to}, and both are in use at one time"
        );
        let diagnostic = self.at(
            self.error(message),
            clash.at,
            "this accesses the first while the second is in use",
        );
        let diagnostic = self.part(diagnostic, one, "the first");
        self.part(diagnostic, other, "the second")
    }

    fn shared(&self, shared: &Shared) -> Diagnostic {
        let buffer = &self.buffers[shared.buffer];
        let around = ir::name(&self.graph.operations[shared.around]);
        let message = format!("`{around}` may run at once with itself, and shares a merged buffer");
        let diagnostic = self.error(message).help(format!(
            "allocate inside the `{around}`: then each of its executions has memory of its own"
        ));
        let diagnostic = self.at(
            diagnostic,
            shared.at,
            "each execution uses the same bytes of an allocation outside",
        );
        let arena = self.buffers.iter().find(|one| !one.is_view && one.arena == buffer.arena);
        match arena {
            Some(arena) => self.label_definition(diagnostic, arena, "the allocation"),
            None => diagnostic,
        }
    }

    fn escape(&self, at: usize, buffer: &MergedBuffer) -> Diagnostic {
        let message = "a merged buffer gets out of the function that merges it";
        let diagnostic = self.at(self.error(message), at, "the buffer is passed on here");
        self.label_definition(diagnostic, buffer, "it is made here")
    }

    fn outside(&self, buffer: &MergedBuffer) -> Diagnostic {
        let MergedBuffer { bytes, size, .. } = buffer;
        let message =
            format!("a merged buffer ends at byte {}, its allocation at {size}", bytes.end);
        self.label_definition(self.error(message), buffer, "the buffer is made here")
    }

    fn error(&self, message: impl Into<String>) -> Diagnostic {
        let note = format!("in the function `{}`", symbol_name(&self.function));
        Diagnostic::error(codes::WRONGLY_MERGED, message).note(note)
    }

    fn at(&self, diagnostic: Diagnostic, at: usize, message: &str) -> Diagnostic {
        self.locations.at(self.graph.operations[at]).label(diagnostic, message)
    }

    /// Adds a label that tells the two buffers apart.
    fn part(&self, diagnostic: Diagnostic, buffer: &MergedBuffer, which: &str) -> Diagnostic {
        let what = match buffer.definition {
            Some(_) if buffer.is_view => "is made here",
            Some(_) => "is all the bytes of this allocation",
            None => "is all the bytes of an argument",
        };
        self.label_definition(diagnostic, buffer, &format!("{which} {what}"))
    }

    /// The place of a buffer; an argument does not have one.
    fn label_definition(
        &self,
        diagnostic: Diagnostic,
        buffer: &MergedBuffer,
        message: &str,
    ) -> Diagnostic {
        match buffer.definition {
            Some(definition) => self.at(diagnostic, definition, message),
            None => self.locations.at(self.function).label(diagnostic, message),
        }
    }
}
