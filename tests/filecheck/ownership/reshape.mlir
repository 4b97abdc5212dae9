// `memref.reshape` takes two buffers, and the pass could not tell which of them it returns.
// RUN: toyc %s -emit=jit | FileCheck %s
// RUN: toyc %s -O2 -emit=jit | FileCheck %s
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -O2 -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// CHECK:      9.000000 1.000000
func.func private @toy_print(memref<*xf64> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}
func.func private @show(%a: memref<2xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %x = memref.load %a[%c0] : memref<2xf64>
  %y = memref.load %a[%c1] : memref<2xf64>
  %l = memref.alloca() : memref<1x2xf64>
  memref.store %x, %l[%c0, %c0] : memref<1x2xf64>
  memref.store %y, %l[%c0, %c1] : memref<1x2xf64>
  %u = memref.cast %l : memref<1x2xf64> to memref<*xf64>
  call @toy_print(%u) : (memref<*xf64>) -> ()
  return
}
func.func private @f(%a: memref<2xf64>) -> memref<1x2xf64> {
 %c0 = arith.constant 0 : index
 %c1 = arith.constant 1 : index
 %c2 = arith.constant 2 : index
 %s = memref.alloc() : memref<2xindex>
 memref.store %c1, %s[%c0] : memref<2xindex>
 memref.store %c2, %s[%c1] : memref<2xindex>
 %r = memref.reshape %a(%s) : (memref<2xf64>, memref<2xindex>) -> memref<1x2xf64>
 return %r : memref<1x2xf64>
}
func.func @main() {
 %p = arith.constant true
 %c0 = arith.constant 0 : index
 %one = arith.constant 1.0 : f64
 %nine = arith.constant 9.0 : f64
 %a = memref.alloc() : memref<2xf64>
 linalg.fill ins(%one : f64) outs(%a : memref<2xf64>)
 %x = call @f(%a) : (memref<2xf64>) -> memref<1x2xf64>
 memref.store %nine, %x[%c0, %c0] :  memref<1x2xf64>
 call @show(%a) : (memref<2xf64>) -> ()
 return
}
