//! Gives MLIR a dialect, `mini_right.irdl.mlir`, builds a function with its operation, and prints it.
//! With an argument, the operation is built with a result that the dialect does not allow.

use melior::dialect::DialectRegistry;
use melior::ir::attribute::{StringAttribute, TypeAttribute};
use melior::ir::operation::{OperationBuilder, OperationLike};
use melior::ir::r#type::{FunctionType, RankedTensorType};
use melior::ir::{Block, BlockLike, Identifier, Location, Module, Region, RegionLike, Type};
use melior::{Context, utility};

const IRDL: &str = include_str!("mini_right.irdl.mlir");

fn main() {
    let context = context_with_dialect();
    let is_wrong = std::env::args().len() > 1;

    let number = Type::float64(&context);
    let matrix = |rows, columns| RankedTensorType::new(&[rows, columns], number, None).into();
    let result = if is_wrong { number } else { matrix(3, 2) };
    let module = module(&context, matrix(2, 3), result);
    if !module.as_operation().verify() {
        std::process::exit(1);
    }
    println!("{}", module.as_operation());
}

/// A context that knows the builtin dialects, and ours.
fn context_with_dialect() -> Context {
    let registry = DialectRegistry::new();
    utility::register_all_dialects(&registry);
    let context = Context::new();
    context.append_dialect_registry(&registry);
    context.get_or_load_dialect("func");
    let definition = Module::parse(&context, IRDL).expect("the file is MLIR");
    assert!(utility::load_irdl_dialects(&definition), "the file defines dialects");
    context
}

/// A module with a function that has a block with two operations: transpose and return.
fn module<'c>(context: &'c Context, from: Type<'c>, to: Type<'c>) -> Module<'c> {
    let location = Location::new(context, "flipped.toy", 2, 10);
    let block = Block::new(&[(from, location)]);
    let transpose = OperationBuilder::new("mini.transpose", location)
        .add_operands(&[block.argument(0).expect("there is one").into()])
        .add_results(&[to])
        .build()
        .expect("it is complete");
    let transpose = block.append_operation(transpose);
    let r#return = OperationBuilder::new("func.return", location)
        .add_operands(&[transpose.result(0).expect("there is one").into()])
        .build()
        .expect("it is complete");
    block.append_operation(r#return);

    let body = Region::new();
    body.append_block(block);
    let r#type = FunctionType::new(context, &[from], &[to]).into();
    let function = OperationBuilder::new("func.func", location)
        .add_attributes(&[
            (Identifier::new(context, "sym_name"), StringAttribute::new(context, "flipped").into()),
            (Identifier::new(context, "function_type"), TypeAttribute::new(r#type).into()),
        ])
        .add_regions([body])
        .build()
        .expect("it is complete");
    let module = Module::new(location);
    module.body().append_operation(function);
    module
}
