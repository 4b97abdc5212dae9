// memref.transpose makes a view, which optimize-allocation-liveness does not see.
// RUN: toyc %s -emit=jit -O0 | FileCheck %s
// RUN: toyc %s -emit=jit -O1 | FileCheck %s
// RUN: toyc %s -emit=jit -O2 | FileCheck %s
// RUN: toyc %s -emit=jit -O3 | FileCheck %s
// CHECK: 1.000000 2.000000
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c1 to %c3 step %c1 {
    %a = memref.alloc(%i) : memref<?xf64>
    %ii = arith.index_cast %i : index to i64
    %f = arith.sitofp %ii : i64 to f64
    linalg.fill ins(%f : f64) outs(%a : memref<?xf64>)
    %w = memref.transpose %a (d) -> (d) : memref<?xf64> to memref<?xf64, strided<[1]>>
    %x = memref.load %w[%c0] : memref<?xf64, strided<[1]>>
    %t = tensor.from_elements %x : tensor<1xf64>
    "toy.print"(%t) : (tensor<1xf64>) -> ()
  }
  return
}
