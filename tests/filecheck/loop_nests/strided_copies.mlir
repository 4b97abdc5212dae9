// A copy is one block, or loops if its elements do not follow each other.
// RUN: toy-opt %s --toy-strided-copies --convert-linalg-to-loops | FileCheck %s

// CHECK-LABEL: func.func @block
// CHECK-NEXT:    memref.copy
func.func @block(%a: memref<8x4xf64>, %b: memref<8x4xf64, strided<[4, 1], offset: ?>>) {
  memref.copy %a, %b : memref<8x4xf64> to memref<8x4xf64, strided<[4, 1], offset: ?>>
  return
}

// CHECK-LABEL: func.func @part
// CHECK-NOT:     memref.copy
// CHECK:         scf.for %[[I:.*]] = %c0 to %c8
// CHECK:           scf.for %[[J:.*]] = %c0 to %c4
// CHECK:             %[[X:.*]] = memref.load %arg0[%[[I]], %[[J]]]
// CHECK:             memref.store %[[X]], %arg1[%[[I]], %[[J]]]
func.func @part(%a: memref<8x4xf64, strided<[16, 1]>>, %b: memref<8x4xf64>) {
  memref.copy %a, %b : memref<8x4xf64, strided<[16, 1]>> to memref<8x4xf64>
  return
}

// CHECK-LABEL: func.func @integers
// CHECK:         %[[SIZE:.*]] = memref.dim %arg0
// CHECK:         scf.for %{{.*}} = %c0 to %[[SIZE]]
func.func @integers(%a: memref<?xi8, strided<[?], offset: ?>>, %b: memref<?xi8>) {
  memref.copy %a, %b : memref<?xi8, strided<[?], offset: ?>> to memref<?xi8>
  return
}

// Elements that are not numbers stay with the runtime.
// CHECK-LABEL: func.func @others
// CHECK-NEXT:    memref.copy
func.func @others(%a: memref<4xindex, strided<[2]>>, %b: memref<4xindex>) {
  memref.copy %a, %b : memref<4xindex, strided<[2]>> to memref<4xindex>
  return
}
