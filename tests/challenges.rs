//! The challenges of the tutorial: their tests pass for what is right, and fail for what is not.
//!
//! Input: `tutorial/challenges/*.rs`, compiled as cargo compiles them for a reader. Right are toyc, its planner, and a
//! back end that writes C for the programs of the challenge because somebody has translated them: `challenges/by-hand`.
//! Wrong is a compiler that says nothing, and a compiler without the feature.

use crate::tools::{Job, Outcome, TOYC, fail, files, root, scratch, stem, trial};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

pub fn trials() -> Vec<Trial> {
    vec![
        trial("tutorial/challenges_structs", structs),
        trial("tutorial/challenges_c", c),
        trial("tutorial/challenges_planner", planner),
        trial("tutorial/challenges_all", all),
    ]
}

/// No challenge is without a test here.
fn all() -> Outcome {
    let names: Vec<_> =
        files("tutorial/challenges", &["rs"]).iter().map(|file| stem(file)).collect();
    if names == ["c", "planner", "structs"] { Ok(()) } else { fail(format!("{names:?}")) }
}

fn structs() -> Outcome {
    let test = Challenge::new("structs")?;
    test.fails_all_but(&test.job("/bin/true"), 0)?;
    test.fails_all_but(&test.job(TOYC), 8)
}

fn c() -> Outcome {
    let test = Challenge::new("c")?;
    test.fails_all_but(&test.job(TOYC), 0)?;
    let by_hand = root().join("tests/challenges/by-hand");
    test.fails_all_but(&test.job(by_hand), 6)
}

/// toyc's planner passes all but the test that asks for a better one.
fn planner() -> Outcome {
    let test = Challenge::new("planner")?;
    test.fails_all_but(&test.job("/bin/true"), 0)?;
    let toy_opt = env!("CARGO_BIN_EXE_toy-opt");
    let planner = |options: &str| format!("{toy_opt} --plan {options}");
    test.fails_all_but(&vec![("PLANNER", planner("--planner greedy-by-size").into())], 1)?;
    test.fails_all_but(&vec![("PLANNER", planner("--work 100000000").into())], 3)
}

/// The tests of a challenge, compiled.
struct Challenge {
    folder: PathBuf,
    program: PathBuf,
}

/// Variables of the environment.
type Variables = Vec<(&'static str, PathBuf)>;

impl Challenge {
    fn new(name: &str) -> Result<Self, Failed> {
        let folder = scratch(&format!("challenges/{name}"));
        let source = root().join(format!("tutorial/challenges/{name}.rs"));
        let program = folder.join(name);
        let arguments = ["--test", "--edition=2024", "-o"].map(PathBuf::from);
        let arguments = arguments.into_iter().chain([program.clone(), source]);
        Job::new("rustc", arguments).current_dir(&folder).run()?.exits(0)?.silent()?;
        Ok(Self { folder, program })
    }

    /// The environment that `cargo test` makes for a crate with this compiler.
    fn job(&self, compiler: impl AsRef<Path>) -> Variables {
        vec![("CARGO_BIN_EXE_toy", compiler.as_ref().to_owned()), ("TOYC", TOYC.into())]
    }

    /// Fails unless so many of the tests pass.
    fn fails_all_but(&self, variables: &Variables, expected: usize) -> Outcome {
        let mut job = Job::new(&self.program, [""; 0]).current_dir(&self.folder);
        for (name, value) in variables {
            job = job.env(name, value);
        }
        let run = job.run()?;
        let passed: BTreeSet<_> = run.out().lines().filter_map(passed).collect();
        if passed.len() == expected {
            Ok(())
        } else {
            run.complain(format!("{expected} tests have to pass, and these do: {passed:?}"))
        }
    }
}

/// The name in a line about a test that has passed.
fn passed(line: &str) -> Option<String> {
    line.strip_prefix("test ")?.strip_suffix(" ... ok").map(str::to_owned)
}
