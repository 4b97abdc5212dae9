//! From text to a syntax tree whose names are right.
//!
//! Input: a [`Source`]. Output: its [`ast::Module`] and everything that is wrong with it.
//! Invariants: [`parse`] never fails and never panics, whatever the text; one mistake is one
//! diagnostic; the diagnostics are in the order of the text. What the parser could not read is
//! [`ast::ExprKind::Error`] in the tree, or a definition with an empty name; whoever sees one
//! knows that a diagnostic exists and says nothing. A tree is for later stages only if there is no
//! error; there are warnings only about such a tree.
//!
//! Tutorial: chapter 1; the checks of names: chapter 2.

pub mod ast;
mod builtins;
mod call_graph;
pub mod check;
pub mod dump;
mod expression;
pub mod lexer;
pub mod limits;
mod lint;
mod parse_error;
mod parser;
mod recovery;
pub mod shape;
pub mod token;
pub mod types;
pub mod unparse;

#[cfg(test)]
mod tests;

use ast::Module;
use toy_diagnostics::Diagnostic;
use toy_diagnostics::source::Source;

/// The tree of a program; the empty module where the program exceeds a limit (with a diagnostic).
pub fn parse(source: &Source) -> (Module, Vec<Diagnostic>) {
    let (tokens, mut diagnostics) = lexer::lex(source);
    let module = match limits::check_limits(&tokens) {
        Some(diagnostic) => {
            diagnostics.push(diagnostic);
            Module::default()
        }
        None => {
            let (module, complaints) = parser::parse_tokens(&tokens, &source.text);
            diagnostics.extend(complaints);
            module
        }
    };
    in_order_of_text(&mut diagnostics);
    (module, diagnostics)
}

/// [`parse`] and [`check::check`] together: all that is wrong with a program, or, if that is nothing,
/// what [`lint`] has to say.
pub fn analyze(source: &Source) -> (Module, Vec<Diagnostic>) {
    let (module, mut diagnostics) = parse(source);
    // Of a program beyond the limits there is no tree in which something could be missing.
    let is_readable = diagnostics.is_empty() || !module.functions.is_empty();
    if is_readable {
        diagnostics.extend(check::check(&module));
        in_order_of_text(&mut diagnostics);
    }
    if diagnostics.is_empty() {
        diagnostics = lint::lint(&module);
    }
    (module, diagnostics)
}

/// Sorts diagnostics by the places of their first labels.
pub fn in_order_of_text(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by_key(|diagnostic| diagnostic.labels.first().map(|label| label.span.start));
}
