// The value of a field that is a struct is a list.
func.func @main() {
  %0 = "toy.struct_constant"() {value = [dense<1.0> : tensor<f64>]} : () -> !toy.struct<[!toy.struct<[tensor<f64>]>]>
  return
}
