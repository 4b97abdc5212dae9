// A copy between memrefs with strides is a call of the runtime, in memory and in an executable.
// RUN: toyc %s -emit=jit | FileCheck %s
// RUN: toyc %s -emit=jit -O2 | FileCheck %s
// RUN: toyc %s -o %t && %t | FileCheck %s
// RUN: toyc %s -O2 -o %t && %t | FileCheck %s

// The inner 2x2 of a 4x4 is copied transposed into the odd columns of a 2x4.
// CHECK: 0.000000 5.000000 0.000000 9.000000
// CHECK-NEXT: 0.000000 6.000000 0.000000 10.000000
module {
  memref.global "private" constant @numbers : memref<4x4xf64> = dense<[[0.0, 1.0, 2.0, 3.0], [4.0, 5.0, 6.0, 7.0], [8.0, 9.0, 10.0, 11.0], [12.0, 13.0, 14.0, 15.0]]>
  func.func private @toy_print(memref<*xf64>) attributes {llvm.emit_c_interface}
  func.func @main() {
    %zero = arith.constant 0.0 : f64
    %numbers = memref.get_global @numbers : memref<4x4xf64>
    %inner = memref.subview %numbers[1, 1] [2, 2] [1, 1] : memref<4x4xf64> to memref<2x2xf64, strided<[4, 1], offset: 5>>
    %flipped = memref.transpose %inner (i, j) -> (j, i) : memref<2x2xf64, strided<[4, 1], offset: 5>> to memref<2x2xf64, strided<[1, 4], offset: 5>>
    %result = memref.alloc() : memref<2x4xf64>
    linalg.fill ins(%zero : f64) outs(%result : memref<2x4xf64>)
    %odd = memref.subview %result[0, 1] [2, 2] [1, 2] : memref<2x4xf64> to memref<2x2xf64, strided<[4, 2], offset: 1>>
    memref.copy %flipped, %odd : memref<2x2xf64, strided<[1, 4], offset: 5>> to memref<2x2xf64, strided<[4, 2], offset: 1>>
    %cast = memref.cast %result : memref<2x4xf64> to memref<*xf64>
    func.call @toy_print(%cast) : (memref<*xf64>) -> ()
    return
  }
}
