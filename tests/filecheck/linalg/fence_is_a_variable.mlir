// The markers that keep fusion away are variables with a name, which the verifier accepts.
// RUN: toy-opt %s --toy-fusion-fences | FileCheck %s
// RUN: toy-opt %s --toy-fusion-fences | toy-opt --toy-remove-fusion-fences | FileCheck %s --check-prefix=REMOVED

#id = affine_map<(d0) -> (d0)>

// CHECK:       linalg.generic
// CHECK:       "toy.variable"(%{{.*}}) {name = "toyc.fence", toyc.fence}
// REMOVED-NOT: toy.variable
func.func @f(%a: tensor<4xf64>) -> tensor<4xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %e = tensor.empty() : tensor<4xf64>
  %0 = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%a : tensor<4xf64>) outs(%e : tensor<4xf64>) {
  ^bb0(%x: f64, %old: f64):
    %1 = math.exp %x : f64
    linalg.yield %1 : f64
  } -> tensor<4xf64>
  %2 = scf.for %i = %c0 to %c4 step %c1 iter_args(%sum = %a) -> tensor<4xf64> {
    %3 = linalg.generic {indexing_maps = [#id, #id, #id], iterator_types = ["parallel"]}
        ins(%sum, %0 : tensor<4xf64>, tensor<4xf64>) outs(%e : tensor<4xf64>) {
    ^bb0(%x: f64, %y: f64, %old: f64):
      %4 = arith.addf %x, %y : f64
      linalg.yield %4 : f64
    } -> tensor<4xf64>
    scf.yield %3 : tensor<4xf64>
  }
  return %2 : tensor<4xf64>
}
