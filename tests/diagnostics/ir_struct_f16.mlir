// Tensors in structs are as outside of structs.
func.func private @f(%x: !toy.struct<[tensor<2xf16>]>) { return }
func.func @main() {
  %c = "toy.constant"() {value = dense<1.0> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
  %s = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  return
}
