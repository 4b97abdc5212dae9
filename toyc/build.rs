//! Linker arguments that let the commands start fast. And the commit, for `toyc --version -v`.
//!
//! Input: `hot.txt`, LLVM's archives and the history of the repository. Output: arguments of the linker, and `TOYC_*`
//! variables for the compiler of the commands.

#[path = "build/layout.rs"]
mod layout;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::Command;

fn main() -> Result<(), Box<dyn Error>> {
    tell_version();
    // A program at a fixed address starts without the 140,000 relocations that MLIR's tables of
    // pointers would need: 4 million instructions less on every run.
    if env("CARGO_CFG_TARGET_OS") == "linux" {
        println!("cargo:rustc-link-arg-bins=-no-pie");
        // LLVM's 670 constructors of global objects run on every start. Side by side they fill a few
        // pages; among the functions of their files, the kernel maps 20 MiB around them.
        println!("cargo:rustc-link-arg-bins=-Wl,-z,keep-text-section-prefix");
    }
    let hot = PathBuf::from(env("CARGO_MANIFEST_DIR")).join("hot.txt");
    println!("cargo:rerun-if-changed={}", hot.display());
    let target = (env("CARGO_CFG_TARGET_OS"), env("CARGO_CFG_TARGET_ARCH"));
    if target == ("linux".to_owned(), "x86_64".to_owned()) {
        let order = PathBuf::from(env("OUT_DIR")).join("order.txt");
        // The build script of toy-compiler has found it.
        let bin = env("DEP_TOYRUNTIME_LLVM_BIN");
        std::fs::write(&order, layout::order(&hot, Path::new(&bin))?)?;
        println!("cargo:rustc-link-arg-bins=-Wl,--symbol-ordering-file={}", order.display());
        println!("cargo:rustc-link-arg-bins=-Wl,--no-warn-symbol-ordering");
    }
    Ok(())
}

fn env(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("cargo sets {name}"))
}

/// For `toyc --version -v`. Only a release knows its commit: a debug build would be linked again after each one.
fn tell_version() {
    let profile = env("PROFILE");
    let git = |arguments: &[&str]| {
        let answer = Command::new("git").args(arguments).output().ok()?;
        let text = String::from_utf8(answer.stdout).ok()?.trim().to_owned();
        (answer.status.success() && !text.is_empty()).then_some(text)
    };
    let mut commit = None;
    if profile == "release" {
        commit = git(&["rev-parse", "--short=12", "HEAD"]);
        for file in ["HEAD", "logs/HEAD"] {
            if let Some(path) = git(&["rev-parse", "--git-path", file])
                && Path::new(&path).exists()
            {
                println!("cargo:rerun-if-changed={path}");
            }
        }
    }
    println!("cargo:rustc-env=TOYC_COMMIT={}", commit.as_deref().unwrap_or("unknown"));
    println!("cargo:rustc-env=TOYC_PROFILE={profile}");
}
