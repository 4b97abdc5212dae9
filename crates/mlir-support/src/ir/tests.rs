//! Erased operations can still be referred to, and used ones are not freed.

use super::graveyard::waiting;
use super::*;
use crate::Session;
use crate::builder::Builder;
use crate::pass::{Pass, PassContext, PassDefinition};
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{BlockLike, Module, Type, TypeLike, Value, ValueLike};
use toy_diagnostics::source::Source;

const PROGRAM: &str = "
module {
  func.func private @callee(i64) -> i64
  func.func @f(%x: i64) -> i64 {
    %a = func.call @callee(%x) : (i64) -> i64
    %b = func.call @callee(%a) : (i64) -> i64
    cf.br ^end(%a : i64)
  ^end(%y: i64):
    return %y : i64
  }
  module @inner {
    func.func @g(%x: i64) -> i64 {
      return %x : i64
    }
  }
}
";

fn session() -> Session {
    let session = Session::new();
    session.load_dialects(&["cf", "arith", "builtin"]);
    session
}

fn parsed<'c>(session: &'c Session, text: &str) -> Module<'c> {
    session.parse(&Source::new("test.mlir", text)).expect("a valid program")
}

/// The operations of a name, in order.
fn named<'c, 'a>(module: &'a Module<'c>, wanted: &str) -> Vec<OperationRef<'c, 'a>> {
    operations(module.as_operation()).into_iter().filter(|it| name(it) == wanted).collect()
}

fn context<'c>(module: &Module<'c>) -> melior::ContextRef<'c> {
    module.as_operation().context()
}

#[test]
fn an_erased_operation_can_still_be_asked_for_everything() {
    let session = session();
    let module = parsed(&session, PROGRAM);
    let [a, b] = named(&module, "func.call")[..] else { panic!("two calls") };
    erase(b);
    assert_eq!(name(&b), "func.call");
    assert_eq!(b.operand_count(), 1);
    assert!(operand(b, 0).r#type().is_integer());
    assert!(b.parent_operation().is_none());
    assert!(!has_uses(b.result(0).unwrap().into()));
    assert!(b.to_string().contains("call @callee"), "{b}");
    assert!(b.next_in_block().is_none_or(|next| name(&next).starts_with("builtin.")));
    // It uses nothing of the program any more, and the program does not have it.
    assert_eq!(users(a.result(0).unwrap().into()).len(), 1);
    assert!(session.verify(&module));
    assert_eq!(named(&module, "func.call"), [a]);
}

#[test]
fn what_an_operation_or_a_block_does_not_have_is_none() {
    let session = session();
    let module = parsed(&session, PROGRAM);
    let [_, b] = named(&module, "func.call")[..] else { panic!("two calls") };
    assert_eq!(operand_if_any(b, 0), Some(operand(b, 0)));
    assert_eq!(operand_if_any(b, 1), None);
    let [branch] = named(&module, "cf.br")[..] else { panic!("a branch") };
    let end = branch.successor(0).unwrap();
    let count = end.argument_count();
    assert_eq!(argument_if_any(end, count), None);
    assert!((0..count).all(|index| argument_if_any(end, index).is_some()));
}

#[test]
fn an_erased_branch_is_no_predecessor() {
    let session = session();
    let module = parsed(&session, PROGRAM);
    let [branch] = named(&module, "cf.br")[..] else { panic!("a branch") };
    let end = branch.successor(0).unwrap();
    erase(branch);
    assert_eq!((branch.successor_count(), branch.operand_count()), (1, 1));
    assert_eq!(end.predecessor_count(), 0);
    assert!(branch.to_string().contains("cf.br"), "{branch}");
}

#[test]
fn what_is_nested_in_an_erased_operation_stays_in_it() {
    let session = session();
    let mut module = parsed(&session, PROGRAM);
    {
        let function = named(&module, "func.func")[1];
        let inside = operations(function);
        erase(function);
        let text = function.to_string();
        assert!(text.contains("call @callee(%0)") && text.contains("cf.br ^bb1"), "{text}");
        assert!(inside.iter().all(|inner| inner.parent_operation() == Some(function)));
        // An operation in it may be erased, too, and so may one that was erased before.
        erase(inside[1]);
        erase(inside[1]);
        erase(function);
        assert!(!function.to_string().contains("call @callee(%0)"));
        assert_eq!(waiting(context(&module)), 2);
    }
    release(&mut module);
    assert_eq!(waiting(context(&module)), 0);
    assert!(session.verify(&module));
}

#[test]
fn the_operands_that_a_nested_operation_has_from_outside_are_replaced() {
    let session = session();
    let module = parsed(
        &session,
        "func.func @f(%x: i64, %c: i1) {
          scf.if %c {
            %a = arith.addi %x, %x : i64
            %b = arith.addi %a, %x : i64
          }
          return
        }",
    );
    let function = named(&module, "func.func")[0];
    let x: Value = blocks(function)[0].argument(0).unwrap().into();
    let branch = named(&module, "scf.if")[0];
    let inside = operations(branch);
    assert_eq!(users(x).len(), 3);
    erase(branch);
    assert!(!has_uses(x));
    assert_eq!(operand(inside[1], 0), inside[0].result(0).unwrap().into());
    assert!(operand(inside[1], 1) != x && operand(inside[1], 1).r#type() == x.r#type());
    assert!(session.verify(&module));
}

#[test]
fn a_pass_frees_what_it_has_erased_when_it_ends_and_not_before() {
    let session = session();
    let source = Source::new("test.mlir", PROGRAM);
    let passes =
        PassContext::new(&session, crate::Locations { source: &source, file: "test.mlir" });
    let mut module = parsed(&session, PROGRAM);
    let other = parsed(&session, PROGRAM);
    let left = named(&other, "func.call")[1];
    erase(left);
    fn erase_all<'c>(
        _: &PassContext<'c>,
        module: &melior::ir::Module<'c>,
    ) -> toy_diagnostics::Diagnosed<()> {
        let inner = named(module, "builtin.module")[0];
        let all = operations(inner);
        erase(inner);
        let [_, call] = named(module, "func.call")[..] else { panic!("two calls") };
        erase(call);
        assert_eq!(all.iter().map(name).collect::<Vec<_>>(), ["func.func", "func.return"]);
        assert_eq!(waiting(context(module)), 3);
        Ok(())
    }
    static ERASE_ALL: PassDefinition = PassDefinition::new("erase-all", "Erases", erase_all);
    let pass = Pass::Own(&ERASE_ALL);
    assert!(pass.run(&passes, &mut module).is_ok());
    // Operations erased from another module may still be referred to.
    assert_eq!(waiting(context(&module)), 1);
    assert_eq!(name(&left), "func.call");
    assert!(session.verify(&module) && session.verify(&other));
}

#[test]
fn what_is_erased_outside_of_a_pass_goes_with_the_session() {
    let session = session();
    {
        let module = parsed(&session, PROGRAM);
        erase(named(&module, "func.func")[2]);
        erase(named(&module, "func.call")[1]);
    }
    // The module is gone, but its grave is not.
    drop(session);
}

#[test]
fn an_operation_in_a_context_without_a_session_can_be_erased() {
    let context = melior::Context::new();
    context.get_or_load_dialect("func");
    context.set_allow_unregistered_dialects(true);
    let module = Module::parse(&context, "\"a.b\"() : () -> ()").unwrap();
    let operation = operations(module.as_operation())[0];
    erase(operation);
    assert_eq!(name(&operation), "a.b");
    assert!(operations(module.as_operation()).is_empty());
}

#[test]
#[cfg_attr(debug_assertions, should_panic(expected = "still used"))]
fn an_operation_that_is_used_is_not_erased() {
    let session = session();
    let module = parsed(&session, PROGRAM);
    let [a, _] = named(&module, "func.call")[..] else { panic!("two calls") };
    erase(a);
    assert_eq!(named(&module, "func.call").len(), 2);
}

#[test]
#[cfg_attr(debug_assertions, should_panic(expected = "not in a block"))]
fn a_module_itself_is_not_erased() {
    let session = session();
    let module = parsed(&session, PROGRAM);
    erase(module.as_operation());
    assert!(session.verify(&module));
}

#[test]
#[cfg_attr(debug_assertions, should_panic(expected = "used again"))]
fn the_memory_of_an_erased_value_that_is_used_again_is_not_freed() {
    let session = session();
    let mut module = parsed(&session, PROGRAM);
    {
        let [_, b] = named(&module, "func.call")[..] else { panic!("two calls") };
        erase(b);
        mutable(named(&module, "cf.br")[0]).set_operand(0, b.result(0).unwrap().into());
    }
    release(&mut module);
    assert!(!module.as_operation().to_string().is_empty());
}

#[test]
fn dense_elements_are_read_only_if_they_are_what_one_asks_for() {
    let session = session();
    let ty = Type::index(session.context());
    let elements = |text: &str, count| dense_floats(parse_attribute(text, ty).unwrap(), count);
    assert_eq!(elements("dense<[1.0, 2.0]> : tensor<2xf64>", 2), Some(vec![1.0, 2.0]));
    assert_eq!(elements("dense<3.0> : tensor<2x2xf64>", 4), Some(vec![3.0]));
    assert_eq!(elements("dense<> : tensor<0xf64>", 0), Some(vec![]));
    assert_eq!(elements("dense<[1.0, 2.0]> : tensor<2xf64>", 3), None);
    assert_eq!(elements("dense<[1.5, 2.0]> : tensor<2xf32>", 2), Some(vec![1.5, 2.0]));
    assert_eq!(elements("dense<1.5> : tensor<3xf32>", 3), Some(vec![1.5]));
    assert_eq!(elements("dense<[1.0, 2.0]> : tensor<2xf16>", 2), None);
    // Written as they are read, and rounded.
    let ty = Type::parse(session.context(), "tensor<2xf32>").unwrap();
    assert_eq!(dense_floats(dense(ty, &[1.5, 0.1]), 2), Some(vec![1.5, f64::from(0.1_f32)]));
    assert_eq!(elements("dense<[1, 2]> : tensor<2xi64>", 2), None);
    assert_eq!(elements("dense<true> : tensor<2xi1>", 2), None);
    assert_eq!(elements("1.0 : f64", 1), None);
    assert_eq!(elements("dense_resource<x> : tensor<1xf64>", 1), None);
}

#[test]
fn memory_is_freed_however_many_operations_are_erased() {
    let session = session();
    let mut module = parsed(&session, "func.func @f(%x: i64) { return }");
    for _ in 0..3 {
        {
            let end = named(&module, "func.return")[0];
            let block = end.block().unwrap();
            let x = block.argument(0).unwrap().into();
            for _ in 0..1000 {
                erase(Builder::before(session.context(), end).call("g", &[x], &[]));
            }
            assert_eq!(waiting(context(&module)), 1000);
            assert!(!has_uses(x));
        }
        release(&mut module);
        assert_eq!(waiting(context(&module)), 0);
    }
}
