//! The order of additions is part of the language: sums and products have the bits that LANGUAGE.md says, at every
//! level.
//!
//! Input: numbers of very different sizes, so that each order has another result. The expected results are computed
//! here, as simply as they are described. A program compares each with its own, bit by bit but for the sign of zero,
//! and prints 1 where they are equal.

use crate::programs::build;
use crate::tools::{Job, Outcome, fail, scratch, toyc, trial};
use libtest_mimic::Trial;
use std::fmt::Write;

/// Prints the result of a comparison.
const LINE: &str =
    "def line(x) { if (x == 1) { print(\"1.000000\"); } else { print(\"differs\"); } }";

const LEVELS: [&str; 4] = ["-O0", "-O1", "-O2", "-O3"];

pub fn trials() -> Vec<Trial> {
    vec![
        trial("order_of_additions/vectors", vectors),
        trial("order_of_additions/matrices", matrices),
        trial("order_of_additions/batches", batches),
        trial("order_of_additions/large", large),
        trial("order_of_additions/large_rank_3", large_rank_3),
    ]
}

/// Random numbers whose sum depends on the order.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let bits = self.0 >> 20;
        let size = 10_f64.powi((bits % 17) as i32 - 8);
        ((bits >> 8 & 0xffff_ffff) as f64 / 65536.0 - 32768.0) * size
    }

    fn list(&mut self, count: usize) -> Vec<f64> {
        (0..count).map(|_| self.next()).collect()
    }
}

/// A term of a sum: a number, or the factors of a product that is not rounded before it is added.
trait Term {
    fn added_to(self, sum: f64) -> f64;
}

impl Term for f64 {
    fn added_to(self, sum: f64) -> f64 {
        sum + self
    }
}

impl Term for (f64, f64) {
    fn added_to(self, sum: f64) -> f64 {
        self.0.mul_add(self.1, sum)
    }
}

/// The sum of eight interleaved partial sums.
fn interleaved(terms: impl IntoIterator<Item = impl Term>) -> f64 {
    let mut partial = [0.0; 8];
    for (index, term) in terms.into_iter().enumerate() {
        partial[index % 8] = term.added_to(partial[index % 8]);
    }
    partial[1..].iter().fold(partial[0], |sum, next| sum + next)
}

fn in_order(terms: impl IntoIterator<Item = impl Term>) -> f64 {
    terms.into_iter().fold(0.0, |sum, next| next.added_to(sum))
}

fn literal(numbers: &[f64]) -> String {
    let numbers: Vec<_> = numbers.iter().map(|number| format!("{number:?}")).collect();
    format!("[{}]", numbers.join(", "))
}

fn matrix(numbers: &[f64], columns: usize) -> String {
    let rows: Vec<_> = numbers.chunks(columns).map(literal).collect();
    format!("[{}]", rows.join(", "))
}

/// Runs a program that prints a one for each comparison, in every way.
fn run(name: &str, program: &str, comparisons: usize) -> Outcome {
    let directory = scratch(&format!("order_of_additions/{name}"));
    let source = directory.join("program.toy");
    std::fs::write(&source, program)?;
    let expected = "1.000000\n".repeat(comparisons);
    for level in LEVELS {
        toyc([source.as_os_str(), level.as_ref(), "-emit=jit".as_ref()])
            .run()?
            .exits(0)?
            .prints(&expected)?;
        let executable = directory.join("program");
        build(&source, &executable, level, None)?;
        Job::new(&executable, [] as [&str; 0]).run()?.exits(0)?.prints(&expected)?;
    }
    Ok(())
}

/// Sums of vectors, and their products, of lengths around multiples of eight.
fn vectors() -> Outcome {
    let mut numbers = Numbers(1);
    let mut main = String::new();
    let mut functions = format!("{LINE}\n");
    let (mut comparisons, mut differ) = (0, 0);
    for count in (1..=18).chain([23, 24, 25, 32, 33, 100, 257]) {
        let (a, b) = (numbers.list(count), numbers.list(count));
        let sum = interleaved(a.iter().copied());
        let dot = interleaved(a.iter().copied().zip(b.iter().copied()));
        differ += usize::from(sum != in_order(a.iter().copied()));
        // The numbers are not constants where they are added.
        writeln!(
            functions,
            "def sums{count}(a, b) {{\nline(sum(a) == {sum:?});\nline(a @ b == {dot:?});\n\
             line(sum(a, 0) == {sum:?});\n}}"
        )?;
        writeln!(main, "sums{count}({}, {});", literal(&a), literal(&b))?;
        comparisons += 3;
    }
    if differ < 5 {
        return fail("the numbers do not depend on the order");
    }
    run("vectors", &format!("{functions}def main() {{\n{main}}}\n"), comparisons)
}

/// Products of matrices and vectors, and sums along axes.
fn matrices() -> Outcome {
    let mut numbers = Numbers(2);
    let (mut main, mut functions, mut comparisons) = (String::new(), String::new(), 0);
    for (m, k, n) in [(1, 1, 1), (3, 7, 5), (2, 8, 3), (5, 9, 4), (4, 21, 9), (17, 40, 11)] {
        let (a, b) = (numbers.list(m * k), numbers.list(k * n));
        let (x, y) = (numbers.list(k), numbers.list(k));
        let row = |i: usize| a[i * k..(i + 1) * k].iter().copied();
        let column = |j: usize| b.iter().skip(j).step_by(n).copied();
        let product: Vec<f64> = (0..m)
            .flat_map(|i| (0..n).map(move |j| (i, j)))
            .map(|(i, j)| in_order(row(i).zip(column(j))))
            .collect();
        let by_vector: Vec<_> =
            (0..m).map(|i| interleaved(row(i).zip(x.iter().copied()))).collect();
        let of_vector: Vec<_> =
            (0..n).map(|j| interleaved(column(j).zip(y.iter().copied()))).collect();
        let rows: Vec<_> = (0..m).map(|i| interleaved(row(i))).collect();
        let columns: Vec<_> = (0..n).map(|j| in_order(column(j))).collect();
        let total = interleaved(a.iter().copied());
        writeln!(
            functions,
            "def check{k}(a, b, x, y) {{\n\
             line(min(a @ b == {}));\nline(min(a @ x == {}));\nline(min(y @ b == {}));\n\
             line(min(sum(a, 1) == {}));\nline(min(sum(b, 0) == {}));\nline(sum(a) == {total:?});\n}}",
            matrix(&product, n),
            literal(&by_vector),
            literal(&of_vector),
            literal(&rows),
            literal(&columns)
        )?;
        let (a, b) = (matrix(&a, k), matrix(&b, n));
        writeln!(main, "check{k}({a}, {b}, {}, {});", literal(&x), literal(&y))?;
        comparisons += 6;
    }
    run("matrices", &format!("{LINE}\n{functions}def main() {{\n{main}}}\n"), comparisons)
}

/// Batches of matrices, and sums along each axis of three.
fn batches() -> Outcome {
    let mut numbers = Numbers(3);
    let (batch, m, k, n) = (2, 3, 9, 4);
    let (a, b) = (numbers.list(batch * m * k), numbers.list(batch * k * n));
    let at = |list: &[f64], [first, second, third]: [usize; 3], [_, rows, columns]: [usize; 3]| {
        list[(first * rows + second) * columns + third]
    };
    let (of_a, of_b) = ([batch, m, k], [batch, k, n]);
    let tensor = |list: &[f64], rows: usize, columns: usize| {
        let parts: Vec<_> = list.chunks(rows * columns).map(|part| matrix(part, columns)).collect();
        format!("[{}]", parts.join(", "))
    };
    let mut product = Vec::new();
    for (t, i, j) in all([batch, m, n]) {
        let terms = (0..k).map(|l| (at(&a, [t, i, l], of_a), at(&b, [t, l, j], of_b)));
        product.push(in_order(terms));
    }
    let first: Vec<_> = all([1, m, k])
        .map(|(_, i, l)| in_order((0..batch).map(|t| at(&a, [t, i, l], of_a))))
        .collect();
    let second: Vec<_> = all([1, batch, k])
        .map(|(_, t, l)| in_order((0..m).map(|i| at(&a, [t, i, l], of_a))))
        .collect();
    let third: Vec<_> = all([1, batch, m])
        .map(|(_, t, i)| interleaved((0..k).map(|l| at(&a, [t, i, l], of_a))))
        .collect();
    let program = format!(
        "{LINE}\n\
         def check(a, b) {{\nline(min(a @ b == {}));\nline(min(sum(a, 0) == {}));\n\
         line(min(sum(a, 1) == {}));\nline(min(sum(a, -1) == {}));\nline(sum(a) == {:?});\n}}\n\
         def main() {{ check({}, {}); }}\n",
        tensor(&product, m, n),
        matrix(&first, k),
        matrix(&second, k),
        matrix(&third, m),
        interleaved(a.iter().copied()),
        tensor(&a, m, k),
        tensor(&b, k, n)
    );
    run("batches", &program, 5)
}

/// Element number n of a large tensor, in Toy and here. A sum of such elements depends on the order.
const ELEMENT: &str = "1 / (n + 1) + n * 0.1";

fn element(n: usize) -> f64 {
    let n = n as f64;
    1.0 / (n + 1.0) + n * 0.1
}

/// Reductions of matrices that are larger than the caches. The compiler reads them in other ways: rows of several parts
/// together, columns a few at a time, with prefetches. The sizes are odd, so that each way has a remainder.
fn large() -> Outcome {
    for (m, k) in [(131, 2003), (265, 2001), (2100, 1003)] {
        let a: Vec<_> = (0..m * k).map(element).collect();
        let column = |j: usize| a.iter().skip(j).step_by(k).copied();
        let rows: Vec<_> = a.chunks(k).map(|row| interleaved(row.iter().copied())).collect();
        let columns: Vec<_> = (0..k).map(|j| in_order(column(j))).collect();
        let total = interleaved(a.iter().copied());
        let most = |elements: &mut dyn Iterator<Item = f64>| elements.fold(f64::MIN, f64::max);
        let of_rows: Vec<_> = a.chunks(k).map(|row| most(&mut row.iter().copied())).collect();
        let of_columns: Vec<_> = (0..k).map(|j| most(&mut column(j))).collect();
        if rows[0] == in_order(a[..k].iter().copied()) || total == in_order(a.iter().copied()) {
            return fail("the numbers do not depend on the order");
        }
        let program = format!(
            "{LINE}\n\
             def check(a) {{\nline(min(sum(a, 1) == {}));\nline(min(sum(a, 0) == {}));\n\
             line(min(max(a, axis = 1) == {}));\nline(min(max(a, axis = 0) == {}));\nline(sum(a) == {total:?});\n}}\n\
             def main() {{\n  var a<{m}, {k}> = 0;\n  for i in 0..{m} {{\n    \
             var n = range({k}) + i * {k};\n    a[i] = {ELEMENT};\n  }}\n  check(a);\n}}\n",
            literal(&rows),
            literal(&columns),
            literal(&of_rows),
            literal(&of_columns)
        );
        run(&format!("large_{m}x{k}"), &program, 5)?;
    }
    Ok(())
}

/// Sums of large tensors along the first two of three axes, against loops that add slice after slice.
fn large_rank_3() -> Outcome {
    for (a, b, c) in [(19, 31, 450), (3, 700, 1001), (101, 55, 203)] {
        let program = format!(
            "{LINE}\n\
             def first(x) {{\n  var sums = sum(x, 0);\n  var so_far = x[0] * 0;\n  \
             for t in 0..{a} {{ so_far = so_far + x[t]; }}\n  line(min(sums == so_far));\n}}\n\
             def second(x) {{\n  var sums = sum(x, 1);\n  var same = 1;\n  for t in 0..{a} {{\n    \
             var so_far = x[t, 0] * 0;\n    for i in 0..{b} {{ so_far = so_far + x[t, i]; }}\n    \
             same = min(same, min(sums[t] == so_far));\n  }}\n  line(same);\n}}\n\
             def main() {{\n  var x<{a}, {b}, {c}> = 0;\n  for t in 0..{a} {{\n    for i in 0..{b} {{\n      \
             var n = range({c}) + (t * {b} + i) * {c};\n      x[t, i] = {ELEMENT};\n    }}\n  }}\n  \
             first(x);\n  second(x);\n}}\n"
        );
        run(&format!("large_{a}x{b}x{c}"), &program, 2)?;
    }
    Ok(())
}

fn all([a, b, c]: [usize; 3]) -> impl Iterator<Item = (usize, usize, usize)> {
    (0..a).flat_map(move |x| (0..b).flat_map(move |y| (0..c).map(move |z| (x, y, z))))
}
