//! A module in Python with the functions of a library.
//!
//! Input: an [`Interface`], and the bytes of the shared library. Output: the text of a module that needs
//! NumPy and nothing else: it contains the library, and the code that calls it, copied from the package
//! in `python/`. Invariant: no function's name is a global variable of the module: a Toy function `len`
//! must not become Python's. No name of an export begins with `_`, as the module's own names do.

use super::nested::Nested;
use super::{Element, Interface, Shape, TensorType};
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use std::fmt::{self, Write};

/// The code that calls functions, from `python/`.
const RUNTIME: &str = include_str!("../../../../python/toyc/_runtime.py");

/// The module. `program` is the file that was compiled, and `triple` the machine it is for.
pub fn text(interface: &Interface, program: &str, triple: &str, library: &[u8]) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut text, interface, program, triple, library);
    text
}

fn write(
    out: &mut String,
    interface: &Interface,
    program: &str,
    triple: &str,
    library: &[u8],
) -> fmt::Result {
    let version = env!("CARGO_PKG_VERSION");
    write!(
        out,
        "\"\"\"Functions of {program}, compiled by toyc {version} for {triple}.\n\n",
        program = plain(program)
    )?;
    for function in &interface.functions {
        let prints = if function.prints { ", which prints" } else { "" };
        writeln!(out, "    {}: {}{prints}", function.c_name, plain(&function.signature))?;
    }
    let dtypes = Element::ALL.map(Element::numpy).join(" or ");
    write!(
        out,
        "\nArguments are arrays of {dtypes}, or numbers for scalars, or tuples for structs. An array that is not\n\
         contiguous is copied. A result is a new array, or a number, or a named tuple; `out=` gives an array for\n\
         it, which may not overlap an argument. The module needs NumPy and nothing else; it can be moved and\n\
         copied, and runs on the machine that it was made for.\n\"\"\"\n\n\ndef _toyc_load():\n"
    )?;
    for line in RUNTIME.lines() {
        match line {
            "" => out.push('\n'),
            line => writeln!(out, "    {line}")?,
        }
    }
    out.push_str(
        "\n    return functions(LIBRARY, [\n".replace("LIBRARY", "_toyc_library").as_str(),
    );
    for function in &interface.functions {
        write!(out, "        ({}, {}, [", literal(&function.toy_name), literal(&function.c_name))?;
        for (index, (name, parameter)) in Nested::parameters(function).iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            write!(out, "{comma}({}, {})", literal(name), ty(parameter))?;
        }
        let result = Nested::result(function).map_or_else(|| "None".to_owned(), |it| ty(&it));
        let prints = if function.prints { "True" } else { "False" };
        writeln!(out, "], {result}, {prints}, {}),", literal(program))?;
    }
    out.push_str("    ])\n\n\n_toyc_library = \"\"\"\n");
    // Lines of 96 letters.
    for line in library.chunks(72) {
        writeln!(out, "{}", STANDARD.encode(line))?;
    }
    out.push_str(
        "\"\"\"\n_toyc_functions = _toyc_load()\n\
         __all__ = sorted(name for name in _toyc_functions if name[0] != \"_\")\n\n\n\
         def __getattr__(name):\n    try:\n        return _toyc_functions[name]\n    except KeyError:\n        \
         raise AttributeError(f\"module `{__name__}` has no function `{name}`\") from None\n\n\n\
         def __dir__():\n    return __all__\n",
    );
    Ok(())
}

/// A type as the runtime knows it.
fn ty(of: &Nested) -> String {
    match of {
        Nested::Tensor(ty) => tensor(ty),
        Nested::Struct(name, fields) => {
            let field = |(name, of): &(&str, Nested)| format!("({}, {})", literal(name), ty(of));
            let fields: Vec<_> = fields.iter().map(field).collect();
            format!("Struct({}, [{}])", literal(name), fields.join(", "))
        }
    }
}

/// The type of a tensor: its shape, or the class of types with its elements around it.
fn tensor(ty: &TensorType) -> String {
    match ty.element {
        Element::DEFAULT => shape(&ty.shape),
        other => format!("Elements({}, {})", literal(other.name()), shape(&ty.shape)),
    }
}

/// `(2, 3)`, `(2,)`, `()`
fn shape(shape: &Shape) -> String {
    match shape.0.as_slice() {
        [size] => format!("({size},)"),
        sizes => {
            let sizes: Vec<_> = sizes.iter().map(u64::to_string).collect();
            format!("({})", sizes.join(", "))
        }
    }
}

/// A string as Python writes it, which is as JSON does.
fn literal(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

/// Text that can be in a string of three quotes.
fn plain(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    text.replace('\\', "/").replace('"', "'")
}
