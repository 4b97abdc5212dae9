//! From the abstract syntax tree to the Toy dialect.
//!
//! Input: a module that `syntax::check` accepts (names resolve, arities and types fit, literals are
//! rectangular). Output: one `func.func` per function, in the order of the text, with every tensor
//! unranked unless a literal or a declared shape gives its shape; likewise each field of a struct. `main`
//! is public, the others are private. Every operation has the location of its expression.
//!
//! Statements after a `return` never run and are not lowered. Statements are lowered in the order of the
//! text, operands from left to right.
//!
//! Branches and loops are operations of `scf`. A variable that a body assigns and that exists before is
//! carried: a result of the operation, and an argument of the bodies of a loop. As its new shape is not
//! known yet, it is carried without a shape (`toy.cast`), and the attribute `toy.carries` names it. An
//! assignment is a `toy.assign` of the new value and the old one, which must have the same shape.
//!
//! If the variables are to be shown, a `toy.variable` follows the definition and each assignment of each
//! variable, and the variables of the parameters come first.

mod builtins;
mod carried;
mod control_flow;
mod expressions;
mod jumps;
mod logic;
mod scope;
mod statements;
mod subscripts;

use crate::dialect::shape::{Element, element_of, is_tensor, unranked_type};
use crate::dialect::structs::{self, struct_type};
use crate::dialect::variable;
use crate::dialect::{gradients, ops};
use melior::Context;
use melior::ir::r#type::FunctionType;
use melior::ir::{
    Attribute, Block, BlockLike, Location, Module, Operation, Type, Value, ValueLike,
};
use mlir_support::{Locations, Session, ir};
use scope::Scope;
use std::cell::{Cell, RefCell};
use std::collections::{HashMap, HashSet};
use toy_diagnostics::source::Span;
use toy_syntax::ast;
use toy_syntax::types::{self, Types};

/// Lowers a checked program, with its variables if debuggers are to show them.
pub fn lower<'c>(
    session: &'c Session,
    program: &ast::Module,
    locations: &Locations,
    shows_variables: bool,
) -> Module<'c> {
    let context = session.context();
    let whole = Span::new(0, locations.source.text.len());
    let module = session.new_module(locations.location(context, whole));
    let with_result = program
        .functions
        .iter()
        .filter(|function| function.has_result())
        .map(|function| function.name.text.as_str())
        .collect();
    let types = Types::of_module(program);
    let lowering = Lowering {
        session,
        context,
        locations,
        types,
        with_result,
        shows_variables,
        unranked_structs: RefCell::default(),
        named_structs: RefCell::default(),
        functions: program.functions.iter().map(|function| function.name.text.as_str()).collect(),
        has_gradients: Cell::new(false),
    };
    for function in &program.functions {
        module.body().append_operation(lowering.function(function));
    }
    if lowering.has_gradients.get() {
        gradients::needed(context, &module);
    }
    module
}

struct Lowering<'c, 's> {
    session: &'c Session,
    context: &'c Context,
    locations: &'s Locations<'s>,
    types: Types<'s>,
    /// The functions of the program, which hide builtins.
    functions: HashSet<&'s str>,
    /// The functions whose calls have a value.
    with_result: HashSet<&'s str>,
    shows_variables: bool,
    /// True if it calls a gradient.
    has_gradients: Cell<bool>,
    /// The types of structs of unranked tensors, which take a while to make.
    unranked_structs: RefCell<HashMap<&'s str, Type<'c>>>,
    /// The names in structs, as `toy.variable` has them.
    named_structs: RefCell<HashMap<&'s str, Attribute<'c>>>,
}

impl<'c, 's> Lowering<'c, 's> {
    fn function(&self, function: &'s ast::Function) -> Operation<'c> {
        let parameters: Vec<_> = function
            .parameters
            .iter()
            .map(|parameter| {
                let ty = self.unranked(self.types.named(parameter.ty.as_ref()));
                (ty, self.location(parameter.name.span))
            })
            .collect();
        let block = Block::new(&parameters);
        // A literal, or a value with a declared shape, is returned with its shape.
        let result = self.body(function, &block).map(|value| value.r#type());
        let inputs: Vec<_> = parameters.iter().map(|(ty, _)| *ty).collect();
        ops::function(
            self.context,
            self.location(function.prototype),
            &function.name.text,
            FunctionType::new(self.context, &inputs, result.as_slice()),
            Some(block),
            function.name.text != "main",
        )
    }

    /// Fills the entry block of a function; the result is the returned value.
    fn body<'a>(
        &'a self,
        function: &'s ast::Function,
        block: &'a Block<'c>,
    ) -> Option<Value<'c, 'a>> {
        let block = ir::block_ref(block);
        let result =
            function.has_result().then(|| self.unranked(self.types.result_of(&function.name.text)));
        let mut scope = Scope::new(self, block, self.types.parameters(function), result);
        for (index, parameter) in function.parameters.iter().enumerate() {
            let value = block.argument(index).expect("as many arguments as parameters").into();
            scope.bind(&parameter.name, value, Some(index));
        }
        let end = Span { start: function.span.end.saturating_sub(1), end: function.span.end };
        let (value, span) = scope.function_body(&function.body, end);
        block.append_operation(ops::return_op(self.location(span), value.as_slice()));
        value
    }

    /// The names of a struct and its fields; None for a tensor.
    fn names(&self, ty: types::Type<'s>) -> Option<Attribute<'c>> {
        let types::Type::Struct(definition) = ty else { return None };
        let name = definition.name.text.as_str();
        if let Some(known) = self.named_structs.borrow().get(name) {
            return Some(*known);
        }
        let fields: Vec<_> = definition
            .fields
            .iter()
            .map(|field| {
                let inner = self.names(self.types.named(field.ty.as_ref()));
                (field.name.text.as_str(), inner)
            })
            .collect();
        let names = variable::structure(self.context, name, &fields);
        self.named_structs.borrow_mut().insert(name, names);
        Some(names)
    }

    /// The MLIR type of a value if only the Toy type is known.
    fn unranked(&self, ty: types::Type<'s>) -> Type<'c> {
        let types::Type::Struct(definition) = ty else {
            return unranked_type(self.context, Element::DEFAULT);
        };
        let name = definition.name.text.as_str();
        if let Some(known) = self.unranked_structs.borrow().get(name) {
            return *known;
        }
        let fields: Vec<_> = definition
            .fields
            .iter()
            .map(|field| self.unranked(self.types.named(field.ty.as_ref())))
            .collect();
        let ty = struct_type(self.context, &fields);
        self.unranked_structs.borrow_mut().insert(name, ty);
        ty
    }

    /// A type without its shapes; unchanged if it is not a tensor or a struct.
    fn unshaped(&self, ty: Type<'c>) -> Type<'c> {
        if is_tensor(ty) {
            return unranked_type(self.context, element_of(ty));
        }
        match structs::fields(ty) {
            Some(fields) => {
                let fields: Vec<_> = fields.into_iter().map(|field| self.unshaped(field)).collect();
                struct_type(self.context, &fields)
            }
            None => ty,
        }
    }

    fn location(&self, span: Span) -> Location<'c> {
        self.locations.location(self.context, span)
    }
}
