//! The description of an entry function: the path and the name of each tensor that it takes and returns.
//!
//! Input: an export, and the tree, if there is one. Output: a [`Record`]. A tensor in a struct has the path of its fields:
//! `p.re` is `p_re` in C. Without a tree, parameters and fields have numbers: `arg0_1`.

use super::Adder;
use crate::interface::record::Record;
use crate::interface::{
    self, Argument, Export, Field, Gradient, Path, TensorType, Value as Parameter, names,
};
use toy_syntax::ast;
use toy_syntax::types::{self, Types};

impl<'c> Adder<'c, '_, '_> {
    /// The known facts about the entry function.
    pub(super) fn record(
        &self,
        export: &Export,
        tensors: Vec<TensorType>,
        results: usize,
    ) -> Record {
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

    fn definition(&self, export: &Export) -> Option<&ast::Function> {
        self.definitions.get(export.function.as_str()).copied()
    }

    pub(super) fn parameter_name(&self, export: &Export, index: usize) -> String {
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
