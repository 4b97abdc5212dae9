func.func @larger(%a: memref<*xf64>, %b: memref<*xf64>, %p: i1) -> memref<*xf64> {
  %s = arith.select %p, %a, %b : memref<*xf64>
  return %s : memref<*xf64>
}
