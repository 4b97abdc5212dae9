//! The runtime by itself: its formatter against the C library's `printf("%f ")`, its conversions of 16-bit
//! numbers against arithmetic; its threads, driven as LLVM's code drives them.
//!
//! Input: `runtime/test_runtime.c`, which compares millions of values and whole tensors and reports failures of output
//! in child processes; `runtime/test_threads.c`, which counts how often each iteration is run. Each is compiled
//! together with the tested file by the C compilers that users have.

use crate::tools::{self, Job, Outcome, llvm_bin};
use libtest_mimic::Trial;

pub fn trials() -> Vec<Trial> {
    vec![
        tools::trial("runtime/agrees_with_printf", agrees_with_printf),
        tools::trial("runtime/threads_run_each_iteration_once", threads),
    ]
}

fn agrees_with_printf() -> Outcome {
    run("test_runtime", "runtime.c", "-lm")
}

fn threads() -> Outcome {
    // Teams of the processors there are, and of as many threads as are asked for.
    run("test_threads", "threads.c", "-pthread")?;
    run("test_threads", "threads.c", "-pthread -DPROCESSORS=255")
}

/// Compiles a test with the file that it tests, and runs it.
fn run(test: &str, tested: &str, option: &str) -> Outcome {
    let program = tools::scratch("runtime").join(test);
    let root = tools::root();
    for compiler in ["cc".into(), llvm_bin().join("clang")] {
        let compile = format!(
            "'{}' -std=gnu11 -O2 -Wall -Werror runtime/{test}.c runtime/{tested} -o '{}' {option}",
            compiler.display(),
            program.display()
        );
        Job::new("bash", ["-c", &compile]).current_dir(&root).run()?.exits(0)?;
        Job::new(&program, [""; 0]).run()?.exits(0)?;
    }
    Ok(())
}
