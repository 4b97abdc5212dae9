//! Advice about the syntax of other languages, and about damaged syntax that looks like it: one table.
//!
//! Input: a word, an operator or a character, and where it is. Output: help, with the text to write instead, if there
//! is one for it alone. Invariant: no row is about a word that Toy has in this context.

use toy_diagnostics::Diagnostic;
use toy_diagnostics::source::Span;

/// The context of a text.
#[derive(Clone, Copy, PartialEq)]
pub enum Context {
    /// Where no token starts with it.
    Character,
    /// Between two operands, or before one.
    Operator,
    /// At the start of a statement with a block.
    Statement,
    /// Between the block of an `if` and another condition.
    Else,
    /// After the variable of a loop.
    In,
    /// Between the bounds of a loop.
    Range,
    /// Between the bounds of a subscript.
    Slice,
    /// Where an operand is missing; the token before it may be part of the text.
    Operand,
    /// Where `=` is missing.
    Equals,
    /// Where `,` is missing.
    Comma,
    /// Where the `{` of a block is missing.
    OpenBrace,
    /// Where the `}` of a block is missing.
    CloseBrace,
    /// Outside of functions.
    Definition,
    /// At the start of a line that imports something.
    Import,
    /// Before the name of a parameter.
    Type,
    /// The name of a variable.
    Variable,
    /// The name of a field of a tensor `x`.
    Field,
    /// The name of a function that is called.
    Function,
}

/// The text to write instead, if there is one.
type Instead = Option<&'static str>;

/// A context, texts in it, the help, and the text to write instead.
type Row = (Context, &'static [&'static str], &'static str, Instead);

const BRANCHES: &str = "branches are written `if (c) { ... } else if (d) { ... } else { ... }`";
const LOOPS: &str = "loops are written `while (c) { ... }` and `for i in 0..n { ... }`";
/// Also where `;` is missing.
pub const RANGES: &str = "`a..b` is only for loops: `for i in a..b { ... }`; `range(n)` is a value";
const MLIR: &str = "if this is MLIR, say so with `-x mlir`";
const IMPORTS: &str =
    "Toy has no imports: a program is one file, and its builtin functions need none";
const STRETCHED: &str = "operators repeat rows and columns as needed: `x + row`; `x[0:n] = row` fills the rows of a tensor";
const DATA: &str = "a program reads the parameters of `main`: `toyc run FILE a.npy`; what `main` returns is written with `-o out.npy`";
const FIXED_SIZE: &str =
    "a tensor keeps its shape: define one that is large enough, and set its elements";

#[rustfmt::skip]
const TABLE: &[Row] = {
    use Context::{
        Character, CloseBrace, Comma, Definition, Else, Equals, Field, Function, Import, In, OpenBrace, Operand, Operator,
        Range, Slice, Statement, Type, Variable,
    };
    &[
    (Character, &["−", "–"], "write `-`", Some("-")),
    (Character, &["×", "·"], "write `*`", Some("*")),
    (Character, &["÷"], "write `/`", Some("/")),
    (Character, &["≤"], "write `<=`", Some("<=")),
    (Character, &["≥"], "write `>=`", Some(">=")),
    (Character, &["≠"], "write `!=`", Some("!=")),
    (Character, &["&"], "write `&&`", Some("&&")),
    (Character, &["|"], "write `||`", Some("||")),
    (Character, &["?"], "`where(c, a, b)` is `a` where `c` is not 0, and `b` elsewhere", None),
    (Character, &["^"], "`pow(a, b)` raises `a` to the power of `b`", None),
    (Character, &["~"], "`!` negates a condition", None),
    (Operator, &["//"], "write `floor(a / b)`", None),
    (Operator, &["=>"], "write `>=`", Some(">=")),
    (Operator, &["=<"], "write `<=`", Some("<=")),
    (Operator, &["==="], "write `==`", Some("==")),
    (Operator, &["!=="], "write `!=`", Some("!=")),
    (Operator, &["and"], "write `&&`", Some("&&")),
    (Operator, &["or"], "write `||`", Some("||")),
    (Operator, &["not"], "write `!`", Some("!")),
    (Operand, &["= ="], "write a single `=`", Some("=")),
    (Operand, &["== ="], "remove this `=`", Some("==")),
    (Operand, &["!= ="], "remove this `=`", Some("!=")),
    (Operand, &["< >"], "write `!=`", Some("!=")),
    (Operand, &["* *"], "`pow(a, b)` raises `a` to the power of `b`", None),
    (Operand, &["+"], "Toy has no unary `+`: remove it", Some("")),
    (Equals, &["=="], "write a single `=`", Some("=")),
    (Equals, &["> <"], "only one shape can be given", None),
    (Equals, &[":"],
        "a variable is declared without a type, or with a shape: `var x<2, 3> = ...;`", None),
    (Comma, &[".."], RANGES, None),
    (OpenBrace, &[":"],
        "the statements of a function are written in braces: `def name() { ... }`", None),
    (CloseBrace, &["def"], "functions cannot be nested: close the enclosing function first", None),
    (In, &["of", "=", ":"], "a loop is written `for i in 0..n { ... }`", Some("in")),
    (Range, &["..."], "a range is written with two points: `0..4`", Some("..")),
    (Range, &[":"], "`:` is for subscripts; write `..`", Some("..")),
    (Range, &["="], "remove the `=` and add 1 to the end", Some("")),
    (Slice, &[".."], "write `:` between two bounds: `x[0:n]`", Some(":")),
    (Statement, &["for ("], "write `for i in 0..n { ... }`, or a `while` loop", None),
    (Else, &["elif", "elsif", "elseif"], "write `else if`", Some("else if")),
    (Statement, &["switch", "match", "unless"], BRANCHES, None),
    (Statement, &["do", "loop", "until", "repeat", "foreach"], LOOPS, None),
    (Import, &["import", "from", "use", "using", "include", "require", "package"], IMPORTS, None),
    (Definition, &["import", "from", "use", "using", "include", "require", "package"], IMPORTS, None),
    (Definition, &[";"], "a definition does not end with `;`: remove it", Some("")),
    (Definition, &["var"],
        "Toy has no global variables: define it in a function, and pass it to others as an argument", None),
    (Definition, &["fn", "func", "function", "fun", "define", "defun", "sub"],
        "a function definition starts with `def`", Some("def")),
    (Definition, &["class", "type", "typedef", "record", "data"],
        "a struct is written `struct Name { var field; }`", None),
    (Definition, &["module", "builtin"], MLIR, None),
    (Type, &["let", "const", "auto", "val", "mut", "int", "float", "double", "f32", "f64", "tensor",
        "Tensor", "number", "matrix"], "a tensor parameter is declared by its name alone", Some("")),
    (Variable, &["true", "True"], "Toy has no truth values: write `1`", Some("1")),
    (Variable, &["false", "False"], "Toy has no truth values: write `0`", Some("0")),
    (Variable, &["infinity", "Infinity", "Inf"], "for infinity, write `inf`", Some("inf")),
    (Variable, &["NaN", "NAN"], "for NaN, write `nan`", Some("nan")),
    (Variable, &["PI", "Pi"], "for pi, write `pi`", Some("pi")),
    (Variable, &["e", "E"], "if this is to be Euler's number, write `exp(1)`", None),
    (Variable, &["None", "null", "nil"], "every variable has a value; for a missing number, write `nan`", None),
    (Field, &["T", "transpose"], "write `transpose(x)`", None),
    (Field, &["reshape"], "write `var name<2, 3> = ...;` with the new shape", None),
    (Field, &["shape", "size", "length", "len"],
        "`shape(x, 0)` is the size of the first dimension, `shape(x, 1)` of the second one", None),
    (Function, &["not"], "write `!`", Some("!")),
    (Function, &["len", "size", "rows", "nrow", "cols", "columns", "ncol"],
        "`shape(x, 0)` is the number of elements of a list or of rows, `shape(x, 1)` of columns", None),
    (Function, &["ndim", "rank"], "dimensions are not counted; `shape(x, 0)` is the size of the first one", None),
    (Function, &["dot", "matmul", "mm"], "for a product of matrices, write `a @ b`", None),
    (Function, &["log2", "log10"], "write `log(x) / log(2)`, or `log(x) / log(10)`", None),
    (Function, &["ln"], "the natural logarithm is `log(x)`", Some("log")),
    (Function, &["power"], "write `pow(x, y)`", Some("pow")),
    (Function, &["exp2"], "write `pow(2, x)`", None),
    (Function, &["tan"], "write `sin(x) / cos(x)`", None),
    (Function, &["sinh", "cosh"], "write `(exp(x) - exp(-x)) / 2` for sinh, and `(exp(x) + exp(-x)) / 2` for cosh", None),
    (Function, &["square"], "write `x * x`", None),
    (Function, &["isnan", "isinf", "isfinite"],
        "`x != x` is 1 for NaN, `abs(x) == inf` for infinities, and `abs(x) < inf` for all other numbers", None),
    (Function, &["clip", "clamp"], "write `min(max(x, low), high)`", None),
    (Function, &["count", "count_nonzero"], "`sum(x != 0)` counts what is not 0, `sum(x > 1)` where a condition holds", None),
    (Function, &["median"],
        "the median of a list is `(s[floor((n - 1) / 2)] + s[floor(n / 2)]) / 2` with `var s = sort(x);` and \
         `var n = shape(x, 0);`", None),
    (Function, &["argsort"], "`sort(x)` has the elements in order, and `argmin(x)` is the index of the first one", None),
    (Function, &["cumprod"], "write `for i in 1..shape(x, 0) { x[i] = x[i - 1] * x[i]; }`", None),
    (Function, &["diff"], "write `x[1:] - x[:-1]`", None),
    (Function, &["flip", "fliplr", "flipud", "reverse", "reversed"], "write `x[::-1]`, or `x[:, ::-1]` for each row", None),
    (Function, &["roll"], "write `concat(x[-1:], x[:-1])`, which moves each element by one", None),
    (Function, &["conv", "conv2d", "convolve", "correlate"],
        "write a loop over windows: `y[i] = sum(x[i:i + 3] * w);`", None),
    (Function, &["onehot", "one_hot"], "for a list of whole numbers, write `reshape(x, -1, 1) == range(n)`", None),
    (Function, &["zeros_like", "ones_like"], "write the sizes: `zeros(shape(x, 0), shape(x, 1))`", None),
    (Function, &["permute", "swapaxes"], "write the dimensions in their new order: `transpose(x, 0, 2, 1)`", None),
    (Function, &["rint", "around"], "the nearest whole number is `round(x)`", Some("round")),
    (Function, &["exit", "quit"], "a program ends with its `main`: there, write `return;`", None),
    (Function, &["ceil", "ceiling"], "to round up, write `-floor(-x)`", None),
    (Function, &["int", "fix"],
        "`trunc(x)` drops what is after the point, `floor(x)` rounds down", Some("trunc")),
    (Function, &["view", "resize"], "`reshape(x, 2, 3)` has the elements of `x` in another shape", Some("reshape")),
    (Function, &["flatten", "ravel"], "`reshape(x, -1)` has the elements of `x` in one list", None),
    (Function, &["average", "avg"], "the mean is `mean(x)`", Some("mean")),
    (Function, &["product"], "the product of all elements is `prod(x)`", Some("prod")),
    (Function, &["std", "stddev", "var", "variance"],
        "the variance is `mean(pow(x - mean(x), 2))`, of each row of a matrix \
         `mean(pow(x - mean(x, axis = 1, keep = 1), 2), axis = 1)`, and the standard deviation its `sqrt`", None),
    (Function, &["sorted", "msort"], "to sort, write `sort(x)`", Some("sort")),
    (Function, &["norm"], "the length of a vector is `sqrt(x @ x)`", None),
    (Function, &["maximum", "fmax"],
        "`max(a, b)` is the greater of two numbers, element by element", Some("max")),
    (Function, &["minimum", "fmin"],
        "`min(a, b)` is the smaller of two numbers, element by element", Some("min")),
    (Function, &["arange"], "`range(n)` is 0, 1, ... up to n - 1", Some("range")),
    (Function, &["relu"], "to replace what is below 0 by 0, write `max(x, 0)`", None),
    (Function, &["sigmoid"], "write `1 / (1 + exp(-x))`", None),
    (Function, &["softmax"],
        "write `exp(x - max(x)) / sum(exp(x - max(x)))`; for each row of a matrix, with `axis = 1, keep = 1`: \
         `var e = exp(x - max(x, axis = 1, keep = 1));` and `e / sum(e, axis = 1, keep = 1)`", None),
    (Function, &["broadcast", "expand", "tile", "repeat"], STRETCHED, None),
    (Function, &["mod", "fmod", "remainder"], "the remainder is `a % b`", None),
    (Function, &["random", "rand", "randn"],
        "Toy has no random numbers: a program prints the same each time", None),
    (Function, &["load", "loadtxt", "genfromtxt", "fromfile", "read_csv", "read", "open", "input", "scanf",
        "save", "savetxt", "savez", "to_csv", "tofile", "write"], DATA, None),
    (Function, &["append", "push"], FIXED_SIZE, None),
    (Function, &["concatenate", "hstack", "cat"], "to put tensors together, write `concat(a, b, axis = 0)`", Some("concat")),
    (Function, &["stack", "vstack"], "a list stacks tensors of one shape: `[a, b]`", None),
    (Function, &["full", "fill"], "to fill a tensor with one number, write `var x<2, 3> = 7;`", None),
    (Function, &["identity"], "the identity matrix is `eye(n)`", Some("eye")),
    (Function, &["diag"], "write `eye(n) * x`, where n is the length of `x`", None),
    // Functions that do something else have nearly these names.
    (Function, &["asin", "acos", "atan", "atan2", "arcsin", "arccos", "arctan", "arctan2", "asinh", "acosh", "atanh", "sinc"],
        "of these functions, Toy has `sin`, `cos` and `tanh`", None),
    (Function, &["cov", "bin", "isin", "logspace", "map", "inv", "det", "unique"],
        "Toy has nothing like it; `toyc explain language` lists its functions", None),
    (Function, &["outer"], "write `reshape(x, -1, 1) * y`", None),
    ]
};

/// The help for a text, and the text to write instead.
pub fn advice(context: Context, text: &str) -> Option<(&'static str, Instead)> {
    let mut rows = TABLE.iter().filter(|(where_it_is, ..)| *where_it_is == context);
    rows.find(|(_, texts, ..)| texts.contains(&text)).map(|(.., help, instead)| (*help, *instead))
}

/// True for the error at the first word of a module of MLIR.
pub fn is_about_mlir(diagnostic: &Diagnostic) -> bool {
    diagnostic.help.as_ref().is_some_and(|help| help.message == MLIR)
}

/// The diagnostic with the help for a text, if there is any.
pub fn advised(diagnostic: Diagnostic, context: Context, text: &str, span: Span) -> Diagnostic {
    match advice(context, text) {
        Some((help, Some(instead))) => diagnostic.fix(help, span, instead),
        Some((help, None)) => diagnostic.help(help),
        None => diagnostic,
    }
}
