//! The operations of the Toy dialect: one table, with a row for each.
//!
//! A row says what an operation means, its operands and results, how it is written in Toy, the rule for its shape, its
//! computation on numbers, and when it may be erased. What a row leaves out is as for an operation that only computes
//! ([`COMPUTES`]); element-wise operations of two operands need little more than a name ([`ELEMENT_WISE`]).
//!
//! | column | read by |
//! |---|---|
//! | `text`, `signature` | the definition in IRDL, which is this table as text (a test compares them) |
//! | `attributes`, `types` | the advice for other spellings ([`super::spelling`]) |
//! | `written` | the lowering of operators and builtins, messages |
//! | `shape` | shape inference and the verifier ([`super::inference`]) |
//! | `scalar` | the lowering to linalg, inlining |
//! | `constant` | constant expressions ([`super::evaluate`]) |
//! | `effect`, `commutes`, `is_alias` | purity, common subexpressions |
//! | `dead` | canonicalization |
//!
//! Rules are named here and written where they are applied, in a `match` over the names: so this file depends on no
//! other one of the dialect, and rustc finds the place of a new rule. Invariant: the rows are in the order of the
//! definition in IRDL; those from [`SECOND_PART`] on are loaded only for programs that need them.

use super::enums::named;
use melior::ir::operation::OperationLike;
use mlir_support::ir;
use toy_syntax::ast::{BinaryOperator, Class, Precedence};

/// A row of the table.
pub struct Definition {
    /// The meaning, in lines for the definition in IRDL.
    pub text: &'static str,
    /// The attributes that the operation must have, its operands and its result: `{name: string} (value: tensor) ->
    /// result: tensor`. A `tensor` is ranked or not, a `value` may be a struct, too, and `any` a value of which nothing
    /// is said.
    pub signature: &'static str,
    /// The attributes of an example, in braces.
    pub attributes: &'static str,
    /// The types of an example.
    pub types: &'static str,
    pub written: Written,
    pub shape: ShapeRule,
    /// The computation of one element; None if the operation is not element-wise.
    pub scalar: Option<Scalar>,
    /// The result's number, if the first operand is a constant and nothing else matters. Arithmetic follows from
    /// `written`; other operations have their own rules.
    pub constant: Option<fn(f64) -> f64>,
    pub effect: Effect,
    /// True if the operands may change places.
    pub commutes: bool,
    /// True if the result is an alias of the operands.
    pub is_alias: bool,
    pub dead: Dead,
}

/// How an operation is written in Toy.
#[derive(Clone, Copy, PartialEq)]
pub enum Written {
    /// In a way of its own, or not at all.
    Otherwise,
    Operator(BinaryOperator),
    /// A call of a builtin with this many arguments.
    Builtin(&'static str, usize),
}

/// The rule for the shape of the result.
#[derive(Clone, Copy, PartialEq)]
pub enum ShapeRule {
    /// None: there is no tensor as the result, or its type is written, or specialization has a rule of its own.
    Written,
    /// All operands are stretched to one shape.
    ElementWise,
    OfOperand,
    Transposed,
    Product,
    Reduced,
    ReducedAxis,
    Read,
    Update,
    Range,
    /// The first dimensions are those of a list, the others those of the operands.
    List,
    /// The operands after the first one are the sizes.
    Sizes,
    /// The operands after the first one are put together along the axis that the first one is.
    AlongAxis,
    /// No shape, but the second operand is an axis of the first one.
    Axis,
    /// No shape, but the operand is a scalar.
    Truth,
    /// No shape, but the operand is an index.
    Index,
}

/// The computation of one element of an element-wise operation.
#[derive(Clone, Copy)]
pub enum Scalar {
    /// An operation of `arith` or `math`, or [of mathematics](super::enums::is_mathematics).
    Operation(&'static str),
    /// The function that an attribute names.
    Function,
    Compare,
    Select,
    Remainder,
    /// The nearest number of the element type that an attribute names.
    Convert,
}

/// The effect of an operation, beside its result.
#[derive(Clone, Copy, PartialEq)]
pub enum Effect {
    Nothing,
    /// It may end the program with an error when it runs: then it stays where it is, used or not, unless it is known
    /// not to fail.
    Checks,
    /// It prints, calls a function, or shows a variable to a debugger.
    Acts,
}

/// When canonicalization may erase an operation without uses: an error in it must be reported.
#[derive(Clone, Copy, PartialEq)]
pub enum Dead {
    Never,
    Always,
    /// Once all shapes are known, unless they are an error.
    Inferred,
    /// Once the shapes of both operands are known to agree.
    ElementWise,
    /// A rule of its own says it.
    ByRule,
}

/// An operation that only computes.
const COMPUTES: Definition = Definition {
    text: "",
    signature: "(operand: tensor) -> result: tensor",
    attributes: "",
    types: "(tensor<2xf64>) -> tensor<2xf64>",
    written: Written::Otherwise,
    shape: ShapeRule::Written,
    scalar: None,
    constant: None,
    effect: Effect::Nothing,
    commutes: false,
    is_alias: false,
    dead: Dead::Always,
};

/// An operation of two tensors.
const BINARY: Definition = Definition {
    signature: "(lhs: tensor, rhs: tensor) -> result: tensor",
    types: "(tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>",
    dead: Dead::Inferred,
    ..COMPUTES
};

/// An element-wise operation of two tensors.
const ELEMENT_WISE: Definition =
    Definition { shape: ShapeRule::ElementWise, dead: Dead::ElementWise, ..BINARY };

const fn operator(operator: BinaryOperator, scalar: &'static str) -> Definition {
    let written = Written::Operator(operator);
    Definition { written, scalar: Some(Scalar::Operation(scalar)), ..ELEMENT_WISE }
}

const fn builtin(name: &'static str, scalar: &'static str) -> Definition {
    let written = Written::Builtin(name, 2);
    Definition { written, scalar: Some(Scalar::Operation(scalar)), ..ELEMENT_WISE }
}

/// The first operation of the second part.
pub const SECOND_PART: Kind = Kind::Compare;

/// Makes [`Kind`] and the table from the rows.
macro_rules! operations {
    ($($kind:ident = $name:literal: $row:expr;)*) => {
        named! {
            /// The kinds of Toy operations.
            Kind { $($kind = $name),* }
        }

        const OPERATIONS: &[Definition] = &[$($row),*];
    };
}

operations! {
    Constant = "toy.constant": Definition {
        text: "The value is an attribute.",
        signature: "{value: dense} () -> result: ranked",
        attributes: "{value = dense<1.0> : tensor<2xf64>}",
        types: "() -> tensor<2xf64>",
        ..COMPUTES
    };
    Add = "toy.add": Definition {
        text: "Element-wise sum of two tensors. Dimensions are aligned at the last one; where one is missing or of size 1,\n\
               elements are repeated.",
        commutes: true,
        ..operator(BinaryOperator::Add, "arith.addf")
    };
    Sub = "toy.sub": Definition {
        text: "Element-wise difference, likewise.",
        ..operator(BinaryOperator::Sub, "arith.subf")
    };
    Mul = "toy.mul": Definition {
        text: "Element-wise product, likewise.",
        commutes: true,
        ..operator(BinaryOperator::Mul, "arith.mulf")
    };
    Div = "toy.div": Definition {
        text: "Element-wise quotient, likewise.",
        ..operator(BinaryOperator::Div, "arith.divf")
    };
    Neg = "toy.neg": Definition {
        text: "Flips the sign of every element.",
        shape: ShapeRule::OfOperand,
        scalar: Some(Scalar::Operation("arith.negf")),
        constant: Some(|number| -number),
        ..COMPUTES
    };
    Transpose = "toy.transpose": Definition {
        text: "Reverses the order of all dimensions, or gives them that of the axes, constants.\n\
               Specialization makes these an attribute: `permutation = array<i64: 0, 2, 1>`.",
        signature: "(operand: tensor, axes: variadic tensor) -> result: tensor",
        types: "(tensor<2x3xf64>) -> tensor<3x2xf64>",
        written: Written::Builtin("transpose", 1),
        shape: ShapeRule::Transposed,
        constant: Some(|number| number),
        dead: Dead::ByRule,
        ..COMPUTES
    };
    Reshape = "toy.reshape": Definition {
        text: "The same elements in row-major order under another shape; a scalar fills the shape.",
        signature: "(operand: tensor) -> result: ranked",
        types: "(tensor<6xf64>) -> tensor<2x3xf64>",
        constant: Some(|number| number),
        is_alias: true,
        dead: Dead::ByRule,
        ..COMPUTES
    };
    FromElements = "toy.from_elements": Definition {
        text: "A tensor whose elements, in row-major order, are the operands: all of them scalars. If there is an attribute\n\
               `dims = array<i64: 2>`, it has the dimensions of the list, and the operands may be tensors of one shape.",
        signature: "(elements: variadic tensor) -> result: tensor",
        types: "(tensor<f64>, tensor<f64>) -> tensor<2xf64>",
        shape: ShapeRule::List,
        dead: Dead::ByRule,
        ..COMPUTES
    };
    Cast = "toy.cast": Definition {
        text: "The same value under a type that says less, or more, of its shape.",
        signature: "(operand: value) -> result: any",
        types: "(tensor<2x3xf64>) -> tensor<*xf64>",
        constant: Some(|number| number),
        is_alias: true,
        ..COMPUTES
    };
    StructConstant = "toy.struct_constant": Definition {
        text: "The value is an attribute: a list with the value of each field, of which a struct's is again a list.",
        signature: "{value: array} () -> result: struct",
        attributes: "{value = [dense<1.0> : tensor<2xf64>]}",
        types: "() -> !toy.struct<[tensor<2xf64>]>",
        ..COMPUTES
    };
    StructCreate = "toy.struct_create": Definition {
        text: "A struct of its fields, one operand each.",
        signature: "(fields: variadic any) -> result: struct",
        types: "(tensor<2xf64>) -> !toy.struct<[tensor<2xf64>]>",
        is_alias: true,
        ..COMPUTES
    };
    StructAccess = "toy.struct_access": Definition {
        text: "Field number `index` of a struct, counted from 0.",
        signature: "{index: integer} (operand: struct) -> result: value",
        attributes: "{index = 0}",
        types: "(!toy.struct<[tensor<2xf64>]>) -> tensor<2xf64>",
        is_alias: true,
        ..COMPUTES
    };
    GenericCall = "toy.generic_call": Definition {
        text: "A call of a function whose parameters may still be unranked; specialization turns it into func.call.\n\
               With `gradient = array<i64: 0, 1>`, the gradient of the function by the parameters of these numbers, and\n\
               before it, with the attribute `with_value`, its value: a struct, if these are several results.",
        signature: "{callee: symbol_ref} (arguments: variadic any) -> result: optional value",
        attributes: "{callee = @f}",
        types: "(tensor<2xf64>) -> tensor<*xf64>",
        effect: Effect::Acts,
        dead: Dead::Never,
        ..COMPUTES
    };
    Print = "toy.print": Definition {
        text: "Writes the elements to standard output.",
        signature: "(operand: tensor)",
        types: "(tensor<2xf64>) -> ()",
        effect: Effect::Acts,
        dead: Dead::Never,
        ..COMPUTES
    };
    Assign = "toy.assign": Definition {
        text: "The new value of the variable `name` in the place of the old one, which has the same shape. Specialization\n\
               compares the shapes and leaves the new value.",
        signature: "{name: string} (value: value, old: value) -> result: value",
        attributes: r#"{name = "x"}"#,
        types: BINARY.types,
        constant: Some(|number| number),
        dead: Dead::Never,
        ..COMPUTES
    };
    Unset = "toy.unset": Definition {
        text: "A value that is never read; it has the shape of the value that it meets in another branch.",
        signature: "() -> result: value",
        types: "() -> tensor<2xf64>",
        ..COMPUTES
    };
    Variable = "toy.variable": Definition {
        text: "From here on, the variable or parameter `name` of the program has this value, as debuggers show it.\n\
               What else it may say is in src/dialect/variable.rs.",
        signature: "{name: string} (value: value)",
        attributes: r#"{name = "x"}"#,
        types: "(tensor<2xf64>) -> ()",
        effect: Effect::Acts,
        dead: Dead::Never,
        ..COMPUTES
    };
    Compare = "toy.compare": Definition {
        text: "Element-wise comparison: 1 where it holds, 0 elsewhere; with a NaN only `ne` holds.\n\
               The predicate is one of lt, le, gt, ge, eq, ne.",
        signature: "{predicate: string} (lhs: tensor, rhs: tensor) -> result: tensor",
        attributes: r#"{predicate = "lt"}"#,
        scalar: Some(Scalar::Compare),
        ..ELEMENT_WISE
    };
    Truth = "toy.truth": Definition {
        text: "True if a scalar is not 0, for scf.if and scf.condition; a NaN is not 0.\n\
               The attribute `what`, a string, says in messages what the scalar is: \"condition\" if it is missing.\n\
               i1 and index occur only between this operation, the next three, and those of scf and arith.",
        signature: "(operand: tensor) -> result: i1",
        attributes: r#"{what = "condition"}"#,
        types: "(tensor<f64>) -> i1",
        shape: ShapeRule::Truth,
        constant: Some(|number| if number == 0.0 { 0.0 } else { 1.0 }),
        dead: Dead::Inferred,
        ..COMPUTES
    };
    FromTruth = "toy.from_truth": Definition {
        text: "The scalar 1 or 0.",
        signature: "(operand: i1) -> result: scalar",
        types: "(i1) -> tensor<f64>",
        constant: Some(|number| number),
        ..COMPUTES
    };
    ToIndex = "toy.to_index": Definition {
        text: "A scalar as an index. A run-time check: it is a whole number, less than 2^53 in magnitude, and not 0\n\
               if it is a step. The attribute `what` says what it is for: \"index\", \"bound\" or \"step\".",
        signature: "{what: string} (operand: tensor) -> result: index",
        attributes: r#"{what = "index"}"#,
        types: "(tensor<f64>) -> index",
        shape: ShapeRule::Index,
        effect: Effect::Checks,
        dead: Dead::ByRule,
        ..COMPUTES
    };
    FromIndex = "toy.from_index": Definition {
        text: "An index as a scalar.",
        signature: "(operand: index) -> result: scalar",
        types: "(index) -> tensor<f64>",
        constant: Some(|number| number),
        ..COMPUTES
    };
    Read = "toy.read": Definition {
        text: "A part of a tensor. `subscripts` has one entry for each leading dimension; the others are taken whole:\n\
               \u{20} \"at\"               takes one index operand; the dimension is dropped\n\
               \u{20} -1 : i64           the same with a known index, which counts from the end if it is negative\n\
               \u{20} \"range\"            takes two, constants: from the first one up to, not including, the second one;\n\
               \u{20}                    negative ones count from the end\n\
               \u{20} \"a:b:s\"            takes three, and \"a:\", \":b\", \":\", \"a::s\", \":b:s\" and \"::s\" those that they name\n\
               \u{20} array<i64: 0, 2>   the same once all are known, counted from 0; array<i64: 4, -1, -2> with a step\n\
               \u{20} \"window\"           takes two: a first index, and a constant, the number of elements\n\
               \u{20} array<i64: 3>      the same once the number is known: it takes the first index\n\
               \"at\" and windows are run-time checks: each index is at least 0 and less than the size of the dimension.",
        signature: "{subscripts: array} (operand: tensor, indices: variadic index) -> result: tensor",
        attributes: r#"{subscripts = ["at", array<i64: 0, 2>]}"#,
        types: "(tensor<2x3xf64>, index) -> tensor<2xf64>",
        shape: ShapeRule::Read,
        effect: Effect::Checks,
        dead: Dead::ByRule,
        ..COMPUTES
    };
    Update = "toy.update": Definition {
        text: "The second operand with one part replaced by the first, which is repeated as in add to fill the part; the\n\
               part is described as in read.",
        signature: "{subscripts: array} (value: tensor, operand: tensor, indices: variadic index) -> result: tensor",
        attributes: r#"{subscripts = ["at"]}"#,
        types: "(tensor<3xf64>, tensor<2x3xf64>, index) -> tensor<2x3xf64>",
        shape: ShapeRule::Update,
        effect: Effect::Checks,
        dead: Dead::ByRule,
        ..COMPUTES
    };
    Shape = "toy.shape": Definition {
        text: "The size of the dimension `axis` of a tensor; a negative axis counts from the end. A constant, which\n\
               specialization evaluates, as are the length of a range and the axis of a reduce_axis.",
        signature: "(operand: tensor, axis: tensor) -> result: scalar",
        types: "(tensor<2x3xf64>, tensor<f64>) -> tensor<f64>",
        written: Written::Builtin("shape", 2),
        shape: ShapeRule::Axis,
        dead: Dead::Never,
        ..COMPUTES
    };
    Range = "toy.range": Definition {
        text: "The vector 0, 1, ..., count - 1.",
        signature: "(count: tensor) -> result: tensor",
        types: "(tensor<f64>) -> tensor<*xf64>",
        written: Written::Builtin("range", 1),
        shape: ShapeRule::Range,
        dead: Dead::Never,
        ..COMPUTES
    };
    Matmul = "toy.matmul": Definition {
        text: "The product of two matrices, of a matrix and a vector, of a vector and a matrix, of two vectors, or of batches\n\
               of matrices, whose leading dimensions are aligned and repeated as in add.",
        types: "(tensor<2x3xf64>, tensor<3x4xf64>) -> tensor<2x4xf64>",
        written: Written::Operator(BinaryOperator::MatMul),
        shape: ShapeRule::Product,
        ..BINARY
    };
    Reduce = "toy.reduce": Definition {
        text: "The sum, max, min, prod, mean, argmax or argmin (`kind`) of all elements, or of those along\n\
               one axis: `axis = 0 : i64`. With the attribute `keep`, a unit, what is reduced has size 1.\n\
               The kinds cumsum and sort have a result for each element; cumsum without an axis is a list.",
        signature: "{kind: string} (operand: tensor) -> result: tensor",
        attributes: r#"{kind = "sum", axis = 0 : i64}"#,
        types: "(tensor<2x3xf64>) -> tensor<3xf64>",
        shape: ShapeRule::Reduced,
        dead: Dead::ByRule,
        ..COMPUTES
    };
    ReduceAxis = "toy.reduce_axis": Definition {
        text: "The same along an axis that is a constant; specialization makes it an attribute of a reduce.",
        signature: "{kind: string} (operand: tensor, axis: tensor) -> result: tensor",
        attributes: r#"{kind = "max"}"#,
        types: "(tensor<2x3xf64>, tensor<f64>) -> tensor<*xf64>",
        shape: ShapeRule::ReducedAxis,
        dead: Dead::Never,
        ..COMPUTES
    };
    Math = "toy.math": Definition {
        text: "A function of each element, such as exp.",
        signature: "{function: string} (operand: tensor) -> result: tensor",
        attributes: r#"{function = "exp"}"#,
        shape: ShapeRule::OfOperand,
        scalar: Some(Scalar::Function),
        ..COMPUTES
    };
    Max = "toy.max": Definition {
        text: "Element-wise maximum as in IEEE 754-2019: a NaN wins, and -0 is less than +0.",
        commutes: true,
        ..builtin("max", "arith.maximumf")
    };
    Min = "toy.min": Definition {
        text: "Element-wise minimum, likewise.",
        commutes: true,
        ..builtin("min", "arith.minimumf")
    };
    Pow = "toy.pow": Definition {
        text: "Element-wise power.",
        types: "(tensor<2xf64>, tensor<f64>) -> tensor<2xf64>",
        ..builtin("pow", "llvm.intr.pow")
    };
    Rem = "toy.rem": Definition {
        text: "Element-wise remainder of the division, exact, with the sign of the divisor.",
        scalar: Some(Scalar::Remainder),
        ..operator(BinaryOperator::Rem, "")
    };
    Select = "toy.select": Definition {
        text: "Element-wise choice: the second operand where the first one is not 0, the third elsewhere.",
        signature: "(condition: tensor, lhs: tensor, rhs: tensor) -> result: tensor",
        types: "(tensor<2xf64>, tensor<2xf64>, tensor<f64>) -> tensor<2xf64>",
        written: Written::Builtin("where", 3),
        shape: ShapeRule::ElementWise,
        scalar: Some(Scalar::Select),
        dead: Dead::Inferred,
        ..COMPUTES
    };
    ReshapeTo = "toy.reshape_to": Definition {
        text: "A reshape to the sizes that follow the operand: constants, with which specialization makes a reshape. With\n\
               the attribute `open`, one of them may be -1, which then follows from the number of elements.",
        signature: "(operand: tensor, sizes: variadic tensor) -> result: tensor",
        types: "(tensor<6xf64>, tensor<f64>, tensor<f64>) -> tensor<*xf64>",
        shape: ShapeRule::Sizes,
        constant: Some(|number| number),
        is_alias: true,
        dead: Dead::Never,
        ..COMPUTES
    };
    Join = "toy.join": Definition {
        text: "Tensors one after the other along the axis, a constant; their other dimensions are equal.",
        signature: "(axis: tensor, operands: variadic tensor) -> result: tensor",
        types: "(tensor<f64>, tensor<2xf64>, tensor<2xf64>) -> tensor<4xf64>",
        shape: ShapeRule::AlongAxis,
        dead: Dead::Inferred,
        ..COMPUTES
    };
    Convert = "toy.convert": Definition {
        text: "The nearest number of the type `element`, f64 or f32, for each element.",
        signature: "{element: string} (operand: tensor) -> result: tensor",
        attributes: r#"{element = "f32"}"#,
        types: "(tensor<2xf64>) -> tensor<2xf32>",
        shape: ShapeRule::OfOperand,
        scalar: Some(Scalar::Convert),
        ..COMPUTES
    };
    Stop = "toy.stop": Definition {
        text: "The same value, a constant for gradients.",
        written: Written::Builtin("stop", 1),
        shape: ShapeRule::OfOperand,
        is_alias: true,
        ..COMPUTES
    };
    PrintValues = "toy.print_values": Definition {
        text: "Writes texts and values to standard output. In `format`, a string is a text, and `unit` the next operand.\n\
               The attribute `end`, a string, is written at the end in the place of a line feed. Numbers have as many\n\
               digits after the point as `digits` says, and at least as many characters as `width`: `2 : i64`.",
        signature: "{format: array} (operands: variadic tensor)",
        attributes: r#"{format = ["x is", unit]}"#,
        types: "(tensor<f64>) -> ()",
        effect: Effect::Acts,
        dead: Dead::Never,
        ..COMPUTES
    };
}

/// Every operator but logic, which is control flow, and comparisons, which are one operation, has a row of its own.
const _: () = {
    let mut at = 0;
    while at < BinaryOperator::ALL.len() {
        let operator = BinaryOperator::ALL[at];
        let is_special = operator.precedence() as usize <= Precedence::Comparison as usize;
        assert!(is_special || has_row(operator), "an operator has no operation: add a row");
        at += 1;
    }
};

const fn has_row(operator: BinaryOperator) -> bool {
    let mut at = 0;
    while at < OPERATIONS.len() {
        if let Written::Operator(written) = OPERATIONS[at].written
            && written as usize == operator as usize
        {
            return true;
        }
        at += 1;
    }
    false
}

impl Kind {
    pub fn of<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> Option<Kind> {
        let name = ir::name(operation);
        name.starts_with("toy.").then(|| Kind::named(name)).flatten()
    }

    /// The row of the table.
    pub fn definition(self) -> &'static Definition {
        &OPERATIONS[self as usize]
    }

    /// The operation that an operator becomes, if it is one of two tensors.
    pub fn of_operator(operator: BinaryOperator) -> Option<Kind> {
        Self::written(Written::Operator(operator))
    }

    /// The operation that a call of a builtin with this many arguments becomes, if it has one of its own.
    pub fn of_builtin(name: &str, arguments: usize) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| {
            let Definition { written, signature, .. } = kind.definition();
            let may_have_more = signature.contains("variadic");
            matches!(*written, Written::Builtin(it, count)
                if it == name && (count == arguments || (may_have_more && count < arguments)))
        })
    }

    fn written(written: Written) -> Option<Kind> {
        Kind::ALL.iter().copied().find(|kind| kind.definition().written == written)
    }

    /// True if the operation only computes its result. It may still fail when it runs ([`Effect::Checks`]).
    pub fn is_pure(self) -> bool {
        self.definition().effect != Effect::Acts
    }

    /// True if each element of the result follows from the elements in the same place.
    pub fn is_element_wise(self) -> bool {
        self.definition().scalar.is_some()
    }

    /// The function of two constants that the operation computes, if it is arithmetic.
    pub fn arithmetic(self) -> Option<fn(f64, f64) -> f64> {
        match self.definition().written {
            Written::Operator(operator) => match operator.class() {
                Class::Arithmetic(of) => Some(of),
                Class::Logical | Class::ElementWise(_) | Class::OfTensors(_) => None,
            },
            Written::Builtin(..) | Written::Otherwise => None,
        }
    }

    /// The operator or builtin, as written in Toy.
    pub fn symbol(self) -> Option<&'static str> {
        match self.definition().written {
            Written::Operator(operator) => Some(operator.symbol()),
            Written::Builtin(name, _) => Some(name),
            Written::Otherwise => None,
        }
    }
}

#[cfg(test)]
mod tests;
