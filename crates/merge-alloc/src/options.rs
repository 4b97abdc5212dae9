//! The pass's options, in the syntax of MLIR: `{name=value name}`.

use crate::analysis::sizes;
use melior::ir::Attribute;
use memory_planner::Planner;
use mlir_support::pass::{OptionValue, PassOption};
use toy_diagnostics::{Diagnostic, codes};

/// The options of the pass in a textual pipeline.
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
        name: "leaf-functions",
        value: OptionValue::Names,
        default: "(none)",
        help: "Functions without a body that call nothing of the module",
    },
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

/// How to merge: the defaults are changed field by field, or come from a text ([`Options::parse`]).
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Options {
    /// How far to go.
    pub mode: Mode,
    /// Which planner finds the offsets.
    pub planner: Planner,
    /// The most bytes that a merged allocation may have; more is an error.
    pub capacity: Option<u64>,
    /// The least alignment of a merged buffer, a power of two.
    pub alignment: u64,
    /// Whether a buffer smaller than that is aligned to the next power of two of its size only, and to no
    /// more than what malloc gives; and what malloc aligns anyway does not ask for it. The others are
    /// aligned less where merging would otherwise cost memory. None: unset, which is false.
    pub compact: Option<bool>,
    /// Scopes with fewer allocations stay as they are. None: two, or one if the memory is on the stack.
    pub min_allocs: Option<usize>,
    /// The most bytes of a merged allocation on the stack, where the stack is safe. None: unset, which is 0.
    pub stack: Option<u64>,
    /// The memory spaces to merge in besides the default one, as MLIR prints them.
    pub memory_spaces: Vec<String>,
    /// Which buffers may share memory.
    pub reuse: Reuse,
    /// Whether an operation that is not in the table is an error instead of a reason not to merge.
    pub strict: bool,
    /// Whether functions get the memory of their temporaries from their callers. None: unset, which is
    /// false.
    pub call_trees: Option<bool>,
    /// Whether the pass is nested under `func.func` in a pipeline: then it sees the functions of the
    /// module itself, one at a time.
    pub is_nested: bool,
    /// Declared functions that call nothing of the module, such as those that print. Of any other
    /// function without a body this is not known.
    pub leaf_functions: Vec<String>,
    /// Whether merged buffers are overwritten before their first access, to find errors of a plan.
    pub poison: bool,
}

/// How far to go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Lifetimes, as attributes.
    Analyze,
    /// Lifetimes and offsets, as attributes.
    Plan,
    /// The changed program.
    Merge,
}

/// Which buffers may share memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reuse {
    /// No two: one allocation, in which each buffer has memory of its own.
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
            leaf_functions: Vec::new(),
            poison: false,
        }
    }
}

impl Options {
    /// The options of the pass in a textual pipeline, nested under `func.func` or not.
    ///
    /// # Errors
    ///
    /// What is wrong with the text.
    pub fn configured(text: &str, on_functions: bool) -> Result<Self, String> {
        let mut options = Self::parse(text).map_err(|problem| problem.message)?;
        if on_functions && options.call_trees == Some(true) {
            return Err("`call-trees` is for `merge-alloc` on the whole module".to_owned());
        }
        options.is_nested = on_functions;
        Ok(options)
    }

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

    /// Where a buffer of a size may begin, as far as the options say: at a multiple of this. Buffers
    /// that are compact are aligned as malloc aligns them when they are not merged, if they are small or
    /// more would cost much.
    pub fn alignment_of(&self, size: u64) -> u64 {
        match size.checked_next_power_of_two() {
            Some(next) if self.is_compact() && next <= self.alignment => next.min(HEAP),
            _ if self.is_compact() && !sizes::alignment_is_cheap(size, self.alignment) => {
                HEAP.min(self.alignment)
            }
            _ => self.alignment,
        }
    }

    /// Whether [`Options::compact`] is on.
    pub fn is_compact(&self) -> bool {
        self.compact == Some(true)
    }

    /// The options for a whole program that runs on a heap like this machine's: what is unset becomes
    /// call trees, compact buffers and small allocations on the stack. By itself the pass is more careful.
    #[must_use]
    pub fn for_whole_program(mut self) -> Self {
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
            "leaf-functions" => {
                let value = value.ok_or("`leaf-functions` is a list with commas")?;
                self.leaf_functions = names(value)?;
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

/// What a function may have on the stack unless the options say otherwise: little of the 8 MiB that a thread
/// has as a rule, and of the 128 KiB of a small one.
const STACK: u64 = 4096;

/// The alignment of what malloc gives: that of C's `max_align_t`.
pub const HEAP: u64 = 16;

/// LLVM's limit.
const MAX_ALIGNMENT: u64 = 1 << 32;

/// The parts between spaces outside of brackets and quotes.
fn words(text: &str) -> impl Iterator<Item = &str> {
    split(text, char::is_whitespace).into_iter().filter(|word| !word.is_empty())
}

/// `print,log`, with or without braces around it.
fn names(text: &str) -> Result<Vec<String>, String> {
    let names = enclosed(text).unwrap_or(text).split(',').map(|name| name.trim().to_owned());
    let names: Vec<_> = names.collect();
    match names.iter().any(String::is_empty) {
        true => Err("an entry of `leaf-functions` is empty".to_owned()),
        false => Ok(names),
    }
}

/// `1,#gpu.address_space<workgroup>`, with or without braces around it.
fn spaces(text: &str) -> Result<Vec<String>, String> {
    let session = mlir_support::Session::new();
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
        _ => printed(entry).ok_or_else(|| format!("`{entry}` is not an attribute")),
    };
    entries.map(space).collect()
}

/// More brackets than a memory space has.
const DEEPEST: usize = 100;

/// What is in the braces, if one pair is around all of a text.
fn enclosed(text: &str) -> Option<&str> {
    let inner = text.strip_prefix('{')?.strip_suffix('}')?;
    let mut nesting = Nesting::default();
    inner.chars().all(|character| nesting.advance(character) >= 0).then_some(inner)
}

/// The nesting of brackets and quotes at a position of a text.
#[derive(Default)]
struct Nesting {
    depth: i32,
    is_quoted: bool,
}

impl Nesting {
    /// The number of open brackets after a character.
    fn advance(&mut self, character: char) -> i32 {
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
        nesting.advance(character) == 0 && !nesting.is_quoted && is_separator(character)
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_are_parsed() {
        let default = Options::default();
        for (text, expected) in [
            ("", default.clone()),
            ("{}", default.clone()),
            ("poison", Options { poison: true, ..default.clone() }),
            ("compact", Options { compact: Some(true), ..default.clone() }),
            ("stack=4096", Options { stack: Some(4096), ..default.clone() }),
            (
                "leaf-functions={print, log}",
                Options {
                    leaf_functions: vec!["print".to_owned(), "log".to_owned()],
                    ..default.clone()
                },
            ),
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
    fn small_buffers_are_aligned_as_malloc_does_it() {
        let alignment = |text, size| Options::parse(text).map(|options| options.alignment_of(size));
        for (text, size, expected) in [
            ("", 8, 64),
            ("compact=false", 8, 64),
            ("compact", 8, 8),
            ("compact", 24, 16),
            ("compact", 48, 16),
            ("compact", 65, 16),
            ("compact", 128, 64),
            ("compact", 1032, 64),
            ("compact", u64::MAX, 64),
            ("compact alignment=16", 24, 16),
            ("compact alignment=256", 65, 16),
            ("compact alignment=8", 24, 8),
        ] {
            assert_eq!(alignment(text, size), Ok(expected), "{text} {size}");
        }
    }

    #[test]
    fn wrong_options_are_rejected() {
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
            "leaf-functions",
            "leaf-functions=print,",
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
