//! Numbers as C's `%e` prints them.

use std::fmt::{Result, Write};

/// A number in the format of C's `%e`: six decimals, and an exponent with a sign and at least two digits.
pub struct Scientific(pub f64);

impl std::fmt::Display for Scientific {
    fn fmt(&self, out: &mut std::fmt::Formatter) -> Result {
        let mut text = StackBuffer { bytes: [0; 32], length: 0 };
        write!(text, "{:.6e}", self.0)?;
        let rust = std::str::from_utf8(&text.bytes[..text.length]).unwrap_or_default();
        let (mantissa, exponent) = rust.rsplit_once('e').unwrap_or((rust, "0"));
        out.write_str(mantissa)?;
        let (sign, digits) = match exponent.strip_prefix('-') {
            Some(digits) => ("e-", digits),
            None => ("e+", exponent),
        };
        out.write_str(sign)?;
        out.write_str(if digits.len() < 2 { "0" } else { "" })?;
        out.write_str(digits)
    }
}

/// A buffer on the stack: a literal may have a million numbers, too many for an allocation each.
struct StackBuffer {
    bytes: [u8; 32],
    length: usize,
}

impl Write for StackBuffer {
    fn write_str(&mut self, text: &str) -> Result {
        let end = self.length + text.len();
        let place = self.bytes.get_mut(self.length..end).ok_or(std::fmt::Error)?;
        place.copy_from_slice(text.as_bytes());
        self.length = end;
        Ok(())
    }
}
