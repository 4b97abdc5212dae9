//! The specialization table: the function that each call was resolved to.
//!
//! Input: the module after specialization. Output: its calls in textual order.

use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Module, Type};
use mlir_support::{Locations, ir, location};
use serde::Serialize;
use std::collections::HashMap;
use toy_compiler::dialect::ops;
use toy_compiler::stages::shapes::specialize::key::Argument;
use toy_diagnostics::text::{clipped_to, printed};

/// A call and its callee.
#[derive(Serialize)]
pub struct Call {
    pub line: Option<u32>,
    /// The text of the call in the source.
    pub text: String,
    /// The function that contains the call, and the called function, with the shapes of their arguments.
    pub caller: String,
    /// The name of the function that contains the call.
    pub caller_symbol: String,
    pub instance: String,
    /// The name of the function that is called.
    pub symbol: String,
    /// The shapes of the results.
    pub results: String,
}

/// The most characters of a call that are quoted.
const QUOTED: usize = 60;

pub fn collect(module: &Module, locations: &Locations) -> Vec<Call> {
    let functions: Vec<OperationRef> =
        ir::block_operations(module.body()).into_iter().filter(ops::is_function).collect();
    let by_name: HashMap<String, OperationRef> =
        functions.iter().map(|function| (ops::symbol_name(function), *function)).collect();
    let mut calls = Vec::new();
    for function in &functions {
        for operation in ir::operations(*function) {
            if ir::name(&operation) != "func.call" {
                continue;
            }
            let Some(symbol) = ops::callee(&operation) else { continue };
            let Some(callee) = by_name.get(&symbol) else { continue };
            let place = location::place(operation.location()).filter(|place| place.start.0 > 0);
            let span = place.as_ref().and_then(|place| locations.span_of_place(place));
            let text = span.map_or("", |span| locations.source.snippet(span));
            let results = ops::function_type(callee).map(ops::results).unwrap_or_default();
            let shape =
                |ty: Type| Argument::of(ty).map_or_else(|| ty.to_string(), |it| it.to_string());
            let results: Vec<_> = results.into_iter().map(shape).collect();
            calls.push(Call {
                line: span.map(|span| locations.source.line_column(span.start).line),
                text: quoted(text),
                caller: readable(function),
                caller_symbol: ops::symbol_name(function),
                instance: readable(callee),
                symbol,
                results: results.join(", "),
            });
        }
    }
    calls
}

/// `f(2x3)`: the key that specialization records on a function, or else its name.
fn readable(function: &OperationRef) -> String {
    ops::string_attribute(function, "toy.specialization")
        .unwrap_or_else(|| ops::symbol_name(function))
}

/// The text on one line, clipped if it is long.
fn quoted(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    printed(&clipped_to(&text, QUOTED))
}
