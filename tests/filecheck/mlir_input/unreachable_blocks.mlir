// Blocks that nothing branches to are left out, at every level.
// RUN: toyc %s -emit=jit -O0 | FileCheck %s
// RUN: toyc %s -emit=jit -O2 | FileCheck %s
// CHECK: {{^}}2.000000
func.func private @toy_print(memref<*xf64>) attributes {llvm.emit_c_interface}
func.func @main() {
  %c = arith.constant true
  %two = arith.constant 2.0 : f64
  cf.cond_br %c, ^bb1, ^bb3
^bb1:
  %a = memref.alloc() : memref<f64>
  memref.store %two, %a[] : memref<f64>
  %b = memref.cast %a : memref<f64> to memref<*xf64>
  func.call @toy_print(%b) : (memref<*xf64>) -> ()
  cf.br ^bb3
^bb2:
  %0 = arith.constant true
  cf.cond_br %0, ^bb1, ^bb3
^bb3:
  return
}
