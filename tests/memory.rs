//! Memory: every program frees its allocations, once, and touches nothing else.
//!
//! Input: the programs of [`crate::programs`]. Each is compiled to an executable at -O2 or, in turn, at -O0, at both with
//! TOYC_TEST_ALL=1, and run by valgrind, several of them in one run: see [`together`]. Invariant: no error, no leak, and the same output as
//! without valgrind.

pub mod together;

use crate::programs::{self, build};
use crate::tools::{Job, Outcome, Run, TOYC, fail, find, root, scratch, toyc, trial, ways};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, OnceLock};
use together::Part;

/// The exit status of valgrind if it has found something; no Toy program has it.
const FOUND: i32 = 99;

/// The most programs of one run of valgrind.
const GROUP: usize = 16;

pub fn trials() -> Vec<Trial> {
    let mut trials = vec![
        trial("memory/valgrind_finds_a_leak", valgrind_finds_a_leak),
        trial("memory/a_leak_among_other_programs_is_found", leak_among_others),
        trial("memory/small_programs_have_their_memory_on_the_stack", small_programs),
        trial("memory/large_programs_ask_for_what_they_need", large_program),
        trial("memory/small_tensors_ask_for_what_malloc_would_give", small_tensors),
        trial("memory/what_nothing_reads_has_no_memory", unread_arguments),
        trial("memory/more_than_the_machine_has_is_refused_with_its_size", too_much),
        trial("memory/what_fits_only_alone_is_refused_with_its_size", too_much_together),
        trial("memory/loops_of_the_examples_allocate_nothing", loops_of_examples),
        trial("memory/large_values_are_not_kept_for_a_second_use", large_values),
    ];
    for level in LEVELS {
        trials.extend(checks(level));
    }
    trials
}

/// The programs that share a run of valgrind, and their errors, once it has run.
struct Group {
    parts: Vec<Part>,
    failures: OnceLock<BTreeMap<String, String>>,
}

/// The levels at which programs take turns.
const LEVELS: [&str; 2] = ["-O2", "-O0"];

/// A test for each program. Neighbors are in different groups, so that no test waits for the run that another one of
/// the same group has begun.
fn checks(level: &'static str) -> Vec<Trial> {
    let options: &[&str] = if level == "-O0" { &["-O0"] } else { &["-O2"] };
    let programs = programs::all().into_iter().enumerate();
    let programs = programs.filter(|(number, _)| ways(&LEVELS, *number).any(|it| it == level));
    let programs: Vec<_> = programs.map(|(_, program)| program).collect();
    let count = programs.len().div_ceil(GROUP);
    let mut groups = vec![Vec::new(); count];
    for (index, program) in programs.iter().enumerate() {
        groups[index % count].push(Part {
            name: program.name.clone(),
            source: program.source.clone(),
            options,
            expected: std::fs::read(&program.expected).unwrap_or_default(),
        });
    }
    let groups: Vec<_> = groups
        .into_iter()
        .map(|parts| Arc::new(Group { parts, failures: OnceLock::new() }))
        .collect();
    let of = |(index, program): (usize, programs::Program)| {
        let group = groups[index % count].clone();
        trial(format!("memory/valgrind{level}/{}", program.name), move || {
            let failures = group.failures.get_or_init(|| {
                let folder = scratch(&format!("memory/{level}/{}", index % count));
                together::failures(&group.parts, &folder)
            });
            failures.get(&program.name).map_or(Ok(()), fail)
        })
    };
    programs.into_iter().enumerate().map(of).collect()
}

/// Runs an executable under valgrind; exit status 0 means that nothing was found.
pub fn valgrind(executable: &Path) -> Result<Run, Failed> {
    if find("valgrind").is_none() {
        return fail("valgrind is missing: run ./setup --tests");
    }
    let exit = format!("--error-exitcode={FOUND}");
    let all = "--show-leak-kinds=all";
    let errors = "--errors-for-leak-kinds=all";
    let arguments = ["-q", "--leak-check=full", all, errors, &exit].map(Into::into);
    // Valgrind's fused multiply-add gives 0 the wrong sign where a result is too small: the program is to compute its own.
    Job::new("valgrind", arguments.into_iter().chain([executable.as_os_str().to_owned()]))
        .env("TOYC_CPU", "x86-64")
        .run()
}

/// Small programs have their bytes on the stack, as many as said here, and allocate nothing: valgrind counts the C
/// library's buffer for the output. (`bench/memory.py` measures all programs.)
fn small_programs() -> Outcome {
    if find("valgrind").is_none() {
        return fail("valgrind is missing: run ./setup --tests");
    }
    for (name, bytes) in [
        ("examples/hello", 32),
        ("examples/structs", 72),
        ("examples/symmetric", 192),
        ("tests/programs/call_tree", 760),
        ("tests/programs/depth_calls", 16),
        ("tests/programs/literal_large", 4000),
        ("tests/programs/transpose_rank5", 192),
    ] {
        let source = root().join(format!("{name}.toy"));
        let merged = toyc([source.as_os_str(), "-O1".as_ref(), "-emit=merged".as_ref()]).run()?;
        let merged = merged.exits(0)?.out();
        let wanted = format!(": memref<{bytes}xi8>");
        let on_stack: Vec<_> =
            merged.lines().filter(|line| line.contains("memref.alloc")).collect();
        if !matches!(*on_stack, [one] if one.contains("memref.alloca()") && one.ends_with(&wanted))
        {
            return fail(format!("{name}: {on_stack:?} instead of {bytes} bytes on the stack"));
        }
        let executable = scratch("memory/small_programs").join("program");
        build(&source, &executable, "-O1", None)?;
        let counted = Job::new("valgrind", [executable]).run()?.exits(0)?;
        if !counted.stderr.contains("total heap usage: 1 allocs") {
            return counted.complain(format!("{name} allocates memory"));
        }
    }
    Ok(())
}

/// Linux promises memory that it does not have, and kills its users: the program says before how much it needs.
fn too_much() -> Outcome {
    let directory = scratch("memory/too_much");
    let program =
        "def main() { var a<100000, 100000> = 1; a[0, 0] = 2; print(\"before\"); print(sum(a)); }";
    std::fs::write(directory.join("large.toy"), program)?;
    for command in [
        "'$TOYC' run large.toy",
        "'$TOYC' run -O2 large.toy",
        "'$TOYC' -O0 large.toy -o large && ./large",
    ] {
        // If it is not refused, the machine is to survive.
        let command = format!("ulimit -v 60000000; {}", command.replace("$TOYC", TOYC));
        let run = Job::new("bash", ["-c", &command]).current_dir(&directory).run()?.exits(1)?;
        let words =
            ["toy: out of memory: 80000000", " bytes are needed at once", "-emit=memory-plan"];
        if !words.iter().all(|words| run.stderr.contains(words)) {
            return run.complain("no word about the memory");
        }
    }
    Ok(())
}

/// Tensors that fit alone, but not together, into a machine of one gibibyte, simulated by a library.
fn too_much_together() -> Outcome {
    let directory = scratch("memory/too_much_together");
    let machine = "#include <sys/sysinfo.h>\n\
                   int sysinfo(struct sysinfo *of) {\n\
                   *of = (struct sysinfo){.totalram = 1ul << 30, .mem_unit = 1};\n return 0;\n}\n";
    std::fs::write(directory.join("machine.c"), machine)?;
    let bash = |command: &str| {
        Job::new("bash", ["-c", command]).current_dir(&directory).env("TOYC", TOYC).run()
    };
    bash("cc -shared -fPIC machine.c -o machine.so")?.exits(0)?;
    std::fs::write(
        directory.join("large.toy"),
        "def main() { var a<75000000> = 1; a[1] = 2; var b<75000000> = 2; b[1] = 1; print(sum(a + b)); }",
    )?;
    // Each is freed before the next one is made.
    std::fs::write(
        directory.join("turns.toy"),
        "def main() { for i in 0..3 { var a<75000000> = i; print(sum(a)); } }",
    )?;
    // Memory that malloc may still keep when more is asked for.
    std::fs::write(
        directory.join("kept.toy"),
        "def f() { var a<37500000> = 1; a[0] = 2; var b<37500000> = 2; b[0] = 1; return sum(a) + sum(b); }\n\
         def main() { print(f()); var c<87500000> = 1; c[0] = 2; print(sum(c)); }",
    )?;
    bash("$TOYC large.toy && $TOYC turns.toy")?.exits(0)?;
    for command in ["$TOYC run large.toy", "./large"] {
        let run = bash(&format!("LD_PRELOAD=./machine.so {command}"))?.exits(1)?;
        let words = ["out of memory: 600000000 bytes are needed at once, this program has 6"];
        let words = words.iter().chain(&[" already, and this machine has 1073741824\n"]);
        if let Some(missing) = words.into_iter().find(|words| !run.stderr.contains(**words)) {
            return run.complain(format!("no `{missing}`"));
        }
    }
    // Promised is promised, even if nothing is written before the last one is promised.
    std::fs::write(
        directory.join("unwritten.mlir"),
        "func.func @main() {\n\
           %zero = arith.constant 0.0 : f64\n\
           %0 = memref.alloc() : memref<75000000xf64>\n\
           %1 = memref.alloc() : memref<75000000xf64>\n\
           linalg.fill ins(%zero : f64) outs(%0 : memref<75000000xf64>)\n\
           linalg.fill ins(%zero : f64) outs(%1 : memref<75000000xf64>)\n\
           memref.dealloc %0 : memref<75000000xf64>\n\
           memref.dealloc %1 : memref<75000000xf64>\n\
           return\n\
         }\n",
    )?;
    bash("$TOYC -O0 unwritten.mlir -o unwritten")?.exits(0)?;
    for command in ["$TOYC run -O0 unwritten.mlir", "./unwritten"] {
        let run = bash(&format!("LD_PRELOAD=./machine.so {command}"))?.exits(1)?;
        run.says("out of memory: 600000000 bytes are needed at once, this program has 6")?;
    }
    // With merged buffers, one allocation is for all of them.
    let run = bash("LD_PRELOAD=./machine.so $TOYC run -O1 large.toy")?.exits(1)?;
    run.says("toy: out of memory: 1200000")?.says("this machine has 1073741824")?;
    for command in
        ["$TOYC run turns.toy", "$TOYC run -O2 turns.toy", "./turns", "$TOYC run kept.toy"]
    {
        bash(&format!("LD_PRELOAD=./machine.so {command}"))?.exits(0)?.silent()?;
    }
    Ok(())
}

/// An example with merged allocations asks for one block of memory at most, however often its loops run; the C library
/// asks for one more. Recursion has a block for each call.
fn loops_of_examples() -> Outcome {
    if find("valgrind").is_none() {
        return fail("valgrind is missing: run ./setup --tests");
    }
    let programs = programs::all().into_iter().filter(|it| it.name.starts_with("examples/"));
    let mut count = 0;
    for program in programs {
        let text = std::fs::read_to_string(&program.source)?;
        if !["for ", "while ", "fibonacci("].iter().any(|word| text.contains(word)) {
            continue;
        }
        let most = if program.name == "examples/fibonacci" { 8 } else { 2 };
        for level in ways(&["-O1", "-O2"], count) {
            let executable = scratch("memory/loops_of_examples").join("program");
            build(&program.source, &executable, level, None)?;
            let counted = Job::new("valgrind", [executable]).run()?.exits(0)?;
            let usage = counted.stderr.split("total heap usage: ").nth(1).unwrap_or_default();
            let allocations = usage.split(' ').next().unwrap_or_default().replace(',', "");
            if !allocations.parse::<u64>().is_ok_and(|allocations| allocations <= most) {
                return counted.complain(format!("{} at {level} allocates memory", program.name));
            }
        }
        count += 1;
    }
    if count < 10 { fail(format!("only {count} examples are found")) } else { Ok(()) }
}

/// A large buffer asks for the rounded size, not for the alignment as well, and is aligned.
fn large_program() -> Outcome {
    let directory = scratch("memory/large_program");
    let source = directory.join("program.toy");
    let row: Vec<_> = (0..601).map(|number| number.to_string()).collect();
    let row = row.join(", ");
    std::fs::write(&source, format!("def main() {{ var a = [{row}]; print(a * a + a); }}"))?;
    for (level, allocations) in [("-O0", "3 allocs"), ("-O1", "2 allocs")] {
        let executable = directory.join("program");
        build(&source, &executable, level, None)?;
        let counted = Job::new("valgrind", [&executable]).run()?.exits(0)?;
        let said = counted.stderr.clone();
        // 4808 bytes are 76 lines of 64; the other buffer is the C library's.
        let count: u64 = if level == "-O0" { 2 } else { 1 };
        let usage = said.split("frees, ").nth(1).and_then(|rest| rest.split(" bytes").next());
        let bytes = usage.and_then(|bytes| bytes.replace(',', "").parse::<u64>().ok());
        let library = bytes.and_then(|bytes| bytes.checked_sub(count * 76 * 64));
        if !said.contains(allocations) || !library.is_some_and(|bytes| bytes.is_power_of_two()) {
            return counted.complain("another number of bytes");
        }
    }
    Ok(())
}

/// The most bytes of the C library's buffer for the output.
const BUFFER: u64 = 4096;

/// The bytes that a program asks for at -O1, in one block, besides the C library's.
fn arena(name: &str, program: &str) -> Result<u64, Failed> {
    if find("valgrind").is_none() {
        return fail("valgrind is missing: run ./setup --tests");
    }
    let directory = scratch(&format!("memory/{name}"));
    let (source, executable) = (directory.join("program.toy"), directory.join("program"));
    std::fs::write(&source, program)?;
    let expected = toyc([source.as_os_str(), "-O0".as_ref(), "-emit=jit".as_ref()]).run()?;
    build(&source, &executable, "-O1", None)?;
    let counted = Job::new("valgrind", [&executable]).run()?.exits(0)?;
    let counted = counted.prints(expected.exits(0)?.stdout)?;
    let usage = counted.stderr.split("total heap usage: ").nth(1).unwrap_or_default().to_owned();
    let usage = usage.replace(',', "");
    let [allocations, _, _, _, bytes] = usage.split(' ').take(5).collect::<Vec<_>>()[..] else {
        return counted.complain("valgrind says nothing of the heap");
    };
    match (allocations, bytes.parse::<u64>()) {
        ("2", Ok(bytes)) => Ok(bytes),
        _ => counted.complain("not one allocation, and the C library's"),
    }
}

/// 60 tensors of 72 bytes: together at most 80 each, as much as malloc would take.
fn small_tensors() -> Outcome {
    let mut program = "def main() { var a = [[1, 2, 3], [4, 5, 6], [7, 8, 9]];
        var t0 = transpose(a);\n"
        .to_owned();
    let mut prints = String::new();
    for index in 1..=60 {
        program += &format!("var t{index} = transpose(t{} * a);\n", index - 1);
        prints = format!("print(t{index});\n{prints}");
    }
    let bytes = arena("small_tensors", &(program + &prints + "print(t0); }"))?;
    if bytes <= 60 * 80 + BUFFER { Ok(()) } else { fail(format!("{bytes} bytes")) }
}

/// Values for parameters that nothing reads, through calls and in structs: the others are printed as soon as they are
/// computed, 32 KiB each.
fn unread_arguments() -> Outcome {
    let numbers = (0..4096).map(|number| format!("{number}")).collect::<Vec<_>>().join(", ");
    let program = format!(
        "struct Pair {{ var a; var b; }}
        def second(a, b) {{ return b; }}
        def first(a, b) {{ return second(b, a); }}
        def of_pair(Pair p) {{ return first(p.a, p.b); }}
        def main() {{
          var numbers = [{numbers}];
          var a<64, 64> = numbers;
          var x = a * a;
          var y = x + transpose(a);
          print(first(x, y * transpose(y)));
          Pair p = {{a, y * transpose(y)}};
          print(of_pair(p));
        }}"
    );
    let bytes = arena("unread_arguments", &program)?;
    if bytes <= 64 * 64 * 8 + BUFFER { Ok(()) } else { fail(format!("{bytes} bytes")) }
}

/// 40 products of 32 KiB are computed and printed, twice: at no time there are more than two.
fn large_values() -> Outcome {
    let mut program = "def main() { var one = [".to_owned();
    program += &(0..4096).map(|number| format!("{number}")).collect::<Vec<_>>().join(", ");
    program += "];\n var a<64, 64> = one;\n";
    for factor in (2..42).chain(2..42) {
        program += &format!("print(a * {factor} * transpose(a));\n");
    }
    let bytes = arena("large_values", &(program + "}"))?;
    if bytes <= 2 * 64 * 64 * 8 + BUFFER { Ok(()) } else { fail(format!("{bytes} bytes")) }
}

/// The check can fail: a program of the LLVM dialect that allocates and does not free, and one that reads freed memory.
fn valgrind_finds_a_leak() -> Outcome {
    let directory = scratch("memory/valgrind_finds_a_leak");
    for (index, body) in [LEAK, USE_AFTER_FREE].into_iter().enumerate() {
        let source = directory.join(format!("{index}.mlir"));
        std::fs::write(&source, wrong_program(body))?;
        let executable = directory.join(format!("{index}"));
        build(&source, &executable, "-O0", None)?;
        valgrind(&executable)?.exits(FOUND)?;
    }
    Ok(())
}

const LEAK: &str =
    "%0 = llvm.call @malloc(%n) : (i64) -> !llvm.ptr\n llvm.store %n, %0 : i64, !llvm.ptr";
const USE_AFTER_FREE: &str =
    "%0 = llvm.call @malloc(%n) : (i64) -> !llvm.ptr\n llvm.call @free(%0) : (!llvm.ptr) -> ()
     llvm.store volatile %n, %0 : i64, !llvm.ptr";

fn wrong_program(body: &str) -> String {
    format!(
        "llvm.func @malloc(i64) -> !llvm.ptr\nllvm.func @free(!llvm.ptr)\n
         llvm.func @main() -> i32 {{\n %n = llvm.mlir.constant(64 : i64) : i64\n {body}\n
         %z = llvm.mlir.constant(0 : i32) : i32\n llvm.return %z : i32\n}}\n"
    )
}

/// The programs that are wrong are named, wherever they are among others, and the others are not.
fn leak_among_others() -> Outcome {
    let directory = scratch("memory/leak_among_others");
    let hello = root().join("examples/hello.toy");
    let printed = std::fs::read(root().join("tests/programs/examples/hello.out"))?;
    let mut parts = Vec::new();
    for (name, body) in [("right", None), ("leak", Some(LEAK)), ("use", Some(USE_AFTER_FREE))] {
        let source = match body {
            None => hello.clone(),
            Some(body) => {
                let source = directory.join(format!("{name}.mlir"));
                std::fs::write(&source, wrong_program(body))?;
                source
            }
        };
        let expected = if body.is_none() { printed.clone() } else { Vec::new() };
        parts.push(Part { name: name.to_owned(), source, options: &["-O0"], expected });
    }
    // One program prints something else, and one is right and the last.
    let wrong = Part { name: "text".to_owned(), expected: b"other".to_vec(), ..parts[0].clone() };
    parts.extend([wrong, Part { name: "last".to_owned(), ..parts[0].clone() }]);
    for wrong in ["leak", "use", "text"] {
        let with_one: Vec<_> = parts
            .iter()
            .filter(|part| ["right", "last", wrong].contains(&part.name.as_str()))
            .cloned()
            .collect();
        let found: Vec<_> = together::failures(&with_one, &directory).into_keys().collect();
        if found != [wrong] {
            return fail(format!("{found:?} instead of {wrong}"));
        }
    }
    parts.retain(|part| ["right", "last"].contains(&part.name.as_str()));
    match together::failures(&parts, &directory).first_key_value() {
        None => Ok(()),
        Some((name, why)) => fail(format!("{name}: {why}")),
    }
}
