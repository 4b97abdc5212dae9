//! The definition of a pass: one value in the file of the pass, read by pipelines, commands and help texts.
//!
//! Input: the author's definition of a pass. Output: a pass that can be run, and texts about it. Invariants: a name is
//! unique among the definitions of a compiler; the summary is one line without a full stop; the options are all that
//! the constructor accepts.

use super::{OwnPass, PassContext, WrappingPass};
use melior::ir::Module;
use toy_diagnostics::Diagnosed;

/// The definition of one pass of ours.
#[derive(Clone, Copy, Debug)]
pub struct PassDefinition {
    /// The name on the command line and in textual pipelines.
    pub name: &'static str,
    /// The pass of MLIR in whose place this one is run, if any: pipelines show its name.
    pub upstream: Option<&'static str>,
    /// One line, in the third person: "Merges equal operations".
    pub summary: &'static str,
    pub options: &'static [PassOption],
    /// A requirement on a module before the pass, where a user orders the passes. None: the verifiers check all
    /// requirements.
    pub requirement: Option<Requirement>,
    /// True if the pass may also be nested under `func.func`.
    pub on_functions: bool,
    /// The LLVM bug that this pass works around, or because of which it runs more often.
    pub workaround: Option<Workaround>,
    constructor: Constructor,
}

/// An option of a pass, in the syntax of MLIR: `{name=value}`.
#[derive(Clone, Copy, Debug)]
pub struct PassOption {
    pub name: &'static str,
    pub value: OptionValue,
    /// The value if the option is not given, as a text that the option accepts, or in parentheses the rule that decides
    /// then.
    pub default: &'static str,
    /// One line.
    pub help: &'static str,
}

/// The kind of value an option has.
#[derive(Clone, Copy, Debug)]
pub enum OptionValue {
    /// `name`, `name=true` or `name=false`
    Flag,
    /// A number without a sign.
    Number,
    /// Attributes of MLIR, separated by commas.
    Attributes,
    /// Symbols, separated by commas.
    Names,
    /// One of some names.
    OneOf(fn() -> Vec<&'static str>),
}

impl OptionValue {
    /// The placeholder after `name=` in help texts.
    pub fn placeholder(self) -> String {
        match self {
            OptionValue::Flag => "true|false".to_owned(),
            OptionValue::Number => "N".to_owned(),
            OptionValue::Attributes => "ATTRIBUTE,...".to_owned(),
            OptionValue::Names => "NAME,...".to_owned(),
            OptionValue::OneOf(names) => names().join("|"),
        }
    }
}

/// A requirement on a module before a pass.
#[derive(Clone, Copy, Debug)]
pub struct Requirement {
    /// The pass that establishes it.
    pub pass: &'static str,
    /// Checks a module for the pass of this name.
    pub check: for<'c> fn(&str, &PassContext<'c>, &Module<'c>) -> Diagnosed<()>,
}

/// A bug of LLVM that a pass works around.
#[derive(Clone, Copy, Debug)]
pub struct Workaround {
    /// The wrong behavior, with the number of upstream's issue if there is one.
    pub issue: &'static str,
    /// The oldest version that is known to have it.
    pub since: &'static str,
    /// A condition that can be tried, as in "tests/filecheck/known_bugs/shifted_views.mlir passes without it".
    pub delete_when: &'static str,
}

/// A pass with its options, ready to run.
pub type Prepared =
    Box<dyn for<'c> Fn(&PassContext<'c>, &mut Module<'c>) -> Diagnosed<()> + Send + Sync>;

/// Makes a pass from the text of its options; the second argument is true if it is nested under `func.func`. Err is a
/// message about the options.
pub type Configure = fn(options: &str, on_functions: bool) -> Result<Prepared, String>;

#[derive(Clone, Copy, Debug)]
enum Constructor {
    Plain(OwnPass),
    Wrapping(WrappingPass),
    Configurable(Configure),
}

impl PassDefinition {
    /// A pass without options, on modules.
    pub const fn new(name: &'static str, summary: &'static str, run: OwnPass) -> Self {
        Self::made_by(name, summary, &[], Constructor::Plain(run))
    }

    /// A pass without options, on modules, that runs passes of MLIR's inside.
    pub const fn wrapping(name: &'static str, summary: &'static str, run: WrappingPass) -> Self {
        Self::made_by(name, summary, &[], Constructor::Wrapping(run))
    }

    /// A pass with options, on modules.
    pub const fn configurable(
        name: &'static str,
        summary: &'static str,
        options: &'static [PassOption],
        configure: Configure,
    ) -> Self {
        Self::made_by(name, summary, options, Constructor::Configurable(configure))
    }

    const fn made_by(
        name: &'static str,
        summary: &'static str,
        options: &'static [PassOption],
        constructor: Constructor,
    ) -> Self {
        Self {
            name,
            upstream: None,
            summary,
            options,
            requirement: None,
            on_functions: false,
            workaround: None,
            constructor,
        }
    }

    /// The same pass with another constructor, for a crate that adds to its options.
    pub const fn configured_by(mut self, configure: Configure) -> Self {
        self.constructor = Constructor::Configurable(configure);
        self
    }

    /// A pass that runs in the place of one of MLIR's.
    pub const fn standing_in_for(mut self, upstream: &'static str) -> Self {
        self.upstream = Some(upstream);
        self
    }

    /// A pass that relies on a property that only another pass establishes.
    pub const fn requiring(mut self, requirement: Requirement) -> Self {
        self.requirement = Some(requirement);
        self
    }

    /// A pass that works around a bug of LLVM.
    pub const fn working_around(mut self, workaround: Workaround) -> Self {
        self.workaround = Some(workaround);
        self
    }

    /// A pass that may be nested under `func.func`.
    pub const fn also_on_functions(mut self) -> Self {
        self.on_functions = true;
        self
    }

    /// The name that pipelines show: the name of the pass that this one replaces, if there is one.
    pub const fn shown_name(&self) -> &'static str {
        match self.upstream {
            Some(name) => name,
            None => self.name,
        }
    }

    /// The pass with the options of a text, which may be empty.
    pub fn prepare(&self, options: &str, on_functions: bool) -> Result<Prepared, String> {
        match self.constructor {
            Constructor::Plain(run) if options.is_empty() => {
                Ok(Box::new(move |context, module| run(context, module)))
            }
            Constructor::Wrapping(run) if options.is_empty() => Ok(Box::new(run)),
            Constructor::Plain(_) | Constructor::Wrapping(_) => {
                Err(format!("the pass `{}` has no options", self.name))
            }
            Constructor::Configurable(configure) => configure(options, on_functions),
        }
    }

    /// Runs the pass on a module, with options of this program.
    pub fn run<'c>(
        &self,
        context: &PassContext<'c>,
        module: &mut Module<'c>,
        options: &str,
    ) -> Diagnosed<()> {
        match self.constructor {
            Constructor::Plain(run) => run(context, module),
            Constructor::Wrapping(run) => run(context, module),
            Constructor::Configurable(configure) => {
                let run = configure(options, false)
                    .unwrap_or_else(|why| panic!("`{}{{{options}}}`: {why}", self.name));
                run(context, module)
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLAIN: PassDefinition = PassDefinition::new("plain", "Does nothing", |_, _| Ok(()));

    const SIZED: PassDefinition = PassDefinition::configurable(
        "sized",
        "Fails for small sizes",
        &[PassOption { name: "size", value: OptionValue::Number, default: "2", help: "The size" }],
        |options, _| {
            let size = options.strip_prefix("size=").unwrap_or("2");
            let size: usize = size.parse().map_err(|_| format!("`{size}` is not a size"))?;
            Ok(Box::new(move |_, _| if size > 1 { Ok(()) } else { Err(Vec::new()) }))
        },
    )
    .standing_in_for("size");

    #[test]
    fn a_pass_without_options_refuses_them() {
        assert!(PLAIN.prepare("", false).is_ok());
        let refused = PLAIN.prepare("x=y", false).err();
        assert_eq!(refused.as_deref(), Some("the pass `plain` has no options"));
    }

    #[test]
    fn a_pass_with_options_reads_them() {
        assert!(SIZED.prepare("size=2", false).is_ok());
        assert_eq!(SIZED.prepare("size=x", false).err().as_deref(), Some("`x` is not a size"));
    }

    #[test]
    fn pipelines_show_the_name_of_the_pass_that_is_replaced() {
        assert_eq!((PLAIN.shown_name(), SIZED.shown_name()), ("plain", "size"));
    }
}
