//! The files beside a module of WebAssembly: its host in JavaScript, for Node and for pages, and TypeScript's types of a
//! library's functions.
//!
//! Input: an [`Interface`], and the names of the program and of the module's file. Output: the host, one file that needs
//! nothing but the module: the same text for every program (`javascript/*.mjs`), with a few constants before it.
//! Invariant: no name of a Toy function is one of the host's: those that a library exports begin with `$`, and inside of
//! it, the functions of Toy end with `$`.

use super::{Element, Function, Interface, Value};
use serde_json::{Value as Json, json};
use std::collections::BTreeMap;
use std::fmt::Write;

/// The part that programs and libraries have in common: loading a module, its output, and how its functions end.
const HOST: &str = include_str!("javascript/host.mjs");

/// Running a program, and the files that it reads and writes.
const PROGRAM: &str = include_str!("javascript/program.mjs");
const FILES: &str = include_str!("javascript/files.mjs");

const NO_FILES: &str = "const fileSystem = (write) => ({ write });\n";

/// Calling the functions of a library.
const LIBRARY: &str = include_str!("javascript/library.mjs");

/// The types of all libraries.
const TYPES: &str = include_str!("javascript/types.d.mts");

/// The extensions of the files beside the module of a program, and of a library.
pub const BESIDE_PROGRAM: &[&str] = &["mjs"];
pub const BESIDE_LIBRARY: &[&str] = &["mjs", "d.mts"];

/// The files beside the module: their extensions and texts. `program` is the file that was compiled, `module` the file of
/// the module without folders.
pub fn files(interface: &Interface, program: &str, module: &str) -> Vec<(&'static str, String)> {
    let version = env!("CARGO_PKG_VERSION");
    let program: String = program.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    let name = module.strip_suffix(".wasm").unwrap_or(module);
    let made = format!("{program}, compiled by toyc {version} for WebAssembly");
    let file = format!("const MODULE = {};\n", literal(&encoded(module)));
    if interface.functions.iter().all(|function| function.is_program) {
        let about = format!(
            "// {made}: `node {name}.mjs` runs it, and so do pages:\n//\n\
             //     import {{ run }} from \"./{name}.mjs\";\n\
             //     const status = await run({{ print: (text) => output.append(text) }});\n\n"
        );
        let name = format!("const NAME = {};\n", literal(name));
        // A `main` without parameters and results touches no file.
        let files = if interface.functions.is_empty() { NO_FILES } else { FILES };
        return vec![("mjs", format!("{about}{file}{name}\n{HOST}\n{files}\n{PROGRAM}"))];
    }
    let mut host =
        format!("// Functions of {made}.\n\n{file}const FILE = {};\n", literal(&program));
    let exports: Vec<_> = interface.functions.iter().map(description).collect();
    let exports = serde_json::to_string_pretty(&exports).unwrap_or_default();
    // Writing to a string does not fail.
    let _ = write!(host, "const EXPORTS = {exports};\n\n{HOST}\n{LIBRARY}\n");
    let mut types = format!("// Functions of {made}.\n\n{TYPES}\n");
    let mut names = Vec::new();
    for (name, functions) in by_name(interface) {
        let find = if functions[0].toy_name == name { "named" } else { "exact" };
        let _ = writeln!(host, "const {name}$ = {find}({});", literal(name));
        for function in functions {
            let _ = writeln!(types, "{}", declaration(name, function));
        }
        names.push(format!("{name}$ as {name}"));
    }
    let _ =
        writeln!(host, "export {{ {}, print as $print, ToyError as $Error }};", names.join(", "));
    let _ = writeln!(types, "export {{ {} }};", names.join(", "));
    vec![("mjs", host), ("d.mts", types)]
}

/// The functions that each name of the library stands for: the names in Toy, and those of single exports.
fn by_name(interface: &Interface) -> BTreeMap<&str, Vec<&Function>> {
    let mut names: BTreeMap<&str, Vec<&Function>> = BTreeMap::new();
    for function in &interface.functions {
        names.entry(&function.toy_name).or_default().push(function);
    }
    for function in &interface.functions {
        names.entry(&function.c_name).or_insert_with(|| vec![function]);
    }
    names
}

/// A function as the host knows it.
fn description(function: &Function) -> Json {
    let parameters: Vec<_> = function
        .parameters
        .chunk_by(|one, other| one.path.name == other.path.name)
        .map(|values| json!([values[0].path.name, ty(values, 0)]))
        .collect();
    json!({
        "name": function.toy_name,
        "symbol": function.c_name,
        "parameters": parameters,
        "result": result(function),
        "workspace": function.workspace,
    })
}

/// The type of a function's result; several, which a function in MLIR can have, are a struct.
fn result(function: &Function) -> Json {
    match function.results.as_slice() {
        [] => Json::Null,
        [first, .., last] if first.path.name != last.path.name => {
            let fields: Vec<_> =
                function.results.iter().map(|it| json!([it.path.name, tensor(it)])).collect();
            json!({ "struct": "results", "fields": fields })
        }
        values => ty(values, 0),
    }
}

/// The type of a value that consists of these tensors, each within `depth` structs.
fn ty(values: &[Value], depth: usize) -> Json {
    let field = |value: &'_ Value| value.path.fields[depth].name.clone();
    let Some(first) = values[0].path.fields.get(depth) else { return tensor(&values[0]) };
    let fields: Vec<_> = values
        .chunk_by(|one, other| field(one) == field(other))
        .map(|values| json!([field(&values[0]), ty(values, depth + 1)]))
        .collect();
    json!({ "struct": first.structure, "fields": fields })
}

fn tensor(value: &Value) -> Json {
    match value.ty.element {
        Element::DEFAULT => json!({ "shape": value.ty.shape.0 }),
        _ => json!({ "shape": value.ty.shape.0, "f32": true }),
    }
}

/// The function in TypeScript.
fn declaration(name: &str, function: &Function) -> String {
    let described = description(function);
    let parameters = described["parameters"].as_array().into_iter().flatten().map(|parameter| {
        // A name may be a word of the language.
        format!(
            "{}_: {}",
            parameter[0].as_str().unwrap_or_default(),
            typescript(&parameter[1], true)
        )
    });
    let parameters: Vec<_> = parameters.collect();
    let result = match &described["result"] {
        Json::Null => "void".to_owned(),
        result => typescript(result, false),
    };
    let about = function.signature.replace("*/", "* /");
    format!("/** {about} */\ndeclare function {name}$({}): {result};", parameters.join(", "))
}

/// A type in TypeScript: of an argument, or of a result.
fn typescript(ty: &Json, is_argument: bool) -> String {
    if let Some(fields) = ty["fields"].as_array() {
        let field = |field: &Json| {
            format!(
                "{}: {}",
                field[0].as_str().unwrap_or_default(),
                typescript(&field[1], is_argument)
            )
        };
        return format!("{{ {} }}", fields.iter().map(field).collect::<Vec<_>>().join("; "));
    }
    let array = if ty["f32"] == true { "Float32Array" } else { "Float64Array" };
    let is_scalar = ty["shape"].as_array().is_none_or(Vec::is_empty);
    match (is_scalar, is_argument) {
        (true, _) => "number".to_owned(),
        (false, true) => format!("$Numbers<{array}>"),
        (false, false) => format!("$Tensor<{array}>"),
    }
}

/// A file's name as a relative address.
fn encoded(name: &str) -> String {
    let byte = |byte: u8| match byte {
        byte if byte.is_ascii_alphanumeric() || b"-_.~".contains(&byte) => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    format!("./{}", name.bytes().map(byte).collect::<String>())
}

/// A string as JavaScript writes it, which is as JSON does.
fn literal(text: &str) -> String {
    Json::from(text).to_string()
}
