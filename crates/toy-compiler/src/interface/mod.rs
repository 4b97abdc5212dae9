//! The interface of a library for programs in C and in other languages: its exported functions, as data.
//!
//! Input: `--export` as text ([`Export::parse`]), and a module whose entry functions describe themselves.
//! Output: an [`Interface`], from which the C header is made; bindings for other languages are made from the
//! same data, and need nothing else. Invariant: the description holds for the code: both come from the
//! attribute `toy.export` ([`record`]).
//!
//! Each function is two in C, and a third one returns the size of the memory that the second one needs:
//!
//! ```c
//! int f_2x3_2x3(const double *a, const double *b, double *result);
//! int f_2x3_2x3_in(const double *a, const double *b, double *result, void *workspace);
//! size_t f_2x3_2x3_workspace(void);
//! ```
//!
//! The first two have a second symbol each, whose name contains the facts that callers rely on: the shapes, and
//! the size of the workspace ([`Function::checked`]). The header and the bindings call this symbol, so that
//! they do not link to another library's functions of the same names.
//!
//! Tensors are contiguous, row by row, at addresses that are multiples of 8; scalars are arguments by value
//! and results in one `double`; each tensor of a struct is a parameter of its own, in the order of the
//! fields. Results overlap neither each other nor an argument. The status is one of [`STATUSES`].
//!
//! | module | task |
//! |---|---|
//! | [`spec`] | reads `--export` |
//! | [`names`] | the names that C can have |
//! | [`record`] | the attribute `toy.export`, to data and back |
//! | [`header`] | the C header |
//! | [`rust`] | bindings for Rust |
//! | [`python`] | a module for Python |
//! | [`javascript`] | modules for JavaScript, with the types of TypeScript |

pub mod header;
pub mod javascript;
pub mod names;
mod nested;
pub mod python;
pub mod record;
pub mod rust;
pub mod spec;

use names::SIZE_MACRO;
pub use spec::{Argument, EXPORT, Export, Gradient, MAIN, MAX_PARAMETERS};
pub use toy_syntax::element::Element;
pub use toy_syntax::shape::{Shape, TensorType};

/// The exported functions of a library, in the order of the exports.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Interface {
    pub functions: Vec<Function>,
    /// The number of threads that run large loops; 0 and 1: the calling thread only.
    pub threads: u8,
}

/// An exported function: a Toy function for arguments of certain shapes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Function {
    /// The name in C: `f_2x3_s`, or the name in `--export`.
    pub c_name: String,
    /// The name in Toy: `f`; of its gradients, `grad_f` and `grad1_f`.
    pub toy_name: String,
    /// The function with the shapes of its arguments, for people: `f(2x3, scalar)`, `grad(f, 1)(2x3, scalar)`.
    pub signature: String,
    /// The parameters before the results, in order.
    pub parameters: Vec<Value>,
    /// The results, each of which is a pointer after the parameters.
    pub results: Vec<Value>,
    /// The size in bytes of the memory for temporaries, at any address; 0 if there are none.
    pub workspace: u64,
    /// True if the function prints.
    pub prints: bool,
    /// True if it is the entry of a program and not a part of a library.
    pub is_program: bool,
}

/// A tensor that goes in or comes out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Value {
    /// The name in C, different from the names of the function's other parameters.
    pub name: String,
    /// Rank 0 is a scalar: a number as a parameter, a pointer to one as a result.
    pub ty: TensorType,
    /// The tensor's path in Toy.
    pub path: Path,
}

/// A tensor of a parameter or of the result, and if that is a struct, the fields that lead to it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Path {
    /// The name of the parameter, or `result`.
    pub name: String,
    pub fields: Vec<Field>,
}

/// A field of a struct.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Field {
    /// The name of the struct.
    pub structure: String,
    pub name: String,
}

impl Path {
    /// `p_first_re`
    pub fn joined(&self) -> String {
        let fields = self.fields.iter().map(|field| format!("_{}", field.name));
        self.name.clone() + &fields.collect::<String>()
    }
}

impl Interface {
    /// The functions that the host of a module of WebAssembly calls.
    pub fn symbols(&self) -> Vec<String> {
        if self.functions.iter().all(|function| function.is_program) {
            return vec!["main".to_owned()];
        }
        let names = self.functions.iter().map(Function::in_workspace);
        names.chain([runtime::LAST_ERROR.to_owned()]).collect()
    }
}

impl Function {
    /// The function that takes its workspace from the caller.
    pub fn in_workspace(&self) -> String {
        format!("{}{IN}", self.c_name)
    }

    /// The function that returns the size of the workspace.
    pub fn workspace_size(&self) -> String {
        format!("{}{WORKSPACE}", self.c_name)
    }

    /// The macro with that size.
    pub fn size_macro(&self) -> String {
        format!("{}{SIZE_MACRO}", self.c_name)
    }

    /// The symbol of the function, as bindings call it: `toy_f__2x3_s__3x2`. No name of an export has `__`.
    pub fn checked(&self) -> String {
        format!("{CHECKED}{}__{}", self.c_name, self.shapes())
    }

    /// The symbol of the function that takes its workspace from the caller; it contains the size.
    pub fn checked_in_workspace(&self) -> String {
        format!("{CHECKED}{}__{}__{}", self.in_workspace(), self.shapes(), self.workspace)
    }

    /// The shapes of parameters and results: `2x3_s__3x2`, or a hash of this text if it is long.
    fn shapes(&self) -> String {
        let list = |values: &[Value]| match values {
            [] => "void".to_owned(),
            _ => values.iter().map(|value| value.ty.symbol()).collect::<Vec<_>>().join("_"),
        };
        let text = format!("{}__{}", list(&self.parameters), list(&self.results));
        if text.len() > LONGEST { format!("{:032x}", hash(&text)) } else { text }
    }
}

impl Value {
    pub fn is_scalar(&self) -> bool {
        self.ty.is_scalar()
    }

    /// The number of elements.
    pub fn elements(&self) -> u64 {
        self.ty.shape.element_count().expect("shapes fit into memory")
    }

    pub fn bytes(&self) -> u64 {
        self.ty.bytes().expect("shapes fit into memory")
    }
}

/// The help for a function whose types C cannot have.
pub fn exportable() -> String {
    let elements = Element::names();
    format!("a function that is exported takes and returns tensors of {elements} of known sizes")
}

/// The suffixes of C functions besides the one that an export names.
const IN: &str = "_in";
const WORKSPACE: &str = "_workspace";

/// The prefix of the symbols of bindings.
const CHECKED: &str = "toy_";

/// The maximum number of letters in which such a symbol lists shapes.
const LONGEST: usize = 120;

/// FNV-1a of 128 bits.
fn hash(text: &str) -> u128 {
    const PRIME: u128 = (1 << 88) + 0x13b;
    let add = |hash: u128, byte: u8| (hash ^ u128::from(byte)).wrapping_mul(PRIME);
    text.bytes().fold(0x6c62_272e_07bb_0142_62b8_2175_6295_c58d, add)
}

/// A status that an exported function returns.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Status {
    pub code: i32,
    /// The name in C.
    pub name: &'static str,
    pub meaning: &'static str,
}

pub const OK: Status = status(0, "TOY_OK", "the results are there");
pub const OUT_OF_MEMORY: Status =
    status(1, "TOY_OUT_OF_MEMORY", "no memory for temporaries; nothing was computed");
pub const OVERLAP: Status = status(
    2,
    "TOY_OVERLAP",
    "a result or the workspace overlaps another argument; nothing was computed",
);
pub const BAD_POINTER: Status =
    status(3, "TOY_BAD_POINTER", "a pointer is null or not a multiple of 8; nothing was computed");
pub const CANNOT_PRINT: Status =
    status(4, "TOY_CANNOT_PRINT", "standard output failed; the results are there");
pub const CHECK_FAILED: Status = status(
    5,
    "TOY_CHECK_FAILED",
    "a check failed, as toy_last_error() says; the results are not there",
);

/// The checks that can fail: codes of an error besides the status.
pub const CHECKS: [Status; 4] = [
    status(16, "TOY_OUT_OF_RANGE", "`index` is not in 0 to `size` - 1"),
    status(17, "TOY_NOT_WHOLE", "`number` is not an index, a bound or a step"),
    status(18, "TOY_ZERO_STEP", "the step of a range is 0"),
    status(19, "TOY_TOO_DEEP", "the stack has no room for more calls"),
];

/// Every status, in the order of their codes.
pub const STATUSES: [Status; 6] =
    [OK, OUT_OF_MEMORY, OVERLAP, BAD_POINTER, CANNOT_PRINT, CHECK_FAILED];

const fn status(code: i32, name: &'static str, meaning: &'static str) -> Status {
    Status { code, name, meaning }
}

/// The functions of the runtime that a library calls; they keep no state but the last error of each thread.
pub mod runtime {
    /// Lists of functions of the runtime, some with names in Rust, and the address of each, for the JIT. The sources in
    /// runtime/ have their types.
    macro_rules! functions {
        ($($(#[$about:meta])* $list:ident {
            $($($(#[$doc:meta])* $name:ident =)? $symbol:literal;)*
        })*) => {
            $($($($(#[$doc])* pub const $name: &str = $symbol;)?)*
            $(#[$about])* pub const $list: &[&str] = &[$($symbol),*];)*

            /// The address of one of these functions.
            pub fn address(name: &str) -> Option<usize> {
                functions!(@address name, $($($symbol = $symbol,)*)*)
            }
        };
        (@address $wanted:ident, $($name:literal = $own:literal,)*) => {
            match $wanted {
                $($name => {
                    unsafe extern "C" {
                        #[link_name = $own]
                        fn function();
                    }
                    Some(function as *const () as usize)
                })*
                _ => None,
            }
        };
    }
    pub(crate) use functions;

    functions! {
        /// All of them.
        ALL {
            /// `void *(size_t)`, null if memory runs out.
            ALLOCATE = "toy_export_allocate";
            FREE = "toy_export_free";
            /// Prints a tensor, as the function of programs does.
            PRINT_STATELESS = "toy_export_print";
            /// Called before a function prints; returns a value for the next one.
            PRINT_BEGIN = "toy_export_print_begin";
            /// Called after it has printed; returns the status.
            PRINT_END = "toy_export_print_end";
            /// `toy.print_text` and `toy.print_number` without a state.
            PRINT_TEXT = "toy_export_print_text";
            PRINT_NUMBER = "toy_export_print_number";
            /// Sets the place that a failed check returns to, and returns the previous one.
            ESCAPE = "toy_export_escape";
            /// Keeps the reason for a status; like checks, it has a text with a place.
            REFUSE = "toy_export_refuse";
            /// Returns the address of the library's own memory for the last error of the thread.
            ERROR = "toy_export_error";
            /// Runs a program with its command line: `int (int, char **, const char *table, int (*)(const double **,
            /// void *))`.
            PROGRAM = "toy.program";
        }
    }

    /// The function that callers and the runtime get the last error from. It is weak.
    pub const LAST_ERROR: &str = "toy_last_error";
}

/// The alignment to which the start of a workspace is rounded up, inside of it: callers may pass any address.
pub const WORKSPACE_ALIGNMENT: u64 = 64;
