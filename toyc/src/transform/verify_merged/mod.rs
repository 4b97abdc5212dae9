//! verify-merged-allocs: buffers that overlap in a merged allocation are never in use at the same time.
//!
//! Input: a module after merge-alloc, its control flow structured or lowered. Output: the module as it
//! was, or a diagnostic for each pair of buffers that clash. The pass is the judge of merge-alloc and shares no code with it:
//! it knows nothing of scopes, ticks and plans, but looks for lifetimes in the graph of control flow.
//! It has to run before `cse`: two buffers in the same place are one afterwards, which lives too long.
//!
//! 1. [`graph`]: the function as a graph; [`regions`] knows what structured control flow does;
//! 2. [`buffers`]: what is a buffer, and where it is in its allocation;
//! 3. [`names`]: which operations access it, under any name;
//! 4. [`returned`]: which arguments functions return, so that results of calls can be told apart;
//! 5. [`flow`]: where each is in use, and which of those overlap.
//!
//! Every allocation of bytes that a `memref.view` looks into is taken for a merged one, and so is an
//! argument: a caller that passes part of its own merged allocation is looked at by itself. A call
//! accesses whatever it is given. Addresses that have become numbers are not followed.

mod bits;
mod buffers;
mod flow;
mod graph;
mod names;
mod regions;
mod returned;

use crate::diagnostic::{Diagnosed, Diagnostic, codes};
use crate::dialect::complaints::primary;
use crate::dialect::ops::{entry_block, symbol_name};
use crate::mlir::pass::{PassContext, PassDefinition};
use crate::mlir::{Locations, raw};
use buffers::Buffer;
use flow::Clash;
use graph::Graph;
use melior::ir::Module;
use melior::ir::operation::OperationRef;
use names::Names;
use returned::Returned;

/// The most clashes to show of one function.
const SHOWN: usize = 10;

/// What merge-alloc merges in.
const FUNCTIONS: [&str; 2] = ["func.func", "gpu.func"];

pub const PASS: PassDefinition = PassDefinition::new(
    "verify-merged-allocs",
    "Checks that buffers of one merged allocation that are live at the same time do not overlap",
    run,
);

/// Looks at all functions of a module, and of modules in it.
pub fn run<'c>(context: &PassContext<'c>, module: &Module<'c>) -> Diagnosed<()> {
    let functions: Vec<_> = raw::operations(module.as_operation())
        .into_iter()
        .filter(|operation| FUNCTIONS.contains(&raw::name(operation)))
        .filter(|function| entry_block(*function).is_some())
        .map(|function| (function, Graph::of(function)))
        .collect();
    let returned = Returned::of(&functions);
    let diagnostics: Vec<_> = functions
        .iter()
        .flat_map(|(function, graph)| check(*function, graph, &returned, &context.locations))
        .collect();
    if diagnostics.is_empty() { Ok(()) } else { Err(diagnostics) }
}

fn check<'c, 'a>(
    function: OperationRef<'c, 'a>,
    graph: &Graph<'c, 'a>,
    returned: &Returned,
    locations: &Locations,
) -> Vec<Diagnostic> {
    let buffers = buffers::of(function, graph);
    let names = Names::of(graph, &buffers, returned);
    let complaints = Complaints { function, graph, buffers: &buffers, locations };
    let outside = buffers.iter().filter(|buffer| buffer.bytes.end > buffer.size);
    let outside = outside.map(|buffer| complaints.outside(buffer));
    let escapes = names.escapes.iter();
    let escapes = escapes.map(|(at, buffer)| complaints.escape(*at, &buffers[*buffer]));
    let clashes = flow::clashes(graph, &buffers, &names);
    let clashes = clashes.iter().map(|clash| complaints.clash(clash));
    outside.chain(escapes).chain(clashes).take(SHOWN).collect()
}

/// What there may be to say about a function.
struct Complaints<'f, 'c, 'a> {
    function: OperationRef<'c, 'a>,
    graph: &'f Graph<'c, 'a>,
    buffers: &'f [Buffer<'c, 'a>],
    locations: &'f Locations<'f>,
}

impl Complaints<'_, '_, '_> {
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

    fn escape(&self, at: usize, buffer: &Buffer) -> Diagnostic {
        let message = "a merged buffer gets out of the function that merges it";
        let diagnostic = self.at(self.error(message), at, "the buffer is passed on here");
        self.born(diagnostic, buffer, "it is made here")
    }

    fn outside(&self, buffer: &Buffer) -> Diagnostic {
        let Buffer { bytes, size, .. } = buffer;
        let message =
            format!("a merged buffer ends at byte {}, its allocation at {size}", bytes.end);
        self.born(self.error(message), buffer, "the buffer is made here")
    }

    fn error(&self, message: impl Into<String>) -> Diagnostic {
        let note = format!("in the function `{}`", symbol_name(&self.function));
        Diagnostic::error(codes::WRONGLY_MERGED, message).note(note)
    }

    fn at(&self, diagnostic: Diagnostic, at: usize, message: &str) -> Diagnostic {
        primary(diagnostic, self.graph.operations[at], message.to_owned(), self.locations)
    }

    /// Says which of two buffers this is.
    fn part(&self, diagnostic: Diagnostic, buffer: &Buffer, which: &str) -> Diagnostic {
        let what = match buffer.birth {
            Some(_) if buffer.is_view => "is made here",
            Some(_) => "is all the bytes of this allocation",
            None => "is all the bytes of an argument",
        };
        self.born(diagnostic, buffer, &format!("{which} {what}"))
    }

    /// The place of a buffer; an argument has none.
    fn born(&self, diagnostic: Diagnostic, buffer: &Buffer, message: &str) -> Diagnostic {
        match buffer.birth {
            Some(birth) => self.at(diagnostic, birth, message),
            None => primary(diagnostic, self.function, message.to_owned(), self.locations),
        }
    }
}
