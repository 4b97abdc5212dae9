//! A C program that calls every function of a library, in both forms, and shows the results.
//!
//! Input: an interface. Output: the text of the program. Each tensor is in memory of its own at an address
//! that is a multiple of 8 and not of 16, between words that must not change; so is the workspace, at an
//! odd address. Arguments must not change either. The second form must give the same results as the
//! first. `-DTHREADS` makes it call all functions that do not print from several threads at a time.

use std::fmt::Write;
use toy_compiler::interface::{Element, Function, Interface};

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
"#;

/// For each element type, with its name in C and in Toy.
const OF_NUMBERS: &str = r#"
/* Room for so many numbers, not at a multiple of 16, between canaries. */
static NUMBER *make_NAME(size_t count)
{
    unsigned char *memory = aligned_alloc(16, (count * sizeof(NUMBER) + 31) / 16 * 16);
    if (memory == NULL)
        abort();
    memcpy(memory, &canary, 8);
    memcpy(memory + 8 + count * sizeof(NUMBER), &canary, 8);
    return (NUMBER *)(memory + 8);
}

static NUMBER *make_argument_NAME(size_t tensor, size_t count)
{
    NUMBER *elements = make_NAME(count);
    for (size_t i = 0; i < count; i++)
        elements[i] = element(tensor, i);
    return elements;
}

static NUMBER *make_result_NAME(size_t count)
{
    NUMBER *elements = make_NAME(count);
    memset(elements, 0xff, count * sizeof *elements);
    return elements;
}

static void drop_NAME(const char *name, NUMBER *elements, size_t count)
{
    unsigned char *memory = (unsigned char *)elements;
    if (memcmp(memory - 8, &canary, 8) != 0 || memcmp(elements + count, &canary, 8) != 0)
        fail(name, "a canary is dead");
    free(memory - 8);
}

static void drop_argument_NAME(const char *name, NUMBER *elements, size_t tensor, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (elements[i] != element(tensor, i))
            fail(name, "an argument has changed");
    drop_NAME(name, elements, count);
}

/* Numbers of either type as the bits of a double. */
static void show_NAME(const NUMBER *elements, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double number = elements[i];
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
        if (number != number)
            puts("nan");
        else
            printf("%016llx\n", (unsigned long long)bits);
    }
}

static void same_NAME(const char *name, const NUMBER *a, const NUMBER *b, size_t count)
{
    if (memcmp(a, b, count * sizeof *a) != 0)
        fail(name, "the second form has another result");
}

static uint64_t sum_NAME(uint64_t start, const NUMBER *elements, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const double number = elements[i];
        uint64_t bits;
        memcpy(&bits, &number, sizeof bits);
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
    for element in Element::ALL {
        text += &OF_NUMBERS.replace("NUMBER", element.c()).replace("NAME", element.name());
    }
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
        let (count, c, ty) = (value.elements(), value.ty.element.c(), value.ty.element.name());
        writeln!(before, "    {c} *p{number} = make_argument_{ty}({number}, {count});")?;
        writeln!(after, "    drop_argument_{ty}(\"{c_name}\", p{number}, {number}, {count});")?;
        arguments.push(format!("p{number}"));
    }
    let mut checks = String::new();
    for (number, value) in results.iter().enumerate() {
        let (count, c, ty) = (value.elements(), value.ty.element.c(), value.ty.element.name());
        writeln!(before, "    {c} *r{number} = make_result_{ty}({count});")?;
        writeln!(before, "    {c} *s{number} = make_result_{ty}({count});")?;
        writeln!(checks, "    if (shows) show_{ty}(r{number}, {count});")?;
        writeln!(checks, "    result = sum_{ty}(result, r{number}, {count});")?;
        writeln!(after, "    same_{ty}(\"{c_name}\", r{number}, s{number}, {count});")?;
        writeln!(after, "    drop_{ty}(\"{c_name}\", r{number}, {count});")?;
        writeln!(after, "    drop_{ty}(\"{c_name}\", s{number}, {count});")?;
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
