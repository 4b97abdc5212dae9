//! The runtime by itself: its formatter against the C library's `printf("%f ")`, its conversions of 16-bit
//! numbers against arithmetic.
//!
//! Input: `runtime/test_runtime.c`, which compares millions of values and whole tensors and reports
//! failures of output in child processes. It is compiled together with the runtime by the C compilers that users have.

use crate::tools::{self, Job, Outcome, llvm_bin};
use libtest_mimic::Trial;

pub fn trials() -> Vec<Trial> {
    vec![tools::trial("runtime/agrees_with_printf", agrees_with_printf)]
}

fn agrees_with_printf() -> Outcome {
    let program = tools::scratch("runtime").join("test_runtime");
    let root = tools::root();
    for compiler in ["cc".into(), llvm_bin().join("clang")] {
        let compile = format!(
            "'{}' -std=gnu11 -O2 -Wall -Werror runtime/test_runtime.c runtime/runtime.c -o '{}' -lm",
            compiler.display(),
            program.display()
        );
        Job::new("bash", ["-c", &compile]).current_dir(&root).run()?.exits(0)?;
        Job::new(&program, [""; 0]).run()?.exits(0)?;
    }
    Ok(())
}
