// Every round makes a new buffer of the one before.
func.func @turns(%n: index, %x: f64, %out: memref<4xf64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf64>
  linalg.fill ins(%x : f64) outs(%a : memref<4xf64>)
  %r = scf.for %i = %zero to %n step %one iter_args(%old = %a) -> (memref<4xf64>) {
    %new = memref.alloc() : memref<4xf64>
    linalg.add ins(%old, %old : memref<4xf64>, memref<4xf64>) outs(%new : memref<4xf64>)
    scf.yield %new : memref<4xf64>
  }
  memref.copy %r, %out : memref<4xf64> to memref<4xf64>
  return
}
