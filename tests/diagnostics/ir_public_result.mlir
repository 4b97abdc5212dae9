func.func @larger(%a: memref<2xf64>, %b: memref<2xf64>, %p: i1) -> memref<2xf64> {
  %s = arith.select %p, %a, %b : memref<2xf64>
  return %s : memref<2xf64>
}
