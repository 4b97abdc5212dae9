// One element of a matrix: the least that memory, indices and a call have to be translated for.
func.func @element(%a: memref<3x4xf64>, %i: index, %j: index) -> f64 {
  %0 = memref.load %a[%i, %j] : memref<3x4xf64>
  return %0 : f64
}
