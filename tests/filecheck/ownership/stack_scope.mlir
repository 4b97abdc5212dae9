// A scope on the stack that ends with a buffer was lowered to an invalid branch.
// RUN: toyc %s -emit=jit | FileCheck %s
// RUN: toyc %s -O2 -emit=jit | FileCheck %s
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -O2 -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// CHECK: 1.000000
func.func @main() { %p = arith.constant true
 %c0 = arith.constant 0 : index
 %c1 = arith.constant 1 : index
 %one = arith.constant 1.0 : f64
 %a = memref.alloc() : memref<2xf64>
   memref.store %one, %a[%c0] : memref<2xf64>
 %r = scf.for %i = %c0 to %c1 step %c1 iter_args(%q = %a) -> memref<2xf64> { 
   %r = memref.alloca_scope -> (memref<2xf64>) {
   %x = memref.alloc() : memref<2xf64>
   %l = memref.alloca() : memref<2xf64>
   memref.store %one, %x[%c0] : memref<2xf64>
   memref.store %one, %l[%c0] : memref<2xf64>
   memref.copy %l, %x : memref<2xf64> to memref<2xf64>
     memref.alloca_scope.return  %x : memref<2xf64>
   }
   scf.yield %r : memref<2xf64>
 }
 %v = memref.load %r[%c0] : memref<2xf64>
 %t = tensor.from_elements %v : tensor<1xf64>
 "toy.print"(%t) : (tensor<1xf64>) -> ()
 return }
