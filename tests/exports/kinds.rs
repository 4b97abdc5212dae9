//! Functions with all kinds of arguments and results: their results, called in every way, and the other contents of
//! their libraries.

use super::{Library, at, parsed};
use crate::memory::valgrind;
use crate::tools::{Job, Outcome, fail, scratch, toyc, trial};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeSet;
use std::path::Path;
use toy_compiler::interface::Export;

pub fn trials() -> Vec<Trial> {
    vec![
        trial("exports/what_c_can_call", every_kind),
        trial("exports/values_are_given_and_taken_in_every_way", kinds),
        trial("exports/under_valgrind", under_valgrind),
        trial("exports/from_several_threads", from_several_threads),
        trial("exports/only_exports_are_visible", only_exports_are_visible),
        trial("exports/elements_of_32_bits", elements_of_32_bits),
        trial("exports/two_libraries_do_not_meet", two_libraries_do_not_meet),
    ]
}

/// Functions with all kinds of arguments and results.
const KINDS: &str = "
struct Complex { var re; var im; }
struct Pair { Complex first; var second; }
def chain(a, b, c) { return transpose(transpose(a) * b) + c; }
def same(a) { return a; }
def constant() { return [[1, 2, 3], [4, 5, 6]]; }
def number() { return 7; }
def show(a) { print(a); }
def nothing(_a) { }
def show_and_turn(a) { print(a); var b = transpose(a) + 1; print(b); return b; }
def scale(a, s) { return a * s; }
def add(a, b) { return a + b; }
def multiply(Complex x, Complex y) {
  Complex product = {x.re * y.re - x.im * y.im, x.re * y.im + x.im * y.re};
  return product;
}
def twice(a) { Complex both = {a, a}; return both; }
def turned(Complex c) { Complex other = {c.im, c.re}; return other; }
def inner(Pair p) { Pair other = {p.first, p.second + p.first.re}; return other; }
def flat(a) { var b<24> = transpose(a); return b; }
def filled(s) { var b<3, 5> = s; return b; }
def reshaped(a) { var b<6> = a; Complex both = {b, a}; return both; }
def deep(a, b) { var c = chain(a, b, a); var d = chain(c, b, a) / chain(a, b, c); return transpose(d) - b; }
def main() { print(number()); }
";

const KIND_EXPORTS: &[&str] = &[
    "chain(2x3, 3x2, 2x3)",
    "chain(33x65, 65x33, 33x65)",
    "same(2x3)",
    "same(())",
    "same(5)",
    "same(2x3x4x5)",
    "constant()",
    "number()",
    "show(2x3)",
    "show(())",
    "nothing(4)",
    "show_and_turn(2x3x2)",
    "scale(7x5, ())",
    "scale((), 7x5)",
    "add((), ())",
    "total=add(3, 3)",
    "multiply({2x2, 2x2}, {2x2, 2x2})",
    "multiply({(), 3}, {3, ()})",
    "twice(3)",
    "twice(())",
    "turned({2x3, 3x2})",
    "inner({{2, 2}, ()})",
    "inner({{(), 2x2}, 2})",
    "flat(2x3x4)",
    "flat(1x24)",
    "filled(())",
    "reshaped(2x3)",
    "deep(17x9, 9x17)",
];

/// Everything at once, in one library of each kind.
fn every_kind() -> Outcome {
    let directory = scratch("exports/every_kind");
    std::fs::write(directory.join("kinds.toy"), KINDS)?;
    for level in ["-O0", "-O3"] {
        for (stage, file) in
            [("obj", "kinds.o"), ("staticlib", "libkinds.a"), ("lib", "libkinds.so")]
        {
            let mut arguments = vec!["kinds.toy", level, "-emit", stage];
            KIND_EXPORTS.iter().for_each(|export| arguments.extend(["--export", export]));
            let run = toyc(arguments).current_dir(&directory).run()?.exits(0)?.silent()?;
            if !run.stdout.is_empty() || !directory.join(file).is_file() {
                return run.complain(format!("no {file}"));
            }
        }
    }
    Ok(())
}

fn kinds() -> Outcome {
    for level in 0..=3 {
        let directory = scratch(&format!("exports/kinds{level}"));
        Library::new(KINDS, &parsed(KIND_EXPORTS), level, &directory)?.check()?;
        // The header is also one of C++.
        let strict = ["-std=c++17", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only"];
        let arguments = strict.iter().chain(&["-x", "c++", "library.h"]);
        Job::new("c++", arguments).current_dir(&directory).run()?.exits(0)?;
    }
    Ok(())
}

fn under_valgrind() -> Outcome {
    for level in [0, 2] {
        let directory = scratch(&format!("exports/valgrind{level}"));
        let library = Library::new(KINDS, &parsed(KIND_EXPORTS), level, &directory)?;
        let driver = library.driver("cc", &["-g"])?;
        valgrind(&driver)?.exits(0)?.prints(&library.expected)?.silent()?;
    }
    Ok(())
}

/// Calling threads, and the threads of large loops.
fn from_several_threads() -> Outcome {
    let directory = scratch("exports/threads_of_their_own");
    let exports = parsed(&["chain(90x70, 70x90, 90x70)", "scale(400x400, ())", "show(2x3)"]);
    let mut config = at(2);
    config.threads = 3;
    let library = Library::with(KINDS, &exports, config, &directory)?;
    if !symbols(&directory.join("library.a"), &[])?.contains(&('U', "pthread_create".to_owned())) {
        return fail("no threads");
    }
    let driver = library.driver("cc", &["-DTHREADS=4", "-O1"])?;
    Job::new(driver, [""; 0]).run()?.exits(0)?.prints(&library.expected)?.silent()?;
    for level in [0, 3] {
        let directory = scratch(&format!("exports/threads{level}"));
        let library = Library::new(KINDS, &parsed(KIND_EXPORTS), level, &directory)?;
        let driver = library.driver("cc", &["-DTHREADS=8", "-O1"])?;
        Job::new(driver, [""; 0]).run()?.exits(0)?.prints(&library.expected)?.silent()?;
    }
    Ok(())
}

/// The symbols that `nm` prints with some options: the kind and the name of each.
fn symbols(file: &Path, options: &[&str]) -> Result<BTreeSet<(char, String)>, Failed> {
    let arguments = options.iter().map(|option| Path::new(*option)).chain([file]);
    let run = Job::new("nm", arguments).run()?.exits(0)?;
    let line = |line: &str| {
        let mut words = line.split_whitespace().rev();
        let name = words.next()?.split('@').next()?.to_owned();
        Some((words.next()?.chars().next()?, name))
    };
    Ok(run.out().lines().filter_map(line).collect())
}

fn only_exports_are_visible() -> Outcome {
    let directory = scratch("exports/only_exports_are_visible");
    let exports = parsed(KIND_EXPORTS);
    let names =
        |export: &Export| ["", "_in", "_workspace"].map(|end| format!("{}{end}", export.c_name));
    let last_error = "toy_last_error".to_owned();
    let expected: BTreeSet<_> = exports.iter().flat_map(names).chain([last_error]).collect();
    std::fs::write(directory.join("kinds.toy"), KINDS)?;
    for level in ["-O0", "-O2"] {
        let mut arguments = vec!["kinds.toy", level, "-g"];
        KIND_EXPORTS.iter().for_each(|export| arguments.extend(["--export", export]));
        for (stage, file, defined) in [
            ("lib", "libkinds.so", vec!["-D", "--defined-only"]),
            ("obj", "kinds.o", vec!["-g", "--defined-only"]),
        ] {
            let arguments = arguments.iter().copied().chain(["-emit", stage]);
            toyc(arguments).current_dir(&directory).run()?.exits(0)?.silent()?;
            let file = directory.join(file);
            let found = symbols(&file, &defined)?.into_iter().map(|(_, name)| name);
            // The second symbols of functions.
            let (checked, found): (BTreeSet<_>, BTreeSet<_>) =
                found.partition(|name| name.starts_with("toy_") && name.contains("__"));
            if found != expected || checked.len() != 2 * exports.len() {
                let difference: Vec<_> = found.symmetric_difference(&expected).collect();
                return fail(format!("{}: {difference:?}", file.display()));
            }
        }
        // Nothing that can be written but what each thread has and the number of the processor, and nothing from outside but the C library.
        let object = symbols(&directory.join("kinds.o"), &[])?;
        let known = [
            "malloc",
            "free",
            "aligned_alloc",
            "madvise",
            "fwrite",
            "fflush",
            "ferror",
            "stdout",
            "memcpy",
            "memset",
            "getenv",
            "__tls_get_addr",
            "strlen",
            "write",
        ];
        let odd = |(kind, name): &&(char, String)| match kind.to_ascii_uppercase() {
            'B' => !["last_error", "last_text", "format", "toy.processor"].contains(&name.as_str()),
            'C' | 'S' => true,
            'D' => !name.starts_with("DW.ref") && name != "toy.start",
            'U' => !known.contains(&name.as_str()),
            _ => false,
        };
        if let Some(odd) = object.iter().find(odd) {
            return fail(format!("{level}: {odd:?}"));
        }
    }
    Ok(())
}

/// Two libraries with functions of the same names, loaded in every way.
fn two_libraries_do_not_meet() -> Outcome {
    let directory = scratch("exports/two_libraries_do_not_meet");
    for (name, body) in [("one", "a + a"), ("two", "a * a")] {
        let text = format!(
            "def f(a) {{ var b = transpose({body}); print(b); return transpose(transpose(b) + b); }}\n"
        );
        std::fs::write(directory.join(format!("{name}.toy")), text)?;
        let name = format!("{name}.toy");
        toyc([name.as_str(), "--export", "f(3x3)", "-emit=lib"])
            .current_dir(&directory)
            .run()?
            .exits(0)?
            .silent()?;
        // The header is beside the library.
        let beside = name.replace(".toy", ".h");
        let header = toyc([name.as_str(), "--export", "f(3x3)", "-emit=header", "-o", "-"]);
        let header = header.current_dir(&directory).run()?.exits(0)?;
        header.prints(std::fs::read(directory.join(beside))?)?;
    }
    let program = r#"
#include <dlfcn.h>
#include <stdio.h>
typedef int function(const double *, double *);
static double a[9] = {3, 3, 3, 3, 3, 3, 3, 3, 3}, r[9];
static void call(void *library, double expected)
{
    function *f = (function *)dlsym(library, "f_3x3");
    if (f == NULL || f(a, r) != 0 || r[4] != expected)
        printf("not %f\n", expected);
}
int main(void)
{
    const int modes[] = {RTLD_NOW | RTLD_LOCAL, RTLD_NOW | RTLD_GLOBAL, RTLD_LAZY | RTLD_GLOBAL};
    for (int i = 0; i < 3; i++) {
        void *one = dlopen("./libone.so", modes[i]), *two = dlopen("./libtwo.so", modes[i]);
        if (one == NULL || two == NULL)
            return 1;
        call(one, 12), call(two, 18), call(one, 12);
        dlclose(one);
        call(two, 18);
        dlclose(two);
    }
    return 0;
}
"#;
    std::fs::write(directory.join("main.c"), program)?;
    Job::new("cc", ["main.c", "-o", "main", "-ldl"]).current_dir(&directory).run()?.exits(0)?;
    let line = |number: &str| format!("{} \n", [number; 3].join(" ")).repeat(3);
    let (six, nine) = (line("6.000000"), line("9.000000"));
    let once = format!("{six}{nine}{six}{nine}");
    Job::new("./main", [""; 0])
        .current_dir(&directory)
        .run()?
        .exits(0)?
        .prints(once.repeat(3))?
        .silent()?;
    Ok(())
}

/// Functions of floats: arrays, scalars, structs and results; the same source is compiled for doubles.
fn elements_of_32_bits() -> Outcome {
    let directory = scratch("exports/elements_of_32_bits");
    let text = "struct P { var x; var s; }\n\
                def f(P p, y) { P r = {p.x * y + p.s, sum(p.x @ y)}; return r; }\n\
                def g(s) { return s / 3; }\n";
    std::fs::write(directory.join("f.toy"), text)?;
    let program = r#"
#include "f.h"
#include <stdio.h>
int main(void)
{
    float x[4] = {0.1f, 0.2f, 0.3f, 0.4f}, y[4] = {1, 2, 3, 4.5f}, r[4], s;
    double wide[4] = {0.1, 0.2, 0.3, 0.4}, z[4] = {1, 2, 3, 4.5}, w[4], v, t;
    if (single(x, 0.5f, y, r, &s) != 0 || twice(wide, 0.5, z, w, &v) != 0 || third(0.1f, &t) != 0)
        return 1;
    printf("%.9g %.9g %.9g %.9g %.9g\n", r[0], r[1], r[2], r[3], s);
    printf("%.17g %.17g %.9g\n", w[3], v, t);
    return 0;
}
"#;
    std::fs::write(directory.join("main.c"), program)?;
    // NumPy's.
    let expected = "0.600000024 0.899999976 1.4000001 2.30000019 5.69999981\n\
                    2.2999999999999998 5.7000000000000002 0.0333333338\n";
    for level in ["-O0", "-O2"] {
        let exports =
            ["single=f({2x2 f32, () f32}, 2x2 f32)", "twice=f({2x2, ()}, 2x2)", "third=g(() f32)"];
        let exports = exports.iter().flat_map(|export| ["--export", export]);
        let options = ["f.toy", "-emit=lib", "-o", "libf.so", level].into_iter().chain(exports);
        toyc(options).current_dir(&directory).run()?.exits(0)?.silent()?;
        std::fs::rename(directory.join("libf.h"), directory.join("f.h")).ok();
        let compiler = ["-Wall", "-Werror", "main.c", "-o", "main", "-L.", "-lf", "-Wl,-rpath,."];
        Job::new("cc", compiler).current_dir(&directory).run()?.exits(0)?;
        Job::new("./main", [""; 0]).current_dir(&directory).run()?.exits(0)?.prints(expected)?;
    }
    Ok(())
}
