//! The call hierarchy: the callers and the callees of a function.
//!
//! Input: a position, or an item that an earlier answer had, which is found again by its place. Output: items, with the
//! places of the calls. Builtins are not part of it.

use super::View;
use super::symbols;
use crate::names::{Kind, Place, Role, Target};
use gen_lsp_types::{
    CallHierarchyIncomingCall, CallHierarchyItem, CallHierarchyOutgoingCall, Position, Range,
    SymbolKind,
};
use std::collections::BTreeMap;

/// The function at a position, or the one that is called there.
pub fn prepare(view: &View, position: Position) -> Option<Vec<CallHierarchyItem>> {
    function_at(view, position).map(|function| vec![item(view, function)])
}

/// The functions that call this one.
pub fn incoming(view: &View, of: &CallHierarchyItem) -> Option<Vec<CallHierarchyIncomingCall>> {
    let function = function_at(view, of.selection_range.start)?;
    let calls = calls(view).filter(|(_, _, callee)| *callee == function);
    let callers = grouped(view, calls.map(|(place, caller, _)| (caller, place)));
    let call = |(from, from_ranges)| CallHierarchyIncomingCall { from, from_ranges };
    Some(callers.map(call).collect())
}

/// The functions that this one calls.
pub fn outgoing(view: &View, of: &CallHierarchyItem) -> Option<Vec<CallHierarchyOutgoingCall>> {
    let function = function_at(view, of.selection_range.start)?;
    let calls = calls(view).filter(|(_, caller, _)| *caller == function);
    let callees = grouped(view, calls.map(|(place, _, callee)| (callee, place)));
    let call = |(to, from_ranges)| CallHierarchyOutgoingCall { to, from_ranges };
    Some(callees.map(call).collect())
}

fn function_at(view: &View, position: Position) -> Option<usize> {
    let names = &view.analysis.names;
    let place = names.at(view.offset(position));
    let (index, definition) = place.and_then(|place| names.definition(place))?;
    (definition.kind == Kind::Function).then_some(index)
}

/// Each call of a function: its place, the calling function, and the called one.
fn calls<'v>(view: &'v View) -> impl Iterator<Item = (&'v Place, usize, usize)> {
    let names = &view.analysis.names;
    names.places.iter().filter(|place| place.role == Role::Call).filter_map(|place| {
        let Target::Definition(callee) = place.target else { return None };
        let is_function = names.definitions[callee].kind == Kind::Function;
        let caller = names.function_at(place.span.start).filter(|_| is_function)?;
        Some((place, caller, callee))
    })
}

/// The functions of calls, in their order, each with the ranges of its calls.
fn grouped<'v>(
    view: &'v View,
    calls: impl Iterator<Item = (usize, &'v Place)>,
) -> impl Iterator<Item = (CallHierarchyItem, Vec<Range>)> {
    let mut groups: BTreeMap<usize, Vec<Range>> = BTreeMap::new();
    for (function, place) in calls {
        groups.entry(function).or_default().push(view.range(place.span));
    }
    groups.into_iter().map(move |(function, ranges)| (item(view, function), ranges))
}

fn item(view: &View, function: usize) -> CallHierarchyItem {
    let definition = &view.analysis.names.definitions[function];
    CallHierarchyItem {
        name: symbols::shown_name(definition),
        kind: SymbolKind::Function,
        tags: None,
        detail: symbols::detail(view, function, definition),
        uri: view.document.uri.clone(),
        range: view.range(definition.whole.to(definition.span)),
        selection_range: view.range(definition.span),
        data: None,
    }
}
