// One element of a matrix: the least that needs memory, indices and a call.
func.func @element(%a: memref<3x4xf64>, %i: index, %j: index) -> f64 {
  %0 = memref.load %a[%i, %j] : memref<3x4xf64>
  return %0 : f64
}
