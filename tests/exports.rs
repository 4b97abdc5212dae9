//! Functions that C calls: libraries, their headers, and what cannot be exported.
//!
//! Input: programs with functions to export; seeds of the [`generator`](crate::generator). Output: for each
//! function a run in C, compared with the interpreter. TOYC_RANDOM_SEED and TOYC_RANDOM_COUNT choose other, or
//! more, random programs. Invariant: a library has no other symbols than those in its header, and no state.

mod bad;
mod driver;
mod links;

use crate::generator;
use crate::interpreter::{self, Called, Stop};
use crate::memory::valgrind;
use crate::processors;
use crate::programs::Cross;
use crate::random::{Tally, variable};
use crate::tools::{Job, Outcome, Run, fail, root, scratch, toyc, trial};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use toyc::diagnostic::{Diagnostic, Severity};
use toyc::interface::{Argument, Export, Shape};
use toyc::source::Source;
use toyc::{Compilation, Config, Stage};

/// Programs of one test.
const BATCH: u64 = 4;

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        trial("exports/what_c_can_call", every_kind),
        trial("exports/values_are_given_and_taken_in_every_way", kinds),
        trial("exports/under_valgrind", under_valgrind),
        trial("exports/from_several_threads", from_several_threads),
        trial("exports/only_exports_are_visible", only_exports_are_visible),
        trial("exports/two_libraries_do_not_meet", two_libraries_do_not_meet),
        trial("exports/mlir", mlir),
        trial("exports/of_what_has_exports", again),
        trial("exports/ten_times_as_many_take_not_much_more_each", many),
        trial("exports/example_in_c", || example(None)),
    ];
    trials.extend(bad::trials());
    trials.extend(links::trials());
    trials.push(
        Cross::other().trial("exports/example_in_c/emulated".into(), |cross| example(Some(cross))),
    );
    let first = variable("TOYC_RANDOM_SEED", 0);
    let count = variable("TOYC_RANDOM_COUNT", 400).div_ceil(20);
    for start in (first..first + count).step_by(BATCH as usize) {
        let seeds = start..(first + count).min(start + BATCH);
        let name = format!("exports/random/{}-{}", seeds.start, seeds.end - 1);
        trials.push(trial(name, move || random(seeds)));
    }
    let name = "exports/random/emulated".to_owned();
    trials.push(Cross::other().trial(name, move |cross| emulated(first, cross)));
    trials
}

/// A library in a directory: `library.h`, `library.a`, `driver.c`, and what the interpreter says.
struct Library {
    directory: PathBuf,
    /// What the program of the [`driver`] prints.
    expected: String,
}

impl Library {
    /// Compiles the exports of a program.
    fn new(text: &str, exports: &[Export], level: u8, directory: &Path) -> Result<Self, Failed> {
        Self::with(text, exports, at(level), directory)
    }

    fn with(
        text: &str,
        exports: &[Export],
        mut config: Config,
        directory: &Path,
    ) -> Result<Self, Failed> {
        std::fs::create_dir_all(directory)?;
        config.exports = exports.to_vec();
        let make = |stage, file: &str| {
            let source = Source::new("library.toy", text);
            toyc::with_large_stack(|| {
                let mut compilation = Compilation::new(source, config.clone());
                compilation.advance_to(stage, &mut ()).map_err(|found| format!("{found:?}"))?;
                let mut bytes = Vec::new();
                compilation.write(Default::default(), &mut bytes)?;
                std::fs::write(directory.join(file), bytes)?;
                Ok::<_, Failed>(compilation.interface().clone())
            })
        };
        make(Stage::Header, "library.h")?;
        let interface = make(Stage::StaticLib, "library.a")?;
        let mut expected = String::new();
        for export in exports {
            let Called { output, results } =
                interpreter::call(text, &export.function, &export.arguments, driver::element)
                    .map_err(|stop| format!("{}: {stop:?}", export.text))?;
            expected += &format!("{}\n{output}", export.c_name);
            for element in results.iter().flatten() {
                expected += &match element {
                    nan if nan.is_nan() => "nan\n".to_owned(),
                    number => format!("{:016x}\n", number.to_bits()),
                };
            }
            expected += &output;
        }
        std::fs::write(directory.join("driver.c"), driver::program(&interface))?;
        Ok(Self { directory: directory.to_owned(), expected })
    }

    /// The program that calls all functions.
    fn driver(&self, compiler: &str, options: &[&str]) -> Result<PathBuf, Failed> {
        const STRICT: [&str; 6] =
            ["-std=c11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-pthread"];
        let mut arguments: Vec<&str> = STRICT.to_vec();
        arguments.extend([
            "-Wno-unused-function",
            "-D_POSIX_C_SOURCE=200809L",
            "-o",
            "driver",
            "driver.c",
            "library.a",
            "-lm",
        ]);
        arguments.extend(options);
        Job::new(compiler, arguments).current_dir(&self.directory).run()?.exits(0)?;
        Ok(self.directory.join("driver"))
    }

    fn check(&self) -> Outcome {
        let driver = self.driver("cc", &[])?;
        Job::new(driver, [""; 0]).run()?.exits(0)?.prints(&self.expected)?.silent()?;
        Ok(())
    }
}

fn at(level: u8) -> Config {
    let mut config = Config::default();
    config.optimization_level = level;
    config
}

fn parsed(exports: &[&str]) -> Vec<Export> {
    exports.iter().map(|text| Export::parse(text).expect(text)).collect()
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

/// Threads that call, and threads that large loops have themselves.
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
    let expected: BTreeSet<_> = exports.iter().flat_map(names).collect();
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
        // Nothing that can be written, and nothing from outside but the C library.
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
        ];
        let odd = |(kind, name): &&(char, String)| match kind.to_ascii_uppercase() {
            'B' | 'C' | 'S' => true,
            'D' => !name.starts_with("DW.ref"),
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

/// Functions of MLIR, at the level of Toy and below.
fn mlir() -> Outcome {
    let directory = scratch("exports/mlir");
    let text = r#"
func.func private @turn(%a: tensor<*xf64>) -> tensor<*xf64> {
  %0 = "toy.transpose"(%a) : (tensor<*xf64>) -> tensor<*xf64>
  return %0 : tensor<*xf64>
}
func.func @both(%a: tensor<2x3xf64>, %n: tensor<f64>) -> (tensor<3x2xf64>, tensor<2x3xf64>, tensor<2x3xf64>) {
  %empty = tensor.empty() : tensor<3x2xf64>
  %0 = linalg.transpose ins(%a : tensor<2x3xf64>) outs(%empty : tensor<3x2xf64>) permutation = [1, 0]
  %number = tensor.extract %n[] : tensor<f64>
  %1 = linalg.generic {indexing_maps = [affine_map<(d0, d1) -> (d0, d1)>], iterator_types = ["parallel", "parallel"]}
      outs(%0 : tensor<3x2xf64>) {
  ^bb0(%element: f64):
    %scaled = arith.mulf %element, %number : f64
    linalg.yield %scaled : f64
  } -> tensor<3x2xf64>
  return %1, %a, %a : tensor<3x2xf64>, tensor<2x3xf64>, tensor<2x3xf64>
}
func.func @main() {
  return
}
"#;
    std::fs::write(directory.join("low.mlir"), text)?;
    let program = r#"
#include "low.h"
#include <stdio.h>
int main(void)
{
    const double a[6] = {1, 2, 3, 4, 5, 6};
    double r[6], s[6], t[6];
    if (turn(a, r) != 0)
        return 1;
    printf("%g %g %g\n", r[0], r[1], r[5]);
    if (both(a, 10, r, s, t) != 0)
        return 2;
    printf("%g %g %g %g %g\n", r[0], r[1], r[5], s[5], t[5]);
    return both(a, 10, r, s, s) == TOY_OVERLAP ? 0 : 3;
}
"#;
    std::fs::write(directory.join("main.c"), program)?;
    for level in ["-O0", "-O2"] {
        for stage in ["header", "staticlib"] {
            let exports = ["--export", "turn=turn(2x3)", "--export", "both=both(2x3, ())"];
            let arguments = ["low.mlir", level, "-emit", stage].into_iter().chain(exports);
            toyc(arguments).current_dir(&directory).run()?.exits(0)?.silent()?;
        }
        let arguments = ["main.c", "liblow.a", "-o", "main"];
        Job::new("cc", arguments).current_dir(&directory).run()?.exits(0)?;
        Job::new("./main", [""; 0])
            .current_dir(&directory)
            .run()?
            .exits(0)?
            .prints("1 4 6\n10 40 60 6 6\n")?;
    }
    Ok(())
}

/// The stage `toy` of a library, exported again: as before, otherwise, and with what did not fit before.
fn again() -> Outcome {
    let directory = scratch("exports/again");
    let text = "def f(a, b) { return transpose(a) * b; }\ndef f_2_2(a) { return a; }\n";
    std::fs::write(directory.join("one.toy"), text)?;
    let run = |arguments: &[&str]| toyc(arguments).current_dir(&directory).run();
    for (before, after) in [
        ("f(2x3, 3x2)", "f(2x3, 3x2)"),
        ("f(2, 2)", "f(3, 3)"),
        ("k=f(2, 3)", "k=f(2x3, 3x2)"),
        ("k=f(2, 3)", "f(2, 2)"),
    ] {
        run(&["one.toy", "--export", before, "-emit=toy", "-o", "two.mlir"])?.exits(0)?.silent()?;
        let mut headers = Vec::new();
        for file in ["one.toy", "two.mlir"] {
            let header = run(&[file, "--export", after, "-emit=header", "-o", "-"])?;
            let names = |line: &&str| line.contains("TOY_SYMBOL(\"");
            let header = header.exits(0)?.silent()?.out();
            headers.push(header.lines().filter(names).map(str::to_owned).collect::<Vec<_>>());
            run(&[file, "--export", after, "-emit=lib", "-o", "lib.so"])?.exits(0)?.silent()?;
        }
        if headers[0] != headers[1] || headers[0].len() != 2 {
            return fail(format!("{headers:?}"));
        }
        // What is there stays if something calls it.
        let symbol = format!("@{}$export", Export::parse(before).map_err(|d| d.message)?.c_name);
        let text = std::fs::read_to_string(directory.join("two.mlir"))?;
        if before == after {
            let caller = format!(
                "func.func @caller(%a: tensor<2x3xf64>, %b: tensor<3x2xf64>) -> tensor<*xf64> {{\n  \
                 %0 = call {symbol}(%a, %b) : (tensor<2x3xf64>, tensor<3x2xf64>) -> tensor<*xf64>\n  \
                 return %0 : tensor<*xf64>\n}}\n"
            );
            let end = text.rfind('}').unwrap_or(text.len());
            std::fs::write(directory.join("three.mlir"), format!("{}{caller}}}\n", &text[..end]))?;
            let exports = ["--export", after, "--export", "caller(2x3, 3x2)", "-emit=lib"];
            run(&[&["three.mlir"], exports.as_slice()].concat())?.exits(0)?.silent()?;
        }
    }
    Ok(())
}

/// The time of the compiler grows with the number of exports, and not with its square.
fn many() -> Outcome {
    let directory = scratch("exports/many");
    let mut seconds = Vec::new();
    for count in [300, 3000] {
        let text: String =
            (0..count).map(|i| format!("def f{i}(a) {{ return a + {i}; }}\n")).collect();
        std::fs::write(directory.join("many.toy"), text)?;
        let exports: Vec<_> = (0..count).map(|i| format!("f{i}(2)")).collect();
        let arguments = ["many.toy", "-emit=toy", "-o", "many.mlir"].into_iter();
        let arguments = arguments.chain(exports.iter().flat_map(|export| ["--export", export]));
        let start = std::time::Instant::now();
        toyc(arguments).current_dir(&directory).limit(600).run()?.exits(0)?.silent()?;
        seconds.push(start.elapsed().as_secs_f64());
    }
    // It was 40 times.
    if seconds[1] > 25.0 * seconds[0].max(0.05) { fail(format!("{seconds:?}")) } else { Ok(()) }
}

/// The example, as its Makefile builds it.
fn example(cross: Option<Cross>) -> Outcome {
    let name = if cross.is_some() { "exports/example_emulated" } else { "exports/example" };
    let directory = scratch(name);
    for file in ["kernels.toy", "main.c", "Makefile"] {
        std::fs::copy(root().join("examples/c").join(file), directory.join(file))?;
    }
    let make = |arguments: &[&str]| -> Result<Run, Failed> {
        let compiler = format!("TOYC={}", crate::tools::TOYC);
        let mut all = vec!["-s".to_owned(), compiler];
        all.extend(arguments.iter().map(|argument| (*argument).to_owned()));
        if let Some(cross) = cross {
            all.extend([format!("TARGET={}-linux-gnu", cross.architecture)]);
            all.push(format!("RUN={} -L /usr/{}-linux-gnu", cross.emulator, cross.architecture));
        }
        Job::new("make", all).current_dir(&directory).run()
    };
    let expected = std::fs::read(root().join("tests/exports/example.out"))?;
    for library in ["libkernels.a", "libkernels.so"] {
        let library = format!("LIBRARY={library}");
        make(&["run", &library])?.exits(0)?.prints(&expected)?.silent()?;
        make(&["clean"])?.exits(0)?;
    }
    Ok(())
}

/// What a program's own calls make: its specializations, as exports, and the same for larger shapes.
fn exports_of(text: &str) -> Result<Vec<Export>, Failed> {
    let compiled =
        toyc::compile(Source::new("program.toy", text), Config::default(), Stage::Shapes)
            .map_err(|found| format!("{found:?}"))?;
    let text = compiled.text();
    let attribute = "toy.specialization = \"";
    let keys = text.lines().filter_map(|line| line.split_once(attribute)?.1.split('"').next());
    let mut exports: Vec<Export> = Vec::new();
    for (index, key) in keys.enumerate() {
        for scale in [1, 9 + 8 * (index as u64 % 4)] {
            let Ok(mut export) = Export::parse(key) else { continue };
            scaled(&mut export.arguments, scale);
            let named = format!("f{}={}", exports.len(), export.call());
            exports.push(Export::parse(&named).map_err(|d| d.message)?);
        }
    }
    exports.truncate(MAX_EXPORTS);
    Ok(exports)
}

/// The most functions of one random library.
const MAX_EXPORTS: usize = 16;

/// Makes dimensions larger, but those of 1; equal ones stay equal.
fn scaled(arguments: &mut [Argument], scale: u64) {
    for argument in arguments {
        match argument {
            Argument::Tensor(Shape(dims)) => {
                for dim in dims.iter_mut().filter(|dim| **dim > 1) {
                    *dim = *dim * scale - scale / 2;
                }
            }
            Argument::Struct(fields) => scaled(fields, scale),
        }
    }
}

/// Divides exports into those that work and those for shapes that do not fit; what is too large for a test is
/// left out.
fn divided(text: &str, exports: Vec<Export>) -> (Vec<Export>, Vec<Export>) {
    let (mut good, mut bad) = (Vec::new(), Vec::new());
    for export in exports {
        match interpreter::call(text, &export.function, &export.arguments, driver::element) {
            Ok(_) => good.push(export),
            Err(Stop::Shapes(_)) => bad.push(export),
            Err(_) => {}
        }
    }
    (good, bad)
}

/// The functions of random programs agree with the interpreter; shapes that do not fit are errors, the same
/// as those of a call.
fn random(seeds: std::ops::Range<u64>) -> Outcome {
    let mut tally = Tally::new("exports");
    for seed in seeds {
        let text = generator::program(seed, generator::WELL_TYPED);
        tally.count("programs");
        if let Err(failure) = check_random(seed, &text, &mut tally)
            && !tally.failed(seed, "toy", text.as_bytes(), &failure)?
        {
            break;
        }
    }
    tally.finish()
}

fn check_random(seed: u64, text: &str, tally: &mut Tally) -> Outcome {
    let (good, bad) = divided(text, exports_of(text)?);
    for export in &bad {
        tally.count("diagnosed");
        let mut config = Config::default();
        config.exports = vec![export.clone()];
        match toyc::compile(Source::new("library.toy", text), config, Stage::Header) {
            Err(found) if errors(&found).all(|code| code.starts_with("E03")) => {}
            Err(found) => return fail(format!("{}: {found:?}", export.text)),
            Ok(_) => return fail(format!("{}: not diagnosed", export.text)),
        }
    }
    if good.is_empty() {
        return Ok(());
    }
    for level in [0, 2, 3] {
        let directory = scratch(&format!("exports/random/{seed}"));
        let mut config = at(level);
        // Everything that processors here can do, in turn.
        let cpus = processors::runnable();
        let cpu = cpus[(seed as usize + usize::from(level)) % cpus.len()];
        config.cpu = (level >= 2).then(|| cpu.to_owned());
        Library::with(text, &good, config, &directory)?.check()?;
        good.iter().for_each(|_| tally.count(format!("functions-O{level}")));
    }
    Ok(())
}

/// The codes of the errors among diagnostics.
fn errors(diagnostics: &[Diagnostic]) -> impl Iterator<Item = &'static str> {
    let errors = diagnostics.iter().filter(|d| d.severity == Severity::Error);
    errors.map(|d| d.code.id)
}

fn emulated(first: u64, cross: Cross) -> Outcome {
    for seed in first..first + BATCH {
        let text = generator::program(seed, generator::WELL_TYPED);
        let (good, _) = divided(&text, exports_of(&text)?);
        if good.is_empty() {
            continue;
        }
        let directory = scratch(&format!("exports/emulated/{seed}"));
        let target = format!("{}-linux-gnu", cross.architecture);
        let mut config = at(2);
        config.target = Some(target.clone());
        let library = Library::with(&text, &good, config, &directory)?;
        let driver = library.driver(&format!("{target}-gcc"), &["-static"])?;
        Job::new(cross.emulator, [driver]).run()?.exits(0)?.prints(&library.expected)?;
    }
    Ok(())
}
