//! Functions that C calls: libraries, their headers, and functions that cannot be exported.
//!
//! Input: programs with functions to export; seeds of the [`generator`](crate::generator). Output: for each function a
//! run in C, compared with the interpreter. TOYC_RANDOM_SEED and TOYC_RANDOM_COUNT choose other, or more, random
//! programs. Invariant: a library has only the symbols in its header, and no state but errors.

mod bad;
pub mod driver;
mod kinds;
mod links;
mod mlir;
pub mod random;
mod recursion;
mod unlinked;

use crate::interpreter::{self, Called};
use crate::programs::Cross;
use crate::tools::{Job, Outcome, Run, root, scratch, trial};
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};
use toy_compiler::interface::Export;
use toy_compiler::source::Source;
use toy_compiler::{Compilation, Config, Stage};

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![trial("exports/example_in_c", || example(None))];
    trials.extend(kinds::trials());
    trials.extend(recursion::trials());
    trials.extend(mlir::trials());
    trials.extend(bad::trials());
    trials.extend(links::trials());
    trials.extend(unlinked::trials());
    trials.push(
        Cross::other().trial("exports/example_in_c/emulated".into(), |cross| example(Some(cross))),
    );
    trials.extend(random::trials());
    trials
}

/// A library in a directory: `library.h`, `library.a`, `driver.c`, and the interpreter's output.
struct Library {
    directory: PathBuf,
    /// The expected output of the [`driver`]'s program.
    expected: String,
}

impl Library {
    /// Compiles the exports of a program.
    fn new(text: &str, exports: &[Export], level: u8, directory: &Path) -> Result<Self, Failed> {
        Self::with(text, exports, at(level), directory)
    }

    fn with(
        text: &str,
        exports: &[Export],
        mut config: Config,
        directory: &Path,
    ) -> Result<Self, Failed> {
        std::fs::create_dir_all(directory)?;
        config.exports = exports.to_vec();
        let make = |stage, file: &str| {
            let source = Source::new("library.toy", text);
            toy_compiler::with_large_stack(|| {
                let mut compilation = Compilation::new(source, config.clone());
                compilation.advance_to(stage, &mut ()).map_err(|found| format!("{found:?}"))?;
                let mut bytes = Vec::new();
                compilation.write(Default::default(), &mut bytes)?;
                std::fs::write(directory.join(file), bytes)?;
                Ok::<_, Failed>(compilation.interface().clone())
            })
        };
        make(Stage::Header, "library.h")?;
        let interface = make(Stage::StaticLib, "library.a")?;
        let mut expected = String::new();
        for export in exports {
            let Called { output, results } =
                interpreter::call(text, &export.function, &export.arguments, driver::element)
                    .map_err(|stop| format!("{}: {stop:?}", export.text))?;
            expected += &format!("{}\n{output}", export.c_name);
            for element in results.iter().flatten() {
                expected += &match element {
                    nan if nan.is_nan() => "nan\n".to_owned(),
                    number => format!("{:016x}\n", number.to_bits()),
                };
            }
            expected += &output;
        }
        std::fs::write(directory.join("driver.c"), driver::program(&interface))?;
        Ok(Self { directory: directory.to_owned(), expected })
    }

    /// The program that calls all functions.
    fn driver(&self, compiler: &str, options: &[&str]) -> Result<PathBuf, Failed> {
        const STRICT: [&str; 6] =
            ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-pthread"];
        let mut arguments: Vec<&str> = STRICT.to_vec();
        arguments.extend([
            "-Wno-unused-function",
            "-D_POSIX_C_SOURCE=200809L",
            "-o",
            "driver",
            "driver.c",
            "library.a",
            "-lm",
        ]);
        arguments.extend(options);
        Job::new(compiler, arguments).current_dir(&self.directory).run()?.exits(0)?;
        Ok(self.directory.join("driver"))
    }

    fn check(&self) -> Outcome {
        let driver = self.driver("cc", &[])?;
        Job::new(driver, [""; 0]).run()?.exits(0)?.prints(&self.expected)?.silent()?;
        Ok(())
    }
}

pub fn at(level: u8) -> Config {
    Config { optimization_level: level, ..Config::default() }
}

fn parsed(exports: &[&str]) -> Vec<Export> {
    exports.iter().map(|text| Export::parse(text).expect(text)).collect()
}

/// The example, as its Makefile builds it.
fn example(cross: Option<Cross>) -> Outcome {
    let name = if cross.is_some() { "exports/example_emulated" } else { "exports/example" };
    let directory = scratch(name);
    for file in ["kernels.toy", "main.c", "Makefile"] {
        std::fs::copy(root().join("examples/c").join(file), directory.join(file))?;
    }
    let make = |arguments: &[&str]| -> Result<Run, Failed> {
        let compiler = format!("TOYC={}", crate::tools::TOYC);
        let mut all = vec!["-s".to_owned(), compiler];
        all.extend(arguments.iter().map(|argument| (*argument).to_owned()));
        if let Some(cross) = cross {
            all.extend([format!("TARGET={}-linux-gnu", cross.architecture)]);
            all.push(format!("RUN={} -L /usr/{}-linux-gnu", cross.emulator, cross.architecture));
        }
        Job::new("make", all).current_dir(&directory).run()
    };
    let expected = std::fs::read(root().join("tests/exports/example.out"))?;
    for library in ["libkernels.a", "libkernels.so"] {
        let library = format!("LIBRARY={library}");
        make(&["run", &library])?.exits(0)?.prints(&expected)?.silent()?;
        make(&["clean"])?.exits(0)?;
    }
    Ok(())
}
