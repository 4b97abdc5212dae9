//! The C header of a library.
//!
//! Input: an [`Interface`] and the names of the program and the header. Output: text that is C11 and C++17
//! without warnings. Invariants: several headers can be included in one file; a program does not link with a
//! library whose functions take or return something else.

use super::{CHECKS, Element, Function, Interface, STATUSES, Status, Value};
use std::fmt::{self, Write};
use toy_diagnostics::text::{counted, fold};

/// The maximum number of characters in a line of a comment.
const WIDTH: usize = 96;

/// The header. `program` is the file that was compiled, and `name` the library's name.
pub fn text(interface: &Interface, program: &str, name: &str) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut text, interface, program, name);
    text
}

fn write(out: &mut String, interface: &Interface, program: &str, name: &str) -> fmt::Result {
    let guard = guard(name);
    let version = env!("CARGO_PKG_VERSION");
    let numbers = Element::ALL.map(Element::c).join(" or ");
    let alignment = Element::ALL.map(Element::bytes).into_iter().max().unwrap_or(1);
    let introduction = format!(
        "Functions of {}, compiled by toyc {version}.\n\nTensors are contiguous arrays of {numbers}, row by \
         row, at addresses that are multiples of {alignment}. Scalars are passed by value. Results are written where \
         the caller says, and must overlap neither each other nor an argument nor the workspace. All \
         functions may be called from several threads at a time. They write nothing else, keep nothing but the \
         last error of each thread, and print nothing unless this is said; what they print is on standard output \
         when they return.\n\nA \
         function NAME gets the memory for its temporaries from malloc, and returns it. NAME_in gets it from \
         its caller, and never allocates: NAME_workspace() bytes (the macro NAME_WORKSPACE), at any address; \
         they need not be set before, and are free again afterwards.\n\nThe library has to be made with the \
         same options and exports as this header. Symbols say the shapes and the size of the workspace, so \
         that a program does not link with another one.{}",
        comment_text(program),
        threads(interface.threads)
    );
    comment(out, &introduction)?;
    write!(
        out,
        "#ifndef {guard}\n#define {guard}\n\n#include <stddef.h>\n#include <stdint.h>\n\n"
    )?;
    comment(out, "What functions return.")?;
    out.push_str("#ifndef TOY_STATUS\n#define TOY_STATUS\n");
    write_codes(out, &STATUSES)?;
    out.push_str("#endif\n\n");
    comment(out, ERROR)?;
    out.push_str("#ifndef TOY_ERROR\n#define TOY_ERROR\n");
    write_codes(out, &CHECKS)?;
    out.push_str(STRUCT);
    comment(out, "The symbol of a function, if it is not its name.")?;
    out.push_str(
        "#ifndef TOY_SYMBOL\n#ifdef __GNUC__\n#define TOY_SYMBOL(symbol) __asm__(symbol)\n#else\n\
         #define TOY_SYMBOL(symbol)\n#endif\n#endif\n\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n",
    );
    for function in &interface.functions {
        out.push('\n');
        write_function(out, function)?;
    }
    write!(out, "\n#ifdef __cplusplus\n}}\n#endif\n\n#endif\n")
}

fn write_codes(out: &mut String, codes: &[Status]) -> fmt::Result {
    codes.iter().try_for_each(|Status { name, code, meaning }| {
        writeln!(out, "#define {name:18} {code} /* {meaning} */")
    })
}

/// The comment on the last error.
const ERROR: &str = "Why the last function failed that did in this thread, in whichever library of the program; \
    toy_last_error() is never null. Strings stay until the library is unloaded, `message` and `text` until the next \
    failure. With the environment variable TOY_SHOW_ERRORS=1, libraries also write `text` to standard error.";

/// The struct as runtime/runtime/failure.c has it.
const STRUCT: &str = include_str!("error.h");

/// The header's sentences about threads, if functions have some of their own.
fn threads(number: u8) -> String {
    match number {
        0 | 1 => String::new(),
        _ => format!(
            "\n\nLarge loops are run by {number} threads, which are started when they are first needed, and \
             kept."
        ),
    }
}

fn write_function(out: &mut String, function: &Function) -> fmt::Result {
    comment(out, &description(function))?;
    let Function { c_name, workspace, .. } = function;
    let (in_workspace, size) = (function.in_workspace(), function.workspace_size());
    prototype(out, c_name, &function.checked(), function, None)?;
    let checked = function.checked_in_workspace();
    prototype(out, &in_workspace, &checked, function, Some("void *workspace"))?;
    writeln!(out, "size_t {size}(void);")?;
    writeln!(out, "#define {} {workspace}", function.size_macro())
}

/// The comment on a function: its parameters and its statuses.
fn description(function: &Function) -> String {
    let mut text = comment_text(&function.signature);
    text.push('\n');
    let all = || function.parameters.iter().chain(&function.results);
    let width = all().map(|value| value.name.len()).max().unwrap_or(0);
    let mut line = |value: &Value, direction: &str| {
        let shape = match value.ty.shape.0.as_slice() {
            [] => "a scalar".to_owned(),
            _ => format!(
                "{}, {}, {}",
                value.ty.shape.symbol(),
                counted(value.elements(), value.ty.element.c()),
                counted(value.bytes(), "byte")
            ),
        };
        let _ = write!(text, "\n  {:width$}  {direction}  {shape}", value.name);
    };
    function.parameters.iter().for_each(|value| line(value, "in "));
    function.results.iter().for_each(|value| line(value, "out"));
    if function.prints {
        text += "\n  It prints.";
    }
    let _ = match function.workspace {
        0 => write!(text, "\n  It needs no workspace: pass NULL."),
        bytes => write!(text, "\n  Its workspace has {}.", counted(bytes, "byte")),
    };
    text
}

fn prototype(
    out: &mut String,
    name: &str,
    symbol: &str,
    function: &Function,
    more: Option<&str>,
) -> fmt::Result {
    let parameters = function.parameters.iter().map(|value| match value.is_scalar() {
        true => format!("{} {}", value.ty.element.c(), value.name),
        false => format!("const {} *{}", value.ty.element.c(), value.name),
    });
    let results = function.results.iter();
    let results = results.map(|value| format!("{} *{}", value.ty.element.c(), value.name));
    let all: Vec<_> = parameters.chain(results).chain(more.map(str::to_owned)).collect();
    let list = if all.is_empty() { "void".to_owned() } else { all.join(", ") };
    writeln!(out, "int {name}({list})\n    TOY_SYMBOL(\"{symbol}\");")
}

/// A comment of lines that are not too long. Lines that begin with a space stay as they are.
fn comment(out: &mut String, text: &str) -> fmt::Result {
    let mut folded = String::new();
    for (index, paragraph) in text.split('\n').enumerate() {
        folded += if index == 0 { "" } else { "\n" };
        match paragraph.starts_with(' ') {
            true => folded += paragraph,
            false => fold(paragraph, WIDTH, "", &mut folded),
        }
    }
    if !folded.contains('\n') {
        return writeln!(out, "/* {folded} */");
    }
    for (index, line) in folded.split('\n').enumerate() {
        let start = if index == 0 { "/*" } else { " *" };
        writeln!(out, "{}", format!("{start} {line}").trim_end())?;
    }
    writeln!(out, " */")
}

/// Text that neither ends a comment nor begins one, in one line.
fn comment_text(text: &str) -> String {
    let text: String = text.chars().map(|c| if c.is_control() { '?' } else { c }).collect();
    text.replace("*/", "* /").replace("/*", "/ *").replace('\\', "/")
}

/// `TOY_KERNELS_H`
fn guard(name: &str) -> String {
    let letters = name.chars().map(|c| match c.is_ascii_alphanumeric() {
        true => c.to_ascii_uppercase(),
        false => '_',
    });
    format!("TOY_{}_H", letters.collect::<String>())
}

#[cfg(test)]
mod tests {
    use super::super::Shape;
    use super::*;
    use crate::interface::Path;

    #[test]
    fn a_header_declares_three_functions_for_each_export() {
        let value = |name: &str, shape: &[u64]| Value {
            name: name.to_owned(),
            ty: Shape(shape.to_vec()).into(),
            path: Path::default(),
        };
        let function = Function {
            c_name: "f".to_owned(),
            toy_name: "f".to_owned(),
            signature: "f(2x3, scalar)".to_owned(),
            parameters: vec![value("a", &[2, 3]), value("b", &[])],
            results: vec![value("result", &[3])],
            workspace: 111,
            prints: true,
            is_program: false,
        };
        let none = Function { c_name: "g".to_owned(), ..Function::default() };
        let text =
            text(&Interface { functions: vec![function, none], threads: 2 }, "x*/\n.toy", "my-lib");
        for line in [
            "#ifndef TOY_MY_LIB_H",
            "/* f(2x3, scalar)",
            " *   a       in   2x3, 6 doubles, 48 bytes",
            " *   b       in   a scalar",
            " *   result  out  3, 3 doubles, 24 bytes",
            "int f(const double *a, double b, double *result)",
            "    TOY_SYMBOL(\"toy_f__2x3_s__3\");",
            "int f_in(const double *a, double b, double *result, void *workspace)",
            "    TOY_SYMBOL(\"toy_f_in__2x3_s__3__111\");",
            "size_t f_workspace(void);",
            " * Large loops are run by 2 threads, which are started when they are first needed, and kept.",
            "#define f_WORKSPACE 111",
            "int g(void)",
            "    TOY_SYMBOL(\"toy_g__void__void\");",
            "int g_in(void *workspace)",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
        assert_eq!(text.matches("/*").count(), text.matches("*/").count());
    }
}
