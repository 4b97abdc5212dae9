//! The errors of exports.
//!
//! Input: an export, and the function that it names. Output: the function, or the type of its gradient; or an error that
//! says how to write the option. A parameter of unknown shape takes any, so its shape is checked by shape inference.

use super::{Adder, leaves_of};
use crate::dialect::ops;
use crate::dialect::shape::{is_tensor, is_unranked, type_of};
use crate::dialect::structs::{self, fields, is_struct, struct_type};
use crate::interface::{self, Argument, EXPORT, Export, Gradient, MAIN, MAX_PARAMETERS};
use melior::ir::Type;
use melior::ir::operation::{OperationLike, OperationRef};
use toy_diagnostics::suggest::Suggestions;
use toy_diagnostics::text::{clipped, counted};
use toy_diagnostics::{Diagnostic, codes};
use toy_syntax::builtins::is_builtin;

impl<'c> Adder<'c, '_, '_> {
    /// The function that an export names.
    pub(super) fn function(&self, export: &Export) -> Result<OperationRef<'c, '_>, Diagnostic> {
        if export.function == "main" && !export.is_main {
            let message = format!("`{}`: `main` cannot be exported", export.option());
            return Err(Diagnostic::error(codes::BAD_EXPORTED_FUNCTION, message)
                .note("a library has no `main`: the program that calls it has one")
                .help("export the functions that `main` calls"));
        }
        let function = self.by_name.get(&export.function).copied();
        function
            .filter(|function| ops::entry_block(*function).is_some())
            .ok_or_else(|| self.unknown(export))
    }

    pub(super) fn unknown(&self, export: &Export) -> Diagnostic {
        let name = clipped(&export.function);
        let message = format!("`{}`: there is no function `{name}`", export.option());
        let diagnostic = Diagnostic::error(codes::BAD_EXPORTED_FUNCTION, message);
        if is_builtin(&export.function) && self.types.is_some() {
            return diagnostic.help(format!(
                "`{name}` is a builtin: write a function that calls it, and export that"
            ));
        }
        if self.by_name.contains_key(&export.function) {
            return diagnostic.help("it is declared, but not defined here");
        }
        let mut names: Vec<_> = self.by_name.keys().map(String::as_str).collect();
        names.retain(|name| export.is_main || *name != "main");
        names.sort_unstable();
        match Suggestions::default().nearest(&export.function, &names) {
            Some(similar) => diagnostic.help(format!("did you mean `{similar}`?")),
            None if names.is_empty() => diagnostic.help("the program has no other functions"),
            None => {
                names.truncate(8);
                diagnostic.help(format!("functions of the program are `{}`", names.join("`, `")))
            }
        }
    }

    /// The error about a command line with too many or too few arguments.
    pub(super) fn wrong_count(
        &self,
        export: &Export,
        function: OperationRef,
        wanted: usize,
    ) -> Diagnostic {
        let given = export.arguments.len();
        let are = if given == 1 { "is" } else { "are" };
        let message = match wanted {
            0 => format!(
                "`main` has no parameters, but {} {are} given",
                counted(given as u64, "argument")
            ),
            _ => format!(
                "`main` needs {}, but {given} {are} given",
                counted(wanted as u64, "argument")
            ),
        };
        let diagnostic = Diagnostic::error(codes::BAD_ARGUMENTS, message)
            .help("write a number or the name of a .npy or .csv file for each, in order");
        self.locations.label(diagnostic, function.location(), "`main` is defined here")
    }

    /// Checks that there are as many shapes as parameters, for tensors and structs.
    pub(super) fn check(
        &self,
        export: &Export,
        function: OperationRef,
        inputs: &[Type],
        results: &[Type],
    ) -> Result<(), Diagnostic> {
        let name = clipped(&export.function);
        let wrong = |code, message: String| {
            let diagnostic = Diagnostic::error(code, format!("`{}`: {message}", export.option()));
            let label = format!("`{name}` is defined here");
            self.locations.label(diagnostic, function.location(), label)
        };
        let is_toy = |ty: &Type| {
            is_struct(*ty) || is_unranked(*ty) || (is_tensor(*ty) && type_of(*ty).is_some())
        };
        if let Some(other) = inputs.iter().chain(results).find(|ty| !is_toy(ty)) {
            let message = format!("`{name}` has a value of type `{}`", structs::shown(*other));
            return Err(wrong(codes::BAD_EXPORTED_FUNCTION, message).help(interface::exportable()));
        }
        if inputs.len() != export.arguments.len() {
            let (wanted, given) = (inputs.len(), export.arguments.len());
            let message = format!(
                "`{name}` has {}, but {} {} given",
                counted(wanted as u64, "parameter"),
                counted(given as u64, "shape"),
                if given == 1 { "is" } else { "are" }
            );
            return Err(wrong(codes::BAD_EXPORT_SHAPES, message)
                .help(format!("write one for each parameter: {}", self.example(export, inputs))));
        }
        for (index, (ty, argument)) in inputs.iter().zip(&export.arguments).enumerate() {
            if let Some(why) = mismatch(*ty, argument) {
                let parameter = self.parameter_name(export, index);
                let message = format!("the parameter `{parameter}` of `{name}` {why}");
                return Err(wrong(codes::BAD_EXPORT_SHAPES, message).help(format!(
                    "write the types of the parameters, of a struct those of its fields: {}",
                    self.example(export, inputs)
                )));
            }
        }
        let results: usize = results.iter().map(|ty| leaves_of(*ty)).sum();
        let parameters = results + export.arguments.iter().map(Argument::leaves).sum::<usize>();
        if parameters > MAX_PARAMETERS {
            let message = format!(
                "`{name}` would have {parameters} parameters in C, more than {MAX_PARAMETERS}"
            );
            return Err(wrong(codes::BAD_EXPORTED_FUNCTION, message).help(
                "each tensor of a struct is a parameter: export a function of fewer tensors",
            ));
        }
        Ok(())
    }

    /// The type of a gradient, as a function's results: a struct, if there are several values.
    pub(super) fn gradients(
        &self,
        export: &Export,
        gradient: &Gradient,
        function: OperationRef,
        (inputs, results): (&[Type<'c>], &[Type<'c>]),
    ) -> Result<Vec<Type<'c>>, Diagnostic> {
        let name = clipped(&export.function);
        let wrong = |why: String, help: &str| {
            let message = format!("`{}`: {why}", export.option());
            let diagnostic = Diagnostic::error(codes::BAD_EXPORTED_FUNCTION, message).help(help);
            let label = format!("`{name}` is defined here");
            Err(self.locations.label(diagnostic, function.location(), label))
        };
        let [result] = results else {
            let help = "let it return a scalar, for example a `sum`";
            return wrong(format!("`{name}` has no gradient: it returns no value"), help);
        };
        if is_struct(*result) {
            let help = "let it return a scalar, for example a `sum`";
            return wrong(format!("`{name}` has no gradient: it returns a struct"), help);
        }
        let mut types: Vec<_> = gradient.with_value.then_some(*result).into_iter().collect();
        for number in &gradient.by {
            let Some(ty) = inputs.get(*number) else {
                let has = counted(inputs.len() as u64, "parameter");
                let why = format!("`{name}` has {has}, and none with the number {number}");
                return wrong(why, "parameters are counted from 0");
            };
            types.push(*ty);
        }
        Ok(match types.as_slice() {
            [_] => types,
            several => vec![struct_type(self.context, several)],
        })
    }

    /// An example of an export of the function.
    fn example(&self, export: &Export, inputs: &[Type]) -> String {
        let inputs: Vec<_> = inputs.iter().map(|ty| example(*ty)).collect();
        let option = if export.is_main { MAIN } else { EXPORT };
        format!("`{option} '{}({})'`", clipped(&export.callee()), inputs.join(", "))
    }
}

/// The reason why an argument does not fit a parameter of this type; None if it does.
fn mismatch(ty: Type, argument: &Argument) -> Option<String> {
    match (fields(ty), argument) {
        (None, Argument::Tensor(given)) => {
            let written = type_of(ty).filter(|written| written != given)?;
            Some(format!("is a tensor of shape {written}, not {given}"))
        }
        (None, Argument::Struct(_)) => Some("is a tensor, not a struct".to_owned()),
        (Some(_), Argument::Tensor(given)) => {
            Some(format!("is a struct, which one shape ({given}) does not describe"))
        }
        (Some(types), Argument::Struct(fields)) if types.len() != fields.len() => {
            let (wanted, given) = (types.len(), fields.len());
            Some(format!("is a struct of {}, not of {given}", counted(wanted as u64, "field")))
        }
        (Some(types), Argument::Struct(fields)) => {
            let mut pairs = types.into_iter().zip(fields);
            pairs
                .find_map(|(ty, field)| mismatch(ty, field))
                .map(|why| format!("has a field that {why}"))
        }
    }
}

/// A shape that a parameter of a type could have: `2x3`, `{2x3, 2x3}`.
fn example(ty: Type) -> String {
    match (fields(ty), type_of(ty)) {
        (Some(fields), _) => {
            let fields: Vec<_> = fields.into_iter().map(example).collect();
            format!("{{{}}}", fields.join(", "))
        }
        (None, Some(ty)) => ty.to_string(),
        (None, None) => "2x3".to_owned(),
    }
}
