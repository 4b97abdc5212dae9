// A constant struct has one value per field.
func.func @main() {
  %0 = "toy.struct_constant"() {value = [dense<1.0> : tensor<2x3xf64>]} : () -> !toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]>
  return
}
