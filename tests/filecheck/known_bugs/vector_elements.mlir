// MLIR folds a tensor.from_elements of constant vectors to dense<"">, whose elements are read as zeros, or crashes.
// RUN: toyc %s -emit=jit -O0 | FileCheck %s
// RUN: toyc %s -emit=jit -O1 | FileCheck %s
// RUN: toyc %s -emit=jit -O2 | FileCheck %s
// RUN: toy-opt %s --toy-insert-vectors --canonicalize | FileCheck %s --check-prefix=INSERTED
// INSERTED-NOT: dense<"">
// CHECK: {{^}}1.000000 2.000000 3.000000 4.000000 5.000000 6.000000 7.000000 8.000000 3.000000 4.000000{{ $}}
func.func private @show(%v: vector<2xf64>) {
  %e = vector.extract %v[0] : f64 from vector<2xf64>
  %f = vector.extract %v[1] : f64 from vector<2xf64>
  %r = tensor.from_elements %e, %f : tensor<2xf64>
  "toy.print"(%r) : (tensor<2xf64>) -> ()
  return
}
func.func @main() {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %two = arith.constant 2 : index
  %a = arith.constant dense<[1.0, 2.0]> : vector<2xf64>
  %b = arith.constant dense<[3.0, 4.0]> : vector<2xf64>
  %c = arith.constant dense<[5.0, 6.0]> : vector<2xf64>
  %d = arith.constant dense<[7.0, 8.0]> : vector<2xf64>
  %t = tensor.from_elements %a, %b, %c, %d : tensor<2x2xvector<2xf64>>
  scf.for %i = %zero to %two step %one {
    scf.for %j = %zero to %two step %one {
      %v = tensor.extract %t[%i, %j] : tensor<2x2xvector<2xf64>>
      func.call @show(%v) : (vector<2xf64>) -> ()
    }
  }
  %s = tensor.from_elements %b : tensor<vector<2xf64>>
  %w = tensor.extract %s[] : tensor<vector<2xf64>>
  call @show(%w) : (vector<2xf64>) -> ()
  return
}
