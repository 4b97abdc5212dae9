// `free` got a pointer of the memory space of what it frees.
// RUN: toyc %s -emit=jit | FileCheck %s
// RUN: toyc %s -O2 -emit=jit | FileCheck %s
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -O2 -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// CHECK: 1.000000
func.func @main() { %p = arith.constant true
 %r = memref.alloc() : memref<2xf64,1>
 %c0 = arith.constant 0 : index
 %one = arith.constant 1.0 : f64
 memref.store %one, %r[%c0] : memref<2xf64,1>
 %x = memref.load %r[%c0] : memref<2xf64,1>
 %t = tensor.from_elements %x : tensor<1xf64>
 "toy.print"(%t) : (tensor<1xf64>) -> ()
 return }
