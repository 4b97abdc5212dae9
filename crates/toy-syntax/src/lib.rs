//! The front end of Toy: from source text to a checked syntax tree. Needs no LLVM.
//!
//! Input: a [`Source`]. Output: its [`ast::Module`] and a list of [`Diagnostic`]s. [`parse`] checks
//! the syntax, [`analyze`] also names and types (but not shapes, which depend on calls), and adds
//! warnings. Invariants: [`parse`] and [`analyze`] never fail and never panic, whatever the text
//! is; one error is one diagnostic; diagnostics are in source order. Text that could not be parsed
//! is an [`ast::ExprKind::Error`] in the tree, or a definition with an empty name; a diagnostic
//! about it exists already, so later checks ignore it. Later stages may use a tree only if there
//! are no errors; warnings are reported only about such a tree.
//!
//! ```
//! use toy_diagnostics::render::render_short;
//! use toy_diagnostics::source::Source;
//! use toy_syntax::{analyze, unparse};
//!
//! let source = Source::new("f.toy", "def main() { print(a); }");
//! let (_, diagnostics) = analyze(&source);
//! assert_eq!(
//!     render_short(&diagnostics, Some(&source)),
//!     "f.toy:1:20: error[E0201]: there is no variable `a` here\n"
//! );
//!
//! let source = Source::new("f.toy", "def main() { print((1)+2); }");
//! let (module, diagnostics) = analyze(&source);
//! assert!(diagnostics.is_empty());
//! assert_eq!(unparse::unparse(&module), "def main() {\n  print(1 + 2);\n}\n");
//! ```
//!
//! Tutorial: chapter 1; the checks of names: chapter 2.

#![deny(missing_docs)]

pub mod ast;
pub mod builtins;
mod call_graph;
pub mod check;
mod consequences;
pub mod dump;
pub mod element;
mod expression;
mod foreign;
mod intact;
pub mod lexer;
pub mod limits;
mod lint;
mod parse_error;
mod parser;
mod program;
mod recovery;
mod row;
mod rule;
pub mod shape;
mod strings;
pub mod token;
pub mod types;
pub mod unparse;
mod variables;
pub mod window;

#[cfg(test)]
mod tests;

use ast::Module;
use consequences::Statements;
pub use intact::{intact, without_parameters};
use toy_diagnostics::Diagnostic;
use toy_diagnostics::source::Source;

/// Parses a program. Returns its tree and the syntax errors; if the program exceeds one of the
/// [`limits`], the tree is empty.
pub fn parse(source: &Source) -> (Module, Vec<Diagnostic>) {
    let (module, diagnostics, _) = parse_statements(source);
    (module, diagnostics)
}

/// The same, with the statements that the text consists of.
fn parse_statements(source: &Source) -> (Module, Vec<Diagnostic>, Statements) {
    let (tokens, mut diagnostics) = lexer::lex(source);
    let statements = Statements::new(&tokens);
    let mut module = Module::default();
    let mut exceeded = limits::check_limits(&tokens);
    if exceeded.is_none() {
        let errors;
        (module, errors) = parser::parse_tokens(&tokens, &source.text);
        diagnostics.extend(errors);
        statements.first_errors(&module, &mut diagnostics);
        exceeded = limits::check_blocks(&module);
    }
    if let Some(diagnostic) = exceeded {
        diagnostics.push(diagnostic);
        module = Module::default();
    }
    in_order_of_text(&mut diagnostics);
    if diagnostics.first().is_some_and(foreign::is_about_mlir) {
        // Nothing else is Toy either.
        diagnostics.truncate(1);
        module = Module::default();
    }
    (module, diagnostics, statements)
}

/// Parses and checks a program. Returns its tree and its errors, or its warnings if there are no
/// errors.
pub fn analyze(source: &Source) -> (Module, Vec<Diagnostic>) {
    analyze_as(source, false)
}

/// The same for a library: it needs no `main`, and its functions are there for other programs.
pub fn analyze_library(source: &Source) -> (Module, Vec<Diagnostic>) {
    analyze_as(source, true)
}

fn analyze_as(source: &Source, is_library: bool) -> (Module, Vec<Diagnostic>) {
    let (module, mut diagnostics, statements) = parse_statements(source);
    // The tree of a program that exceeds a limit is empty: its lack of `main` is not an error.
    let is_readable = diagnostics.is_empty() || !module.functions.is_empty();
    if is_readable {
        let mut errors = check::check(&module, is_library);
        errors.retain(|error| !statements.explain(error, &diagnostics, &module));
        consequences::merge_split_names(&mut errors);
        statements.drop_strings(&module, &errors, &mut diagnostics);
        diagnostics.extend(errors);
        in_order_of_text(&mut diagnostics);
    }
    if diagnostics.is_empty() {
        diagnostics = lint::lint(&module, is_library);
    }
    (module, diagnostics)
}

/// Sorts diagnostics by the locations of their first labels.
pub fn in_order_of_text(diagnostics: &mut [Diagnostic]) {
    diagnostics.sort_by_key(|diagnostic| diagnostic.labels.first().map(|label| label.span.start));
}
