//! Scopes: the places of merged allocations.
//!
//! Input: a function, and an operation in it that needs memory. Output: the scope around it, or the reason why its
//! memory cannot move out of the operations around it. Loops and branches are not scopes.

use crate::analysis::body::Body;
use crate::analysis::effects::RegionKind;
use melior::ir::BlockRef;
use melior::ir::operation::OperationRef;
use mlir_support::func::entry_block;
use mlir_support::ir;

/// The place of a merged allocation.
#[derive(Clone, Copy)]
pub struct Scope<'c, 'a> {
    /// Its number among all scopes of the module.
    pub id: i64,
    /// The operation's entry; None for the function.
    pub entry: Option<usize>,
    /// The operation that is the scope, or the function.
    pub owner: OperationRef<'c, 'a>,
    /// The block at whose start the allocation is made.
    pub block: BlockRef<'c, 'a>,
}

/// The reason why an allocation stays if an operation around it is not in the table.
pub const UNKNOWN_AROUND: &str = "an operation around it is not known to merge-alloc";

/// The first block of the nearest scope around an allocation. Loops and branches are not scopes.
pub fn scope<'c, 'a>(body: &Body<'c, 'a>, entry: usize) -> Result<Scope<'c, 'a>, &'static str> {
    if body.entries[entry].unknown.is_some() {
        return Err(UNKNOWN_AROUND);
    }
    let mut around = body.entries[entry].parent;
    while let Some(parent) = around {
        let outer = &body.entries[parent];
        match outer.region {
            Some(RegionKind::Scope) => {
                let block = ir::blocks_of(outer.operation, 0).first().copied();
                let block = block.ok_or("its scope is empty")?;
                let id = outer.scope.unwrap_or(0);
                return Ok(Scope { id, entry: Some(parent), owner: outer.operation, block });
            }
            Some(RegionKind::Loop | RegionKind::Branch) => around = outer.parent,
            Some(RegionKind::Body | RegionKind::Unknown) | None => {
                return Err("the operation around it keeps its allocations");
            }
        }
    }
    let block = entry_block(body.function).ok_or("the function has no body")?;
    Ok(Scope { id: body.scope, entry: None, owner: body.function, block })
}
