//! Compiles `kernels.toy` into a static library with bindings for Rust.
//!
//! The compiler is the program that the variable TOYC names, or `toyc` on the path.

use std::path::Path;
use std::process::Command;

/// The functions that this crate calls, each with the shapes of its arguments.
const EXPORTS: [&str; 2] = ["correlation=correlation(512x512, 512x512)", "step({2x3, 2}, {2x3, 2}, ())"];

fn main() {
    let out = std::env::var("OUT_DIR").expect("cargo sets OUT_DIR");
    let target = std::env::var("TARGET").expect("cargo sets TARGET");
    let toyc = std::env::var("TOYC").unwrap_or_else(|_| "toyc".to_owned());
    for (emit, file) in [("staticlib", "libkernels.a"), ("rust", "kernels.rs")] {
        let mut command = Command::new(&toyc);
        command.args(["kernels.toy", "-O3", "--target", &target, "--emit", emit, "-o"]);
        command.arg(Path::new(&out).join(file));
        for export in EXPORTS {
            command.args(["--export", export]);
        }
        match command.status() {
            Ok(status) if status.success() => {}
            Ok(_) => panic!("toyc has found errors, see above"),
            Err(error) => panic!("cannot run `{toyc}`: {error}; set TOYC to the path of toyc"),
        }
    }
    println!("cargo:rustc-link-search=native={out}");
    println!("cargo:rustc-link-lib=static=kernels");
    println!("cargo:rerun-if-changed=kernels.toy");
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=TOYC");
}
