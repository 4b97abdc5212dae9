// A part of a buffer is not copied to itself, under whatever names; to another part it is.
// RUN: toy-opt %s --toy-own-copies | FileCheck %s
// CHECK-LABEL: func.func @parts(
// CHECK-COUNT-2: memref.copy
// CHECK-NOT:     memref.copy
func.func @parts(%x: memref<4x8xf64>, %i: index, %j: index) {
  %a = memref.subview %x[%i, 2] [1, 4] [1, 1] : memref<4x8xf64> to memref<4xf64, strided<[1], offset: ?>>
  %b = memref.subview %x[%i, 2] [1, 4] [1, 1] : memref<4x8xf64> to memref<4xf64, strided<[1], offset: ?>>
  memref.copy %a, %b : memref<4xf64, strided<[1], offset: ?>> to memref<4xf64, strided<[1], offset: ?>>
  %c = memref.subview %x[%j, 2] [1, 4] [1, 1] : memref<4x8xf64> to memref<4xf64, strided<[1], offset: ?>>
  memref.copy %a, %c : memref<4xf64, strided<[1], offset: ?>> to memref<4xf64, strided<[1], offset: ?>>
  %d = memref.subview %x[%i, 3] [1, 4] [1, 1] : memref<4x8xf64> to memref<4xf64, strided<[1], offset: ?>>
  memref.copy %a, %d : memref<4xf64, strided<[1], offset: ?>> to memref<4xf64, strided<[1], offset: ?>>
  %e = memref.subview %a[1] [2] [1] : memref<4xf64, strided<[1], offset: ?>> to memref<2xf64, strided<[1], offset: ?>>
  %f = memref.subview %b[1] [2] [1] : memref<4xf64, strided<[1], offset: ?>> to memref<2xf64, strided<[1], offset: ?>>
  memref.copy %e, %f : memref<2xf64, strided<[1], offset: ?>> to memref<2xf64, strided<[1], offset: ?>>
  return
}
