//! Statements without blocks, and declared shapes.
//!
//! ```text
//! statement = "var" name [ shape ] "=" expression | name name "=" expression
//!           | "return" [ expression ] | "break" | "continue" | expression | target "=" expression
//! shape     = "<" [ size { "," size } ] ">"
//! size      = number | sum
//! ```
//!
//! Input: the rule for expressions. Output: a [`Statement`], also for text that could not be parsed.
//! Invariant: an expression statement does not start with a brace: that is more likely a block of
//! another language.

use super::assignments::expression_or_assignment;
use crate::ast::{
    Assignment, BinaryOperator, DeclaredShape, DeclaredType, Expr, ExprKind, Precedence, Statement,
    StatementKind,
};
use crate::expression::{error_name, items, name, required, sum};
use crate::recovery::{
    Goal, Skipped, TypePosition, here, misspelled_return, no_brace, skip_some, skip_to,
    statement_ends_here, type_before_name,
};
use crate::rule::*;

/// A statement with its `;`.
pub fn statement<'t>(program: Program<'t>, expression: Rule<'t, Expr>) -> Rule<'t, Statement> {
    let value = required(program, expression.clone());
    let result =
        just(Token::Return).ignore_then(expression.clone().or_not()).map(StatementKind::Return);
    let misspelled = misspelled_return(program).validate(|place, _, emitter| {
        let diagnostic = syntax_error("misspelled `return`", place, "expected a statement");
        emitter.emit(diagnostic.fix("did you mean `return`?", place, "return").into());
    });
    let misspelled = misspelled.ignore_then(expression.clone());
    let kind = choice((
        jump(program),
        misspelled.map(|value| StatementKind::Return(Some(value))),
        variable(program, value.clone()),
        structure_variable(program, value),
        result,
        no_brace(program).ignore_then(expression_or_assignment(program, expression)),
    ));
    let junk = skip_some(program, Goal::EndOfStatement)
        .map_with(|skipped, extra| {
            recovered(StatementKind::Expr(error_expr(extra.span())), extra.span(), skipped)
        })
        .then_ignore(semicolons());
    kind.map_with(|kind, extra| (kind, extra.span()))
        .then(end_of_statement(program))
        .map(|((kind, span), skipped)| recovered(kind, span, skipped))
        .labelled(Expected::STATEMENT)
        .recover_with(via_parser(junk))
        .boxed()
}

/// `break` and `continue`, but for one that is used as a name: `break = 1;`.
fn jump<'t>(program: Program<'t>) -> Rule<'t, StatementKind> {
    rule(program, |reader| {
        let kind = match (reader.token(0)?, reader.token(1)) {
            (_, Some(Token::Equals)) => return None,
            (Token::Break, _) => StatementKind::Break,
            (Token::Continue, _) => StatementKind::Continue,
            _ => return None,
        };
        reader.skip(1);
        Some(kind)
    })
}

/// The `;`, or the tokens skipped in its place.
pub fn end_of_statement<'t>(program: Program<'t>) -> Rule<'t, Skipped> {
    just(Token::Semicolon)
        .map(|_| Skipped::default())
        .recover_with(via_parser(choice((
            statement_ends_here(program).map(|()| Skipped::default()),
            skip_to(program, Goal::EndOfStatement),
        ))))
        .then_ignore(semicolons())
        .boxed()
}

/// `"var" name [ shape ] "=" expression`
fn variable<'t>(program: Program<'t>, value: Rule<'t, Expr>) -> Rule<'t, StatementKind> {
    just(Token::Var)
        .ignore_then(name(program, Expected::VARIABLE_NAME, &[Token::Equals, Token::Less]))
        .then(shape(program).or_not())
        .then(initializer(program, value))
        .map(|((name, shape), value)| {
            let ty = shape.flatten().map_or(DeclaredType::Inferred, DeclaredType::Tensor);
            StatementKind::VarDecl { ty, name, value }
        })
        .boxed()
}

/// `name name "=" expression`
fn structure_variable<'t>(program: Program<'t>, value: Rule<'t, Expr>) -> Rule<'t, StatementKind> {
    let help = "to define a tensor, write `var` instead of the name of the struct";
    type_before_name(program, TypePosition::Statement)
        .then(name(program, Expected::VARIABLE_NAME, &[Token::Equals, Token::Less]))
        .then(no_shape(program, help).or_not())
        .then(initializer(program, value))
        .map_with(|(((ty, name), shape), value), extra| match shape {
            None => StatementKind::VarDecl { ty: DeclaredType::Struct(ty), name, value },
            // An error is reported already: do not also report an unknown struct.
            Some(()) => StatementKind::VarDecl {
                ty: DeclaredType::Inferred,
                name,
                value: error_expr(extra.span()),
            },
        })
        .boxed()
}

/// `"=" expression`
fn initializer<'t>(program: Program<'t>, value: Rule<'t, Expr>) -> Rule<'t, Expr> {
    let no_value =
        skip_to(program, Goal::EndOfStatement).ignore_then(here(program)).map(error_expr);
    just(Token::Equals).ignore_then(value).recover_with(via_parser(no_value)).boxed()
}

/// The statement after recovery. If the tokens skipped after it show that it was intended as a
/// definition (`let a = 1`), it becomes one, so that uses of the variable are not errors, too.
fn recovered(kind: StatementKind, span: Span, skipped: Skipped) -> Statement {
    let error = error_expr(span);
    let kind = match kind {
        kind if !skipped.names => kind,
        StatementKind::VarDecl { ty, name, .. } => {
            StatementKind::VarDecl { ty, name, value: error }
        }
        StatementKind::Return(_) => StatementKind::Return(Some(error)),
        StatementKind::Assign(assignment) => {
            StatementKind::Assign(Box::new(Assignment { value: error, ..*assignment }))
        }
        StatementKind::Expr(_) => StatementKind::VarDecl {
            ty: DeclaredType::Inferred,
            name: skipped.defined.unwrap_or_else(|| error_name(span)),
            value: error,
        },
        kind @ (StatementKind::Break
        | StatementKind::Continue
        | StatementKind::If(_)
        | StatementKind::While(_)
        | StatementKind::For(_)) => kind,
    };
    Statement { kind, span }
}

/// A statement that could not be parsed; it may have defined or returned anything.
pub fn error_statement(span: Span) -> Statement {
    let (name, value) = (error_name(span), error_expr(span));
    Statement { kind: StatementKind::VarDecl { ty: DeclaredType::Inferred, name, value }, span }
}

/// `"<" [ size { "," size } ] ">"`; `None` if the shape is invalid.
fn shape<'t>(program: Program<'t>) -> Rule<'t, Option<DeclaredShape>> {
    // Most sizes are numbers.
    let number = rule(program, |reader| {
        let (Token::Number(text), next) = (reader.token(0)?, reader.token(1)) else { return None };
        let operator = next.and_then(BinaryOperator::of_token);
        let is_alone = operator.is_none_or(|it| it.precedence() < Precedence::Additive);
        is_alone.then(|| {
            reader.skip(1);
            text
        })
    });
    let number = number.labelled(Expected::DIMENSION).validate(|text, extra, emitter| {
        let span = extra.span();
        let kind = dimension(text).map(|size| ExprKind::Number(size as f64));
        let kind = kind.unwrap_or_else(|problem| {
            let text = toy_diagnostics::text::clipped(text);
            let message = format!("`{text}` is not a valid dimension");
            let diagnostic = Diagnostic::error(codes::BAD_SHAPE, message);
            emitter.emit(diagnostic.label(span, problem).into());
            ExprKind::Error
        });
        Expr { kind, span }
    });
    let size = choice((number, sum(program).labelled(Expected::DIMENSION)));
    quiet(Token::Less)
        .ignore_then(items(program, size.boxed(), Token::Greater))
        .map_with(|(sizes, is_complete), extra| {
            let is_damaged = |size: &Expr| size.kind == ExprKind::Error;
            let is_complete = is_complete && !sizes.iter().any(is_damaged);
            is_complete.then(|| DeclaredShape { sizes, span: extra.span() })
        })
        .boxed()
}

fn dimension(text: &str) -> Result<i64, &'static str> {
    if text.contains(['.', 'e', 'E']) {
        return Err("a dimension is a whole number, without a decimal point or an exponent");
    }
    match text.parse() {
        Ok(0) => Err("every dimension must be at least 1"),
        Ok(dimension) => Ok(dimension),
        Err(_) => Err("too large for a 64-bit integer"),
    }
}

/// A shape where it is not allowed.
pub fn no_shape<'t>(program: Program<'t>, help: &'static str) -> Rule<'t, ()> {
    shape(program)
        .to_span()
        .validate(move |span, _, emitter| {
            let label = "only a `var` in a function can have a shape";
            let diagnostic = syntax_error("a shape is not allowed here", span, label);
            emitter.emit(diagnostic.help(help).into());
        })
        .boxed()
}
