//! From the abstract syntax tree to the Toy dialect.
//!
//! Input: a module that `syntax::check` accepts (names resolve, arities and types fit, literals are
//! rectangular). Output: one `func.func` per function, in the order of the text, with every tensor
//! unranked unless a literal or a declared shape says its shape; of a struct that holds for each
//! field. `main` is public, the others are private. Every operation has the location of its
//! expression.
//!
//! What follows the first `return` of a function never runs and is not lowered. Statements are
//! lowered in the order of the text, operands from left to right.
//!
//! If the variables are to be shown, a `toy.variable` follows the definition of each, and those of the
//! parameters come first.

use crate::dialect::ops::{self, Insertion};
use crate::dialect::shape::{Shape, tensor_type, unranked_type};
use crate::dialect::structs::{self, struct_type};
use crate::dialect::variable;
use crate::lower::literal;
use melior::Context;
use melior::ir::operation::OperationLike;
use melior::ir::r#type::FunctionType;
use melior::ir::{Attribute, Block, BlockLike, BlockRef, Location, Module, Operation, Type};
use melior::ir::{Value, ValueLike};
use mlir_support::{Locations, Session, raw};
use std::cell::RefCell;
use std::collections::{HashMap, HashSet};
use toy_diagnostics::source::Span;
use toy_syntax::ast::{self, BinaryOperator, DeclaredType, Expr, ExprKind, StatementKind};
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
        context,
        locations,
        types,
        with_result,
        shows_variables,
        unranked_structs: RefCell::default(),
        named_structs: RefCell::default(),
    };
    for function in &program.functions {
        module.body().append_operation(lowering.function(function));
    }
    module
}

struct Lowering<'c, 's> {
    context: &'c Context,
    locations: &'s Locations<'s>,
    types: Types<'s>,
    /// The functions whose calls have a value.
    with_result: HashSet<&'s str>,
    shows_variables: bool,
    /// The types of structs of unranked tensors, which take a while to make.
    unranked_structs: RefCell<HashMap<&'s str, Type<'c>>>,
    /// The names in structs, as `toy.variable` has them.
    named_structs: RefCell<HashMap<&'s str, Attribute<'c>>>,
}

/// The bindings of the names in one function.
struct Scope<'c, 'a, 's> {
    block: BlockRef<'c, 'a>,
    values: HashMap<&'s str, Value<'c, 'a>>,
    types: types::Variables<'s>,
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
        // A literal, or what has a declared shape, is returned with its shape.
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
    fn body<'a>(&self, function: &'s ast::Function, block: &'a Block<'c>) -> Option<Value<'c, 'a>> {
        let block = raw::block_ref(block);
        let types = self.types.parameters(function);
        let mut scope = Scope { block, values: HashMap::new(), types };
        for (index, parameter) in function.parameters.iter().enumerate() {
            let value = block.argument(index).expect("as many arguments as parameters").into();
            self.variable(&mut scope, &parameter.name, value, Some(index));
        }
        for statement in &function.body {
            match &statement.kind {
                StatementKind::VarDecl { ty, name, value: initial } => {
                    let value = self.expression(&scope, initial).expect("checked");
                    let value = match ty {
                        DeclaredType::Tensor(shape) => {
                            self.reshape(block, value, shape, statement.span)
                        }
                        DeclaredType::Inferred | DeclaredType::Struct(_) => value,
                    };
                    let ty = self.types.declared(ty, &scope.types, initial);
                    scope.types.insert(&name.text, ty);
                    self.variable(&mut scope, name, value, None);
                }
                StatementKind::Expr(expression) => {
                    self.expression(&scope, expression);
                }
                StatementKind::Assign(_)
                | StatementKind::If(_)
                | StatementKind::While(_)
                | StatementKind::For(_) => {}
                StatementKind::Return(value) => {
                    let value = value
                        .as_ref()
                        .map(|value| self.expression(&scope, value).expect("checked"));
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

    /// Binds a name to a value from here on; `parameter` is the index of a parameter.
    fn variable<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        name: &'s ast::Name,
        value: Value<'c, 'a>,
        parameter: Option<usize>,
    ) {
        scope.values.insert(&name.text, value);
        if self.shows_variables {
            let ty = scope.types.get(name.text.as_str()).copied();
            let names = self.names(ty.unwrap_or(types::Type::Tensor));
            let attributes = variable::attributes(self.context, &name.text, parameter, names);
            let location = self.location(name.span);
            scope.block.append_operation(ops::variable(location, value, &attributes));
        }
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

    /// Lowers an expression; None for a call without a value.
    fn expression<'a>(
        &self,
        scope: &Scope<'c, 'a, 's>,
        expression: &'s Expr,
    ) -> Option<Value<'c, 'a>> {
        let (block, location) = (scope.block, self.location(expression.span));
        if let Some(constant) = literal::constant(self.context, expression) {
            return Some(append(block, constant.operation(self.context, location)));
        }
        match &expression.kind {
            ExprKind::Literal(_) => Some(self.literal(scope, expression)),
            ExprKind::StructLiteral(values) => {
                let mut fields = self.values(scope, values);
                let types: Vec<_> = fields.iter().map(|field| field.r#type()).collect();
                self.unify(block, &mut fields, values.iter());
                let ty = struct_type(self.context, &types);
                Some(append(block, ops::struct_create(location, &fields, ty)))
            }
            ExprKind::Variable(name) => scope.values.get(name.as_str()).copied(),
            ExprKind::Call(call) => self.call(scope, call, location),
            ExprKind::Chain(chain) => {
                let mut value = self.expression(scope, &chain.first)?;
                for link in &chain.rest {
                    let operand = self.expression(scope, &link.operand)?;
                    let name = match link.operator {
                        BinaryOperator::Add => "toy.add",
                        BinaryOperator::Sub => "toy.sub",
                        BinaryOperator::Mul => "toy.mul",
                        BinaryOperator::Div => "toy.div",
                        _ => return None,
                    };
                    let span = chain.first.span.to(link.operand.span);
                    value = self.pure(block, name, span, &[value, operand]);
                }
                Some(value)
            }
            ExprKind::Unary(unary) => {
                let mut value = self.expression(scope, &unary.operand)?;
                for (_, operator) in unary.operators.iter().rev() {
                    let span = operator.to(unary.operand.span);
                    value = self.pure(block, "toy.neg", span, &[value]);
                }
                Some(value)
            }
            ExprKind::Access(access) => self.access(scope, access),
            ExprKind::Number(_) | ExprKind::Index(_) | ExprKind::String(_) | ExprKind::Error => {
                None
            }
        }
    }

    fn values<'a>(&self, scope: &Scope<'c, 'a, 's>, values: &'s [Expr]) -> Vec<Value<'c, 'a>> {
        values.iter().map(|value| self.expression(scope, value).expect("checked")).collect()
    }

    /// A literal with elements that are to be computed.
    fn literal<'a>(&self, scope: &Scope<'c, 'a, 's>, expression: &'s Expr) -> Value<'c, 'a> {
        let (shape, elements) = literal::elements(expression);
        let mut values: Vec<_> = elements
            .iter()
            .map(|element| self.expression(scope, element).expect("checked"))
            .collect();
        self.unify(scope.block, &mut values, elements.iter().copied());
        let ty = tensor_type(self.context, &shape);
        let location = self.location(expression.span);
        append(scope.block, ops::from_elements(location, &values, ty))
    }

    fn access<'a>(
        &self,
        scope: &Scope<'c, 'a, 's>,
        access: &'s ast::Access,
    ) -> Option<Value<'c, 'a>> {
        let mut value = self.expression(scope, &access.base)?;
        let mut ty = self.types.of(&access.base, &scope.types);
        for field in &access.fields {
            let types::Type::Struct(definition) = ty else { return None };
            let (index, binding) = definition.field(&field.text)?;
            ty = self.types.named(binding.ty.as_ref());
            let result = structs::field(value.r#type(), index)?;
            let location = self.location(access.base.span.to(field.span));
            let operation = ops::struct_access(self.context, location, value, index, result);
            value = append(scope.block, operation);
        }
        Some(value)
    }

    fn call<'a>(
        &self,
        scope: &Scope<'c, 'a, 's>,
        call: &'s ast::Call,
        location: Location<'c>,
    ) -> Option<Value<'c, 'a>> {
        let mut arguments = self.values(scope, &call.arguments);
        let callee = call.callee.text.as_str();
        let operation = match callee {
            "print" => ops::print(location, arguments[0]),
            "transpose" => {
                ops::pure("toy.transpose", location, &arguments, unranked_type(self.context))
            }
            _ => {
                self.unify(scope.block, &mut arguments, call.arguments.iter());
                let has_result = self.with_result.contains(callee);
                let result = has_result.then(|| self.unranked(self.types.result_of(callee)));
                ops::generic_call(self.context, location, callee, &arguments, result)
            }
        };
        let operation = scope.block.append_operation(operation);
        (operation.result_count() > 0).then(|| ops::result(operation))
    }

    /// Casts operands of a variadic group to one type, unless they have one already.
    fn unify<'a>(
        &self,
        block: BlockRef<'c, 'a>,
        values: &mut [Value<'c, 'a>],
        expressions: impl Iterator<Item = &'s Expr>,
    ) {
        let spans: Vec<_> = expressions.map(|expression| expression.span).collect();
        ops::unify(self.context, Insertion::AtEnd(block), values, |index| {
            self.location(spans[index])
        });
    }

    /// An element-wise operation.
    fn pure<'a>(
        &self,
        block: BlockRef<'c, 'a>,
        name: &str,
        span: Span,
        operands: &[Value<'c, 'a>],
    ) -> Value<'c, 'a> {
        let unranked = unranked_type(self.context);
        append(block, ops::pure(name, self.location(span), operands, unranked))
    }

    fn reshape<'a>(
        &self,
        block: BlockRef<'c, 'a>,
        value: Value<'c, 'a>,
        shape: &ast::DeclaredShape,
        span: Span,
    ) -> Value<'c, 'a> {
        let shape = Shape(shape.dims.iter().map(|dim| *dim as u64).collect());
        let ty = tensor_type(self.context, &shape);
        append(block, ops::pure("toy.reshape", self.location(span), &[value], ty))
    }

    /// The MLIR type of a value of which only the Toy type is known.
    fn unranked(&self, ty: types::Type<'s>) -> Type<'c> {
        let types::Type::Struct(definition) = ty else { return unranked_type(self.context) };
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

    fn location(&self, span: Span) -> Location<'c> {
        self.locations.location(self.context, span)
    }
}

fn append<'c, 'a>(block: BlockRef<'c, 'a>, operation: Operation<'c>) -> Value<'c, 'a> {
    ops::result(block.append_operation(operation))
}
