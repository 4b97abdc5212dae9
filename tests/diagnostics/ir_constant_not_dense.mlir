func.func @main() {
  %0 = "toy.constant"() {value = 1.0 : f64} : () -> tensor<f64>
  "toy.print"(%0) : (tensor<f64>) -> ()
  return
}
