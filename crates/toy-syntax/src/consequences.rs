//! Errors that follow from another one: one mistake is one message.
//!
//! Input: the tokens, the syntax errors, and the errors of the checks. Output: the errors without those that a syntax
//! error explains. Invariants: the first syntax error always stays; an error in a statement without a syntax error
//! goes only if its name may be one that a damaged definition defines; all that is held back reappears once the first
//! error is fixed.

use super::ast::{ExprKind, Module, Name};
use super::program::TokenSlice;
use super::token::Token;
use std::collections::HashSet;
use toy_diagnostics::source::Span;
use toy_diagnostics::{Diagnostic, codes};

/// The statements of a text: what lies between `;`, `{` and `}`.
pub struct Statements {
    /// Where the separators start.
    separators: Vec<u32>,
}

impl Statements {
    pub fn new(tokens: TokenSlice<'_>) -> Self {
        let is_separator =
            |token| matches!(token, Token::Semicolon | Token::OpenBrace | Token::CloseBrace);
        let separators = tokens.iter().filter(|(token, _)| is_separator(*token));
        Self { separators: separators.map(|(_, span)| span.start).collect() }
    }

    /// The number of the statement that an error is in. A separator belongs to the statement that it ends.
    fn of(&self, place: u32) -> usize {
        self.separators.partition_point(|separator| *separator < place)
    }

    /// Keeps the first damage of each statement, and drops errors after the end of a damaged definition, which may have
    /// ended too early.
    pub fn first_errors(&self, module: &Module, errors: &mut Vec<Diagnostic>) {
        // The error that ends first: `f(i,, x = 1)` is an error at the comma, and also the assignment of a call.
        errors.sort_by_key(|error| place(error).map(|span| (self.of(span.start), span.end)));
        let definitions = definitions(module);
        let mut last: Option<Span> = None;
        errors.retain(|error| {
            let Some(span) = place(error) else { return true };
            let definition = definitions.iter().rfind(|definition| definition.start <= span.start);
            let follows = |last: Span| {
                let is_behind = |it: &Span| it.start <= last.start && it.end <= span.start;
                self.of(last.start) == self.of(span.start) || definition.is_some_and(is_behind)
            };
            let is_kept = !last.is_some_and(follows);
            last = if is_damage(error) { Some(span) } else { last };
            is_kept
        });
    }

    /// True if an error of names or types follows from one of the syntax errors.
    pub fn explain(
        &self,
        error: &Diagnostic,
        syntax_errors: &[Diagnostic],
        module: &Module,
    ) -> bool {
        let damage = || syntax_errors.iter().filter(|error| is_damage(error)).filter_map(place);
        let Some(at) = place(error) else { return false };
        let statements = self.of(at.start)..=self.of(at.end);
        let is_in_damaged = damage().any(|span| statements.contains(&self.of(span.start)));
        let is_damaged_name = |name: &Name| damage().any(|span| span.start == name.span.end);
        is_in_damaged
            || match error.code {
                // The skipped text may have been a `return`, or the value of one.
                codes::MIXED_RETURNS | codes::MISSING_RETURN => !syntax_errors.is_empty(),
                codes::NO_VALUE => error.labels.last().is_some_and(|callee| {
                    let definitions = definitions(module);
                    let index = definitions.partition_point(|it| it.start <= callee.span.start);
                    let end = definitions.get(index).map_or(u32::MAX, |next| next.start);
                    damage().any(|span| callee.span.start < span.start && span.start < end)
                }),
                codes::UNKNOWN_FUNCTION | codes::NO_MAIN => {
                    module.functions.iter().any(|function| is_damaged_name(&function.name))
                }
                _ => false,
            }
    }

    /// Drops the errors about strings in statements that call a function which does not exist: `load("a.npy")`.
    pub fn drop_strings(&self, module: &Module, errors: &[Diagnostic], read: &mut Vec<Diagnostic>) {
        let unknown = errors.iter().filter(|error| error.code == codes::UNKNOWN_FUNCTION);
        let places: HashSet<Span> = unknown.filter_map(place).collect();
        // An unknown name is reported once in a function.
        let (mut names, mut calling) = (HashSet::new(), HashSet::new());
        for function in module.functions.iter().filter(|_| !places.is_empty()) {
            function.walk_all(|statement| {
                statement.walk_exprs(|expr| {
                    if let ExprKind::Call(call) = &expr.kind
                        && let Name { text, span } = &call.callee
                        && (places.contains(span) || names.contains(text))
                    {
                        names.insert(text);
                        calling.insert(self.of(span.start));
                    }
                });
            });
        }
        let is_in_call = |span: Span| calling.contains(&self.of(span.start));
        read.retain(|it| it.code != codes::MISPLACED_STRING || !place(it).is_some_and(is_in_call));
    }
}

/// The places of the definitions, in source order.
fn definitions(module: &Module) -> Vec<Span> {
    let functions = module.functions.iter().map(|function| (&function.name, function.span));
    let structs = module.structs.iter().map(|definition| (&definition.name, definition.span));
    // One without a name stands for skipped text.
    let named = functions.chain(structs).filter(|(name, _)| !name.text.is_empty());
    let mut places: Vec<Span> = named.map(|(_, span)| span).collect();
    places.sort_by_key(|span| span.start);
    places
}

/// True for an error after which the rest of a statement may be misread: not a missing `;`, which has an empty place,
/// and none that is fixed by other words, such as `and`, unless the token was unexpected.
fn is_damage(error: &Diagnostic) -> bool {
    let is_understood = error.help.as_ref().is_some_and(|help| !help.edits.is_empty())
        && !error.message.starts_with("expected ");
    !is_understood
        && place(error).is_some_and(|span| span.start < span.end)
        && matches!(
            error.code,
            codes::UNEXPECTED_TOKEN | codes::UNKNOWN_CHARACTER | codes::BAD_STRING
        )
}

fn place(error: &Diagnostic) -> Option<Span> {
    error.labels.first().map(|label| label.span)
}

/// Drops unknown names that follow another one after a single character, which is most likely the mistake: `n*xt`.
pub fn merge_split_names(errors: &mut Vec<Diagnostic>) {
    let mut end = None;
    errors.retain(|error| {
        let is_name = matches!(error.code, codes::UNKNOWN_VARIABLE | codes::UNKNOWN_FUNCTION);
        let Some(span) = place(error).filter(|_| is_name) else { return true };
        let is_rest = end == span.start.checked_sub(1);
        end = (error.code == codes::UNKNOWN_VARIABLE).then_some(span.end);
        !is_rest
    });
}
