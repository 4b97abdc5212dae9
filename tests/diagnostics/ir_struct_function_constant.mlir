// A function of structs is no value.
func.func private @f(%x: !toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]>) { return }
func.func @main() {
  %0 = func.constant @f : (!toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]>) -> ()
  return
}
