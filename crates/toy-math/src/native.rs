//! The machine of Rust, which computes at once.

use crate::machine::{Arithmetic, Bitwise, Machine, Table};

/// Rust's `f64`, whose operations are those of IEEE 754.
pub struct Native;

impl Machine for Native {
    type Number = f64;
    type Integer = u64;
    type Truth = bool;

    fn number(&self, value: f64) -> f64 {
        value
    }

    fn integer(&self, value: u64) -> u64 {
        value
    }

    fn arithmetic(&self, operation: Arithmetic, a: f64, b: f64) -> f64 {
        match operation {
            Arithmetic::Add => a + b,
            Arithmetic::Subtract => a - b,
            Arithmetic::Multiply => a * b,
            Arithmetic::Divide => a / b,
        }
    }

    fn bitwise(&self, operation: Bitwise, a: u64, b: u64) -> u64 {
        match operation {
            Bitwise::Add => a.wrapping_add(b),
            Bitwise::Subtract => a.wrapping_sub(b),
            Bitwise::Multiply => a.wrapping_mul(b),
            Bitwise::MultiplyHigh => ((u128::from(a) * u128::from(b)) >> 64) as u64,
            Bitwise::And => a & b,
            Bitwise::Or => a | b,
            Bitwise::Xor => a ^ b,
            Bitwise::ShiftLeft => a << b,
            Bitwise::ShiftRight => a >> b,
            Bitwise::ShiftRightSigned => ((a as i64) >> b) as u64,
        }
    }

    fn bits(&self, number: f64) -> u64 {
        number.to_bits()
    }

    fn of_bits(&self, bits: u64) -> f64 {
        f64::from_bits(bits)
    }

    fn less(&self, a: f64, b: f64) -> bool {
        a < b
    }

    fn equal(&self, a: f64, b: f64) -> bool {
        a == b
    }

    fn and(&self, a: bool, b: bool) -> bool {
        a && b
    }

    fn not(&self, a: bool) -> bool {
        !a
    }

    fn or(&self, a: bool, b: bool) -> bool {
        a || b
    }

    fn select(&self, truth: bool, yes: f64, no: f64) -> f64 {
        if truth { yes } else { no }
    }

    fn branch(
        &self,
        truth: bool,
        yes: impl FnOnce() -> (f64, f64, u64),
        no: impl FnOnce() -> (f64, f64, u64),
    ) -> (f64, f64, u64) {
        if truth { yes() } else { no() }
    }

    fn entry(&self, table: &'static Table, at: u64) -> u64 {
        table.entries[at as usize]
    }
}
