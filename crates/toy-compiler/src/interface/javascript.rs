//! The files beside a module of WebAssembly: its host in JavaScript, for Node and for pages, and TypeScript's types of a
//! library's functions.
//!
//! Input: an [`Interface`], and the names of the program and of the module's file. Output: the host, one file that needs
//! nothing but the module: the same text for every program (`javascript/*.mjs`), with a few constants before it.
//! Invariant: no name of a Toy function is one of the host's: those that a library exports begin with `$`, and inside of
//! it, the functions of Toy end with `$`.

use super::nested::Nested;
use super::{Element, Function, Interface, TensorType};
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
    let arrays = Element::ALL.map(|it| format!("{}: {}", it.name(), it.javascript())).join(", ");
    let _ = write!(
        host,
        "const ARRAYS = {{ {arrays} }};\nconst EXPORTS = {exports};\n\n{HOST}\n{LIBRARY}\n"
    );
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
    let parameters = Nested::parameters(function);
    let parameters: Vec<_> = parameters.iter().map(|(name, of)| json!([name, ty(of)])).collect();
    json!({
        "name": function.toy_name,
        "symbol": function.c_name,
        "parameters": parameters,
        "result": Nested::result(function).as_ref().map(ty),
        "workspace": function.workspace,
    })
}

/// A type as the host knows it.
fn ty(of: &Nested) -> Json {
    match of {
        Nested::Tensor(TensorType { element, shape }) => {
            json!({ "shape": shape.0, "element": element.name() })
        }
        Nested::Struct(name, fields) => {
            let fields: Vec<_> = fields.iter().map(|(name, of)| json!([name, ty(of)])).collect();
            json!({ "struct": name, "fields": fields })
        }
    }
}

/// The function in TypeScript.
fn declaration(name: &str, function: &Function) -> String {
    // A name may be a word of the language.
    let parameter = |(name, of): &(&str, Nested)| format!("{name}_: {}", typescript(of, true));
    let parameters: Vec<_> = Nested::parameters(function).iter().map(parameter).collect();
    let result = Nested::result(function);
    let result = result.map_or_else(|| "void".to_owned(), |it| typescript(&it, false));
    let about = function.signature.replace("*/", "* /");
    format!("/** {about} */\ndeclare function {name}$({}): {result};", parameters.join(", "))
}

/// A type in TypeScript: of an argument, or of a result.
fn typescript(of: &Nested, is_argument: bool) -> String {
    let ty = match of {
        Nested::Tensor(ty) => ty,
        Nested::Struct(_, fields) => {
            let fields = fields.iter();
            let fields =
                fields.map(|(name, of)| format!("{name}: {}", typescript(of, is_argument)));
            return format!("{{ {} }}", fields.collect::<Vec<_>>().join("; "));
        }
    };
    let array = ty.element.javascript();
    match (ty.is_scalar(), is_argument) {
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
