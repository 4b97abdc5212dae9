//! Tokens to the syntax tree.
//!
//! ```text
//! program   = { function }
//! function  = "def" NAME "(" [ NAME { "," NAME } ] ")" "{" { [ statement ] ";" } "}"
//! statement = "var" NAME [ "<" SIZE { "," SIZE } ">" ] "=" sum
//!           | "return" [ sum ]
//!           | sum
//! sum       = product { ( "+" | "-" ) product }
//! product   = primary { ( "*" | "/" ) primary }
//! primary   = literal | NAME | NAME "(" [ sum { "," sum } ] ")" | "(" sum ")"
//! literal   = NUMBER | "[" literal { "," literal } "]"
//! ```

use crate::ast::{Expr, ExprKind, Function, Name, Operator, Statement};
use crate::errors::{Diagnostic, Span};
use crate::lexer::Token;
use chumsky::error::{Rich, RichPattern};
use chumsky::input::MappedInput;
use chumsky::prelude::*;

type Tokens<'t> = MappedInput<'t, Token<'t>, Span, &'t [(Token<'t>, Span)]>;
type Extra<'t> = extra::Err<Rich<'t, Token<'t>, Span>>;
/// A parser for a part of the grammar, boxed: the types of unboxed ones grow with it.
type Rule<'t, T> = Boxed<'t, 't, Tokens<'t>, T, Extra<'t>>;

/// The functions of a program.
pub fn parse(
    tokens: &[(Token, Span)],
    source: &str,
) -> Result<Vec<Function>, Diagnostic> {
    let at_end = Span::from(source.len()..source.len());
    let program = function().repeated().collect().then_ignore(end());
    let result = program.parse(tokens.split_token_span(at_end)).into_result();
    result.map_err(|errors| diagnostic(&errors[0]))
}

fn function<'t>() -> Rule<'t, Function> {
    let parameters =
        name().separated_by(symbol(",")).collect().delimited_by(symbol("("), symbol(")"));
    // A statement may be empty: `;;` is fine.
    let body = statement()
        .or_not()
        .then_ignore(symbol(";"))
        .repeated()
        .collect()
        .map(|statements: Vec<Option<Statement>>| {
            statements.into_iter().flatten().collect()
        })
        .delimited_by(symbol("{"), symbol("}"));
    keyword("def")
        .ignore_then(name())
        .then(parameters)
        .then(body)
        .map(|((name, parameters), body)| Function { name, parameters, body })
        .boxed()
}

fn statement<'t>() -> Rule<'t, Statement> {
    let is_size = |size: f64| (1.0..=1e9).contains(&size) && size.fract() == 0.0;
    let size = select! { Token::Number(size) if is_size(size) => size as usize };
    let shape = size
        .labelled("a size")
        .separated_by(symbol(","))
        .at_least(1)
        .collect()
        .delimited_by(symbol("<"), symbol(">"));
    let var = keyword("var")
        .ignore_then(name())
        .then(shape.or_not())
        .then_ignore(symbol("="))
        .then(expression())
        .map(|((name, shape), value)| Statement::Var { name, shape, value });
    let result =
        keyword("return").ignore_then(expression().or_not()).map(Statement::Return);
    choice((var, result, expression().map(Statement::Expr))).boxed()
}

fn expression<'t>() -> Rule<'t, Expr> {
    recursive(|expression| {
        let primary = primary(expression.boxed());
        let factor = operator("*", Operator::Mul).or(operator("/", Operator::Div));
        let product = chain(primary, factor.boxed());
        let term = operator("+", Operator::Add).or(operator("-", Operator::Sub));
        chain(product, term.boxed())
    })
    .boxed()
}

/// `operand { operator operand }`: `a - b - c` is `(a - b) - c`.
fn chain<'t>(operand: Rule<'t, Expr>, operator: Rule<'t, Operator>) -> Rule<'t, Expr> {
    let rest = operator.then(operand.clone()).repeated();
    operand
        .foldl_with(rest, |lhs, (operator, rhs), extra| {
            let (lhs, rhs) = (Box::new(lhs), Box::new(rhs));
            Expr { kind: ExprKind::Binary { operator, lhs, rhs }, span: extra.span() }
        })
        .boxed()
}

fn primary<'t>(expression: Rule<'t, Expr>) -> Rule<'t, Expr> {
    let arguments = expression
        .clone()
        .separated_by(symbol(","))
        .collect::<Vec<_>>()
        .delimited_by(symbol("("), symbol(")"));
    let variable_or_call =
        name().then(arguments.or_not()).map_with(|(name, arguments), extra| {
            let kind = match arguments {
                Some(arguments) => ExprKind::Call { callee: name.text, arguments },
                None => ExprKind::Variable(name.text),
            };
            Expr { kind, span: extra.span() }
        });
    let parenthesized = expression.delimited_by(symbol("("), symbol(")"));
    choice((literal(), variable_or_call, parenthesized)).labelled("an expression").boxed()
}

fn literal<'t>() -> Rule<'t, Expr> {
    recursive(|literal| {
        let number = select! { Token::Number(number) => ExprKind::Number(number) };
        let number = number.labelled("a number");
        let list = literal
            .labelled("a number or a list")
            .separated_by(symbol(","))
            .at_least(1)
            .collect()
            .delimited_by(symbol("["), symbol("]"))
            .map(ExprKind::List);
        number.or(list).map_with(|kind, extra| Expr { kind, span: extra.span() })
    })
    .boxed()
}

fn operator<'t>(text: &'static str, operator: Operator) -> Rule<'t, Operator> {
    symbol(text).to(operator).labelled("an operator").boxed()
}

fn name<'t>() -> Rule<'t, Name> {
    select! { Token::Name(text) => text.to_string() }
        .map_with(|text, extra| Name { text, span: extra.span() })
        .labelled("a name")
        .boxed()
}

fn keyword<'t>(text: &'static str) -> Rule<'t, ()> {
    just(Token::Keyword(text)).ignored().boxed()
}

fn symbol<'t>(text: &'static str) -> Rule<'t, ()> {
    just(Token::Symbol(text)).ignored().boxed()
}

fn diagnostic(error: &Rich<Token, Span>) -> Diagnostic {
    let mut expected: Vec<String> = error.expected().map(describe).collect();
    expected.sort();
    expected.dedup();
    let found = error.found().map_or("the end of the file".into(), |t| format!("`{t}`"));
    let message = format!("expected {}, found {found}", expected.join(" or "));
    Diagnostic::new(*error.span(), message)
}

fn describe(pattern: &RichPattern<Token>) -> String {
    match pattern {
        RichPattern::Token(token) => format!("`{}`", **token),
        RichPattern::EndOfInput => "the end of the file".to_string(),
        other => other.to_string(),
    }
}
