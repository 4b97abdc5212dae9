//! The addresses of buffers and of their elements.
//!
//! Invariant: an address is computed once, right after the definition of its buffer, so that all uses can
//! share it.

use super::super::{Plain, plain};
use super::Rewriter;
use crate::dialect::ops;
use melior::dialect::llvm::r#type::{array, r#struct};
use melior::ir::attribute::{DenseI32ArrayAttribute, TypeAttribute};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{Location, Module, Type, Value, ValueLike};
use mlir_support::builder::{Builder, Insertion};
use mlir_support::{constants, ir};

/// The flags of `llvm.getelementptr` are a property without an attribute, so only the parser can set them.
/// Upstream's lowering of a load has the same flags.
const TEMPLATE: &str = "llvm.func @template(%base: !llvm.ptr, %index: i64) -> !llvm.ptr {
  %address = llvm.getelementptr inbounds|nuw %base[%index] : (!llvm.ptr, i64) -> !llvm.ptr, i8
  llvm.return %address : !llvm.ptr
}";

/// In `rawConstantIndices`: the index is an operand.
pub const DYNAMIC: i32 = i32::MIN;

impl<'c, 'a> Rewriter<'c, '_, 'a> {
    /// The address of the element whose indices are the operands from `first` on.
    pub(super) fn element(
        &mut self,
        operation: OperationRef<'c, 'a>,
        buffer: Value<'c, 'a>,
        ty: &Plain<'c>,
        first: usize,
    ) -> Value<'c, 'a> {
        let address = self.address(buffer, operation);
        let rank = ty.sizes.len();
        if rank == 0 {
            return address;
        }
        let mut operands = vec![address];
        let mut constants = Vec::with_capacity(rank);
        for index in (first..first + rank).map(|at| ir::operand(operation, at)) {
            match constant_index(index) {
                Some(constant) => constants.push(constant),
                None => {
                    operands.push(self.index(index));
                    constants.push(DYNAMIC);
                }
            }
        }
        // The first index steps over whole rows, so the type has only the remaining dimensions.
        let row = self.array(ty, 1);
        self.offset(operation, &operands, &constants, row)
    }

    /// Builds `llvm.getelementptr`: `operands` are the base and the indices that are dynamic in `constants`.
    pub(super) fn offset(
        &mut self,
        operation: OperationRef<'c, 'a>,
        operands: &[Value<'c, 'a>],
        constants: &[i32],
        element: Type<'c>,
    ) -> Value<'c, 'a> {
        let context = self.context;
        let parse = || Module::parse(context, TEMPLATE).expect("valid");
        let template = self.template.get_or_insert_with(parse);
        let function = ir::block_operations(template.body())[0];
        let mut new = ir::clone(ir::operations(function)[0]);
        new.set_operands(operands);
        new.set_attribute("elem_type", TypeAttribute::new(element).into());
        let constants = DenseI32ArrayAttribute::new(context, constants).into();
        new.set_attribute("rawConstantIndices", constants);
        new.set_location(operation.location());
        ops::result(self.before(operation).insert(new))
    }

    /// The LLVM array type of the dimensions from `from` on.
    fn array(&self, ty: &Plain<'c>, from: usize) -> Type<'c> {
        ty.sizes[from..].iter().rev().fold(ty.element, |ty, size| array(ty, *size as u32))
    }

    /// An index as an i64; the conversion is placed after its definition and shared by all uses.
    pub(super) fn index(&mut self, index: Value<'c, 'a>) -> Value<'c, 'a> {
        if let Some(known) = self.indices.get(&ir::id(index)) {
            return *known;
        }
        let definition = ir::defining_operation(index);
        let location = definition.map_or(Location::unknown(self.context), |it| it.location());
        let code = self.after(index, location);
        let cast = code.value("arith.index_cast", &[index], self.i64, &[]);
        self.indices.insert(ir::id(index), cast);
        cast
    }

    /// The address of a buffer's elements, read from the descriptor if the buffer stays a memref.
    pub(super) fn address(
        &mut self,
        buffer: Value<'c, 'a>,
        user: OperationRef<'c, 'a>,
    ) -> Value<'c, 'a> {
        if let Some(known) = self.addresses.get(&ir::id(buffer)) {
            return *known;
        }
        let rank = plain(buffer.r#type()).map_or(0, |ty| ty.sizes.len());
        let mut fields = vec![self.pointer, self.pointer, self.i64];
        if rank > 0 {
            fields.extend([array(self.i64, rank as u32); 2]);
        }
        let descriptor = r#struct(self.context, &fields, false);
        let location = user.location();
        let cast = self.after(buffer, location);
        let cast = cast.value("builtin.unrealized_conversion_cast", &[buffer], descriptor, &[]);
        let extract = self.after(cast, location);
        let position = [("position", extract.numbers(&[1]))];
        let address = extract.value("llvm.extractvalue", &[cast], self.pointer, &position);
        self.addresses.insert(ir::id(buffer), address);
        address
    }

    /// Right after the definition of a value.
    fn after(&self, value: Value<'c, 'a>, location: Location<'c>) -> Builder<'c, 'a> {
        Builder::new(self.context, Insertion::after_definition(value), location)
    }
}

/// An index that is a constant of at most 31 bits.
pub fn constant_index(index: Value) -> Option<i32> {
    i32::try_from(constants::integer(index)?).ok().filter(|value| *value >= 0)
}
