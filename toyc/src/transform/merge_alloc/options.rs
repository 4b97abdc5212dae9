//! The pass's options, in the syntax of MLIR: `{name=value name}`.

use crate::diagnostic::{Diagnostic, codes};
use crate::mlir::pass::{OptionValue, PassOption};
use melior::ir::Attribute;
use memory_planner::Planner;

/// What can be set.
pub const OPTIONS: &[PassOption] = &[
    flag("analysis-only", "Only attach lifetimes, as attributes"),
    flag("plan-only", "Only attach lifetimes and offsets, as attributes"),
    PassOption {
        name: "planner",
        value: OptionValue::OneOf(|| Planner::ALL.iter().map(|planner| planner.name()).collect()),
        default: "portfolio",
        help: "The algorithm that chooses the offsets",
    },
    number("capacity", "(no limit)", "The most bytes of a merged allocation; more is an error"),
    number("alignment", "64", "The least alignment of a merged buffer, a power of two"),
    PassOption {
        name: "compact",
        value: OptionValue::Flag,
        default: "false",
        help: "Align buffers smaller than the alignment to their size only, as malloc does",
    },
    number(
        "min-allocs",
        "(2, or 1 on the stack)",
        "Leave scopes with fewer allocations as they are",
    ),
    number("stack", "0", "The most bytes of a merged allocation on the stack"),
    PassOption {
        name: "memory-spaces",
        value: OptionValue::Attributes,
        default: "(none)",
        help: "The memory spaces to merge in besides the default one",
    },
    PassOption {
        name: "reuse",
        value: OptionValue::OneOf(|| vec!["none", "ticks"]),
        default: "ticks",
        help: "Whether buffers with disjoint lifetimes share memory",
    },
    flag("strict", "Reject operations that the pass does not know"),
    flag("poison", "Fill merged buffers with garbage before they are used, to find bugs"),
    flag("call-trees", "Let functions get the memory of their temporaries from their callers"),
];

const fn flag(name: &'static str, help: &'static str) -> PassOption {
    PassOption { name, value: OptionValue::Flag, default: "false", help }
}

const fn number(name: &'static str, default: &'static str, help: &'static str) -> PassOption {
    PassOption { name, value: OptionValue::Number, default, help }
}

/// How to merge.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Options {
    pub mode: Mode,
    pub planner: Planner,
    /// The most bytes that a merged allocation may have; more is an error.
    pub capacity: Option<u64>,
    /// The least alignment of a merged buffer, a power of two.
    pub alignment: u64,
    /// Whether a buffer smaller than that is aligned to the next power of two of its size only, and to no
    /// more than what malloc gives; and what malloc aligns anyway does not ask for it. None: not said.
    pub compact: Option<bool>,
    /// Fewer allocations in a scope stay as they are; None: two, or one if its memory is on the stack.
    pub min_allocs: Option<usize>,
    /// The most bytes that a merged allocation has on the stack, where it may be there at all
    /// (`merge_alloc::stack`); None: not said.
    pub stack: Option<u64>,
    /// The memory spaces to merge in besides the default one, as MLIR prints them.
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
            min_allocs: None,
            stack: None,
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
        let inner = enclosed(text).unwrap_or(text);
        let mut options = Self::default();
        for option in words(inner) {
            let (name, value) = match option.split_once('=') {
                Some((name, value)) => (name, Some(value)),
                None => (option, None),
            };
            options.set(name, value).map_err(|wanted| {
                Diagnostic::error(codes::NOT_AVAILABLE, format!("`{option}`: {wanted}"))
            })?;
        }
        Ok(options)
    }

    /// Where a buffer of a size may begin, as far as the options say: at a multiple of this. Small buffers
    /// that are compact are aligned as malloc aligns them when they are not merged.
    pub fn alignment_of(&self, size: u64) -> u64 {
        match size.checked_next_power_of_two() {
            Some(next) if self.is_compact() && next <= self.alignment => next.min(HEAP),
            _ => self.alignment,
        }
    }

    pub fn is_compact(&self) -> bool {
        self.compact == Some(true)
    }

    /// What is not said becomes what suits a whole program, which is to run on this machine's kind of
    /// heap: the pass by itself is more careful.
    pub fn with_defaults_of_the_compiler(mut self) -> Self {
        self.call_trees.get_or_insert(true);
        // Many tensors are smaller than a cache line.
        self.compact.get_or_insert(true);
        self.stack.get_or_insert(STACK);
        self
    }

    fn set(&mut self, name: &str, value: Option<&str>) -> Result<(), String> {
        let flag = || match value {
            None | Some("true") => Ok(true),
            Some("false") => Ok(false),
            Some(_) => Err(format!("`{name}` is `true` or `false`")),
        };
        let number = || {
            let value = value.filter(|value| !value.is_empty());
            let value =
                value.ok_or_else(|| format!("`{name}` needs a number, as in `{name}=N`"))?;
            if !value.bytes().all(|byte| byte.is_ascii_digit()) {
                return Err("a number has digits only".to_owned());
            }
            value.parse::<u64>().map_err(|_| format!("the largest number is {}", u64::MAX))
        };
        match name {
            "analysis-only" | "plan-only" => {
                let mode = if name == "plan-only" { Mode::Plan } else { Mode::Analyze };
                match flag()? {
                    true if ![Mode::Merge, mode].contains(&self.mode) => {
                        return Err("it is `analysis-only` or `plan-only`, not both".to_owned());
                    }
                    true => self.mode = mode,
                    false if self.mode == mode => self.mode = Mode::Merge,
                    false => {}
                }
            }
            "strict" => self.strict = flag()?,
            "compact" => self.compact = Some(flag()?),
            "call-trees" => self.call_trees = Some(flag()?),
            "poison" => self.poison = flag()?,
            "planner" => {
                let planner = value.and_then(Planner::from_name);
                self.planner = planner.ok_or_else(|| {
                    let names = Planner::ALL.iter().map(|planner| format!("`{planner}`"));
                    format!("the planners are {}", names.collect::<Vec<_>>().join(", "))
                })?;
            }
            "capacity" => self.capacity = Some(number()?),
            "stack" => self.stack = Some(number()?),
            "alignment" => {
                let is_valid = |value: &u64| value.is_power_of_two() && *value <= MAX_ALIGNMENT;
                self.alignment = number().ok().filter(is_valid).ok_or_else(|| {
                    format!("`alignment` is a power of two of at most {MAX_ALIGNMENT}")
                })?;
            }
            "min-allocs" => {
                let least = usize::try_from(number()?).unwrap_or(usize::MAX);
                if least == 0 {
                    return Err("`min-allocs` is at least 1".to_owned());
                }
                self.min_allocs = Some(least);
            }
            "memory-spaces" => {
                let value = value.ok_or("`memory-spaces` is a list with commas")?;
                self.memory_spaces = spaces(value)?;
            }
            "reuse" => {
                self.reuse = match value {
                    Some("none") => Reuse::None,
                    Some("ticks") => Reuse::Ticks,
                    _ => return Err("`reuse` is `none` or `ticks`".to_owned()),
                };
            }
            _ => {
                let names: Vec<_> = OPTIONS.iter().map(|o| format!("`{}`", o.name)).collect();
                let (last, others) = names.split_last().expect("there are options");
                return Err(format!("the options are {} and {last}", others.join(", ")));
            }
        }
        Ok(())
    }
}

/// What a function may have on the stack unless the options say otherwise: of the 8 MiB that a thread has,
/// as a rule, or the 128 KiB of one that is short of it, not so much that anybody notices.
const STACK: u64 = 4096;

/// The alignment of what malloc gives: that of C's `max_align_t`.
pub const HEAP: u64 = 16;

/// LLVM's limit.
const MAX_ALIGNMENT: u64 = 1 << 32;

/// The parts between spaces outside of brackets and quotes.
fn words(text: &str) -> impl Iterator<Item = &str> {
    split(text, char::is_whitespace).into_iter().filter(|word| !word.is_empty())
}

/// `1,#gpu.address_space<workgroup>`, with or without braces around it.
fn spaces(text: &str) -> Result<Vec<String>, String> {
    let session = crate::dialect::new_session();
    session.allow_unregistered_dialects();
    // MLIR reads brackets in brackets by recursion.
    let is_deep = |text: &str| text.matches(['<', '{', '[', '(']).count() > DEEPEST;
    let printed = |text: &str| {
        let attribute = (!is_deep(text)).then(|| Attribute::parse(session.context(), text));
        attribute.flatten().map(|attribute| attribute.to_string())
    };
    // Braces are those of the list, if they are not those of a dictionary.
    let is_dictionary = text.contains('=') && printed(text).is_some();
    let inner = enclosed(text).filter(|_| !is_dictionary).unwrap_or(text);
    let entries = split(inner, |character| character == ',').into_iter().map(str::trim);
    let space = |entry: &str| match entry {
        "" => Err("an entry of `memory-spaces` is empty".to_owned()),
        _ => printed(entry).ok_or_else(|| format!("`{entry}` is no attribute")),
    };
    entries.map(space).collect()
}

/// More brackets than a memory space has.
const DEEPEST: usize = 100;

/// What is in the braces, if one pair is around all of a text.
fn enclosed(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('{')?.strip_suffix('}')?;
    let mut nesting = Nesting::default();
    inner.chars().all(|character| nesting.go_on(character) >= 0).then_some(inner)
}

/// Where in brackets and quotes one is.
#[derive(Default)]
struct Nesting {
    depth: i32,
    is_quoted: bool,
}

impl Nesting {
    /// The number of open brackets after a character.
    fn go_on(&mut self, character: char) -> i32 {
        match character {
            '"' => self.is_quoted = !self.is_quoted,
            _ if self.is_quoted => {}
            '<' | '{' | '[' | '(' => self.depth += 1,
            '>' | '}' | ']' | ')' => self.depth -= 1,
            _ => {}
        }
        self.depth
    }
}

fn split(text: &str, is_separator: impl Fn(char) -> bool) -> Vec<&str> {
    let mut nesting = Nesting::default();
    text.split(|character: char| {
        nesting.go_on(character) == 0 && !nesting.is_quoted && is_separator(character)
    })
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
            ("stack=4096", Options { stack: Some(4096), ..default.clone() }),
            ("compact=false", Options { compact: Some(false), ..default.clone() }),
            ("analysis-only", Options { mode: Mode::Analyze, ..default.clone() }),
            ("call-trees", Options { call_trees: Some(true), ..default.clone() }),
            ("call-trees=false", Options { call_trees: Some(false), ..default.clone() }),
            ("analysis-only analysis-only=false", default.clone()),
            ("plan-only analysis-only=false", Options { mode: Mode::Plan, ..default.clone() }),
            (
                "memory-spaces={x=1,y=[2,3]}",
                Options {
                    memory_spaces: vec!["{x = 1 : i64, y = [2, 3]}".to_owned()],
                    ..default.clone()
                },
            ),
            (
                "{memory-spaces={1 : i32, {x}, \"}\"} poison}",
                Options {
                    poison: true,
                    memory_spaces: vec!["1 : i32".to_owned(), "{x}".to_owned(), "\"}\"".to_owned()],
                    ..default.clone()
                },
            ),
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
                    min_allocs: Some(1),
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
    fn every_documented_option_accepts_its_default() {
        for option in OPTIONS {
            let refused = Options::parse(option.name).err().map(|why| why.message);
            assert!(!refused.is_some_and(|why| why.contains("the options are")), "{}", option.name);
            if !option.default.starts_with('(') {
                let text = format!("{}={}", option.name, option.default);
                let (default, given) = (Options::default(), Options::parse(&text).unwrap());
                assert_eq!(given.alignment_of(8), default.alignment_of(8), "{text}");
                assert_eq!(given.planner, default.planner, "{text}");
                assert_eq!((given.mode, given.reuse), (default.mode, default.reuse), "{text}");
            }
        }
    }

    #[test]
    fn alignments() {
        let alignment = |text, size| Options::parse(text).map(|options| options.alignment_of(size));
        for (text, size, expected) in [
            ("", 8, 64),
            ("compact=false", 8, 64),
            ("compact", 8, 8),
            ("compact", 24, 16),
            ("compact", 48, 16),
            ("compact", 65, 64),
            ("compact", u64::MAX, 64),
            ("compact alignment=16", 24, 16),
            ("compact alignment=256", 65, 16),
            ("compact alignment=8", 24, 8),
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
            "memory-spaces=",
            "memory-spaces={}",
            "memory-spaces=<",
            "memory-spaces=banana",
            "memory-spaces={banana}",
            "memory-spaces=1,,2",
            "memory-spaces=1,",
            "memory-spaces={1} {2}",
            "{strict} {poison}",
            "analysis-only plan-only",
            "plan-only analysis-only",
            "min-allocs=0",
            "min-allocs",
            "stack",
            "stack=true",
            "stack=-1",
            "capacity=+5",
            "capacity=-5",
            "capacity=",
            "capacity=18446744073709551616",
            "check",
        ] {
            assert!(Options::parse(text).is_err(), "{text}");
        }
        let deep = format!("memory-spaces={}", "[".repeat(1_000_000));
        assert!(Options::parse(&deep).is_err());
    }
}
