//! The builtin functions, which a program calls without defining them.

/// The builtins with their numbers of arguments.
pub const BUILTINS: [(&str, usize); 2] = [("transpose", 1), ("print", 1)];

/// Whether a name is that of a builtin.
pub fn is_builtin(name: &str) -> bool {
    BUILTINS.iter().any(|(builtin, _)| *builtin == name)
}
