//! The output of programs: every way to run a program gives the same bytes.
//!
//! Input: `programs/NAME.toy` with the expected output in `NAME.out`; the examples of the
//! repository with theirs in `programs/examples/`. Each is run by the JIT at -O0, -O2, and -O1 or -O3, as an
//! executable at -O0 or -O2, and at the other one of these levels as an executable for the other architecture, under
//! an emulator; with TOYC_TEST_ALL=1, at every level each. [`crate::memory`] runs executables as well. The expectation itself must agree with the AST interpreter (which also
//! rewrites it). Invariant: a program prints exactly its output, nothing on standard error,
//! and exits with 0.

use crate::interpreter;
use crate::snapshots::mistake_of_example;
use crate::tools::{Job, Outcome, compare_with_file, fail, files, find, root, scratch, stem, toyc};
use crate::tools::{Run, is_emulated, trial, trial_unless, ways};
use libtest_mimic::{Failed, Trial};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};

/// A program and its expected output.
#[derive(Clone)]
pub struct Program {
    pub name: String,
    pub source: PathBuf,
    pub expected: PathBuf,
}

pub fn all() -> Vec<Program> {
    let expectations = root().join("tests/programs");
    let own = files("tests/programs", &["toy"]).into_iter().map(|source| Program {
        name: stem(&source),
        expected: source.with_extension("out"),
        source,
    });
    let examples = files("examples", &["toy"]).into_iter();
    let examples =
        examples.filter(|source| mistake_of_example(source).is_none()).map(|source| Program {
            name: format!("examples/{}", stem(&source)),
            expected: expectations.join("examples").join(stem(&source)).with_extension("out"),
            source,
        });
    own.chain(examples).collect()
}

/// The least number of programs: none gets lost unnoticed.
const PROGRAMS: usize = 130;

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        trial("programs/there_are_enough", || match all().len() {
            found if found < PROGRAMS => fail(format!("{found} programs are here, not {PROGRAMS}")),
            _ => Ok(()),
        }),
        trial("programs/every_expectation_has_a_program", every_expectation_has_a_program),
    ];
    for (number, program) in all().into_iter().enumerate() {
        let named = |way: &str| format!("programs/{way}/{}", program.name);
        let p = program.clone();
        trials.push(trial(named("interpreter"), move || interpreted(&p)));
        for level in ["-O0", "-O2"].into_iter().chain(ways(&["-O1", "-O3"], number)) {
            let p = program.clone();
            trials.push(trial(named(&format!("jit{level}")), move || jit(&p, level)));
        }
        for level in ways(&["-O0", "-O2"], number) {
            let p = program.clone();
            trials.push(trial(named(&format!("exe{level}")), move || native(&p, level)));
        }
        for level in ways(&["-O2", "-O0"], number) {
            let p = program.clone();
            let name = named(&format!("{}{level}", Cross::other().architecture));
            trials.push(Cross::other().trial(name, move |cross| emulated(&p, level, cross)));
        }
    }
    trials
}

fn interpreted(program: &Program) -> Outcome {
    let text = std::fs::read_to_string(&program.source)?;
    match interpreter::run(&text) {
        Ok(output) => compare_with_file(output.as_bytes(), &program.expected),
        Err(stop) => fail(format!("the interpreter says: {stop:?}")),
    }
}

fn jit(program: &Program, level: &str) -> Outcome {
    let mut arguments =
        vec![program.source.as_os_str(), OsStr::new("-emit=jit"), OsStr::new(level)];
    // Examples are good programs; the programs of the tests are odd.
    if !program.name.starts_with("examples/") {
        arguments.push(OsStr::new("-w"));
    }
    as_expected(toyc(arguments).run()?, program)
}

fn native(program: &Program, level: &str) -> Outcome {
    let executable = scratch(&format!("programs/exe{level}/{}", program.name)).join("program");
    build(&program.source, &executable, level, None)?;
    as_expected(Job::new(&executable, [""; 0]).run()?, program)
}

fn emulated(program: &Program, level: &str, cross: Cross) -> Outcome {
    let directory = scratch(&format!("programs/{}{level}/{}", cross.architecture, program.name));
    let executable = directory.join("program");
    build(&program.source, &executable, level, Some(cross.triple))?;
    as_expected(Job::new(cross.emulator, [&executable]).run()?, program)
}

/// Makes an executable, without warnings.
pub fn build(source: &Path, executable: &Path, level: &str, target: Option<&str>) -> Outcome {
    build_with(source, executable, &[level], target)
}

/// The same, with any options.
pub fn build_with(
    source: &Path,
    executable: &Path,
    options: &[&str],
    target: Option<&str>,
) -> Outcome {
    let mut arguments = vec![source.as_os_str(), OsStr::new("-o"), executable.as_os_str()];
    arguments.push(OsStr::new("-w"));
    arguments.extend(options.iter().map(OsStr::new));
    if let Some(target) = target {
        arguments.extend(["--target", target].map(OsStr::new));
    }
    toyc(arguments).run()?.exits(0)?.prints("")?.silent()?;
    Ok(())
}

fn as_expected(run: Run, program: &Program) -> Outcome {
    let Ok(expected) = std::fs::read(&program.expected) else {
        return fail(format!("{} is missing", program.expected.display()));
    };
    run.exits(0)?.prints(expected)?.silent()?;
    Ok(())
}

fn every_expectation_has_a_program() -> Outcome {
    let known: Vec<_> = all().into_iter().map(|program| program.expected).collect();
    for directory in ["tests/programs", "tests/programs/examples"] {
        if let Some(file) =
            files(directory, &["out"]).into_iter().find(|file| !known.contains(file))
        {
            return fail(format!("{} belongs to no program", file.display()));
        }
    }
    Ok(())
}

/// The architecture that toyc does not run on, and the tools to make and run programs for it.
#[derive(Clone, Copy)]
pub struct Cross {
    pub architecture: &'static str,
    pub triple: &'static str,
    pub compiler: &'static str,
    pub emulator: &'static str,
}

impl Cross {
    pub fn other() -> Cross {
        if cfg!(target_arch = "aarch64") || is_emulated() {
            return Cross {
                architecture: "x86_64",
                triple: "x86_64-unknown-linux-gnu",
                compiler: "x86_64-linux-gnu-gcc",
                emulator: "qemu-x86_64",
            };
        }
        Cross {
            architecture: "aarch64",
            triple: "aarch64-unknown-linux-gnu",
            compiler: "aarch64-linux-gnu-gcc",
            emulator: "qemu-aarch64",
        }
    }

    /// A test that is ignored where the tools are missing.
    pub fn trial(
        self,
        name: String,
        test: impl FnOnce(Cross) -> Result<(), Failed> + Send + 'static,
    ) -> Trial {
        let missing = [self.compiler, self.emulator].into_iter().find(|tool| find(tool).is_none());
        trial_unless(missing, name, move || test(self))
    }
}
