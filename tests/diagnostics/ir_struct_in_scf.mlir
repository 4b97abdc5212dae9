// Structs are no results of structured control flow.
func.func @main() {
  %c = "toy.constant"() {value = dense<1.0> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
  %s = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %p = "toy.struct_create"(%c, %c) : (tensor<2x3xf64>, tensor<2x3xf64>) -> !toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]>
  %t = arith.constant true
  %0 = scf.if %t -> !toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]> { scf.yield %p : !toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]> } else { scf.yield %p : !toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]> }
  return
}
