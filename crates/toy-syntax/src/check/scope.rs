//! The names that are known at a place of a function.
//!
//! Input: definitions in source order, and the ends of blocks. Output: the meaning of a name, or an error.
//! Invariants: at most one variable of a name is known at a time; a variable is known until its block ends, and
//! then remembered for the message.

use super::{Checker, did_you_mean, duplicate, struct_creation};
use crate::ast::{Function, Name};
use crate::builtins::{self, is_builtin};
use crate::foreign::{Context, advice, advised};
use crate::types::{Type, Variables};
use crate::variables::{self, Kind as VariableKind};
use std::collections::{HashMap, HashSet};
use toy_diagnostics::source::Span;
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnostic, codes};

/// The names of the function being checked.
#[derive(Default)]
pub(super) struct Scope<'m> {
    pub function: Option<&'m Function>,
    /// The known variables.
    pub variables: HashMap<&'m str, Variable>,
    pub types: Variables<'m>,
    /// The known variables in the order of their definition.
    names: Vec<&'m str>,
    /// The variables whose blocks have ended, by name: the last one.
    ended: HashMap<&'m str, Ended>,
    /// True if there may be variables whose names could not be parsed.
    has_unnamed: bool,
    /// The unknown names reported so far.
    pub reported: HashSet<&'m str>,
    /// The unknown fields reported so far: the struct and the name.
    pub reported_fields: HashSet<(&'m str, &'m str)>,
    /// The known variables that are constants, with the value if it does not depend on shapes.
    pub constants: HashMap<&'m str, Option<f64>>,
    /// Which variable each name means.
    pub meanings: variables::Variables<'m>,
    /// The number of loops around the statement.
    pub loops: usize,
    /// True if the statement never runs, because a jump precedes it.
    pub is_dead: bool,
    /// The type of the result, with the place of the `return`.
    pub result: Option<(Type<'m>, Span)>,
}

#[derive(Clone, Copy)]
pub(super) struct Variable {
    pub span: Span,
    pub kind: VariableKind,
}

/// The kind of block that a variable is defined in.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Block {
    Branch,
    Loop,
}

#[derive(Clone, Copy)]
struct Ended {
    variable: Variable,
    block: Block,
    /// The place of a variable of the same name that has ended before.
    earlier: Option<Span>,
}

/// The use of a name.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Use {
    Value,
    Assignment,
}

impl<'m> Scope<'m> {
    pub fn new(function: &'m Function) -> Self {
        let meanings = variables::Variables::of(function);
        Self { function: Some(function), meanings, ..Self::default() }
    }

    /// The number of known variables.
    pub fn depth(&self) -> usize {
        self.names.len()
    }

    /// Ends a block: only the first `depth` variables stay known.
    pub fn end(&mut self, depth: usize, block: Block) {
        for name in self.names.drain(depth..) {
            self.constants.remove(name);
            if let Some(variable) = self.variables.remove(name) {
                let earlier = self.ended.get(name).map(|earlier| earlier.variable.span);
                self.ended.insert(name, Ended { variable, block, earlier });
            }
        }
    }
}

impl<'m> Checker<'m> {
    pub(super) fn define(&mut self, name: &'m Name, ty: Type<'m>, kind: VariableKind) {
        if name.text.is_empty() {
            self.scope.has_unnamed = true;
            return;
        }
        let (code, what) = match kind {
            VariableKind::Parameter => (codes::DUPLICATE_PARAMETER, "parameter"),
            _ => (codes::DUPLICATE_VARIABLE, "variable"),
        };
        match self.scope.variables.get(name.text.as_str()) {
            Some(first) => {
                let mut diagnostic = duplicate(code, what, first.span, name);
                if kind == VariableKind::Defined && first.kind == VariableKind::Defined {
                    let quoted = clipped(&name.text);
                    let help = format!(
                        "choose a different name, or assign it without `var`: `{quoted} = ...;`"
                    );
                    diagnostic = diagnostic.help(help);
                }
                self.diagnostics.push(diagnostic);
            }
            None => {
                self.scope.variables.insert(&name.text, Variable { span: name.span, kind });
                self.scope.types.insert(&name.text, ty);
                self.scope.names.push(&name.text);
            }
        }
    }

    /// True if a name means a builtin constant, such as `pi`, and no variable.
    pub(super) fn is_builtin_value(&self, name: &str) -> bool {
        builtins::value(name).is_some()
            && !self.scope.variables.contains_key(name)
            && !self.scope.ended.contains_key(name)
    }

    /// A use of a name, which should be that of a variable.
    pub(super) fn variable(&mut self, name: &'m str, span: Span, purpose: Use) {
        let is_known = self.scope.variables.contains_key(name)
            || self.scope.has_unnamed
            || purpose == Use::Value && self.is_builtin_value(name);
        if is_known || !self.scope.reported.insert(name) {
            return;
        }
        let quoted = clipped(name);
        if let Some(ended) = self.scope.ended.get(name) {
            self.diagnostics.push(maybe_unset(name, span, *ended));
            return;
        }
        let message = format!("there is no variable `{quoted}` here");
        let diagnostic = Diagnostic::error(codes::UNKNOWN_VARIABLE, message)
            .label(span, "not defined before this point");
        // The search is linear, so it is limited like the suggestions.
        let later = if self.suggestions.are_exhausted() {
            None
        } else {
            defined_after(self.scope.function, name, span)
        };
        if later.is_none() && advice(Context::Variable, name).is_some() {
            self.diagnostics.push(advised(diagnostic, Context::Variable, name, span));
            return;
        }
        let diagnostic = match later {
            Some(later) => diagnostic.label(later, format!("`{quoted}` is not defined until here")),
            None if purpose == Use::Value
                && (self.functions.contains_key(name) || is_builtin(name)) =>
            {
                diagnostic.help(format!("to call the function, write `{quoted}(...)`"))
            }
            None if self.types.structs.contains_key(name) => diagnostic.help(struct_creation(name)),
            None => match self.suggestions.nearest(name, &self.scope.names) {
                Some(nearest) => did_you_mean(diagnostic, span, nearest),
                None if purpose == Use::Assignment => {
                    let help = format!("to define a variable, write `var {quoted} = ...;`");
                    diagnostic.fix(help, Span::at(span.start), "var ")
                }
                None => diagnostic,
            },
        };
        self.diagnostics.push(diagnostic);
    }
}

/// The place of the variable's definition later on, or in the statement itself.
fn defined_after(function: Option<&Function>, name: &str, span: Span) -> Option<Span> {
    let mut later = None;
    function?.walk_all(|statement| {
        let is_later = statement.span.end > span.start;
        let defined = statement.defined().filter(|defined| is_later && defined.text == name);
        later = later.or(defined.map(|defined| defined.span));
    });
    later
}

fn maybe_unset(name: &str, span: Span, Ended { variable, block, earlier }: Ended) -> Diagnostic {
    let quoted = clipped(name);
    let place = match block {
        Block::Branch => "in this branch",
        Block::Loop => "in this loop",
    };
    let help = match variable.kind {
        VariableKind::Loop => format!(
            "keep it in a variable that is defined before the loop, `var last = 0;`, and assigned in it, \
             `last = {quoted};`"
        ),
        _ => format!(
            "define it before the block, `var {quoted} = ...;`, and assign it inside, `{quoted} = ...;`"
        ),
    };
    let diagnostic = Diagnostic::error(codes::MAYBE_UNSET, format!("`{quoted}` may be unset here"))
        .label(span, "the block that defines it has ended")
        .label(variable.span, format!("`{quoted}` is defined only {place}"));
    match earlier {
        Some(earlier) => diagnostic.label(earlier, format!("this `{quoted}` is another variable")),
        None => diagnostic,
    }
    .help(help)
}
