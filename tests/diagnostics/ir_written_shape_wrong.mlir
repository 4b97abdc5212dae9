// What inference finds contradicts what is written: of a result, a call, a field, an argument.
func.func private @f(%x: tensor<*xf64>) -> tensor<*xf64> { return %x : tensor<*xf64> }
func.func private @g(%x: tensor<f64>) {
  "toy.print"(%x) : (tensor<f64>) -> ()
  return
}
func.func private @h(%x: !toy.struct<[tensor<*xf64>]>) { return }
func.func @main() {
  %c = "toy.constant"() {value = dense<1.0> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
  %s = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %x = "toy.generic_call"(%c) {callee = @f} : (tensor<2x3xf64>) -> tensor<*xf64>
  %0 = "toy.transpose"(%x) : (tensor<*xf64>) -> tensor<2x3xf64>
  "toy.print"(%0) : (tensor<2x3xf64>) -> ()
  %1 = "toy.generic_call"(%c) {callee = @f} : (tensor<2x3xf64>) -> tensor<f64>
  %2 = "toy.struct_create"(%x) : (tensor<*xf64>) -> !toy.struct<[tensor<f64>]>
  "toy.generic_call"(%2) {callee = @h} : (!toy.struct<[tensor<f64>]>) -> ()
  "toy.generic_call"(%x) {callee = @g} : (tensor<*xf64>) -> ()
  %3 = "toy.cast"(%x) : (tensor<*xf64>) -> tensor<f64>
  "toy.print"(%3) : (tensor<f64>) -> ()
  return
}
