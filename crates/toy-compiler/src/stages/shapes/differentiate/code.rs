//! Toy operations with their shapes: the types of results follow from the rules of the language.
//!
//! Input: an insertion point with the location of the operation that is differentiated. Output: operations of the Toy
//! dialect, typed. Invariant: operands have known shapes that fit.

use crate::dialect::control::{self, Function, Predicate, Reduction, Subscript};
use crate::dialect::inference;
use crate::dialect::ops::{self, Kind, ToyBuilder};
use crate::dialect::shape::{Shape, TensorType, tensor_type, type_of};
use crate::dialect::structs::fields;
use crate::dialect::unify;
use ::merge_alloc::plan::TAPE;
use melior::ir::operation::OperationRef;
use melior::ir::{Attribute, Location, Type, Value, ValueLike};
use mlir_support::builder::Insertion;
use mlir_support::{Builder, Locations, ir};

/// An insertion point.
#[derive(Clone, Copy)]
pub struct Code<'c, 'a, 'l> {
    pub builder: Builder<'c, 'a>,
    pub locations: &'l Locations<'l>,
}

/// The type of a tensor.
pub fn tensor(value: Value) -> TensorType {
    type_of(value.r#type()).expect("an active value is a tensor with a known shape")
}

pub fn shape(value: Value) -> Shape {
    tensor(value).shape
}

impl<'c, 'a, 'l> Code<'c, 'a, 'l> {
    pub fn located(self, location: Location<'c>) -> Self {
        Self { builder: self.builder.located(location), ..self }
    }

    pub fn at(self, at: Insertion<'c, 'a>) -> Self {
        Self { builder: self.builder.at(at), ..self }
    }

    /// An operation whose result has the type that follows from its operands.
    pub fn toy(
        self,
        kind: Kind,
        operands: &[Value<'c, 'a>],
        attributes: &[(&str, Attribute<'c>)],
    ) -> Value<'c, 'a> {
        // Replaced as soon as the operation exists, which the rules need.
        let ty = operands.last().expect("an operand").r#type();
        let operation = self.builder.toy_operation(kind, operands, &[ty], attributes);
        self.typed(operation, kind)
    }

    fn typed(self, operation: OperationRef<'c, 'a>, kind: Kind) -> Value<'c, 'a> {
        let at = self.locations.at(operation);
        let found = inference::result_shape(at, kind).ok().flatten().expect("the shapes fit");
        let ty = tensor_type(self.builder.context, &inference::typed(at, kind, found));
        ops::result(operation).set_type(ty);
        ops::result(operation)
    }

    pub fn add(self, x: Value<'c, 'a>, y: Value<'c, 'a>) -> Value<'c, 'a> {
        self.toy(Kind::Add, &[x, y], &[])
    }

    pub fn sub(self, x: Value<'c, 'a>, y: Value<'c, 'a>) -> Value<'c, 'a> {
        self.toy(Kind::Sub, &[x, y], &[])
    }

    pub fn mul(self, x: Value<'c, 'a>, y: Value<'c, 'a>) -> Value<'c, 'a> {
        self.toy(Kind::Mul, &[x, y], &[])
    }

    pub fn div(self, x: Value<'c, 'a>, y: Value<'c, 'a>) -> Value<'c, 'a> {
        self.toy(Kind::Div, &[x, y], &[])
    }

    pub fn neg(self, x: Value<'c, 'a>) -> Value<'c, 'a> {
        self.toy(Kind::Neg, &[x], &[])
    }

    pub fn math(self, function: Function, x: Value<'c, 'a>) -> Value<'c, 'a> {
        self.toy(Kind::Math, &[x], &[("function", self.builder.text(function.name()))])
    }

    pub fn compare(self, is: Predicate, x: Value<'c, 'a>, y: Value<'c, 'a>) -> Value<'c, 'a> {
        self.toy(Kind::Compare, &[x, y], &[("predicate", self.builder.text(is.name()))])
    }

    /// `x` where the condition holds, `y` elsewhere.
    pub fn select(
        self,
        condition: Value<'c, 'a>,
        x: Value<'c, 'a>,
        y: Value<'c, 'a>,
    ) -> Value<'c, 'a> {
        self.toy(Kind::Select, &[condition, x, y], &[])
    }

    pub fn product(self, x: Value<'c, 'a>, y: Value<'c, 'a>) -> Value<'c, 'a> {
        self.toy(Kind::Matmul, &[x, y], &[])
    }

    /// Along an axis, which stays with size 1 if it is kept, or of all elements.
    pub fn reduce(
        self,
        kind: Reduction,
        x: Value<'c, 'a>,
        axis: Option<usize>,
        keep: bool,
    ) -> Value<'c, 'a> {
        let code = self.builder;
        let mut attributes = vec![("kind", code.text(kind.name()))];
        attributes.extend(axis.map(|axis| ("axis", code.number(axis as i64))));
        attributes.extend(keep.then(|| ("keep", code.unit())));
        self.toy(Kind::Reduce, &[x], &attributes)
    }

    pub fn sum(self, x: Value<'c, 'a>) -> Value<'c, 'a> {
        if shape(x).0.is_empty() { x } else { self.reduce(Reduction::Sum, x, None, false) }
    }

    pub fn reshape(self, x: Value<'c, 'a>, to: &Shape) -> Value<'c, 'a> {
        let TensorType { element, shape } = tensor(x);
        if shape == *to {
            return x;
        }
        let ty = TensorType { element, shape: to.clone() };
        self.builder.typed(Kind::Reshape, &[x], tensor_type(self.builder.context, &ty), &[])
    }

    pub fn transpose(self, x: Value<'c, 'a>, permutation: &[usize]) -> Value<'c, 'a> {
        let code = self.builder;
        let (context, ty) = (code.context, tensor(x));
        let shape = ty.shape.permuted(permutation);
        let ty = tensor_type(context, &TensorType { shape, ..ty });
        ops::result(code.insert(control::transpose(context, code.location, x, permutation, ty)))
    }

    /// The same with the last two dimensions exchanged.
    pub fn matrix_transpose(self, x: Value<'c, 'a>) -> Value<'c, 'a> {
        let rank = shape(x).0.len();
        let mut dims: Vec<_> = (0..rank).collect();
        dims.swap(rank - 2, rank - 1);
        self.transpose(x, &dims)
    }

    pub fn read(
        self,
        x: Value<'c, 'a>,
        subscripts: &[Subscript],
        indices: &[Value<'c, 'a>],
    ) -> Value<'c, 'a> {
        let attribute = control::subscripts_attribute(self.builder, subscripts);
        let operands = [&[x], indices].concat();
        let operation =
            self.builder.toy_operation(Kind::Read, &operands, &[x.r#type()], &[attribute]);
        self.typed(operation, Kind::Read)
    }

    /// The tensor with `value` in place of a part.
    pub fn update(
        self,
        value: Value<'c, 'a>,
        x: Value<'c, 'a>,
        subscripts: &[Subscript],
        indices: &[Value<'c, 'a>],
    ) -> Value<'c, 'a> {
        let attribute = control::subscripts_attribute(self.builder, subscripts);
        let operands = [&[value, x], indices].concat();
        self.builder.typed(Kind::Update, &operands, x.r#type(), &[attribute])
    }

    /// A scalar of the element type of a tensor.
    pub fn number(self, number: f64, like: Value<'c, 'a>) -> Value<'c, 'a> {
        let ty = TensorType { element: tensor(like).element, shape: Shape::default() };
        self.filled(number, tensor_type(self.builder.context, &ty))
    }

    fn filled(self, number: f64, ty: Type<'c>) -> Value<'c, 'a> {
        self.builder.toy_constant(ty, ir::dense(ty, &[number]))
    }

    /// A tensor, or a struct of tensors, of which the program reads only what it has written. Its location has the name of
    /// the variable that is saved, if there is one, so that plans of memory show it.
    pub fn tape(self, ty: Type<'c>, of: Option<&str>) -> Value<'c, 'a> {
        let name = of.map_or_else(|| TAPE.to_owned(), |name| format!("{TAPE} of {name}"));
        let location = Location::name(self.builder.context, &name, self.builder.location);
        let code = self.located(location).builder;
        code.typed(Kind::Unset, &[], ty, &[(ops::TAPE, code.unit())])
    }

    /// Zeros in a tensor, or in the tensors of a struct.
    pub fn zeros(self, ty: Type<'c>) -> Value<'c, 'a> {
        match fields(ty) {
            Some(fields) => {
                let fields: Vec<_> = fields.into_iter().map(|field| self.zeros(field)).collect();
                self.structure(&fields)
            }
            None => self.filled(0.0, ty),
        }
    }

    /// The list 0, 1, ... as a tensor that has its size along an axis, and 1 along all others.
    pub fn places(self, like: Value<'c, 'a>, axis: usize) -> Value<'c, 'a> {
        let dims = shape(like).0;
        let count = self.builder.scalar_constant(dims[axis] as f64);
        let list = self.toy(Kind::Range, &[count], &[]);
        let mut ones = vec![1; dims.len()];
        ones[axis] = dims[axis];
        self.reshape(list, &Shape(ones))
    }

    /// A struct of its fields.
    pub fn structure(self, fields: &[Value<'c, 'a>]) -> Value<'c, 'a> {
        unify::structure(self.builder, fields.to_vec(), |_| self.builder.location)
    }

    /// The fields of a struct; None of a tensor.
    pub fn fields(self, value: Value<'c, 'a>) -> Option<Vec<Value<'c, 'a>>> {
        let types = fields(value.r#type())?.into_iter().enumerate();
        Some(types.map(|(index, ty)| self.field(value, index, ty)).collect())
    }

    pub fn field(self, value: Value<'c, 'a>, index: usize, ty: Type<'c>) -> Value<'c, 'a> {
        let index = ("index", self.builder.number(index as i64));
        self.builder.typed(Kind::StructAccess, &[value], ty, &[index])
    }
}
