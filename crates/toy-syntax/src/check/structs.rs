//! Checks the definitions of structs.
//!
//! Input: the structs of a module, in any order. Output: errors: duplicate names, unknown structs,
//! structs that contain themselves, and structs of more than [`MAX_TENSORS`] tensors or more than
//! [`MAX_DEPTH`] levels. Invariant: if there are no errors, later passes may recurse over a struct
//! and list its tensors.

use super::{Checker, duplicate};
use crate::ast::{Binding, Expr, ExprKind, Module, Name, Struct};
use crate::foreign::{Context, advice, advised};
use crate::limits::MAX_STRUCT_DEPTH as MAX_DEPTH;
use std::collections::HashMap;
use toy_diagnostics::source::Span;
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnostic, codes};

/// The most tensors of a struct, including its nested structs.
pub const MAX_TENSORS: usize = 1_024;

/// The context in which the name of a struct is used.
pub(super) enum NameUse<'e> {
    Field,
    Parameter(&'e Binding),
    /// The name and the initializer of a variable.
    Variable(&'e Name, &'e Expr),
}

impl NameUse<'_> {
    fn advise(&self, diagnostic: Diagnostic, ty: &Name) -> Diagnostic {
        let var = |help: String| diagnostic.clone().fix(help, ty.span, "var");
        let has_advice = |context| advice(context, &ty.text).is_some();
        match self {
            NameUse::Variable(..) if has_advice(Context::Import) => {
                advised(diagnostic, Context::Import, &ty.text, ty.span)
            }
            NameUse::Field => var("a tensor field is written `var name;`".to_owned()),
            NameUse::Variable(name, value) if !matches!(value.kind, ExprKind::StructLiteral(_)) => {
                var(format!("to define a tensor, write `var {}`", clipped(&name.text)))
            }
            NameUse::Variable(..) => {
                let name = clipped(&ty.text);
                diagnostic.help(format!("define it: `struct {name} {{ var field; ... }}`"))
            }
            NameUse::Parameter(parameter) if has_advice(Context::Type) => {
                let removed = Span { end: parameter.name.span.start, ..ty.span };
                advised(diagnostic, Context::Type, &ty.text, removed)
            }
            NameUse::Parameter(_) => diagnostic.help(
                "separate parameters by commas; a tensor parameter is declared by its name alone",
            ),
        }
    }
}

impl<'m> Checker<'m> {
    pub(super) fn structs(&mut self, module: &'m Module) {
        let mut first_of: HashMap<&str, &Name> = HashMap::new();
        for definition in &module.structs {
            let name = &definition.name;
            match first_of.get(name.text.as_str()) {
                _ if name.text.is_empty() => {}
                Some(first) => self.diagnostics.push(duplicate(
                    codes::DUPLICATE_STRUCT,
                    "struct",
                    first.span,
                    name,
                )),
                None => {
                    first_of.insert(&name.text, name);
                }
            }
            self.fields(definition);
        }
        self.nesting(module);
    }

    fn fields(&mut self, definition: &'m Struct) {
        let mut first_of: HashMap<&str, &Name> = HashMap::new();
        for field in &definition.fields {
            if let Some(ty) = &field.ty {
                self.known_struct(ty, NameUse::Field);
            }
            match first_of.get(field.name.text.as_str()) {
                _ if field.name.text.is_empty() => {}
                Some(first) => self.diagnostics.push(duplicate(
                    codes::DUPLICATE_FIELD,
                    "field",
                    first.span,
                    &field.name,
                )),
                None => {
                    first_of.insert(&field.name.text, &field.name);
                }
            }
        }
    }

    /// Returns true if the name is a struct's, and reports an error if it is not, with help that
    /// fits the context.
    pub(super) fn known_struct(&mut self, name: &Name, name_use: NameUse) -> bool {
        let is_known = self.types.structs.contains_key(name.text.as_str());
        if is_known || self.has_unnamed_struct || name.text.is_empty() {
            return is_known;
        }
        let is_keyword = matches!(name_use, NameUse::Variable(..))
            && ["let", "const", "auto", "val", "mut"].contains(&name.text.as_str());
        let (message, label) = match is_keyword {
            true => (format!("Toy has no `{}`", name.text), "expected `var`"),
            false => (
                format!("there is no struct `{}`", clipped(&name.text)),
                "not defined anywhere in the program",
            ),
        };
        let diagnostic = Diagnostic::error(codes::UNKNOWN_STRUCT, message).label(name.span, label);
        let mut names: Vec<&str> = self.types.structs.keys().copied().collect();
        names.sort_unstable();
        let nearest = self.suggestions.nearest(&name.text, &names);
        self.diagnostics.push(match nearest {
            Some(nearest) if advice(Context::Type, &name.text).is_none() => {
                diagnostic.fix(format!("did you mean `{nearest}`?"), name.span, nearest)
            }
            _ => name_use.advise(diagnostic, name),
        });
        false
    }

    /// Checks cycles and sizes, by a depth-first search without recursion.
    fn nesting(&mut self, module: &'m Module) {
        #[derive(Clone, Copy)]
        enum State {
            Open,
            /// The number of tensors and the depth.
            Done(usize, usize),
            /// An error is reported, which is not repeated for the enclosing structs.
            TooLarge,
        }
        let mut states: HashMap<&str, State> = HashMap::new();
        for root in &module.structs {
            if states.contains_key(root.name.text.as_str()) || !self.is_the(root) {
                continue;
            }
            states.insert(&root.name.text, State::Open);
            let mut path: Vec<(&Struct, usize)> = vec![(root, 0)];
            while let Some((current, next)) = path.last_mut() {
                let current: &Struct = current;
                let Some(field) = current.fields.get(*next) else {
                    path.pop();
                    let size = current.fields.iter().try_fold((0, 0), |(sum, deepest), field| {
                        let name = field.ty.as_ref().map(|name| name.text.as_str());
                        let (tensors, depth) = match name.and_then(|name| states.get(name)) {
                            Some(State::Done(tensors, depth)) => (*tensors, *depth),
                            // Still open: it contains itself, which is a different error.
                            Some(State::TooLarge | State::Open) => return None,
                            None => (1, 0),
                        };
                        Some((sum + tensors, deepest.max(depth + 1)))
                    });
                    let state = match size {
                        Some((tensors, depth)) if tensors <= MAX_TENSORS && depth <= MAX_DEPTH => {
                            State::Done(tensors, depth)
                        }
                        Some((tensors, depth)) => {
                            self.diagnostics.push(too_large(current, tensors, depth));
                            State::TooLarge
                        }
                        None => State::TooLarge,
                    };
                    states.insert(&current.name.text, state);
                    continue;
                };
                *next += 1;
                let Some(name) = &field.ty else { continue };
                let Some(inner) = self.types.structs.get(name.text.as_str()).copied() else {
                    continue;
                };
                match states.get(name.text.as_str()) {
                    None => {
                        states.insert(&inner.name.text, State::Open);
                        path.push((inner, 0));
                    }
                    Some(State::Open) => {
                        // Each struct with the field that leads to the next one.
                        let cycle: Vec<(&Struct, Span)> = path
                            .iter()
                            .map(|(definition, next)| {
                                (*definition, definition.fields[next - 1].span)
                            })
                            .skip_while(|(definition, _)| definition.name.text != inner.name.text)
                            .collect();
                        self.diagnostics.push(contains_itself(&cycle));
                    }
                    Some(State::Done(..) | State::TooLarge) => {}
                }
            }
        }
    }

    /// True if the name of the struct refers to this definition.
    fn is_the(&self, definition: &Struct) -> bool {
        self.types
            .structs
            .get(definition.name.text.as_str())
            .is_some_and(|known| std::ptr::eq(*known, definition))
    }
}

fn contains_itself(cycle: &[(&Struct, Span)]) -> Diagnostic {
    const SHOWN: usize = 8;
    let first = cycle.first().map_or("", |(definition, _)| definition.name.text.as_str());
    let message = format!("the struct `{}` contains itself", clipped(first));
    let mut diagnostic = Diagnostic::error(codes::RECURSIVE_STRUCT, message);
    let inner = |index: usize| clipped(&cycle[(index + 1) % cycle.len()].0.name.text);
    if let Some(((_, field), others)) = cycle.split_last() {
        diagnostic = diagnostic.label(*field, "this field makes it infinitely large");
        for (index, (outer, field)) in others.iter().enumerate().take(SHOWN) {
            let outer = clipped(&outer.name.text);
            diagnostic = diagnostic.label(*field, format!("`{outer}` contains `{}`", inner(index)));
        }
        if others.len() > SHOWN {
            diagnostic = diagnostic.note(format!("through {} more structs", others.len() - SHOWN));
        }
    }
    diagnostic.help("remove this field, or make it a tensor: `var name;`")
}

fn too_large(definition: &Struct, tensors: usize, depth: usize) -> Diagnostic {
    let quoted = clipped(&definition.name.text);
    let diagnostic = if tensors > MAX_TENSORS {
        let message = format!("the struct `{quoted}` has too many fields");
        let label =
            format!("more than {MAX_TENSORS} tensors in total, including those of nested structs");
        Diagnostic::error(codes::STRUCT_TOO_LARGE, message).label(definition.name.span, label)
    } else {
        let message = format!("the struct `{quoted}` is nested too deeply");
        let label = format!("{depth} nested structs; the limit is {MAX_DEPTH}");
        Diagnostic::error(codes::STRUCT_TOO_LARGE, message).label(definition.name.span, label)
    };
    diagnostic.help("use tensors with more dimensions instead of many fields")
}
