//! Programs of tensors that loops carry, as data: [`super::make`] makes them, [`super::emit`] writes them as MLIR and
//! [`super::interpret`] runs them.
//!
//! Every tensor has [`SIZE`] elements, and a variable is a number. Variables are assigned once and are visible where
//! MLIR's are: in the rest of their block and in the blocks nested there.

/// Elements of a tensor.
pub const SIZE: usize = 3;

/// Elements of a slice.
pub const SLICE: usize = 2;

pub type Var = usize;

pub struct Program {
    /// Each calls only itself and those before it. The last one takes no tensors and is the program.
    pub functions: Vec<Function>,
}

/// `depth` is another argument, which recursion counts down.
pub struct Function {
    pub is_public: bool,
    pub parameters: Vec<Var>,
    pub body: Vec<Statement>,
    pub returned: Vec<Var>,
}

pub enum Statement {
    Fill(Var, i32),
    Constant(Var, [i32; SIZE]),
    FromElements(Var, [i32; SIZE]),
    /// Into a new tensor, or in the place of one.
    Elementwise(Var, Operator, [Var; 2], Option<Var>),
    /// The second one plus the first one, in its place.
    Accumulate(Var, Var, Var),
    /// A tensor with another element.
    Insert(Var, Scalar, Var, usize),
    /// Part of the first one, from a place, in a place of the second one.
    Slice(Var, (Var, usize), (Var, usize)),
    Select(Var, Condition, Var, Var),
    /// The same tensor, its size forgotten and remembered.
    Same(Var, Var),
    Call(Vec<Var>, usize, Vec<Var>, Depth),
    Print(Var),
    /// One block for each value of the selector; the last one is the default.
    Branches(Vec<Var>, Selector, Vec<Block>),
    /// `scf.execute_region`.
    Region(Vec<Var>, Block),
    For(Vec<Var>, usize, Carried, Block),
    Loop(Vec<Var>, Loop),
}

/// Statements, and the variables they yield.
pub struct Block {
    pub body: Vec<Statement>,
    pub yielded: Vec<Var>,
}

/// The arguments of an iteration, and their initial values.
pub struct Carried {
    pub arguments: Vec<Var>,
    pub initial: Vec<Var>,
}

/// `scf.while`, or a loop of blocks. `head` runs before each decision; the variables it yields are the result and
/// become `forwarded` in `body`.
pub struct Loop {
    pub carried: Carried,
    pub head: Block,
    pub forwarded: Vec<Var>,
    pub body: Block,
    pub trips: usize,
    /// A condition that ends it earlier.
    pub until: Option<Condition>,
    pub style: Style,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `scf.while`, its counter before the tensors or after them.
    While { counter_first: bool },
    /// Blocks of the function, or of an `scf.execute_region`.
    Blocks,
}

#[derive(Clone, Copy)]
pub enum Operator {
    Add,
    Subtract,
    Max,
}

#[derive(Clone, Copy)]
pub enum Scalar {
    Number(i32),
    /// An element plus 1.
    Element(Var, usize),
}

/// True if an element is less than a number.
#[derive(Clone, Copy)]
pub struct Condition {
    pub tensor: Var,
    pub at: usize,
    pub below: i32,
}

#[derive(Clone, Copy)]
pub enum Selector {
    /// `scf.if`.
    If(Condition),
    /// True if `depth` is not 0.
    Deep,
    /// `scf.index_switch` over the sum of two conditions.
    Switch(Condition, Condition),
}

#[derive(Clone, Copy)]
pub enum Depth {
    Number(usize),
    /// The caller's depth minus one.
    Less,
}
