//! The lines of the source that a line of a stage comes from.
//!
//! Input: the text of a stage as it is shown, and a source of locations: MLIR's operations, or the same text with the
//! debug locations of LLVM IR or the `.loc` lines of assembly. Output: an [`Origin`] for each shown line, in order.
//! Invariants: a text with locations is never shown; if the two do not correspond, no origin is claimed.

mod llvm;
mod operations;

pub use llvm::{of_assembly, of_llvm};
pub use operations::of_operations;

use std::fmt;

/// Ranges of source lines, 1-based and inclusive, in order and not adjacent.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Origin(Vec<(u32, u32)>);

/// The most ranges in the origin of one line.
const MAX_RANGES: usize = 16;

impl Origin {
    pub fn line(line: u32) -> Self {
        Self::lines(line, line)
    }

    fn lines(first: u32, last: u32) -> Self {
        Self(if first == 0 { Vec::new() } else { vec![(first, last.max(first))] })
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// True if nothing more is added.
    fn is_full(&self) -> bool {
        self.0.len() >= MAX_RANGES
    }

    fn add(&mut self, other: &Origin) {
        if self.0.len() + other.0.len() > MAX_RANGES {
            return;
        }
        self.0.extend(&other.0);
        self.0.sort_unstable();
        let mut merged: Vec<(u32, u32)> = Vec::with_capacity(self.0.len());
        for (first, last) in self.0.drain(..) {
            match merged.last_mut() {
                Some(before) if first <= before.1.saturating_add(1) => {
                    before.1 = before.1.max(last)
                }
                _ => merged.push((first, last)),
            }
        }
        self.0 = merged;
    }
}

/// `7,12-14`
impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        for (index, (first, last)) in self.0.iter().enumerate() {
            f.write_str(if index == 0 { "" } else { "," })?;
            write!(f, "{first}")?;
            if last > first {
                write!(f, "-{last}")?;
            }
        }
        Ok(())
    }
}

/// The origin of a line of `-emit=tokens`, which begins with its place.
pub fn of_token(line: &str) -> Origin {
    let number = line.split(':').next().and_then(|number| number.parse().ok());
    number.map_or(Origin::default(), Origin::line)
}

/// The origins of a tree's lines. Most lines end with their position; another line that opens a list has the position
/// of its first element.
pub fn of_tree(text: &str, name: &str) -> Vec<Origin> {
    let place = |line: &str| -> Option<Origin> {
        let (_, place) = line.rsplit_once(&format!("@{name}:"))?;
        Some(Origin::line(place.split(':').next()?.parse().ok()?))
    };
    let lines: Vec<&str> = text.lines().collect();
    let mut origins: Vec<_> = lines.iter().map(|line| place(line).unwrap_or_default()).collect();
    for index in (0..lines.len()).rev() {
        let line = lines[index].trim_start();
        if (line.starts_with("Function") || line.starts_with("Return"))
            && origins[index].is_empty()
            && let Some(next) = origins.get(index + 1)
        {
            origins[index] = next.clone();
        }
    }
    for index in 1..lines.len() {
        let line = lines[index].trim_start();
        let belongs_to_prototype = ["Params:", "Block {", "Variables:"];
        if belongs_to_prototype.iter().any(|start| line.starts_with(start)) {
            origins[index] = origins[index - 1].clone();
        }
    }
    origins
}

#[cfg(test)]
mod tests {
    use super::*;

    pub fn shown(origins: &[Origin]) -> Vec<String> {
        origins.iter().map(Origin::to_string).collect()
    }

    #[test]
    fn ranges_are_merged_and_shown() {
        let mut origin = Origin::line(7);
        for (first, last) in [(12, 13), (14, 14), (7, 7), (0, 5)] {
            origin.add(&Origin::lines(first, last));
        }
        assert_eq!(origin.to_string(), "7,12-14");
    }

    #[test]
    fn trees() {
        let text = "  Module:\n    Function \n      Proto 'f' @a@b:3:4:1\n      Params: []\n        Return\n          var: a @a@b:3:5:9\n        ]\n";
        assert_eq!(shown(&of_tree(text, "a@b:3")), ["", "4", "4", "4", "5", "5", ""]);
        assert_eq!(shown(&[of_token("12:3  Var  var"), of_token("")]), ["12", ""]);
    }
}
