//! Overlaps of pairs of buffers. An operation with `at` defines a buffer, and the number is its name below.

use super::*;
use melior::ir::attribute::IntegerAttribute;
use melior::ir::operation::OperationLike;
use mlir_support::func::result;
use std::collections::HashMap;
use toy_diagnostics::source::Source;

const PROGRAM: &str = r#"
memref.global "private" @g : memref<8xf64>
func.func @f(%a: memref<8xf64>, %b: memref<8xf64>, %n: index) {
  %bytes = memref.alloc() : memref<256xi8>
  %c0 = arith.constant 0 : index
  %c32 = arith.constant 32 : index
  %0 = memref.view %bytes[%c0][] {at = 0} : memref<256xi8> to memref<4xf64>
  %1 = memref.view %bytes[%c32][] {at = 1} : memref<256xi8> to memref<4xf64>
  %2 = memref.view %bytes[%c32][] {at = 2} : memref<256xi8> to memref<2x2xf64>
  %3 = memref.view %bytes[%n][] {at = 3} : memref<256xi8> to memref<4xf64>
  %4 = memref.transpose %2 (i, j) -> (j, i) {at = 4} : memref<2x2xf64> to memref<2x2xf64, strided<[1, 2]>>
  %5 = memref.subview %2[0, 0] [2, 1] [1, 1] {at = 5} : memref<2x2xf64> to memref<2x1xf64, strided<[2, 1]>>
  %6 = memref.subview %2[0, 1] [2, 1] [1, 1] {at = 6} : memref<2x2xf64> to memref<2x1xf64, strided<[2, 1], offset: 1>>
  %7 = memref.subview %1[1] [2] [1] {at = 7} : memref<4xf64> to memref<2xf64, strided<[1], offset: 1>>
  %8 = memref.get_global @g : memref<8xf64> {at = 8}
  %9 = memref.get_global @g : memref<8xf64> {at = 9}
  %10 = memref.cast %a {at = 10} : memref<8xf64> to memref<?xf64>
  %11 = memref.cast %b {at = 11} : memref<8xf64> to memref<?xf64>
  %12 = bufferization.clone %a {at = 12} : memref<8xf64> to memref<8xf64>
  %13 = memref.subview %1[%n] [2] [1] {at = 13} : memref<4xf64> to memref<2xf64, strided<[1], offset: ?>>
  %14 = memref.subview %1[%n] [2] [1] {at = 14} : memref<4xf64> to memref<2xf64, strided<[1], offset: ?>>
  %15 = memref.subview %0[%n] [2] [1] {at = 15} : memref<4xf64> to memref<2xf64, strided<[1], offset: ?>>
  return
}"#;

#[test]
fn buffers_overlap_where_their_bytes_do() {
    let session = crate::dialect::new_session();
    session.load_dialects(&["func", "memref", "arith", "bufferization"]);
    let module = session.parse(&Source::new("f.mlir", PROGRAM));
    let module = module.unwrap_or_else(|| panic!("{:?}", session.take_diagnostics()));
    let mut buffers = HashMap::new();
    for operation in ir::operations(module.as_operation()) {
        let at = operation.attribute("at").ok().and_then(|at| IntegerAttribute::try_from(at).ok());
        buffers.extend(at.map(|at| (at.value(), result(operation))));
    }
    for (one, other, expected) in [
        (0, 1, Overlap::Apart),
        (1, 1, Overlap::Same),
        // One layout, in another shape.
        (1, 2, Overlap::Same),
        (0, 3, Overlap::Unknown),
        // The same bytes in another order.
        (2, 4, Overlap::Unknown),
        (2, 5, Overlap::Unknown),
        // Columns.
        (5, 6, Overlap::Apart),
        (1, 7, Overlap::Unknown),
        (0, 7, Overlap::Apart),
        (8, 9, Overlap::Same),
        (0, 8, Overlap::Apart),
        // Nothing relates two arguments.
        (10, 11, Overlap::Apart),
        (10, 10, Overlap::Same),
        // Parts from an offset that is not known stay in what they are parts of.
        (13, 14, Overlap::Same),
        (13, 15, Overlap::Apart),
        (0, 13, Overlap::Apart),
        (7, 13, Overlap::Unknown),
    ] {
        assert_eq!(overlap(buffers[&one], buffers[&other]), expected, "{one} {other}");
        assert_eq!(overlap(buffers[&other], buffers[&one]), expected, "{other} {one}");
    }
    for (one, other, restrict, expected) in [
        (0, 1, false, false),
        (1, 7, true, true),
        (8, 9, true, true),
        (0, 8, false, false),
        (0, 10, false, false),
        (10, 11, false, true),
        (10, 11, true, false),
        (8, 10, false, true),
        (8, 10, true, false),
        // Its origin is not known.
        (12, 0, true, true),
        (12, 10, true, true),
    ] {
        let found = may_overlap(buffers[&one], buffers[&other], restrict);
        assert_eq!(found, expected, "{one} {other} {restrict}");
    }
}
