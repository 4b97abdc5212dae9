//! Numbers on axes: their text, and the choice of numbers that get a line.

/// `96 B`, `64 KiB`, `1.5 MiB`: exact, or three digits after a `~`.
pub fn bytes(number: u64) -> String {
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

/// Multiples of a power of two from 0 to `limit`, at most `most` + 1 of them.
pub fn powers_of_two(limit: u64, most: u64) -> Vec<u64> {
    let mut step = 1u64;
    while limit / step > most && step < 1 << 62 {
        step *= 2;
    }
    (0..=limit / step).map(|index| index * step).collect()
}

/// Multiples of 1, 2 or 5 times a power of ten in `first..=last`, at most `most` of them.
pub fn round_numbers(first: u64, last: u64, most: u64) -> Vec<u64> {
    let mut steps =
        (0..20).flat_map(|power| [1, 2, 5].map(|digit| digit * 10u64.pow(power.min(18))));
    let step = steps.find(|step| (last - first) / step < most).unwrap_or(u64::MAX);
    (first.div_ceil(step)..=last / step).map(|index| index * step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_exact_or_marked_as_rounded() {
        let cases = [
            (1, "1 B"),
            (1536, "1.5 KiB"),
            (131_072, "128 KiB"),
            (100_001, "~97.7 KiB"),
            (u64::MAX, "~16 EiB"),
        ];
        for (number, text) in cases {
            assert_eq!(bytes(number), text);
        }
    }

    #[test]
    fn lines_are_few_and_within_the_range() {
        assert_eq!(powers_of_two(392, 8), [0, 64, 128, 192, 256, 320, 384]);
        assert_eq!(powers_of_two(0, 8), [0]);
        assert!(powers_of_two(u64::MAX, 8).len() <= 9);
        assert_eq!(round_numbers(7, 52, 12), [10, 15, 20, 25, 30, 35, 40, 45, 50]);
        assert_eq!(round_numbers(3, 3, 12), [3]);
        assert!(round_numbers(0, u64::MAX, 12).len() <= 12);
        assert!(round_numbers(u64::MAX - 1, u64::MAX, 12).len() <= 12);
    }
}
