// A value that meets no other has no shape.
func.func @main() {
  %s = "toy.constant"() {value = dense<0.0> : tensor<f64>} : () -> tensor<f64>
  %e = "toy.math"(%s) {function = "exp"} : (tensor<f64>) -> tensor<f64>
  %t = "toy.truth"(%e) : (tensor<f64>) -> i1
  %r = scf.if %t -> (tensor<*xf64>) {
    %a = "toy.unset"() : () -> tensor<*xf64>
    scf.yield %a : tensor<*xf64>
  } else {
    %b = "toy.unset"() : () -> tensor<*xf64>
    scf.yield %b : tensor<*xf64>
  }
  "toy.print"(%r) : (tensor<*xf64>) -> ()
  return
}
