//! Compiles malloc.c.

fn main() {
    println!("cargo:rerun-if-changed=malloc.c");
    cc::Build::new().file("malloc.c").flag("-fno-builtin").compile("fastmalloc");
}
