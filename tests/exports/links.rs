//! Linking: headers and libraries of other shapes or options, and names that C knows already.

use crate::tools::{Job, Outcome, Run, scratch, toyc, trial};
use libtest_mimic::{Failed, Trial};
use std::path::Path;

pub fn trials() -> Vec<Trial> {
    vec![
        trial("exports/a_header_of_other_shapes_does_not_link", other_shapes),
        trial("exports/names_of_parameters_are_no_macros_of_c", names),
        trial("exports/a_library_of_other_shapes_is_not_loaded", other_library),
        trial("exports/libraries_of_a_program_share_the_last_error", last_error),
    ]
}

const PROGRAM: &str =
    "def f(a, b) { var c = transpose(a) * b; return transpose(transpose(c) + a); }
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
                // A shared library comes with its own.
                make(&directory, "header", "-O2", "k=f(2x3, 3x2)")?;
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

/// The library is replaced after the program was linked.
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

/// Two libraries of any kind: the error is that of the function that has failed last, in each thread.
fn last_error() -> Outcome {
    let directory = scratch("exports/last_error");
    let main = "#include \"one.h\"\n#include \"two.h\"\n#include <pthread.h>\n#include <stdio.h>
static void show(int status) {
    printf(\"%d %d %s\\n\", status, toy_last_error()->code, toy_last_error()->code ? toy_last_error()->text : \"\");
}
static void *thread(void *unused) {
    double a[3] = {1, 2, 3}, r;
    show(0);
    show(two(a, 3, &r));
    return unused;
}
int main(void) {
    double a[3] = {1, 2, 3}, r;
    pthread_t other;
    show(one(a, 4, &r));
    show(two(a, -1, &r));
    show(one(a, 0.5, &r));
    if (pthread_create(&other, NULL, thread, NULL) != 0) return 1;
    pthread_join(other, NULL);
    show(one(a, 1, &r));
    return 0;
}
";
    std::fs::write(directory.join("main.c"), main)?;
    for name in ["one", "two"] {
        let text = format!("def {name}(a, i) {{ return a[i] + 1; }}\n");
        std::fs::write(directory.join(format!("{name}.toy")), text)?;
        let (file, export) = (format!("{name}.toy"), format!("{name}={name}(3, ())"));
        for emit in ["header", "obj", "staticlib", "lib"] {
            let arguments = [file.as_str(), "-O1", "--export", &export, "-emit", emit];
            toyc(arguments).current_dir(&directory).run()?.exits(0)?.silent()?;
        }
    }
    let at = |name, column, what: &str| format!("{name}.toy:1:{column}: error: index {what}");
    let end = "is out of range: the dimension has 3 elements";
    let half = at("one", 26, "0.5 is not a whole number");
    let expected = [
        format!("5 16 {}", at("one", 24, &format!("4 {end}"))),
        format!(
            "5 16 {}",
            at("two", 24, &format!("-1 {end}; a computed index does not count from the end"))
        ),
        format!("5 17 {half}"),
        "0 0 ".to_owned(),
        format!("5 16 {}", at("two", 24, &format!("3 {end}"))),
        format!("0 17 {half}"),
    ];
    let expected = expected.map(|line| line + "\n").concat();
    for [one, two] in [
        ["one.o", "two.o"],
        ["libone.a", "libtwo.a"],
        ["libone.so", "libtwo.so"],
        ["libone.so", "libtwo.a"],
        ["one.o", "libtwo.so"],
    ] {
        let library = [one, two];
        for compiler in [["cc", "-std=c11"], ["c++", "-std=c++17"]] {
            let language = if compiler[0] == "cc" { "c" } else { "c++" };
            let arguments =
                [compiler[1], "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-x", language];
            let rest =
                ["main.c", "-x", "none", library[0], library[1], "-o", "main", "-lm", "-pthread"];
            let arguments = arguments.into_iter().chain(rest).chain(["-Wl,-rpath,$ORIGIN"]);
            Job::new(compiler[0], arguments).current_dir(&directory).run()?.exits(0)?.silent()?;
            let run = Job::new("./main", [""; 0]).current_dir(&directory).run()?;
            run.exits(0)?.prints(&expected)?.silent()?;
        }
    }
    Ok(())
}

/// Names that C's headers may take, or ours.
const NAMES: &[&str] = &[
    "TOY_OK",
    "M_PI",
    "NULL",
    "__FILE__",
    "__LINE__",
    "_Bool",
    "_Complex",
    "errno",
    "INFINITY",
    "stdin",
    "k_WORKSPACE",
    "k_in",
    "k_workspace",
    "k",
    "TOY_SYMBOL",
    "TOY_K_H",
    "I",
    "size_t",
    "linux",
    "unix",
    "st_atime",
    "SIGINT",
    "PATH_MAX",
    "__x",
    "_X",
    "complex",
    "bool",
    "assert",
    "double",
    "workspace",
    "f_WORKSPACE",
    "main",
    "result",
    "malloc",
    "MINE",
];

/// Many headers before and after ours, as C and as C++; and in Rust.
fn names() -> Outcome {
    let directory = scratch("exports/names");
    let sum = NAMES.join(" + ");
    let program = format!("def f({}) {{ return {sum}; }}\n", NAMES.join(", "));
    std::fs::write(directory.join("k.toy"), program)?;
    let shapes = |shape: &str| vec![shape; NAMES.len()].join(", ");
    let exports = [format!("k=f({})", shapes("()")), format!("f=f({})", shapes("3"))];
    for (emit, file) in [("header", "k.h"), ("staticlib", "libk.a"), ("rust", "k.rs")] {
        let exports = exports.iter().flat_map(|export| ["--export", export]);
        let run = toyc(["k.toy", "-o", file, "-emit", emit].into_iter().chain(exports));
        run.current_dir(&directory).run()?.exits(0)?.silent()?;
    }
    let headers = [
        "assert", "complex", "errno", "fcntl", "limits", "math", "pthread", "signal", "stdbool",
        "stdio", "sys/stat",
    ];
    let headers: String = headers.iter().map(|header| format!("#include <{header}.h>\n")).collect();
    let ones = vec!["1"; NAMES.len()].join(", ");
    let body = format!(
        "#define MINE \"?\"\n#include \"k.h\"\nint main(void) {{ double r = 0; \
         return k({ones}, &r) == TOY_OK && r == {} ? 0 : 1; }}\n",
        NAMES.len()
    );
    for text in
        [format!("#define _GNU_SOURCE\n{headers}{body}"), body.replace("#include", "\n#include")]
    {
        std::fs::write(directory.join("main.c"), text)?;
        link(&directory, &["cc", "-std=gnu11"], "libk.a")?.exits(0)?.silent()?;
        Job::new("./main", [""; 0]).current_dir(&directory).run()?.exits(0)?;
        if std::fs::read_to_string(directory.join("main.c"))?.contains("<complex.h>") {
            continue;
        }
        link(&directory, &["c++", "-std=c++17"], "libk.a")?.exits(0)?.silent()?;
    }
    let ones = vec!["1.0"; NAMES.len()].join(", ");
    let text = format!(
        "#![deny(warnings)]\nmod kernels {{ include!(\"k.rs\"); }}\nfn main() {{\n    let mut r = 0.0;\n    \
         kernels::k({ones}, &mut r).unwrap();\n    assert_eq!(r, {}.0);\n}}\n",
        NAMES.len()
    );
    std::fs::write(directory.join("main.rs"), text)?;
    let options = ["--edition", "2021", "-L", ".", "-l", "static=k", "main.rs", "-o", "main"];
    Job::new("rustc", options).current_dir(&directory).run()?.exits(0)?.silent()?;
    Job::new("./main", [""; 0]).current_dir(&directory).run()?.exits(0)?;
    Ok(())
}
