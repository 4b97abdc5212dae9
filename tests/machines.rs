//! Three machines that may differ: toyc is built on one, runs on one, and makes programs for one.
//!
//! Input: toyc's build script and the stand-in for llvm-config, with cargo's variables for a build for another machine;
//! programs and linkers that show how they are called. Invariants tested here: builds are for cargo's `TARGET`; a
//! program is linked with the libraries that it needs and with nothing that the target may lack; the C library of a
//! target is never replaced by another one. `tests/aarch64-host` builds all of toyc for another machine and runs it.

use crate::programs::Cross;
use crate::tools::{
    Job, Outcome, Run, Tests, fail, find, root, scratch, toyc, trial, trial_unless,
};
use libtest_mimic::{Failed, Trial};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

pub fn trials() -> Vec<Trial> {
    let tests: Tests = vec![
        ("the_runtime_is_for_cargos_target", runtime),
        ("llvm_is_the_one_of_cargos_target", llvm),
        ("a_machine_without_llvm_is_told_what_to_do", no_llvm),
        ("math_is_linked_where_it_is_called", math),
        ("math_that_names_missing_files_is_reported", broken_math),
        ("a_missing_cross_compiler_is_named_with_its_packages", no_compiler),
        ("musl_is_linked_by_its_own_compiler", musl),
        ("musl_is_not_replaced_by_another_library", no_musl),
        ("this_machines_missing_compiler_is_named_with_its_packages", no_own_compiler),
        ("triples_may_leave_out_the_library", without_library),
    ];
    let tests = tests.into_iter().map(|(name, test)| trial(format!("machines/{name}"), test));
    tests.chain([a_real_musl(), a_script_for_math()]).collect()
}

const THIS: &str = if cfg!(target_arch = "aarch64") { "aarch64" } else { "x86_64" };

/// The numbers of architectures in ELF files.
fn number(architecture: &str) -> u8 {
    if architecture == "aarch64" { 183 } else { 62 }
}

/// The build script with the variables that cargo sets for a build for the other architecture.
fn runtime() -> Outcome {
    let directory = scratch("machines/runtime");
    let script = directory.join("build-script");
    let source = root().join("crates/toy-compiler/build.rs");
    let options = ["--edition", "2024", "-o"].map(Into::into);
    let arguments = options.into_iter().chain([script.clone(), source]);
    Job::new("rustc", arguments).run()?.exits(0)?;
    for architecture in [THIS, Cross::other().architecture] {
        let out = directory.join(architecture);
        std::fs::create_dir(&out)?;
        Job::new(&script, [""; 0])
            .current_dir(root().join("crates/toy-compiler"))
            .env("CARGO_MANIFEST_DIR", root().join("crates/toy-compiler"))
            .env("CARGO_CFG_TARGET_OS", "linux")
            .env("CARGO_CFG_TARGET_ARCH", architecture)
            .env("PROFILE", "debug")
            .env("TARGET", format!("{architecture}-unknown-linux-gnu"))
            .env("OUT_DIR", &out)
            .run()?
            .exits(0)?;
        for object in ["runtime.o", "threads.o"] {
            let bytes = std::fs::read(out.join(object))?;
            if bytes.get(18) != Some(&number(architecture)) {
                return fail(format!("{object} is not for {architecture}"));
            }
        }
    }
    Ok(())
}

/// The answers of the stand-in for llvm-config.
fn llvm() -> Outcome {
    let directory = scratch("machines/llvm");
    let prefix = directory.join("with a blank/llvm");
    std::fs::create_dir_all(prefix.join("lib"))?;
    let ask = |question: &str, target: &str| {
        Job::new(root().join("tools/llvm-22/bin/llvm-config"), [question])
            .env("HOST", "x86_64-unknown-linux-gnu")
            .env("TARGET", target)
            .env("TOYC_LLVM_PREFIX_aarch64_unknown_linux_gnu", &prefix)
            .run()
    };
    let (here, there) = ("x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu");
    let missing = ask("--libdir", there)?.exits(1)?.prints("")?;
    missing.says("TOYC_LLVM_PREFIX_aarch64_unknown_linux_gnu")?.says(there)?;
    std::fs::write(prefix.join("lib/libMLIRIR.a"), "")?;
    for (question, folder) in [("--libdir", "lib"), ("--includedir", "include")] {
        let answer = format!("{}\n", prefix.join(folder).display());
        ask(question, there)?.exits(0)?.silent()?.prints(&answer)?;
        if ask(question, here)?.exits(0)?.out() == answer {
            return fail(format!("{question} is that of another machine"));
        }
    }
    let flags = ask("--cflags", there)?.exits(0)?.out();
    if !flags.starts_with(&format!("-I{} ", prefix.join("include").display())) {
        return fail(format!("--cflags says {flags}"));
    }
    // Tools run on the machine that builds, and so do libraries that build scripts and macros are linked with.
    let bin = ask("--bindir", here)?.exits(0)?.stdout;
    ask("--bindir", there)?.exits(0)?.prints(bin)?;
    Ok(())
}

/// A machine without LLVM's packages gets advice that fits it.
fn no_llvm() -> Outcome {
    for (name, system, programs, remedy) in [
        ("debian", "Linux", &["dpkg-query"][..], "run ./setup"),
        ("linux", "Linux", &[], "set TOYC_LLVM_CONFIG"),
        ("macos", "Darwin", &["dpkg-query"], "use the Dockerfile"),
    ] {
        let directory = scratch(&format!("machines/no_llvm_{name}"));
        make_program(&directory, "uname", &format!("echo {system}"))?;
        for program in programs {
            make_program(&directory, program, "exit 1")?;
        }
        // An llvm-config of a machine that has no header and no library of MLIR.
        make_program(&directory, "llvm-config", "echo /nowhere")?;
        let run = |script: &str| {
            Job::new("/bin/bash", [root().join(script)])
                .env("PATH", &directory)
                .env("TOYC_LLVM_CONFIG", directory.join("llvm-config"))
                .run()
        };
        run("tools/llvm-22/bin/llvm-config")?.exits(1)?.says(remedy)?;
        if programs != ["dpkg-query"] || system != "Linux" {
            run("setup")?.exits(1)?.says(remedy)?;
        }
    }
    Ok(())
}

const PLAIN: &str = "def main() { print([[1, 2], [3, 4]] + [[1, 2], [3, 4]]); }\n";

/// Mathematics that need no library.
const EXP: &str = "def f(a) { return exp(a) + sin(a); }\ndef main() { print(f([0, 0])); }\n";

/// `fmod`, which only the code generator knows of.
const MODULO: &str = "def f(a, b) { return a % b; }\ndef main() { print(f([7.5, 5], [2, 2])); }\n";
const REMAINDER: &str = "\
func.func @f(%a: f64, %b: f64) -> f64 attributes { no_inline } {
  %0 = arith.remf %a, %b : f64
  return %0 : f64
}
func.func @main() {
  %list = arith.constant dense<[7.5, 2.0]> : tensor<2xf64>
  %i = arith.constant 0 : index
  %j = arith.constant 1 : index
  %a = tensor.extract %list[%i] : tensor<2xf64>
  %b = tensor.extract %list[%j] : tensor<2xf64>
  %0 = func.call @f(%a, %b) : (f64, f64) -> f64
  %1 = tensor.from_elements %0 : tensor<f64>
  \"toy.print\"(%1) : (tensor<f64>) -> ()
  return
}
";

/// A linker without a library of mathematical functions, like Debian 12's for x86-64 on other machines.
fn math() -> Outcome {
    let directory = scratch("machines/math");
    let programs = [
        ("plain.toy", PLAIN),
        ("exp.toy", EXP),
        ("modulo.toy", MODULO),
        ("remainder.mlir", REMAINDER),
    ];
    for (file, text) in programs {
        std::fs::write(directory.join(file), text)?;
    }
    let text = "case \" $* \" in *' -lm '*) echo no libm >&2; exit 1;; esac; exec cc \"$@\"";
    make_program(&directory, "linker", text)?;
    let run = |arguments: &str| toyc(arguments.split_whitespace()).current_dir(&directory).run();
    // A plain program needs only the C library proper, however it is used.
    for options in ["-o out", "-O0 -o out", "-g -o out", "-emit=lib -o out.so --export f(2)"] {
        let file = if options.contains("lib") { "plain_f.toy" } else { "plain.toy" };
        std::fs::write(directory.join("plain_f.toy"), "def f(a) { return a + a; }\n")?;
        run(&format!("{file} {options} --linker ./linker"))?.exits(0)?.silent()?;
    }
    run("exp.toy -O0 -o out --linker ./linker")?.exits(0)?.silent()?;
    for (program, output) in [("modulo.toy", "1.500000 1.000000 "), ("remainder.mlir", "1.500000 ")]
    {
        let refused = run(&format!("{program} -O0 -o out --linker ./linker"))?;
        refused.diagnosed("E0502")?.says("no libm")?;
        run(&format!("{program} -O0 -o out"))?.exits(0)?.silent()?;
        Job::new(directory.join("out"), [""; 0]).run()?.exits(0)?.prints(output)?;
    }
    Ok(())
}

/// A cross compiler as Debian's for x86-64: its `libm.a` is a script that names files which only the other machine has.
/// It is the real one, which finds that script before its own library. Its folder, with the script.
fn debian_compiler(directory: &Path, compiler: &Path) -> Result<PathBuf, Failed> {
    let library = directory.join("other/lib");
    std::fs::create_dir_all(&library)?;
    let script = "/* GNU ld script\n*/\nGROUP ( /usr/lib/no-machine/libm-0.a /usr/lib/no-machine/libmvec.a )\n";
    std::fs::write(library.join("libm.a"), script)?;
    let folder = library.display();
    let text = format!(
        "[ \"$1\" = -print-file-name=libm.a ] && echo '{folder}/libm.a' && exit; exec '{}' -L'{folder}' \"$@\"",
        compiler.display()
    );
    make_program(
        &directory.join("bin"),
        &format!("{}-linux-gnu-gcc", Cross::other().architecture),
        &text,
    )?;
    Ok(library)
}

fn for_other(directory: &Path, program: &str) -> Result<Run, Failed> {
    let path = format!("{}:/usr/bin:/bin", directory.join("bin").display());
    let arguments = [program, "-O0", "-v", "-o", "out", "--target", Cross::other().triple];
    toyc(arguments).current_dir(directory).env("PATH", path).run()
}

/// The archives are beside the script, and are linked.
fn a_script_for_math() -> Trial {
    Cross::other().trial("machines/math_is_found_beside_its_script".to_owned(), |cross| {
        let directory = scratch("machines/script");
        let compiler = find(&format!("{}-linux-gnu-gcc", cross.architecture)).unwrap_or_default();
        let answer = Job::new(&compiler, ["-print-file-name=libm.a"]).run()?.exits(0)?.out();
        let real = PathBuf::from(answer.trim());
        let library = debian_compiler(&directory, &compiler)?;
        // Where the real one is a script, the archive is beside it.
        let entries = std::fs::read_dir(real.parent().unwrap_or(&real))?.flatten();
        let named = entries.map(|entry| entry.path()).find(|path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            name.starts_with("libm-") && name.ends_with(".a")
        });
        std::fs::copy(named.unwrap_or(real), library.join("libm-0.a"))?;
        std::fs::write(library.join("libmvec.a"), "!<arch>\n")?;
        for (program, text, output) in [
            ("modulo.toy", MODULO, "1.500000 1.000000 "),
            ("remainder.mlir", REMAINDER, "1.500000 "),
        ] {
            std::fs::write(directory.join(program), text)?;
            for_other(&directory, program)?.exits(0)?.says("libm-0.a")?.says("libmvec.a")?;
            let run = Job::new(cross.emulator, [directory.join("out")]).run()?;
            run.exits(0)?.prints(output)?;
        }
        // A script whose files are where it says is the linker's business, and so is an archive.
        let (script, archive) = (library.join("libm.a"), library.join("libm-0.a"));
        std::fs::write(&script, format!("INPUT({})\n", archive.display()))?;
        for_other(&directory, "modulo.toy")?.exits(0)?.says(" -lm\n")?;
        std::fs::copy(&archive, &script)?;
        for_other(&directory, "modulo.toy")?.exits(0)?.says(" -lm\n")?;
        Ok(())
    })
}

/// Without archives, the message names the missing ones and the package that has them.
fn broken_math() -> Outcome {
    let directory = scratch("machines/broken_math");
    let package = if THIS == "aarch64" { "libc6-dev-amd64-cross" } else { "libc6-dev-arm64-cross" };
    debian_compiler(&directory, Path::new("/bin/false"))?;
    std::fs::write(directory.join("modulo.toy"), MODULO)?;
    let run = for_other(&directory, "modulo.toy")?.exits(1)?.says("E0502")?;
    run.says("other/lib/libm.a` names files")?
        .says("`/usr/lib/no-machine/libm-0.a`")?
        .says(package)?
        .says("--linker")?;
    let none = "echo libm.a; [ $# = 1 ]";
    let name = format!("{}-linux-gnu-gcc", Cross::other().architecture);
    make_program(&directory.join("bin"), &name, none)?;
    let run = for_other(&directory, "modulo.toy")?.exits(1)?.says("E0502")?;
    run.says("this compiler has no `libm.a`")?.says(package)?;
    Ok(())
}

fn no_compiler() -> Outcome {
    let directory = compilers("no_compiler", &["cc"])?;
    let other = Cross::other();
    let run = for_target(&directory, other.triple)?.exits(1)?.says("E0502")?;
    let (debian, name) = match other.architecture {
        "aarch64" => ("arm64", "aarch64"),
        _ => ("amd64", "x86-64"),
    };
    run.says(&format!("`gcc-{name}-linux-gnu`"))?.says(&format!("`libc6-dev-{debian}-cross`"))?;
    Ok(())
}

/// Makes a script with a name.
fn make_program(directory: &Path, name: &str, text: &str) -> Outcome {
    std::fs::create_dir_all(directory)?;
    std::fs::write(directory.join(name), format!("#!/bin/sh\n{text}\n"))?;
    std::fs::set_permissions(directory.join(name), std::fs::Permissions::from_mode(0o755))?;
    Ok(())
}

/// A directory with a program, and a directory of compilers, the only ones that toyc finds.
fn compilers(test: &str, names: &[&str]) -> Result<PathBuf, Failed> {
    let directory = scratch(&format!("machines/{test}"));
    std::fs::write(directory.join("p.toy"), PLAIN)?;
    for name in names {
        let compiler = find("cc").unwrap_or_default();
        make_program(
            &directory.join("bin"),
            name,
            &format!(
                "PATH=/usr/bin:/bin; echo \"$0\" >> called; exec '{}' \"$@\"",
                compiler.display()
            ),
        )?;
    }
    Ok(directory)
}

fn for_target(directory: &Path, target: &str) -> Result<Run, Failed> {
    let _ = std::fs::remove_file(directory.join("called"));
    let arguments = ["p.toy", "-o", "p", "-v", "--target", target];
    toyc(arguments).current_dir(directory).env("PATH", directory.join("bin")).run()
}

/// Fails unless the compiler of this name, and no other, has been called.
fn called(directory: &Path, name: &str) -> Outcome {
    let called = std::fs::read_to_string(directory.join("called")).unwrap_or_default();
    let names: Vec<_> = called.lines().filter_map(|line| line.rsplit('/').next()).collect();
    if names == [name] { Ok(()) } else { fail(format!("called: {names:?}, expected {name}")) }
}

fn musl() -> Outcome {
    let target = format!("{THIS}-unknown-linux-musl");
    let own = format!("{THIS}-linux-musl-gcc");
    for (test, others, expected) in [
        ("both", ["cc", "musl-gcc", &own].as_slice(), own.as_str()),
        ("one", &["cc", "musl-gcc"], "musl-gcc"),
    ] {
        let directory = compilers(&format!("musl_{test}"), others)?;
        let run = for_target(&directory, &target)?.exits(0)?;
        // Linked statically: the loader of musl need not be on this machine.
        run.says(&format!("{expected} "))?.says(" -static")?;
        called(&directory, expected)?;
        for_target(&directory, &format!("{THIS}-unknown-linux-gnu"))?.exits(0)?;
        called(&directory, "cc")?;
    }
    Ok(())
}

fn no_own_compiler() -> Outcome {
    let directory = compilers("no_own_compiler", &[])?;
    let here = format!("{THIS}-unknown-linux-gnu");
    let needed = "`gcc` and `libc6-dev` on Debian and Ubuntu";
    for_target(&directory, &here)?.diagnosed("E0502")?.says("`cc`")?.says(needed)?;
    // A compiler without the C library's files for developers.
    let message = "echo '/usr/bin/ld: cannot find Scrt1.o: No such file or directory' >&2; exit 1";
    make_program(&directory.join("bin"), "cc", message)?;
    for_target(&directory, &here)?.diagnosed("E0502")?.says("Scrt1.o")?.says(needed)?;
    // Programs that run at once need neither.
    let run = toyc(["run", "p.toy"]).current_dir(&directory).env("PATH", "/nowhere").run()?;
    run.exits(0)?;
    Ok(())
}

fn no_musl() -> Outcome {
    let other = Cross::other().architecture;
    let directory = compilers("no_musl", &["cc", &format!("{other}-linux-gnu-gcc")])?;
    let run = for_target(&directory, &format!("{THIS}-unknown-linux-musl"))?;
    run.exits(1)?.says("E0502")?.says("`musl-tools`")?.says("--linker")?;
    let run = for_target(&directory, &format!("{other}-unknown-linux-musl"))?;
    run.exits(1)?.says("E0502")?.says(&format!("{other}-linux-musl-gcc"))?;
    // `musl-gcc` is for this machine's processor.
    make_program(&directory.join("bin"), "musl-gcc", "touch called")?;
    let run = for_target(&directory, &format!("{other}-unknown-linux-musl"))?;
    run.exits(1)?.says("E0502")?;
    if directory.join("called").exists() || directory.join("p").exists() {
        return fail("another compiler was called");
    }
    Ok(())
}

/// The library is then this machine's or, for others, the usual one; and architectures have two names.
fn without_library() -> Outcome {
    let other = Cross::other().architecture;
    let compiler = format!("{other}-linux-gnu-gcc");
    let directory = compilers("no_library", &["cc", &compiler])?;
    for target in [format!("{THIS}-unknown-linux"), format!("{THIS}-linux")] {
        for_target(&directory, &target)?.exits(0)?;
        called(&directory, "cc")?;
    }
    let alias = if other == "aarch64" { "arm64" } else { "amd64" };
    for target in [format!("{other}-unknown-linux"), format!("{alias}-unknown-linux-gnu")] {
        // The compiler of this name is this machine's, which rejects the object.
        for_target(&directory, &target)?.exits(1)?.says("E0502")?;
        called(&directory, &compiler)?;
    }
    Ok(())
}

/// The tools themselves, where they are: a program that runs, without any of glibc.
fn a_real_musl() -> Trial {
    let name = "machines/a_program_for_musl_has_no_glibc".to_owned();
    let compilers = [format!("{THIS}-linux-musl-gcc"), "musl-gcc".to_owned()];
    let is_missing = compilers.iter().all(|compiler| find(compiler).is_none());
    trial_unless(is_missing.then_some("musl-gcc"), name, || {
        let directory = scratch("machines/real_musl");
        std::fs::write(directory.join("p.toy"), MODULO)?;
        let target = format!("{THIS}-unknown-linux-musl");
        let run = toyc(["p.toy", "-o", "p", "--target", &target]).current_dir(&directory).run()?;
        run.exits(0)?.silent()?;
        let run = Job::new(directory.join("p"), [""; 0]).run()?;
        run.exits(0)?.prints("1.000000 1.000000 ")?;
        let bytes = std::fs::read(directory.join("p"))?;
        let has = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
        if has(b"GLIBC") || has(b"glibc") { fail("there is glibc in the program") } else { Ok(()) }
    })
}
