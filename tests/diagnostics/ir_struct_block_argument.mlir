// Structs do not go through branches.
func.func @main() {
  %c = "toy.constant"() {value = dense<1.0> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
  %s = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %p = "toy.struct_create"(%c, %c) : (tensor<2x3xf64>, tensor<2x3xf64>) -> !toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]>
  cf.br ^bb1(%p : !toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]>)
^bb1(%q: !toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]>):
  return
}
