func.func private @toy_print(f64)
func.func @main() {
  %x = "toy.constant"() {value = dense<1.0> : tensor<2xf64>} : () -> tensor<2xf64>
  "toy.print"(%x) : (tensor<2xf64>) -> ()
  return
}
