// A loop frees what it carries; what it ends with belongs to the caller.
// RUN: toyc %s -emit=jit | FileCheck %s
// RUN: toyc %s -O2 -emit=jit | FileCheck %s
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -O2 -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// CHECK:      8.000000 8.000000
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
func.func private @f(%a: memref<2xf64>, %n: index) -> memref<2xf64> {
 %c0 = arith.constant 0 : index
 %c1 = arith.constant 1 : index
 %s = memref.alloc() : memref<2xf64>
 memref.copy %a, %s : memref<2xf64> to memref<2xf64>
 %r = scf.for %i = %c0 to %n step %c1 iter_args(%x = %s) -> memref<2xf64> {
   %y = memref.alloc() : memref<2xf64>
   linalg.add ins(%x, %x : memref<2xf64>, memref<2xf64>) outs(%y : memref<2xf64>)
   memref.dealloc %x : memref<2xf64>
   scf.yield %y : memref<2xf64>
 }
 return %r : memref<2xf64>
}
func.func @main() {
 %c3 = arith.constant 3 : index
 %one = arith.constant 1.0 : f64
 %a = memref.alloc() : memref<2xf64>
 linalg.fill ins(%one : f64) outs(%a : memref<2xf64>)
 %r = call @f(%a, %c3) : (memref<2xf64>, index) -> memref<2xf64>
 call @show(%r) : (memref<2xf64>) -> ()
 return
}
