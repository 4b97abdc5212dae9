//! The values of the attributes of Toy operations that are names: comparisons, functions, reductions, uses.
//!
//! Input: the texts of attributes. Output: enumerations; None for anything that Toy does not have.

use toy_syntax::ast::BinaryOperator;

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

pub(super) use named;

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
        Round = "round",
        Trunc = "trunc",
    }
}

named! {
    /// The kind of a `toy.reduce`.
    Reduction {
        Sum = "sum",
        Max = "max",
        Min = "min",
        Prod = "prod",
        Mean = "mean",
        ArgMax = "argmax",
        ArgMin = "argmin",
        CumSum = "cumsum",
        Sort = "sort",
    }
}

named! {
    /// The use of a `toy.to_index`.
    IndexUse { Index = "index", Bound = "bound", Step = "step" }
}

impl Predicate {
    /// The operator of Toy.
    pub fn operator(self) -> BinaryOperator {
        match self {
            Predicate::Lt => BinaryOperator::Less,
            Predicate::Le => BinaryOperator::LessEqual,
            Predicate::Gt => BinaryOperator::Greater,
            Predicate::Ge => BinaryOperator::GreaterEqual,
            Predicate::Eq => BinaryOperator::Equal,
            Predicate::Ne => BinaryOperator::NotEqual,
        }
    }

    pub fn of_operator(operator: BinaryOperator) -> Option<Predicate> {
        Predicate::ALL.iter().copied().find(|predicate| predicate.operator() == operator)
    }
}

impl Reduction {
    /// True if the result has an element for each of the operand: nothing is reduced.
    pub fn keeps_all(self) -> bool {
        matches!(self, Reduction::CumSum | Reduction::Sort)
    }
}

/// True for the operations of the functions that [`toy_math`] defines.
///
/// The dialect `math` has such operations, too, but MLIR folds them for constants: with the functions of the machine that
/// compiles, whose last bits are others. It does not fold intrinsics.
pub fn is_mathematics(operation: &str) -> bool {
    let function = operation.strip_prefix("llvm.intr.");
    function.is_some_and(|name| toy_math::Function::ALL.iter().any(|it| it.name() == name))
}

impl Function {
    /// The operation that computes it; None for what is made of several.
    pub fn operation(self) -> Option<&'static str> {
        Some(match self {
            Function::Exp => "llvm.intr.exp",
            Function::Log => "llvm.intr.log",
            Function::Sqrt => "math.sqrt",
            Function::Sin => "llvm.intr.sin",
            Function::Cos => "llvm.intr.cos",
            Function::Tanh => "llvm.intr.tanh",
            Function::Abs => "math.absf",
            Function::Floor => "math.floor",
            Function::Round => return None,
            Function::Trunc => "math.trunc",
        })
    }
}
