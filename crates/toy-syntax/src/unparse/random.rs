//! Random trees survive unparsing and parsing.
//!
//! Names are often words that start a branch or a loop in other languages.

use super::unparse;
use crate::ast::*;
use crate::parse;
use toy_diagnostics::source::{Source, Span};

const NAMES: [&str; 9] = ["a", "b", "x1", "elif", "not", "and", "do", "loop", "f"];
const SPAN: Span = Span { start: 0, end: 0 };

struct Trees(u64);

impl Trees {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }

    fn name(&mut self) -> Name {
        Name { text: NAMES[self.below(NAMES.len())].to_owned(), span: SPAN }
    }

    fn some<T>(&mut self, least: usize, make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let (count, mut make) = (least + self.below(3), make);
        (0..count).map(|_| make(self)).collect()
    }

    fn number(&mut self) -> Expr {
        let value = [0.0, 1.0, 2.5, 1e-7, 1e20][self.below(5)];
        let sign = if self.below(3) == 0 { -1.0 } else { 1.0 };
        of(ExprKind::Number(sign * value))
    }

    fn expr(&mut self, depth: usize) -> Expr {
        if depth == 0 {
            let name = self.name().text;
            return if self.below(2) == 0 { self.number() } else { of(ExprKind::Variable(name)) };
        }
        let depth = depth - 1;
        match self.below(10) {
            0 => self.expr(0),
            1 => of(ExprKind::Literal(self.some(1, |trees| trees.expr(depth)))),
            2 => of(ExprKind::StructLiteral(self.some(1, |trees| trees.expr(depth)))),
            3 | 4 => self.call(depth),
            5 => {
                let base = self.expr(depth);
                of(ExprKind::Access(Box::new(Access { base, fields: self.some(1, Self::name) })))
            }
            6 => {
                let base = self.expr(depth);
                let subscripts = self.some(1, |trees| trees.subscript(depth));
                of(ExprKind::Index(Box::new(Index { base, subscripts })))
            }
            7 => {
                let operand = self.expr(depth);
                let operators = self.some(1, |trees| {
                    let negate = trees.below(2) == 0;
                    (if negate { UnaryOperator::Negate } else { UnaryOperator::Not }, SPAN)
                });
                of(ExprKind::Unary(Box::new(Unary { operators, operand })))
            }
            _ => self.chain(depth),
        }
    }

    fn chain(&mut self, depth: usize) -> Expr {
        let precedence = Precedence::ALL[self.below(Precedence::ALL.len())];
        let all = BinaryOperator::ALL.iter().copied();
        let level: Vec<_> = all.filter(|it| it.precedence() == precedence).collect();
        let first = self.expr(depth);
        let mut rest = self.some(1, |trees| Link {
            operator: level[trees.below(level.len())],
            operator_span: SPAN,
            operand: trees.expr(depth),
        });
        if precedence == Precedence::Comparison {
            rest.truncate(1);
        }
        of(ExprKind::Chain(Box::new(Chain { first, rest })))
    }

    fn call(&mut self, depth: usize) -> Expr {
        let is_print = self.below(3) == 0;
        let callee =
            if is_print { Name { text: "print".to_owned(), span: SPAN } } else { self.name() };
        let arguments = self.some(0, |trees| {
            let text = ["", "text", "a\n\t\"\\", "é # ;"][trees.below(4)].to_owned();
            let is_string = is_print && trees.below(2) == 0;
            if is_string { of(ExprKind::String(text)) } else { trees.expr(depth) }
        });
        let named = match self.below(4) {
            0 => self.some(1, |trees| (trees.name(), trees.expr(depth))),
            _ => Vec::new(),
        };
        let derivative = (!is_print && self.below(6) == 0).then(|| {
            let name = self.name();
            let written = self.some(0, |trees| ([0.0, 1.0, 2.0][trees.below(3)], SPAN));
            Derivative { name, written }
        });
        of(ExprKind::Call(Box::new(Call { derivative, callee, arguments, named })))
    }

    fn subscript(&mut self, depth: usize) -> Subscript {
        let first = self.expr(depth);
        if self.below(2) == 0 {
            Subscript::At(first)
        } else {
            let part = |trees: &mut Self| (trees.below(3) > 0).then(|| trees.expr(depth));
            let (from, to, step) = (part(self), part(self), part(self));
            Subscript::Range(Box::new(Slice { from, to, step, span: SPAN }))
        }
    }

    fn body(&mut self, depth: usize) -> Body {
        Body { statements: self.some(0, |trees| trees.statement(depth)), span: SPAN }
    }

    fn statement(&mut self, depth: usize) -> Statement {
        let value = self.expr(3);
        let kind = match self.below(if depth == 0 { 7 } else { 10 }) {
            0 => StatementKind::Expr(value),
            1 => StatementKind::Return((self.below(2) == 0).then_some(value)),
            2 => {
                let sizes = self.some(0, |trees| match trees.below(3) {
                    0 => match trees.expr(depth) {
                        Expr { kind: ExprKind::Number(_), .. } => of(ExprKind::Number(7.0)),
                        other => other,
                    },
                    size => of(ExprKind::Number([1.0, 2.0][size - 1])),
                });
                let ty = match self.below(3) {
                    0 => DeclaredType::Inferred,
                    1 => DeclaredType::Tensor(DeclaredShape { sizes, span: SPAN }),
                    _ => DeclaredType::Struct(self.name()),
                };
                StatementKind::VarDecl { ty, name: self.name(), value }
            }
            3 | 4 => {
                let subscripts = if self.below(2) == 0 {
                    Vec::new()
                } else {
                    self.some(1, |trees| trees.subscript(2))
                };
                let fields = self.some(0, Self::name);
                StatementKind::Assign(Box::new(Assignment {
                    name: self.name(),
                    fields,
                    subscripts,
                    target: SPAN,
                    value,
                }))
            }
            5 => StatementKind::Expr(self.call(2)),
            6 if self.below(2) == 0 => StatementKind::Break,
            6 => StatementKind::Continue,
            7 => {
                let arms = self
                    .some(1, |trees| Arm { condition: trees.expr(2), body: trees.body(depth - 1) });
                let otherwise = (self.below(2) == 0).then(|| self.body(depth - 1));
                StatementKind::If(Box::new(If { arms, otherwise }))
            }
            8 => StatementKind::While(Box::new(While {
                condition: value,
                body: self.body(depth - 1),
            })),
            _ => StatementKind::For(Box::new(For {
                variable: self.name(),
                first: value,
                end: self.expr(2),
                step: (self.below(2) == 0).then(|| self.expr(2)),
                body: self.body(depth - 1),
            })),
        };
        Statement { kind, span: SPAN }
    }
}

fn of(kind: ExprKind) -> Expr {
    Expr { kind, span: SPAN }
}

/// The tree as text, but for the spans.
fn without_spans(body: &[Statement]) -> String {
    let text = format!("{body:?}");
    let mut parts = text.split("Span { ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| text + part.split_once('}').map_or("", |(_, rest)| rest))
}

#[test]
fn every_tree_is_what_its_text_parses_to() {
    let mut trees = Trees(0x9e37_79b9_7f4a_7c15);
    for _ in 0..2_000 {
        let body = trees.body(3).statements;
        let name = Name { text: "main".to_owned(), span: SPAN };
        let main = Function {
            name,
            parameters: Vec::new(),
            body: body.clone(),
            prototype: SPAN,
            span: SPAN,
        };
        let text = unparse(&Module { structs: Vec::new(), functions: vec![main] });
        let source = Source::new("t", text.as_str());
        let (module, diagnostics) = parse(&source);
        assert_eq!(diagnostics, [], "{text}");
        assert_eq!(without_spans(&module.functions[0].body), without_spans(&body), "{text}");
        assert_eq!(unparse(&module), text);
    }
}
