func.func @scale(%m: memref<2xf64>, %i: index, %x: f64) -> f64 {
  %old = memref.atomic_rmw mulf %x, %m[%i] : (f64, memref<2xf64>) -> f64
  return %old : f64
}
