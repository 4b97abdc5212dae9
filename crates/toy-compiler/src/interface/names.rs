//! The names that a function or a parameter can have in C and in C++.
//!
//! Input: names. Output: the reason why a name cannot be used, or another one. Deny by default: a function of a
//! shared library with the name of a C library's function would replace it in the whole process.

use std::collections::HashSet;
use std::sync::LazyLock;

/// The macro in C, and the constant in Rust, with the size of the workspace.
pub const SIZE_MACRO: &str = "_WORKSPACE";

/// The reason why C or C++ cannot have a function of this name; None if both can.
pub fn complaint(name: &str) -> Option<&'static str> {
    let complaints = [
        (!is_identifier(name), "it has characters that C does not allow there"),
        (
            name.starts_with('_') || name.contains("__"),
            "such names with `_` are reserved for the C and C++ implementation",
        ),
        (name == "main", "a library that has `main` cannot be part of a program"),
        (
            name.starts_with("toy_") || name.starts_with("TOY_"),
            "names with this beginning belong to the runtime",
        ),
        (is_keyword(name), "it is a keyword of C or C++"),
        (is_of_library(name), "it is a name of the C library"),
    ];
    complaints.into_iter().find_map(|(applies, why)| applies.then_some(why))
}

/// Valid names for parameters, all different; each input may be any text.
pub fn parameters(wanted: impl IntoIterator<Item = String>) -> Vec<String> {
    let mut taken: HashSet<String> = HashSet::from(["workspace".to_owned()]);
    let mut names = Vec::new();
    for name in wanted {
        let mut name = parameter(name);
        while !taken.insert(name.clone()) {
            name.push('_');
        }
        names.push(name);
    }
    names
}

/// The name of a parameter; it may also be a function's. Headers name their own macros as they like: `_Bool`,
/// `__FILE__`, `_B`.
fn parameter(name: String) -> String {
    let is_reserved = name.contains("__")
        || (name.starts_with('_') && name[1..].starts_with(|c: char| c.is_ascii_uppercase()));
    if is_reserved {
        let words: Vec<_> = name.split('_').filter(|word| !word.is_empty()).collect();
        return parameter(format!("p_{}", words.join("_")));
    }
    if is_keyword(&name) || is_macro(&name) || name.ends_with(SIZE_MACRO) || !is_identifier(&name) {
        return format!("{}_", identifier(&name));
    }
    name
}

fn is_identifier(name: &str) -> bool {
    let is_letter = |c: char| c.is_ascii_alphabetic() || c == '_';
    name.starts_with(is_letter) && name.chars().all(|c| is_letter(c) || c.is_ascii_digit())
}

/// A name with other characters replaced.
fn identifier(name: &str) -> String {
    let name: String =
        name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if name.starts_with(|c: char| c.is_ascii_digit()) || name.is_empty() {
        return format!("a{name}");
    }
    name
}

fn is_keyword(name: &str) -> bool {
    KEYWORDS.split_whitespace().any(|keyword| keyword == name)
}

/// True if a header may define a macro of this name. A name without small letters may be a macro of the program
/// that includes ours; one letter is more likely a matrix.
fn is_macro(name: &str) -> bool {
    let is_capital = name.len() > 1 && !name.contains(|c: char| c.is_ascii_lowercase());
    is_capital
        || MACRO_STARTS.iter().any(|start| name.starts_with(start))
        || KNOWN.macros.contains(name)
}

fn is_of_library(name: &str) -> bool {
    // Each function of <math.h> is three.
    let plain = name.strip_suffix(['f', 'l']).unwrap_or(name);
    let is_float = plain != name && MATH.split_whitespace().any(|known| known == plain);
    let is_macro = MACRO_STARTS.iter().any(|start| name.starts_with(start));
    is_float || is_macro || KNOWN.all.contains(name)
}

/// The keywords of C11 and C++20.
const KEYWORDS: &str = "alignas alignof and and_eq asm auto bitand bitor bool break case catch char char8_t \
    char16_t char32_t class compl concept const consteval constexpr constinit const_cast continue co_await \
    co_return co_yield decltype default delete do double dynamic_cast else enum explicit export extern false \
    float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or \
    or_eq private protected public register reinterpret_cast requires restrict return short signed sizeof \
    static static_assert static_cast struct switch template this thread_local throw true try typedef typeid \
    typename typeof typeof_unqual union unsigned using virtual void volatile wchar_t while xor xor_eq";

/// Names of functions, macros and types of C's headers, in sections.
const NAMES: &str = include_str!("c_names.txt");

/// The names of C.
struct Known {
    all: HashSet<&'static str>,
    /// Macros that expand wherever they are.
    macros: HashSet<&'static str>,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let sections: Vec<_> = NAMES.split("\n# ").skip(1).collect();
    let words = |section: &'static str| section.lines().skip(1).flat_map(str::split_whitespace);
    let macros = sections.iter().filter(|section| section.starts_with("macros without"));
    Known {
        all: sections.iter().flat_map(|section| words(section)).collect(),
        macros: macros.flat_map(|section| words(section)).collect(),
    }
});

/// The prefixes of other macros of C's headers: <math.h> and <inttypes.h>.
const MACRO_STARTS: [&str; 3] = ["M_", "PRI", "SCN"];

/// The functions of <math.h> and <complex.h> that have names for float and long double.
const MATH: &str = "acos acosh asin asinh atan atan2 atanh cabs cacos cacosh carg casin casinh catan catanh \
    cbrt ccos ccosh ceil cexp cimag clog conj copysign cos cosh cpow cproj creal csin csinh csqrt ctan ctanh \
    drem erf erfc exp exp10 exp2 expm1 fabs fdim finite floor fma fmax fmin fmod frexp gamma hypot ilogb j0 j1 \
    jn ldexp lgamma llrint llround log log10 log1p log2 logb lrint lround modf nan nearbyint nextafter \
    nexttoward pow pow10 remainder remquo rint round scalb scalbln scalbn significand sin sincos sinh sqrt tan \
    tanh tgamma trunc y0 y1 yn";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn functions_are_not_keywords_nor_of_the_library() {
        for name in ["f", "f_2x3_s", "mt", "F", "f_void", "exported", "loga", "a_b_c"] {
            assert_eq!(complaint(name), None, "{name}");
        }
        for name in [
            "int",
            "class",
            "typeof",
            "_f",
            "a__b",
            "main",
            "malloc",
            "expf",
            "exp",
            "atan2l",
            "2f",
            "f$2",
            "",
            "f g",
            "é",
            "toy_print",
            "errno",
            "write",
            "pthread_create",
            "max_align_t",
            "va_start",
            "M_PI",
            "DBL_MAX",
            "ENOENT",
            "st_atime",
            "PRIu64",
            "dprintf",
        ] {
            assert!(complaint(name).is_some(), "{name}");
        }
    }

    #[test]
    fn parameters_get_different_valid_names() {
        let names = parameters(
            ["a", "int", "a", "workspace", "x.y", "1", "", "_p", "exp", "NULL"].map(str::to_owned),
        );
        let expected =
            ["a", "int_", "a_", "workspace_", "x_y_", "a1_", "a__", "_p", "exp", "NULL_"];
        assert_eq!(names, expected);
    }

    #[test]
    fn parameters_are_no_macros() {
        for (name, expected) in [
            ("TOY_OK", "TOY_OK_"),
            ("M_PI", "M_PI_"),
            ("M_PIl", "M_PIl_"),
            ("__FILE__", "p_FILE"),
            ("_Bool", "p_Bool"),
            ("_", "_"),
            ("__", "p_"),
            ("_B", "p_B"),
            ("errno", "errno_"),
            ("stdin", "stdin_"),
            ("INFINITY", "INFINITY_"),
            ("f_WORKSPACE", "f_WORKSPACE_"),
            ("A", "A"),
            ("I", "I_"),
            ("a__b", "p_a_b"),
            ("matrix", "matrix"),
        ] {
            assert_eq!(parameters([name.to_owned()]), [expected], "{name}");
        }
    }
}
