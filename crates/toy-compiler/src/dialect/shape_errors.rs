//! Diagnostics about shapes that the verifier and shape inference share: they show where each operand got
//! its shape.

use crate::dialect::ops::{Kind, origin};
use crate::dialect::shape::{self, Element, Shape, TensorType};
use crate::dialect::{control, conversions};
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::Located;
use toy_diagnostics::source::Span;
use toy_diagnostics::text::counted;
use toy_diagnostics::{Diagnostic, codes};

/// Two operands of an element-wise operation, each with its place and its shape, that do not fit.
pub fn shape_mismatch(
    at: Located,
    pair @ [(_, lhs), (_, rhs)]: [(usize, &Shape); 2],
) -> Diagnostic {
    let symbol = symbol(*at);
    let message = format!("`{symbol}` cannot combine shapes {lhs} and {rhs}");
    let is_word = symbol.starts_with(|c: char| c.is_ascii_alphabetic());
    let label = match is_word {
        _ if has_list(lhs, rhs) => shapes(lhs, rhs),
        true => format!("{symbol} of {lhs} and {rhs}"),
        false => format!("{lhs} {symbol} {rhs}"),
    };
    let diagnostic = of_operands(at, at.error(codes::SHAPE_MISMATCH, message, label), pair);
    let diagnostic = with_misfit(diagnostic, lhs, rhs);
    if lhs.transposed() == *rhs {
        diagnostic.help("`transpose` one of the operands")
    } else if let Some((short, shape)) =
        [(lhs, rhs), (rhs, lhs)].iter().find_map(|(one, other)| Some((one, spread(one, other)?)))
    {
        let shape = list(&shape);
        let how = format!("`var x<{shape}> = ...;` is repeated as needed");
        diagnostic.help(format!("reshape the operand of shape {short} first: {how}"))
    } else if lhs.element_count() == rhs.element_count() {
        diagnostic.help(format!("reshape one of them first: `var x<{}> = ...;`", list(lhs)))
    } else {
        diagnostic
    }
}

/// Two tensors of different element types that are combined, each with its place and its type.
pub fn element_types(at: Located, pair: [(usize, &TensorType); 2]) -> Diagnostic {
    let [one, other] = pair.map(|(_, ty)| ty.element.name());
    let message = format!("{} cannot combine elements of {one} and {other}", combining(*at));
    let diagnostic =
        at.error(codes::ELEMENT_TYPES, message, format!("{one} and {other} meet here"));
    let label = |diagnostic, (place, ty): (usize, &TensorType)| match at.operand(place) {
        Ok(operand) => {
            at.label_value(diagnostic, origin(operand), format!("this is {}", ty.element.name()))
        }
        Err(_) => diagnostic,
    };
    let diagnostic = pair.into_iter().fold(diagnostic, label);
    // Literals are of the default type: it is the one that was not asked for. A tensor keeps its type.
    let [(first, _), (second, wanted)] = pair;
    let is_update = Kind::of(&*at) == Some(Kind::Update);
    let (place, wanted) = match wanted.element {
        Element::DEFAULT if !is_update => (second, pair[0].1),
        _ => (first, wanted),
    };
    let wanted = wanted.element;
    let help = match is_update {
        true => format!("convert the value: `{}(...)`", wanted.name()),
        false => format!("convert one of them: `{one}(...)` or `{other}(...)`"),
    };
    diagnostic.fixes(help, conversions::of_operand(at, place, wanted))
}

/// The words for an operation that combines operands, as written in Toy.
fn combining(operation: OperationRef) -> String {
    match Kind::of(&operation) {
        Some(Kind::FromElements) => "a list".to_owned(),
        Some(Kind::Join) => "`concat`".to_owned(),
        Some(Kind::Update) => "an assignment to a part".to_owned(),
        _ => format!("`{}`", symbol(operation)),
    }
}

/// A number that the element type cannot hold.
pub fn too_large_number(at: Located, number: f64, element: Element) -> Diagnostic {
    let name = element.name();
    let message = format!("{number:e} is too large for {name}");
    at.error(codes::TOO_LARGE_NUMBER, message, format!("it would be infinite as {name}")).help(
        format!("scale the numbers, or keep them {}; `inf` is infinity", Element::DEFAULT.name()),
    )
}

/// Says in which dimension two shapes do not fit.
fn with_misfit(diagnostic: Diagnostic, lhs: &Shape, rhs: &Shape) -> Diagnostic {
    let Some((at, [a, b])) = lhs.misfit(rhs) else { return diagnostic };
    diagnostic.note(format!("the sizes {a} and {b} of dimension -{at} differ, and neither is 1"))
}

/// A shape with the elements of one that fits another one of more dimensions: with sizes 1 in between.
fn spread(shape: &Shape, other: &Shape) -> Option<Shape> {
    let mut rest = shape.0.iter().peekable();
    let dims = other.0.iter().map(|size| match rest.next_if_eq(&size) {
        Some(size) => *size,
        None => 1,
    });
    let dims: Vec<u64> = dims.skip_while(|size| *size == 1).collect();
    (rest.next().is_none() && shape.0.len() < other.0.len()).then_some(Shape(dims))
}

/// Shows where operands, each with its place and its shape, got their shapes.
pub fn of_operands(at: Located, diagnostic: Diagnostic, pair: [(usize, &Shape); 2]) -> Diagnostic {
    let label = |diagnostic, (place, shape)| operand_label(at, diagnostic, place, shape);
    pair.into_iter().fold(diagnostic, label)
}

/// The operator or function of an element-wise operation, as written in Toy.
fn symbol(operation: OperationRef) -> &'static str {
    match Kind::of(&operation) {
        Some(Kind::Compare) => {
            control::predicate(operation).map_or("<", |it| it.operator().symbol())
        }
        kind => kind.and_then(Kind::symbol).unwrap_or("?"),
    }
}

/// True if one of the shapes is a list's, which is written as a number.
fn has_list(lhs: &Shape, rhs: &Shape) -> bool {
    [lhs, rhs].iter().any(|shape| shape.0.len() == 1)
}

fn shapes(lhs: &Shape, rhs: &Shape) -> String {
    format!("the shapes are {lhs} and {rhs}")
}

/// Operands that cannot be multiplied as matrices.
pub fn product(at: Located, lhs: &Shape, rhs: &Shape) -> Diagnostic {
    let message = match lhs.0.is_empty() || rhs.0.is_empty() {
        true => "`@` cannot multiply a scalar".to_owned(),
        false => format!("`@` cannot multiply shapes {lhs} and {rhs}"),
    };
    let label = match has_list(lhs, rhs) {
        true => shapes(lhs, rhs),
        false => format!("{lhs} @ {rhs}"),
    };
    let diagnostic = at.error(codes::PRODUCT_SHAPES, message, label);
    let diagnostic = of_operands(at, diagnostic, [(0, lhs), (1, rhs)]);
    let (a, b) = (lhs.0.len(), rhs.0.len());
    if a == 0 || b == 0 {
        return diagnostic.help("`*` multiplies every element by a scalar");
    }
    if a.max(b) > 2 {
        let batch = |shape: &Shape| Shape(shape.0[..shape.0.len().saturating_sub(2)].to_vec());
        if a.min(b) == 1 {
            return diagnostic
                .help("a vector goes with a matrix; reshape it to one for batches of matrices");
        } else if batch(lhs).misfit(&batch(rhs)).is_some() {
            return diagnostic.help(
                "dimensions before the last two must have equal sizes, or one of them size 1",
            );
        }
    }
    let (columns, rows) = (lhs.0[a - 1], rhs.0[b.saturating_sub(2)]);
    let rows_or_elements =
        |rank: usize, rows: &'static str| if rank == 1 { "element" } else { rows };
    let diagnostic = diagnostic.note(format!(
        "the left operand has {}, the right one {}",
        counted(columns, rows_or_elements(a, "column")),
        counted(rows, rows_or_elements(b, "row"))
    ));
    let may_transpose = |shape: &Shape, other: &Shape, is_left: bool| {
        let turned = shape.transposed();
        shape.0.len() == 2
            && match is_left {
                true => shape::product(&turned, other).is_some(),
                false => shape::product(other, &turned).is_some(),
            }
    };
    match (may_transpose(lhs, rhs, true), may_transpose(rhs, lhs, false)) {
        (_, true) => diagnostic.help("`transpose` the right operand"),
        (true, _) => diagnostic.help("`transpose` the left operand"),
        _ => diagnostic,
    }
}

pub fn element_count(at: Located, from: &Shape, to: &Shape) -> Diagnostic {
    let message = match to.0.as_slice() {
        [] => format!("a value of shape {from} cannot be reshaped to a scalar"),
        _ => format!("a value of shape {from} cannot be reshaped to {to}"),
    };
    let label = format!("this shape has {}", elements_of(to));
    let help = "give a shape with as many elements as the value has";
    reshape(at, from, message, label).help(help)
}

/// The size that is left open in a reshape would not be whole: `others` is the product of the other sizes.
pub fn not_divisible(at: Located, from: &Shape, others: Option<u64>) -> Diagnostic {
    let count = elements_of(from);
    let others = others.map_or("more than fits".to_owned(), |others| others.to_string());
    let message = format!("{count} cannot be divided by {others}, the product of the other sizes");
    let help = "-1 is the number of elements divided by the other sizes";
    reshape(at, from, message, "no size for -1 fits".to_owned()).help(help)
}

/// An error of a reshape of a value of a shape.
fn reshape(at: Located, from: &Shape, message: String, label: String) -> Diagnostic {
    let diagnostic = at.error(codes::ELEMENT_COUNT, message, label);
    match at.operand(0) {
        Ok(operand) => {
            at.label_value(diagnostic, operand, format!("this has {}", elements_of(from)))
        }
        Err(_) => diagnostic,
    }
}

fn elements_of(shape: &Shape) -> String {
    counted(shape.element_count().unwrap_or(0), "element")
}

/// Two elements of a list, each with its place and its shape, that differ; or that are not scalars.
pub fn elements(at: Located, pair: [(usize, &Shape); 2]) -> Diagnostic {
    let [(_, one), (_, other)] = pair;
    let message = match one == other {
        true => format!("the elements of this literal must be scalars, but they have shape {one}"),
        false => format!(
            "the elements of a list have one shape, but these have shapes {one} and {other}"
        ),
    };
    let diagnostic = Diagnostic::error(codes::NOT_A_SCALAR, message);
    let whole = at.span();
    let is_inside = |span: Span| {
        whole.is_some_and(|whole| {
            whole != span && whole.start <= span.start && span.end <= whole.end
        })
    };
    let mut diagnostic = diagnostic;
    for (place, shape) in pair {
        let Ok(operand) = at.operand(place) else { continue };
        // The location of the element in the literal; a variable is defined elsewhere.
        let span = at.span_of(operand).filter(|span| is_inside(*span));
        diagnostic = match span {
            _ if one == other && place != pair[0].0 => diagnostic,
            Some(span) => diagnostic.label(span, has_shape(shape)),
            None => {
                if !diagnostic.labels.iter().any(|label| Some(label.span) == whole) {
                    diagnostic = at.label(diagnostic, "in this literal");
                }
                operand_label(at, diagnostic, place, shape)
            }
        };
    }
    match [one.0.len(), other.0.len()] {
        [1, 0] | [0, 1] => diagnostic.help(
            "a list does not grow: `concat(x, [y])` is another, longer list; or define one of full size, and assign its elements",
        ),
        _ => diagnostic,
    }
}

/// `this has shape 2x3`
pub fn has_shape(shape: &Shape) -> String {
    match shape.0.as_slice() {
        [] => "this is a scalar".to_owned(),
        _ => format!("this has shape {shape}"),
    }
}

/// Two operands of a `toy.join`, each with its place and its shape, that do not fit.
pub fn not_joined(
    at: Located,
    axis: usize,
    pair @ [(_, lhs), (_, rhs)]: [(usize, &Shape); 2],
) -> Diagnostic {
    let message = format!("`concat` cannot join shapes {lhs} and {rhs} along axis {axis}");
    let diagnostic = at.error(codes::SHAPE_MISMATCH, message, shapes(lhs, rhs));
    of_operands(at, diagnostic, pair).help(match lhs.0.len() == rhs.0.len() {
        true => format!("only the dimension {axis} may differ; `axis = a` names another one"),
        false => "all operands have the same number of dimensions: `reshape(x, 1, -1)` makes a list a row"
            .to_owned(),
    })
}

/// Shows where the operand at a place got its shape, unless that is the operation itself.
pub fn operand_label(
    at: Located,
    diagnostic: Diagnostic,
    place: usize,
    shape: &Shape,
) -> Diagnostic {
    match at.operand(place) {
        Ok(operand) => at.label_value(diagnostic, origin(operand), has_shape(shape)),
        Err(_) => diagnostic,
    }
}

/// `2, 3`
pub fn list(shape: &Shape) -> String {
    shape.0.iter().map(u64::to_string).collect::<Vec<_>>().join(", ")
}
