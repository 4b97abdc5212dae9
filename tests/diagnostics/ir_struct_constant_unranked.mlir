// A constant has all its shapes.
func.func @main() {
  %0 = "toy.struct_constant"() {value = [dense<1.0> : tensor<f64>]} : () -> !toy.struct<[tensor<*xf64>]>
  return
}
