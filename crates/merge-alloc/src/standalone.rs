//! The pass and its verifier for any project on melior.
//!
//! Input: a melior `Context`, and a module with functions on buffers. Output: the merged module, with the plan and the
//! remarks, or an [`Error`]. Invariant: nothing but melior's types and this crate's own is needed to call them.

use crate::plan::{MemoryPlan, collect};
use crate::{Options, default_stages, run_on, verify};
use melior::Context;
use melior::ir::Module;
use mlir_support::Locations;
use std::fmt;
use toy_diagnostics::Diagnostic;
use toy_diagnostics::source::Source;

/// The result of [`merge`].
#[derive(Clone, Debug, Default)]
pub struct Merged {
    /// The places of all buffers in their allocations, in bytes, and their lifetimes.
    pub plan: MemoryPlan,
    /// A sentence for each buffer that stays as it is because of an operation that is not known.
    pub remarks: Vec<String>,
}

/// An error of [`merge`] or [`check`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// A sentence for each error, at least one.
    pub messages: Vec<String>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str(&self.messages.join("; "))
    }
}

impl std::error::Error for Error {}

impl From<Vec<Diagnostic>> for Error {
    fn from(diagnostics: Vec<Diagnostic>) -> Self {
        Self { messages: messages(diagnostics) }
    }
}

/// Merges the buffers of all functions of a module, after bufferization and before deallocation.
///
/// # Errors
///
/// The merged allocation is larger than [`Options::capacity`], a function's callers would have to pass more bytes than
/// there can be, or with [`Options::strict`] an operation is not known. The module may then be merged in part.
pub fn merge<'c>(
    context: &'c Context,
    module: &Module<'c>,
    options: &Options,
) -> Result<Merged, Error> {
    let mut outcome = crate::Outcome { plans: Some(Vec::new()), ..Default::default() };
    with_locations(|locations| {
        default_stages(options, |stages| {
            run_on(context, locations, module, options, stages, &mut outcome)
        })
    })?;
    let plan = collect::joined(outcome.plans.into_iter().flatten());
    Ok(Merged { plan, remarks: messages(outcome.remarks) })
}

/// Verifies that buffers that share memory in a merged allocation are never in use at the same time.
///
/// The verifier shares no code with [`merge`]. It has to run before `cse`.
///
/// # Errors
///
/// A message for each pair of buffers that clash, and for each that iterations of a parallel loop would share.
pub fn check(module: &Module) -> Result<(), Error> {
    Ok(with_locations(|locations| verify::check(module, locations))?)
}

/// Locations without a source: a stranger's program is not text of ours.
fn with_locations<T>(work: impl FnOnce(&Locations) -> T) -> T {
    let source = Source::new("module", "");
    work(&Locations { source: &source, file: "" })
}

fn messages(diagnostics: Vec<Diagnostic>) -> Vec<String> {
    let notes = |diagnostic: &Diagnostic| diagnostic.notes.join("; ");
    let text = |diagnostic: Diagnostic| match notes(&diagnostic) {
        notes if notes.is_empty() => diagnostic.message,
        notes => format!("{} ({notes})", diagnostic.message),
    };
    diagnostics.into_iter().map(text).collect()
}
