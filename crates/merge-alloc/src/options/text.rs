//! Options in the syntax of MLIR: `{name=value name}`.
//!
//! Input: a text of the command line. Output: options, or a message that names the accepted values. Invariant: each
//! option that [`OPTIONS`] documents is accepted with its default.

use super::lists::{enclosed, names, spaces, words};
use super::{Mode, Options, Reuse};
use memory_planner::Planner;
use mlir_support::pass::{OptionValue, PassOption};
use std::fmt;
use toy_diagnostics::text::joined;
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
    flag("compact", "Align buffers smaller than the alignment to their size only, as malloc does"),
    flag("stagger", "Let large buffers begin apart within a page, for a few hundred bytes each"),
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

/// LLVM's limit.
const MAX_ALIGNMENT: u64 = 1 << 32;

impl Options {
    /// The options of the pass in a textual pipeline, nested under `func.func` or not.
    ///
    /// # Errors
    ///
    /// A message about the error in the text.
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
            "stagger" => self.stagger = Some(flag()?),
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
                return Err(format!("the options are {}", joined(&names, "and")));
            }
        }
        Ok(())
    }
}

/// The options that differ from the defaults, as [`Options::parse`] reads them.
impl fmt::Display for Options {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        let default = Self::default();
        let text = |name: &str, value: Option<String>| value.map(|value| format!("{name}={value}"));
        let flag = |name: &str, value: Option<bool>| text(name, value.map(|it| it.to_string()));
        let number = |name: &str, value: Option<u64>| text(name, value.map(|it| it.to_string()));
        let list = |name: &str, values: &[String]| {
            text(name, (!values.is_empty()).then(|| format!("{{{}}}", values.join(","))))
        };
        let options = [
            (self.mode == Mode::Analyze).then(|| "analysis-only".to_owned()),
            (self.mode == Mode::Plan).then(|| "plan-only".to_owned()),
            text(
                "planner",
                (self.planner != default.planner).then(|| self.planner.name().to_owned()),
            ),
            number("capacity", self.capacity),
            number("alignment", (self.alignment != default.alignment).then_some(self.alignment)),
            flag("compact", self.compact),
            flag("stagger", self.stagger),
            number("min-allocs", self.min_allocs.map(|least| least as u64)),
            number("stack", self.stack),
            list("leaf-functions", &self.leaf_functions),
            list("memory-spaces", &self.memory_spaces),
            (self.reuse == Reuse::None).then(|| "reuse=none".to_owned()),
            self.strict.then(|| "strict".to_owned()),
            self.poison.then(|| "poison".to_owned()),
            flag("call-trees", self.call_trees),
        ];
        let texts: Vec<String> = options.into_iter().flatten().collect();
        f.write_str(&texts.join(" "))
    }
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
            ("stagger", Options { stagger: Some(true), ..default.clone() }),
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
            assert_eq!(Options::parse(&expected.to_string()), Ok(expected.clone()), "{expected}");
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
