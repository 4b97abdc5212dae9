//! Merged allocations on the stack: small ones of functions that are active once at most.
//!
//! Input: the functions of a module, and the names that something in it refers to. Output: the bytes that each function
//! may have on the stack ([`Stack::room`]). A merged buffer does not escape, so it is not used after its function has
//! returned; it remains to ensure that the stack is large enough.
//!
//! Deny by default. A function may have memory there if all of this holds:
//!
//! * it is a `func.func` of the host: no `gpu.module` or other unknown operation is around it, and no
//!   attribute changes how it is called;
//! * nothing in the module refers to it: it is at the top of its call tree, and not in a cycle of calls. So of a chain
//!   of 10,000 functions one has memory on the stack;
//! * nothing outside calls it while it is active: neither it nor its direct and indirect callees call a function
//!   without a body that the options do not name, or contain an operation that may be such a call. `main` is exempt,
//!   because it starts once.
//!
//! The memory is allocated in the function's entry block, to which no branch leads: loops do not allocate. Memory that
//! is allocated for each iteration of a parallel loop stays on the heap.

use crate::analysis::body::Body;
use crate::call_tree::{has_only, is_plain};
use crate::stages::trace::Trace;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::func::{callee, is_function, symbol_name};
use mlir_support::ir;
use std::collections::{HashMap, HashSet};

/// The bytes that functions may have on the stack.
#[derive(Default)]
pub struct Stack {
    most: u64,
    /// The addresses of the functions that may have any.
    functions: HashSet<usize>,
}

impl Stack {
    /// Analyzes the functions of a module, by symbol tables; `uses` are the names that something other than their
    /// `func.call`s refers to, and `leaves` the declared functions that call nothing of the module.
    pub fn of(tables: &[Vec<Body>], uses: &HashSet<String>, leaves: &[String], most: u64) -> Self {
        let mut called = uses.clone();
        for body in tables.iter().flatten() {
            called.extend(calls(body).filter_map(|call| callee(&call)));
        }
        let mut functions = HashSet::new();
        for bodies in tables {
            let reentered = may_be_reentered(bodies, leaves);
            for (body, reentered) in bodies.iter().zip(reentered) {
                let name = symbol_name(&body.function);
                let is_once = !called.contains(&name) && (name == "main" || !reentered);
                if is_once && is_of_host(body) {
                    functions.insert(ir::id(body.function));
                }
            }
        }
        Self { most, functions }
    }

    /// The most bytes that a function may have on the stack.
    pub fn room(&self, body: &Body) -> u64 {
        if self.functions.contains(&ir::id(body.function)) { self.most } else { 0 }
    }
}

/// True if the memory for some buffers may be in that much of the stack, if a plan says that it fits.
pub fn may_hold(trace: &Trace, room: u64) -> bool {
    let is_own = trace.scope.entry.is_none() && trace.space.is_none() && !trace.is_workspace;
    // No plan is smaller than the largest buffer, or aligned less.
    let mut buffers = trace.buffers.iter();
    is_own && buffers.all(|buffer| buffer.size.max(buffer.alignment) <= room)
}

/// For each function, true if it may be called from outside of the module before it has returned.
fn may_be_reentered(bodies: &[Body], leaves: &[String]) -> Vec<bool> {
    let names = bodies.iter().map(|body| symbol_name(&body.function));
    let numbers: HashMap<String, usize> = names.zip(0..).collect();
    let mut callers = vec![Vec::new(); bodies.len()];
    let mut pending = Vec::new();
    for (number, body) in bodies.iter().enumerate() {
        for call in calls(body) {
            match callee(&call) {
                Some(name) if numbers.contains_key(&name) => callers[numbers[&name]].push(number),
                Some(name) if leaves.contains(&name) => {}
                _ => pending.push(number),
            }
        }
        if body.entries.iter().any(|entry| may_call(ir::name(&entry.operation))) {
            pending.push(number);
        }
    }
    let mut reentered = vec![false; bodies.len()];
    while let Some(number) = pending.pop() {
        if !std::mem::replace(&mut reentered[number], true) {
            pending.extend(&callers[number]);
        }
    }
    reentered
}

fn calls<'b, 'c: 'a, 'a: 'b>(
    body: &'b Body<'c, 'a>,
) -> impl Iterator<Item = OperationRef<'c, 'a>> + 'b {
    let operations = body.entries.iter().map(|entry| entry.operation);
    operations.filter(|operation| ir::name(operation) == "func.call")
}

/// True if an operation other than `func.call` may call a function: all except operations of dialects that only
/// compute, move data and branch.
fn may_call(name: &str) -> bool {
    const NEVER: &str =
        "affine arith bufferization cf complex index linalg math memref scf tensor ub vector";
    let dialect = name.split('.').next().unwrap_or_default();
    NEVER.split(' ').all(|known| known != dialect)
        && !["func.call", "func.return", "func.constant"].contains(&name)
}

/// True if a function runs on the host's stack: only plain modules are around it, and its attributes are known.
fn is_of_host(body: &Body) -> bool {
    let mut around = body.function.parent_operation();
    while let Some(module) = around {
        if ir::name(&module) != "builtin.module" {
            return false;
        }
        around = module.parent_operation();
    }
    is_function(&body.function)
        && has_only(body, |name| is_plain(name) || name == "llvm.emit_c_interface")
}
