// What one operation stands for: one buffer; one, and another that is kept; several.
func.func @one(%a: memref<2xf64>, %own: i1) {
  bufferization.dealloc (%a : memref<2xf64>) if (%own)
  return
}

func.func @keep(%a: memref<2xf64>, %own: i1, %b: memref<2xf64>) -> i1 {
  %own_b = bufferization.dealloc (%a : memref<2xf64>) if (%own) retain (%b : memref<2xf64>)
  return %own_b : i1
}

func.func @several(%a: memref<2xf64>, %b: memref<3xf64>, %own_a: i1, %own_b: i1) {
  bufferization.dealloc (%a, %b : memref<2xf64>, memref<3xf64>) if (%own_a, %own_b)
  return
}
