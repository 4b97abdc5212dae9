// The argument behind a cast.
func.func private @f(%x: tensor<*xf64>, %y: tensor<*xf64>) { return }
func.func @main() {
  %c = "toy.constant"() {value = dense<1.0> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
  %s = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %p = "toy.struct_create"(%c, %c) : (tensor<2x3xf64>, tensor<2x3xf64>) -> !toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]>
  %a = "toy.cast"(%p) : (!toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]>) -> !toy.any
  %b = "toy.cast"(%s) : (tensor<f64>) -> !toy.any
  "toy.generic_call"(%b, %a) {callee = @f} : (!toy.any, !toy.any) -> ()
  return
}
