//! The machines of Rust, which compute at once.

use crate::machine::{Arithmetic, Bitwise, DOUBLE, Format, Machine, SINGLE, Table};

/// Rust's `f64`, whose operations are those of IEEE 754.
pub struct Native;

/// Rust's `f32`, likewise.
pub struct NativeSingle;

macro_rules! native {
    ($machine:ident $number:ident $integer:ident $format:ident) => {
        impl Machine for $machine {
            type Number = $number;
            type Integer = $integer;
            type Truth = bool;

            fn format(&self) -> &'static Format {
                &$format
            }

            fn number(&self, value: f64) -> $number {
                value as $number
            }

            fn integer(&self, value: u64) -> $integer {
                value as $integer
            }

            fn arithmetic(&self, operation: Arithmetic, a: $number, b: $number) -> $number {
                match operation {
                    Arithmetic::Add => a + b,
                    Arithmetic::Subtract => a - b,
                    Arithmetic::Multiply => a * b,
                    Arithmetic::Divide => a / b,
                }
            }

            fn bitwise(&self, operation: Bitwise, a: $integer, b: $integer) -> $integer {
                match operation {
                    Bitwise::Add => a.wrapping_add(b),
                    Bitwise::Subtract => a.wrapping_sub(b),
                    Bitwise::Multiply => a.wrapping_mul(b),
                    Bitwise::MultiplyHigh => {
                        ((u128::from(a) * u128::from(b)) >> <$integer>::BITS) as $integer
                    }
                    Bitwise::And => a & b,
                    Bitwise::Or => a | b,
                    Bitwise::Xor => a ^ b,
                    Bitwise::ShiftLeft => a << b,
                    Bitwise::ShiftRight => a >> b,
                    Bitwise::ShiftRightSigned => (a.cast_signed() >> b) as $integer,
                }
            }

            fn bits(&self, number: $number) -> $integer {
                number.to_bits()
            }

            fn of_bits(&self, bits: $integer) -> $number {
                <$number>::from_bits(bits)
            }

            fn less(&self, a: $number, b: $number) -> bool {
                a < b
            }

            fn equal(&self, a: $number, b: $number) -> bool {
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

            fn select(&self, truth: bool, yes: $number, no: $number) -> $number {
                if truth { yes } else { no }
            }

            fn branch(
                &self,
                truth: bool,
                yes: impl FnOnce() -> ($number, $number, $integer),
                no: impl FnOnce() -> ($number, $number, $integer),
            ) -> ($number, $number, $integer) {
                if truth { yes() } else { no() }
            }

            fn entry(&self, table: &'static Table, at: $integer) -> $integer {
                table.entries[at as usize] as $integer
            }
        }
    };
}

native!(Native f64 u64 DOUBLE);
native!(NativeSingle f32 u32 SINGLE);
