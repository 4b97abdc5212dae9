//! Compiles the runtime (runtime/): once for the machine that the compiler will run on, for the JIT, and once to LLVM
//! bitcode for every target, for compiled programs. Input: the C files and clang of the LLVM
//! that tools/llvm-22/bin/llvm-config finds. Output: a static library and four `.bc` per target.
//! Invariant: nothing in the output depends on the machine that builds, only on cargo's `TARGET`.
//!
//! Also makes the tables of processors for `--cpu`, and the Toy dialect as bytecode, which starts fast.

#[path = "build/processors.rs"]
mod processors;

use std::path::{Path, PathBuf};
use std::process::Command;

/// The architectures of `codegen::target::TARGETS`, and their triples.
const BITCODE_TARGETS: [(&str, &str); 3] = [
    ("x86_64", "x86_64-unknown-linux-gnu"),
    ("aarch64", "aarch64-unknown-linux-gnu"),
    ("wasm32", "wasm32-unknown-unknown"),
];

/// The parts of the runtime that a module of WebAssembly has: it has one thread, and no Python calls it.
const WITHOUT_SYSTEM: [&str; 2] = ["runtime", "data"];

/// The line at which the second part of the dialect's definition begins.
const SECOND_PART: &str = "  // === second part ===";

fn main() {
    let root = PathBuf::from(env("CARGO_MANIFEST_DIR")).join("../..");
    let llvm_config = root.join("tools/llvm-22/bin/llvm-config");
    println!("cargo:rerun-if-changed={}", llvm_config.display());
    println!("cargo:rerun-if-env-changed=TOYC_LLVM_CONFIG");

    let bin = output(Command::new(&llvm_config).arg("--bindir"));
    // For the build script of toyc.
    println!("cargo:llvm-bin={bin}");
    let out = PathBuf::from(env("OUT_DIR"));
    let clang = Path::new(&bin).join("clang");
    // Relative, because LLVM's bitcode has the names: they are the same on every machine.
    let [source, threads, data, python] =
        ["runtime", "threads", "data", "python"].map(|name| format!("runtime/{name}.c"));
    let compile = |source: &str, target: &str| compile(&clang, &root, source, target);
    for (target, triple) in BITCODE_TARGETS {
        let sources =
            [("runtime", &source), ("threads", &threads), ("data", &data), ("python", &python)];
        let has = |name: &str| target != "wasm32" || WITHOUT_SYSTEM.contains(&name);
        for (name, source) in sources.into_iter().filter(|(name, _)| has(name)) {
            output(
                compile(source, triple)
                    .args(["-emit-llvm", "-o"])
                    .arg(out.join(format!("{name}-{target}.bc"))),
            );
        }
        let table = processors::table(triple, Path::new(&bin)).unwrap_or_else(|why| fail(&why));
        let file = out.join(format!("processors-{target}.rs"));
        std::fs::write(&file, table).unwrap_or_else(|error| fail(&format!("{file:?}: {error}")));
    }
    println!("cargo:rustc-link-search=native={}", out.display());
    println!("cargo:rerun-if-changed={}", root.join("runtime").display());
    let objects = ["runtime.o", "threads.o", "data.o"].map(|name| out.join(name));
    let machine = env("TARGET");
    output(compile(&source, &machine).arg("-DTOY_JIT").arg("-o").arg(&objects[0]));
    output(compile(&threads, &machine).arg("-o").arg(&objects[1]));
    output(compile(&data, &machine).arg("-DTOY_JIT").arg("-o").arg(&objects[2]));
    let library = out.join("libtoyruntime.a");
    let _ = std::fs::remove_file(&library);
    output(Command::new(Path::new(&bin).join("llvm-ar")).arg("rcs").arg(&library).args(&objects));
    println!("cargo:rustc-link-lib=static=toyruntime");

    bytecode_of_dialect(
        &root.join("crates/toy-compiler/src/dialect/toy.irdl.mlir"),
        Path::new(&bin),
        &out,
    );
}

/// Compiles the Toy dialect's definition to bytecode, which loads twice as fast as the text. The part after
/// [`SECOND_PART`] is a file of its own, loaded only for programs that need it: loading it would take a fifth of the
/// compile time of a small program.
fn bytecode_of_dialect(dialect: &Path, bin: &Path, out: &Path) {
    println!("cargo:rerun-if-changed={}", dialect.display());
    let text = std::fs::read_to_string(dialect)
        .unwrap_or_else(|error| fail(&format!("{}: {error}", dialect.display())));
    let Some((first, second)) = text.split_once(SECOND_PART) else {
        fail(&format!("{}: there is no line `{SECOND_PART}`", dialect.display()))
    };
    let parts = [
        ("toy", format!("{first}\n}}\n")),
        ("toy-second", format!("irdl.dialect @toy {{\n{second}")),
    ];
    for (name, text) in parts {
        let file = out.join(format!("{name}.irdl.mlir"));
        std::fs::write(&file, text).unwrap_or_else(|error| fail(&format!("{file:?}: {error}")));
        output(
            Command::new(bin.join("mlir-opt"))
                .args(["--strip-debuginfo", "--emit-bytecode"])
                .arg(&file)
                .arg("-o")
                .arg(out.join(format!("{name}.irdl.mlirbc"))),
        );
    }
}

fn compile(clang: &Path, root: &Path, source: &str, target: &str) -> Command {
    let mut command = Command::new(clang);
    command.current_dir(root);
    command.args(["-target", target]);
    command.args(["-std=c11", "-O2", "-nostdlibinc", "-Wall", "-Werror", "-c"]);
    if !target.starts_with("wasm32") {
        command.arg("-fPIC");
    }
    if target.starts_with("aarch64") {
        // Otherwise, atomic operations are functions of the compiler's library.
        command.arg("-mno-outline-atomics");
    }
    command.arg(source);
    command
}

fn env(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}

fn output(command: &mut Command) -> String {
    let result = command.output().unwrap_or_else(|error| fail(&format!("{command:?}: {error}")));
    if !result.status.success() {
        fail(&format!("{command:?}: {}", String::from_utf8_lossy(&result.stderr)));
    }
    String::from_utf8_lossy(&result.stdout).trim().to_owned()
}

fn fail(message: &str) -> ! {
    eprintln!("{message}");
    std::process::exit(1)
}
