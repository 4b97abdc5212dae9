//! Linker arguments that let the commands start fast. And the commit, for `toyc --version -v`.
//!
//! Input: `hot.txt`, LLVM's archives and the history of the repository. Output: arguments of the linker, and `TOYC_*`
//! variables for the compiler of the commands.

#[path = "build/layout.rs"]
mod layout;

use std::path::{Path, PathBuf};
use std::process::Command;

fn main() {
    tell_version();
    let folder = PathBuf::from(env("CARGO_MANIFEST_DIR"));
    let llvm_config = folder.join("../tools/llvm-22/bin/llvm-config");
    println!("cargo:rerun-if-changed={}", llvm_config.display());
    println!("cargo:rerun-if-env-changed=TOYC_LLVM_CONFIG");
    // A program at a fixed address starts without the 140,000 relocations that MLIR's tables of
    // pointers would need: 4 million instructions less on every run.
    if env("CARGO_CFG_TARGET_OS") == "linux" {
        println!("cargo:rustc-link-arg-bins=-no-pie");
        // LLVM's 670 constructors of global objects run on every start. Side by side they fill a few
        // pages; among the functions of their files, the kernel maps 20 MiB around them.
        println!("cargo:rustc-link-arg-bins=-Wl,-z,keep-text-section-prefix");
    }
    let hot = folder.join("hot.txt");
    println!("cargo:rerun-if-changed={}", hot.display());
    let target = (env("CARGO_CFG_TARGET_OS"), env("CARGO_CFG_TARGET_ARCH"), env("PROFILE"));
    if target == ("linux".to_owned(), "x86_64".to_owned(), "release".to_owned()) {
        let bin = output(Command::new(&llvm_config).arg("--bindir"));
        let order = PathBuf::from(env("OUT_DIR")).join("order.txt");
        let lines = layout::order(&hot, Path::new(&bin));
        std::fs::write(&order, lines.unwrap_or_else(|problem| fail(&problem)))
            .unwrap_or_else(|error| fail(&format!("{}: {error}", order.display())));
        println!("cargo:rustc-link-arg-bins=-Wl,--symbol-ordering-file={}", order.display());
        println!("cargo:rustc-link-arg-bins=-Wl,--no-warn-symbol-ordering");
    }
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
