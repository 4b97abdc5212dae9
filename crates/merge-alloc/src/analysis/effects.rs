//! The table of operations: the effect of each on its buffer operands, and the kind of its regions.
//!
//! The C API of LLVM 22 has no operation interfaces, so the pass knows only this table. Deny by
//! default: any other operation may keep the buffer, free it or use it at any time.

use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{BlockLike, Type, TypeLike, Value, ValueLike};
use mlir_support::control_flow::Kind;
use mlir_support::func::{self, is_buffer};
use mlir_support::{buffers, control_flow, ir};

/// The effect of an operation on the buffer in one of its operands.
pub enum Effect<'c, 'a> {
    /// Uses only its type or shape.
    Ignored,
    /// Reads or writes its memory, now.
    Access,
    /// Creates aliases of it, without accessing the memory.
    Alias(Vec<Value<'c, 'a>>),
    /// Creates aliases, and promises that the memory has this alignment.
    Aligned(Vec<Value<'c, 'a>>, u64),
    /// Passes it to a function, which may return it in these results.
    Call(Vec<Value<'c, 'a>>),
    /// Passes it to the next iteration of a loop, or out of the loop.
    Iterate {
        /// The loop.
        around: OperationRef<'c, 'a>,
        /// Its aliases there.
        aliases: Vec<Value<'c, 'a>>,
    },
    /// Passes it to other blocks of the region.
    Branch(Vec<Value<'c, 'a>>),
    /// The analysis cannot follow it further.
    Escape(EscapeReason),
}

macro_rules! reasons {
    ($($reason:ident $text:literal;)*) => {
        /// The reason why a buffer cannot be followed.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum EscapeReason {
            $(#[doc = concat!("An operation ", $text, ".")] $reason,)*
        }

        impl EscapeReason {
            /// The clause about an operation, without its subject.
            fn text(self) -> &'static str {
                match self {
                    $(EscapeReason::$reason => $text,)*
                }
            }
        }
    };
}

reasons! {
    Unknown "is not known to merge-alloc";
    UnknownRegion "uses it in a region and is not known to merge-alloc";
    // It may be or contain the buffer, and is not a buffer.
    UnknownResult "has a result in which merge-alloc cannot follow it";
    Elements "makes elements of it whose size is not known";
    Returned "returns it";
    Stored "stores it";
    Freed "frees it";
    Address "takes its address";
    // A loop allocates it.
    Iterated "passes it on to the next iteration";
    LeavesScope "passes it out of its scope";
    Captured "calls a function that keeps or frees it";
    // Possibly while it is allocated again.
    Branched "passes it on to another block";
    // The function is the operation.
    BudgetExhausted "uses it in too many ways to follow";
    // The scope is the operation.
    TooLarge "needs more bytes than memory has";
}

impl EscapeReason {
    /// True if an operation, or a part of it, is not in the table.
    pub fn is_unknown(self) -> bool {
        use EscapeReason::{Elements, Unknown, UnknownRegion, UnknownResult};
        matches!(self, Unknown | UnknownRegion | UnknownResult | Elements)
    }

    /// The reason as a clause about the operation with this name.
    pub fn clause(self, name: &str) -> String {
        match self {
            EscapeReason::BudgetExhausted => {
                "its function uses its buffers in too many ways to follow".to_owned()
            }
            EscapeReason::TooLarge => "its scope needs more bytes than memory has".to_owned(),
            _ => format!("`{name}` {}", self.text()),
        }
    }
}

/// The role of an operation's regions for the buffers in them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RegionKind {
    /// An allocation scope: allocations inside stay inside. Each execution, or each thread, has its
    /// own.
    Scope,
    /// Executed repeatedly, one iteration after another.
    Loop,
    /// Executed at most once.
    Branch,
    /// A small region, as in `linalg.generic`: buffers may be used there, but allocations stay where
    /// they are.
    Body,
    /// Not in the table: anything may happen.
    Unknown,
}

/// The kind of the regions of an operation.
pub fn region_kind<'c: 'a, 'a>(operation: &impl OperationLike<'c, 'a>) -> RegionKind {
    match (ir::name(operation), control_flow::kind(operation)) {
        (_, Some(Kind::Parallel)) | ("memref.alloca_scope", _) => RegionKind::Scope,
        (_, Some(Kind::Loop)) => RegionKind::Loop,
        (_, Some(Kind::Branch | Kind::Once)) => RegionKind::Branch,
        (
            "memref.generic_atomic_rmw"
            | "scf.reduce"
            | "scf.forall.in_parallel"
            | "vector.mask"
            | "tensor.generate",
            None,
        ) => RegionKind::Body,
        (name, None) if name.starts_with("linalg.") => RegionKind::Body,
        _ => RegionKind::Unknown,
    }
}

/// The operations that only access the memory of their operands, apart from linalg's.
const ACCESSES: &str = "memref.load memref.store memref.copy memref.prefetch memref.atomic_rmw \
    memref.generic_atomic_rmw affine.load affine.store affine.prefetch affine.vector_load affine.vector_store \
    vector.load vector.store vector.maskedload vector.maskedstore vector.gather vector.scatter vector.expandload \
    vector.compressstore vector.transfer_read vector.transfer_write";

/// The effect of an operation on its operand number `index`, which is a buffer.
pub fn of_operand<'c, 'a>(operation: OperationRef<'c, 'a>, index: usize) -> Effect<'c, 'a> {
    match (ir::name(&operation), index) {
        ("memref.dim" | "memref.rank", _) => Effect::Ignored,
        // It is the shape.
        ("memref.reshape", 1) => Effect::Access,
        ("memref.store" | "affine.store", 0) => Effect::Escape(EscapeReason::Stored),
        (name, _) if ACCESSES.split(' ').any(|known| known == name) => Effect::Access,
        (name, _) if name.starts_with("linalg.") && name != "linalg.yield" => {
            if operation.results().any(|result| is_buffer(result.r#type())) {
                return Effect::Escape(EscapeReason::Unknown);
            }
            Effect::Access
        }
        (
            "memref.dealloc" | "memref.realloc" | "bufferization.dealloc" | "bufferization.clone",
            _,
        ) => Effect::Escape(EscapeReason::Freed),
        ("memref.extract_aligned_pointer_as_index" | "builtin.unrealized_conversion_cast", _) => {
            Effect::Escape(EscapeReason::Address)
        }
        ("func.call", _) => call(operation),
        ("func.return" | "gpu.return", _) => Effect::Escape(EscapeReason::Returned),
        ("memref.alloca_scope.return", _) => Effect::Escape(EscapeReason::LeavesScope),
        ("cf.br" | "cf.cond_br" | "cf.switch", _) => Effect::Branch(branch(operation, index)),
        _ => passed(operation, index),
    }
}

/// A positive power of two in an integer attribute.
pub fn alignment(operation: &OperationRef, name: &str) -> Option<u64> {
    let attribute = IntegerAttribute::try_from(func::attribute(operation, name)?).ok()?;
    u64::try_from(attribute.value()).ok().filter(|value| value.is_power_of_two())
}

/// The results that may alias the argument: buffers. Numbers do not, other types escape.
fn call<'c, 'a>(operation: OperationRef<'c, 'a>) -> Effect<'c, 'a> {
    let (buffers, others): (Vec<Value>, Vec<Value>) =
        operation.results().map(Value::from).partition(|result| is_buffer(result.r#type()));
    let is_number = |ty: Type| ty.is_integer() || ty.is_index() || ty.is_float() || ty.is_vector();
    if others.iter().all(|result| is_number(result.r#type())) {
        Effect::Call(buffers)
    } else {
        Effect::Escape(EscapeReason::UnknownResult)
    }
}

/// A view of it, or an iteration or a result to which a loop or a branch forwards it.
fn passed<'c, 'a>(operation: OperationRef<'c, 'a>, index: usize) -> Effect<'c, 'a> {
    let Some(aliases) = buffers::aliases(operation, index) else {
        return Effect::Escape(EscapeReason::Unknown);
    };
    if ir::name(&operation) == "memref.assume_alignment" {
        return match alignment(&operation, "alignment") {
            Some(alignment) => Effect::Aligned(aliases, alignment),
            None => Effect::Escape(EscapeReason::Unknown),
        };
    }
    let is_end = operation.region_count() == 0 && control_flow::forwarded(operation).is_some();
    match operation.parent_operation().filter(|parent| is_end && control_flow::is_loop(parent)) {
        Some(around) => Effect::Iterate { around, aliases },
        None => Effect::Alias(aliases),
    }
}

/// The block arguments that may get an operand of a branch: all with its type.
fn branch<'c, 'a>(operation: OperationRef<'c, 'a>, index: usize) -> Vec<Value<'c, 'a>> {
    let Ok(operand) = operation.operand(index) else { return Vec::new() };
    let mut arguments = Vec::new();
    for successor in 0..operation.successor_count() {
        let Ok(block) = operation.successor(successor) else { continue };
        arguments.extend((0..block.argument_count()).filter_map(|argument| {
            let argument = Value::from(block.argument(argument).ok()?);
            func::same_type(argument.r#type(), operand.r#type()).then_some(argument)
        }));
    }
    arguments
}
