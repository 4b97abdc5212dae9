//! The kinds of Toy operations, and the values of their attributes: predicates, functions, reductions.
//!
//! Input: operations, and the texts of attributes. Output: enumerations; None for anything that Toy does not have.

use melior::ir::operation::OperationLike;
use mlir_support::ir;

/// Makes an enumeration whose values have names.
macro_rules! named {
    ($(#[$doc:meta])* $ty:ident { $($value:ident = $name:literal),* $(,)? }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum $ty {
            $($value),*
        }

        impl $ty {
            pub const ALL: &[$ty] = &[$($ty::$value),*];

            /// As it is written in the IR.
            pub fn name(self) -> &'static str {
                match self {
                    $($ty::$value => $name),*
                }
            }

            pub fn named(name: &str) -> Option<$ty> {
                match name {
                    $($name => Some($ty::$value),)*
                    _ => None,
                }
            }
        }
    };
}

named! {
    /// The kinds of Toy operations.
    Kind {
        Constant = "toy.constant",
        Add = "toy.add",
        Sub = "toy.sub",
        Mul = "toy.mul",
        Div = "toy.div",
        Max = "toy.max",
        Min = "toy.min",
        Pow = "toy.pow",
        Compare = "toy.compare",
        Neg = "toy.neg",
        Math = "toy.math",
        Select = "toy.select",
        Transpose = "toy.transpose",
        Reshape = "toy.reshape",
        FromElements = "toy.from_elements",
        Matmul = "toy.matmul",
        Reduce = "toy.reduce",
        ReduceAxis = "toy.reduce_axis",
        Read = "toy.read",
        Update = "toy.update",
        Shape = "toy.shape",
        Range = "toy.range",
        Truth = "toy.truth",
        FromTruth = "toy.from_truth",
        ToIndex = "toy.to_index",
        FromIndex = "toy.from_index",
        Cast = "toy.cast",
        StructConstant = "toy.struct_constant",
        StructCreate = "toy.struct_create",
        StructAccess = "toy.struct_access",
        Assign = "toy.assign",
        Unset = "toy.unset",
        GenericCall = "toy.generic_call",
        Print = "toy.print",
        PrintValues = "toy.print_values",
        Variable = "toy.variable",
    }
}

named! {
    /// The comparisons of `toy.compare`.
    Predicate { Lt = "lt", Le = "le", Gt = "gt", Ge = "ge", Eq = "eq", Ne = "ne" }
}

named! {
    /// The functions of `toy.math`.
    Function {
        Exp = "exp",
        Log = "log",
        Sqrt = "sqrt",
        Sin = "sin",
        Cos = "cos",
        Tanh = "tanh",
        Abs = "abs",
        Floor = "floor",
    }
}

named! {
    /// The reduction of a `toy.reduce`.
    Reduction { Sum = "sum", Max = "max", Min = "min" }
}

named! {
    /// The use of a `toy.to_index`.
    IndexUse { Index = "index", Bound = "bound", Step = "step" }
}

impl Kind {
    pub fn of<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> Option<Kind> {
        let name = ir::name(operation);
        name.starts_with("toy.").then(|| Kind::named(name)).flatten()
    }

    /// True if the operation only computes its result. It may still fail when it runs ([`Kind::is_checked`]).
    pub fn is_pure(self) -> bool {
        !matches!(self, Kind::GenericCall | Kind::Print | Kind::PrintValues | Kind::Variable)
    }

    /// True if the operation may end the program with an error when it runs: then it stays where it is, used or not,
    /// unless it is known not to fail.
    pub fn is_checked(self) -> bool {
        matches!(self, Kind::ToIndex | Kind::Read | Kind::Update)
    }

    /// True if the operation takes two tensors of one shape, or a tensor and a scalar, element by element.
    pub fn is_element_wise_binary(self) -> bool {
        matches!(
            self,
            Kind::Add
                | Kind::Sub
                | Kind::Mul
                | Kind::Div
                | Kind::Max
                | Kind::Min
                | Kind::Pow
                | Kind::Compare
        )
    }

    /// The operator or function of an element-wise operation of two operands, as written in Toy; not of a
    /// `toy.compare`, whose operator follows from its predicate ([`Predicate::symbol`]).
    pub fn symbol(self) -> Option<&'static str> {
        Some(match self {
            Kind::Add => "+",
            Kind::Sub => "-",
            Kind::Mul => "*",
            Kind::Div => "/",
            Kind::Max => "max",
            Kind::Min => "min",
            Kind::Pow => "pow",
            _ => return None,
        })
    }
}

impl Predicate {
    /// As written in Toy.
    pub fn symbol(self) -> &'static str {
        match self {
            Predicate::Lt => "<",
            Predicate::Le => "<=",
            Predicate::Gt => ">",
            Predicate::Ge => ">=",
            Predicate::Eq => "==",
            Predicate::Ne => "!=",
        }
    }

    /// True if it holds for two numbers; with a NaN only `Ne` does.
    pub fn holds(self, lhs: f64, rhs: f64) -> bool {
        match self {
            Predicate::Lt => lhs < rhs,
            Predicate::Le => lhs <= rhs,
            Predicate::Gt => lhs > rhs,
            Predicate::Ge => lhs >= rhs,
            Predicate::Eq => lhs == rhs,
            Predicate::Ne => lhs != rhs,
        }
    }
}
