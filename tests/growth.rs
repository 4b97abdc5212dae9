//! Twice the program takes about twice the time: compile time has no cliffs.
//!
//! Input: `growth.txt`, a family of programs of alike parts on each line, with a size, and for programs of vectors the
//! bytes of object code that a character of the program may become. Output: an error for a family whose time grows with an
//! exponent above 1.5 if the size doubles. `bench/growth.py` writes the programs and measures; `bench/run.py` shows
//! larger sizes.

use crate::tools::{Job, Outcome, Run, TOYC, is_emulated, root, scratch, trial, trial_unless};
use libtest_mimic::{Failed, Trial};
use std::ffi::OsStr;
use std::fs::Permissions;
use std::os::unix::fs::PermissionsExt;

const PYTHON: &str = "/usr/bin/python3";

/// A compiler that takes too much time, or makes an object file of 50 bytes per character.
const BAD: &str = "#!/usr/bin/python3
import sys
program, objects = sys.argv[1], sys.argv[-1]
length = len(open(program).read())
for _ in range(int(3e7 * (TIME))): pass
open(objects, 'w').write(' ' * 50 * length)
";

pub fn trials() -> Vec<Trial> {
    let families = std::fs::read_to_string(root().join("tests/growth.txt")).unwrap_or_default();
    let lines = families.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let missing = is_emulated().then_some("time of a processor");
    let family = |line: &str| {
        let words: Vec<_> = line.split_whitespace().map(str::to_owned).collect();
        let name = format!("growth/{}", words.first().map_or("", String::as_str));
        trial_unless(missing, name, move || doubled(TOYC, &words)?.exits(0).map(drop))
    };
    let mut trials: Vec<_> = lines.map(family).collect();
    trials.push(trial("growth/a_cliff_is_found", cliff));
    trials
}

/// The run that compiles a family's program and one of twice the size.
fn doubled<S: AsRef<OsStr>>(compiler: impl AsRef<OsStr>, words: &[S]) -> Result<Run, Failed> {
    let script = root().join("bench/growth.py");
    let words = words.iter().map(AsRef::as_ref);
    Job::new(PYTHON, [script.as_os_str(), compiler.as_ref()].into_iter().chain(words)).run()
}

fn cliff() -> Outcome {
    let folder = scratch("growth/cliff");
    for (name, time, limit, message) in [
        ("linear", "length / 5e4", "60", None),
        ("cube", "length ** 3 / 3e11", "60", Some("at most an exponent of 1.5 and 60 bytes")),
        ("large", "0.01", "40", Some("at most an exponent of 1.5 and 40 bytes")),
    ] {
        let compiler = folder.join(name);
        std::fs::write(&compiler, BAD.replace("TIME", time))?;
        std::fs::set_permissions(&compiler, Permissions::from_mode(0o755))?;
        let run = doubled(&compiler, &["warnings", "200", limit])?;
        match message {
            Some(message) => drop(run.exits(1)?.says(message)?),
            None => drop(run.exits(0)?),
        }
    }
    Ok(())
}
