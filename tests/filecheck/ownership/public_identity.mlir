// In a program with a `main`, a public function is private: it may return its argument.
// RUN: toyc %s -emit=jit | FileCheck %s
// RUN: toyc %s -O2 -emit=jit | FileCheck %s
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -O2 -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// CHECK:      9.000000 1.000000
// CHECK-NEXT: 1.000000 1.000000
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
func.func @f(%a: memref<2xf64>, %b: memref<2xf64>, %p: i1, %n: index) -> memref<2xf64> {
 %s = arith.select %p, %a, %b : memref<2xf64>
 return %s : memref<2xf64> }
func.func @main() {
  %p = arith.constant true
  %c0 = arith.constant 0 : index
  %c3 = arith.constant 3 : index
  %one = arith.constant 1.0 : f64
  %nine = arith.constant 9.0 : f64
  %a = memref.alloc() : memref<2xf64>
  %b = memref.alloc() : memref<2xf64>
  linalg.fill ins(%one : f64) outs(%a : memref<2xf64>)
  linalg.fill ins(%one : f64) outs(%b : memref<2xf64>)
  %r = call @f(%a, %b, %p, %c3) : (memref<2xf64>, memref<2xf64>, i1, index) -> memref<2xf64>
  memref.store %nine, %r[%c0] : memref<2xf64>
  call @show(%a) : (memref<2xf64>) -> ()
  call @show(%b) : (memref<2xf64>) -> ()
  return
}
