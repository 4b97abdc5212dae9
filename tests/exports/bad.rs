//! Functions that cannot be exported, and wrong calls: each has its own error.

use crate::tools::{Job, Outcome, scratch, toyc, trial};
use libtest_mimic::Trial;

pub fn trials() -> Vec<Trial> {
    vec![
        trial("exports/what_cannot_be_exported_is_diagnosed", diagnosed),
        trial("exports/what_mlir_cannot_export_is_diagnosed", diagnosed_in_mlir),
        trial("exports/shapes_that_do_not_fit_are_the_errors_of_a_call", errors_of_a_call),
        trial("exports/c_learns_what_went_wrong", statuses),
        trial("exports/the_second_form_allocates_nothing", allocates_nothing),
    ]
}

const PROGRAM: &str = "struct Complex { var re; var im; }
def f(a, b) { return a * b; }
def g(Complex c, s) { return c.re * s + c.im; }
def h(a) { var b<2, 2> = a; return b; }
def main() { print(f(1, 2)); }
";

/// Options after the program, the error's code, and a part of its message.
const DIAGNOSED: &[(&[&str], &str, &str)] = &[
    (&["--export", "F(2, 2)", "-emit=lib"], "E0531", "there is no function `F`"),
    (&["--export", "ff(2, 2)", "-emit=lib"], "E0531", "did you mean `f`?"),
    (&["--export", "main()", "-emit=lib"], "E0531", "`main` cannot be exported"),
    (&["--export", "transpose(2)", "-emit=lib"], "E0531", "is a builtin"),
    (&["--export", "print(2)", "-emit=lib"], "E0531", "is a builtin"),
    (&["--export", "f(2)", "-emit=lib"], "E0532", "`f` has 2 parameters, but 1 shape is given"),
    (&["--export", "f()", "-emit=lib"], "E0532", "but 0 shapes are given"),
    (&["--export", "f(2, 2, 2)", "-emit=staticlib"], "E0532", "but 3 shapes are given"),
    (&["--export", "g(2, 2)", "-emit=lib"], "E0532", "the parameter `c` of `g` is a struct"),
    (&["--export", "g({2}, 2)", "-emit=lib"], "E0532", "`--export 'g({2x3, 2x3}, 2x3)'`"),
    (&["--export", "g({2, {2}}, 2)", "-emit=lib"], "E0532", "has a field that is a tensor"),
    (&["--export", "f({2, 2}, 2)", "-emit=header"], "E0532", "is a tensor, not a struct"),
    (&["--export", "f(2, 3)", "-emit=lib"], "E0301", "cannot combine shapes 2 and 3"),
    (&["--export", "f(2, 3)", "-O2", "-emit=header"], "E0301", "cannot combine shapes 2 and 3"),
    (&["--export", "h(5)", "-emit=obj"], "E0302", "cannot be reshaped"),
    (&["--export", "no=h( 5)", "-emit=obj"], "E0302", "exported by `--export 'no=h( 5)'`"),
    (&["--export", "f(2, <3>)", "-emit=lib"], "E0301", "`--export 'f(2, <3>)'`"),
    (&["--export", "f(2, 2)", "--export", "f(<2>,2)", "-emit=lib"], "E0533", "`f_2_2`"),
    (&["--export", "x=f(2, 2)", "--export", "x_in=f(3, 3)", "-emit=lib"], "E0533", "`x_in`"),
    (&["--export", "x_workspace=f(2,2)", "--export", "x=f(3,3)", "-emit=lib"], "E0533", "second"),
    (
        &["--export", "x=f(2, 2)", "--export", "x_WORKSPACE=f(3, 3)", "-emit=lib"],
        "E0533",
        "the name",
    ),
    (&["--export", "int=f(2, 2)", "-emit=lib"], "E0533", "a keyword of C or C++"),
    (&["--export", "class=f(2, 2)", "-emit=lib"], "E0533", "a keyword of C or C++"),
    (&["--export", "malloc=f(2, 2)", "-emit=lib"], "E0533", "a name of the C library"),
    (&["--export", "max_align_t=f(2, 2)", "-emit=header"], "E0533", "a name of the C library"),
    (&["--export", "pthread_create=f(2, 2)", "-emit=lib"], "E0533", "a name of the C library"),
    (&["--export", "M_PI=f(2, 2)", "-emit=header"], "E0533", "NAME=f(2, 2)"),
    (&["--export", "_f=f(2, 2)", "-emit=lib"], "E0533", "reserved"),
    (&["--export", "a-b=f(2, 2)", "-emit=lib"], "E0533", "does not allow"),
    (&["--export", "main=f(2, 2)", "-emit=lib"], "E0533", "`main`"),
    (&["--export", "f", "-emit=lib"], "E0530", "shapes of the arguments are missing"),
    (&["--export", "f(2x, 2)", "-emit=lib"], "E0530", "where a shape is expected"),
    (&["--export", "f(0, 2)", "-emit=lib"], "E0530", "a size is 0"),
    (&["--export", "f(1048577x1048576, 2)", "-emit=lib"], "E0530", "is too large"),
    (&["--export", "f(2, 2", "-emit=lib"], "E0530", "the text ends"),
    (&["-emit=lib"], "E0534", "needs functions to export"),
    (&["-emit=staticlib"], "E0534", "needs functions to export"),
    (&["-emit=header"], "E0534", "needs functions to export"),
    (&["--export", "f(2, 2)"], "E0534", "makes a program"),
    (&["--export", "f(2, 2)", "-emit=jit"], "E0534", "makes a program"),
    (&["--export", "f(2, 2)", "-emit=lib", "-o", "-"], "E0004", "standard output"),
    (&["--export", "f(2, 2)", "-emit=lib", "--linker", "no-such-cc"], "E0502", "no-such-cc"),
    (
        &["--export", "f(2, 2)", "-emit=lib", "--target", "s390x-unknown-linux-gnu"],
        "E0501",
        "cannot generate code",
    ),
];

fn diagnosed() -> Outcome {
    let directory = scratch("exports/diagnosed");
    std::fs::write(directory.join("program.toy"), PROGRAM)?;
    for (options, code, part) in DIAGNOSED {
        let arguments = ["program.toy"].iter().chain(*options);
        let run = toyc(arguments).current_dir(&directory).run()?;
        let run = run.exits(1)?.says(&format!("[{code}]"))?.says(part)?;
        if !run.stdout.is_empty() || std::fs::read_dir(&directory)?.count() != 1 {
            return run.complain("there is output");
        }
    }
    Ok(())
}

/// Functions that cannot be exported, and why.
const MLIR: &[(&str, &str, &str)] = &[
    ("func.func @f(%a: memref<2xf64>) {\n return\n}", "E0531", "memref<2xf64>"),
    ("func.func @f(%a: tensor<2xf16>) {\n return\n}", "E0531", "tensor<2xf16>"),
    ("func.func @f(%a: tensor<2xf32>) {\n return\n}", "E0532", "--export 'f(2 f32)'"),
    ("func.func @f(%a: tensor<?xf64>) {\n return\n}", "E0531", "tensor<?xf64>"),
    ("func.func @f(%a: tensor<3xf64>) {\n return\n}", "E0532", "of shape 3, not 2"),
    (
        "func.func @f(%a: tensor<2xf64>) {\n func.call @f_2(%a) : (tensor<2xf64>) -> ()\n return\n}
         func.func private @f_2(tensor<2xf64>)",
        "E0533",
        "another function of this name",
    ),
    ("func.func private @f(%a: tensor<2xf64>)", "E0531", "declared, but not defined"),
    (
        "func.func @f(%a: tensor<2xf64>) -> f64 {\n %c = arith.constant 1.0 : f64\n return %c : f64\n}",
        "E0531",
        "a value of type `f64`",
    ),
    (
        "func.func @f(%a: tensor<2xf64>) {
          %zero = arith.constant 0 : index
          %number = tensor.extract %a[%zero] : tensor<2xf64>
          %integer = arith.fptosi %number : f64 to i64
          %size = arith.index_cast %integer : i64 to index
          %memory = memref.alloc(%size) : memref<?xf64>
          memref.store %number, %memory[%zero] : memref<?xf64>
          func.call @use(%memory) : (memref<?xf64>) -> ()
          memref.dealloc %memory : memref<?xf64>
          return
        }
        func.func private @use(memref<?xf64>)",
        "E0535",
        "this memory is allocated when the function runs",
    ),
];

fn diagnosed_in_mlir() -> Outcome {
    let directory = scratch("exports/diagnosed_in_mlir");
    for (text, code, part) in MLIR {
        std::fs::write(directory.join("f.mlir"), text)?;
        for level in ["-O0", "-O2"] {
            let arguments = ["f.mlir", "--export", "f(2)", "-emit=header", level];
            let run = toyc(arguments).current_dir(&directory).run()?;
            run.exits(1)?.says(&format!("[{code}]"))?.says(part)?;
        }
    }
    Ok(())
}

/// The same messages at the same places, except for the line about the call.
fn errors_of_a_call() -> Outcome {
    let directory = scratch("exports/errors_of_a_call");
    let functions = "def f(a, b) { var c = transpose(a); return c * b + a; }\n";
    std::fs::write(directory.join("library.toy"), functions)?;
    let call = "def main() { print(f([[1, 2, 3]], [1, 2])); }\n";
    std::fs::write(directory.join("program.toy"), format!("{functions}{call}"))?;
    for level in ["-O0", "-O2"] {
        let shown = |arguments: &[&str]| -> Result<Vec<String>, libtest_mimic::Failed> {
            let options = ["--error-format=json", level];
            let run = toyc(arguments.iter().chain(&options)).current_dir(&directory).run()?;
            let run = run.exits(1)?;
            let lines = run.stderr.lines().filter_map(|line| {
                let (_, rest) = line.split_once("\"message\":\"")?;
                Some(rest.split('"').next()?.to_owned())
            });
            Ok(lines.collect())
        };
        let export = shown(&["library.toy", "--export", "f(1x3, 2)", "-emit=lib"])?;
        let program = shown(&["program.toy", "-emit=jit"])?;
        if export.is_empty() || export != program {
            return crate::tools::fail(format!("{export:?}\n{program:?}"));
        }
    }
    Ok(())
}

fn statuses() -> Outcome {
    let directory = scratch("exports/statuses");
    let text = "def f(a, b) { return transpose(transpose(a) * transpose(b)) - a; }
def huge(a, b) { var t = a * b; print(t); return t + a; }
def show(a) { print(a); return a + a; }
def two(a) { Two t = {transpose(a) + 1, transpose(a) - 1}; return t; }
struct Two { var x; var y; }
";
    std::fs::write(directory.join("s.toy"), text)?;
    std::fs::write(directory.join("main.c"), STATUSES)?;
    for level in ["-O0", "-O2"] {
        for stage in ["header", "staticlib"] {
            let exports =
                ["f(2x3, 2x3)", "huge=huge(262144x262144, 262144x262144)", "show(2)", "two(2x3)"];
            let exports = exports.iter().flat_map(|export| ["--export", export]);
            let arguments = ["s.toy", level, "-emit", stage].into_iter().chain(exports);
            toyc(arguments).current_dir(&directory).run()?.exits(0)?.silent()?;
        }
        let arguments = ["-D_GNU_SOURCE", "main.c", "libs.a", "-o", "main"];
        Job::new("cc", arguments).current_dir(&directory).run()?.exits(0)?;
        Job::new("./main", [""; 0]).current_dir(&directory).run()?.exits(0)?.silent()?;
    }
    Ok(())
}

const STATUSES: &str = r#"
#include "s.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#define EXPECT(status, call) \
    do { int is = (call); if (is != (status)) { fprintf(stderr, "%s: %d\n", #call, is); exit(1); } } while (0)
int main(void)
{
    double m[32];
    for (int i = 0; i < 32; i++)
        m[i] = i;
    char *bytes = (char *)m;
    static char workspace[f_2x3_2x3_WORKSPACE + two_2x3_WORKSPACE + 1];
    /* Side by side is not on top of each other. */
    EXPECT(TOY_OK, f_2x3_2x3(m, m + 6, m + 12));
    EXPECT(TOY_OK, f_2x3_2x3(m + 12, m + 12, m + 6));
    EXPECT(TOY_OK, f_2x3_2x3(m + 6, m + 12, m));
    /* The same memory, one double of it, the last one. */
    EXPECT(TOY_OVERLAP, f_2x3_2x3(m, m + 6, m));
    EXPECT(TOY_OVERLAP, f_2x3_2x3(m, m + 6, m + 6));
    EXPECT(TOY_OVERLAP, f_2x3_2x3(m, m + 8, m + 5));
    EXPECT(TOY_OVERLAP, f_2x3_2x3(m, m + 8, m + 13));
    EXPECT(TOY_OVERLAP, two_2x3(m, m + 6, m + 11));
    EXPECT(TOY_OVERLAP, two_2x3(m, m + 11, m + 6));
    EXPECT(TOY_OK, two_2x3(m, m + 12, m + 6));
    if (f_2x3_2x3_workspace() > 0) {
        EXPECT(TOY_OK, f_2x3_2x3_in(m, m + 6, m + 12, workspace + 1));
        EXPECT(TOY_BAD_POINTER, f_2x3_2x3_in(m, m + 6, m + 12, NULL));
        EXPECT(TOY_OVERLAP, f_2x3_2x3_in(m, m + 6, (double *)(workspace + 8 - (size_t)workspace % 8), workspace));
        EXPECT(TOY_OVERLAP, f_2x3_2x3_in(m, m + 6, m + 12, (char *)(m + 6) + 1));
    }
    EXPECT(TOY_BAD_POINTER, f_2x3_2x3(NULL, m + 6, m + 12));
    EXPECT(TOY_BAD_POINTER, f_2x3_2x3(m, m + 6, NULL));
    EXPECT(TOY_BAD_POINTER, f_2x3_2x3((double *)(bytes + 4), m + 12, m + 24));
    EXPECT(TOY_BAD_POINTER, f_2x3_2x3(m, m + 12, (double *)(bytes + 200 + 1)));
    /* Memory that there is not: the arguments are not looked at. */
    struct rlimit limit = {1 << 30, 1 << 30};
    if (setrlimit(RLIMIT_AS, &limit) != 0)
        return 2;
    EXPECT(TOY_OUT_OF_MEMORY, huge(m, m + 6, m + 12));
    /* Output that fails, and works again. */
    if (freopen("/dev/full", "w", stdout) == NULL)
        return 3;
    memset(m + 8, 0, 16);
    EXPECT(TOY_CANNOT_PRINT, show_2(m + 12, m + 8));
    if (m[8] != m[12] + m[12])
        return 4;
    if (freopen("/dev/null", "w", stdout) == NULL)
        return 5;
    EXPECT(TOY_OK, show_2(m + 12, m + 8));
    return 0;
}
"#;

/// The object's calls of malloc are counted.
fn allocates_nothing() -> Outcome {
    let directory = scratch("exports/allocates_nothing");
    let text = "def t(a, b) { return transpose(transpose(a) * b) + transpose(transpose(a) + b); }
def f(a, b) { return transpose(t(a, b)) / transpose(t(a, transpose(t(a, b)))); }
";
    std::fs::write(directory.join("s.toy"), text)?;
    let program = r#"
#include "s.h"
#include <stdlib.h>
static int allocations;
void *__real_malloc(size_t size);
void *__wrap_malloc(size_t size) { allocations++; return __real_malloc(size); }
static double a[64 * 64], b[64 * 64], r[64 * 64], workspace[f_64x64_64x64_WORKSPACE / 8 + 1];
int main(void)
{
    if (f_64x64_64x64_in(a, b, r, workspace) != TOY_OK || allocations != 0)
        return 1;
    /* A small workspace is on the stack. */
    const int expected = f_64x64_64x64_WORKSPACE > 4096;
    return f_64x64_64x64(a, b, r) == TOY_OK && allocations == expected ? 0 : 2;
}
"#;
    std::fs::write(directory.join("main.c"), program)?;
    for level in ["-O0", "-O3"] {
        for stage in ["header", "staticlib"] {
            let arguments = ["s.toy", level, "--export", "f(64x64, 64x64)", "-emit", stage];
            toyc(arguments).current_dir(&directory).run()?.exits(0)?.silent()?;
        }
        let arguments = ["main.c", "libs.a", "-o", "main", "-Wl,--wrap=malloc"];
        Job::new("cc", arguments).current_dir(&directory).run()?.exits(0)?;
        Job::new("./main", [""; 0]).current_dir(&directory).run()?.exits(0)?;
    }
    Ok(())
}
