//! The lowering of one function at one place of its text: the meanings of its names, and the insertion point of
//! operations.
//!
//! Invariant: [`Scope::leave`] gives every name the meaning it had at the matching [`Scope::enter`], in
//! time that depends on the number of bindings in between, not on the number of names.

use super::Lowering;
use crate::dialect::ops::{self, Kind, ToyBuilder};
use crate::dialect::variable;
use melior::ir::{BlockRef, Type, TypeLike, Value, ValueLike};
use mlir_support::builder::{Builder, Insertion};
use std::collections::HashMap;
use std::ops::Deref;
use toy_diagnostics::source::Span;
use toy_syntax::ast::{self, Jump};
use toy_syntax::types;

/// The bindings of the names in one function.
pub(super) struct Scope<'c, 'a, 's> {
    module: &'a Lowering<'c, 's>,
    /// Operations are appended to this block.
    pub block: BlockRef<'c, 'a>,
    /// The types of variables.
    pub variables: types::Variables<'s>,
    /// The type of the function's result, without a shape.
    pub result: Option<Type<'c>>,
    /// The jumps that have a flag here, those that lead least far first.
    pub flags: Vec<Jump>,
    /// The values of variables; a loop variable's is an `index`.
    values: HashMap<&'s str, Value<'c, 'a>>,
    /// The previous meanings of the bound names.
    undo: Vec<(&'s str, Option<Value<'c, 'a>>)>,
}

/// A place to return to.
#[derive(Clone, Copy)]
pub struct Mark<'c, 'a> {
    block: BlockRef<'c, 'a>,
    undo: usize,
}

impl<'c, 's> Deref for Scope<'c, '_, 's> {
    type Target = Lowering<'c, 's>;

    fn deref(&self) -> &Self::Target {
        self.module
    }
}

impl<'c, 'a, 's> Scope<'c, 'a, 's> {
    pub fn new(
        module: &'a Lowering<'c, 's>,
        block: BlockRef<'c, 'a>,
        variables: types::Variables<'s>,
        result: Option<Type<'c>>,
    ) -> Self {
        let (flags, values, undo) = (Vec::new(), HashMap::new(), Vec::new());
        Self { module, block, variables, result, flags, values, undo }
    }

    /// Appends operations for a part of the text.
    pub fn code(&self, span: Span) -> Builder<'c, 'a> {
        Builder::new(self.context, Insertion::AtEnd(self.block), self.location(span))
    }

    /// The value of a variable.
    pub fn variable(&self, name: &str) -> Option<Value<'c, 'a>> {
        self.values.get(name).copied()
    }

    /// The variable of the program that was bound last.
    pub fn latest(&self) -> Option<(&'s str, Value<'c, 'a>)> {
        let name =
            self.undo.iter().rev().map(|(name, _)| *name).find(|name| !name.starts_with('$'))?;
        Some((name, self.variable(name)?))
    }

    /// Binds a name to a value from here on; `parameter` is the index of a parameter.
    pub fn bind(&mut self, name: &'s ast::Name, value: Value<'c, 'a>, parameter: Option<usize>) {
        self.set(&name.text, value);
        self.show(&name.text, value, parameter, name.span);
    }

    /// Tells debuggers that a variable has a value from here on.
    pub fn show(&self, name: &str, value: Value<'c, 'a>, parameter: Option<usize>, span: Span) {
        // Carried values that are not variables do not have a name in the program.
        if !self.shows_variables || name.starts_with('$') {
            return;
        }
        let ty = self.variables.get(name).copied();
        let names = self.names(ty.unwrap_or(types::Type::Tensor));
        let attributes = variable::attributes(self.context, name, parameter, names);
        let code = self.code(span);
        code.insert(ops::variable(code.location, as_tensor(code, value), &attributes));
    }

    pub fn set(&mut self, name: &'s str, value: Value<'c, 'a>) {
        let before = self.values.insert(name, value);
        self.undo.push((name, before));
    }

    /// Goes into a block of a region.
    pub fn enter(&mut self, block: BlockRef<'c, 'a>) -> Mark<'c, 'a> {
        let mark = Mark { block: self.block, undo: self.undo.len() };
        self.block = block;
        mark
    }

    /// Goes back to where the region is.
    pub fn leave(&mut self, mark: Mark<'c, 'a>) {
        self.block = mark.block;
        for (name, before) in self.undo.drain(mark.undo..).rev() {
            match before {
                Some(value) => self.values.insert(name, value),
                None => self.values.remove(name),
            };
        }
    }
}

/// The value of a variable as a tensor: a loop variable's is an `index`.
pub fn as_tensor<'c, 'a>(code: Builder<'c, 'a>, value: Value<'c, 'a>) -> Value<'c, 'a> {
    if is_index(value) { code.pure(Kind::FromIndex, &[value]) } else { value }
}

/// True if a value is an `index`, like a loop variable's.
pub fn is_index(value: Value) -> bool {
    TypeLike::is_index(&value.r#type())
}
