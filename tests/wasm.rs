//! WebAssembly: programs and libraries in Node and in Chromium, with the bytes of all other ways to run them.
//!
//! Input: all programs of [`programs`](crate::programs), a library that uses every kind of argument (`wasm/`), arguments
//! and files, programs that fail, and selections that are wrong. Invariant: what a module prints, and what it says where a
//! check fails, are the bytes of an executable.

use crate::browser::{Driver, expect};
use crate::programs::{self, Program, build};
use crate::tools::{Job, Outcome, Tests, fail, find, root, scratch, toyc, trial, trial_unless};
use libtest_mimic::Trial;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};

pub const TARGET: &str = "wasm32";

/// The first tool that is missing to make modules and to run them.
pub fn missing() -> Option<&'static str> {
    let linker = ["wasm-ld", "wasm-ld-22"].into_iter().any(|linker| find(linker).is_some());
    let is_linker_there = linker || Path::new("/usr/lib/llvm-22/bin/wasm-ld").exists();
    (!is_linker_there).then_some("wasm-ld").or_else(|| find("node").is_none().then_some("node"))
}

/// The first program that is missing to run modules in a page.
fn missing_browser() -> Option<&'static str> {
    ["chromium", "chromedriver"].into_iter().find(|it| find(it).is_none())
}

/// Programs that are run by one process.
const BATCH: usize = 26;

pub fn trials() -> Vec<Trial> {
    let in_node: Tests = vec![
        ("failures_are_those_of_an_executable", failures),
        ("arguments_and_files_are_those_of_an_executable", arguments),
        ("a_library_is_called_from_javascript", library),
        ("memory_is_reused_and_grows", memory),
        ("a_host_hears_of_loops", watched),
    ];
    let in_node = in_node
        .into_iter()
        .map(|(name, test)| trial_unless(missing(), format!("wasm/{name}"), test));
    let anywhere: Tests = vec![
        ("every_stage_is_for_the_target", stages),
        ("what_modules_cannot_have_is_diagnosed", refused),
        ("a_missing_linker_is_named_with_its_package", no_linker),
        ("files_are_beside_the_module_and_overwrite_no_input", files),
    ];
    let anywhere = anywhere.into_iter().map(|(name, test)| trial(format!("wasm/{name}"), test));
    let without_browser = missing().or_else(missing_browser);
    let mut trials: Vec<_> = in_node.chain(anywhere).collect();
    trials.push(trial_unless(without_browser, "wasm/a_page_has_files_and_libraries", page));
    let all = programs::all();
    for level in ["-O0", "-O2"] {
        for (number, batch) in all.chunks(BATCH).enumerate() {
            let (batch, name) = (batch.to_vec(), format!("wasm/programs{level}/{number}"));
            trials
                .push(trial_unless(missing(), name, move || in_one_process(&batch, level, number)));
        }
    }
    trials
}

/// Makes a module of each program, and runs all of them in Node, and the optimized ones in Chromium. Half of them have watched loops, as in `toyc serve`: they
/// print the same.
fn in_one_process(batch: &[Program], level: &str, number: usize) -> Outcome {
    let directory = scratch(&format!("wasm/programs{level}/{number}"));
    let mut hosts = BTreeMap::new();
    let is_watched = number.is_multiple_of(2) == (level == "-O2");
    let options = if is_watched { vec![level, "--watch-loops"] } else { vec![level] };
    for (at, program) in batch.iter().enumerate() {
        let module = directory.join(format!("{at}.wasm"));
        programs::build_with(&program.source, &module, &options, Some(TARGET))?;
        hosts.insert(module.with_extension("mjs").display().to_string(), program);
    }
    let script = root().join("tests/wasm/programs.mjs").display().to_string();
    let words = [script].into_iter().chain(hosts.keys().cloned());
    let run = Job::new("node", words).run()?.exits(0)?.silent()?;
    let mut ran = 0;
    for line in run.out().lines() {
        let result: Value = serde_json::from_str(line)?;
        let Some(program) = result["file"].as_str().and_then(|file| hosts.get(file)) else {
            return fail(format!("an unknown program: {line}"));
        };
        let expected = std::fs::read_to_string(&program.expected)?;
        if result["output"] != expected || result["status"] != 0 || result["errors"] != "" {
            return fail(format!("{} at {level}: {line}\nexpected: {expected}", program.name));
        }
        ran += 1;
    }
    if ran != batch.len() {
        return fail(format!("{ran} of {} programs ran", batch.len()));
    }
    if level == "-O2" && missing_browser().is_none() {
        in_chromium(directory, batch)?;
    }
    Ok(())
}

/// Runs the modules of a batch, which have numbers as names, in a page.
fn in_chromium(directory: PathBuf, batch: &[Program]) -> Outcome {
    let page = PROGRAMS.replace("COUNT", &batch.len().to_string());
    std::fs::write(directory.join("page.html"), page)?;
    let address = served(directory)?;
    let driver = Driver::start()?;
    let browser = driver.browser(json!({}), "")?;
    browser.send("url", json!({ "url": format!("{address}/page.html") }))?;
    expect(&browser, "return document.results !== undefined", json!(true))?;
    for (at, program) in batch.iter().enumerate() {
        let output = std::fs::read_to_string(&program.expected)?;
        let script = format!("return document.results[{at}]");
        expect(&browser, &script, json!({ "output": output, "errors": "", "status": 0 }))?;
    }
    Ok(())
}

const PROGRAMS: &str = "<!doctype html><title>Toy</title><script type=module>
const results = [];
for (let at = 0; at < COUNT; at++) {
  const result = { output: '', errors: '', status: null };
  results.push(result);
  try {
    const { run } = await import(`./${at}.mjs`);
    const error = (text) => (result.errors += text);
    result.status = await run({ print: (text) => (result.output += text), error });
  } catch (error) {
    result.errors += error.stack;
  }
}
document.results = results;
</script>";

/// Runs a program as an executable and as a module, with arguments: both print and say the same.
fn same(directory: &Path, options: &[&str], arguments: &[&str], status: i32) -> Outcome {
    let source = directory.join("program.toy");
    let native = directory.join("native/program");
    std::fs::create_dir_all(directory.join("native"))?;
    programs::build_with(&source, &native, options, None)?;
    programs::build_with(&source, &directory.join("program.wasm"), options, Some(TARGET))?;
    let _ = std::fs::remove_file(directory.join("out.npy"));
    let native = Job::new(&native, arguments).current_dir(directory).run()?.exits(status)?;
    let written = std::fs::read(directory.join("out.npy")).ok();
    let _ = std::fs::remove_file(directory.join("out.npy"));
    let words: Vec<_> = ["program.mjs"].iter().chain(arguments).collect();
    let run = Job::new("node", words).current_dir(directory).run()?.exits(status)?;
    let run = run.prints(&native.stdout)?;
    if run.stderr != native.stderr {
        return run.complain(format!("an executable says: {}", native.stderr));
    }
    if std::fs::read(directory.join("out.npy")).ok() != written {
        return run.complain("an executable writes another file");
    }
    Ok(())
}

fn failures() -> Outcome {
    for (name, program) in [
        (
            "index",
            "def main() { print(\"first\\n\"); var a = [1, 2, 3]; for i in 0..5 { print(a[i]); } }",
        ),
        (
            "whole",
            "def f(n) { var a = [1, 2]; return a[n / 4]; }\ndef main() { for i in 0..2 { print(f(i)); } }",
        ),
        (
            "step",
            "def f(n) { var s = 0; for i in 0..4..n { s = s + i; } return s; }\n\
                  def main() { for i in 0..3 { print(f(1 - i)); } }",
        ),
        (
            "deep",
            "def f(n) { var r = 0; if (n > 0) { r = f(n - 1) + 1; } return r; }\n\
                  def main() { print(f(100)); print(f(100000000)); }",
        ),
    ] {
        let directory = scratch(&format!("wasm/failures/{name}"));
        std::fs::write(directory.join("program.toy"), program)?;
        for level in ["-O0", "-O2"] {
            same(&directory, &[level], &[], 1)?;
        }
    }
    Ok(())
}

/// A file of 2x3 numbers.
fn npy() -> Vec<u8> {
    let mut header = "{'descr': '<f8', 'fortran_order': False, 'shape': (2, 3), }".to_owned();
    header += &format!("{}\n", " ".repeat(127 - 10 - header.len()));
    let numbers = [0.5, -1.0, 2.0, 1e300, 1e-300, f64::INFINITY];
    let start = [b"\x93NUMPY\x01\x00".as_slice(), &(header.len() as u16).to_le_bytes()].concat();
    [start, header.into_bytes(), numbers.map(f64::to_le_bytes).concat()].concat()
}

fn arguments() -> Outcome {
    let directory = scratch("wasm/arguments");
    let text = "def main(a, k) { print(\"k = \", k, \"\\n\"); return a * k + 0.1; }\n";
    std::fs::write(directory.join("program.toy"), text)?;
    std::fs::write(directory.join("a.npy"), npy())?;
    std::fs::write(directory.join("a.csv"), "1,2,3\n4,5e-3,inf\n")?;
    std::fs::write(directory.join("b.csv"), "1125899906842624.125,.1,1e300\n-4e-300,1e22,nan\n")?;
    let options = ["-O2", "--main", "main(2x3, ())"];
    for (arguments, status) in [
        (["a.npy", "3"].as_slice(), 0),
        (&["a.csv", "2.5"], 0),
        (&["b.csv", "1e-7"], 0),
        (&["a.npy", "3", "-o", "out.npy"], 0),
        (&["--help"], 0),
        (&["a.npy"], 1),
        (&["none.npy", "1"], 1),
        (&["a.npy", "1", "-o", "none/out.npy"], 1),
        (&["a.npy", "1", "-o", "out.txt"], 1),
        (&["a.npy", "a.npy"], 1),
        (&["a.npy", "0x1"], 1),
        (&["--other"], 1),
    ] {
        same(&directory, &options, arguments, status)?;
    }
    // Text with the shortest digits that are read as the same number.
    for (argument, file) in [("a.npy", "one.csv"), ("b.csv", "two.csv")] {
        let words = ["program.mjs", argument, "1.25e-3", "-o", file];
        Job::new("node", words).current_dir(&directory).run()?.exits(0)?.silent()?;
        let words = [argument, "1.25e-3", "-o", "native.csv"];
        let native = directory.join("native/program");
        Job::new(native, words).current_dir(&directory).run()?.exits(0)?.silent()?;
        if std::fs::read(directory.join(file))? != std::fs::read(directory.join("native.csv"))? {
            return fail(format!("{file} is not what an executable writes"));
        }
    }
    let run = Job::new("node", ["program.mjs", "a.npy", "2", "--benchmark=5"]);
    let run = run.current_dir(&directory).run()?.exits(0)?.says("5 runs: minimum ")?;
    if run.out().matches("k = ").count() != 1 {
        return run.complain("the output of the first run is shown, and no other");
    }
    Ok(())
}

/// The exports of `wasm/library.toy`.
const EXPORTS: [&str; 7] = [
    "scaled(2x3, ())",
    "scaled(3, 3)",
    "element(4, ())",
    "swapped({2x2, 2x2})",
    "count(())",
    "half(2 f32)",
    "powers(2x2)",
];

/// Makes the library in a directory: `out.wasm`.
fn make_library(directory: &Path, level: &str) -> Outcome {
    for file in ["library.toy", "library.mjs"] {
        std::fs::copy(root().join("tests/wasm").join(file), directory.join(file))?;
    }
    let options = ["library.toy", "-w", level, "-emit=lib", "-o", "out.wasm", "--target", TARGET];
    let exports = EXPORTS.iter().flat_map(|export| ["--export", export]);
    let words = options.into_iter().chain(exports);
    toyc(words).current_dir(directory).run()?.exits(0)?.silent()?;
    Ok(())
}

fn library() -> Outcome {
    for level in ["-O0", "-O2"] {
        let directory = scratch(&format!("wasm/library{level}"));
        make_library(&directory, level)?;
        let run = Job::new("node", ["library.mjs"]).current_dir(&directory).run()?;
        run.exits(0)?.prints("all as expected\n")?.silent()?;
        let types = std::fs::read_to_string(directory.join("out.d.mts"))?;
        let declared = "declare function half$(a_: $Numbers<Float32Array>): $Tensor<Float32Array>;";
        if !types.contains(declared) {
            return fail(format!("the types do not declare `half`:\n{types}"));
        }
    }
    Ok(())
}

/// A program that allocates and frees in a loop, far more in all than there is.
fn memory() -> Outcome {
    let directory = scratch("wasm/memory");
    let text = "def step(a) { return a @ a / 512; }\n\
                def main() {\n  var a = reshape(range(262144), 512, 512) * 0 + 1;\n  var n = 0;\n\
                while (n < 3000) { a = a * a; n = n + 1; }\n  a = step(step(a));\n  print(sum(a));\n}\n";
    std::fs::write(directory.join("program.toy"), text)?;
    for level in ["-O0", "-O2"] {
        build(&directory.join("program.toy"), &directory.join("p.wasm"), level, Some(TARGET))?;
        let run = Job::new("node", [directory.join("p.mjs")]).run()?;
        run.exits(0)?.prints("262144.000000 ")?.silent()?;
    }
    Ok(())
}

/// `run({ loop })` hears of each loop, the inner one of two, also behind a long one.
fn watched() -> Outcome {
    let directory = scratch("wasm/watched");
    let lines = [
        "def step(s) {",
        "  for i in 0..20000 { s = s / 2 + i; }",
        "  return s;",
        "}",
        "def main() {",
        "  var s = 0;",
        "  while (s < 100000) { s = s + 1; }",
        "  for _i in 0..2000 {",
        "    for j in 0..3 { s = s / 3 + j; }",
        "  }",
        "  print(step(s));",
        "}\n",
    ];
    std::fs::write(directory.join("program.toy"), lines.join("\n"))?;
    std::fs::write(
        directory.join("watch.mjs"),
        "import { run } from './program.mjs';\n\
         const lines = [];\n\
         await run({ loop: (line) => { if (lines.at(-1) !== line) lines.push(line); } });\n\
         console.log(` ${[...new Set(lines)]}`);\n",
    )?;
    for (option, heard) in [("--watch-loops", "7,9,2"), ("-O1", "")] {
        for level in ["-O0", "-O2"] {
            let options = [option, level];
            let source = directory.join("program.toy");
            let module = directory.join("program.wasm");
            programs::build_with(&source, &module, &options, Some(TARGET))?;
            let run = Job::new("node", [directory.join("watch.mjs")]).run()?.exits(0)?;
            run.prints(format!("39996.000000  {heard}\n"))?.silent()?;
        }
    }
    Ok(())
}

fn stages() -> Outcome {
    let directory = scratch("wasm/stages");
    let text =
        "def f(a, b) { return a * b + a; }\ndef main() { print(f([1, 2, 3, 4], [5, 6, 7, 8])); }\n";
    std::fs::write(directory.join("p.toy"), text)?;
    let emit = |stage: &str, more: &[&str]| {
        let stage = format!("-emit={stage}");
        let words = ["p.toy", &stage, "-O2", "-o", "-", "--target", TARGET];
        toyc(words.iter().chain(more)).current_dir(&directory).run()?.exits(0)?.silent()
    };
    for stage in ["toy", "shapes", "linalg", "memref", "merged", "dealloc", "loops", "mlir-llvm"] {
        emit(stage, &[])?;
    }
    let llvm = emit("llvm", &[])?;
    if !llvm.out().contains("target datalayout = \"e-m:e-p:32:32-") {
        return llvm.complain("the layout has pointers of 64 bits");
    }
    let library = ["--export", "f(1000, 1000)"];
    let has_vectors = |more: &[&str]| {
        let options = [&library, more].concat();
        Ok::<_, libtest_mimic::Failed>(emit("asm", &options)?.out().contains("f64x2.mul"))
    };
    if !has_vectors(&[])? || has_vectors(&["--features", "-simd128"])? {
        return fail("vectors are not what --features says");
    }
    let function = emit("asm", &["--function=main"])?;
    if !function.out().ends_with("end_function\n") || function.out().contains(".int64") {
        return function.complain("more than a function");
    }
    let object = emit("obj", &[])?;
    if !object.stdout.starts_with(b"\0asm") {
        return object.complain("no object file");
    }
    Ok(())
}

fn refused() -> Outcome {
    let directory = scratch("wasm/refused");
    let text = "def f(a) { return a + 1; }\n\
                def main() { print(sum(reshape(range(30000), 30000, 1) @ reshape(range(30000), 1, 30000) + 1)); }\n";
    std::fs::write(directory.join("p.toy"), text)?;
    for (options, code, words) in [
        ("-O0", "E0506", "needs 7200000000 bytes at once"),
        ("-emit=lib --export f(20000x20000)", "E0506", "`f(20000x20000)` needs 6400000000 bytes"),
        ("-emit=jit --main f(2)", "E0004", "cannot run on this machine"),
        ("-emit=python --export f(2)", "E0004", "-emit=lib makes one"),
        ("--features +avx", "E0521", "it is one of x86_64"),
        ("--features simd128", "E0521", "`+simd128` turns a feature on"),
        ("--cpu native", "E0522", "wasm32"),
        ("--cpu haswell", "E0522", "x86_64"),
    ] {
        let words_of_options = options.split(' ');
        let options = ["p.toy", "-w", "--target", TARGET].into_iter().chain(words_of_options);
        toyc(options).current_dir(&directory).run()?.diagnosed(code)?.says(words)?;
    }
    let words =
        ["p.toy", "--target", TARGET, "--threads", "2", "-O2", "-emit=obj", "--export", "f(2)"];
    let run = toyc(words).current_dir(&directory).run()?.exits(0)?;
    run.says("W0110")?.says("a module has one thread")?;
    toyc(["p.toy", "--target", "wasm32-wasi"]).current_dir(&directory).run()?.diagnosed("E0501")?;
    Ok(())
}

fn no_linker() -> Outcome {
    let directory = scratch("wasm/no_linker");
    std::fs::write(directory.join("p.toy"), "def main() { print(1); }\n")?;
    let words = ["p.toy", "--target", TARGET, "--linker", "./none"];
    let run = toyc(words).current_dir(&directory).run()?.diagnosed("E0502")?;
    run.says("LLVM's linker for WebAssembly, `wasm-ld` (`lld-22` or `lld` on Debian and Ubuntu)")?;
    if directory.join("p.mjs").exists() || directory.join("p.wasm").exists() {
        return fail("something is written without the module");
    }
    Ok(())
}

fn files() -> Outcome {
    let directory = scratch("wasm/files");
    std::fs::write(directory.join("p.toy"), "def main() { print(1); }\n")?;
    let run = |words: &[&str]| toyc(words).current_dir(&directory).run();
    if missing() != Some("wasm-ld") {
        run(&["p.toy", "--target", TARGET])?.exits(0)?.silent()?;
        for file in ["p.wasm", "p.mjs"] {
            if !directory.join(file).exists() {
                return fail(format!("there is no {file}"));
            }
        }
    }
    std::fs::write(directory.join("q.mjs"), "def main() { print(1); }\n")?;
    let run = run(&["-x", "toy", "q.mjs", "--target", TARGET, "-o", "q.wasm"])?;
    run.diagnosed("E0004")?.says("the host would overwrite the input `q.mjs`")?;
    Ok(())
}

/// Serves the files of a folder to a browser, as long as the test runs. Returns the address.
fn served(directory: PathBuf) -> std::io::Result<String> {
    let listener = TcpListener::bind("127.0.0.1:0")?;
    let address = format!("http://{}", listener.local_addr()?);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut request = String::new();
            let mut lines = BufReader::new(&stream);
            let _ = lines.read_line(&mut request);
            let mut line = String::new();
            while lines.read_line(&mut line).is_ok_and(|size| size > 2) {
                line.clear();
            }
            let name = request.split(' ').nth(1).unwrap_or("/").trim_start_matches('/').to_owned();
            let kind = match name.rsplit('.').next() {
                Some("mjs") => "text/javascript",
                Some("html") => "text/html",
                _ => "application/octet-stream",
            };
            let (status, body) = match std::fs::read(directory.join(name)) {
                Ok(body) => ("200 OK", body),
                Err(_) => ("404 Not Found", Vec::new()),
            };
            let length = body.len();
            let head = format!(
                "HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n"
            );
            let _ = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(&body));
        }
    });
    Ok(address)
}

const PAGE: &str = "<!doctype html><title>Toy</title><script type=module>
const results = {};
try {
  const { run } = await import('./data.mjs');
  let [output, errors] = ['', ''];
  const files = { 'a.npy': new Uint8Array(await (await fetch('a.npy')).arrayBuffer()) };
  const streams = { print: (text) => (output += text), error: (text) => (errors += text) };
  const first = await run({ ...streams, args: ['a.npy', '2', '-o', 'b.csv'], files });
  const second = await run({ ...streams, args: ['c.npy', '2'], files });
  results.data = { first, second, output, errors, table: new TextDecoder().decode(files['b.csv']) };
  const library = await import('./out.mjs');
  results.half = [...library.half([1, 3])];
} catch (error) {
  results.error = error.stack;
}
document.results = results;
</script>";

fn page() -> Outcome {
    let directory = scratch("wasm/page");
    make_library(&directory, "-O2")?;
    std::fs::write(directory.join("data.toy"), "def main(a, k) { return a * k; }\n")?;
    let options = ["-O2", "--main", "main(2x3, ())"];
    programs::build_with(
        &directory.join("data.toy"),
        &directory.join("data.wasm"),
        &options,
        Some(TARGET),
    )?;
    std::fs::write(directory.join("a.npy"), npy())?;
    std::fs::write(directory.join("page.html"), PAGE)?;
    let address = served(directory)?;
    let driver = Driver::start()?;
    let browser = driver.browser(json!({}), "")?;
    browser.send("url", json!({ "url": format!("{address}/page.html") }))?;
    expect(&browser, "return document.results !== undefined", json!(true))?;
    let data = json!({
        "first": 0,
        "second": 1,
        "output": "",
        "errors": "data: error[E0540]: cannot read `c.npy`: a page has only the files that `run` gets as `files`\n",
        "table": "1,-2,4\n2e+300,2e-300,inf\n",
    });
    expect(&browser, "return document.results.data ?? document.results", data)?;
    expect(&browser, "return document.results.half ?? document.results", json!([0.5, 1.5]))
}
