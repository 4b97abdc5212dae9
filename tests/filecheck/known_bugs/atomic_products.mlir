// LLVM's atomicrmw knows no products: MLIR leaves such a memref.atomic_rmw as it is, and the translation to LLVM IR fails.
// RUN: toyc %s -emit=jit -O0 | FileCheck %s
// RUN: toyc %s -emit=jit -O2 | FileCheck %s
// RUN: toyc %s -emit=llvm -O0 | FileCheck %s --check-prefix=LLVM
// LLVM-COUNT-1: cmpxchg
// CHECK: {{^}}5.000000 35.000000{{ $}}
func.func private @show(%a: f64, %b: f64) {
  %t = tensor.from_elements %a, %b : tensor<2xf64>
  "toy.print"(%t) : (tensor<2xf64>) -> ()
  return
}
func.func @main() {
  %0 = arith.constant 0 : index
  %five = arith.constant 5 : i64
  %seven_int = arith.constant 7 : i64
  %n = memref.alloc() : memref<1xi64>
  memref.store %five, %n[%0] : memref<1xi64>
  %was = memref.atomic_rmw muli %seven_int, %n[%0] : (i64, memref<1xi64>) -> i64
  %is = memref.load %n[%0] : memref<1xi64>
  %was_float = arith.sitofp %was : i64 to f64
  %is_float = arith.sitofp %is : i64 to f64
  call @show(%was_float, %is_float) : (f64, f64) -> ()
  return
}
