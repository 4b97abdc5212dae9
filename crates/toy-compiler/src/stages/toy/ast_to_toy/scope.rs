//! The meanings of a function's names at one place of its text, and the insertion point of operations.
//!
//! Invariant: [`Scope::leave`] gives every name the meaning it had at the matching [`Scope::enter`], in
//! time that depends on the number of bindings in between, not on the number of names.

use melior::ir::{BlockRef, Type, Value};
use std::collections::HashMap;
use toy_syntax::ast::Jump;
use toy_syntax::types;

/// The bindings of the names in one function.
pub struct Scope<'c, 'a, 's> {
    /// Operations are appended to this block.
    pub block: BlockRef<'c, 'a>,
    pub types: types::Variables<'s>,
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

impl<'c, 'a, 's> Scope<'c, 'a, 's> {
    pub fn new(
        block: BlockRef<'c, 'a>,
        types: types::Variables<'s>,
        result: Option<Type<'c>>,
    ) -> Self {
        Self { block, types, result, flags: Vec::new(), values: HashMap::new(), undo: Vec::new() }
    }

    pub fn value(&self, name: &str) -> Option<Value<'c, 'a>> {
        self.values.get(name).copied()
    }

    /// The variable of the program that was bound last.
    pub fn latest(&self) -> Option<(&'s str, Value<'c, 'a>)> {
        let name =
            self.undo.iter().rev().map(|(name, _)| *name).find(|name| !name.starts_with('$'))?;
        Some((name, self.value(name)?))
    }

    pub fn bind(&mut self, name: &'s str, value: Value<'c, 'a>) {
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
