//! Operations of the LLVM dialect that keep variables on the stack, and records of them.

use crate::dialect::ops;
use crate::dialect::shape::{Element, element_type};
use melior::Context;
use melior::ir::attribute::{DenseI32ArrayAttribute, IntegerAttribute, TypeAttribute};
use melior::ir::operation::{OperationBuilder, OperationLike, OperationRef};
use melior::ir::r#type::IntegerType;
use melior::ir::{Attribute, BlockLike, Identifier, Location, Operation, Type, Value};

/// Creates operations before another one.
#[derive(Clone, Copy)]
pub struct Builder<'c, 'a> {
    pub context: &'c Context,
    pub before: OperationRef<'c, 'a>,
    pub location: Location<'c>,
}

impl<'c, 'a> Builder<'c, 'a> {
    pub fn constant(&self, value: i64) -> Value<'c, 'a> {
        let i64 = IntegerType::new(self.context, 64).into();
        let value = IntegerAttribute::new(i64, value).into();
        self.result("llvm.mlir.constant", &[], i64, &[("value", value)])
    }

    pub fn null(&self) -> Value<'c, 'a> {
        self.result("llvm.mlir.zero", &[], self.pointer(), &[])
    }

    /// A slot of `words` words; `one` is the number 1.
    pub fn alloca(&self, one: Value<'c, 'a>, words: usize) -> Value<'c, 'a> {
        let ty = match words {
            1 => self.pointer(),
            _ => self.parse_type(&format!("!llvm.array<{words} x ptr>")),
        };
        let ty = TypeAttribute::new(ty).into();
        self.result("llvm.alloca", &[one], self.pointer(), &[("elem_type", ty)])
    }

    /// Stores into a word of a slot.
    pub fn store(&self, value: Value<'c, 'a>, slot: Value<'c, 'a>, word: usize) {
        let address = if word == 0 { slot } else { self.word(slot, word) };
        self.insert(self.operation("llvm.store", &[value, address], &[], &[]));
    }

    /// Loads a number.
    pub fn load(&self, address: Value<'c, 'a>, element: Element) -> Value<'c, 'a> {
        self.result("llvm.load", &[address], element_type(self.context, element), &[])
    }

    /// Records that a variable is in a slot, or at the address in it.
    pub fn record(&self, variable: Attribute<'c>, slot: Value<'c, 'a>, is_address: bool) {
        let operations = if is_address { "[DW_OP_deref]" } else { "" };
        let expression = format!("#llvm.di_expression<{operations}>");
        let expression = Attribute::parse(self.context, &expression).expect("valid");
        let attributes = [("varInfo", variable), ("locationExpr", expression)];
        self.insert(self.operation("llvm.intr.dbg.declare", &[slot], &[], &attributes));
    }

    fn word(&self, slot: Value<'c, 'a>, word: usize) -> Value<'c, 'a> {
        let attributes = [
            (
                "rawConstantIndices",
                DenseI32ArrayAttribute::new(self.context, &[word as i32]).into(),
            ),
            ("elem_type", TypeAttribute::new(self.pointer()).into()),
        ];
        self.result("llvm.getelementptr", &[slot], self.pointer(), &attributes)
    }

    fn pointer(&self) -> Type<'c> {
        self.parse_type("!llvm.ptr")
    }

    fn parse_type(&self, text: &str) -> Type<'c> {
        Type::parse(self.context, text).expect("a type of the LLVM dialect")
    }

    fn result(
        &self,
        name: &str,
        operands: &[Value<'c, 'a>],
        ty: Type<'c>,
        attributes: &[(&str, Attribute<'c>)],
    ) -> Value<'c, 'a> {
        ops::result(self.insert(self.operation(name, operands, &[ty], attributes)))
    }

    fn operation(
        &self,
        name: &str,
        operands: &[Value<'c, 'a>],
        results: &[Type<'c>],
        attributes: &[(&str, Attribute<'c>)],
    ) -> Operation<'c> {
        let attributes: Vec<_> = attributes
            .iter()
            .map(|(name, value)| (Identifier::new(self.context, name), *value))
            .collect();
        OperationBuilder::new(name, self.location)
            .add_operands(operands)
            .add_results(results)
            .add_attributes(&attributes)
            .build()
            .expect("a well-formed operation of the LLVM dialect")
    }

    fn insert(&self, operation: Operation<'c>) -> OperationRef<'c, 'a> {
        let block = self.before.block().expect("the operation is in a block");
        block.insert_operation_before(self.before, operation)
    }
}
