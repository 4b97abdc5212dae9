//! From the abstract syntax tree to the Toy dialect.
//!
//! Input: a module that `syntax::check` accepts (names resolve, arities fit, literals are
//! rectangular). Output: one `func.func` per function, in the order of the text, with every value
//! an unranked tensor unless a literal or a declared shape says its shape. `main` is public, the
//! others are private. Every operation has the location of its expression.
//!
//! What follows the first `return` of a function never runs and is not lowered. Statements are
//! lowered in the order of the text, operands from left to right.

use crate::dialect::ops;
use crate::dialect::shape::{Shape, unranked_type};
use crate::mlir::{Locations, Session, raw};
use crate::source::Span;
use crate::syntax::ast::{self, BinaryOperator, Expr, ExprKind, StatementKind};
use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::FunctionType;
use melior::ir::{Block, BlockLike, BlockRef, Location, Module, Operation, Value, ValueLike};
use std::collections::{HashMap, HashSet};

/// Lowers a checked program.
pub fn lower<'c>(session: &'c Session, program: &ast::Module, locations: &Locations) -> Module<'c> {
    let context = session.context();
    let whole = Span::new(0, locations.source.text.len());
    let module = session.new_module(locations.location(context, whole));
    let with_result = program
        .functions
        .iter()
        .filter(|function| function.has_result())
        .map(|function| function.name.text.as_str())
        .collect();
    let lowering = Lowering { context, locations, with_result };
    for function in &program.functions {
        module.body().append_operation(lowering.function(function));
    }
    module
}

struct Lowering<'c, 's> {
    context: &'c Context,
    locations: &'s Locations<'s>,
    /// The functions whose calls have a value.
    with_result: HashSet<&'s str>,
}

/// The values of the variables of one function, by name.
type Variables<'c, 'a, 's> = HashMap<&'s str, Value<'c, 'a>>;

impl<'c, 's> Lowering<'c, 's> {
    fn function(&self, function: &'s ast::Function) -> Operation<'c> {
        let unranked = unranked_type(self.context);
        let parameters: Vec<_> = function
            .parameters
            .iter()
            .map(|parameter| (unranked, self.location(parameter.span)))
            .collect();
        let block = Block::new(&parameters);
        // A literal, or what has a declared shape, is returned with its shape.
        let result = self.body(function, &block).map(|value| value.r#type());
        let inputs = vec![unranked; parameters.len()];
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
    fn body<'a>(&self, function: &'s ast::Function, block: &'a Block<'c>) -> Option<Value<'c, 'a>> {
        let block = raw::block_ref(block);
        let mut variables = Variables::new();
        for (index, parameter) in function.parameters.iter().enumerate() {
            let value = block.argument(index).expect("as many arguments as parameters");
            variables.insert(&parameter.name.text, value.into());
        }
        for statement in &function.body {
            match &statement.kind {
                StatementKind::VarDecl { name, r#type, value } => {
                    let shape = match r#type {
                        ast::DeclaredType::Tensor(s) => Some(s),
                        _ => None,
                    };
                    let value = self.expression(block, &variables, value).expect("checked");
                    let value = match shape {
                        Some(shape) => self.reshape(block, value, shape, statement.span),
                        None => value,
                    };
                    variables.insert(&name.text, value);
                }
                StatementKind::Expr(expression) => {
                    self.expression(block, &variables, expression);
                }
                StatementKind::Return(value) => {
                    let value = value
                        .as_ref()
                        .map(|value| self.expression(block, &variables, value).expect("checked"));
                    let location = self.location(statement.span);
                    block.append_operation(ops::return_op(location, value.as_slice()));
                    return value;
                }
            }
        }
        let end = Span { start: function.span.end.saturating_sub(1), end: function.span.end };
        block.append_operation(ops::return_op(self.location(end), &[]));
        None
    }

    /// Lowers an expression; None for a call without a value.
    fn expression<'a>(
        &self,
        block: BlockRef<'c, 'a>,
        variables: &Variables<'c, 'a, 's>,
        expression: &'s Expr,
    ) -> Option<Value<'c, 'a>> {
        let location = self.location(expression.span);
        match &expression.kind {
            ExprKind::Number(value) => {
                let r#type = Shape(vec![]).tensor_type(self.context);
                let value = ops::dense(r#type, &[*value]);
                Some(append(block, ops::constant(self.context, location, r#type, value)))
            }
            ExprKind::Literal(_) => {
                let (shape, elements) = literal(expression);
                let r#type = shape.tensor_type(self.context);
                let value = ops::dense(r#type, &elements);
                Some(append(block, ops::constant(self.context, location, r#type, value)))
            }
            ExprKind::Variable(name) => variables.get(name.as_str()).copied(),
            ExprKind::Call(call) => self.call(block, variables, call, location),
            ExprKind::Chain(chain) => {
                let mut value = self.expression(block, variables, &chain.first)?;
                for link in &chain.rest {
                    let operand = self.expression(block, variables, &link.operand)?;
                    let name = match link.operator {
                        BinaryOperator::Add => "toy.add",
                        BinaryOperator::Mul => "toy.mul",
                        BinaryOperator::Sub => "toy.sub",
                        BinaryOperator::Div => "toy.div",
                    };
                    let span = chain.first.span.to(link.operand.span);
                    let unranked = unranked_type(self.context);
                    let operation =
                        ops::pure(name, self.location(span), &[value, operand], unranked);
                    value = append(block, operation);
                }
                Some(value)
            }
            _ => None,
        }
    }

    fn call<'a>(
        &self,
        block: BlockRef<'c, 'a>,
        variables: &Variables<'c, 'a, 's>,
        call: &'s ast::Call,
        location: Location<'c>,
    ) -> Option<Value<'c, 'a>> {
        let mut arguments: Vec<_> = call
            .arguments
            .iter()
            .map(|argument| self.expression(block, variables, argument).expect("checked"))
            .collect();
        let callee = call.callee.text.as_str();
        let operation = match callee {
            "print" => ops::print(location, arguments[0]),
            "transpose" => {
                ops::pure("toy.transpose", location, &arguments, unranked_type(self.context))
            }
            _ => {
                self.unify(block, &mut arguments, call);
                let has_result = self.with_result.contains(callee);
                let result = has_result.then(|| unranked_type(self.context));
                ops::generic_call(self.context, location, callee, &arguments, result)
            }
        };
        let operation = block.append_operation(operation);
        (operation.result_count() > 0).then(|| ops::result(operation))
    }

    /// Casts the arguments of a call to unranked tensors, unless they have one type already.
    fn unify<'a>(
        &self,
        block: BlockRef<'c, 'a>,
        arguments: &mut [Value<'c, 'a>],
        call: &ast::Call,
    ) {
        let unranked = unranked_type(self.context);
        if arguments.windows(2).all(|pair| ops::same_type(pair[0].r#type(), pair[1].r#type())) {
            return;
        }
        for (value, argument) in arguments.iter_mut().zip(&call.arguments) {
            if !ops::same_type(value.r#type(), unranked) {
                let location = self.location(argument.span);
                *value = append(block, ops::pure("toy.cast", location, &[*value], unranked));
            }
        }
    }

    fn reshape<'a>(
        &self,
        block: BlockRef<'c, 'a>,
        value: Value<'c, 'a>,
        shape: &ast::Shape,
        span: Span,
    ) -> Value<'c, 'a> {
        let shape = Shape(shape.dims.iter().map(|dim| *dim as u64).collect());
        let r#type = shape.tensor_type(self.context);
        append(block, ops::pure("toy.reshape", self.location(span), &[value], r#type))
    }

    fn location(&self, span: Span) -> Location<'c> {
        self.locations.location(self.context, span)
    }
}

fn append<'c, 'a>(block: BlockRef<'c, 'a>, operation: Operation<'c>) -> Value<'c, 'a> {
    ops::result(block.append_operation(operation))
}

/// The shape and the elements, in row-major order, of a rectangular literal of numbers.
fn literal(expression: &Expr) -> (Shape, Vec<f64>) {
    let mut dims = Vec::new();
    let mut first = expression;
    while let ExprKind::Literal(elements) = &first.kind {
        dims.push(elements.len() as u64);
        let Some(element) = elements.first() else { break };
        first = element;
    }
    let shape = Shape(dims);
    let mut numbers = Vec::with_capacity(shape.element_count().unwrap_or(0) as usize);
    collect_numbers(expression, &mut numbers);
    (shape, numbers)
}

/// Recursion is bounded by the parser's limit on nested brackets.
fn collect_numbers(expression: &Expr, numbers: &mut Vec<f64>) {
    match &expression.kind {
        ExprKind::Number(value) => numbers.push(*value),
        ExprKind::Literal(elements) => {
            elements.iter().for_each(|element| collect_numbers(element, numbers));
        }
        _ => {}
    }
}
