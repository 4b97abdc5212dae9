//! The types of parameters and results as they are in Toy: structs, where an [`Interface`](super::Interface) has their
//! tensors one by one.

use super::{Function, TensorType, Value};

/// A type.
pub enum Nested<'f> {
    Tensor(&'f TensorType),
    /// The name of the struct, and its fields with their names.
    Struct(&'f str, Vec<(&'f str, Nested<'f>)>),
}

impl<'f> Nested<'f> {
    /// The parameters of a function with their names.
    pub fn parameters(function: &'f Function) -> Vec<(&'f str, Self)> {
        let parameters =
            function.parameters.chunk_by(|one, other| one.path.name == other.path.name);
        parameters.map(|values| (values[0].path.name.as_str(), Self::of(values, 0))).collect()
    }

    /// The result of a function, if it has one; several, which a function in MLIR can have, are a struct.
    pub fn result(function: &'f Function) -> Option<Self> {
        match function.results.as_slice() {
            [] => None,
            [first, .., last] if first.path.name != last.path.name => {
                let results = function.results.iter();
                let fields = results.map(|it| (it.path.name.as_str(), Self::Tensor(&it.ty)));
                Some(Self::Struct("results", fields.collect()))
            }
            values => Some(Self::of(values, 0)),
        }
    }

    /// The type of a value that consists of these tensors, each within `depth` structs.
    fn of(values: &'f [Value], depth: usize) -> Self {
        let Some(first) = values[0].path.fields.get(depth) else {
            return Self::Tensor(&values[0].ty);
        };
        let name = |value: &'f Value| value.path.fields[depth].name.as_str();
        let fields = values
            .chunk_by(|one, other| one.path.fields[depth].name == other.path.fields[depth].name)
            .map(|values| (name(&values[0]), Self::of(values, depth + 1)));
        Self::Struct(&first.structure, fields.collect())
    }
}
