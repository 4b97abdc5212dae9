//! Gradients of random programs: reverse mode in the compiler, forward mode in the interpreter.
//!
//! Input: a random program. Output: another one, whose `main` prints the gradient of a function: of the old `main` by the
//! first literal in it, which returns the sum of all that the old one printed and that is not too large. Half of them
//! print a gradient of that gradient, too: the product of its Hessian and a vector. The compiler prints the same bytes at
//! all levels, and if loops compute iterations again, and numbers close to the interpreter's, which computes them in
//! another order.

use super::{LEVELS, Sample, Tally, control_flow, run_jit, well_typed};
use crate::tools::{Outcome, fail, toyc};
use toy_compiler::source::{Source, Span};
use toy_compiler::syntax;
use toy_compiler::syntax::ast::{Expr, ExprKind, StatementKind};
use toy_compiler::syntax::types::{Type, Types, Variables};

/// The largest relative difference of two gradients, of numbers with 64 bits and with 32.
const NEAR: [f64; 2] = [1e-8, 1e-3];

/// The objective is of smaller values, so that most gradients are finite, and others hidden.
const LARGEST_VALUE: f64 = 1e4;

/// Larger numbers are sums of what has canceled out, or nearly infinite.
const LARGEST: f64 = 1e9;

/// The gradient of a random program; or a program without one, if the random one has no literal to start from.
pub fn program(seed: u64) -> Vec<u8> {
    let program = if seed.is_multiple_of(2) { control_flow(seed) } else { well_typed(seed) };
    let text = String::from_utf8(program).expect("a program is text");
    let is_nested = seed / 2 % 2 == 1;
    let found = gradient(&text, is_nested).or_else(|| gradient(&with_variable(&text)?, is_nested));
    found.unwrap_or(text).into_bytes()
}

/// The program with a variable for the first list of numbers in an expression of `main`.
fn with_variable(text: &str) -> Option<String> {
    let source = Source::new("program", text);
    let (module, _) = syntax::analyze(&source);
    let main = module.functions.iter().find(|function| function.name.text == "main")?;
    let mut list = None;
    main.walk_all(|statement| {
        statement.walk_exprs(|expr| {
            let is_list = matches!(expr.kind, ExprKind::Literal(_)) && is_literal(expr);
            list = list.or(is_list.then_some(expr.span));
        });
    });
    let list = list?;
    let open = text[main.prototype.end as usize..].find('{')? + main.prototype.end as usize + 1;
    let (from, to) = (list.start as usize, list.end as usize);
    let value = &text[from..to];
    Some(format!("{} var q_ = {value};{}q_{}", &text[..open], &text[open..from], &text[to..]))
}

fn gradient(text: &str, is_nested: bool) -> Option<String> {
    let source = Source::new("program", text);
    let (module, _) = syntax::analyze(&source);
    let main = module.functions.iter().find(|function| function.name.text == "main")?;
    let (types, mut variables) = (Types::of_module(&module), Variables::new());
    let mut edits: Vec<(Span, String)> = Vec::new();
    let mut start = None;
    main.walk_all(|statement| match &statement.kind {
        StatementKind::VarDecl { value, .. } if start.is_none() && is_literal(value) => {
            start = Some(source.snippet(value.span).to_owned());
            edits.push((value.span, "p_".to_owned()));
        }
        StatementKind::VarDecl { ty, name, value } => {
            variables.insert(&name.text, types.declared(ty, &variables, value));
        }
        StatementKind::Expr(Expr { kind: ExprKind::Call(call), .. })
            if call.callee.text == "print" =>
        {
            let is_tensor = |value: &&Expr| {
                let is_struct = matches!(types.of(value, &variables), Type::Struct(_));
                !is_struct && !matches!(value.kind, ExprKind::String(_))
            };
            let values = call.arguments.iter().filter(is_tensor);
            let small = |value: &str| format!("where(abs({value}) < {LARGEST_VALUE}, {value}, 0)");
            let sums = values.map(|value| format!(" + sum({})", small(source.snippet(value.span))));
            edits.push((statement.span, format!("total_ = total_{}", sums.collect::<String>())));
        }
        StatementKind::Return(_) => edits.push((statement.span, "return total_".to_owned())),
        _ => {}
    });
    let start = start?;
    let end = main.span.end - 1;
    edits.push((main.prototype, "def objective_(p_)".to_owned()));
    let open = text[main.prototype.end as usize..].find('{')? as u32 + main.prototype.end + 1;
    edits.push((Span::at(open), " var total_ = 0;".to_owned()));
    edits.push((Span::at(end), " return total_; ".to_owned()));
    edits.sort_by_key(|(span, _)| std::cmp::Reverse(span.start));
    let mut text = text.to_owned();
    for (span, by) in edits {
        text.replace_range(span.start as usize..span.end as usize, &by);
    }
    let mut calls = format!("objective_({start}), grad(objective_)({start})");
    if is_nested {
        text += "\ndef directed_(p_) { return sum(grad(objective_)(p_) * p_); }";
        calls += &format!(", grad(directed_)({start})");
    }
    Some(format!("{text}\ndef main() {{ print({calls}, digits = 12); }}\n"))
}

/// True for a number, or a list of numbers.
fn is_literal(value: &Expr) -> bool {
    match &value.kind {
        ExprKind::Number(_) => true,
        ExprKind::Literal(elements) => elements.iter().all(is_literal),
        _ => false,
    }
}

pub fn check(sample: &Sample, tally: &mut Tally) -> Outcome {
    let expected = match &sample.expected {
        Ok(expected) => expected,
        Err(stop) => {
            let why = format!("{stop:?}").split(['(', ' ']).next().unwrap_or_default().to_owned();
            tally.count(format!("not accepted: {why}"));
            return Ok(());
        }
    };
    let text = String::from_utf8_lossy(&sample.program);
    if !text.contains("grad(objective_)") {
        tally.count("without literal");
        return Ok(());
    }
    let mut runs = Vec::new();
    for level in LEVELS {
        let run = run_jit(sample, level, tally)?;
        // The list may have been an element of another one, of f32.
        if run.stderr.contains("[E0324]") || run.stderr.contains("[E0322]") {
            tally.count("without bound");
            return Ok(());
        }
        runs.push(run.exits(0)?);
    }
    if runs[0].stdout != runs[1].stdout {
        let other = String::from_utf8_lossy(&runs[0].stdout).into_owned();
        return runs.remove(1).complain(format!("not the bytes of -O0:\n{other}"));
    }
    for memory in ["64", "256"] {
        tally.count("with checkpoints");
        let job = toyc(["-w", "-x", "toy", "-", "-emit=jit", "-O1", "--tape-memory", memory]);
        let run = job.stdin(sample.program.clone()).run()?;
        // The least memory of a loop may be more.
        if run.stderr.contains("[E0303]") {
            continue;
        }
        let run = run.exits(0)?;
        if run.stdout != runs[0].stdout {
            return run.complain(format!("not the bytes without --tape-memory {memory}"));
        }
    }
    let numbers = |text: &str| -> Vec<f64> {
        text.split_whitespace().map(|word| word.parse().unwrap_or(f64::NAN)).collect()
    };
    let found = numbers(&String::from_utf8_lossy(&runs[0].stdout));
    let wanted = numbers(expected);
    let is_good = |number: &f64| number.abs() <= LARGEST;
    if !wanted.iter().all(is_good) {
        tally.count("not finite");
        return Ok(());
    }
    tally.count(if text.contains("directed_") { "gradients of gradients" } else { "gradients" });
    let near = NEAR[usize::from(text.contains("f32"))];
    let largest = wanted.iter().fold(1.0f64, |largest, it| largest.max(it.abs()));
    let is_near = |(one, other): (&f64, &f64)| (one - other).abs() <= near * largest;
    if found.len() == wanted.len() && found.iter().zip(&wanted).all(is_near) {
        return Ok(());
    }
    fail(format!("found {found:?}\nexpected {wanted:?}"))
}
