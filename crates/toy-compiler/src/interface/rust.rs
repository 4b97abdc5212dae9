//! Bindings in Rust for a static or shared library.
//!
//! Input: an [`Interface`] and the name of the program. Output: text for `include!` in any edition from 2018 on, which
//! needs only the library, and for functions that print, Rust's standard library. Invariant: a caller without `unsafe`
//! cannot break the C functions' contracts: references to arrays ensure sizes, alignment and that results overlap
//! nothing, and symbols ensure that the library is for the same shapes and workspaces.

use super::{Function, Interface, Value};
use std::collections::HashSet;
use std::fmt::{self, Write};
use toy_diagnostics::{Diagnostic, codes};

/// Keywords that `r#` does not make names, and names that would hide names that the bindings use.
const NEVER: [&str; 9] = ["self", "Self", "super", "crate", "_", "Ok", "Err", "Some", "None"];

/// Keywords of all editions.
const KEYWORDS: &str = "abstract as async await become box break const continue do dyn else enum extern \
    false final fn for gen if impl in let loop macro match mod move mut override priv pub ref return static \
    struct trait true try type typeof unsafe unsized use virtual where while yield";

/// Fails for a function whose name Rust cannot have.
pub fn check(interface: &Interface) -> Result<(), Diagnostic> {
    let bad = interface.functions.iter().find(|function| NEVER.contains(&function.c_name.as_str()));
    bad.map_or(Ok(()), |function| {
        let message = format!("a function in Rust cannot have the name `{}`", function.c_name);
        let help = format!("choose a name: `--export 'NAME={}'`", function.signature);
        Err(Diagnostic::error(codes::BAD_BINDING_NAME, message).help(help))
    })
}

/// The bindings. `program` is the file that was compiled.
pub fn text(interface: &Interface, program: &str) -> String {
    let mut text = String::new();
    // Writing to a string does not fail.
    let _ = write(&mut text, interface, program);
    text
}

fn write(out: &mut String, interface: &Interface, program: &str) -> fmt::Result {
    let version = env!("CARGO_PKG_VERSION");
    writeln!(
        out,
        "// Functions of {}, compiled by toyc {version}: made by `toyc -emit=rust`, to be used as in\n//\n\
         //     mod kernels {{ include!(concat!(env!(\"OUT_DIR\"), \"/kernels.rs\")); }}\n//\n\
         // together with the library that `toyc -emit=staticlib` makes with the same options and exports; another one does\n\
         // not link. Tensors are arrays, row by row; a slice `s` of the right length is one by `s.try_into()`, without a\n\
         // copy.\n",
        line(program)
    )?;
    out.push_str(ERROR);
    for function in &interface.functions {
        write_function(out, function)?;
    }
    Ok(())
}

fn write_function(out: &mut String, function: &Function) -> fmt::Result {
    let Function { c_name, workspace, .. } = function;
    let (name, in_workspace) = (rust_name(c_name), function.in_workspace());
    let names = parameter_names(function);
    let (inputs, results) = names.split_at(function.parameters.len());
    let mut taken = Vec::new();
    let mut given = Vec::new();
    let mut declared = Vec::new();
    for (name, value) in inputs.iter().zip(&function.parameters) {
        let number = value.ty.element.rust();
        let (ty, argument, pointer) = match value.is_scalar() {
            true => (number.to_owned(), name.clone(), ""),
            false => (array("&", value), format!("{name}.as_ptr()"), "*const "),
        };
        taken.push(format!("{name}: {ty}"));
        given.push(argument);
        declared.push(format!("{name}: {pointer}{number}"));
    }
    for (name, value) in results.iter().zip(&function.results) {
        let number = value.ty.element.rust();
        let (ty, argument) = match value.is_scalar() {
            true => (format!("&mut {number}"), name.clone()),
            false => (array("&mut ", value), format!("{name}.as_mut_ptr()")),
        };
        taken.push(format!("{name}: {ty}"));
        given.push(argument);
        declared.push(format!("{name}: *mut {number}"));
    }
    writeln!(out)?;
    write!(out, "{}", description(function, &names))?;
    write_call(out, function, &name, &function.checked(), [&taken, &declared, &given])?;

    writeln!(out, "\n/// The size of the workspace of [`{in_workspace}`] in bytes.")?;
    writeln!(out, "#[allow(dead_code, non_upper_case_globals)]")?;
    writeln!(out, "pub const {}: usize = {workspace};\n", function.size_macro())?;
    writeln!(
        out,
        "/// The same as [`{c_name}`], with memory for temporaries from the caller: it never allocates."
    )?;
    writeln!(out, "/// What is in the workspace before does not matter.")?;
    taken.push(format!("workspace: &mut [u8; {workspace}]"));
    declared.push("workspace: *mut u8".to_owned());
    given.push("workspace.as_mut_ptr()".to_owned());
    let symbol = function.checked_in_workspace();
    write_call(out, function, &in_workspace, &symbol, [&taken, &declared, &given])
}

/// A function that calls a symbol, with its parameters, the symbol's, and the arguments of the call.
fn write_call(
    out: &mut String,
    function: &Function,
    name: &str,
    symbol: &str,
    lists: [&[String]; 3],
) -> fmt::Result {
    let [taken, declared, given] = lists.map(|list| list.join(", "));
    writeln!(
        out,
        "{ALLOW}\npub fn {name}({taken}) -> Result<(), Error> {{\n    unsafe extern \"C\" {{\n        \
         #[link_name = \"{symbol}\"]\n        fn function({declared}) -> ::core::ffi::c_int;\n    }}"
    )?;
    flush(out, function)?;
    writeln!(out, "    // SAFETY: {SAFETY}\n    Error::check(unsafe {{ function({given}) }})\n}}")
}

/// Flushes Rust's own output, which comes first: its buffer may not be C's.
fn flush(out: &mut String, function: &Function) -> fmt::Result {
    if !function.prints {
        return Ok(());
    }
    writeln!(out, "    let _ = ::std::io::Write::flush(&mut ::std::io::stdout());")
}

const ALLOW: &str = "#[allow(dead_code, non_snake_case, clippy::too_many_arguments)]";

const SAFETY: &str =
    "the references are to arrays of these sizes, and results and workspace overlap nothing.";

/// The comment on a function and its parameters.
fn description(function: &Function, names: &[String]) -> String {
    let mut text = format!("/// `{}`\n///\n", line(&function.signature));
    let results = function.parameters.len();
    for (index, value) in function.parameters.iter().chain(&function.results).enumerate() {
        let out = if index < results { "" } else { "to write: " };
        let what = if value.is_scalar() { "a scalar".to_owned() } else { value.ty.shape.symbol() };
        text += &format!("/// - `{}`: {out}{what}\n", names[index]);
    }
    if function.prints {
        text += "///\n/// It prints, to the standard output of C, after what Rust has printed.\n";
    }
    text
}

fn array(reference: &str, value: &Value) -> String {
    format!("{reference}[{}; {}]", value.ty.element.rust(), value.elements())
}

/// Names of the parameters in Rust, all different from each other and from the called function's name.
fn parameter_names(function: &Function) -> Vec<String> {
    let mut taken = HashSet::from(["workspace", "function", "size"].map(str::to_owned));
    let values = function.parameters.iter().chain(&function.results);
    let unique = values.map(|value| {
        let mut name = value.name.clone();
        while NEVER.contains(&name.as_str()) || !taken.insert(name.clone()) {
            name.push('_');
        }
        rust_name(&name)
    });
    unique.collect()
}

/// A name that may be a keyword.
fn rust_name(name: &str) -> String {
    match KEYWORDS.split_whitespace().any(|keyword| keyword == name) {
        true => format!("r#{name}"),
        false => name.to_owned(),
    }
}

/// Text for one line of a comment.
fn line(text: &str) -> String {
    text.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

const ERROR: &str = r#"/// Why a function failed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// There is no memory for temporaries; nothing was computed.
    OutOfMemory,
    /// Standard output failed; the results are there.
    CannotPrint,
    /// A check failed while the function ran; the results are not there.
    CheckFailed(Failure),
    /// A status that these bindings do not know: the library is another one than they were made for.
    Unknown(i32),
}

/// A check that failed: the place in the program in Toy, and the reason.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Failure {
    pub reason: Reason,
    pub file: &'static str,
    pub line: u32,
    pub column: u32,
    /// The function with the shapes of its arguments.
    pub function: &'static str,
}

/// Why a check failed.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// The index is not in the dimension.
    OutOfRange { index: i64, size: i64 },
    /// An index, a bound or a step is not a whole number, or too large.
    NotWhole { number: f64 },
    /// The step of a range is 0.
    ZeroStep,
    /// The stack has no room for more calls.
    TooDeep,
    /// A check that these bindings do not know.
    Unknown(i32),
}

impl Failure {
    /// The last failure of this thread.
    #[allow(dead_code)]
    fn last() -> Failure {
        use ::core::ffi::{c_char, c_int, CStr};
        #[repr(C)]
        struct Last {
            code: c_int,
            place: [c_int; 2],
            strings: [*const c_char; 4],
            values: [i64; 2],
            number: f64,
        }
        unsafe extern "C" {
            fn toy_last_error() -> *const Last;
        }
        fn text(string: *const c_char) -> &'static str {
            // SAFETY: strings are constants of the library, which this program is linked with.
            unsafe { CStr::from_ptr(string) }.to_str().unwrap_or("?")
        }
        // SAFETY: the pointer is to memory of this thread.
        let last = unsafe { &*toy_last_error() };
        let [line, column] = last.place;
        let [index, size] = last.values;
        let reason = match last.code {
            16 => Reason::OutOfRange { index, size },
            17 => Reason::NotWhole { number: last.number },
            18 => Reason::ZeroStep,
            19 => Reason::TooDeep,
            code => Reason::Unknown(code),
        };
        let (file, function) = (text(last.strings[0]), text(last.strings[1]));
        Failure { reason, file, line: line as u32, column: column as u32, function }
    }
}

impl ::core::fmt::Display for Failure {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        write!(f, "{}:{}:{}: ", self.file, self.line, self.column)?;
        match self.reason {
            Reason::OutOfRange { index, size } => {
                let s = if size == 1 { "" } else { "s" };
                write!(f, "index {index} is out of range: the dimension has {size} element{s}")
            }
            Reason::NotWhole { number } if number.abs() >= 9007199254740992.0 && number.is_finite() => {
                write!(f, "{number} is too large")
            }
            Reason::NotWhole { number } => write!(f, "{number} is not a whole number"),
            Reason::ZeroStep => f.write_str("the step of the range is 0"),
            Reason::TooDeep => f.write_str("recursion is too deep"),
            Reason::Unknown(code) => write!(f, "check {code} failed"),
        }?;
        write!(f, ", in `{}`", self.function)
    }
}

impl Error {
    #[allow(dead_code)]
    fn check(status: ::core::ffi::c_int) -> Result<(), Error> {
        match status {
            0 => Ok(()),
            1 => Err(Error::OutOfMemory),
            4 => Err(Error::CannotPrint),
            5 => Err(Error::CheckFailed(Failure::last())),
            status => Err(Error::Unknown(status)),
        }
    }
}

impl ::core::fmt::Display for Error {
    fn fmt(&self, f: &mut ::core::fmt::Formatter<'_>) -> ::core::fmt::Result {
        match self {
            Error::OutOfMemory => f.write_str("out of memory"),
            Error::CannotPrint => f.write_str("cannot write to standard output"),
            Error::CheckFailed(failure) => failure.fmt(f),
            Error::Unknown(status) => write!(f, "unknown status {status}"),
        }
    }
}

impl ::core::error::Error for Error {}
"#;
