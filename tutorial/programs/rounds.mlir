// Every round of the loop needs a buffer.
func.func @rounds(%n: index, %x: f64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  scf.for %i = %zero to %n step %one {
    %m = memref.alloc() : memref<4xf64>
    linalg.fill ins(%x : f64) outs(%m : memref<4xf64>)
  }
  return
}
