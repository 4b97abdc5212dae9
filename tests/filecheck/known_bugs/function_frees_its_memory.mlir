// A function that frees a buffer itself: the deallocation pass rejects such functions, so it does not
// get to see them.
// RUN: toyc %s -emit=jit | FileCheck %s
// RUN: toyc %s -emit=jit -O2 | FileCheck %s
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// CHECK: 1.500000
func.func private @toy_print(memref<*xf64> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}
func.func private @work(%x: f64) {
  %c0 = arith.constant 0 : index
  %m = memref.alloc() : memref<1xf64>
  memref.store %x, %m[%c0] : memref<1xf64>
  %u = memref.cast %m : memref<1xf64> to memref<*xf64>
  call @toy_print(%u) : (memref<*xf64>) -> ()
  memref.dealloc %m : memref<1xf64>
  return
}
func.func @main() {
  %x = arith.constant 1.5 : f64
  call @work(%x) : (f64) -> ()
  return
}
