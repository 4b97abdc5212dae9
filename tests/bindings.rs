//! Toy called from Python and from Rust: the package of `python/`, `-emit=python`, `-emit=rust`.
//!
//! Input: the unit tests of the package, `examples/rust`, and libraries made here. The interpreter is
//! /usr/bin/python3, which has the distribution's NumPy. Invariant: nothing is fetched from the network.

use crate::tools::{self, Job, Outcome, Run, TOYC, fail, root, scratch, toyc, trial};
use libtest_mimic::{Failed, Trial};
use std::path::Path;

const PYTHON: &str = "/usr/bin/python3";

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        trial("bindings/python_package_installs_with_pip", installs_with_pip),
        trial("bindings/python_package_has_the_version_of_the_workspace", same_version),
        trial("bindings/bench_measures_right_results", bench),
        trial("bindings/calls_from_python_are_cheap", calls),
        trial("bindings/rust_example", rust_example),
        trial("bindings/rust_in_every_edition_without_warnings", rust_editions),
        trial("bindings/rust_refuses_overlap_and_other_sizes", rust_refuses),
        trial("bindings/rust_names", rust_names),
        trial("bindings/rust_failures", rust_failures),
        trial("bindings/rust_prints_in_order", rust_prints_in_order),
        trial("bindings/rust_notices_a_library_of_other_options", rust_other_options),
    ];
    let tests = tools::files("python/tests", &["py"]).into_iter().map(|file| tools::stem(&file));
    trials.extend(
        tests
            .filter(|name| name.starts_with("test_"))
            .map(|name| trial(format!("bindings/python_{name}"), move || unit_tests(&name))),
    );
    trials
}

/// Python, with this compiler.
fn python<const N: usize>(arguments: [&str; N]) -> Job {
    Job::new(PYTHON, arguments).env("TOYC", TOYC).env("PYTHONDONTWRITEBYTECODE", "1").limit(600)
}

fn unit_tests(name: &str) -> Outcome {
    let run = python(["-m", "unittest", name]).current_dir(root().join("python/tests")).run()?;
    // It prints the number of tests.
    run.exits(0)?.says("\nOK")?;
    Ok(())
}

fn installs_with_pip() -> Outcome {
    let folder = scratch("bindings/pip");
    // pip builds beside the sources.
    let copy = folder.join("python");
    Job::new("cp", ["-r", path(&root().join("python"))?, path(&copy)?]).run()?.exits(0)?;
    let target = folder.join("installed");
    let options = ["--quiet", "--no-index", "--no-deps", "--no-build-isolation", "--target"];
    let install =
        [["-m", "pip", "install"].as_slice(), &options, &[path(&target)?, path(&copy)?]].concat();
    Job::new(PYTHON, install).env("PIP_ROOT_USER_ACTION", "ignore").limit(600).run()?.exits(0)?;
    std::fs::remove_dir_all(&copy)?;
    std::fs::write(folder.join("k.toy"), "def f(a, b) { return transpose(a) * b; }\n")?;
    let text = "import toyc; m = toyc.load('k.toy'); print(m.f([[1, 2], [3, 4]], [[5, 6], [7, 8]]).tolist())";
    let run =
        python(["-c", text]).env("PYTHONPATH", target).env("XDG_CACHE_HOME", folder.join("cache"));
    run.current_dir(&folder).run()?.exits(0)?.prints("[[5.0, 18.0], [14.0, 32.0]]\n")?;
    Ok(())
}

fn same_version() -> Outcome {
    let version = |file: &str, start: &str| -> Result<String, Failed> {
        let text = std::fs::read_to_string(root().join(file))?;
        let line = text.lines().find_map(|line| line.strip_prefix(start));
        line.map(str::to_owned).ok_or_else(|| format!("{file} has no version").into())
    };
    let expected = version("Cargo.toml", "version = ")?;
    for (file, start) in
        [("python/pyproject.toml", "version = "), ("python/toyc/__init__.py", "__version__ = ")]
    {
        let found = version(file, start)?;
        if found != expected {
            return fail(format!("{file} has {found}, the workspace {expected}"));
        }
    }
    Ok(())
}

/// The bench compares every kernel with NumPy; here are its smallest sizes, and no limits.
fn bench() -> Outcome {
    let script = root().join("bench/kernels.py");
    let sizes = ["7x5", "65x63", "7x5x3", "5x6x7x8"];
    let options = [path(&script)?, "--toyc", TOYC, "--quick", "--no-limits", "--size"];
    let run = Job::new(PYTHON, options.into_iter().chain(sizes)).env("LLVM_BIN", tools::llvm_bin());
    let run = run.env("PYTHONDONTWRITEBYTECODE", "1").limit(600).run()?.exits(0)?;
    match run.out().lines().filter(|line| line.starts_with('|')).count() {
        20.. => Ok(()),
        _ => run.complain("kernels are missing"),
    }
}

/// The cost of a call, beside NumPy's own arithmetic.
fn calls() -> Outcome {
    let script = root().join("bench/python.py");
    python([path(&script)?, "--toyc", TOYC, "--calls"]).run()?.exits(0)?.silent()?;
    Ok(())
}

fn path(path: &Path) -> Result<&str, Failed> {
    path.to_str().ok_or_else(|| "the path is not UTF-8".into())
}

fn rust_example() -> Outcome {
    let folder = scratch("bindings/rust_example");
    // Cargo writes a lock file beside the manifest.
    let copy = folder.join("rust");
    Job::new("cp", ["-r", path(&root().join("examples/rust"))?, path(&copy)?]).run()?.exits(0)?;
    let run = Job::new("cargo", ["run", "--quiet", "--offline"]).current_dir(&copy);
    let run =
        run.env("TOYC", TOYC).env("CARGO_TARGET_DIR", folder.join("target")).limit(600).run()?;
    run.exits(0)?
        .silent()?
        .prints("[0.9, 1.9, 2.9, 3.9, 4.9, 5.9] [-0.5, -2.5]\n262144 elements are right\n")?;
    Ok(())
}

const KERNELS: &str = "def f(a, b) { return transpose(a) * b; }
def scaled(a, s) { return s * a; }
def sum(x, y) { return x + y; }
def show(a) { print(a); }
def chain(a, b) { var c = a * transpose(b); return transpose(c) * c; }
def at(a, i) { return a[i]; }
def match(self, impl, workspace, function) { return self + impl * workspace - function; }
";

/// Compiles and runs a program with bindings for [`KERNELS`]; or only compiles it.
fn rust(test: &str, edition: &str, exports: &[&str], body: &str) -> Result<Run, Failed> {
    rust_with(test, edition, exports, body, "-O2")
}

/// Bindings made with -O2, and a library made with another level.
fn rust_with(
    test: &str,
    edition: &str,
    exports: &[&str],
    body: &str,
    level: &str,
) -> Result<Run, Failed> {
    let folder = scratch(&format!("bindings/{test}"));
    std::fs::write(folder.join("kernels.toy"), KERNELS)?;
    for (emit, level, file) in
        [("-emit=staticlib", level, "libkernels.a"), ("-emit=rust", "-O2", "kernels.rs")]
    {
        let exports = exports.iter().flat_map(|export| ["--export", export]);
        let run = toyc(["kernels.toy", emit, level, "-o", file].into_iter().chain(exports));
        run.current_dir(&folder).run()?.exits(0)?.silent()?;
    }
    let program = format!(
        "#![deny(warnings)]\nmod kernels {{ include!(\"kernels.rs\"); }}\nuse kernels::*;\nfn main() {{\n{body}\n}}\n"
    );
    std::fs::write(folder.join("main.rs"), program)?;
    let options =
        ["--edition", edition, "-L", ".", "-l", "static=kernels", "main.rs", "-o", "main"];
    let run = Job::new("rustc", options).current_dir(&folder).run()?;
    match run.status {
        Some(0) => Job::new(folder.join("main"), [""; 0]).run(),
        _ => Ok(run),
    }
}

fn rust_editions() -> Outcome {
    const BODY: &str = "    let a = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
    let mut c = [0.0; 6];
    f(&a, &a, &mut c).unwrap();
    let mut sum_of_two = 0.0;
    sum(1.0, 2.5, &mut sum_of_two).unwrap();
    let mut twice = [0.0; 2];
    let mut workspace = [0; twice_WORKSPACE];
    kernels::twice_in(&[1.0, 2.0], 2.0, &mut twice, &mut workspace).unwrap();
    println!(\"{:?} {} {:?}\", c, sum_of_two, twice);
    show_2(&twice).unwrap();
    let _: Error = Error::OutOfMemory;";
    let exports = ["f=f(2x3, 3x2)", "sum=sum((), ())", "twice=scaled(2, ())", "show(2)"];
    for edition in ["2018", "2021", "2024"] {
        let run = rust("rust_editions", edition, &exports, BODY)?.exits(0)?.silent()?;
        run.prints("[1.0, 8.0, 6.0, 20.0, 15.0, 36.0] 3.5 [2.0, 4.0]\n2.000000 4.000000 ")?;
    }
    Ok(())
}

/// rustc rejects mistakes that the C interface would have to refuse.
fn rust_refuses() -> Outcome {
    let exports = ["f=f(2x2, 2x2)"];
    for (call, message) in [
        ("let mut a = [0.0; 4]; f(&a, &[0.0; 4], &mut a).unwrap();", "[E0502]"),
        ("f(&[0.0; 5], &[0.0; 4], &mut [0.0; 4]).unwrap();", "expected an array with a size of 4"),
        ("f(&[0.0; 4], &[0.0; 4], &mut [0.0; 3]).unwrap();", "expected an array with a size of 4"),
        ("f(&[0f32; 4], &[0.0; 4], &mut [0.0; 4]).unwrap();", "expected `f64`"),
        ("f(&[0.0; 4], &[0.0; 4], &mut [0.0; 4]);", "unused `Result`"),
    ] {
        rust("rust_refuses", "2021", &exports, call)?.exits(1)?.says(message)?;
    }
    Ok(())
}

fn rust_other_options() -> Outcome {
    const BODY: &str = "    let a = vec![1.0; 2500];
    let a: &[f64; 2500] = a[..].try_into().unwrap();
    let mut r = [0.0; 2500];
    let mut workspace = [0; chain_WORKSPACE];
    println!(\"{:?}\", chain_in(a, a, &mut r, &mut workspace));";
    let exports = ["chain=chain(50x50, 50x50)"];
    let same = rust("rust_same_options", "2021", &exports, BODY)?;
    same.exits(0)?.prints("Ok(())\n")?;
    // Without optimization, temporaries need more.
    let other = rust_with("rust_other_options", "2021", &exports, BODY, "-O0")?;
    other.exits(1)?.says("toy_chain_in__50x50_50x50__50x50__")?;
    Ok(())
}

/// Rust keeps the beginning of a line, which C would overtake.
fn rust_prints_in_order() -> Outcome {
    let body = "    print!(\"before \");
    show(&[1.0]).unwrap();
    print!(\"between \");
    show_in(&[2.0], &mut [0; show_WORKSPACE]).unwrap();
    println!(\"after\");";
    let run = rust("rust_prints_in_order", "2021", &["show=show(1)"], body)?;
    run.exits(0)?.prints("before 1.000000 between 2.000000 after\n")?;
    Ok(())
}

/// A failed check is a value with the place and the numbers.
fn rust_failures() -> Outcome {
    const BODY: &str = "    let mut r = 0.0;
    for i in [3.0, 0.5, 1e300] {
        let error = at(&[1.0, 2.0, 3.0], i, &mut r).unwrap_err();
        if let Error::CheckFailed(Failure { reason: Reason::OutOfRange { index, size }, line, .. }) = error {
            println!(\"{} {} {}\", index, size, line);
        }
        println!(\"{}\", &error.to_string()[..58]);
    }
    let other = std::thread::spawn(|| at(&[1.0; 3], -2.0, &mut 0.0).unwrap_err().to_string());
    at(&[1.0, 2.0, 3.0], 2.0, &mut r).unwrap();
    println!(\"{}\\n{}\", other.join().unwrap(), r);";
    for edition in ["2018", "2024"] {
        let run = rust("rust_failures", edition, &["at=at(3, ())"], BODY)?.exits(0)?.silent()?;
        run.prints(
            "3 3 6\nkernels.toy:6:23: index 3 is out of range: the dimension h\n\
             kernels.toy:6:25: 0.5 is not a whole number, in `at(3, sca\n\
             kernels.toy:6:25: 1000000000000000000000000000000000000000\n\
             kernels.toy:6:23: index -2 is out of range: the dimension has 3 elements, in `at(3, scalar)`\n3\n",
        )?;
    }
    Ok(())
}

fn rust_names() -> Outcome {
    let body = "    let mut r = [0.0; 1];
    r#match(&[1.0], &[2.0], &[3.0], &[4.0], &mut r).unwrap();
    println!(\"{:?}\", r);";
    let run = rust("rust_names", "2021", &["match=match(1, 1, 1, 1)"], body)?;
    run.exits(0)?.prints("[3.0]\n")?;
    for name in ["self", "super", "crate", "Self", "Ok", "Err"] {
        let export = format!("{name}=sum((), ())");
        let run = toyc(["-", "-emit=rust", "--export", &export]).stdin(KERNELS).run()?;
        run.diagnosed("[E0550]")?.says("NAME=sum")?;
    }
    Ok(())
}
