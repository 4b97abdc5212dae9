func.func @scale(%m: memref<2xi64>, %i: index, %x: i64) -> i64 {
  %old = memref.atomic_rmw muli %x, %m[%i] : (i64, memref<2xi64>) -> i64
  return %old : i64
}
func.func private @id(%t: tensor<2xf64>) -> tensor<2xf64> {
  return %t : tensor<2xf64>
}
func.func @by_address(%t: tensor<2xf64>) -> tensor<2xf64> {
  %f = constant @id : (tensor<2xf64>) -> tensor<2xf64>
  %r = call_indirect %f(%t) : (tensor<2xf64>) -> tensor<2xf64>
  return %r : tensor<2xf64>
}
func.func @vectors() -> tensor<1xvector<2xf64>> {
  %v = arith.constant dense<[1.0, 2.0]> : vector<2xf64>
  %t = tensor.from_elements %v : tensor<1xvector<2xf64>>
  return %t : tensor<1xvector<2xf64>>
}
