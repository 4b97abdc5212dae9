//! The builtin functions, which a program calls without defining them.
//!
//! One table for the checks, the advice, the suggestions, the highlighting and the lowering. A function of the
//! program with the name of a builtin takes its place, except for the reserved ones, which no program may define.

/// A builtin function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Builtin {
    /// The name that calls use.
    pub name: &'static str,
    /// The fewest arguments.
    pub fewest: usize,
    /// The most arguments, `axis = e` not counted.
    pub most: usize,
    /// True if a call with one argument may have `axis = e`, too.
    pub has_axis: bool,
    /// True if no function of the program may have the name.
    pub is_reserved: bool,
}

impl Builtin {
    /// True if a call may have this many arguments.
    pub fn takes(&self, count: usize) -> bool {
        (self.fewest..=self.most).contains(&count)
    }

    /// True if a call has a value, as all but `print` do.
    pub fn has_value(&self) -> bool {
        self.name != "print"
    }

    /// The argument that has to be a constant expression, if any, by its index.
    pub fn constant_argument(&self) -> Option<usize> {
        match self.name {
            "range" => Some(0),
            "sum" | "shape" => Some(1),
            _ => None,
        }
    }
}

const fn with_arguments(name: &'static str, fewest: usize, most: usize) -> Builtin {
    Builtin { name, fewest, most, has_axis: false, is_reserved: false }
}

const fn with_axis(name: &'static str) -> Builtin {
    Builtin { has_axis: true, ..with_arguments(name, 1, 2) }
}

const fn reserved(name: &'static str, fewest: usize, most: usize) -> Builtin {
    Builtin { is_reserved: true, ..with_arguments(name, fewest, most) }
}

/// All builtins; the reserved ones first.
pub const BUILTINS: [Builtin; 17] = [
    reserved("transpose", 1, 1),
    reserved("print", 1, usize::MAX),
    with_arguments("exp", 1, 1),
    with_arguments("log", 1, 1),
    with_arguments("sqrt", 1, 1),
    with_arguments("sin", 1, 1),
    with_arguments("cos", 1, 1),
    with_arguments("tanh", 1, 1),
    with_arguments("abs", 1, 1),
    with_arguments("floor", 1, 1),
    with_arguments("pow", 2, 2),
    with_axis("sum"),
    with_axis("max"),
    with_axis("min"),
    with_arguments("where", 3, 3),
    with_arguments("range", 1, 1),
    with_arguments("shape", 2, 2),
];

/// The builtin with this name.
pub fn find(name: &str) -> Option<&'static Builtin> {
    BUILTINS.iter().find(|builtin| builtin.name == name)
}

/// True if the name belongs to a builtin.
pub fn is_builtin(name: &str) -> bool {
    find(name).is_some()
}

/// True if no function of a program may have this name.
pub fn is_reserved(name: &str) -> bool {
    find(name).is_some_and(|builtin| builtin.is_reserved)
}
