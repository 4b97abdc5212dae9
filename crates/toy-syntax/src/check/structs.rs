//! Checks the definitions of structs.
//!
//! Input: the structs of a module, in any order. Output: errors: duplicate names, unknown structs,
//! structs that contain themselves, and structs of more than [`MAX_TENSORS`] tensors or more than
//! [`MAX_DEPTH`] levels. Invariant: if there are no errors, later passes may recurse over a struct
//! and list its tensors.

use super::{Checker, did_you_mean, duplicate};
use crate::ast::{Binding, Expr, ExprKind, Module, Name, Struct};
use crate::call_graph::{CallGraph, Edge, indices};
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
        self.distinct(codes::DUPLICATE_STRUCT, "struct", module.structs.iter().map(|it| &it.name));
        for definition in &module.structs {
            for ty in definition.fields.iter().filter_map(|field| field.ty.as_ref()) {
                self.known_struct(ty, NameUse::Field);
            }
            let names = definition.fields.iter().map(|field| &field.name);
            self.distinct(codes::DUPLICATE_FIELD, "field", names);
        }
        self.nesting(module);
    }

    /// Reports names that are defined again.
    fn distinct(&mut self, code: codes::Code, what: &str, names: impl Iterator<Item = &'m Name>) {
        let mut first_of: HashMap<&str, &Name> = HashMap::new();
        for name in names.filter(|name| !name.text.is_empty()) {
            let first = first_of.entry(&name.text).or_insert(name);
            if !std::ptr::eq(*first, name) {
                self.diagnostics.push(duplicate(code, what, first.span, name));
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
                did_you_mean(diagnostic, name.span, nearest)
            }
            _ => name_use.advise(diagnostic, name),
        });
        false
    }

    /// Checks cycles and sizes.
    fn nesting(&mut self, module: &'m Module) {
        let structs = &module.structs;
        let indices = indices(structs.iter().map(|definition| &definition.name));
        let index_of = |name: &Name| indices.get(name.text.as_str()).copied();
        let inner = |field: &Binding| field.ty.as_ref().and_then(index_of);
        let edge = |field: &Binding| Some(Edge { callee: inner(field)?, span: field.span });
        let is_first = |index: usize| index_of(&structs[index].name) == Some(index);
        let fields = |index: usize| structs[index].fields.iter().filter(move |_| is_first(index));
        let edges = (0..structs.len()).map(|index| fields(index).filter_map(edge).collect());
        let graph = CallGraph::of(edges.collect());
        for cycle in graph.cycles(|_, _| true, |_| true) {
            let cycle = cycle.iter().map(|(index, field)| (&structs[*index], field.span));
            self.diagnostics.push(contains_itself(&cycle.collect::<Vec<_>>()));
        }
        // The number of tensors and the depth; None after an error, which is not repeated for the enclosing structs.
        let mut sizes = vec![None; structs.len()];
        for index in graph.callees_first {
            let size = fields(index).try_fold((0, 0), |(sum, deepest), field| {
                let (tensors, depth) = inner(field).map_or(Some((1, 0)), |inner| sizes[inner])?;
                Some((sum + tensors, deepest.max(depth + 1)))
            });
            match size {
                Some((tensors, depth)) if tensors > MAX_TENSORS || depth > MAX_DEPTH => {
                    self.diagnostics.push(too_large(&structs[index], tensors, depth));
                }
                _ => sizes[index] = size,
            }
        }
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
    let (problem, label) = if tensors > MAX_TENSORS {
        let label = "tensors in total, including those of nested structs";
        ("has too many fields", format!("more than {MAX_TENSORS} {label}"))
    } else {
        ("is nested too deeply", format!("{depth} nested structs; the limit is {MAX_DEPTH}"))
    };
    Diagnostic::error(codes::STRUCT_TOO_LARGE, format!("the struct `{quoted}` {problem}"))
        .label(definition.name.span, label)
        .help("use tensors with more dimensions instead of many fields")
}
