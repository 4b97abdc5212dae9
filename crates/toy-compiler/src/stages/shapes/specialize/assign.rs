//! Assignments: the new value of a variable has the shape of the old one.
//!
//! Input: a `toy.assign`. Output: once its operands are inferred, the operation is gone, and the new value is in its
//! place; after an error, it has the old shape, so that there is only one.

use super::Specializer;
use crate::dialect::ops;
use crate::dialect::shape::{TensorType, type_of};
use crate::dialect::structs::{fields, is_open, join};
use crate::dialect::{control, conversions};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Type, Value, ValueLike};
use mlir_support::ir;
use toy_diagnostics::{Diagnostic, codes};

impl<'c, 'a> Specializer<'c, 'a> {
    pub(super) fn assign(&mut self, operation: OperationRef<'c, 'a>) {
        let (Ok(new), Ok(old)) = (operation.operand(0), operation.operand(1)) else { return };
        let (new, old) = (ops::source(new), ops::source(old));
        // Not known yet, or the trace of an error that has been reported: it can only have the shape of the old one.
        if is_open(new.r#type()) || is_open(old.r#type()) {
            let result = ops::result(operation);
            if let Some(joined) = join(self.context, result.r#type(), old.r#type()) {
                result.set_type(joined);
            }
            return;
        }
        if let Some((found, wanted)) = difference(new.r#type(), old.r#type()) {
            let diagnostic = self.shape_changed(operation, [&found, &wanted], ops::origin(old));
            self.report(diagnostic);
            return ops::result(operation).set_type(old.r#type());
        }
        ir::replace_all_uses(ops::result(operation), new);
        ir::erase(operation);
    }

    fn shape_changed(
        &self,
        operation: OperationRef,
        types @ [found, wanted]: [&TensorType; 2],
        old: Value,
    ) -> Diagnostic {
        let name = control::assigned_name(operation).unwrap_or_default();
        let name = if name.is_empty() { "the variable".to_owned() } else { format!("`{name}`") };
        let element = (found.shape == wanted.shape).then_some(wanted.element);
        let [found, wanted] = types.map(|ty| match element {
            Some(_) => ty.element.name().to_owned(),
            None => described(ty),
        });
        let message = format!("{name} is {wanted}, and cannot become {found}");
        let at = self.locations.at(operation);
        let diagnostic = at.error(codes::SHAPE_CHANGED, message, format!("this value is {found}"));
        let diagnostic =
            at.label_value(diagnostic, old, format!("{name} is {wanted} because of this"));
        let Some(element) = element else {
            return diagnostic.help("a variable keeps its shape: define another one with `var`");
        };
        let name = element.name();
        let help = format!("a variable keeps its element type: convert the value, `{name}(...)`");
        // Fields of a struct are not converted together.
        let is_tensor = type_of(old.r#type()).is_some();
        let edits = is_tensor.then(|| conversions::of_operand(at, 0, element));
        diagnostic.fixes(help, edits.unwrap_or_default())
    }
}

/// The first tensors in two types that are known and differ.
fn difference(new: Type, old: Type) -> Option<(TensorType, TensorType)> {
    if let (Some(new), Some(old)) = (fields(new), fields(old)) {
        return new.into_iter().zip(old).find_map(|(new, old)| difference(new, old));
    }
    let (new, old) = (type_of(new)?, type_of(old)?);
    (new != old).then_some((new, old))
}

fn described(ty: &TensorType) -> String {
    if *ty == TensorType::default() { "a scalar".to_owned() } else { format!("of shape {ty}") }
}
