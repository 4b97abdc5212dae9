// A new buffer in one branch, the caller's in the other.
func.func @either(%c: i1, %m: memref<2xf64>, %i: index, %x: f64) -> f64 {
  %b = scf.if %c -> memref<2xf64> {
    %new = memref.alloc() : memref<2xf64>
    linalg.fill ins(%x : f64) outs(%new : memref<2xf64>)
    scf.yield %new : memref<2xf64>
  } else {
    scf.yield %m : memref<2xf64>
  }
  %r = memref.load %b[%i] : memref<2xf64>
  return %r : f64
}
