// The same with the locations in the input: globals of every dialect.
// RUN: toyc %s -g -emit=jit | FileCheck %s
// RUN: toyc %s -g -emit=llvm > /dev/null
// CHECK: 1.000000 2.000000
memref.global "private" constant @c : memref<2xf64> = dense<[1.0, 2.0]> loc(callsite("a.toy":1:1 at "b.toy":2:2))
llvm.mlir.global private constant @unused(1.0 : f64) : f64 loc(callsite("a.toy":3:1 at "b.toy":4:2))
func.func private @toy_print(memref<*xf64> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}
func.func @main() {
  %0 = memref.get_global @c : memref<2xf64> loc(callsite("a.toy":1:1 at "b.toy":2:2))
  %1 = memref.cast %0 : memref<2xf64> to memref<*xf64> loc(callsite("a.toy":1:1 at "b.toy":2:2))
  call @toy_print(%1) : (memref<*xf64>) -> () loc(callsite("a.toy":1:1 at "b.toy":2:2))
  return
} loc(callsite("a.toy":1:1 at "b.toy":2:2))
