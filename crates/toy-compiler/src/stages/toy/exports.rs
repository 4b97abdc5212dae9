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

mod check;
mod paths;

use crate::dialect::control::{GRADIENT, WITH_VALUE};
use crate::dialect::gradients;
use crate::dialect::ops::{self, Insertion, Kind, ToyBuilder};
use crate::dialect::shape::tensor_type;
use crate::dialect::structs::{fields, is_open};
use crate::dialect::unify::{structure, unify};
use crate::interface::{self, Argument, EXPORT, Export, Gradient, MAIN, TensorType, record};
use melior::Context;
use melior::ir::attribute::{ArrayAttribute, BoolAttribute, DictionaryAttribute, StringAttribute};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::r#type::FunctionType;
use melior::ir::{
    Block, BlockLike, BlockRef, Identifier, Location, Module, Type, Value, ValueLike,
};
use mlir_support::{Builder, Locations, Session, ir, location};
use std::collections::HashMap;
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnosed, Diagnostic, codes};
use toy_syntax::ast;
use toy_syntax::types::Types;

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
