//! The option `--report` beside others: with each output, for `.mlir`, in invalid uses, twice.

use super::{STAGES, check_page, lines, page, read_page, shown};
use crate::command_line::{OUTPUT, toyc_in, workspace};
use crate::tools::{Job, Outcome, fail};
use libtest_mimic::Failed;
use serde_json::Value;

/// The page is written along with any output, and does not change it.
pub fn a_report_changes_no_output() -> Outcome {
    let directory = workspace("report_beside")?;
    for level in ["-O0", "-O2"] {
        let mut stages = STAGES.to_vec();
        stages.extend(["toy-source", "memory-plan", "asm", "obj"]);
        for stage in stages {
            let arguments = format!("program.toy {level} -emit={stage} -o -");
            let expected = toyc_in(&directory, &arguments)?.exits(0)?.stdout;
            let run = toyc_in(&directory, &format!("{arguments} --report=x.html"))?;
            run.exits(0)?.silent()?.prints(expected)?;
            check_page(&std::fs::read_to_string(directory.join("x.html"))?)?;
            std::fs::remove_file(directory.join("x.html"))?;
        }
        let run = toyc_in(&directory, &format!("program.toy {level} -emit=jit --report x.json"))?;
        run.exits(0)?.silent()?.prints(OUTPUT)?;
        let data: Value = serde_json::from_slice(&std::fs::read(directory.join("x.json"))?)?;
        std::fs::remove_file(directory.join("x.json"))?;
        if data["run"]["output"] != OUTPUT || data["run"]["status"] != 0 {
            return fail(format!("the page says of the run: {}", data["run"]));
        }
        let run = toyc_in(&directory, &format!("program.toy {level} -emit=jit --report x.html"))?;
        run.exits(0)?.silent()?.prints(OUTPUT)?;
        let page = read_page(std::fs::read_to_string(directory.join("x.html"))?)?;
        if !shown(&page, "asm")?.contains("main:") {
            return fail("no assembly");
        }
        let both = format!("program.toy {level} --report x.html --memory-plan=x.json -emit=toy");
        toyc_in(&directory, &both)?.exits(0)?.silent()?;
        std::fs::remove_file(directory.join("x.json"))?;
        let run = toyc_in(&directory, &format!("program.toy {level} --report=-"))?;
        let run = run.exits(0)?.silent()?;
        check_page(&run.out())?;
        Job::new(directory.join("program"), [""; 0]).run()?.exits(0)?.prints(OUTPUT)?;
    }
    Ok(())
}

/// MLIR of any stage: the source is that text, and parts that only Toy has are missing.
pub fn mlir_input_has_a_report() -> Outcome {
    let directory = workspace("report_mlir")?;
    for stage in ["toy", "linalg", "memref", "mlir-llvm"] {
        let mlir = toyc_in(&directory, &format!("program.toy -emit={stage}"))?.exits(0)?.stdout;
        std::fs::write(directory.join("in.mlir"), &mlir)?;
        let page = page(&directory, "in.mlir -O1")?;
        if lines(&page, "tokens").is_ok() || lines(&page, "ast").is_ok() {
            return fail("MLIR has neither tokens nor a tree");
        }
        let source = String::from_utf8_lossy(&mlir).into_owned();
        let at = source.lines().position(|line| line.contains("@main()")).unwrap_or(0) + 1;
        for view in ["toy", "linalg", "loops", "llvm"] {
            let lines = lines(&page, view)?;
            let main = lines.iter().find(|line| line.text.contains("@main()"));
            if main.is_none_or(|line| line.origin != at.to_string()) {
                return fail(format!("{stage}: main is not from line {at} in {view}"));
            }
        }
    }
    // Places in other files are not lines of this one.
    let elsewhere = "func.func @main() {\n  return loc(\"other.toy\":1:3)\n}\n";
    std::fs::write(directory.join("in.mlir"), elsewhere)?;
    for options in ["-O1", "-O0 -g"] {
        let page = page(&directory, &format!("in.mlir {options}"))?;
        for (view, text) in [("loops", "return"), ("llvm", "ret i32"), ("asm", "ret")] {
            let lines = lines(&page, view)?;
            let mut found = lines.iter().filter(|line| line.text.trim().starts_with(text));
            if found.next().is_none_or(|line| !line.origin.is_empty()) {
                return fail(format!("{options}: {view} has a line of another file"));
            }
        }
    }
    Ok(())
}

pub fn invalid_uses_are_diagnosed() -> Outcome {
    let directory = workspace("report_mistakes")?;
    for output in ["-emit=jit", "-emit=toy", "-emit=obj -o x.o", "-o x"] {
        let run = toyc_in(&directory, &format!("program.toy --report=no/x.html {output}"))?;
        run.diagnosed("E0002")?.says("no/x.html")?;
    }
    std::fs::write(directory.join("wrong.toy"), "def main() { print([1, 2, 3] + [1, 2]); }")?;
    for stage in ["tokens", "ast", "toy", "exe", "jit"] {
        let run = toyc_in(&directory, &format!("wrong.toy --report=x.html -emit={stage}"))?;
        run.diagnosed("E0301")?;
    }
    toyc_in(&directory, "program.toy --report=program.toy")?.exits(2)?.says("ends in .html")?;
    std::fs::copy(directory.join("program.toy"), directory.join("program.html"))?;
    toyc_in(&directory, "-x toy program.html --report=program.html")?
        .diagnosed("E0004")?
        .says("the input")?;
    toyc_in(&directory, "program.toy -o x.html --report=x.html")?
        .diagnosed("E0004")?
        .says("the output")?;
    toyc_in(&directory, "program.toy --memory-plan=x.json --report=x.json")?
        .diagnosed("E0004")?
        .says("the memory plan")?;
    for stage in ["toy", "jit", "asm -o -"] {
        let run = toyc_in(&directory, &format!("program.toy --report=- -emit={stage}"))?;
        run.diagnosed("E0004")?.says("standard output")?;
    }
    toyc_in(&directory, "program.toy --report")?.exits(2)?;
    let count = std::fs::read_dir(&directory)?.count();
    if count == 3 { Ok(()) } else { fail(format!("{count} files")) }
}

/// Two pages differ only in durations and in the size of the linker's output.
pub fn pages_differ_only_in_times() -> Outcome {
    let directory = workspace("report_same")?;
    fn without_times(value: &mut Value) {
        match value {
            Value::Object(fields) => {
                fields.remove("ms");
                fields.values_mut().for_each(without_times);
            }
            Value::Array(values) => values.iter_mut().for_each(without_times),
            _ => {}
        }
    }
    let data = |arguments: &str| -> Result<Value, Failed> {
        let mut data = page(&directory, arguments)?.data;
        without_times(&mut data);
        Ok(data)
    };
    for options in ["-O0", "-O2 -g"] {
        let arguments = format!("program.toy {options} -emit=jit");
        let first = data(&arguments)?;
        for _ in 0..2 {
            if data(&arguments)? != first {
                return fail(format!("{options}: the page differs"));
            }
        }
    }
    Ok(())
}
