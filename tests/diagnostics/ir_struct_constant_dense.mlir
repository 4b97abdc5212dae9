// The value of a field that is a tensor is dense.
func.func @main() {
  %0 = "toy.struct_constant"() {value = [1.0]} : () -> !toy.struct<[tensor<f64>]>
  return
}
