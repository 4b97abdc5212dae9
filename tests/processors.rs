//! Processors: `--cpu`, `--features`, `--print`, `--fast-math`.
//!
//! Input: a kernel on literals that LLVM does not compute at compile time. Output: the numbers it prints, instructions
//! in object files, messages. Invariants tested here: a program prints the same for every processor, at every level, as
//! an executable and by the JIT; a file has instructions beyond the baseline only where they are asked for; a product
//! and a sum are rounded separately unless `--fast-math=contract` says otherwise; every name that `--print` lists
//! works.

use crate::tools::{Job, Outcome, Tests, fail, llvm_bin, root, scratch, toyc, trial};
use inkwell::context::Context;
use inkwell::memory_buffer::MemoryBuffer;
use libtest_mimic::{Failed, Trial};
use std::path::{Path, PathBuf};
use toy_compiler::codegen::target;
use toy_compiler::codegen::target::{Selection, TARGETS};
use toy_compiler::codegen::{object, translate};
use toy_compiler::source::Source;
use toy_compiler::{Compilation, Config, Stage};

/// A program that prints whether a result is rounded twice or once.
const PROGRAM: &str = "\
def f(a, b, c) {
  return a * b + c;
}
def main() {
  var a = [0.1, 0.7, 0.3, 1.1, 2.3, 3.7, 0.9, 5.1, 1.7];
  var b = [0.1, 0.3, 0.77, 1.3, 2.1, 3.3, 0.99, 5.7, 0.123];
  var c = [10000000, 0.01, 0.003, 7.1, 0.0001, 0.9, 0.5, 0.25, 0.45];
  var p = f(f(a, b, c), f(b, c, a), f(c, a, b));
  print(p - f(a, c, b) * 3.3);
  print(f(p, c, b) * 1000000000);
  var q<9, 9> = [
    0.1, 0.7, 0.3, 1.1, 2.3, 3.7, 0.9, 5.1, 1.7, 0.1, 0.3, 0.77, 1.3, 2.1, 3.3, 0.99, 5.7, 0.123,
    7.1, 0.7, 0.3, 1.1, 2.3, 3.7, 0.9, 5.1, 1.7, 9.1, 0.3, 0.77, 1.3, 2.1, 3.3, 0.99, 5.7, 0.123,
    6.1, 0.2, 0.9, 1.3, 2.3, 4.7, 0.9, 5.1, 1.7, 4.1, 0.3, 0.77, 1.3, 2.1, 3.3, 0.99, 5.7, 0.123,
    5.1, 0.3, 0.8, 1.2, 2.3, 5.7, 0.9, 5.1, 1.7, 2.1, 0.3, 0.77, 1.3, 2.1, 3.3, 0.99, 5.7, 0.123,
    4.1, 0.4, 0.7, 1.4, 2.3, 6.7, 0.9, 5.1, 1.7];
  print(f(transpose(q), q, f(q, q, q)) * 1000000000);
}
";

const X86: &str = "x86_64-unknown-linux-gnu";
const ARM: &str = "aarch64-unknown-linux-gnu";

pub fn trials() -> Vec<Trial> {
    let tests: Tests = vec![
        ("results_depend_on_no_processor", results_depend_on_no_processor),
        ("the_jit_uses_this_machines_processor", the_jit_uses_this_machines_processor),
        ("files_have_the_instructions_asked_for", files_have_the_instructions_asked_for),
        ("ir_names_the_processor", ir_names_the_processor),
        ("versions_have_the_same_bits", versions_have_the_same_bits),
        ("small_programs_have_no_versions", small_programs_have_no_versions),
        ("nothing_contracts_unless_asked", nothing_contracts_unless_asked),
        ("names_are_checked", names_are_checked),
        ("lists", lists),
        ("every_listed_name_works", every_listed_name_works),
        ("the_library_has_the_same_settings", the_library_has_the_same_settings),
    ];
    tests.into_iter().map(|(name, test)| trial(format!("processors/{name}"), test)).collect()
}

fn workspace(test: &str) -> Result<PathBuf, Failed> {
    let directory = scratch(&format!("processors/{test}"));
    std::fs::write(directory.join("program.toy"), PROGRAM)?;
    Ok(directory)
}

fn toyc_in(directory: &Path, arguments: &str) -> Job {
    let arguments = ["program.toy"].into_iter().chain(arguments.split_whitespace());
    toyc(arguments).current_dir(directory)
}

/// The processors whose programs run here.
pub fn runnable() -> Vec<&'static str> {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma") {
        return vec!["x86-64", "x86-64-v3", "native"];
    }
    vec![target::architecture(None).map_or("generic", |(here, _)| here.cpu), "native"]
}

fn results_depend_on_no_processor() -> Outcome {
    let directory = workspace("results_depend_on_no_processor")?;
    let expected = match crate::interpreter::run(PROGRAM) {
        Ok(output) => output,
        Err(mistake) => return fail(format!("the interpreter says: {mistake:?}")),
    };
    for cpu in runnable() {
        for level in ["-O0", "-O1", "-O2", "-O3"] {
            let options = format!("{level} --cpu {cpu}");
            toyc_in(&directory, &format!("-emit=jit {options}"))
                .run()?
                .exits(0)?
                .prints(&expected)?;
            if level == "-O1" {
                continue;
            }
            toyc_in(&directory, &format!("-o program {options}")).run()?.exits(0)?.silent()?;
            let run = Job::new(directory.join("program"), [""; 0]).run()?;
            run.exits(0)?.prints(&expected)?;
        }
    }
    Ok(())
}

fn the_jit_uses_this_machines_processor() -> Outcome {
    let directory = workspace("the_jit_uses_this_machines_processor")?;
    // The LLVM IR of a program that runs says for which processor it is.
    let saved = |options: &str| -> Result<String, Failed> {
        toyc_in(&directory, &format!("-O2 --save-temps {options}")).run()?.exits(0)?;
        Ok(std::fs::read_to_string(directory.join("program.ll"))?)
    };
    let (by_default, native) = (saved("-emit=jit")?, saved("-emit=jit --cpu native")?);
    let baseline = saved("-emit=exe")?;
    if by_default != native || !native.contains("\"target-cpu\"=") {
        return fail("the JIT does not use this machine's processor");
    }
    if baseline.contains("\"target-cpu\"=") || saved("-emit=jit --cpu x86-64")? != baseline {
        return fail("the baseline is not that of files");
    }
    Ok(())
}

/// The instructions of the object file, as text.
fn disassembly(directory: &Path, options: &str) -> Result<String, Failed> {
    toyc_in(directory, &format!("-emit=obj -o x.o {options}")).run()?.exits(0)?.silent()?;
    let arguments = ["-d", "--no-show-raw-insn", "--mattr=+all", "x.o"];
    let arguments = if options.contains(ARM) { &arguments[..] } else { &["-d", "x.o"] };
    let run = Job::new(llvm_bin().join("llvm-objdump"), arguments).current_dir(directory).run()?;
    Ok(run.exits(0)?.out())
}

fn files_have_the_instructions_asked_for() -> Outcome {
    let directory = workspace("files_have_the_instructions_asked_for")?;
    for (options, wanted, unwanted) in [
        (format!("--target {X86}"), "mulpd", "%ymm"),
        (format!("--target {X86} --cpu x86-64-v2"), "mulpd", "%ymm"),
        (format!("--target {X86} --cpu x86-64-v3"), "%ymm", "%zmm"),
        (format!("--target {X86} -mcpu=x86-64-v3"), "%ymm", "%zmm"),
        (format!("--target {X86} -march=x86-64-v3"), "%ymm", "%zmm"),
        (format!("--target {X86} --features +avx"), "%ymm", "%zmm"),
        (format!("--target {X86} --features=+avx2,+fma --features -avx"), "mulpd", "%ymm"),
        (format!("--target {X86} --cpu x86-64-v4 --features -avx512f"), "%ymm", "%zmm"),
        (format!("--target {X86} --cpu znver4"), "%zmm", "fmadd"),
        (format!("--target {ARM}"), ".2d", "z0.d"),
        (format!("--target {ARM} --features +sve"), "z0.d", "fmla"),
        (format!("--target {ARM} --cpu neoverse-v1"), "z0.d", "fmla"),
        (format!("--target {ARM} --features -neon"), "fmul", ".2d"),
    ] {
        let text = disassembly(&directory, &format!("-O3 {options}"))?;
        if !text.contains(wanted) || text.contains(unwanted) {
            return fail(format!("{options}: {wanted} is wanted, {unwanted} not:\n{text}"));
        }
    }
    Ok(())
}

fn ir_names_the_processor() -> Outcome {
    let directory = workspace("ir_names_the_processor")?;
    let ir = |options: &str| -> Result<String, Failed> {
        Ok(toyc_in(&directory, &format!("-emit=llvm --target {X86} {options}"))
            .run()?
            .exits(0)?
            .out())
    };
    let baseline = ir("")?;
    if baseline.contains("target-cpu") || ir("--cpu x86-64")? != baseline {
        return fail("the baseline needs no attribute");
    }
    let text = ir("--cpu haswell --features +avx512f,-fma")?;
    for attribute in ["\"target-cpu\"=\"haswell\"", "\"target-features\"=\"+avx512f,-fma\""] {
        if !text.contains(attribute) {
            return fail(format!("no {attribute} in\n{text}"));
        }
    }
    // A function's own attributes stay.
    let mlir = "llvm.func @f() attributes {target_cpu = \"znver3\"} { llvm.return }\n\
                llvm.func @main() -> i32 { %0 = llvm.mlir.constant(0 : i32) : i32 llvm.return %0 : i32 }\n";
    let run = toyc(["-x", "mlir", "-", "-emit=llvm", "--target", X86, "--cpu", "haswell"]);
    let text = run.stdin(mlir).run()?.exits(0)?.out();
    match text.contains("\"target-cpu\"=\"znver3\"") && text.contains("\"target-cpu\"=\"haswell\"")
    {
        true => Ok(()),
        false => fail(text),
    }
}

fn nothing_contracts_unless_asked() -> Outcome {
    let directory = workspace("nothing_contracts_unless_asked")?;
    let (v3, arm) = (format!("--target {X86} --cpu x86-64-v3"), format!("--target {ARM}"));
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        for (target, fused) in [(&v3, "fmadd"), (&arm, "fmadd\tfmla")] {
            let has = |options: &str| -> Result<bool, Failed> {
                let text = disassembly(&directory, &format!("{target} {level} {options}"))?;
                Ok(fused.split('\t').any(|name| text.contains(name)))
            };
            if has("")? {
                return fail(format!("{target} {level} contracts without being asked"));
            }
            // Code that is not optimized is not contracted either.
            if level != "-O0" && !has("--fast-math=contract")? {
                return fail(format!("{target} {level} does not contract"));
            }
        }
    }
    toyc_in(&directory, "--fast-math=associative").run()?.exits(2)?.says("contract")?;
    Ok(())
}

fn names_are_checked() -> Outcome {
    let directory = workspace("names_are_checked")?;
    let list =
        |what: &str, triple: &str| format!("`toyc --print {what} --target {triple}` lists them");
    let signs = "neither begins with `+` nor with `-`";
    for (options, code, message, help) in [
        (
            format!("--target {X86} --cpu znver44"),
            "E0520",
            "LLVM knows no processor `znver44` of x86_64",
            "did you mean `znver4`?".to_owned(),
        ),
        (
            format!("--target {X86} -march=Haswel"),
            "E0520",
            "no processor `Haswel` of x86_64",
            "did you mean `haswell`?".to_owned(),
        ),
        (
            format!("--target {X86} -mcpu=armv8-a"),
            "E0520",
            "no processor `armv8-a` of x86_64",
            list("cpus", X86),
        ),
        (
            format!("--target {X86} --cpu pentium4"),
            "E0520",
            "no processor `pentium4` of x86_64",
            list("cpus", X86),
        ),
        (format!("--target {X86} --cpu="), "E0520", "no processor `` of x86_64", list("cpus", X86)),
        (
            format!("--target {X86} --cpu neoverse-v1"),
            "E0522",
            "`neoverse-v1` is a processor of aarch64, but the target is x86_64",
            format!("compile for it with --target {ARM}"),
        ),
        (
            format!("--target {ARM} --cpu x86-64-v3"),
            "E0522",
            "`x86-64-v3` is a processor of x86_64, but the target is aarch64",
            format!("compile for it with --target {X86}"),
        ),
        (
            format!("--target {X86} --features +avx3"),
            "E0521",
            "x86_64 has no feature `avx3` to choose",
            "did you mean `avx`?".to_owned(),
        ),
        (
            format!("--target {X86} --features avx2"),
            "E0521",
            signs,
            "`+avx2` turns a feature on, `-avx2` off".to_owned(),
        ),
        (
            format!("--target {X86} --features +avx2,"),
            "E0521",
            signs,
            "turns a feature on".to_owned(),
        ),
        (
            format!("--target {X86} --features +"),
            "E0521",
            "no feature `` to choose",
            list("features", X86),
        ),
        (
            format!("--target {X86} --features +avx2,-sse2"),
            "E0521",
            "no feature `sse2` to choose",
            "leave it out: it is always on".to_owned(),
        ),
        (
            format!("--target {X86} --features +sve"),
            "E0521",
            "no feature `sve` to choose",
            "it is one of aarch64".to_owned(),
        ),
        (
            format!("--target {ARM} --features -fp-armv8"),
            "E0521",
            "no feature `fp-armv8` to choose",
            "leave it out: it is always on".to_owned(),
        ),
        (
            format!("--target {ARM} --features +sve,+avx2"),
            "E0521",
            "no feature `avx2` to choose",
            "it is one of x86_64".to_owned(),
        ),
        (
            "--target riscv64-unknown-linux-gnu --cpu native".to_owned(),
            "E0501",
            "riscv64",
            "--target".to_owned(),
        ),
        (
            format!("--cpu native --target {}", crate::programs::Cross::other().triple),
            "E0522",
            "`native` is this machine's processor, but the target is",
            "`toyc --print cpus --target ".to_owned(),
        ),
    ] {
        // At every stage, so that a mistake shows before anything is made.
        for stage in ["ast", "exe", "jit"] {
            let run = toyc_in(&directory, &format!("{options} -emit={stage}")).run()?;
            run.diagnosed(code)?.says(message)?.says(&help)?;
        }
    }
    let count = std::fs::read_dir(&directory)?.count();
    if count == 1 { Ok(()) } else { fail("a file was made") }
}

fn lists() -> Outcome {
    let list = |arguments: &str| -> Result<Vec<String>, Failed> {
        let run = toyc(arguments.split(' ')).run()?.exits(0)?.silent()?;
        let words = |line: &str| line.split_whitespace().collect::<Vec<_>>().join(" ");
        Ok(run.out().lines().map(words).collect())
    };
    let other = crate::programs::Cross::other().triple;
    for (arguments, line) in [
        ("--print targets".to_owned(), other.to_owned()),
        (format!("--print cpus --target {X86}"), "x86-64 the default of files".to_owned()),
        (format!("--print=cpus --target {X86}"), "x86-64-v2".to_owned()),
        (format!("--print cpus --target {ARM}"), "neoverse-v1".to_owned()),
        (
            format!("--print features --target {ARM}"),
            "sve Enable Scalable Vector Extension (SVE) instructions".to_owned(),
        ),
    ] {
        let lines = list(&arguments)?;
        if !lines.iter().any(|found| **found == line) {
            return fail(format!("{arguments}: `{line}` is not among {lines:#?}"));
        }
    }
    let native = |lines: Vec<String>| lines.iter().any(|line| line.starts_with("native "));
    if !native(list("--print cpus")?) || native(list(&format!("--print cpus --target {other}"))?) {
        return fail("`native` is a processor of this machine only");
    }
    toyc(["--print", "cpus", "--target", "pdp11"]).run()?.diagnosed("E0501")?;
    toyc(["--print", "everything"]).run()?.exits(2)?.says("cpus, features, targets")?;
    Ok(())
}

/// LLVM ends the process where it cannot generate code for a combination.
fn every_listed_name_works() -> Outcome {
    let ir = "\
define void @f(ptr noalias %a, ptr noalias %b, i64 %n, double %x) {
entry:
  br label %loop
loop:
  %i = phi i64 [ 0, %entry ], [ %j, %loop ]
  %p = getelementptr double, ptr %a, i64 %i
  %q = getelementptr double, ptr %b, i64 %i
  %v = load double, ptr %p
  %w = fmul double %v, %x
  %u = fadd double %w, %x
  store double %u, ptr %q
  %j = add i64 %i, 1
  %m = icmp ult i64 %j, %n
  br i1 %m, label %loop, label %end
end:
  ret void
}
define double @g(double %x, double %y) {
  %s = fsub double %x, %y
  %d = fdiv double %s, %y
  ret double %d
}
";
    for architecture in TARGETS {
        let triple = Some(architecture.triple.to_owned());
        let cpus =
            architecture.processors.cpus.iter().map(|cpu| (Some((*cpu).to_owned()), String::new()));
        let features = architecture.processors.features.iter();
        let features =
            features.flat_map(|(name, _)| ["+", "-"].map(|sign| (None, format!("{sign}{name}"))));
        let mut tried = 0;
        for (cpu, features) in cpus.chain(features) {
            let shown = format!("{cpu:?} {features}");
            let selection =
                Selection { triple: triple.clone(), cpu, features, ..Selection::default() };
            let complain = |what: String| Failed::from(format!("{shown}: {what}"));
            let machine = target::machine(&selection, 2).map_err(|d| complain(d.message))?;
            let context = Context::create();
            let text = MemoryBuffer::create_from_memory_range_copy(ir.as_bytes(), "kernel");
            let module =
                context.create_module_from_ir(text).map_err(|e| complain(e.to_string()))?;
            module.set_triple(&machine.machine.get_triple());
            module.set_data_layout(&machine.machine.get_target_data().get_data_layout());
            machine.processor.mark(&module);
            let complain =
                |d: Vec<toy_compiler::diagnostic::Diagnostic>| complain(format!("{d:?}"));
            translate::optimize(&module, &machine, 2).map_err(complain)?;
            let object = object::object(&module, &machine).map_err(complain)?;
            if object.is_empty() {
                return fail(shown);
            }
            tried += 1;
        }
        if tried < if architecture.is_wasm() { 15 } else { 200 } {
            return fail(format!("only {tried} names of {}", architecture.names[0]));
        }
    }
    Ok(())
}

fn the_library_has_the_same_settings() -> Outcome {
    let source = || Source::new("program.toy", PROGRAM);
    let mut config = Config { optimization_level: 2, ..Config::default() };
    let by_default =
        toy_compiler::run(source(), config.clone()).map_err(|d| format!("{d:?}"))?.output;
    config.cpu = Some(runnable()[0].to_owned());
    if toy_compiler::run(source(), config.clone()).map_err(|d| format!("{d:?}"))?.output
        != by_default
    {
        return fail("the processor changes the result");
    }
    config.target = Some(X86.to_owned());
    config.cpu = Some("x86-64-v3".to_owned());
    config.contracts = true;
    let assembly = toy_compiler::compile(source(), config.clone(), Stage::Asm)
        .map_err(|d| format!("{d:?}"))?;
    if !assembly.text().contains("vfmadd") {
        return fail(assembly.text());
    }
    config.features = "+everything".to_owned();
    let mut compilation = Compilation::new(source(), config);
    match compilation.advance_to(Stage::Ast, &mut ()) {
        Err(diagnostics) if diagnostics[0].code.id == "E0521" => Ok(()),
        other => fail(format!("{other:?}")),
    }
}

/// A program whose loops have versions for all processors.
const LARGE: &str = "\
def act(a, b) {
  return tanh(a) * b + sin(a) - pow(abs(a), 0.3);
}
def deep(n, x) {
  if (n > 0) { return deep(n - 1, x @ x * 0.01); }
  return sum(x, axis = 1);
}
def main() {
  var x = reshape(range(4356), 66, 66) * 0.0001;
  var y = x @ transpose(x);
  for _ in 0..3 { y = act(transpose(y), x) * 0.01 + y[0]; }
  print(sum(y) * 1e9, max(y) * 1e9);
  print(deep(3, y * 100)[0:5] * 1e12);
  print(transpose(y)[0:2, 0:3] * y[0:2, 0:3] * 1e9);
}
";

fn versions_have_the_same_bits() -> Outcome {
    let directory = scratch("processors/versions_have_the_same_bits");
    std::fs::write(directory.join("program.toy"), LARGE)?;
    let run = toyc_in(&directory, "-emit=jit -O0").run()?;
    let expected = run.exits(0)?.out();
    for options in ["-O2", "-O3", "-O2 -g", "-O2 --threads 2"] {
        let target = format!("--target {X86}");
        let ir = toyc_in(&directory, &format!("-emit=llvm -o - {target} {options}")).run()?;
        for version in ["x86-64-v3", "x86-64-v4"] {
            if !ir.out().contains(&format!("\"target-cpu\"=\"{version}\"")) {
                return fail(format!("{options}: no version for {version}"));
            }
        }
        toyc_in(&directory, &format!("-o program {options}")).run()?.exits(0)?.silent()?;
        for cpu in ["x86-64", "x86-64-v2", "x86-64-v3", "x86-64-v4", "x86-65", ""] {
            let run = Job::new(directory.join("program"), [""; 0]).env("TOYC_CPU", cpu).run()?;
            run.exits(0)?.prints(&expected)?;
        }
    }
    // With `--cpu` and features there is one version.
    for options in
        ["--cpu x86-64", "--cpu x86-64-v3", "--features +avx", "--target aarch64-unknown-linux-gnu"]
    {
        let target =
            if options.contains("--target") { "" } else { "--target x86_64-unknown-linux-gnu" };
        let ir = toyc_in(&directory, &format!("-emit=llvm -o - -O2 {target} {options}")).run()?;
        if ir.exits(0)?.out().contains("toy.processor") {
            return fail(format!("{options}: the program chooses a processor"));
        }
    }
    Ok(())
}

/// The examples have no large loops: their files are those of `--cpu x86-64`.
fn small_programs_have_no_versions() -> Outcome {
    for entry in std::fs::read_dir(root().join("examples"))? {
        let path = entry?.path();
        if path.extension().is_none_or(|extension| extension != "toy")
            || path.ends_with("mistake.toy")
            // Its products are large.
            || path.ends_with("mlp_f32.toy")
        {
            continue;
        }
        let path = path.to_string_lossy().into_owned();
        let ir = |options: &[&str]| -> Result<String, Failed> {
            let arguments =
                [&[path.as_str(), "-O2", "-emit=llvm", "-o", "-", "--target", X86], options];
            Ok(toyc(arguments.concat()).run()?.exits(0)?.out())
        };
        let any = ir(&[])?;
        let is_version = |line: &str| line.starts_with("define") && line.contains(".x86-64-v");
        let versions: Vec<_> = any.lines().filter(|line| is_version(line)).collect();
        // Products choose the instruction for each of their steps.
        let expected = usize::from(any.contains("@toy.fma"));
        if versions.len() != expected || !versions.iter().all(|it| it.contains("@toy.fma.")) {
            return fail(format!("{path} has versions: {versions:#?}"));
        }
        if expected == 0 && any != ir(&["--cpu", "x86-64"])? {
            return fail(format!("{path} is not what it is for one processor"));
        }
    }
    Ok(())
}
