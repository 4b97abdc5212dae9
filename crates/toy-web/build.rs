//! The stack of the module: as much as the main thread of a process has, which the limits of the parser are made for.

fn main() {
    if std::env::var("CARGO_CFG_TARGET_FAMILY").as_deref() == Ok("wasm") {
        println!("cargo:rustc-link-arg-cdylib=-zstack-size={}", 8 << 20);
    }
    println!("cargo:rerun-if-changed=build.rs");
}
