// Two buffers from outside of a loop, and two that live in it.
func.func @ticks(%n: index, %x: f64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %e = memref.alloc() : memref<4xf64>
  %f = memref.alloc() : memref<4xf64>
  scf.for %i = %zero to %n step %one {
    linalg.fill ins(%x : f64) outs(%e : memref<4xf64>)
    linalg.fill ins(%x : f64) outs(%f : memref<4xf64>)
    %g = memref.alloc() : memref<4xf64>
    linalg.fill ins(%x : f64) outs(%g : memref<4xf64>)
    %h = memref.alloc() : memref<4xf64>
    linalg.fill ins(%x : f64) outs(%h : memref<4xf64>)
  }
  return
}
