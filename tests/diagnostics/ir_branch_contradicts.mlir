// What a branch is said to have, and what it has.
func.func @main() {
  %a = "toy.constant"() {value = dense<1.0> : tensor<3xf64>} : () -> tensor<3xf64>
  %s = "toy.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %e = "toy.math"(%s) {function = "exp"} : (tensor<f64>) -> tensor<f64>
  %t = "toy.truth"(%e) : (tensor<f64>) -> i1
  %u = "toy.cast"(%a) : (tensor<3xf64>) -> tensor<*xf64>
  %n = "toy.neg"(%u) : (tensor<*xf64>) -> tensor<*xf64>
  %r = scf.if %t -> (tensor<2xf64>) {
    %c = "toy.cast"(%n) : (tensor<*xf64>) -> tensor<2xf64>
    scf.yield %c : tensor<2xf64>
  } else {
    %c = "toy.unset"() : () -> tensor<2xf64>
    scf.yield %c : tensor<2xf64>
  }
  "toy.print"(%r) : (tensor<2xf64>) -> ()
  return
}
