//! Given destinations: a value that is materialized in a buffer is computed there, and nowhere else.
//!
//! Input: `destinations/programs.mlir`, functions without a `main`. They print the same as after upstream's
//! bufferization without any elimination of empty tensors. They allocate no more bytes, and copy no more buffers, than
//! after the best of upstream's pipelines that prints the same.

use crate::tools::{Job, Outcome, Tests, fail, llvm_bin, root, toyc, trial};
use libtest_mimic::{Failed, Trial};
use std::collections::BTreeMap;

const PROGRAMS: &str = "tests/destinations/programs.mlir";

const BUFFERIZE: &str = "one-shot-bufferize{bufferize-function-boundaries=true \
    function-boundary-type-conversion=identity-layout-map unknown-type-conversion=identity-layout-map \
    allow-return-allocs-from-loops=true},cse,canonicalize";
const ELIMINATE: &str = "eliminate-empty-tensors,empty-tensor-to-alloc-tensor";
const FUSE: &str =
    "func.func(linalg-generalize-named-ops,linalg-fuse-elementwise-ops),canonicalize";

/// The most bytes that a function allocates, and the most buffers that it copies.
type Costs = BTreeMap<String, [u64; 2]>;

pub fn trials() -> Vec<Trial> {
    let tests: Tests = vec![
        ("programs_print_what_upstreams_do", programs_print_what_upstreams_do),
        ("nothing_is_allocated_or_copied_in_vain", nothing_is_allocated_or_copied_in_vain),
    ];
    tests.into_iter().map(|(name, test)| trial(format!("destinations/{name}"), test)).collect()
}

fn programs() -> Result<String, Failed> {
    Ok(std::fs::read_to_string(root().join(PROGRAMS))?)
}

/// The programs as upstream's passes leave them.
fn upstream(passes: &[&str]) -> Result<String, Failed> {
    let pipeline = format!("--pass-pipeline=builtin.module({})", passes.join(","));
    let opt = Job::new(llvm_bin().join("mlir-opt"), [pipeline]);
    Ok(opt.stdin(programs()?).run()?.exits(0)?.out())
}

/// The programs at one of toyc's stages.
fn ours(level: &str, stage: &str) -> Result<String, Failed> {
    let job = toyc(["-x", "mlir", "-", level, &format!("-emit={stage}")]);
    Ok(job.stdin(programs()?).run()?.exits(0)?.out())
}

fn programs_print_what_upstreams_do() -> Outcome {
    let expected = printed(&upstream(&[BUFFERIZE])?, "-O0")?;
    if expected.len() < 40 {
        return fail(format!("{} programs", expected.len()));
    }
    for level in ["-O0", "-O1", "-O2", "-O3"] {
        let found = printed(&programs()?, level)?;
        if let Some((name, numbers)) =
            expected.iter().find(|(name, it)| found.get(*name) != Some(it))
        {
            return fail(format!("{level}, {name}: {:?} instead of {numbers:?}", found.get(name)));
        }
    }
    Ok(())
}

fn nothing_is_allocated_or_copied_in_vain() -> Outcome {
    let expected = printed(&upstream(&[BUFFERIZE])?, "-O0")?;
    // Without fusion, and with it.
    let mut best = [Costs::new(), Costs::new()];
    for (fused, passes) in [
        (false, [BUFFERIZE].as_slice()),
        (false, &[ELIMINATE, BUFFERIZE]),
        (false, &["cse", ELIMINATE, BUFFERIZE]),
        (true, &[FUSE, BUFFERIZE]),
        (true, &[FUSE, ELIMINATE, BUFFERIZE]),
    ] {
        let text = upstream(passes)?;
        let right = printed(&text, "-O0")?;
        // A buffer that is returned as well as given is a clone.
        let freed = upstream(&[passes, &["buffer-deallocation-pipeline"]].concat())?;
        for (name, costs) in costs(&freed) {
            if right.get(&name) != expected.get(&name) {
                continue;
            }
            for best in &mut best[usize::from(fused)..] {
                let best = best.entry(name.clone()).or_insert(costs);
                *best = [best[0].min(costs[0]), best[1].min(costs[1])];
            }
        }
    }
    let mut worse = Vec::new();
    for level in ["-O0", "-O1", "-O2"] {
        for stage in ["memref", "merged"] {
            let best = &best[usize::from(level != "-O0")];
            for (name, costs) in costs(&ours(level, stage)?) {
                let least = best.get(&name).copied().unwrap_or_default();
                if costs[0] > least[0] || costs[1] > least[1] {
                    worse.push(format!("{level} {stage} {name}: {costs:?} instead of {least:?}"));
                }
            }
        }
    }
    if worse.is_empty() { Ok(()) } else { fail(worse.join("\n")) }
}

/// The bytes that the functions of a text allocate, and their copies. Sizes that are not known count as 4.
fn costs(text: &str) -> Costs {
    let mut all = Costs::new();
    let mut name = String::new();
    for line in text.lines() {
        if let Some(rest) = line.trim_start().strip_prefix("func.func @") {
            name = rest.split('(').next().unwrap_or("").to_owned();
            all.insert(name.clone(), [0; 2]);
        }
        let Some(costs) = all.get_mut(&name) else { continue };
        let is_clone = line.contains("bufferization.clone ");
        if line.contains("memref.alloc") || is_clone {
            let ty = line.rsplit("memref<").next().unwrap_or("").trim_end_matches('>');
            let sizes = ty.split('x').map(|size| match size {
                "?" => 4,
                "f64" => 8,
                _ => size.parse().unwrap_or(1),
            });
            costs[0] += sizes.product::<u64>();
        }
        costs[1] +=
            u64::from(is_clone || line.contains("memref.copy ") || line.contains("linalg.copy "));
    }
    all
}

/// The numbers that each function leaves in its buffers and returns, called with and without its condition.
fn printed(functions: &str, level: &str) -> Result<BTreeMap<String, Vec<String>>, Failed> {
    let mut main = String::from("func.func @main() {\n");
    let mut order = Vec::new();
    let mut number = 0;
    for line in functions.lines() {
        let Some(rest) = line.trim_start().strip_prefix("func.func @") else { continue };
        let (name, signature) = rest.split_once('(').ok_or("a function without arguments")?;
        let (arguments, results) = signature.rsplit_once(')').ok_or("no end of the arguments")?;
        let result = results.trim().trim_start_matches("->").trim_end_matches('{').trim();
        for condition in ["true", "false"] {
            number += 1;
            let printed = call(&mut main, number, name, arguments, result, condition);
            order.extend(std::iter::repeat_n(name.to_owned(), printed));
        }
    }
    main.push_str("  return\n}\n");
    let text = match functions.trim_end().strip_suffix('}') {
        Some(module) if functions.contains("module {") => format!("{module}\n{main}}}\n"),
        _ => format!("{functions}\n{main}"),
    };
    let run =
        toyc(["-x", "mlir", "-", level, "-emit=jit"]).stdin(text).run()?.exits(0)?.silent()?;
    let out = run.out();
    // A number after each value keeps values of several lines apart.
    let mut values = out.split("777777.000000").map(str::trim).filter(|value| !value.is_empty());
    let mut all: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for name in order {
        let value = values.next().ok_or("too few values")?;
        all.entry(name).or_default().push(value.to_owned());
    }
    Ok(all)
}

/// Appends a call of a function with numbers, and prints its buffers and its result. Returns the number of values.
fn call(
    main: &mut String,
    number: usize,
    name: &str,
    arguments: &str,
    result: &str,
    condition: &str,
) -> usize {
    let mut types = Vec::new();
    let mut values = Vec::new();
    let mut printed = Vec::new();
    for (at, argument) in arguments.split("%").skip(1).enumerate() {
        let ty = argument.split_once(':').map_or("", |(_, ty)| ty.trim().trim_end_matches(','));
        let own = format!("%v{number}_{at}");
        let (kind, shape) = ty.trim_end_matches('>').split_once('<').unwrap_or((ty, ""));
        let fixed = shape.replace('?', "4");
        let tensor = format!("tensor<{fixed}>");
        let constant =
            format!("  {own}c = arith.constant dense<{}> : {tensor}\n", numbers(&fixed, at));
        let cast =
            |from: &str| format!("  {own} = {kind}.cast {own}{from} : {kind}<{fixed}> to {ty}\n");
        let cast = |from| if shape.contains('?') { cast(from) } else { String::new() };
        match kind {
            "tensor" => {
                let from = if shape.contains('?') { "" } else { "c" };
                main.push_str(&(constant + &cast("c")));
                printed.push((format!("{own}c"), tensor));
                values.push(format!("{own}{from}"));
            }
            "memref" => {
                main.push_str(&constant);
                main.push_str(&format!(
                    "  {own}b = memref.alloc() : memref<{fixed}>\n  \
                     {own}g = bufferization.to_buffer {own}c read_only : {tensor} to memref<{fixed}>\n  \
                     memref.copy {own}g, {own}b : memref<{fixed}> to memref<{fixed}>\n{}",
                    cast("b")
                ));
                printed.push((format!("{own}b"), format!("memref<{fixed}>")));
                values.push(if shape.contains('?') { own } else { format!("{own}b") });
            }
            _ => {
                let value = match kind {
                    "index" => "2".to_owned(),
                    "i1" => condition.to_owned(),
                    _ => "1.5".to_owned(),
                };
                let ty = if kind == "i1" { String::new() } else { format!(" : {ty}") };
                main.push_str(&format!("  {own} = arith.constant {value}{ty}\n"));
                values.push(own);
            }
        }
        types.push(ty);
    }
    let has_result = !result.is_empty();
    let assigned = if has_result { format!("%r{number} = ") } else { String::new() };
    let returned = if has_result { result } else { "()" };
    main.push_str(&format!(
        "  {assigned}func.call @{name}({}) : ({}) -> {returned}\n",
        values.join(", "),
        types.join(", ")
    ));
    if has_result {
        printed.push((format!("%r{number}"), result.to_owned()));
    }
    for (at, (value, ty)) in printed.iter().enumerate() {
        let own = format!("%p{number}_{at}");
        let tensor = ty.replace("memref<", "tensor<");
        let (making, shown) = match ty {
            ty if ty.starts_with("memref<") => (
                format!("  {own} = bufferization.to_tensor {value} restrict : {ty} to {tensor}\n"),
                own.clone(),
            ),
            ty if ty.starts_with("tensor<") => (String::new(), value.clone()),
            _ => (format!("  {own} = tensor.from_elements {value} : tensor<f64>\n"), own.clone()),
        };
        let tensor = if tensor == "f64" { "tensor<f64>" } else { &tensor };
        main.push_str(&format!(
            "{making}  \"toy.print\"({shown}) : ({tensor}) -> ()\n  \
             %e{number}_{at} = arith.constant dense<777777.0> : tensor<f64>\n  \
             \"toy.print\"(%e{number}_{at}) : (tensor<f64>) -> ()\n"
        ));
    }
    printed.len()
}

/// Different numbers for all elements of a shape such as `3x4xf64`.
fn numbers(shape: &str, seed: usize) -> String {
    let sizes: Vec<usize> = shape.split('x').filter_map(|size| size.parse().ok()).collect();
    let count: usize = sizes.iter().product();
    let number = |at: usize| format!("{}.0", (at * 7 + seed * 5 + 3) % 31);
    let mut parts: Vec<_> = (0..count).map(number).collect();
    for size in sizes.iter().rev() {
        parts = parts.chunks(*size).map(|part| format!("[{}]", part.join(", "))).collect();
    }
    parts.join(", ")
}
