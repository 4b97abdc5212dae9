//! Facts about values inside a generic function: their shapes, and their structs.
//!
//! Input: the types of a signature, which mention its shape variables. Output: whether a value of some type can be had
//! from a call, and with which shapes. Invariant: a type has the shape of every tensor of a value, so that values of
//! one type fit wherever one of them does.

use super::Random;

#[derive(Clone, PartialEq, Debug)]
pub enum Shape {
    Fixed(Vec<usize>),
    /// A variable of the signature; the flag says transposed.
    Variable(usize, bool),
}

impl Shape {
    pub fn transposed(&self) -> Shape {
        match self {
            Shape::Fixed(dims) => Shape::Fixed(dims.iter().rev().copied().collect()),
            Shape::Variable(index, flag) => Shape::Variable(*index, !flag),
        }
    }
}

/// The shapes of the variables of a signature at a call, as far as they are decided.
pub type Bindings = Vec<Option<Shape>>;

#[derive(Clone, PartialEq, Debug)]
pub enum Type {
    Tensor(Shape),
    /// The index of the struct, and the types of its fields.
    Struct(usize, Vec<Type>),
}

impl Type {
    /// Binds variables of a signature so that this type, which is part of it, is the wanted one.
    pub fn bind(&self, wanted: &Type, bindings: &mut Bindings) -> bool {
        match (self, wanted) {
            (Type::Tensor(Shape::Variable(index, flag)), Type::Tensor(shape)) => {
                let shape = if *flag { shape.transposed() } else { shape.clone() };
                *bindings[*index].get_or_insert_with(|| shape.clone()) == shape
            }
            (Type::Struct(one, fields), Type::Struct(other, wanted)) => {
                one == other && fields.iter().zip(wanted).all(|(a, b)| a.bind(b, bindings))
            }
            (one, other) => one == other,
        }
    }

    /// This type, which is part of a signature, at a call.
    pub fn bound(&self, bindings: &[Shape]) -> Type {
        match self {
            Type::Tensor(Shape::Variable(index, false)) => Type::Tensor(bindings[*index].clone()),
            Type::Tensor(Shape::Variable(index, true)) => {
                Type::Tensor(bindings[*index].transposed())
            }
            Type::Tensor(fixed) => Type::Tensor(fixed.clone()),
            Type::Struct(index, fields) => {
                Type::Struct(*index, fields.iter().map(|field| field.bound(bindings)).collect())
            }
        }
    }

    pub fn mentions(&self, variable: usize) -> bool {
        match self {
            Type::Tensor(Shape::Variable(index, _)) => *index == variable,
            Type::Tensor(Shape::Fixed(_)) => false,
            Type::Struct(_, fields) => fields.iter().any(|field| field.mentions(variable)),
        }
    }
}

/// A struct of the program; each field with the index of its struct, if it is one.
pub struct Struct {
    pub name: String,
    pub fields: Vec<(String, Option<usize>)>,
}

impl Struct {
    /// A struct that may have fields of the structs before it.
    pub fn random(random: &mut Random, before: &[Struct]) -> Struct {
        let index = before.len();
        let name = ["P", "Q", "pair", "_S"][index % 4].to_owned();
        let fields = (0..1 + random.below(3)).map(|field| {
            let is_struct = index > 0 && random.chance(45);
            // Names of fields are separate: they may be the same as any others.
            let name = ["a", "b", "v1", "p2"][(field + index) % 4].to_owned();
            (name, is_struct.then(|| random.below(index)))
        });
        Struct { name, fields: fields.collect() }
    }

    pub fn text(&self, structs: &[Struct]) -> String {
        let fields = self.fields.iter().map(|(name, ty)| {
            let ty = ty.map_or("var", |index| &structs[index].name);
            format!("  {ty} {name};\n")
        });
        format!("struct {} {{\n{}}}\n", self.name, fields.collect::<String>())
    }
}

/// A value and everything it contains, each with the `.field.field` that leads to it.
pub fn parts<'t>(structs: &[Struct], ty: &'t Type) -> Vec<(String, &'t Type)> {
    let mut all = vec![(String::new(), ty)];
    if let Type::Struct(index, types) = ty {
        for ((name, _), field) in structs[*index].fields.iter().zip(types) {
            let inner = parts(structs, field);
            all.extend(inner.into_iter().map(|(path, part)| (format!(".{name}{path}"), part)));
        }
    }
    all
}
