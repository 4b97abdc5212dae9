// Atomic updates: those of one operation are compiled, those with a region refused with a diagnostic.
// RUN: toyc %s -emit=jit -O0 | FileCheck %s
// RUN: toyc %s -emit=jit -O2 | FileCheck %s
// RUN: (cat %s; echo 'func.func @square(%%m: memref<1xf64>, %%i: index) -> f64 { %%r = memref.generic_atomic_rmw %%m[%%i] : memref<1xf64> { ^bb0(%%c: f64): %%n = arith.mulf %%c, %%c : f64 memref.atomic_yield %%n : f64 } return %%r : f64 }') > %t.mlir
// RUN: not toyc %t.mlir -emit=jit -O0 2>&1 | FileCheck %s --check-prefix=REGION
// RUN: not toyc %t.mlir -emit=jit -O1 2>&1 | FileCheck %s --check-prefix=REGION
// CHECK: {{^}}5.000000 10.000000{{ $}}
// REGION: error[E0403]: `memref.generic_atomic_rmw` cannot be compiled together with deallocation
// REGION: Help: use `memref.atomic_rmw`
func.func private @update(%m: memref<1xf64>, %x: f64, %i: index) -> f64 {
  %r = memref.atomic_rmw maximumf %x, %m[%i] : (f64, memref<1xf64>) -> f64
  %s = memref.atomic_rmw addf %x, %m[%i] : (f64, memref<1xf64>) -> f64
  return %s : f64
}
func.func @main() {
  %zero = arith.constant 0 : index
  %x = arith.constant 5.0 : f64
  %two = arith.constant 2.0 : f64
  %m = memref.alloc() : memref<1xf64>
  linalg.fill ins(%two : f64) outs(%m : memref<1xf64>)
  %r = call @update(%m, %x, %zero) : (memref<1xf64>, f64, index) -> f64
  %s = memref.load %m[%zero] : memref<1xf64>
  %t = tensor.from_elements %r, %s : tensor<2xf64>
  "toy.print"(%t) : (tensor<2xf64>) -> ()
  return
}
