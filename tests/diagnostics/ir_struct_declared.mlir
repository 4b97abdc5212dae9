// What is defined elsewhere knows no structs.
func.func private @f(!toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]>)
func.func @main() {
  return
}
