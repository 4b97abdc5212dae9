//! Calls: resolves each call to the function that it finally calls.
//!
//! Input: a call whose arguments are inferred. Output: a `func.call` of the specialization for their shapes,
//! or of a function that is taken as it is written; a callee that is not inferred yet is entered first.

use super::infer::{fits, replaces};
use super::key::{Argument, Key};
use super::recursion::Answer;
use super::templates::contains_toy;
use super::{Entry, MAX_COPIED, MAX_NESTED, Specializer, State, errors};
use crate::dialect::control;
use crate::dialect::gradients;
use crate::dialect::ops::{self, Kind};
use crate::dialect::shape::shape_of;
use crate::dialect::structs::{is_open, struct_type};
use melior::ir::attribute::{FlatSymbolRefAttribute, StringAttribute};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{BlockLike, Type, Value, ValueLike};
use mlir_support::{Builder, ir};

impl<'c, 'a> Specializer<'c, 'a> {
    /// Turns a call into a `func.call` of the right specialization. False: that was entered first.
    pub(super) fn call(&mut self, operation: OperationRef<'c, 'a>) -> bool {
        let Some(callee) = ops::callee(&operation) else { return true };
        let is_gradient = control::gradient(operation).is_some();
        if (Kind::of(&operation).is_none() || is_gradient)
            && let Some(entry) = self.by_symbol.get(&callee).copied()
        {
            // An earlier pass over this function has found the specialization.
            return self.call_of(entry, operation);
        }
        let Some(function) = self.functions.get(&callee).copied() else { return true };
        let types: Vec<Type> = operation.operands().map(|argument| argument.r#type()).collect();
        let parameters = ops::function_type(&function).map(ops::inputs).unwrap_or_default();
        let is_as_written = !self.templates.contains(&callee) && !contains_toy(function);
        let fits = if is_as_written { ops::same_type } else { fits };
        let mut pairs = types.iter().zip(&parameters);
        if let Some((given, wanted)) = pairs.find(|(given, wanted)| !fits(**given, **wanted)) {
            // An open type is the trace of an error that has been reported.
            if !is_open(*given) {
                self.report(errors::contradiction(self.locations.at(operation), *wanted, *given));
            }
            return true;
        }
        if is_as_written {
            // A function of a lower level, or one defined elsewhere: its signature has the type.
            if is_gradient {
                let results = ops::function_type(&function).map(ops::results).unwrap_or_default();
                self.gradient(operation, &callee, &results);
            } else if Kind::of(&operation) == Some(Kind::GenericCall) {
                let results = ops::function_type(&function).map(ops::results).unwrap_or_default();
                self.replace_call(operation, &callee, &results);
            }
            return true;
        }
        let arguments: Option<Vec<_>> = types.iter().map(|ty| Argument::of(*ty)).collect();
        // An argument without a shape is the trace of an error that has been reported.
        let Some(arguments) = arguments else { return true };
        let key = Key { callee, arguments };
        match self.memo.get(&key).copied() {
            Some(entry) => self.call_of(entry, operation),
            None if self.copied > MAX_COPIED => {
                let diagnostic = errors::too_many(operation, self);
                self.report(diagnostic);
                self.give_up();
                false
            }
            None if self.nested(&key).not_smaller >= MAX_NESTED => {
                let diagnostic = errors::endless_shapes(operation, &key, self);
                self.diagnostics.push(diagnostic);
                self.give_up();
                false
            }
            None => {
                self.specialize(key, &types, function);
                false
            }
        }
    }

    /// Uses the known results of a call's callee. False: it was entered, or everything ended.
    fn call_of(&mut self, entry: usize, operation: OperationRef<'c, 'a>) -> bool {
        if control::gradient(operation).is_some() {
            let Entry { state, symbol, results, key, .. } = &self.entries[entry];
            let (symbol, results) = (symbol.clone(), results.clone());
            match state {
                State::Done => self.gradient(operation, &symbol, &results),
                State::Busy | State::Waiting(_) => {
                    let at = self.locations.at(operation);
                    let diagnostic = errors::gradient_of_itself(at, &key.to_string());
                    self.report(diagnostic);
                }
            }
            return true;
        }
        match self.ask(entry, operation) {
            Answer::Known(results) => {
                let symbol = self.entries[entry].symbol.clone();
                self.replace_call(operation, &symbol, &results);
                true
            }
            Answer::Open => true,
            Answer::Entered => false,
        }
    }

    /// Gives a call of a gradient its function and its type: the types of the parameters. `toy-differentiate` makes the
    /// gradient.
    fn gradient(&mut self, operation: OperationRef<'c, 'a>, symbol: &str, results: &[Type<'c>]) {
        // An open type is the trace of an error that has been reported.
        if results.iter().any(|ty| is_open(*ty)) {
            return;
        }
        let of = results.first().copied().filter(|_| results.len() == 1);
        let Some(of) = of.filter(|ty| shape_of(*ty).is_some_and(|shape| shape.0.is_empty())) else {
            let callee = self.by_symbol.get(symbol).map(|entry| &self.entries[*entry].key);
            let callee = callee.map_or(symbol.to_owned(), |key| key.to_string());
            let at = self.locations.at(operation);
            let diagnostic = errors::gradient_of_tensor(at, &callee, results.first().copied());
            return self.report(diagnostic);
        };
        let by = control::gradient(operation).unwrap_or_default();
        let gradients = by.iter().map(|number| ir::operand(operation, *number).r#type());
        let value = control::with_value(operation).then_some(of);
        let types: Vec<_> = value.into_iter().chain(gradients).collect();
        let ty = match types.as_slice() {
            [only] => *only,
            several => struct_type(self.context, several),
        };
        ir::set_attribute(
            operation,
            "callee",
            FlatSymbolRefAttribute::new(self.context, symbol).into(),
        );
        ops::result(operation).set_type(ty);
        gradients::needed(self.context, self.module);
    }

    /// Makes the function of a key: a typed clone of a template, or the root itself.
    fn specialize(&mut self, key: Key, arguments: &[Type<'c>], function: OperationRef<'c, 'a>) {
        if !self.templates.contains(&key.callee) {
            let symbol = key.callee.clone();
            return self.enter(key, symbol, function);
        }
        let symbol = self.fresh_symbol(&key);
        let copies = self.copies.entry(key.callee.clone()).or_default();
        if *copies > 0 {
            self.copied += ir::operations(function).len();
        }
        *copies += 1;
        let mut clone = ir::clone(function);
        clone.set_attribute("sym_name", StringAttribute::new(self.context, &symbol).into());
        clone.set_attribute("sym_visibility", StringAttribute::new(self.context, "private").into());
        let readable = StringAttribute::new(self.context, &key.to_string());
        clone.set_attribute("toy.specialization", readable.into());
        let clone = self.module.body().append_operation(clone);
        let block = ops::entry_block(clone).expect("templates have a body");
        for (index, ty) in arguments.iter().enumerate() {
            block.argument(index).expect("verified: the arities agree").set_type(*ty);
        }
        self.functions.insert(symbol.clone(), clone);
        self.enter(key, symbol, clone);
    }

    fn fresh_symbol(&self, key: &Key) -> String {
        let mut symbol = key.symbol();
        // Only hand-written MLIR can have such a name already.
        while self.functions.contains_key(&symbol) {
            symbol.push('$');
        }
        symbol
    }

    fn replace_call(
        &mut self,
        operation: OperationRef<'c, 'a>,
        symbol: &str,
        results: &[Type<'c>],
    ) {
        if Kind::of(&operation).is_none() && ops::callee(&operation).as_deref() == Some(symbol) {
            // A visit before may have taken other elements for them.
            operation
                .results()
                .zip(results)
                .for_each(|(result, ty)| Value::from(result).set_type(*ty));
            return;
        }
        let arguments: Vec<Value> = operation.operands().collect();
        // An unused value (`f(x);`) is still a result of the callee.
        let call = Builder::before(self.context, operation).call(symbol, &arguments, results);
        for (old, new) in operation.results().zip(call.results()) {
            let (written, found) = (old.r#type(), new.r#type());
            if !replaces(found, written) {
                self.report(errors::contradiction(self.locations.at(operation), written, found));
            }
            ir::replace_all_uses(old.into(), new.into());
        }
        ir::erase(operation);
    }
}
