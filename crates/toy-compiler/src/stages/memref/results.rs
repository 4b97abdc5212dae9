//! The results of functions, whose types bufferization and the passes after it change.
//!
//! Input: a module. Output: an attribute with the results of public functions that were tensors, for
//! deallocation; and upstream's passes on results, run so that some functions keep their types.

use crate::dialect::ops;
use melior::ir::attribute::{DenseI64ArrayAttribute, StringAttribute};
use melior::ir::operation::OperationRef;
use melior::ir::{Module, Type, TypeLike};
use mlir_support::ir;
use mlir_support::pass::{PassContext, run_upstream};
use std::collections::HashSet;
use toy_diagnostics::Diagnosed;

/// The attribute of a public function with the results that were tensors.
pub const TENSOR_RESULTS: &str = "toyc.tensor_results";

/// Before bufferization: notes the results of public functions that are values.
pub fn note_tensor_results<'c>(context: &PassContext<'c>, module: &Module<'c>) {
    for function in ops::definitions(module) {
        let tensors: Vec<i64> = result_types(function)
            .into_iter()
            .enumerate()
            .filter(|(_, ty)| ty.is_ranked_tensor() || ty.is_unranked_tensor())
            .map(|(index, _)| index as i64)
            .collect();
        if !tensors.is_empty() && !ops::is_private(&function) {
            let tensors = DenseI64ArrayAttribute::new(context.session.context(), &tensors).into();
            ir::set_attribute(function, TENSOR_RESULTS, tensors);
        }
    }
}

/// Runs an upstream pass that changes the types of private functions, but keeps the types of functions whose
/// address is taken and of those that satisfy `is_fixed`.
pub fn with_fixed_types<'c>(
    context: &PassContext<'c>,
    module: &mut Module<'c>,
    is_fixed: fn(OperationRef) -> bool,
    pass: &str,
) -> Diagnosed<()> {
    let operations = ir::operations(module.as_operation()).into_iter();
    let constants = operations.filter(|operation| ir::name(operation) == "func.constant");
    let names: HashSet<String> = constants
        .filter_map(|constant| ops::attribute(&constant, "value").and_then(ir::symbol_value))
        .collect();
    let mut functions = ops::definitions(module);
    functions.retain(|function| {
        ops::is_private(function)
            && (is_fixed(*function) || names.contains(&ops::symbol_name(function)))
    });
    functions.iter().for_each(|function| ir::remove_attribute(*function, "sym_visibility"));
    let public: HashSet<_> = functions.iter().map(ops::symbol_name).collect();
    run_upstream(context, module, pass)?;
    let private = StringAttribute::new(context.session.context(), "private").into();
    for function in ops::definitions(module) {
        if !public.is_empty() && public.contains(&ops::symbol_name(&function)) {
            ir::set_attribute(function, "sym_visibility", private);
        }
    }
    Ok(())
}

pub fn result_types<'c>(function: OperationRef<'c, '_>) -> Vec<Type<'c>> {
    ops::function_type(&function).map(ops::results).unwrap_or_default()
}
