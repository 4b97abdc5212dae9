// Nothing says what shape the result has.
func.func private @f(%x: tensor<*xf64>) -> tensor<*xf64> {
  %t = "toy.truth"(%x) : (tensor<*xf64>) -> i1
  %r = scf.if %t -> (tensor<*xf64>) {
    %a = "toy.generic_call"(%x) {callee = @f} : (tensor<*xf64>) -> tensor<*xf64>
    scf.yield %a : tensor<*xf64>
  } else {
    %b = "toy.generic_call"(%x) {callee = @f} : (tensor<*xf64>) -> tensor<*xf64>
    scf.yield %b : tensor<*xf64>
  } {toy.carries = ["return"]}
  return %r : tensor<*xf64>
}
func.func @main() {
  %a = "toy.constant"() {value = dense<3.0> : tensor<f64>} : () -> tensor<f64>
  %x = "toy.generic_call"(%a) {callee = @f} : (tensor<f64>) -> tensor<*xf64>
  "toy.print"(%x) : (tensor<*xf64>) -> ()
  return
}
