//! `llvm`: pointers, constants and calls of the LLVM dialect.

use super::Builder;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::OperationRef;
use melior::ir::{Type, Value};

impl<'c, 'a> Builder<'c, 'a> {
    /// `!llvm.ptr`.
    pub fn pointer_type(self) -> Type<'c> {
        Type::parse(self.context, "!llvm.ptr").expect("the dialect llvm is registered")
    }

    /// `llvm.mlir.constant` of an integer type.
    pub fn llvm_constant(self, ty: Type<'c>, value: i64) -> Value<'c, 'a> {
        let value = IntegerAttribute::new(ty, value).into();
        self.value("llvm.mlir.constant", &[], ty, &[("value", value)])
    }

    /// `llvm.mlir.addressof`: the address of a global.
    pub fn address_of(self, global: &str) -> Value<'c, 'a> {
        let symbol = [("global_name", self.symbol(global))];
        self.value("llvm.mlir.addressof", &[], self.pointer_type(), &symbol)
    }

    /// `llvm.call` of a function by its name.
    pub fn llvm_call(
        self,
        callee: &str,
        arguments: &[Value<'c, '_>],
        results: &[Type<'c>],
    ) -> OperationRef<'c, 'a> {
        let attributes = [
            ("callee", self.symbol(callee)),
            ("operandSegmentSizes", self.segments(&[arguments.len() as i32, 0])),
            ("op_bundle_sizes", self.segments(&[])),
        ];
        self.op("llvm.call", arguments, results, &attributes)
    }
}
