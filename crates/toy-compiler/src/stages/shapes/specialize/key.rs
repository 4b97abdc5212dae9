//! The identity of a specialization, as a key and as a name.

use crate::dialect::shape::{TensorType, type_of};
use crate::dialect::structs::{fields, is_open};
use melior::ir::Type;
use std::fmt;

#[derive(Clone, PartialEq, Eq, Hash)]
pub struct Key {
    pub callee: String,
    pub arguments: Vec<Argument>,
}

/// The property of an argument that a function is specialized for.
#[derive(Clone, PartialEq, Eq, Hash)]
pub enum Argument {
    Tensor(TensorType),
    Struct(Vec<Argument>),
    /// A type of another dialect, as it is written; only in `.mlir` input.
    Other(String),
}

impl Argument {
    /// None for a tensor whose shape is not known, and for a struct with such a tensor in it.
    pub fn of(ty: Type) -> Option<Argument> {
        if is_open(ty) {
            return None;
        }
        if let Some(fields) = fields(ty) {
            return fields
                .into_iter()
                .map(Argument::of)
                .collect::<Option<_>>()
                .map(Argument::Struct);
        }
        Some(match type_of(ty) {
            Some(ty) => Argument::Tensor(ty),
            None => Argument::Other(ty.to_string()),
        })
    }

    /// `2x3`; `s` for a scalar; `S2x3$sE` for a struct of the two.
    fn symbol(&self) -> String {
        match self {
            Argument::Tensor(ty) => ty.symbol(),
            Argument::Struct(fields) => {
                let fields: Vec<_> = fields.iter().map(Argument::symbol).collect();
                format!("S{}E", fields.join("$"))
            }
            Argument::Other(ty) => ty.clone(),
        }
    }
}

impl Key {
    /// The name of the specialized function: `f$2x3$s`, `f$void` without parameters.
    pub fn symbol(&self) -> String {
        if self.arguments.is_empty() {
            return format!("{}$void", self.callee);
        }
        let arguments = self.arguments.iter().map(|argument| format!("${}", argument.symbol()));
        arguments.fold(self.callee.clone(), |symbol, argument| symbol + &argument)
    }

    /// `2x3, scalar`
    pub fn list(&self) -> String {
        list(&self.arguments)
    }

    /// The elements of all arguments.
    pub fn elements(&self) -> u64 {
        elements(&self.arguments)
    }

    /// True if an argument is a list, whose shape is written as a number.
    pub fn has_list(&self) -> bool {
        let is_list = |it: &Argument| matches!(it, Argument::Tensor(ty) if ty.shape.0.len() == 1);
        self.arguments.iter().any(is_list)
    }
}

fn elements(arguments: &[Argument]) -> u64 {
    let count = |argument: &Argument| match argument {
        Argument::Tensor(ty) => ty.shape.element_count().unwrap_or(u64::MAX),
        Argument::Struct(fields) => elements(fields),
        Argument::Other(_) => 0,
    };
    arguments.iter().map(count).fold(0, u64::saturating_add)
}

fn list(arguments: &[Argument]) -> String {
    arguments.iter().map(Argument::to_string).collect::<Vec<_>>().join(", ")
}

impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Argument::Tensor(ty) => ty.fmt(f),
            Argument::Struct(fields) => write!(f, "{{{}}}", list(fields)),
            Argument::Other(ty) => f.write_str(ty),
        }
    }
}

/// `f(2x3, scalar)`
impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        write!(f, "{}({})", self.callee, self.list())
    }
}
