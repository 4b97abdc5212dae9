//! Checks calls of functions and builtins.
//!
//! Input: a call. Output: errors: an unknown function, too few or too many arguments, arguments of another type, names
//! of arguments that do not exist. Invariant: a function of the program comes
//! before a builtin of its name, except for reserved builtins.

use super::{Checker, ExpectedType, did_you_mean, struct_creation};
use crate::ast::{Binding, Call, Derivative, Expr, ExprKind, Function, Name};
use crate::builtins::{BUILTINS, Builtin, Constants, MOST_DIGITS, MOST_WIDTH};
use crate::foreign::{Context, advice, advised};
use crate::types::Type;
use crate::unparse;
use toy_diagnostics::source::Span;
use toy_diagnostics::text::{clipped, counted, number};
use toy_diagnostics::{Diagnostic, codes};

impl<'m> Checker<'m> {
    pub(super) fn call(&mut self, call: &'m Call, span: Span) {
        let Name { text: callee, span: callee_span } = &call.callee;
        if let Some(derivative) = &call.derivative
            && let Some(error) = self.no_gradient(call, derivative)
        {
            self.diagnostics.push(error);
            return self.arguments(call, None);
        }
        if let Some(builtin) = self.types.builtin(callee)
            && Derivative::NAMES.contains(&builtin.name)
        {
            return self.derivative_without_arguments(call, span);
        }
        if let Some(builtin) = self.types.builtin(callee) {
            self.builtin_call(call, span, builtin);
            return;
        }
        if let Some(function) = self.function(callee) {
            // With too few or too many arguments, it is not known which one is meant for which parameter.
            let (given, expected) = (call.arguments.len(), function.parameters.len());
            let is_paired = given == expected;
            self.arguments(call, is_paired.then_some(function));
            let is_unreadable = |parameter: &Binding| {
                let ty = self.types.named(parameter.ty.as_ref());
                parameter.name.text.is_empty() || matches!(ty, Type::Unknown)
            };
            let is_unreadable = function.parameters.iter().any(is_unreadable);
            if !is_paired && call.named.is_empty() && !is_incomplete(call) && !is_unreadable {
                let definition = format!("`{}` is defined here", clipped(callee));
                let diagnostic = wrong_arity(callee, &exactly(expected), given, span)
                    .label(function.prototype, definition);
                self.diagnostics.push(diagnostic);
            }
            return;
        }
        self.arguments(call, None);
        let is_known = self.functions.contains_key(callee.as_str()) || self.has_unnamed_function;
        // Variables and functions share the set: a name is reported only once.
        if is_known || !self.scope.reported.insert(callee) {
            return;
        }
        let message = format!("there is no function `{}`", clipped(callee));
        let diagnostic = Diagnostic::error(codes::UNKNOWN_FUNCTION, message)
            .label(*callee_span, "not defined anywhere in the program");
        if self.types.structs.contains_key(callee.as_str()) {
            self.diagnostics.push(diagnostic.help(struct_creation(callee)));
            return;
        }
        if let Some(variable) = self.scope.variables.get(callee.as_str()) {
            let quoted = clipped(callee);
            let diagnostic = diagnostic
                .label(variable.span, format!("`{quoted}` is a variable, defined here"))
                .help(format!("to read an element, write `{quoted}[...]`"));
            self.diagnostics.push(diagnostic);
            return;
        }
        if advice(Context::Function, callee).is_some() {
            self.diagnostics.push(advised(diagnostic, Context::Function, callee, *callee_span));
            return;
        }
        let nearest = self.suggestions.nearest(callee, &self.function_names);
        self.diagnostics.push(match nearest {
            Some(nearest) => did_you_mean(diagnostic, *callee_span, nearest),
            // Once is enough.
            None if self.has_listed_builtins => diagnostic,
            None => {
                self.has_listed_builtins = true;
                let functions = BUILTINS.iter().filter(|builtin| builtin.value.is_none());
                let names: Vec<_> = functions.map(|builtin| builtin.name).collect();
                let names = names.join(", ");
                diagnostic.help(format!("the builtin functions are {names}"))
            }
        });
    }

    fn arguments(&mut self, call: &'m Call, callee: Option<&'m Function>) {
        for (index, argument) in call.arguments.iter().enumerate() {
            let expected = match callee.and_then(|callee| callee.parameters.get(index)) {
                None => ExpectedType::Unknown,
                Some(parameter) if parameter.ty.is_none() => ExpectedType::Tensor(Some(parameter)),
                Some(parameter) => self.declared(parameter, "parameter"),
            };
            self.value(argument, &expected);
        }
        for (name, value) in &call.named {
            self.value(value, &ExpectedType::Unknown);
            if self.function(&call.callee.text).is_some() {
                let help = "arguments of functions are written without names";
                self.diagnostics.push(bad_name(&call.callee.text, name, help));
            }
        }
    }

    fn builtin_call(&mut self, call: &'m Call, span: Span, builtin: &'static Builtin) {
        for argument in &call.arguments {
            match &argument.kind {
                ExprKind::String(_) if builtin.name == "print" => {}
                ExprKind::StructLiteral(_) => {
                    self.value(argument, &ExpectedType::Tensor(None));
                }
                // The fields of a struct are printed.
                _ if builtin.name == "print" => self.value(argument, &ExpectedType::Any),
                _ => self.value(argument, &ExpectedType::Tensor(None)),
            }
        }
        let names = builtin.named_arguments();
        let mut given_names: Vec<&str> = Vec::new();
        for (name, value) in &call.named {
            let text = name.text.as_str();
            let is_known = names.contains(&text);
            if !(is_known && text == "end") {
                self.value(value, &ExpectedType::Tensor(None));
            }
            if is_known && given_names.contains(&text) {
                let message = format!("`{}` is called with `{text}` twice", builtin.name);
                let diagnostic = Diagnostic::error(codes::BAD_NAMED_ARGUMENT, message)
                    .label(name.span, "a second time");
                self.diagnostics.push(diagnostic);
                continue;
            }
            match text {
                _ if !is_known => {
                    let help = match names.as_slice() {
                        ["axis", "keep"] => format!("there are `axis` and `keep`: `{}(x, axis = 0, keep = 1)`", builtin.name),
                        ["axis"] if builtin.most() < usize::MAX => format!("the only one is `axis`: `{}(x, axis = 0)`", builtin.name),
                        ["axis"] => format!("the only one is `axis`: `{}(x, y, axis = 0)`", builtin.name),
                        _ => "reductions like `sum` have `axis` and `keep`; `print` has `digits`, `width` and `end`".to_owned(),
                    };
                    self.diagnostics.push(bad_name(builtin.name, name, &help));
                    continue;
                }
                "axis" => self.axis(value),
                "keep" => self.small((text, 1), value),
                "digits" => self.small((text, MOST_DIGITS), value),
                "width" => self.small((text, MOST_WIDTH), value),
                _ if matches!(value.kind, ExprKind::String(_) | ExprKind::Error) => {}
                _ => {
                    let help = "it is written instead of the line end: `print(x, end = \", \")`";
                    let diagnostic =
                        Diagnostic::error(codes::BAD_NAMED_ARGUMENT, "`end` is not a string")
                            .label(value.span, "expected a string");
                    self.diagnostics.push(diagnostic.help(help));
                }
            }
            given_names.push(text);
        }
        let given = call.arguments.len();
        let has = |name| given_names.contains(&name);
        // `keep` belongs to a reduction: to `sum(x, a)`, but not to `max(x, y)`.
        let is_of_one = has("keep") && builtin.constants == Constants::None;
        let takes = match has("axis") {
            true => builtin.takes_beside_axis(given),
            false if is_of_one => given == 1,
            false => builtin.takes(given),
        };
        // A name that does not exist may be the mistake: `print(x = 3)`.
        if !takes && call.named.iter().any(|(name, _)| !names.contains(&name.text.as_str())) {
            return;
        }
        if !takes && !is_incomplete(call) {
            let expected = match (has("axis") || is_of_one, builtin.most()) {
                (true, usize::MAX) => format!("at least {} with `axis`", exactly(builtin.fewest())),
                (true, _) => {
                    format!("1 argument with `{}`", if has("axis") { "axis" } else { "keep" })
                }
                (_, usize::MAX) => format!("at least {}", exactly(builtin.fewest())),
                (_, most) if most == builtin.fewest() => exactly(most),
                (_, most) => {
                    let fewest = builtin.fewest();
                    let word = if fewest + 1 == most { "or" } else { "to" };
                    format!("{fewest} {word} {}", exactly(most))
                }
            };
            let diagnostic = wrong_arity(builtin.name, &expected, given, span);
            self.diagnostics.push(match (builtin.name, given) {
                ("shape", 1) => {
                    diagnostic.help("`shape(x, 0)` is the size of the first dimension of `x`")
                }
                ("max" | "min", 3..) => {
                    let name = builtin.name;
                    diagnostic.help(format!("write `{name}([a, b, c])`, or `{name}({name}(a, b), c)`"))
                }
                ("round", 2) => diagnostic.help(
                    "to print 2 digits, write `print(x, digits = 2)`; to compute with them, `round(x * 100) / 100`",
                ),
                _ => diagnostic,
            });
            return;
        }
        match builtin.constants {
            Constants::None => {}
            Constants::Axis(index) => {
                call.arguments.get(index).into_iter().for_each(|axis| self.axis(axis));
            }
            Constants::Axes(first) => {
                call.arguments.iter().skip(first).for_each(|axis| self.axis(axis));
            }
            Constants::Sizes(first) => {
                let sizes = call.arguments.get(first..).unwrap_or_default();
                if let [Expr { kind: ExprKind::Literal(elements), span }] = sizes {
                    return self.sizes_as_list(
                        call,
                        &[&call.arguments[..first], elements].concat(),
                        *span,
                    );
                }
                self.sizes(sizes, builtin.name == "reshape");
            }
            Constants::Progression => self.progression(&call.arguments, span),
        }
    }

    /// `zeros([2, 3])`, which is meant with these arguments.
    fn sizes_as_list(&mut self, call: &Call, arguments: &[Expr], span: Span) {
        let meant = format!("{}({})", call.callee.text, unparse::sizes(arguments));
        let diagnostic = Diagnostic::error(codes::NOT_CONSTANT, "a size is a number, not a list");
        let diagnostic = diagnostic.label(span, "sizes are written one by one, without brackets");
        self.diagnostics.push(diagnostic.help(format!("write `{}`", clipped(&meant))));
    }

    /// Checks an argument that the lowering has to know: a small constant that does not depend on shapes.
    fn small(&mut self, (name, most): (&str, i64), expr: &Expr) {
        match self.required_constant(expr, &format!("this `{name}`")) {
            Some(value) if value.fract() == 0.0 && (0.0..=most as f64).contains(&value) => {}
            None if !self.diagnostics.is_empty() => {}
            value => {
                let of = value
                    .map_or("depends on a shape".to_owned(), |it| format!("is {}", number(it)));
                let range = if most == 1 { "0 or 1".to_owned() } else { format!("0 to {most}") };
                self.bad_constant(
                    format!("`{name}` {of}"),
                    expr.span,
                    &format!("it can be {range}"),
                );
            }
        }
    }

    fn axis(&mut self, expr: &Expr) {
        if let Some(axis) = self.required_constant(expr, "this axis") {
            self.whole(axis, expr.span, "axis");
        }
    }
}

fn bad_name(callee: &str, name: &Name, help: &str) -> Diagnostic {
    let (callee, quoted) = (clipped(callee), clipped(&name.text));
    let message = format!("`{callee}` has no argument named `{quoted}`");
    Diagnostic::error(codes::BAD_NAMED_ARGUMENT, message)
        .label(name.span, "no such argument")
        .help(help)
}

/// `1 argument`
fn exactly(count: usize) -> String {
    if count == 0 { "no arguments".to_owned() } else { counted(count, "argument") }
}

fn is_incomplete(call: &Call) -> bool {
    call.arguments.iter().any(|argument| argument.kind == ExprKind::Error)
}

fn wrong_arity(callee: &str, expected: &str, given: usize, span: Span) -> Diagnostic {
    let message = format!("`{}` takes {expected}, not {given}", clipped(callee));
    Diagnostic::error(codes::WRONG_ARITY, message)
        .label(span, format!("called with {}", exactly(given)))
}
