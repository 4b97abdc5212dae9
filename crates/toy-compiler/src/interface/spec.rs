//! The argument of `--export`: `f(2x3, ())`, or `name=f(2x3, ())`; and of `--main`, without a name in C.
//!
//! Input: the text of the option. Output: an [`Export`], or a diagnostic that explains its syntax.
//! Invariant: shapes are positive and within the limits of the language, and so is the depth of structs.
//!
//! ```text
//! export = [name "="] (function | gradient) "(" [argument {"," argument}] ")"
//! gradient = ("grad" | "value_and_grad") "(" function {"," number} ")"     by parameters, as in Toy
//! argument = shape [element] | "{" argument {"," argument} "}"     a tensor, of f64 or f32; a struct by its fields
//! shape = "(" ")" | size {"x" size} | "<" [size {"," size}] ">"
//! ```

mod parser;

use super::names;
use parser::Parser;
use std::fmt;
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnosed, Diagnostic, all, codes};
use toy_syntax::ast::Derivative;
use toy_syntax::shape::TensorType;

/// The maximum number of parameters and results of an exported function: every C compiler accepts this many,
/// with one more for the workspace.
pub const MAX_PARAMETERS: usize = 126;

/// The options whose arguments these are.
pub const EXPORT: &str = "--export";
pub const MAIN: &str = "--main";

/// The name in C of a program's entry, which only the program calls.
const PROGRAM: &str = "toy_program";

/// A function to export, for arguments of certain shapes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Export {
    /// The option's value as it was written, for messages.
    pub text: String,
    /// The name in C, a valid one.
    pub c_name: String,
    pub function: String,
    /// If it is the function's gradient, and not the function itself.
    pub gradient: Option<Gradient>,
    pub arguments: Vec<Argument>,
    /// True if it is the entry of a program, of `--main`.
    pub is_main: bool,
    /// True if the arguments are all tensors, also of structs: those of a command line are.
    pub is_flat: bool,
}

/// A gradient of a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Gradient {
    /// True if the value of the function comes before the gradients.
    pub with_value: bool,
    /// The numbers of the parameters by which it is, counted from 0.
    pub by: Vec<usize>,
}

impl Gradient {
    fn name(&self) -> &'static str {
        Derivative::NAMES[usize::from(self.with_value)]
    }

    /// The numbers, unless it is by the first parameter, as without any.
    fn written(&self) -> Vec<String> {
        match self.by.as_slice() {
            [0] => Vec::new(),
            by => by.iter().map(usize::to_string).collect(),
        }
    }
}

/// The type of an argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    Tensor(TensorType),
    /// A struct, by its fields.
    Struct(Vec<Argument>),
}

impl Export {
    /// Reads the arguments of several `--export`.
    ///
    /// # Errors
    ///
    /// The errors of [`Export::parse`], one for each text that is wrong.
    pub fn parse_all(texts: &[String]) -> Diagnosed<Vec<Self>> {
        all(texts.iter().map(|text| Self::parse(text)))
    }

    /// Reads the argument of `--export`.
    ///
    /// ```
    /// use toy_compiler::interface::Export;
    ///
    /// let export = Export::parse("f(2x3, {2, ()})").expect("well-formed");
    /// assert_eq!(export.c_name, "f_2x3_S2_sE");
    /// assert_eq!(Export::parse("mt = f(2x3)").expect("well-formed").c_name, "mt");
    /// assert_eq!(Export::parse("f(2x)").expect_err("malformed").code.id, "E0530");
    /// ```
    ///
    /// # Errors
    ///
    /// The text is malformed, a shape is too large, or the name is not one that C can have.
    pub fn parse(text: &str) -> Result<Self, Diagnostic> {
        let export = Parser { text, rest: text, option: EXPORT }.export()?;
        let leaves = export.arguments.iter().map(Argument::leaves).sum::<usize>();
        if leaves > MAX_PARAMETERS {
            let message = format!(
                "`--export '{}'` has {leaves} parameters in C, more than {MAX_PARAMETERS}",
                clipped(text)
            );
            return Err(Diagnostic::error(codes::BAD_EXPORT, message).help(
                "each tensor of a struct is a parameter: export a function of fewer tensors",
            ));
        }
        if let Some(why) = names::complaint(&export.c_name) {
            let message =
                format!("`{}` cannot be the name of a C function", clipped(&export.c_name));
            return Err(Diagnostic::error(codes::BAD_EXPORT_NAME, message)
                .note(why)
                .help(format!("choose a name: `--export 'NAME={}'`", export.call())));
        }
        Ok(export)
    }

    /// Reads the argument of `--main`.
    ///
    /// # Errors
    ///
    /// The errors of [`Export::parse`].
    pub fn parse_main(text: &str) -> Result<Self, Diagnostic> {
        let export = Parser { text, rest: text, option: MAIN }.export()?;
        Ok(Self { c_name: PROGRAM.to_owned(), is_main: true, ..export })
    }

    /// The entry of a program whose arguments have these types, in order, also in the structs.
    pub fn main(types: Vec<TensorType>) -> Self {
        let text: Vec<_> = types.iter().map(TensorType::argument).collect();
        Self {
            text: format!("main({})", text.join(", ")),
            c_name: PROGRAM.to_owned(),
            function: "main".to_owned(),
            gradient: None,
            arguments: types.into_iter().map(Argument::Tensor).collect(),
            is_main: true,
            is_flat: true,
        }
    }

    /// True if MLIR's text has the entry of a program, from an earlier compilation.
    pub fn is_in(text: &str) -> bool {
        text.contains(&format!("name = \"{PROGRAM}\""))
    }

    /// The option that it is the argument of, as a user writes both.
    pub fn option(&self) -> String {
        let option = if self.is_main { MAIN } else { EXPORT };
        format!("{option} '{}'", clipped(&self.text))
    }

    /// `f(2x3, scalar)`
    pub fn call(&self) -> String {
        let arguments: Vec<_> = self.arguments.iter().map(Argument::to_string).collect();
        format!("{}({})", self.callee(), arguments.join(", "))
    }

    /// The function or its gradient, as Toy writes it: `f`, `grad(f, 1)`.
    pub fn callee(&self) -> String {
        let Some(gradient) = &self.gradient else { return self.function.clone() };
        let inner = [vec![self.function.clone()], gradient.written()].concat();
        format!("{}({})", gradient.name(), inner.join(", "))
    }

    /// The name in languages in which a function takes all shapes that it is exported for: `f`, `grad1_f`.
    pub fn name(&self) -> String {
        let gradient = self.gradient.as_ref();
        let prefix = gradient.map(|it| format!("{}{}_", it.name(), it.written().join("_")));
        prefix.unwrap_or_default() + &self.function
    }

    /// The name in C if the option does not give one: `f_2x3_s`, `f_void` without arguments.
    fn default_name(&self) -> String {
        let arguments: Vec<_> = match self.arguments.as_slice() {
            [] => vec!["void".to_owned()],
            arguments => arguments.iter().map(Argument::symbol).collect(),
        };
        format!("{}_{}", self.name(), arguments.join("_"))
    }
}

impl Argument {
    /// The number of tensors.
    pub fn leaves(&self) -> usize {
        match self {
            Argument::Tensor(_) => 1,
            Argument::Struct(fields) => fields.iter().map(Argument::leaves).sum(),
        }
    }

    fn symbol(&self) -> String {
        match self {
            Argument::Tensor(ty) => ty.symbol(),
            Argument::Struct(fields) => {
                let fields: Vec<_> = fields.iter().map(Argument::symbol).collect();
                format!("S{}E", fields.join("_"))
            }
        }
    }
}

/// As messages about shapes write it: `2x3`, `scalar`, `{2x3, scalar}`.
impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Argument::Tensor(ty) => ty.fmt(f),
            Argument::Struct(fields) => {
                let fields: Vec<_> = fields.iter().map(Argument::to_string).collect();
                write!(f, "{{{}}}", fields.join(", "))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(text: &str) -> (String, String) {
        let export = Export::parse(text).expect(text);
        (export.c_name.clone(), export.call())
    }

    #[test]
    fn shapes_are_written_as_in_toy_or_in_messages() {
        let of = |text: &str| named(text).1;
        assert_eq!(of("f(2x3,())"), "f(2x3, scalar)");
        assert_eq!(of(" f ( <2, 3> , <> , scalar ) "), "f(2x3, scalar, scalar)");
        assert_eq!(of("f(7)"), "f(7)");
        assert_eq!(of(&of("f({2, {(), 2x2}}, 4)")), "f({2, {scalar, 2x2}}, 4)");
        assert_eq!(of("f()"), "f()");
        assert_eq!(of("f(2x3 f32, ()f32, 2 f64)"), "f(2x3 f32, scalar f32, 2)");
        assert_eq!(of("grad ( f ) (2, ())"), "grad(f)(2, scalar)");
        assert_eq!(of("grad(f, 0)(2)"), "grad(f)(2)");
        assert_eq!(of("grad((), 2)"), "grad(scalar, 2)");
        assert_eq!(of("value_and_grad(f, 1, 0)(2, 3)"), "value_and_grad(f, 1, 0)(2, 3)");
    }

    #[test]
    fn names_in_c_follow_from_the_shapes() {
        assert_eq!(named("f(2x3,())").0, "f_2x3_s");
        assert_eq!(named("f()").0, "f_void");
        assert_eq!(named("f({2x3, {()}})").0, "f_S2x3_SsEE");
        assert_eq!(named("best=f(2)").0, "best");
        assert_eq!(named("f(2x3 f32, () f32)").0, "f_f32x2x3_f32xs");
        assert_eq!(named("grad(f)(2)").0, "grad_f_2");
        assert_eq!(named("value_and_grad(f, 0, 2)(2)").0, "value_and_grad0_2_f_2");
        assert_eq!(named("slope = grad(f)(2)").0, "slope");
    }

    #[test]
    fn malformed_text_is_an_error_with_help() {
        for text in [
            "",
            "f",
            "(2)",
            "=f(2)",
            "f(2",
            "f(2,",
            "f(2,)",
            "f(2x)",
            "f(0)",
            "f(-1)",
            "f(2)x",
            "f({})",
            "f(()",
            "f((2))",
            "f(<2)",
            "f(2.5)",
            "f(99999999999999999999)",
            "f(1048576x1048576x2)",
            "f(é)",
            "f(x2)",
            "f(2 f16)",
            "f(2 f32 f32)",
            "grad(f)",
            "grad()(2)",
            "grad(f, x)(2)",
            "grad(f, 0, 0)(2)",
            "grad(f, -1)(2)",
            "grad(f",
        ] {
            let diagnostic = Export::parse(text).expect_err(text);
            assert_eq!(diagnostic.code.id, "E0530", "{text}");
            assert!(diagnostic.help.is_some(), "{text}");
        }
        let deep = format!("f({}2{})", "{".repeat(100_000), "}".repeat(100_000));
        assert_eq!(Export::parse(&deep).expect_err("too deep").code.id, "E0530");
        let many = format!("f({})", vec!["()"; 127].join(","));
        assert_eq!(Export::parse(&many).expect_err("too many").code.id, "E0530");
    }
}
