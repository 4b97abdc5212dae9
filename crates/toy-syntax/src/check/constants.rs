//! Constant expressions, and certain errors in indices and bounds.
//!
//! Input: an expression. Output: whether it is constant, and its value unless that depends on shapes; errors about
//! axes, sizes and ranges that are not constant, and about constants that are wrong whatever the shapes are.
//! Invariant: an expression is constant if it consists of what [`builtins::constants`] lists.

use super::{Checker, ExpectedType};
use crate::ast::{Class, DeclaredType, Expr, ExprKind, For, Function, Name, Slice, Subscript};
use crate::builtins;
use crate::element::Element;
use crate::shape::MAX_RANK;
use crate::variables::Kind;
use crate::window::{self, Term};
use toy_diagnostics::source::Span;
use toy_diagnostics::text::{clipped, number};
use toy_diagnostics::{Diagnostic, codes};

/// Whole numbers below this one are exact.
const EXACT: f64 = Element::DEFAULT.exact();

/// The ways out where the length of a part depends on values.
const LENGTH_HELP: &str = "the length of a part must be known: `x[i:i + 3]` may start anywhere, and the last one of several \
                           may start earlier, with `var k = min(i, n - 3);` as `x[k:k + 3]`; where the length depends \
                           on values, use a loop, or mask all of it: `where(range(shape(x, 0)) < n, x, 0)`";

/// The value of a constant, None if it depends on shapes or on an error; or else the place of the part because of which
/// an expression is not constant.
pub(super) type Constant = Result<Option<f64>, Span>;

impl<'m> Checker<'m> {
    /// The constant that a variable is defined as, if it is one.
    pub(super) fn constant_variable(
        &self,
        ty: &DeclaredType,
        name: &Name,
        value: &Expr,
    ) -> Option<Option<f64>> {
        let variable =
            self.scope.meanings.at(name.span).map(|index| &self.scope.meanings.all[index]);
        let is_assigned = variable.is_some_and(|variable| !variable.assigned.is_empty());
        if is_assigned || !matches!(ty, DeclaredType::Inferred) {
            return None;
        }
        self.constant(value).ok()
    }

    pub(super) fn constant(&self, expr: &Expr) -> Constant {
        match &expr.kind {
            ExprKind::Number(number) => Ok(Some(*number)),
            ExprKind::Error => Ok(None),
            ExprKind::Variable(name) => match self.scope.constants.get(name.as_str()) {
                Some(value) => Ok(*value),
                None if self.is_builtin_value(name) => Ok(builtins::value(name)),
                // There is an error about it.
                None if !self.scope.variables.contains_key(name.as_str()) => Ok(None),
                None => Err(expr.span),
            },
            ExprKind::Call(call) => {
                let builtin = self.types.builtin(&call.callee.text).map(|builtin| builtin.name);
                match (builtin, call.arguments.as_slice()) {
                    (Some("shape"), _) => Ok(None),
                    // The compiler rounds it, and what is computed from it.
                    (Some(name), [value]) if Element::named(name).is_some() => {
                        self.constant(value).map(|_| None)
                    }
                    (Some(name), [value]) => {
                        let of = builtins::of_constant(name).ok_or(expr.span)?;
                        Ok(self.constant(value)?.map(of))
                    }
                    _ => Err(expr.span),
                }
            }
            ExprKind::Unary(unary) => {
                let is_negative = unary.is_negative().ok_or(expr.span)?;
                let value = self.constant(&unary.operand)?;
                Ok(value.map(|value| if is_negative { -value } else { value }))
            }
            ExprKind::Chain(chain) => {
                let mut value = self.constant(&chain.first)?;
                for link in &chain.rest {
                    let operand = self.constant(&link.operand)?;
                    let Class::Arithmetic(apply) = link.operator.class() else {
                        return Err(expr.span);
                    };
                    value = value.zip(operand).map(|(a, b)| apply(a, b));
                }
                Ok(value)
            }
            ExprKind::Literal(_)
            | ExprKind::StructLiteral(_)
            | ExprKind::Access(_)
            | ExprKind::Index(_)
            | ExprKind::String(_) => Err(expr.span),
        }
    }

    /// The value of an expression that has to be constant, if it is known.
    pub(super) fn required_constant(&mut self, expr: &Expr, what: &str) -> Option<f64> {
        self.constant(expr).unwrap_or_else(|span| {
            let help = format!("a constant consists of {}", builtins::constants());
            self.not_constant(what, span, &help);
            None
        })
    }

    fn not_constant(&mut self, what: &str, span: Span, help: &str) {
        let message = format!("{what} is not constant");
        let diagnostic = Diagnostic::error(codes::NOT_CONSTANT, message);
        let variable = self.scope.meanings.at(span).map(|index| &self.scope.meanings.all[index]);
        let parameter = variable.filter(|it| it.kind == Kind::Parameter).map(|it| it.name);
        // It may also be at the start of a longer text.
        let size = (span.end - span.start) as usize;
        let Some(parameter) = parameter.filter(|it| it.text.len() == size) else {
            let diagnostic = diagnostic.label(span, "not known when the program is compiled");
            return self.diagnostics.push(diagnostic.help(help));
        };
        // Wherever else the parameter is used, the mistake is the same.
        if self.parameters_as_constants.insert(parameter.span) {
            let label = format!(
                "`{}` is a parameter: parameters are not constants, their shapes are",
                clipped(&parameter.text)
            );
            let is_size = !what.starts_with("this axis") && !what.starts_with("this `");
            let help = match self.scope.function {
                Some(function) if is_size => size_as_shape(function, parameter),
                _ => help.to_owned(),
            };
            self.diagnostics.push(diagnostic.label(span, label).help(help));
        }
    }

    /// Reports a known value that is not an exact whole number. Returns true if it is one.
    pub(super) fn whole(&mut self, value: f64, span: Span, what: &str) -> bool {
        let is_whole = value.fract() == 0.0;
        let is_exact = is_whole && value.abs() < EXACT;
        if !is_exact {
            let problem = if is_whole { "is too large" } else { "is not a whole number" };
            let message = format!("{what} {} {problem}", number(value));
            self.bad_constant(message, span, "this is its value");
        }
        is_exact
    }

    pub(super) fn bad_constant(&mut self, message: String, span: Span, label: &str) {
        let diagnostic = Diagnostic::error(codes::BAD_CONSTANT, message).label(span, label);
        self.diagnostics.push(diagnostic);
    }

    /// The subscripts of a read or of an update.
    pub(super) fn subscripts(&mut self, subscripts: &'m [Subscript]) {
        for subscript in subscripts {
            for expr in subscript.exprs() {
                self.value(expr, &ExpectedType::Tensor(None));
            }
            match subscript {
                // Written as a number, it may count from the end.
                Subscript::At(Expr { kind: ExprKind::Number(number), span }) => {
                    self.whole(*number, *span, "index");
                }
                Subscript::At(index) => {
                    let value = self.constant(index).ok().flatten();
                    self.position(value, index.span);
                }
                Subscript::Range(slice) => self.range(slice),
            }
        }
    }

    /// The index of an element, if it is known and there may be one.
    fn position(&mut self, value: Option<f64>, span: Span) {
        if let Some(value) = value
            && self.whole(value, span, "index")
            && value < 0.0
        {
            let message = format!("index {} is out of range", number(value));
            self.bad_constant(message, span, "indices start at 0");
        }
    }

    /// `from:to:step`
    fn range(&mut self, slice: &Slice) {
        let is_pure = |name: &str| self.types.builtin(name).is_some_and(|it| it.has_value());
        if let (Some(from), Some(terms)) = (&slice.from, window::length(slice, &is_pure)) {
            return self.window(slice, from, &terms);
        }
        let parts = [&slice.from, &slice.to, &slice.step];
        // A first bound need not be constant.
        if slice.from.as_ref().is_some_and(|it| self.constant(it).is_err()) {
            return self.not_constant("the length of this range", slice.span, LENGTH_HELP);
        }
        let unknown = parts.into_iter().flatten().find_map(|it| self.constant(it).err());
        if let Some(span) = unknown {
            self.not_constant("this bound of a range", span, LENGTH_HELP);
            return;
        }
        let [from, to, step] = parts.map(|part| {
            let part = part.as_ref()?;
            let value = self.constant(part).ok().flatten();
            value.filter(|value| self.whole(*value, part.span, "bound"))
        });
        let step = if slice.step.is_some() { step } else { Some(1.0) };
        let are_alike = from.zip(to).is_some_and(|(from, to)| (from < 0.0) == (to < 0.0));
        match (step, from.zip(to).filter(|_| are_alike)) {
            (Some(0.0), _) => self.bad_step(slice.span, "no element follows another one"),
            (Some(step), Some((from, to))) if (to - from) / step <= 0.0 => {
                self.empty(&format!("{from}:{to}"), step < 0.0, slice.span);
            }
            _ => {}
        }
    }

    /// A range whose bounds differ by these terms.
    fn window(&mut self, slice: &Slice, from: &Expr, terms: &[Term<'_>]) {
        self.position(self.constant(from).ok().flatten(), from.span);
        let mut length = Some(0.0);
        for (is_negative, term) in terms {
            let term = match self.constant(term) {
                Ok(term) => term.map(|term| if *is_negative { -term } else { term }),
                Err(span) => {
                    return self.not_constant("the length of this range", span, LENGTH_HELP);
                }
            };
            length = length.zip(term).map(|(length, term)| length + term);
        }
        if let Some(length) = length
            && self.whole(length, slice.span, "the length")
            && length <= 0.0
        {
            self.empty(&format!("of length {length}"), false, slice.span);
        }
    }

    fn empty(&mut self, range: &str, is_down: bool, span: Span) {
        let than = if is_down { "smaller" } else { "larger" };
        let label =
            format!("the second bound is excluded, so it has to be {than} than the first one");
        self.bad_constant(format!("the range {range} is empty"), span, &label);
    }

    fn bad_step(&mut self, span: Span, label: &str) {
        self.bad_constant("the step of the range is 0".to_owned(), span, label);
    }

    /// The sizes of a tensor. One of them may be -1 in a reshape, which then follows from the number of elements.
    pub(super) fn sizes(&mut self, sizes: &[Expr], is_reshape: bool) {
        let mut open: Option<Span> = None;
        let mut dims = Vec::new();
        for size in sizes {
            let Some(value) = self.required_constant(size, "this size") else { continue };
            if !self.whole(value, size.span, "size") {
                continue;
            }
            match (value < 1.0, open) {
                (true, None) if is_reshape && value == -1.0 => open = Some(size.span),
                (true, Some(first)) if value == -1.0 => {
                    let message = "two sizes of a reshape are -1";
                    let diagnostic = Diagnostic::error(codes::ELEMENT_COUNT, message)
                        .label(size.span, "only one size can follow from the others")
                        .label(first, "this one is -1, too");
                    self.diagnostics.push(diagnostic);
                }
                (true, _) => {
                    let message = format!("a size of {}", number(value));
                    self.bad_constant(message, size.span, "every dimension must be at least 1");
                }
                (false, _) => dims.push(value as u64),
            }
        }
        if let ([first, ..], [.., last]) = (sizes, sizes)
            && (dims.len() == sizes.len() || sizes.len() > MAX_RANK)
        {
            dims.resize(sizes.len(), 1);
            self.fits_in_memory(dims, first.span.to(last.span));
        }
    }

    /// `range(n)`, `range(a, b)` and `range(a, b, s)`.
    pub(super) fn progression(&mut self, arguments: &[Expr], span: Span) {
        if let [count] = arguments {
            if let Some(value) = self.required_constant(count, "this number of elements")
                && self.whole(value, count.span, "the number of elements")
                && value < 1.0
            {
                let message = format!("`range` cannot make {} elements", number(value));
                self.bad_constant(message, count.span, "a tensor has at least one element");
            }
            return;
        }
        let values: Vec<_> = arguments
            .iter()
            .map(|it| self.required_constant(it, "this argument of `range`"))
            .collect();
        let step = values.get(2).copied().unwrap_or(Some(1.0));
        match (step, values[0].zip(values[1])) {
            (Some(0.0), _) => self.bad_step(span, "the next number would be the same"),
            (Some(step), Some((from, to)))
                if ((to - from) / step).is_nan() || (to - from) / step <= 0.0 =>
            {
                let message = "this `range` has no elements".to_owned();
                self.bad_constant(message, span, "a tensor has at least one element");
            }
            _ => {}
        }
    }

    /// The bounds and the step of a `for`.
    pub(super) fn counts(&mut self, repeated: &For) {
        for bound in [&repeated.first, &repeated.end] {
            if let Ok(Some(value)) = self.constant(bound) {
                self.whole(value, bound.span, "bound");
            }
        }
        if let Some(step) = &repeated.step
            && let Ok(Some(value)) = self.constant(step)
            && self.whole(value, step.span, "step")
            && value == 0.0
        {
            let name = clipped(&repeated.variable.text);
            self.bad_step(step.span, &format!("`{name}` would never change"));
        }
    }
}

/// The help where a parameter is a size: a shape can say it.
fn size_as_shape(function: &Function, parameter: &Name) -> String {
    let name = clipped(&parameter.text);
    if function.name.text == "main" {
        return format!(
            "numbers on the command line are not constants, either: define it in the program, `var {name} = 3;`, or pass \
             a file with that many numbers, and write `shape({name}, 0)`"
        );
    }
    let parameters = function.parameters.iter().map(|it| &it.name);
    let arguments: Vec<_> = parameters
        .map(|it| if it == parameter { "zeros(3)".into() } else { clipped(&it.text) })
        .collect();
    format!(
        "pass a tensor of that size, as in `{}({})`, and write `shape({name}, 0)`",
        clipped(&function.name.text),
        arguments.join(", ")
    )
}
