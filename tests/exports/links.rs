//! What links with what: a header and a library of other shapes or options, and names that C knows already.

use crate::tools::{Job, Outcome, Run, scratch, toyc, trial};
use libtest_mimic::{Failed, Trial};
use std::path::Path;

pub fn trials() -> Vec<Trial> {
    vec![
        trial("exports/a_header_of_other_shapes_does_not_link", other_shapes),
        trial("exports/a_library_of_other_shapes_is_not_loaded", other_library),
    ]
}

const PROGRAM: &str = "def f(a, b) { var c = transpose(a) * b; return transpose(transpose(c) + a); }
def total(a) { return a + a; }
";

const MAIN: &str = "#include \"k.h\"
#include <stdio.h>
static double a[600], b[600], r[600], workspace[k_WORKSPACE / 8 + 1];
int main() { return k(a, b, r) + k_in(a, b, r, workspace); }
";

/// Writes a header or a library `k`.
fn make(directory: &Path, emit: &str, level: &str, export: &str) -> Outcome {
    let arguments = ["k.toy", "--export", export, level, "-emit", emit];
    toyc(arguments).current_dir(directory).run()?.exits(0)?.silent()?;
    Ok(())
}

/// Compiles and links the program.
fn link(directory: &Path, compiler: &[&str], library: &str) -> Result<Run, Failed> {
    const STRICT: [&str; 5] = ["-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Werror"];
    let more = [library, "-o", "main", "-Wl,-rpath,$ORIGIN", "-lm"];
    let arguments = compiler[1..].iter().chain(&STRICT).chain(&["-x"]);
    let language = if compiler[0] == "cc" { "c" } else { "c++" };
    let arguments = arguments.chain([&language, &"main.c", &"-x", &"none"]).chain(&more);
    Job::new(compiler[0], arguments).current_dir(directory).run()
}

fn other_shapes() -> Outcome {
    let directory = scratch("exports/other_shapes");
    std::fs::write(directory.join("k.toy"), PROGRAM)?;
    std::fs::write(directory.join("main.c"), MAIN)?;
    make(&directory, "header", "-O2", "k=f(2x3, 3x2)")?;
    for (emit, library) in [("staticlib", "libk.a"), ("lib", "libk.so")] {
        for compiler in [["cc", "-std=c11"], ["c++", "-std=c++17"]] {
            make(&directory, emit, "-O2", "k=f(2x3, 3x2)")?;
            link(&directory, &compiler, library)?.exits(0)?.silent()?;
            Job::new("./main", [""; 0]).current_dir(&directory).run()?.exits(0)?;
            // Other shapes of as many elements, larger ones, other scalars, and another workspace.
            for (level, export, missing) in [
                ("-O2", "k=f(3x2, 2x3)", "`toy_k__2x3_3x2__3x2'"),
                ("-O2", "k=f(20x30, 30x20)", "`toy_k__2x3_3x2__3x2'"),
                ("-O2", "k=total(())", "`toy_k__2x3_3x2__3x2'"),
                ("-O0", "k=f(2x3, 3x2)", "`toy_k_in__2x3_3x2__3x2__"),
            ] {
                make(&directory, emit, level, export)?;
                link(&directory, &compiler, library)?.exits(1)?.says(missing)?;
            }
        }
    }
    // A long list of shapes is a hash, the same for both.
    let long = format!("k=f({0}, {0})", ["1"; 60].join("x"));
    make(&directory, "header", "-O2", &long)?;
    make(&directory, "staticlib", "-O2", &long)?;
    link(&directory, &["cc", "-std=c11"], "libk.a")?.exits(0)?.silent()?;
    Ok(())
}

/// The library is another one after the program was linked.
fn other_library() -> Outcome {
    let directory = scratch("exports/other_library");
    std::fs::write(directory.join("k.toy"), PROGRAM)?;
    std::fs::write(directory.join("main.c"), MAIN)?;
    make(&directory, "header", "-O2", "k=f(2x3, 3x2)")?;
    make(&directory, "lib", "-O2", "k=f(2x3, 3x2)")?;
    link(&directory, &["cc", "-std=c11"], "libk.so")?.exits(0)?.silent()?;
    make(&directory, "lib", "-O2", "k=f(20x30, 30x20)")?;
    let run = Job::new("./main", [""; 0]).current_dir(&directory).run()?;
    run.exits(127)?.says("toy_k__2x3_3x2__3x2")?;
    Ok(())
}
