//! The compiler in one call, for most programs that use it.
//!
//! Each runs a [`Compilation`] on a thread with a large stack.

use crate::codegen::jit;
use crate::compilation::{Compilation, Config, Failure};
use crate::{Stage, with_large_stack};
use mlir_support::session::Printing;
use toy_diagnostics::source::Source;
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

/// The result of [`compile`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Compiled {
    /// Text, or the bytes of an object file.
    pub bytes: Vec<u8>,
    pub warnings: Vec<Diagnostic>,
}

impl Compiled {
    /// The result as text.
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }
}

/// The result of [`run`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Execution {
    /// The exit status of the program.
    pub status: i32,
    /// The text that it printed. A program in MLIR may also print by functions of the C library, to the standard
    /// output of this process.
    pub output: Vec<u8>,
    /// The error that ended it, if one did. Nothing is written to standard error.
    pub failure: Option<Failure>,
    pub warnings: Vec<Diagnostic>,
}

/// Compiles a program to a stage: the result is the output of `-emit=STAGE`; for [`Stage::Exe`] the object
/// file, for [`Stage::Jit`] LLVM IR.
///
/// ```
/// use toy_compiler::source::Source;
/// use toy_compiler::{Config, Stage};
///
/// let source = Source::new("add.toy", "def main() { print([1, 2] + [3, 4]); }");
/// let compiled = toy_compiler::compile(source, Config::default(), Stage::Llvm).expect("the program is right");
/// assert!(compiled.text().contains("define i32 @main()"));
/// ```
///
/// # Errors
///
/// The errors in the program, and the warnings about it.
pub fn compile(source: Source, config: Config, stage: Stage) -> Diagnosed<Compiled> {
    with_large_stack(|| {
        let mut compilation = Compilation::new(source, config);
        advance(&mut compilation, stage)?;
        let mut bytes = Vec::new();
        // Writing to memory does not fail.
        let _ = compilation.write(Printing::default(), &mut bytes);
        Ok(Compiled { bytes, warnings: compilation.take_warnings() })
    })
}

/// Compiles a program in memory, and runs it in this process.
///
/// ```
/// use toy_compiler::Config;
/// use toy_compiler::source::Source;
///
/// let source = Source::new("add.toy", "def main() { print([1, 2] + [3, 4]); }");
/// let execution = toy_compiler::run(source, Config::default()).expect("the program is right");
/// assert_eq!(execution.output, b"4.000000 6.000000 ");
///
/// let source = Source::new("at.toy", "def main() { for i in 0..3 { print([1, 2][i]); } }");
/// let failure = toy_compiler::run(source, Config::default()).expect("the program is right").failure;
/// let failure = failure.expect("the list has no third element");
/// assert_eq!((failure.line, failure.index, failure.size), (1, 2, 2));
/// assert_eq!(failure.message, "index 2 is out of range: the dimension has 2 elements");
/// ```
///
/// # Errors
///
/// The errors in the program, and the warnings about it.
pub fn run(source: Source, config: Config) -> Diagnosed<Execution> {
    with_large_stack(|| {
        let mut compilation = Compilation::new(source, config);
        advance(&mut compilation, Stage::Jit)?;
        let warnings = compilation.take_warnings();
        let (status, output) = jit::captured(|| compilation.run(&mut ())).map_err(|error| {
            let message = format!("the program's output cannot be kept: {error}");
            Diagnostic::error(codes::CANNOT_WRITE, message)
        })?;
        Ok(Execution { status: status?, output, failure: compilation.failure().cloned(), warnings })
    })
}

/// Advances, or returns the errors together with the warnings of the stages before.
fn advance(compilation: &mut Compilation, stage: Stage) -> Diagnosed<()> {
    compilation.advance_to(stage, &mut ()).map_err(|errors| compilation.with_warnings(errors))
}

/// The errors in a Toy program, including errors about shapes, and the warnings about it.
///
/// ```
/// use toy_compiler::source::Source;
///
/// let source = Source::new("add.toy", "def main() { print([1, 2] + [3, 4, 5]); }");
/// let diagnostics = toy_compiler::check(&source);
/// assert_eq!(diagnostics[0].code.id, "E0301");
/// ```
pub fn check(source: &Source) -> Vec<Diagnostic> {
    let source = Source::new(source.name.clone(), source.text.clone());
    match compile(source, Config::default(), Stage::Shapes) {
        Ok(compiled) => compiled.warnings,
        Err(diagnostics) => diagnostics,
    }
}
