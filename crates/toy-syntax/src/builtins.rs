//! The functions of the language that no program defines.

/// The functions that every program may call, with the number of their arguments.
pub const BUILTINS: [(&str, usize); 2] = [("transpose", 1), ("print", 1)];

/// Whether a name is that of a function a builtin function.
pub fn is_builtin(name: &str) -> bool {
    BUILTINS.iter().any(|(builtin, _)| *builtin == name)
}
