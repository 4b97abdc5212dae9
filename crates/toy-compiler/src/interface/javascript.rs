//! The files beside a module of WebAssembly: its host in JavaScript, for Node and for pages, and TypeScript's types of a
//! library's functions.
//!
//! Input: an [`Interface`], and the names of the program and of the module's file. Output: the host, one file that needs
//! nothing but the module: the same text for every program (`javascript/*.mjs`), with a few constants before it.

use super::Interface;
use serde_json::Value as Json;

/// The part that programs and libraries have in common: loading a module, its output, and how its functions end.
const HOST: &str = include_str!("javascript/host.mjs");

/// Running a program.
const PROGRAM: &str = include_str!("javascript/program.mjs");

/// The files beside the module: their extensions and texts. `program` is the file that was compiled, `module` the file of
/// the module without folders.
pub fn files(interface: &Interface, program: &str, module: &str) -> Vec<(&'static str, String)> {
    let version = env!("CARGO_PKG_VERSION");
    let plain: String = program.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    let name = module.strip_suffix(".wasm").unwrap_or(module);
    let constants =
        format!("const MODULE = {};\nconst NAME = {};\n", literal(&encoded(module)), literal(name));
    let is_library = interface.functions.iter().any(|function| !function.is_program);
    if is_library {
        return Vec::new();
    }
    let about = format!(
        "// {plain}, compiled by toyc {version} for WebAssembly: `node {name}.mjs` runs it, and so do pages:\n//\n\
         //     import {{ run }} from \"./{name}.mjs\";\n\
         //     const status = await run({{ print: (text) => output.append(text) }});\n\n"
    );
    vec![("mjs", format!("{about}{constants}\n{HOST}\n{PROGRAM}"))]
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
