// memref.distinct_objects makes views, which optimize-allocation-liveness does not see.
// RUN: toyc %s -emit=jit -O0 | FileCheck %s
// RUN: toyc %s -emit=jit -O1 | FileCheck %s
// RUN: toyc %s -emit=jit -O2 | FileCheck %s
// RUN: toyc %s -emit=jit -O3 | FileCheck %s
// CHECK: 3.000000
func.func @main() {
  %c0 = arith.constant 0 : index
  %f3 = arith.constant 3.0 : f64
  %a = memref.alloc() : memref<2xf64>
  %b = memref.alloc() : memref<2xf64>
  linalg.fill ins(%f3 : f64) outs(%a : memref<2xf64>)
  %w, %v = memref.distinct_objects %a, %b : memref<2xf64>, memref<2xf64>
  %x = memref.load %w[%c0] : memref<2xf64>
  %t = tensor.from_elements %x : tensor<1xf64>
  "toy.print"(%t) : (tensor<1xf64>) -> ()
  return
}
