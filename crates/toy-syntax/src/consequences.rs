//! Errors that follow from another one: one mistake is one message.
//!
//! Input: the tokens, the syntax errors, and the errors of the checks. Output: the errors without those that a syntax
//! error explains. Invariants: the first syntax error always stays; an error in a statement without a syntax error
//! goes only if its name may be one that a damaged definition defines; all that is held back reappears once the first
//! error is fixed.

use super::ast::Module;
use super::program::TokenSlice;
use super::token::Token;
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

    /// Keeps the first syntax error of each statement, and drops errors between definitions after an earlier error,
    /// which may have ended a definition too early.
    pub fn first_errors(&self, module: &Module, errors: &mut Vec<Diagnostic>) {
        // The error that ends first: `f(i,, x = 1)` is an error at the comma, and also the assignment of a call.
        errors.sort_by_key(|error| place(error).map(|span| (self.of(span.start), span.end)));
        let mut last = None;
        errors.retain(|error| {
            let Some(span) = place(error) else { return true };
            let previous = last;
            if is_damage(error) {
                last = Some(self.of(span.start));
            }
            let is_outside = || {
                let mut functions = module.functions.iter().map(|function| function.span);
                let mut structs = module.structs.iter().map(|definition| definition.span);
                let is_around = |definition: Span| {
                    definition.start <= span.start && span.start < definition.end
                };
                !functions.any(is_around) && !structs.any(is_around)
            };
            previous.is_none_or(|previous| previous != self.of(span.start) && !is_outside())
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
        let damaged = || damage().map(|span| self.of(span.start));
        let is_in_damaged = |at: Span| {
            damaged().any(|statement| (self.of(at.start)..=self.of(at.end)).contains(&statement))
        };
        // The skipped text may have been a `return`, the value of one, or the name of a definition.
        match error.code {
            _ if damaged().next().is_none() => false,
            codes::MIXED_RETURNS | codes::MISSING_RETURN | codes::NO_VALUE => true,
            codes::UNKNOWN_FUNCTION | codes::NO_MAIN
                if module
                    .functions
                    .iter()
                    .any(|it| damage().any(|at| at.start == it.name.span.end)) =>
            {
                true
            }
            _ => place(error).is_some_and(is_in_damaged),
        }
    }
}

/// True for an error after which the rest of a statement may be misread. A missing `;` has an empty place, and the next
/// statement follows.
fn is_damage(error: &Diagnostic) -> bool {
    place(error).is_some_and(|span| span.start < span.end)
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
