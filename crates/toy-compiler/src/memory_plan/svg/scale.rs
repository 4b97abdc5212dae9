//! Numbers and the places of their lines, as in the planner's pictures, and byte sizes for text.

pub use memory_planner::svg::scale::{bytes as short, powers_of_two, round_numbers as round};
use toy_diagnostics::text::counted;

/// `96 bytes`, `64 KiB`, `1.5 MiB`: exact, or with three digits and a `~`.
pub fn bytes(number: u64) -> String {
    if number < 1024 || (number < 100_000 && !number.is_multiple_of(1024)) {
        return counted(number, "byte");
    }
    short(number)
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
