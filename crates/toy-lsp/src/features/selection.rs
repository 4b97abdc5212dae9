//! Selection ranges: from the word at a position to the whole file, each part inside of the next.
//!
//! Input: positions. Output: for each, the innermost range with its parents. The parts are a token, the expressions, the
//! statements and the blocks around it, the function, and everything.

use super::View;
use gen_lsp_types::{Position, SelectionRange};
use toy_diagnostics::source::Span;
use toy_syntax::ast::{Statement, walk_all};

pub fn ranges(view: &View, positions: &[Position]) -> Vec<SelectionRange> {
    let tokens = view.analysis.tokens();
    let tokens: Vec<Span> = tokens.iter().map(|(_, span)| *span).collect();
    positions.iter().map(|position| around(view, &tokens, view.offset(*position))).collect()
}

fn around(view: &View, tokens: &[Span], offset: u32) -> SelectionRange {
    let contains = |span: &Span| span.start <= offset && offset <= span.end;
    let next = tokens.partition_point(|span| span.start <= offset);
    let mut parts: Vec<Span> = tokens[next.saturating_sub(1)..next].to_vec();
    let module = &view.analysis.module;
    for structure in &module.structs {
        parts.push(structure.span);
    }
    for function in module.functions.iter().filter(|function| contains(&function.span)) {
        parts.extend([function.span, function.prototype]);
        walk_all(&function.body, |statement: &Statement| {
            parts.push(statement.span);
            statement.walk_exprs(|expr| parts.push(expr.span));
            parts.extend(statement.bodies().iter().map(|body| body.span));
        });
    }
    parts.push(Span::new(0, view.text().len()));
    parts.retain(contains);
    parts.sort_by_key(|span| (span.end - span.start, span.start));
    // Parts that the parser made up in recovery may overlap: a parent contains its child.
    let mut chain: Vec<Span> = Vec::new();
    for part in parts {
        let grows = chain.last().is_none_or(|inner| {
            part != *inner && part.start <= inner.start && inner.end <= part.end
        });
        if grows {
            chain.push(part);
        }
    }
    let outermost = None;
    let nested = chain.into_iter().rev().fold(outermost, |parent: Option<SelectionRange>, span| {
        Some(SelectionRange { range: view.range(span), parent: parent.map(Box::new) })
    });
    nested.unwrap_or_default()
}
