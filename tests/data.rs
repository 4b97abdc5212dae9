//! Programs with arguments and results: numbers, `.npy` and `.csv` files, compared with NumPy; and the reader of these
//! files on damaged ones; [`random`] programs.
//!
//! Input: `data/test_data.py`, whose tests run toyc and executables, also for E0540 and E0541; `runtime/test_data.c`,
//! which reads random damage under the sanitizers. The interpreter is /usr/bin/python3, which has the distribution's NumPy.

mod random;

use crate::tools::{self, Job, Outcome, TOYC, root, scratch};
use libtest_mimic::Trial;

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        tools::trial("data/numpy_agrees", numpy_agrees),
        tools::trial("data/damaged_files_are_read_or_refused", damaged_files),
    ];
    trials.extend(random::trials());
    trials
}

fn numpy_agrees() -> Outcome {
    let script = root().join("tests/data/test_data.py");
    let job = Job::new("/usr/bin/python3", [script]).current_dir(scratch("data/numpy"));
    job.env("TOYC", TOYC).limit(600).run()?.exits(0)?.says("\nOK")?;
    Ok(())
}

fn damaged_files() -> Outcome {
    let folder = scratch("data/damaged");
    let program = folder.join("test_data");
    let compile = format!(
        "cc -std=gnu11 -g -O1 -fsanitize=address,undefined -fno-sanitize-recover=all -DTOY_JIT -Dmmap=test_mmap \
         -Dmunmap=test_munmap runtime/test_data.c runtime/data.c runtime/runtime.c -lm -o '{}'",
        program.display()
    );
    Job::new("bash", ["-c", &compile]).current_dir(root()).run()?.exits(0)?;
    Job::new(program, ["20000", "1"]).current_dir(folder).limit(600).run()?.exits(0)?;
    Ok(())
}
