//! Checks gradients: `grad(f)(x)` and `value_and_grad(f, 0, 1)(x, y)`.
//!
//! Input: a call of a derivative. Output: errors: a function that has no gradient, whatever the shapes are, parameters
//! that it does not have, and several results without the struct that they are. The arguments are those of the function
//! itself.

use super::access::{is_same, with_article};
use super::{Checker, ExpectedType};
use crate::ast::{Call, Derivative, Expr, ExprKind, Function};
use crate::types::Type;
use toy_diagnostics::source::Span;
use toy_diagnostics::text::{clipped, counted};
use toy_diagnostics::{Diagnostic, codes};

impl<'m> Checker<'m> {
    /// Why the function has no gradient by these parameters. None also for an unknown function, for which the call has
    /// the error.
    pub(super) fn no_gradient(&self, call: &Call, derivative: &Derivative) -> Option<Diagnostic> {
        let (name, callee) = (clipped(&derivative.name.text), clipped(&call.callee.text));
        let error = |message: String, at: Span, label: &str| {
            Diagnostic::error(codes::NO_GRADIENT, message).label(at, label)
        };
        if !Derivative::NAMES.contains(&derivative.name.text.as_str()) {
            let message = format!("the result of `{name}` is not a function");
            let label = "this is called, and then its result";
            let help = "a gradient is written `grad(f)(x)`; a part of a tensor, `x[i]`";
            return Some(error(message, derivative.name.span, label).help(help));
        }
        let of = |message: String, label: &str| error(message, call.callee.span, label);
        if let Some(builtin) = self.types.builtin(&call.callee.text) {
            let message =
                format!("`{name}` is for functions of the program, and `{callee}` is a builtin");
            if !builtin.has_value() {
                return Some(of(message, "this returns no value"));
            }
            let help = format!(
                "define a function with a scalar result: `def g(x) {{ return ...; }}`, and write `{name}(g)(x)`"
            );
            return Some(of(message, "this is a builtin").help(help));
        }
        if call.callee.text == "main" {
            let diagnostic =
                of("`main` has no gradient".to_owned(), "this is where the program starts");
            return Some(diagnostic.help("move what it computes into another function"));
        }
        let function = self.function(&call.callee.text)?;
        let scalar = "let it return a scalar, for example a `sum`";
        let (what, label, help) = match self.types.result_of(&call.callee.text) {
            _ if !function.has_result() => {
                ("returns no value", "without a value to differentiate", scalar)
            }
            Type::Struct(_) => ("returns a struct", "a gradient is of a scalar", scalar),
            _ if function.parameters.is_empty() => (
                "has no parameters",
                "a gradient is by a parameter",
                "give it what its result depends on as a parameter",
            ),
            _ => return self.bad_parameter(function, derivative),
        };
        let defined = format!("`{callee}` is defined here");
        let diagnostic = of(format!("`{callee}` has no gradient: it {what}"), label);
        Some(diagnostic.label(function.name.span, defined).help(help))
    }

    fn bad_parameter(&self, function: &Function, derivative: &Derivative) -> Option<Diagnostic> {
        let (callee, count) = (clipped(&function.name.text), function.parameters.len());
        let written = &derivative.written;
        let is_known = |number: f64| number.fract() == 0.0 && number < count as f64;
        if let Some((number, span)) = written.iter().find(|(number, _)| !is_known(*number)) {
            let has = counted(count, "parameter");
            let message = format!("`{callee}` has {has}, and none with the number {number}");
            return Some(
                Diagnostic::error(codes::NO_GRADIENT, message)
                    .label(function.prototype, format!("`{callee}` is defined here"))
                    .label(*span, "no such parameter")
                    .help("parameters are counted from 0"),
            );
        }
        let again = written.iter().enumerate().find(|(place, (number, _))| {
            written[..*place].iter().any(|(other, _)| other == number)
        });
        let (_, (number, span)) = again?;
        let message = format!("the parameter {number} of `{callee}` is given twice");
        Some(Diagnostic::error(codes::NO_GRADIENT, message).label(*span, "a second time"))
    }

    /// `grad(f)` without the arguments of `f`.
    pub(super) fn derivative_without_arguments(&mut self, call: &'m Call, span: Span) {
        let name = &call.callee.text;
        let of = match call.arguments.first() {
            Some(Expr { kind: ExprKind::Variable(of), .. }) => clipped(of),
            _ => "f".into(),
        };
        let message = format!("`{name}(...)` is a function, not a value");
        let diagnostic = Diagnostic::error(codes::NO_GRADIENT, message)
            .label(span, "expected its arguments after it");
        self.diagnostics.push(diagnostic.help(format!("write `{name}({of})(x)`")));
    }

    /// The fields for several results: `var value; var by_x; `.
    fn fields_of_results(&self, call: &Call, derivative: &Derivative) -> String {
        let parameters = self.function(&call.callee.text).map_or(&[][..], |it| &it.parameters);
        let by = derivative.parameters().into_iter().filter_map(|number| parameters.get(number));
        let value = derivative.with_value().then(|| "value".to_owned()).into_iter();
        let names = value.chain(by.map(|it| format!("by_{}", clipped(&it.name.text))));
        let types = self.types.derivative(call);
        let field = |(name, ty): (String, &Type)| match ty {
            Type::Struct(of) => format!("{} {name}; ", clipped(&of.name.text)),
            _ => format!("var {name}; "),
        };
        names.zip(&types).map(field).collect()
    }

    /// Several results have the type of a struct literal with them as values.
    pub(super) fn results_of_derivative(
        &mut self,
        expr: &Expr,
        (call, derivative): (&'m Call, &Derivative),
        expected: &ExpectedType<'m>,
    ) {
        let is_good = self.function(&call.callee.text).is_some()
            && self.no_gradient(call, derivative).is_none();
        if derivative.results() == 1 || !is_good || matches!(expected, ExpectedType::Unknown) {
            return;
        }
        let results = self.types.derivative(call);
        let count = counted(results.len(), "result");
        let ExpectedType::Struct(definition, ..) = expected else {
            let message = format!("`{}` has {count} here: a struct", derivative.name.text);
            let diagnostic = Diagnostic::error(codes::UNTYPED_STRUCT_LITERAL, message)
                .label(expr.span, "the struct is not known")
                .help(format!(
                    "define a struct of them, and a variable of it: `struct Result {{ {}}}`",
                    self.fields_of_results(call, derivative)
                ));
            return self.diagnostics.push(diagnostic);
        };
        let quoted = clipped(&definition.name.text);
        let defined = format!("`{quoted}` is defined here");
        let fields = definition.fields.iter().map(|field| self.types.named(field.ty.as_ref()));
        let mut pairs = fields.zip(&results).enumerate();
        let is_other = |(_, (field, result)): &(usize, (Type, &Type))| {
            let is_unknown = matches!(field, Type::Unknown) || matches!(result, Type::Unknown);
            !is_unknown && !is_same(*field, **result)
        };
        let diagnostic = if definition.fields.len() != results.len() {
            let has = counted(definition.fields.len(), "field");
            let message = format!("`{quoted}` has {has}, and `{}` {count}", derivative.name.text);
            Diagnostic::error(codes::WRONG_FIELD_COUNT, message)
        } else if let Some((place, (field, result))) = pairs.find(is_other) {
            let (field, result) = (with_article(field), with_article(*result));
            let message =
                format!("field {} of `{quoted}` is {field}, the result is {result}", place + 1);
            Diagnostic::error(codes::TYPE_MISMATCH, message)
        } else {
            return;
        };
        self.diagnostics.push(
            diagnostic
                .label(expr.span, format!("this has {count}"))
                .label(definition.name.span, defined),
        );
    }
}
