// What is materialized in a buffer is computed there, unless something else may access the buffer meanwhile.
// RUN: toy-opt %s --toy-destinations | FileCheck %s
// RUN: toyc %s -emit=merged | FileCheck %s --check-prefix=ALL
// RUN: toyc -O1 %s -emit=merged | FileCheck %s --check-prefix=ALL

// The place of the row is computed before the row.
// CHECK-LABEL: func.func @row(
// CHECK:         [[S:%.*]] = memref.subview
// CHECK-NEXT:    [[D:%.*]] = bufferization.to_tensor [[S]] restrict writable
// CHECK-NEXT:    linalg.add {{.*}} outs([[D]] :
// CHECK-NEXT:    bufferization.materialize_in_destination
// ALL-LABEL:   func.func @row(
// ALL-NOT:       memref.alloc
// ALL-NOT:       memref.copy
// ALL:           return
func.func @row(%a: tensor<4xf64>, %m: memref<3x4xf64>, %i: index) {
  %e = tensor.empty() : tensor<4xf64>
  %r = linalg.add ins(%a, %a : tensor<4xf64>, tensor<4xf64>) outs(%e : tensor<4xf64>) -> tensor<4xf64>
  %s = memref.subview %m[%i, 0] [1, 4] [1, 1] : memref<3x4xf64> to memref<4xf64, strided<[1], offset: ?>>
  bufferization.materialize_in_destination %r in restrict writable %s : (tensor<4xf64>, memref<4xf64, strided<[1], offset: ?>>) -> ()
  return
}

// The insertion lets upstream's pass run, which would compute %r in %m before %m is read.
// CHECK-LABEL: func.func @read_before(
// CHECK:         [[E:%.*]] = tensor.empty
// CHECK:         [[R:%.*]] = linalg.add {{.*}} outs([[E]] :
// CHECK-NEXT:    memref.load
// CHECK-NEXT:    [[B:%.*]] = bufferization.to_buffer [[R]] read_only
// CHECK-NEXT:    memref.copy [[B]],
// ALL-LABEL:   func.func @read_before(
// ALL:           memref.load
// ALL:           memref.copy
func.func @read_before(%a: tensor<4xf64>, %m: memref<4xf64>, %x: tensor<8xf64>, %i: index) -> (f64, tensor<8xf64>) {
  %e = tensor.empty() : tensor<4xf64>
  %r = linalg.add ins(%a, %a : tensor<4xf64>, tensor<4xf64>) outs(%e : tensor<4xf64>) -> tensor<4xf64>
  %v = memref.load %m[%i] : memref<4xf64>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<4xf64>, memref<4xf64>) -> ()
  %y = tensor.insert_slice %a into %x[2] [4] [1] : tensor<4xf64> into tensor<8xf64>
  return %v, %y : f64, tensor<8xf64>
}

// A call may access what it knows.
// CHECK-LABEL: func.func @called(
// CHECK:         call @unknown
// CHECK-NEXT:    [[B:%.*]] = bufferization.to_buffer
// CHECK-NEXT:    memref.copy [[B]],
func.func private @unknown()
func.func @called(%a: tensor<4xf64>, %m: memref<4xf64>) {
  %e = tensor.empty() : tensor<4xf64>
  %r = linalg.add ins(%a, %a : tensor<4xf64>, tensor<4xf64>) outs(%e : tensor<4xf64>) -> tensor<4xf64>
  func.call @unknown() : () -> ()
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<4xf64>, memref<4xf64>) -> ()
  return
}
