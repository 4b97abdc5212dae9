//! Numbers and the places of the lines that are drawn for them.

use toy_diagnostics::text::counted;

/// `96 bytes`, `64 KiB`, `1.5 MiB`: exact, or with three digits and a `~`.
pub fn bytes(number: u64) -> String {
    if number < 1024 || (number < 100_000 && !number.is_multiple_of(1024)) {
        return counted(number, "byte");
    }
    short(number)
}

/// The same for axes: `96 B`.
pub fn short(number: u64) -> String {
    if number < 1024 {
        return format!("{number} B");
    }
    let mut unit = 1024.0;
    let mut name = "KiB";
    for next in ["MiB", "GiB", "TiB", "PiB", "EiB"] {
        if number as f64 / unit < 1024.0 {
            break;
        }
        unit *= 1024.0;
        name = next;
    }
    let value = number as f64 / unit;
    let text = if value < 10.0 { format!("{value:.2}") } else { format!("{value:.1}") };
    let digits = text.trim_end_matches('0').trim_end_matches('.');
    let is_exact =
        digits.parse::<f64>().is_ok_and(|shown| (shown * unit) as u128 == u128::from(number));
    format!("{}{digits} {name}", if is_exact { "" } else { "~" })
}

/// The offsets that have a line: multiples of a power of two, at most so many.
pub fn powers_of_two(limit: u64, most: u64) -> Vec<u64> {
    let mut step = 1u64;
    while limit / step > most && step < 1 << 62 {
        step *= 2;
    }
    (0..=limit / step).map(|index| index * step).collect()
}

/// Round numbers from one to the other, at most so many.
pub fn round(first: u64, last: u64, most: u64) -> Vec<u64> {
    let mut step = 1u64;
    let mut factors = [2, 5, 10].into_iter().cycle();
    let mut unit = 1u64;
    while (last - first) / step >= most {
        let factor = factors.next().unwrap_or(10);
        step = unit.saturating_mul(factor);
        if factor == 10 {
            unit = step;
        }
    }
    let start = first.div_ceil(step);
    (start..=last / step).map(|index| index * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_exact_or_have_a_tilde() {
        for (number, long, axis) in [
            (1, "1 byte", "1 B"),
            (96, "96 bytes", "96 B"),
            (1536, "1536 bytes", "1.5 KiB"),
            (131_072, "128 KiB", "128 KiB"),
            (100_001, "~97.7 KiB", "~97.7 KiB"),
            (u64::MAX, "~16 EiB", "~16 EiB"),
        ] {
            assert_eq!((bytes(number).as_str(), short(number).as_str()), (long, axis));
        }
    }

    #[test]
    fn grids_have_few_lines() {
        assert_eq!(powers_of_two(392, 8), [0, 64, 128, 192, 256, 320, 384]);
        assert_eq!(powers_of_two(0, 8), [0]);
        assert!(powers_of_two(u64::MAX, 8).len() <= 9);
        assert_eq!(round(7, 52, 12), [10, 15, 20, 25, 30, 35, 40, 45, 50]);
        assert_eq!(round(3, 3, 12), [3]);
        assert_eq!(
            round(0, 20_000, 12),
            [0, 2000, 4000, 6000, 8000, 10000, 12000, 14000, 16000, 18000, 20000]
        );
        assert!(round(0, u64::MAX, 12).len() <= 12);
    }
}
