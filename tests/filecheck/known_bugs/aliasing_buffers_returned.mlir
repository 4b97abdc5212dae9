// RUN: toyc %s -emit=jit | FileCheck %s
// RUN: toyc %s -O2 -emit=jit | FileCheck %s
// Two results that are one buffer stay one buffer: the write through one is seen through the other.
// CHECK: 7.000000 7.000000
func.func private @toy_print(memref<*xf64>) attributes {llvm.emit_c_interface}
func.func private @same() -> (memref<2xf64>, memref<2xf64>) {
  %a = memref.alloc() : memref<2xf64>
  return %a, %a : memref<2xf64>, memref<2xf64>
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %f = arith.constant 7.0 : f64
  %p:2 = call @same() : () -> (memref<2xf64>, memref<2xf64>)
  memref.store %f, %p#0[%c0] : memref<2xf64>
  memref.store %f, %p#0[%c1] : memref<2xf64>
  %u = memref.cast %p#1 : memref<2xf64> to memref<*xf64>
  call @toy_print(%u) : (memref<*xf64>) -> ()
  return
}
