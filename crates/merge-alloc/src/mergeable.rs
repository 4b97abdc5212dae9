//! The candidates: the allocations that can be merged, and their scopes.
//!
//! Input: a function. Output: the candidates, in the order of the text, and for each other allocation the reason why it
//! stays. Calls that are to pass a workspace are candidates, too.

use crate::analysis::body::Body;
use crate::analysis::effects;
use crate::analysis::sizes::{self, Footprint, HEAP};
use crate::call_tree::CallTrees;
use crate::options::{Options, Reuse};
use crate::scope::{Scope, scope};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::MemRefType;
use melior::ir::{Attribute, ShapedTypeLike, ValueLike};
use mlir_support::func::result;
use mlir_support::ir;

/// An allocation that can be merged if its buffer does not escape, or a call with a workspace.
pub struct Candidate<'c, 'a> {
    pub entry: usize,
    pub footprint: Footprint,
    pub space: Option<Attribute<'c>>,
    pub scope: Scope<'c, 'a>,
}

/// The candidates of a function, and the other allocations, each with the reason why it stays.
pub fn candidates<'c, 'a>(
    body: &Body<'c, 'a>,
    call_trees: &CallTrees,
    options: &Options,
) -> (Vec<Candidate<'c, 'a>>, Vec<(OperationRef<'c, 'a>, String)>) {
    let (mut candidates, mut others) = (Vec::new(), Vec::new());
    for entry in 0..body.entries.len() {
        let operation = body.entries[entry].operation;
        if let Some(footprint) = call_trees.workspace(&operation) {
            // Workspaces are requested only where there is a scope.
            if let Ok(scope) = scope(body, entry) {
                // The workspace has the alignment of the buffers in it.
                let least = if options.is_compact() { 1 } else { options.alignment };
                let alignment = footprint.alignment.max(least);
                let footprint = Footprint { alignment, ..footprint };
                candidates.push(Candidate { entry, footprint, space: None, scope });
            }
        }
        if ir::name(&operation) != "memref.alloc" {
            continue;
        }
        match candidate(body, entry, options) {
            Ok(candidate) => candidates.push(candidate),
            Err(reason) => others.push((operation, reason.to_owned())),
        }
    }
    (candidates, others)
}

fn candidate<'c, 'a>(
    body: &Body<'c, 'a>,
    entry: usize,
    options: &Options,
) -> Result<Candidate<'c, 'a>, &'static str> {
    let operation = body.entries[entry].operation;
    let ty = MemRefType::try_from(result(operation).r#type())
        .map_err(|_| "its result is not a memref")?;
    if operation.operand_count() > 0 || !ty.has_static_shape() {
        return Err("its size is not static");
    }
    if !ir::has_identity_layout(ty) {
        return Err("its layout is not the identity");
    }
    let layout = sizes::of_buffer(ty)
        .filter(|_| !(body.has_own_index && sizes::has_index(ty.element())))
        .ok_or("the size of its elements is not known")?;
    if layout.size == 0 {
        return Err("it has no elements");
    }
    let asked = match operation.has_attribute("alignment") {
        true => effects::alignment(&operation, "alignment")
            .ok_or("its alignment is not a power of two")?,
        false => 1,
    };
    let needed = asked.max(layout.alignment);
    let footprint = Footprint {
        size: layout.size,
        alignment: needed.max(options.alignment_of(layout.size)),
        least: needed.max(layout.size.checked_next_power_of_two().map_or(HEAP, |it| it.min(HEAP))),
        unmerged: layout.size.checked_next_multiple_of(needed.max(HEAP)).unwrap_or(u64::MAX),
    };
    let space = ty.memory_space();
    if let Some(space) = space {
        // Compares the texts: the option is read before there is a context.
        let text = space.to_string();
        if !options.memory_spaces.contains(&text) {
            return Err("its memory space is not among `memory-spaces`");
        }
        // Reuse would need a barrier between the last use of one buffer and the first of the next. Dialects differ in
        // how they write it. A number does not tell: 3 is such memory in the dialect `nvvm`, and something else in
        // other dialects.
        if text.to_ascii_lowercase().contains("workgroup") && options.reuse != Reuse::None {
            return Err("memory of a workgroup is merged with `reuse=none` only");
        }
    }
    let scope = scope(body, entry)?;
    Ok(Candidate { entry, footprint, space, scope })
}
