// Ownership-based deallocation reads freed memory on functions of several blocks (llvm-project issue
// 119863): they are hidden from it. This is its reproducer, on buffers.
// RUN: toyc %s -emit=jit | FileCheck %s
// RUN: toyc %s -emit=jit -O2 | FileCheck %s
// RUN: toyc %s -emit=jit -g | FileCheck %s
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// CHECK: 3.000000 6.000000 12.000000 12.000000 12.000000
func.func @use(%x: f64) {
  %t = tensor.from_elements %x : tensor<1xf64>
  "toy.print"(%t) : (tensor<1xf64>) -> ()
  return
}
func.func @straight(%c: i1, %arg0: f64, %n: index) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1: index
  %1 = scf.for %arg1 = %c0 to %n step %c1 iter_args(%arg2 = %arg0) -> f64 {
    %2 = arith.addf %arg2, %arg2 : f64
    func.call @use(%2) : (f64) -> ()
    scf.yield %2 : f64
  }
  %m = memref.alloc() : memref<4xf64>
  memref.store %1, %m[%c0] : memref<4xf64>
  cf.cond_br %c, ^bb3, ^bb4
^bb3:
  func.call @use(%1) : (f64) -> ()
  %v = memref.load %m[%c0] : memref<4xf64>
  memref.dealloc %m : memref<4xf64>
  return %v : f64
^bb4:
  memref.dealloc %m : memref<4xf64>
  return %arg0 : f64
}
func.func @main() {
  %c = arith.constant true
  %x = arith.constant 1.5 : f64
  %n = arith.constant 3 : index
  %r = call @straight(%c, %x, %n) : (i1, f64, index) -> f64
  call @use(%r) : (f64) -> ()
  return
}
