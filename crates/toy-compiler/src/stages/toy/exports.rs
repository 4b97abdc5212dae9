//! Entry functions: one for each export, the roots of specialization in a library.
//!
//! Input: a module of any level before buffers, as it is lowered or read, and the exports. Output: the same
//! module with one public function per export, which takes each tensor of the arguments, calls the function, and
//! returns each tensor of the result; all other functions are private, also `main`: a library has none.
//! Invariant: the attribute `toy.export` ([`record`]) describes the entry function; its name cannot be a Toy
//! function's.
//!
//! Shape inference finds shapes that do not fit, as for any other call. The location of this one is a name, the
//! option ([`option`]).

use crate::dialect::control::{GRADIENT, WITH_VALUE};
use crate::dialect::gradients;
use crate::dialect::ops::{self, Insertion, Kind, ToyBuilder};
use crate::dialect::shape::{is_tensor, is_unranked, tensor_type, type_of};
use crate::dialect::structs::{self, fields, is_open, is_struct, struct_type};
use crate::dialect::unify::{structure, unify};
use crate::interface::record::{self, Record};
use crate::interface::{
    self, Argument, EXPORT, Export, Field, Gradient, MAIN, MAX_PARAMETERS, Path, TensorType,
    Value as Parameter, names,
};
use melior::Context;
use melior::ir::attribute::{ArrayAttribute, BoolAttribute, DictionaryAttribute, StringAttribute};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::r#type::FunctionType;
use melior::ir::{
    Block, BlockLike, BlockRef, Identifier, Location, Module, Type, Value, ValueLike,
};
use mlir_support::{Builder, Locations, Session, ir, location};
use std::collections::HashMap;
use toy_diagnostics::suggest::Suggestions;
use toy_diagnostics::text::{clipped, counted};
use toy_diagnostics::{Diagnosed, Diagnostic, codes};
use toy_syntax::ast;
use toy_syntax::builtins::is_builtin;
use toy_syntax::types::{self, Types};

/// The suffix of the names of entry functions.
const SUFFIX: &str = "$export";

/// Adds the entry functions. The tree, if there is one, has the names of parameters and fields.
pub fn add<'c>(
    session: &'c Session,
    module: &Module<'c>,
    locations: &Locations,
    exports: &[Export],
    tree: Option<&ast::Module>,
) -> Diagnosed<()> {
    // The input may have the entry of a program, from an earlier compilation.
    let is_entry = |operation: &OperationRef| {
        record::of(operation).is_some_and(|record| record.function.is_program)
    };
    if exports.iter().all(|export| export.is_flat)
        && (exports.is_empty() || ir::block_operations(module.body()).iter().any(is_entry))
    {
        return Ok(());
    }
    let functions: Vec<_> =
        ir::block_operations(module.body()).into_iter().filter(ops::is_function).collect();
    let by_name =
        functions.iter().map(|function| (ops::symbol_name(function), *function)).collect();
    let adder = Adder {
        context: session.context(),
        locations,
        by_name,
        definitions: tree.map(definitions).unwrap_or_default(),
        types: tree.map(Types::of_module),
    };
    let mut diagnostics = same_names(exports);
    let mut entries = Vec::new();
    for export in exports {
        match adder.entry(export) {
            Ok(entry) => entries.push(entry),
            Err(diagnostic) => diagnostics.push(diagnostic),
        }
    }
    if !diagnostics.is_empty() {
        return Err(diagnostics);
    }
    let private = StringAttribute::new(session.context(), "private").into();
    for function in functions {
        if function.has_attribute(record::ATTRIBUTE) && is_left_over(module, function, exports) {
            ir::erase(function);
            continue;
        }
        ir::remove_attribute(function, record::ATTRIBUTE);
        ir::set_attribute(function, "sym_visibility", private);
    }
    for entry in entries {
        module.body().append_operation(entry);
    }
    if exports.iter().any(|export| export.gradient.is_some()) {
        gradients::needed(session.context(), module);
    }
    Ok(())
}

/// True if an entry function of another compilation is not needed in this one: nothing refers to it.
fn is_left_over(module: &Module, entry: OperationRef, exports: &[Export]) -> bool {
    let name = ops::symbol_name(&entry);
    let references = [format!("@{name}"), format!("@\"{name}\"")];
    let refers = |text: String| references.iter().any(|reference| text.contains(reference));
    exports.iter().all(|export| export.function != name)
        && !ir::any(module.as_operation(), |operation| {
            operation.attributes().any(|(_, attribute)| refers(attribute.to_string()))
        })
}

/// The option that has requested a call, from the call's location.
pub fn option(location: Location) -> Option<String> {
    let is_option = |name: &String| [EXPORT, MAIN].iter().any(|option| name.starts_with(option));
    location::name(location).filter(is_option)
}

/// Errors for names in C that two exports have.
fn same_names(exports: &[Export]) -> Vec<Diagnostic> {
    let mut taken: HashMap<String, &Export> = HashMap::new();
    let mut diagnostics = Vec::new();
    for export in exports {
        let function =
            interface::Function { c_name: export.c_name.clone(), ..interface::Function::default() };
        let symbols = [
            export.c_name.clone(),
            function.in_workspace(),
            function.workspace_size(),
            function.size_macro(),
        ];
        let other = symbols.iter().find_map(|symbol| taken.get(symbol).map(|o| (symbol, *o)));
        if let Some((symbol, other)) = other {
            let message = format!("two exports have the name `{}` in C", clipped(symbol));
            let diagnostic = Diagnostic::error(codes::BAD_EXPORT_NAME, message)
                .note(format!("`--export '{}'` is the first", clipped(&other.text)))
                .note(format!("`--export '{}'` is the second", clipped(&export.text)));
            diagnostics.push(if other.text == export.text {
                diagnostic.help("leave one of them out")
            } else {
                diagnostic.help(format!("choose another name: `--export 'NAME={}'`", export.call()))
            });
        }
        taken.extend(symbols.map(|symbol| (symbol, export)));
    }
    diagnostics
}

struct Adder<'c, 'a, 's> {
    context: &'c Context,
    locations: &'s Locations<'s>,
    by_name: HashMap<String, OperationRef<'c, 'a>>,
    /// The functions of the tree, if there is one, and their types.
    definitions: HashMap<&'s str, &'s ast::Function>,
    types: Option<Types<'s>>,
}

fn definitions(tree: &ast::Module) -> HashMap<&str, &ast::Function> {
    tree.functions.iter().map(|function| (function.name.text.as_str(), function)).collect()
}

impl<'c> Adder<'c, '_, '_> {
    /// The entry function of an export.
    fn entry(&self, export: &Export) -> Result<melior::ir::Operation<'c>, Diagnostic> {
        let function = self.function(export)?;
        let Some(ty) = ops::function_type(&function) else { return Err(self.unknown(export)) };
        let (inputs, mut results) = (ops::inputs(ty), ops::results(ty));
        if let Some(gradient) = &export.gradient {
            results = self.gradients(export, gradient, function, (&inputs, &results))?;
        }
        let mut export = export.clone();
        if export.is_flat {
            let wanted = inputs.iter().map(|ty| leaves_of(*ty)).sum();
            if export.arguments.len() != wanted {
                return Err(self.wrong_count(&export, function, wanted));
            }
            let mut arguments = std::mem::take(&mut export.arguments).into_iter();
            export.arguments = inputs.iter().map(|ty| grouped(*ty, &mut arguments)).collect();
        }
        let export = &export;
        self.check(export, function, &inputs, &results)?;

        let tensors = leaves(&export.arguments);
        let unknown = Location::unknown(self.context);
        let parameters: Vec<_> =
            tensors.iter().map(|ty| (tensor_type(self.context, ty), unknown)).collect();
        let block = Block::new(&parameters);
        let returned = self.body(ir::block_ref(&block), export, &inputs, &results);
        let types: Vec<_> = parameters.iter().map(|(ty, _)| *ty).collect();
        let mut entry = ops::function(
            self.context,
            function.location(),
            &self.entry_name(export),
            FunctionType::new(self.context, &types, &returned),
            Some(block),
            false,
        );
        // The caller's arguments are only read.
        let name = Identifier::new(self.context, "bufferization.writable");
        let no = BoolAttribute::new(self.context, false).into();
        let read = DictionaryAttribute::new(self.context, &[(name, no)]).into();
        let attributes = ArrayAttribute::new(self.context, &vec![read; types.len()]);
        entry.set_attribute("arg_attrs", attributes.into());
        let record = self.record(export, tensors, returned.len());
        entry.set_attribute(record::ATTRIBUTE, record::attribute(self.context, &record));
        Ok(entry)
    }

    /// The error about a command line with too many or too few arguments.
    fn wrong_count(&self, export: &Export, function: OperationRef, wanted: usize) -> Diagnostic {
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

    /// The name of an entry function. In `.mlir` input there may be one already.
    fn entry_name(&self, export: &Export) -> String {
        let mut name = format!("{}{SUFFIX}", export.c_name);
        while self.by_name.contains_key(&name) {
            name.push('$');
        }
        name
    }

    /// Fills the block of an entry function; returns the types of its results.
    fn body(
        &self,
        block: BlockRef<'c, '_>,
        export: &Export,
        inputs: &[Type<'c>],
        results: &[Type<'c>],
    ) -> Vec<Type<'c>> {
        let code = Builder::at_start(self.context, block).at(Insertion::AtEnd(block));
        let mut leaves = ir::arguments(block).into_iter();
        let arguments = export.arguments.iter();
        let mut arguments: Vec<Value> =
            arguments.map(|argument| value_of(code, argument, &mut leaves)).collect();
        let is_known =
            export.gradient.is_none() && !inputs.iter().chain(results).any(|ty| is_open(*ty));
        // Nobody has written the option if the arguments are those of a command line.
        let asked = match export.is_flat {
            true => code,
            false => code.located(Location::name(self.context, &export.option(), code.location)),
        };
        let call = if is_known {
            asked.call(&export.function, &arguments, results)
        } else {
            unify(code, &mut arguments, |_| code.location);
            let mut attributes = vec![("callee", code.symbol(&export.function))];
            if let Some(Gradient { by, with_value }) = &export.gradient {
                let by: Vec<_> = by.iter().map(|number| *number as i64).collect();
                attributes.push((GRADIENT, code.numbers(&by)));
                attributes.extend(with_value.then(|| (WITH_VALUE, code.unit())));
            }
            asked.toy_operation(Kind::GenericCall, &arguments, results, &attributes)
        };
        let mut returned = Vec::new();
        for result in call.results() {
            tensors_of(code, result.into(), &mut returned);
        }
        code.insert(ops::return_op(code.location, &returned));
        returned.iter().map(|value| value.r#type()).collect()
    }

    /// The type of a gradient, as a function's results: a struct, if there are several values.
    fn gradients(
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

    /// The function that an export names.
    fn function(&self, export: &Export) -> Result<OperationRef<'c, '_>, Diagnostic> {
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

    fn unknown(&self, export: &Export) -> Diagnostic {
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

    /// Checks that there are as many shapes as parameters, for tensors and structs.
    fn check(
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

    /// An example of an export of the function.
    fn example(&self, export: &Export, inputs: &[Type]) -> String {
        let inputs: Vec<_> = inputs.iter().map(|ty| example(*ty)).collect();
        let option = if export.is_main { MAIN } else { EXPORT };
        format!("`{option} '{}({})'`", clipped(&export.callee()), inputs.join(", "))
    }

    fn definition(&self, export: &Export) -> Option<&ast::Function> {
        self.definitions.get(export.function.as_str()).copied()
    }

    fn parameter_name(&self, export: &Export, index: usize) -> String {
        let function = self.definition(export);
        let parameter = function.and_then(|function| function.parameters.get(index));
        parameter.map_or(format!("arg{index}"), |parameter| parameter.name.text.clone())
    }

    /// The paths of the tensors of a value that has the type of a parameter.
    fn parameter_paths(&self, export: &Export, index: usize, at: &Path, paths: &mut Vec<Path>) {
        let function = self.definition(export);
        let parameter = function.and_then(|function| function.parameters.get(index));
        match (parameter, &self.types) {
            (Some(parameter), Some(types)) => {
                tensor_paths(at, types.named(parameter.ty.as_ref()), types, paths);
            }
            _ => numbered(at, &export.arguments[index], paths),
        }
    }

    /// The paths of the tensors of a gradient: `result`, or `result.value` and `result.by_x`.
    fn gradient_paths(&self, export: &Export, paths: &mut Vec<Path>) {
        let Some(Gradient { with_value, by }) = &export.gradient else { return };
        let several = |field: &str| within(&path("result"), "Gradient", field);
        if *with_value {
            paths.push(several("value"));
        }
        for number in by {
            let at = match (with_value, by.as_slice()) {
                (false, [_]) => path("result"),
                _ => several(&format!("by_{}", self.parameter_name(export, *number))),
            };
            self.parameter_paths(export, *number, &at, paths);
        }
    }

    /// The known facts about the entry function.
    fn record(&self, export: &Export, tensors: Vec<TensorType>, results: usize) -> Record {
        let mut wanted = Vec::new();
        for index in 0..export.arguments.len() {
            let parameter = path(&self.parameter_name(export, index));
            self.parameter_paths(export, index, &parameter, &mut wanted);
        }
        let parameters = wanted.len();
        match (self.definition(export), &self.types) {
            _ if export.gradient.is_some() => self.gradient_paths(export, &mut wanted),
            (Some(function), Some(types)) if results > 0 => {
                let ty = types.result_of(&function.name.text);
                tensor_paths(&path("result"), ty, types, &mut wanted);
            }
            _ if results == 1 => wanted.push(path("result")),
            _ => wanted.extend((0..results).map(|index| path(&format!("result{index}")))),
        }
        let names = names::parameters(wanted.iter().map(Path::joined));
        let mut names: Vec<_> = names.into_iter().zip(wanted).collect();
        let result_names = names.split_off(parameters);
        let value = |((name, path), ty)| Parameter { name, ty, path };
        let function = interface::Function {
            c_name: export.c_name.clone(),
            toy_name: export.name(),
            signature: export.call(),
            is_program: export.is_main,
            parameters: names.into_iter().zip(tensors).map(value).collect(),
            // Their types follow.
            results: result_names
                .into_iter()
                .map(|name| value((name, TensorType::default())))
                .collect(),
            ..interface::Function::default()
        };
        Record { function, buffers: Vec::new() }
    }
}

/// An argument of a type, from the next tensors.
fn grouped(ty: Type, tensors: &mut impl Iterator<Item = Argument>) -> Argument {
    match fields(ty) {
        Some(types) => Argument::Struct(types.into_iter().map(|ty| grouped(ty, tensors)).collect()),
        None => tensors.next().expect("a tensor for each field"),
    }
}

/// The types of all tensors, in order.
fn leaves(arguments: &[Argument]) -> Vec<TensorType> {
    let of = |argument: &Argument| match argument {
        Argument::Tensor(ty) => vec![ty.clone()],
        Argument::Struct(fields) => leaves(fields),
    };
    arguments.iter().flat_map(of).collect()
}

/// The number of tensors in a value of a type.
fn leaves_of(ty: Type) -> usize {
    fields(ty).map_or(1, |fields| fields.into_iter().map(leaves_of).sum())
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

/// The path of a parameter or a result.
fn path(name: &str) -> Path {
    Path { name: name.to_owned(), fields: Vec::new() }
}

/// The paths of the tensors in a value: `p_re`, `p_im` for a struct `p`.
fn tensor_paths(path: &Path, ty: types::Type, types: &Types, paths: &mut Vec<Path>) {
    let types::Type::Struct(definition) = ty else { return paths.push(path.clone()) };
    for field in &definition.fields {
        let inner = types.named(field.ty.as_ref());
        let field = within(path, &definition.name.text, &field.name.text);
        tensor_paths(&field, inner, types, paths);
    }
}

/// The same where structs and fields have no names: `arg0_0`, `arg0_1`.
fn numbered(path: &Path, argument: &Argument, paths: &mut Vec<Path>) {
    let Argument::Struct(fields) = argument else { return paths.push(path.clone()) };
    for (index, field) in fields.iter().enumerate() {
        numbered(&within(path, "Struct", &index.to_string()), field, paths);
    }
}

/// The path of a field of the value at a path.
fn within(path: &Path, structure: &str, field: &str) -> Path {
    let mut path = path.clone();
    path.fields.push(Field { structure: structure.to_owned(), name: field.to_owned() });
    path
}

/// The value of an argument, made from the next parameters.
fn value_of<'c, 'b>(
    code: Builder<'c, 'b>,
    argument: &Argument,
    leaves: &mut impl Iterator<Item = Value<'c, 'b>>,
) -> Value<'c, 'b> {
    let Argument::Struct(fields) = argument else {
        return leaves.next().expect("a parameter for each tensor");
    };
    let values = fields.iter().map(|field| value_of(code, field, leaves)).collect();
    structure(code, values, |_| code.location)
}

/// The tensors in a value, in order.
fn tensors_of<'c, 'b>(
    code: Builder<'c, 'b>,
    value: Value<'c, 'b>,
    tensors: &mut Vec<Value<'c, 'b>>,
) {
    let Some(types) = fields(value.r#type()) else { return tensors.push(value) };
    for (index, ty) in types.into_iter().enumerate() {
        let index = ("index", code.number(index as i64));
        tensors_of(code, code.typed(Kind::StructAccess, &[value], ty, &[index]), tensors);
    }
}
