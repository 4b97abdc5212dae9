// The fields of a struct are tensors or structs.
func.func private @f() -> !toy.struct<[tensor<2xf64>, !toy.struct<[index]>]> { %0 = ub.poison : !toy.struct<[tensor<2xf64>, !toy.struct<[index]>]>
 return %0 : !toy.struct<[tensor<2xf64>, !toy.struct<[index]>]> }
func.func @main() {
  return
}
