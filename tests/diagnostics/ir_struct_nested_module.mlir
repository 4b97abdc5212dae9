// Only functions of the module itself are flattened.
module {
  func.func private @f(%x: !toy.struct<[tensor<f64>]>) { return }
}
func.func @main() {
  return
}
