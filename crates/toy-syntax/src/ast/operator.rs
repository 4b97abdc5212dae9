//! The binary operators: one table for the parser, the tree as text, the formatter, warnings, constants, editors and
//! the lowering.
//!
//! A row is an operator with its token, its precedence and its class, which says how the value of `a op b` follows
//! from `a` and `b`. Invariant: each operator has one token, from which its spelling follows. All of them group from
//! the left; comparisons do not group at all.

use crate::token::Token;

/// How tight a binary operator binds, loosest first.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the names say it")]
pub enum Precedence {
    Or,
    And,
    /// A [`Chain`](super::Chain) of these has one operator: `a < b < c` is an error.
    Comparison,
    Additive,
    Multiplicative,
}

impl Precedence {
    /// From the loosest to the tightest.
    pub const ALL: [Precedence; 5] = [
        Precedence::Or,
        Precedence::And,
        Precedence::Comparison,
        Precedence::Additive,
        Precedence::Multiplicative,
    ];
}

/// How a value follows from two operands.
#[derive(Clone, Copy)]
pub enum Class {
    /// `&&` and `||`: scalars, and the second operand is evaluated only if it decides.
    Logical,
    /// Element by element, or with a scalar: a function of two numbers.
    ElementWise(fn(f64, f64) -> f64),
    /// The same; the result of two constants is a constant.
    Arithmetic(fn(f64, f64) -> f64),
    /// An operation on whole tensors: the shape of the result of operands of two shapes, where warnings are to know it.
    OfTensors(fn(&[i64], &[i64]) -> Option<Vec<i64>>),
}

/// Makes the operators from the rows of the table.
macro_rules! operators {
    ($($operator:ident: $token:ident, $precedence:ident, $class:expr;)*) => {
        /// A binary operator.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[allow(missing_docs, reason = "the names say it")]
        pub enum BinaryOperator {
            $($operator),*
        }

        impl BinaryOperator {
            /// All of them, loosest first.
            pub const ALL: &[BinaryOperator] = &[$(BinaryOperator::$operator),*];

            /// The operator's token.
            pub fn token(self) -> Token<'static> {
                match self {
                    $(BinaryOperator::$operator => Token::$token),*
                }
            }

            /// The operator that a token is.
            pub fn of_token(token: Token<'_>) -> Option<BinaryOperator> {
                match token {
                    $(Token::$token => Some(BinaryOperator::$operator),)*
                    _ => None,
                }
            }

            /// How tight the operator binds.
            pub const fn precedence(self) -> Precedence {
                match self {
                    $(BinaryOperator::$operator => Precedence::$precedence),*
                }
            }

            /// How its value follows from two operands.
            pub fn class(self) -> Class {
                match self {
                    $(BinaryOperator::$operator => $class),*
                }
            }
        }
    };
}

operators! {
    Or: OrOr, Or, Class::Logical;
    And: AndAnd, And, Class::Logical;
    Less: Less, Comparison, Class::ElementWise(|a, b| truth(a < b));
    LessEqual: LessEqual, Comparison, Class::ElementWise(|a, b| truth(a <= b));
    Greater: Greater, Comparison, Class::ElementWise(|a, b| truth(a > b));
    GreaterEqual: GreaterEqual, Comparison, Class::ElementWise(|a, b| truth(a >= b));
    Equal: EqualEqual, Comparison, Class::ElementWise(|a, b| truth(a == b));
    NotEqual: NotEqual, Comparison, Class::ElementWise(|a, b| truth(a != b));
    Add: Plus, Additive, Class::Arithmetic(|a, b| a + b);
    Sub: Minus, Additive, Class::Arithmetic(|a, b| a - b);
    Mul: Star, Multiplicative, Class::Arithmetic(|a, b| a * b);
    Div: Slash, Multiplicative, Class::Arithmetic(|a, b| a / b);
    Rem: Percent, Multiplicative, Class::Arithmetic(remainder);
    MatMul: At, Multiplicative, Class::OfTensors(|_, _| None);
}

/// 1 or 0, as a comparison has it.
fn truth(holds: bool) -> f64 {
    f64::from(u8::from(holds))
}

/// The exact remainder with the sign of the divisor, as Python has it.
fn remainder(a: f64, b: f64) -> f64 {
    let rest = a % b;
    match rest == 0.0 {
        true => 0f64.copysign(b),
        false if (rest < 0.0) != (b < 0.0) => rest + b,
        false => rest,
    }
}

impl BinaryOperator {
    /// The operator as written, such as `+`.
    pub fn symbol(self) -> &'static str {
        self.token().spelling()
    }

    /// The operator's value for two numbers, if it has one; a number other than 0 is true.
    pub fn of_numbers(self, a: f64, b: f64) -> Option<f64> {
        match (self, self.class()) {
            (BinaryOperator::Or, _) => Some(truth(a != 0.0 || b != 0.0)),
            (BinaryOperator::And, _) => Some(truth(a != 0.0 && b != 0.0)),
            (_, Class::ElementWise(of) | Class::Arithmetic(of)) => Some(of(a, b)),
            (_, Class::Logical | Class::OfTensors(_)) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_remainder_has_the_sign_of_the_divisor() {
        let inf = f64::INFINITY;
        let cases = [
            (7.0, 3.0, 1.0),
            (-7.0, 3.0, 2.0),
            (7.0, -3.0, -2.0),
            (-7.0, -3.0, -1.0),
            (-6.0, 3.0, 0.0),
            (6.0, -3.0, -0.0),
            (-0.0, 3.0, 0.0),
            (0.0, -3.0, -0.0),
            (-5.5, inf, inf),
            (5.5, inf, 5.5),
            (1e300, 7.0, 2.0),
        ];
        for (a, b, expected) in cases {
            assert_eq!(remainder(a, b).to_bits(), f64::to_bits(expected), "{a} % {b}");
        }
        for (a, b) in [(1.0, 0.0), (inf, 2.0), (f64::NAN, 2.0), (2.0, f64::NAN)] {
            assert!(remainder(a, b).is_nan(), "{a} % {b}");
        }
    }

    #[test]
    fn an_operator_is_read_from_its_token() {
        for operator in BinaryOperator::ALL {
            assert_eq!(BinaryOperator::of_token(operator.token()), Some(*operator));
            assert!(Precedence::ALL.contains(&operator.precedence()));
        }
        assert!(BinaryOperator::ALL.is_sorted_by_key(|operator| operator.precedence()));
    }
}
