//! Tokens to the syntax tree.
//!
//! ```text
//! program   = { function }
//! function  = "def" NAME "(" [ NAME { "," NAME } ] ")" block
//! block     = "{" { [ statement ] ";" | control } "}"
//! statement = "var" NAME [ "<" SIZE { "," SIZE } ">" ] "=" expr
//!           | NAME "=" expr
//!           | "return" [ expr ]
//!           | expr
//! control   = "if" "(" expr ")" block [ "else" block ]
//!           | "while" "(" expr ")" block
//! expr      = sum [ ( "<" | "<=" | ">" | ">=" | "==" | "!=" ) sum ]
//! sum       = product { ( "+" | "-" ) product }
//! product   = primary { ( "*" | "/" ) primary }
//! primary   = literal | NAME | NAME "(" [ expr { "," expr } ] ")" | "(" expr ")"
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

/// The functions of a program, or all syntax errors.
pub fn parse(
    tokens: &[(Token, Span)],
    source: &str,
) -> Result<Vec<Function>, Vec<Diagnostic>> {
    let at_end = Span::from(source.len()..source.len());
    // After an error, continue with the next function.
    let def = Token::Keyword("def");
    let skipped = any().then(none_of(def).repeated()).map(|_| None);
    let program = function().map(Some).recover_with(via_parser(skipped));
    let program = program.repeated().collect::<Vec<_>>().then_ignore(end());
    let result = program.parse(tokens.split_token_span(at_end)).into_result();
    let functions = result.map_err(|mut errors| {
        // Recovery may run into the same error once more.
        errors.dedup_by_key(|error| error.span().start);
        errors.iter().map(diagnostic).collect::<Vec<_>>()
    })?;
    Ok(functions.into_iter().flatten().collect())
}

fn function<'t>() -> Rule<'t, Function> {
    let parameters =
        name().separated_by(symbol(",")).collect().delimited_by(symbol("("), symbol(")"));
    keyword("def")
        .ignore_then(name())
        .then(parameters)
        .then(body())
        .map(|((name, parameters), body)| Function { name, parameters, body })
        .boxed()
}

fn body<'t>() -> Rule<'t, Vec<Statement>> {
    // After an error, continue with the next statement.
    let stops = [Token::Symbol(";"), Token::Symbol("}"), Token::Keyword("def")];
    let skipped = none_of(stops).repeated().at_least(1).map(|_| None).boxed();
    recursive(|body| {
        let end = symbol(";").recover_with(via_parser(empty()));
        let full = statement().map(Some).recover_with(via_parser(skipped));
        let full = full.then_ignore(end);
        // A statement may be empty: `;;` is fine.
        let empty = symbol(";").map(|_| None);
        choice((empty, control(body.boxed()).map(Some), full))
            .repeated()
            .collect()
            .map(|statements: Vec<Option<Statement>>| {
                statements.into_iter().flatten().collect()
            })
            .delimited_by(symbol("{"), symbol("}"))
    })
    .boxed()
}

/// What ends with a block, and needs no `;`.
fn control<'t>(body: Rule<'t, Vec<Statement>>) -> Rule<'t, Statement> {
    // After an error in a condition, continue with the block.
    let stops = [";", "{", "}"].map(Token::Symbol);
    let skipped = none_of(stops)
        .repeated()
        .map_with(|_, extra| Expr { kind: ExprKind::Number(0.0), span: extra.span() });
    let condition = expression()
        .delimited_by(symbol("("), symbol(")"))
        .recover_with(via_parser(skipped))
        .boxed();
    let otherwise = keyword("else").ignore_then(body.clone()).or_not();
    let branch = keyword("if")
        .ignore_then(condition.clone())
        .then(body.clone())
        .then(otherwise.map(Option::unwrap_or_default))
        .map(|((condition, then), otherwise)| Statement::If {
            condition,
            then,
            otherwise,
        });
    let repetition = keyword("while")
        .ignore_then(condition)
        .then(body)
        .map(|(condition, body)| Statement::While { condition, body });
    branch.or(repetition).boxed()
}

fn statement<'t>() -> Rule<'t, Statement> {
    let is_size = |size: f64| (1.0..=1e9).contains(&size) && size.fract() == 0.0;
    let size = select! { Token::Number(size) if is_size(size) => size as u64 };
    let shape = size
        .labelled("a size")
        .separated_by(symbol(","))
        .at_least(1)
        .collect()
        .delimited_by(symbol("<"), empty());
    // `>=` is one token.
    let shape =
        shape.then_ignore(symbol(">").then(symbol("=")).ignored().or(symbol(">=")));
    let var = keyword("var")
        .ignore_then(name())
        .then(shape.map(Some).or(symbol("=").to(None)))
        .then(expression())
        .map(|((name, shape), value)| Statement::Var { name, shape, value });
    let result = keyword("return")
        .ignore_then(expression().or_not())
        .map_with(|value, extra| Statement::Return(value, extra.span()));
    let assign = name()
        .then_ignore(symbol("="))
        .then(expression())
        .map(|(name, value)| Statement::Assign { name, value });
    choice((var, result, assign, expression().map(Statement::Expr))).boxed()
}

fn expression<'t>() -> Rule<'t, Expr> {
    recursive(|expression| {
        let primary = primary(expression.boxed());
        let factor = operator("*", Operator::Mul).or(operator("/", Operator::Div));
        let product = chain(primary, factor.boxed());
        let term = operator("+", Operator::Add).or(operator("-", Operator::Sub));
        let sum = chain(product, term.boxed());
        // `a < b < c` is no expression: it would compare 0 or 1 with `c`.
        let comparison = choice(
            COMPARISONS.map(|(text, number)| operator(text, Operator::Compare(number))),
        );
        sum.clone().then(comparison.then(sum).or_not()).map_with(|(lhs, rest), extra| {
            match rest {
                Some((operator, rhs)) => binary(lhs, operator, rhs, extra.span()),
                None => lhs,
            }
        })
    })
    .boxed()
}

/// With the numbers that MLIR has for them.
const COMPARISONS: [(&str, i64); 6] =
    [("==", 1), (">", 2), (">=", 3), ("<", 4), ("<=", 5), ("!=", 13)];

fn binary(lhs: Expr, operator: Operator, rhs: Expr, span: Span) -> Expr {
    let (lhs, rhs) = (Box::new(lhs), Box::new(rhs));
    Expr { kind: ExprKind::Binary { operator, lhs, rhs }, span }
}

/// `operand { operator operand }`: `a - b - c` is `(a - b) - c`.
fn chain<'t>(operand: Rule<'t, Expr>, operator: Rule<'t, Operator>) -> Rule<'t, Expr> {
    let rest = operator.then(operand.clone()).repeated();
    operand
        .foldl_with(rest, |lhs, (operator, rhs), extra| {
            binary(lhs, operator, rhs, extra.span())
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
    let expected = expected.join(" or ");
    let message = format!("expected {expected}, found {found}");
    Diagnostic::new(*error.span(), message).label(format!("expected {expected}"))
}

fn describe(pattern: &RichPattern<Token>) -> String {
    match pattern {
        RichPattern::Token(token) => format!("`{}`", **token),
        RichPattern::EndOfInput => "the end of the file".to_string(),
        other => other.to_string(),
    }
}
