//! Numbers with slopes: how much they change with the parameters of gradients, which may be in each other.
//!
//! Input: numbers. Output: what an operation makes of them. A number is a sum of products of variables, one variable for
//! each gradient, whose squares are 0: the coefficient with an index belongs to the product of the variables whose bits the
//! index has. So the first coefficient is the value; and of two halves, the first is the number without the last variable,
//! and the second is its slope with that. An operation has one rule, for the slope of such halves.

use std::ops::{Add, Div, Mul, Neg, Sub};

#[derive(Clone, Debug)]
pub struct Jet(pub Vec<f64>);

impl Jet {
    pub fn value(&self) -> f64 {
        self.0[0]
    }

    fn is_zero(&self) -> bool {
        self.0.iter().all(|it| *it == 0.0)
    }

    /// A number that does not change, with as many coefficients.
    pub fn constant(&self, value: f64) -> Jet {
        let mut constant = vec![0.0; self.0.len()];
        constant[0] = value;
        Jet(constant)
    }

    fn halves(&self) -> [Jet; 2] {
        let (value, slope) = self.0.split_at(self.0.len() / 2);
        [Jet(value.to_vec()), Jet(slope.to_vec())]
    }

    /// An operation with this result and these derivatives by its operands, from the operands and the result. An operand
    /// that does not change changes nothing, even if the derivative is infinite.
    pub fn of_two(
        operands: [&Jet; 2],
        value: f64,
        derivatives: &dyn Fn([&Jet; 3]) -> [Jet; 2],
    ) -> Jet {
        if operands[0].0.len() == 1 {
            return Jet(vec![value]);
        }
        let [[a, da], [b, db]] = operands.map(Jet::halves);
        let result = Jet::of_two([&a, &b], value, derivatives);
        let derivatives = derivatives([&a, &b, &result]);
        let mut slope = result.constant(0.0);
        for (change, derivative) in [da, db].iter().zip(&derivatives) {
            if !change.is_zero() {
                slope = &slope + &(change * derivative);
            }
        }
        Jet([result.0, slope.0].concat())
    }

    pub fn power(&self, exponent: &Jet, value: f64) -> Jet {
        Jet::of_two([self, exponent], value, &|[a, b, r]| {
            let less = b - &b.constant(1.0);
            let by_a = match b.value() == 0.0 {
                true => b.constant(0.0),
                false => b * &a.power(&less, toy_math::pow(a.value(), less.value())),
            };
            let by_b = match a.value() == 0.0 {
                true => a.constant(0.0),
                false => r * &a.function("log", toy_math::log(a.value())),
            };
            [by_a, by_b]
        })
    }

    /// A function of one number, by its name.
    pub fn function(&self, name: &str, value: f64) -> Jet {
        Jet::of_two([self, &self.constant(0.0)], value, &|[x, zero, r]| {
            let number = |number| x.constant(number);
            let by_x = match name {
                "exp" => r.clone(),
                "log" => &number(1.0) / x,
                "sqrt" if x.value() != 0.0 => &number(0.5) / r,
                "sin" => x.function("cos", toy_math::cos(x.value())),
                "cos" => -&x.function("sin", toy_math::sin(x.value())),
                "tanh" => &number(1.0) - &(r * r),
                "abs" if x.value() > 0.0 => number(1.0),
                "abs" if x.value() < 0.0 => number(-1.0),
                _ => number(0.0),
            };
            [by_x, zero.clone()]
        })
    }

    /// A reduction of numbers, by its name; of none, a number without slopes.
    pub fn reduced(name: &str, numbers: &[&Jet]) -> Jet {
        let Some((first, rest)) = numbers.split_first() else { return Jet(vec![0.0]) };
        let zero = first.constant(0.0);
        match name {
            "sum" => numbers.iter().fold(zero, |sum, it| &sum + *it),
            "mean" => &Jet::reduced("sum", numbers) / &zero.constant(numbers.len() as f64),
            "prod" => numbers.iter().fold(zero.constant(1.0), |product, it| &product * *it),
            "max" | "min" => {
                let is_better = |a: &Jet, b: &Jet| match name {
                    "max" => a.value() > b.value(),
                    _ => a.value() < b.value(),
                };
                let better = |best, it| if is_better(it, best) { it } else { best };
                rest.iter().copied().fold(*first, better).clone()
            }
            _ => zero,
        }
    }
}

impl Add for &Jet {
    type Output = Jet;

    fn add(self, other: &Jet) -> Jet {
        Jet(self.0.iter().zip(&other.0).map(|(a, b)| a + b).collect())
    }
}

impl Neg for &Jet {
    type Output = Jet;

    fn neg(self) -> Jet {
        Jet(self.0.iter().map(|it| -it).collect())
    }
}

impl Sub for &Jet {
    type Output = Jet;

    fn sub(self, other: &Jet) -> Jet {
        self + &-other
    }
}

impl Mul for &Jet {
    type Output = Jet;

    fn mul(self, other: &Jet) -> Jet {
        let value = self.value() * other.value();
        Jet::of_two([self, other], value, &|[a, b, _]| [b.clone(), a.clone()])
    }
}

impl Div for &Jet {
    type Output = Jet;

    fn div(self, other: &Jet) -> Jet {
        let value = self.value() / other.value();
        Jet::of_two([self, other], value, &|[_, b, r]| [&b.constant(1.0) / b, -&(r / b)])
    }
}
