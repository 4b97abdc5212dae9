// Levels may be mixed: Toy, linalg, memrefs, loops and the LLVM dialect in one module.
// RUN: toyc %s -emit=jit | FileCheck %s
// RUN: toyc %s -emit=jit -O2 | FileCheck %s
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// CHECK:      {{^}}5.000000 7.000000 {{$}}
// CHECK-NEXT: {{^}}10.000000 14.000000 {{$}}
func.func private @double(%x: tensor<1x2xf64>) -> tensor<1x2xf64> {
  %e = tensor.empty() : tensor<1x2xf64>
  %r = linalg.add ins(%x, %x : tensor<1x2xf64>, tensor<1x2xf64>) outs(%e : tensor<1x2xf64>) -> tensor<1x2xf64>
  return %r : tensor<1x2xf64>
}
func.func private @fill(%m: memref<1x2xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %five = arith.constant 5.0 : f64
  %two = arith.constant 2.0 : f64
  %r = scf.for %i = %c0 to %c2 step %c1 iter_args(%v = %five) -> f64 {
    memref.store %v, %m[%c0, %i] : memref<1x2xf64>
    %next = arith.addf %v, %two : f64
    scf.yield %next : f64
  }
  return
}
func.func @main() {
  %m = memref.alloc() : memref<1x2xf64>
  call @fill(%m) : (memref<1x2xf64>) -> ()
  %t = bufferization.to_tensor %m restrict : memref<1x2xf64> to tensor<1x2xf64>
  "toy.print"(%t) : (tensor<1x2xf64>) -> ()
  %d = call @double(%t) : (tensor<1x2xf64>) -> tensor<1x2xf64>
  "toy.print"(%d) : (tensor<1x2xf64>) -> ()
  return
}
