//! The pass's options, in the syntax of MLIR: `{name=value name}`.

use crate::diagnostic::{Diagnostic, codes};
use memory_planner::Planner;

/// How to merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub mode: Mode,
    pub planner: Planner,
    /// The most bytes that a merged allocation may have; more is an error.
    pub capacity: Option<u64>,
    /// The least alignment of a merged buffer, a power of two.
    pub alignment: u64,
    /// Whether a buffer smaller than that is aligned to the next power of two of its size only, and what
    /// malloc aligns anyway does not ask for it; None: not said.
    pub compact: Option<bool>,
    /// Fewer allocations in a scope stay as they are.
    pub min_allocs: usize,
    /// The texts of the memory spaces to merge in besides the default one.
    pub memory_spaces: Vec<String>,
    pub reuse: Reuse,
    /// Whether operations that are not known are errors.
    pub strict: bool,
    /// Whether functions get the memory of their temporaries from their callers; None: not said.
    pub call_trees: Option<bool>,
    /// Whether the pass stands under `func.func` in a pipeline: then it sees the module's own
    /// functions, each by itself.
    pub is_nested: bool,
    /// Whether merged buffers are filled with nonsense before they are used, to find mistakes.
    pub poison: bool,
}

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Lifetimes, as attributes.
    Analyze,
    /// Lifetimes and offsets, as attributes.
    Plan,
    Merge,
}

/// Which buffers may share memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reuse {
    None,
    /// Those whose lifetimes do not overlap.
    Ticks,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            mode: Mode::Merge,
            planner: Planner::Portfolio,
            capacity: None,
            alignment: 64,
            compact: None,
            min_allocs: 2,
            memory_spaces: Vec::new(),
            reuse: Reuse::Ticks,
            strict: false,
            call_trees: None,
            is_nested: false,
            poison: false,
        }
    }
}

impl Options {
    /// The options in a text, with or without braces around it. Later ones win.
    pub fn parse(text: &str) -> Result<Self, Diagnostic> {
        let text = text.trim();
        let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
        let mut options = Self::default();
        for option in words(inner) {
            let (name, value) = match option.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (option, None),
            };
            options.set(name, value).map_err(|wanted| {
                let message = format!("merge-alloc: `{option}` is not possible: {wanted}");
                Diagnostic::error(codes::NOT_AVAILABLE, message)
            })?;
        }
        Ok(options)
    }

    /// Where a buffer of a size may begin, as far as the options say: at a multiple of this. Small buffers
    /// that are compact lie within one cache line, like all others, but do not fill one each.
    pub fn alignment_of(&self, size: u64) -> u64 {
        match size.checked_next_power_of_two() {
            Some(next) if self.is_compact() => next.min(self.alignment),
            _ => self.alignment,
        }
    }

    pub fn is_compact(&self) -> bool {
        self.compact == Some(true)
    }

    fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        let flag = || match value {
            None | Some("true") => Ok(true),
            Some("false") => Ok(false),
            Some(_) => Err(format!("`{name}` is `true` or `false`")),
        };
        let number = || {
            value
                .and_then(|value| value.parse::<u64>().ok())
                .ok_or_else(|| format!("`{name}` is a number"))
        };
        match name {
            "analysis-only" | "plan-only" => {
                let mode = if name == "plan-only" { Mode::Plan } else { Mode::Analyze };
                self.mode = if flag()? { mode } else { Mode::Merge };
            }
            "strict" => self.strict = flag()?,
            "compact" => self.compact = Some(flag()?),
            "call-trees" => self.call_trees = Some(flag()?),
            "poison" => self.poison = flag()?,
            "planner" => {
                let planner = value.and_then(Planner::from_name);
                self.planner = planner.ok_or_else(|| {
                    let names = Planner::ALL.map(|planner| format!("`{}`", planner.name()));
                    format!("the planners are {}", names.join(", "))
                })?;
            }
            "capacity" => self.capacity = Some(number()?),
            "alignment" => {
                let is_valid = |value: &u64| value.is_power_of_two() && *value <= MAX_ALIGNMENT;
                self.alignment = number().ok().filter(is_valid).ok_or_else(|| {
                    format!("`alignment` is a power of two of at most {MAX_ALIGNMENT}")
                })?;
            }
            "min-allocs" => {
                self.min_allocs = usize::try_from(number()?).unwrap_or(usize::MAX);
            }
            "memory-spaces" => {
                let value = value.ok_or("`memory-spaces` is a list with commas")?;
                self.memory_spaces = list(value);
            }
            "reuse" => {
                self.reuse = match value {
                    Some("none") => Reuse::None,
                    Some("ticks") => Reuse::Ticks,
                    _ => return Err("`reuse` is `none` or `ticks`".to_owned()),
                };
            }
            _ => {
                return Err(
                    "the options are `analysis-only`, `plan-only`, `planner`, `capacity`, \
                            `alignment`, `compact`, `min-allocs`, `memory-spaces`, `reuse`, \
                            `strict`, `poison` and `call-trees`"
                        .to_owned(),
                );
            }
        }
        Ok(())
    }
}

/// LLVM's limit.
const MAX_ALIGNMENT: u64 = 1 << 32;

/// The parts between spaces outside of brackets and quotes.
fn words(text: &str) -> Vec<&str> {
    split(text, char::is_whitespace)
}

/// `1,#gpu.address_space<workgroup>`, with or without braces around it.
fn list(text: &str) -> Vec<String> {
    let inner = text.strip_prefix('{').and_then(|text| text.strip_suffix('}')).unwrap_or(text);
    let spaces = split(inner, |character| character == ',').into_iter();
    // As MLIR prints them: `1` is an integer of 64 bits.
    let printed = |text: &str| match text.parse::<i64>() {
        Ok(_) => format!("{text} : i64"),
        Err(_) => text.to_owned(),
    };
    spaces.map(printed).collect()
}

fn split(text: &str, is_separator: impl Fn(char) -> bool) -> Vec<&str> {
    let mut depth = 0i32;
    let mut is_quoted = false;
    text.split(|character: char| {
        match character {
            '"' => is_quoted = !is_quoted,
            '<' | '{' | '[' | '(' => depth += 1,
            '>' | '}' | ']' | ')' => depth -= 1,
            _ => return depth == 0 && !is_quoted && is_separator(character),
        }
        false
    })
    .filter(|part| !part.is_empty())
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts() {
        let default = Options::default();
        for (text, expected) in [
            ("", default.clone()),
            ("{}", default.clone()),
            ("poison", Options { poison: true, ..default.clone() }),
            ("compact", Options { compact: Some(true), ..default.clone() }),
            ("compact=false", Options { compact: Some(false), ..default.clone() }),
            ("analysis-only", Options { mode: Mode::Analyze, ..default.clone() }),
            ("call-trees", Options { call_trees: Some(true), ..default.clone() }),
            ("call-trees=false", Options { call_trees: Some(false), ..default.clone() }),
            (
                "{plan-only=true  strict}",
                Options { mode: Mode::Plan, strict: true, ..default.clone() },
            ),
            (
                "planner=chunk-hot capacity=100 alignment=16 alignment=32 min-allocs=1",
                Options {
                    planner: Planner::ChunkHot,
                    capacity: Some(100),
                    alignment: 32,
                    min_allocs: 1,
                    ..default.clone()
                },
            ),
            (
                "reuse=none memory-spaces={1,#gpu.address_space<workgroup>,\"a b\"}",
                Options {
                    reuse: Reuse::None,
                    memory_spaces: vec![
                        "1 : i64".to_owned(),
                        "#gpu.address_space<workgroup>".to_owned(),
                        "\"a b\"".to_owned(),
                    ],
                    ..default.clone()
                },
            ),
        ] {
            assert_eq!(Options::parse(text), Ok(expected), "{text}");
        }
    }

    #[test]
    fn alignments() {
        let alignment = |text, size| Options::parse(text).map(|options| options.alignment_of(size));
        for (text, size, expected) in [
            ("", 8, 64),
            ("compact=false", 8, 64),
            ("compact", 8, 8),
            ("compact", 24, 32),
            ("compact", 48, 64),
            ("compact", 65, 64),
            ("compact", u64::MAX, 64),
            ("compact alignment=16", 24, 16),
            ("compact alignment=256", 65, 128),
        ] {
            assert_eq!(alignment(text, size), Ok(expected), "{text} {size}");
        }
    }

    #[test]
    fn mistakes() {
        for text in [
            "alignment=0",
            "alignment=-64",
            "alignment=48",
            "alignment",
            "planner=best",
            "capacity=much",
            "reuse=all",
            "strict=maybe",
            "compact=64",
            "compact=",
            "memory-spaces",
            "check",
        ] {
            assert!(Options::parse(text).is_err(), "{text}");
        }
    }
}
