// The value of an inner field has another type.
func.func @main() {
  %0 = "toy.struct_constant"() {value = [dense<1.0> : tensor<f64>, [dense<1.0> : tensor<2xf64>]]} : () -> !toy.struct<[tensor<f64>, !toy.struct<[tensor<3xf64>]>]>
  return
}
