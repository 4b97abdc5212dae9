//! A C program that calls every function of a library, in both forms, and shows the results.
//!
//! Input: an interface. Output: the text of the program. Each tensor is in memory of its own at an address
//! that is a multiple of 8 and not of 16, between words that must not change; so is the workspace, at an
//! odd address. Arguments must not change either. The second form must give the same results as the
//! first. `-DTHREADS` makes it call all functions that do not print from several threads at a time.

use std::fmt::Write;
use toy_compiler::interface::{Function, Interface};

/// The element with an index of the tensor with a number; the program computes the same.
pub fn element(tensor: usize, index: usize) -> f64 {
    ((index * 37 + tensor * 11 + 5) % 61) as f64 / 8.0 - 3.75
}

const START: &str = r#"#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t canary = UINT64_C(0xc0ffee0ddba11fed);

static void fail(const char *name, const char *what)
{
    fprintf(stderr, "%s: %s\n", name, what);
    exit(1);
}

static double element(size_t tensor, size_t index)
{
    return (double)((index * 37 + tensor * 11 + 5) % 61) / 8.0 - 3.75;
}

/* Room for so many doubles, not at a multiple of 16, between canaries. */
static double *make(size_t count)
{
    uint64_t *memory = aligned_alloc(16, (count + 4) / 2 * 16);
    if (memory == NULL)
        abort();
    memory[0] = memory[count + 1] = canary;
    return (double *)(memory + 1);
}

static double *make_argument(size_t tensor, size_t count)
{
    double *elements = make(count);
    for (size_t i = 0; i < count; i++)
        elements[i] = element(tensor, i);
    return elements;
}

static double *make_result(size_t count)
{
    double *elements = make(count);
    memset(elements, 0xff, count * sizeof *elements);
    return elements;
}

static void check(const char *name, double *elements, size_t count)
{
    const uint64_t *memory = (uint64_t *)elements - 1;
    if (memory[0] != canary || memory[count + 1] != canary)
        fail(name, "a canary is dead");
}

static void drop(const char *name, double *elements, size_t count)
{
    check(name, elements, count);
    free((uint64_t *)elements - 1);
}

static void drop_argument(const char *name, double *elements, size_t tensor, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (elements[i] != element(tensor, i))
            fail(name, "an argument has changed");
    drop(name, elements, count);
}

static void show(const double *elements, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &elements[i], sizeof bits);
        if (elements[i] != elements[i])
            puts("nan");
        else
            printf("%016llx\n", (unsigned long long)bits);
    }
}

static unsigned char *make_workspace(size_t size)
{
    unsigned char *memory = malloc(size + 17);
    if (memory == NULL)
        abort();
    memcpy(memory + 1, &canary, 8);
    memcpy(memory + 9 + size, &canary, 8);
    return memory + 9;
}

static void drop_workspace(const char *name, unsigned char *workspace, size_t size)
{
    if (memcmp(workspace - 8, &canary, 8) != 0 || memcmp(workspace + size, &canary, 8) != 0)
        fail(name, "a canary of the workspace is dead");
    free(workspace - 9);
}

static void same(const char *name, const double *a, const double *b, size_t count)
{
    if (memcmp(a, b, count * sizeof *a) != 0)
        fail(name, "the second form has another result");
}

static uint64_t sum(uint64_t start, const double *elements, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &elements[i], sizeof bits);
        start = (start ^ bits) * UINT64_C(1099511628211);
    }
    return start;
}
"#;

const THREADS: &str = r#"
static void *thread(void *unused)
{
    (void)unused;
    for (int i = 0; i < 25; i++)
        for (size_t f = 0; functions[f].run != NULL; f++)
            if (!functions[f].prints && functions[f].run(0) != functions[f].sum)
                fail("a thread", "another result");
    return NULL;
}

int main(void)
{
    for (size_t f = 0; functions[f].run != NULL; f++)
        functions[f].sum = functions[f].run(1);
    if (THREADS > 0) {
        pthread_t threads[THREADS + 1];
        for (int i = 0; i < THREADS; i++)
            if (pthread_create(&threads[i], NULL, thread, NULL) != 0)
                abort();
        for (int i = 0; i < THREADS; i++)
            pthread_join(threads[i], NULL);
    }
    return 0;
}
"#;

/// The program; the header is `library.h`.
pub fn program(interface: &Interface) -> String {
    let mut text = format!("#include \"library.h\"\n{START}");
    let mut table = String::new();
    for (index, function) in interface.functions.iter().enumerate() {
        // Writing to a string does not fail.
        let _ = write_function(&mut text, index, function);
        let _ = writeln!(table, "    {{run{index}, {}, 0}},", i32::from(function.prints));
    }
    text += "\n#ifndef THREADS\n#define THREADS 0\n#endif\n\nstatic struct {\n    uint64_t (*run)(int);\n";
    text += "    int prints;\n    uint64_t sum;\n} functions[] = {\n";
    text + &table + "    {NULL, 0, 0},\n};\n" + THREADS
}

fn write_function(out: &mut String, index: usize, function: &Function) -> std::fmt::Result {
    let Function { c_name, parameters, results, .. } = function;
    let mut arguments = Vec::new();
    let (mut before, mut after) = (String::new(), String::new());
    for (number, value) in parameters.iter().enumerate() {
        if value.is_scalar() {
            arguments.push(format!("element({number}, 0)"));
            continue;
        }
        let count = value.elements();
        writeln!(before, "    double *p{number} = make_argument({number}, {count});")?;
        writeln!(after, "    drop_argument(\"{c_name}\", p{number}, {number}, {count});")?;
        arguments.push(format!("p{number}"));
    }
    let mut checks = String::new();
    for (number, value) in results.iter().enumerate() {
        let count = value.elements();
        writeln!(before, "    double *r{number} = make_result({count});")?;
        writeln!(before, "    double *s{number} = make_result({count});")?;
        writeln!(checks, "    if (shows) show(r{number}, {count});")?;
        writeln!(checks, "    result = sum(result, r{number}, {count});")?;
        writeln!(after, "    same(\"{c_name}\", r{number}, s{number}, {count});")?;
        writeln!(after, "    drop(\"{c_name}\", r{number}, {count});")?;
        writeln!(after, "    drop(\"{c_name}\", s{number}, {count});")?;
    }
    let call = |name: &str, letter: char, more: Option<&str>| {
        let results = (0..results.len()).map(|number| format!("{letter}{number}"));
        let all: Vec<_> =
            arguments.iter().cloned().chain(results).chain(more.map(str::to_owned)).collect();
        format!(
            "    if ({name}({}) != TOY_OK)\n        fail(\"{name}\", \"failed\");",
            all.join(", ")
        )
    };
    writeln!(
        out,
        "\nstatic uint64_t run{index}(int shows)\n{{\n    uint64_t result = 0;\n{before}"
    )?;
    writeln!(out, "    if (shows) puts(\"{c_name}\");")?;
    writeln!(out, "{}\n{checks}", call(c_name, 'r', None))?;
    writeln!(out, "    const size_t size = {}();", function.workspace_size())?;
    writeln!(out, "    if (size != {c_name}_WORKSPACE) fail(\"{c_name}\", \"another size\");")?;
    writeln!(out, "    unsigned char *workspace = make_workspace(size);")?;
    writeln!(out, "{}", call(&function.in_workspace(), 's', Some("workspace")))?;
    writeln!(
        out,
        "    drop_workspace(\"{c_name}\", workspace, size);\n{after}    return result;\n}}"
    )
}
