//! The libraries that modules of Python have: the compiler makes them without a linker.
//!
//! Input: a program whose functions print, fail checks, have threads, versions for processors and tables of constants.
//! Output: a run of a C program that loads the library, on this machine and emulated. The tests in `python/tests` call
//! such libraries, too.

use super::{at, parsed};
use crate::programs::Cross;
use crate::tools::{Job, Outcome, fail, scratch, trial};
use libtest_mimic::{Failed, Trial};
use toy_compiler::codegen::library;
use toy_compiler::source::Source;
use toy_compiler::{Compilation, Config, Stage};

pub fn trials() -> Vec<Trial> {
    vec![
        trial("exports/unlinked", || loaded(None)),
        Cross::other().trial("exports/unlinked/emulated".into(), |cross| loaded(Some(cross))),
        trial("exports/unlinked/of_an_undefined_function", undefined),
    ]
}

const PROGRAM: &str = "\
def f(a, b, i) {
  var x = exp(a) * b;
  print(x[2, 2]);
  return sum(x * x, axis = 1)[i] + a[0] @ b[0];
}
def g(a, b) { return a * b + transpose(a); }
";

const DRIVER: &str = r#"
#include <dlfcn.h>
#include <stdio.h>
struct toy_error { int code, line, column; const char *file, *function, *message, *text; long index, size; double number; };
static double a[300 * 300], b[300 * 300], r[300 * 300];
int main(int count, char **arguments)
{
    void *library = dlopen(arguments[count - 1], RTLD_NOW);
    if (library == NULL) {
        puts(dlerror());
        return 1;
    }
    int (*f)(const double *, const double *, double, double *) = dlsym(library, "f");
    int (*g)(const double *, const double *, double *) = dlsym(library, "g");
    struct toy_error *(*last_error)(void) = dlsym(library, "toy_last_error");
    for (int i = 0; i < 300 * 300; i++) {
        a[i] = i % 7 * .25;
        b[i] = i % 5 * .5 + .25;
    }
    int status = f(a, b, 2, r);
    printf("%d %.17g\n", status, r[0]);
    status = f(a, b, 300, r);
    printf("%d %s\n", status, last_error()->text);
    status = g(a, b, r);
    double sum = 0;
    for (int i = 0; i < 300 * 300; i++)
        sum += r[i] * (i % 3);
    printf("%d %.17g\n", status, sum);
    return dlclose(library);
}
"#;

const OUTPUT: &str = "\
1.250000 0 4615.9877041904319
1.250000 5 library.toy:4:10: error: index 300 is out of range: the dimension has 300 elements
0 151870.6875
";

fn library_of(text: &str, config: Config) -> Result<Vec<u8>, Failed> {
    toy_compiler::with_large_stack(|| {
        let mut compilation = Compilation::new(Source::new("library.toy", text), config);
        compilation.advance_to(Stage::Python, &mut ()).map_err(|found| format!("{found:?}"))?;
        let (Some(object), Some(machine)) = (compilation.object(), compilation.machine()) else {
            return Err("the compilation has no object".into());
        };
        Ok(library::of(object, machine).map_err(|error| error.message)?)
    })
}

fn loaded(cross: Option<Cross>) -> Outcome {
    let directory =
        scratch(if cross.is_some() { "exports/unlinked_emulated" } else { "exports/unlinked" });
    std::fs::write(directory.join("driver.c"), DRIVER)?;
    let compiler = cross.map_or("cc", |cross| cross.compiler);
    Job::new(compiler, ["driver.c", "-o", "driver", "-ldl"])
        .current_dir(&directory)
        .run()?
        .exits(0)?;
    for (level, threads) in [(0, 0), (2, 0), (3, 4)] {
        let exports = parsed(&["f=f(300x300, 300x300, ())", "g=g(300x300, 300x300)"]);
        let target = cross.map(|cross| cross.triple.to_owned());
        let bytes = library_of(PROGRAM, Config { exports, target, threads, ..at(level) })?;
        std::fs::write(directory.join("library.so"), bytes)?;
        let run = match cross {
            Some(cross) => {
                let root = format!("/usr/{}-linux-gnu", cross.architecture);
                Job::new(cross.emulator, ["-L", &root, "driver", "./library.so"])
            }
            None => Job::new(directory.join("driver"), ["./library.so"]),
        };
        run.current_dir(&directory).run()?.exits(0)?.prints(OUTPUT)?.silent()?;
    }
    Ok(())
}

fn undefined() -> Outcome {
    let text = "func.func private @toy_test_undefined()
func.func @f() {
  func.call @toy_test_undefined() : () -> ()
  return
}
";
    let config = Config {
        language: toy_compiler::compilation::Language::Mlir,
        exports: parsed(&["f()"]),
        ..at(0)
    };
    match library_of(text, config) {
        Ok(_) => fail("a function that does not exist was not noticed"),
        Err(error) if format!("{error:?}").contains("`toy_test_undefined`") => Ok(()),
        Err(error) => Err(error),
    }
}
