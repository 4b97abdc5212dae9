//! `linalg`: `linalg.generic`, and named operations with the body that their name implies.
//!
//! Invariant of the named operations: the operands are valid for the name. On tensors the result has the type of the
//! destination, on buffers there is none. MLIR, which makes the body, does not check the operands, so the methods check
//! them, and panic if they do not match.

use super::Builder;
use crate::func::result;
use crate::ir;
use crate::linalg::IteratorKind;
use melior::StringRef;
use melior::ir::attribute::ArrayAttribute;
use melior::ir::operation::{OperationMutLike, OperationRef};
use melior::ir::r#type::{MemRefType, RankedTensorType};
use melior::ir::{Attribute, Region, ShapedTypeLike, Type, TypeLike, Value, ValueLike};

/// An operand of a `linalg.generic`: the dimensions of the iteration that index it.
pub type Indexed<'c, 'a, 'd> = (Value<'c, 'a>, &'d [usize]);

/// An element-wise operation on operands of the destination's shape and element type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ElementWise {
    Add,
    Sub,
    Mul,
    Div,
    Negf,
}

impl ElementWise {
    const fn name(self) -> &'static str {
        match self {
            ElementWise::Add => "linalg.add",
            ElementWise::Sub => "linalg.sub",
            ElementWise::Mul => "linalg.mul",
            ElementWise::Div => "linalg.div",
            ElementWise::Negf => "linalg.negf",
        }
    }

    const fn input_count(self) -> usize {
        match self {
            ElementWise::Negf => 1,
            _ => 2,
        }
    }
}

impl<'c, 'a> Builder<'c, 'a> {
    /// `linalg.generic`: `body` gets the elements of the inputs and of the destination, and computes the new one.
    pub fn generic(
        self,
        iterators: &[IteratorKind],
        inputs: &[Indexed<'c, 'a, '_>],
        destination: Indexed<'c, 'a, '_>,
        body: impl FnOnce(Self, &[Value<'c, 'a>]) -> Value<'c, 'a>,
    ) -> Value<'c, 'a> {
        let attribute = |text: &str| Attribute::parse(self.context, text).expect("valid");
        let dims = |list: &mut dyn Iterator<Item = usize>| {
            list.map(|dim| format!("d{dim}")).collect::<Vec<_>>().join(", ")
        };
        let all = dims(&mut (0..iterators.len()));
        let operands: Vec<_> = inputs.iter().copied().chain([destination]).collect();
        let maps: Vec<_> = operands
            .iter()
            .map(|(_, indices)| dims(&mut indices.iter().copied()))
            .map(|indices| attribute(&format!("affine_map<({all}) -> ({indices})>")))
            .collect();
        let kinds: Vec<_> = iterators
            .iter()
            .map(|kind| match kind {
                IteratorKind::Parallel => attribute("#linalg.iterator_type<parallel>"),
                IteratorKind::Reduction => attribute("#linalg.iterator_type<reduction>"),
                IteratorKind::Other => panic!("an iterator is parallel or a reduction"),
            })
            .collect();
        let attributes = [
            ("operandSegmentSizes", self.segments(&[inputs.len() as i32, 1])),
            ("indexing_maps", ArrayAttribute::new(self.context, &maps).into()),
            ("iterator_types", ArrayAttribute::new(self.context, &kinds).into()),
        ];
        let values: Vec<_> = operands.iter().map(|(value, _)| *value).collect();
        let element = |value: &Value<'c, 'a>| ir::element(value.r#type()).expect("a shaped type");
        let region = self.region(&values.iter().map(element).collect::<Vec<_>>());
        let results = [destination.0.r#type()];
        let generic =
            self.op_with_regions("linalg.generic", &values, &results, &attributes, vec![region]);
        self.fill_region(generic, 0, "linalg.yield", |code, elements| vec![body(code, elements)]);
        result(generic)
    }

    /// An element-wise operation.
    ///
    /// # Panics
    ///
    /// If the number of inputs is wrong, or one has another rank or element type than the destination.
    pub fn element_wise(
        self,
        operation: ElementWise,
        inputs: &[Value<'c, '_>],
        destination: Value<'c, '_>,
    ) -> OperationRef<'c, 'a> {
        let needed = rank_and_element(destination);
        let fit = inputs.iter().all(|input| rank_and_element(*input) == needed);
        let is_float = needed.is_some_and(|(_, element)| element.is_float());
        assert!(fit && inputs.len() == operation.input_count(), "operands of {operation:?}");
        assert!(is_float, "{operation:?} of floating-point numbers");
        self.named(operation.name(), inputs, destination)
    }

    /// `linalg.fill`: the destination with a scalar in every element.
    ///
    /// # Panics
    ///
    /// If the scalar has another type than the elements of the destination, or is not a number.
    pub fn fill(self, scalar: Value<'c, '_>, destination: Value<'c, '_>) -> OperationRef<'c, 'a> {
        let element = rank_and_element(destination).map(|(_, element)| element);
        assert!(element == Some(scalar.r#type()), "a fill with an element of the destination");
        assert!(element.is_some_and(is_number), "a fill with a number");
        self.named("linalg.fill", &[scalar], destination)
    }

    /// `linalg.copy`: the destination with the elements of a source.
    ///
    /// # Panics
    ///
    /// If the source has another rank or element type than the destination, or elements that are not numbers.
    pub fn copy_elements(
        self,
        source: Value<'c, '_>,
        destination: Value<'c, '_>,
    ) -> OperationRef<'c, 'a> {
        let needed = rank_and_element(destination);
        assert!(needed == rank_and_element(source), "a copy of elements of one type");
        assert!(needed.is_some_and(|(_, element)| is_number(element)), "a copy of numbers");
        self.named("linalg.copy", &[source], destination)
    }

    /// The operation of this name; the caller has checked the operands.
    fn named(
        self,
        name: &str,
        inputs: &[Value<'c, '_>],
        destination: Value<'c, '_>,
    ) -> OperationRef<'c, 'a> {
        // SAFETY: the context is alive.
        let dialect = unsafe {
            let name = StringRef::new("linalg").to_raw();
            mlir_sys::mlirContextGetOrLoadDialect(self.context.to_raw(), name)
        };
        assert!(!dialect.ptr.is_null(), "the dialect linalg is not registered");
        let attributes = [("operandSegmentSizes", self.segments(&[inputs.len() as i32, 1]))];
        let ty = destination.r#type();
        let results = if ty.is_ranked_tensor() { vec![ty] } else { vec![] };
        let operands = [inputs, &[destination]].concat();
        let regions = vec![Region::new()];
        let operation = self.op_with_regions(name, &operands, &results, &attributes, regions);
        // SAFETY: the dialect is loaded, and this is a named operation of it with its number of operands, of types that it
        // is defined for, and with one empty region.
        unsafe { mlir_sys::mlirLinalgFillBuiltinNamedOpRegion(operation.to_raw()) };
        // MLIR gives the body the location of the first operand.
        for inner in ir::operations(operation) {
            ir::mutable(inner).set_location(self.location);
        }
        operation
    }
}

/// The rank and the element type of a tensor or buffer that has a rank.
fn rank_and_element<'c>(value: Value<'c, '_>) -> Option<(usize, Type<'c>)> {
    let ty = value.r#type();
    if ty.is_ranked_tensor() {
        let ty = RankedTensorType::try_from(ty).ok()?;
        return Some((ty.rank(), ty.element()));
    }
    let ty = MemRefType::try_from(ty).ok()?;
    Some((ty.rank(), ty.element()))
}

fn is_number(ty: Type) -> bool {
    ty.is_float() || ty.is_integer()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Session;
    use crate::builder::Insertion;
    use melior::ir::operation::OperationLike;
    use melior::ir::{Block, BlockLike, Location, RegionLike};

    /// Builds one operation on values of these types in a block of its own, and verifies it.
    fn built(types: [&str; 3], build: fn(Builder, [Value; 3]) -> bool) -> bool {
        let session = Session::new();
        session.load_dialects(&["func", "arith", "linalg"]);
        let context = session.context();
        let location = Location::unknown(context);
        let types = types.map(|ty| (Type::parse(context, ty).expect("a type"), location));
        let block = Block::new(&types);
        let block = ir::block_ref(&block);
        let builder = Builder::new(context, Insertion::AtEnd(block), location);
        let arguments = ir::arguments(block);
        build(builder, [arguments[0], arguments[1], arguments[2]])
    }

    fn add(builder: Builder, [lhs, rhs, out]: [Value; 3]) -> bool {
        let add = builder.element_wise(ElementWise::Add, &[lhs, rhs], out);
        let body = add.region(0).expect("a region").first_block().expect("a body");
        let first = body.first_operation().expect("an operation");
        add.verify() && ir::name(&first) == "arith.addf"
    }

    fn fill_second(builder: Builder, [scalar, out, _]: [Value; 3]) -> bool {
        builder.fill(scalar, out).verify()
    }

    #[test]
    fn operations_on_tensors_and_buffers_are_valid() {
        for ty in ["tensor<2x3xf64>", "memref<2x3xf32>", "tensor<f64>", "memref<?xf64>"] {
            assert!(built([ty; 3], add), "{ty}");
        }
        assert!(built(["f64", "tensor<2xf64>", "f64"], fill_second));
        assert!(built(["i8", "memref<16xi8>", "i8"], fill_second));
    }

    #[test]
    #[should_panic(expected = "operands of Add")]
    fn operands_of_another_rank_are_refused() {
        built(["tensor<2x3xf64>", "tensor<f64>", "tensor<2x3xf64>"], add);
    }

    #[test]
    #[should_panic(expected = "floating-point")]
    fn elements_that_are_not_numbers_are_refused() {
        built(["tensor<2xindex>"; 3], add);
    }

    #[test]
    #[should_panic(expected = "an element of the destination")]
    fn a_fill_with_a_scalar_of_another_type_is_refused() {
        built(["f32", "memref<2xf64>", "f32"], fill_second);
    }
}
