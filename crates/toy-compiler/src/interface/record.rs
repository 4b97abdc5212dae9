//! The attribute `toy.export` on the entry function of an export: the function's description, for the
//! passes that complete it, and for other readers.
//!
//! Input: an entry function. Output: its [`Record`], or the attribute. It begins with the names and the
//! parameters; bufferization adds the results, the plan of memory adds the size of the workspace, and the
//! functions in C add the flag for printing.

use super::{
    Element, Field, Function, Interface, Path, Shape, TensorType, Value, WORKSPACE_ALIGNMENT,
};
use melior::Context;
use melior::ir::attribute::{
    ArrayAttribute, DictionaryAttribute, IntegerAttribute, StringAttribute,
};
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, Identifier, Module, ValueLike};
use mlir_support::{func, ir};

/// The attribute's name.
pub const ATTRIBUTE: &str = "toy.export";

/// The known facts about an entry function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Record {
    pub function: Function,
    /// The sizes of the buffers in which the results are, if these are not their shapes.
    pub buffers: Vec<Shape>,
}

/// The entry functions of a module that have a body of one block.
pub fn entries<'c, 'a>(module: &'a Module<'c>) -> Vec<OperationRef<'c, 'a>> {
    let mut functions = ir::block_operations(module.body());
    functions.retain(|function| {
        func::is_function(function)
            && function.has_attribute(ATTRIBUTE)
            && ir::blocks(*function).len() == 1
    });
    functions
}

/// Gives a function the type of its block, no results, and as many attributes of arguments.
pub fn set_type<'c>(context: &'c Context, function: OperationRef<'c, '_>) {
    let Some(block) = func::entry_block(function) else { return };
    let inputs: Vec<_> = ir::arguments(block).iter().map(|it| it.r#type()).collect();
    ir::set_attribute(function, "function_type", func::function_type_of(context, &inputs, &[]));
    ir::remove_attribute(function, "res_attrs");
    let old = func::attribute(&function, "arg_attrs").map(ArrayAttribute::try_from);
    if let Some(Ok(old)) = old {
        let none = DictionaryAttribute::new(context, &[]).into();
        let all: Vec<_> =
            (0..inputs.len()).map(|index| old.element(index).unwrap_or(none)).collect();
        ir::set_attribute(function, "arg_attrs", ArrayAttribute::new(context, &all).into());
    }
}

/// The record of an entry function; None for any other operation.
pub fn of<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> Option<Record> {
    let attribute = func::attribute(operation, ATTRIBUTE)?;
    let text = |name| ir::entry(attribute, name).and_then(ir::string_value);
    let values = |name| ir::entry(attribute, name).map_or(Some(Vec::new()), read_values);
    let workspace = ir::entry(attribute, "workspace").and_then(read_integer).unwrap_or(0);
    if (1..WORKSPACE_ALIGNMENT).contains(&workspace) {
        return None;
    }
    let function = Function {
        c_name: text("name")?,
        toy_name: text("function")?,
        signature: text("signature")?,
        parameters: values("parameters")?,
        results: values("results")?,
        workspace,
        prints: ir::entry(attribute, "prints").is_some(),
        is_program: ir::entry(attribute, "program").is_some(),
    };
    let buffers = ir::entry(attribute, "buffers").map_or(Some(Vec::new()), |shapes| {
        elements(shapes)?.into_iter().map(read_shape).collect()
    })?;
    Some(Record { function, buffers })
}

/// Sets the record of an entry function.
pub fn set<'c>(context: &'c Context, function: OperationRef<'c, '_>, record: &Record) {
    ir::set_attribute(function, ATTRIBUTE, attribute(context, record));
}

/// A record as an attribute.
pub fn attribute<'c>(context: &'c Context, record: &Record) -> Attribute<'c> {
    let Record { function, buffers } = record;
    let text = |text: &str| Attribute::from(StringAttribute::new(context, text));
    let mut entries = vec![
        ("name", text(&function.c_name)),
        ("function", text(&function.toy_name)),
        ("signature", text(&function.signature)),
        ("parameters", values(context, &function.parameters)),
    ];
    if !function.results.is_empty() {
        entries.push(("results", values(context, &function.results)));
    }
    if !buffers.is_empty() {
        let buffers: Vec<_> = buffers.iter().map(|sizes| shape(context, sizes)).collect();
        entries.push(("buffers", ArrayAttribute::new(context, &buffers).into()));
    }
    if function.workspace > 0 {
        entries.push(("workspace", integer(context, function.workspace)));
    }
    if function.prints {
        entries.push(("prints", Attribute::unit(context)));
    }
    if function.is_program {
        entries.push(("program", Attribute::unit(context)));
    }
    dictionary(context, &entries)
}

/// The interface of a module: the records of its entry functions, in their order.
pub fn interface(module: &Module) -> Interface {
    let operations = ir::block_operations(module.body()).into_iter();
    let functions = operations.filter_map(|op| of(&op)).map(|r| r.function).collect();
    Interface { functions, threads: 0 }
}

fn dictionary<'c>(context: &'c Context, entries: &[(&str, Attribute<'c>)]) -> Attribute<'c> {
    let entries: Vec<_> =
        entries.iter().map(|(name, value)| (Identifier::new(context, name), *value)).collect();
    DictionaryAttribute::new(context, &entries).into()
}

fn values<'c>(context: &'c Context, values: &[Value]) -> Attribute<'c> {
    let values: Vec<_> = values
        .iter()
        .map(|value| {
            let name = StringAttribute::new(context, &value.name).into();
            let mut entries = vec![("name", name), ("shape", shape(context, &value.ty.shape))];
            if value.ty.element != Element::DEFAULT {
                let element = StringAttribute::new(context, value.ty.element.name());
                entries.push(("element", element.into()));
            }
            if !value.path.fields.is_empty() || value.path.name != value.name {
                entries.push(("path", path(context, &value.path)));
            }
            dictionary(context, &entries)
        })
        .collect();
    ArrayAttribute::new(context, &values).into()
}

/// `["p", "Pair", "first", "Complex", "re"]`
fn path<'c>(context: &'c Context, path: &Path) -> Attribute<'c> {
    let fields = path.fields.iter().flat_map(|field| [&field.structure, &field.name]);
    let names = std::iter::once(&path.name).chain(fields);
    let names: Vec<_> = names.map(|name| StringAttribute::new(context, name).into()).collect();
    ArrayAttribute::new(context, &names).into()
}

fn shape<'c>(context: &'c Context, shape: &Shape) -> Attribute<'c> {
    let sizes: Vec<_> = shape.0.iter().map(|size| integer(context, *size)).collect();
    ArrayAttribute::new(context, &sizes).into()
}

fn integer(context: &Context, value: u64) -> Attribute<'_> {
    IntegerAttribute::new(IntegerType::new(context, 64).into(), value as i64).into()
}

fn read_values(attribute: Attribute) -> Option<Vec<Value>> {
    let read = |value| {
        let name = ir::string_value(ir::entry(value, "name")?)?;
        let path = match ir::entry(value, "path") {
            Some(path) => read_path(path)?,
            None => Path { name: name.clone(), fields: Vec::new() },
        };
        let element = match ir::entry(value, "element") {
            Some(element) => Element::named(&ir::string_value(element)?)?,
            None => Element::DEFAULT,
        };
        let ty = TensorType { element, shape: read_shape(ir::entry(value, "shape")?)? };
        ty.fits().then_some(Value { name, ty, path })
    };
    elements(attribute)?.into_iter().map(read).collect()
}

fn read_path(attribute: Attribute) -> Option<Path> {
    let names: Option<Vec<_>> = elements(attribute)?.into_iter().map(ir::string_value).collect();
    let names = names?;
    let (name, fields) = names.split_first()?;
    let field = |pair: &[String]| match pair {
        [structure, name] => Some(Field { structure: structure.clone(), name: name.clone() }),
        _ => None,
    };
    Some(Path { name: name.clone(), fields: fields.chunks(2).map(field).collect::<Option<_>>()? })
}

fn read_shape(attribute: Attribute) -> Option<Shape> {
    let sizes: Option<Vec<_>> = elements(attribute)?.into_iter().map(read_integer).collect();
    sizes.map(Shape).filter(|shape| TensorType::from(shape.clone()).fits())
}

fn read_integer(attribute: Attribute) -> Option<u64> {
    u64::try_from(IntegerAttribute::try_from(attribute).ok()?.value()).ok()
}

fn elements<'c>(attribute: Attribute<'c>) -> Option<Vec<Attribute<'c>>> {
    let array = ArrayAttribute::try_from(attribute).ok()?;
    (0..array.len()).map(|index| array.element(index).ok()).collect()
}
