//! Whole call trees share: which functions get the memory of their temporaries from their callers.
//!
//! Input: the functions of a symbol table, and what else in the module has names of functions. Output: an order with callees
//! before callers, and who takes a *workspace*: its merged allocation becomes its last argument,
//! and each call passes a buffer of that many bytes, which is a buffer of the caller in use at the
//! tick of the call. Functions at the top of the tree allocate for all.
//!
//! Deny by default. A function takes a workspace if all of this holds:
//!
//! * it is private, has a body, and no attributes but those of every function;
//! * it is called, and every use of its name is a `func.call` without attributes of its own, in a place where an
//!   allocation would have a scope;
//! * neither it nor one of its callers is in a cycle of calls, where the callers of callers would
//!   hold the memory of all of them;
//! * none of its callers frees memory by hand, and so would have to free this one.

use super::body::Body;
use super::by_hand;
use super::mergeable;
use super::sizes::Footprint;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::func::{callee, is_private, symbol_name};
use mlir_support::raw;
use std::collections::{HashMap, HashSet};

/// The functions and what they pass each other.
pub struct CallTrees {
    /// Numbers of functions, callees before their callers but for cycles.
    pub order: Vec<usize>,
    /// Whether a function's merged allocation is to be an argument.
    takes_workspace: Vec<bool>,
    /// By the name of the function, the workspaces so far.
    workspaces: HashMap<String, Footprint>,
}

impl CallTrees {
    /// No workspaces; functions in the order of the text.
    pub fn none(bodies: &[Body]) -> Self {
        Self {
            order: (0..bodies.len()).collect(),
            takes_workspace: vec![false; bodies.len()],
            workspaces: HashMap::new(),
        }
    }

    /// The call trees of the functions in a symbol table.
    ///
    /// The names are those with [`other_uses`].
    pub fn of(bodies: &[Body], uses: &HashSet<String>) -> Self {
        let names: Vec<_> = bodies.iter().map(|body| symbol_name(&body.function)).collect();
        let numbers: HashMap<&str, usize> =
            names.iter().enumerate().map(|(number, name)| (name.as_str(), number)).collect();
        let by_hand =
            by_hand::managing_memory(&bodies.iter().map(|body| body.function).collect::<Vec<_>>());

        let mut takes_workspace: Vec<_> = bodies.iter().map(|body| is_simple(body)).collect();
        for (number, name) in names.iter().enumerate() {
            takes_workspace[number] &= !uses.contains(name);
        }
        let mut callees = Vec::new();
        let mut is_called = vec![false; bodies.len()];
        let mut is_refused = vec![false; bodies.len()];
        for (caller, body) in bodies.iter().enumerate() {
            let mut called = Vec::new();
            for entry in 0..body.entries.len() {
                let call = body.entries[entry].operation;
                if raw::name(&call) != "func.call" {
                    continue;
                }
                let number = callee(&call).and_then(|name| numbers.get(name.as_str()).copied());
                let Some(number) = number else { continue };
                called.push(number);
                is_called[number] = true;
                let is_good = call.attribute_count() == 1
                    && mergeable::scope(body, entry).is_ok()
                    && !by_hand.contains(&names[caller]);
                takes_workspace[number] &= is_good;
            }
            callees.push(called);
        }
        let (order, in_cycle) = callees_first(&callees);
        for caller in (0..bodies.len()).filter(|number| in_cycle[*number]) {
            is_refused[caller] = true;
            callees[caller].iter().for_each(|number| is_refused[*number] = true);
        }
        for (number, is_refused) in is_refused.into_iter().enumerate() {
            takes_workspace[number] &= is_called[number] && !is_refused;
        }
        Self { order, takes_workspace, workspaces: HashMap::new() }
    }

    pub fn takes_workspace(&self, function: usize) -> bool {
        self.takes_workspace[function]
    }

    /// What a call passes as its last argument from now on.
    pub fn workspace(&self, call: &OperationRef) -> Option<Footprint> {
        if self.workspaces.is_empty() || raw::name(call) != "func.call" {
            return None;
        }
        self.workspaces.get(&callee(call)?).copied()
    }

    /// Notes how much memory a function's callers are to pass.
    pub fn set_workspace(&mut self, function: OperationRef, footprint: Footprint) {
        self.workspaces.insert(symbol_name(&function), footprint);
    }
}

/// A private function that nothing is said about besides its name, its type and its arguments.
fn is_simple(body: &Body) -> bool {
    is_private(&body.function) && has_only(body, is_plain)
}

/// Whether the names of all attributes of a function are such ones.
pub fn has_only(body: &Body, is_known: impl Fn(&str) -> bool) -> bool {
    let mut attributes = body.function.attributes();
    attributes.all(|(name, _)| name.as_string_ref().as_str().is_ok_and(&is_known))
}

/// Whether an attribute of this name says nothing special about a function.
pub fn is_plain(name: &str) -> bool {
    ["sym_name", "function_type", "sym_visibility", "arg_attrs", "res_attrs", "no_inline"]
        .contains(&name)
        || name.starts_with("merge_alloc.")
}

/// The names that something in a module other than the calls in these functions refers to, in whatever
/// symbol table; None if a reference cannot be read.
pub fn other_uses<'b, 'c: 'a, 'a: 'b>(
    bodies: impl Iterator<Item = &'b Body<'c, 'a>>,
    module: OperationRef,
) -> Option<HashSet<String>> {
    let address = |operation: &OperationRef| operation.to_raw().ptr as usize;
    let entries = bodies.flat_map(|body| &body.entries).map(|entry| entry.operation);
    let calls: HashSet<usize> = entries
        .filter(|operation| raw::name(operation) == "func.call")
        .map(|call| address(&call))
        .collect();
    let (mut names, mut texts) = (HashSet::new(), Vec::new());
    for operation in raw::operations(module) {
        let is_call = calls.contains(&address(&operation));
        for (name, attribute) in operation.attributes() {
            if !(is_call && name.as_string_ref().as_str() == Ok("callee")) {
                raw::symbols(attribute, &mut names, &mut texts);
            }
        }
    }
    for text in texts {
        names.extend(names_in(&text)?);
    }
    Some(names)
}

/// The symbols in the text of an attribute; None if one is written with escapes.
pub fn names_in(text: &str) -> Option<Vec<String>> {
    let name = |text: &str| match text.strip_prefix('"') {
        Some(quoted) => {
            let name = quoted.split('"').next().unwrap_or(quoted);
            (!name.contains('\\')).then(|| name.to_owned())
        }
        None => {
            let is_part = |c: char| c.is_ascii_alphanumeric() || "_$.-".contains(c);
            Some(text.split(|c| !is_part(c)).next().unwrap_or(text).to_owned())
        }
    };
    text.split('@').skip(1).map(name).collect()
}

/// The functions, callees before their callers, and which of them are in cycles of calls: Tarjan's
/// algorithm, whose components come in this order.
fn callees_first(callees: &[Vec<usize>]) -> (Vec<usize>, Vec<bool>) {
    const NEW: usize = usize::MAX;
    let count = callees.len();
    let (mut found, mut lowest) = (vec![NEW; count], vec![NEW; count]);
    let (mut order, mut in_cycle) = (Vec::with_capacity(count), vec![false; count]);
    let (mut component, mut is_open) = (Vec::new(), vec![false; count]);
    let mut clock = 0;
    for root in 0..count {
        if found[root] != NEW {
            continue;
        }
        // The functions from the root to the current one, with the number of calls looked at.
        let mut path = vec![(root, 0)];
        while let Some((function, next)) = path.pop() {
            if next == 0 {
                (found[function], lowest[function]) = (clock, clock);
                clock += 1;
                component.push(function);
                is_open[function] = true;
            } else {
                // The call before has been gone through.
                let callee = callees[function][next - 1];
                if is_open[callee] {
                    lowest[function] = lowest[function].min(lowest[callee]);
                }
            }
            let Some(&callee) = callees[function].get(next) else {
                if lowest[function] == found[function] {
                    let start = component.iter().rposition(|member| *member == function);
                    let members = component.split_off(start.unwrap_or(0));
                    let is_cycle = members.len() > 1 || callees[function].contains(&function);
                    for member in members {
                        is_open[member] = false;
                        in_cycle[member] = is_cycle;
                        order.push(member);
                    }
                }
                continue;
            };
            path.push((function, next + 1));
            if found[callee] == NEW {
                path.push((callee, 0));
            }
        }
    }
    (order, in_cycle)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn orders() {
        for (callees, order, cycles) in [
            (vec![vec![1, 2], vec![2], vec![]], vec![2, 1, 0], vec![]),
            (vec![vec![], vec![0, 0], vec![1, 0]], vec![0, 1, 2], vec![]),
            (vec![vec![0]], vec![0], vec![0]),
            // 1 and 2 call each other, 2 calls itself, too; 3 is called from there.
            (vec![vec![1], vec![3, 2], vec![2, 1], vec![]], vec![3, 1, 2, 0], vec![1, 2]),
        ] {
            let (found, in_cycle) = callees_first(&callees);
            assert_eq!(found, order, "{callees:?}");
            let in_cycle: Vec<_> = (0..callees.len()).filter(|number| in_cycle[*number]).collect();
            assert_eq!(in_cycle, cycles, "{callees:?}");
        }
    }

    #[test]
    fn symbols_in_texts() {
        let names = |text| names_in(text).map(|names| names.join(" "));
        assert_eq!(names("#a.b<@f, x = @g$1x2::@\"h i\">").as_deref(), Some("f g$1x2 h i"));
        assert_eq!(names("none").as_deref(), Some(""));
        assert_eq!(names("@\"a\\22\""), None);
    }

    #[test]
    fn a_long_chain() {
        let count = 100_000;
        let callees: Vec<Vec<usize>> =
            (0..count).map(|at: usize| at.checked_sub(1).into_iter().collect()).collect();
        let (order, _) = callees_first(&callees);
        assert_eq!(order, (0..count).collect::<Vec<_>>());
    }
}
