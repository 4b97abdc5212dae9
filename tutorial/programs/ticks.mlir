// Two buffers from outside of a loop, and two that live in it.
func.func @ticks(%n: index, %x: f64) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %a = memref.alloc() : memref<4xf64>
  %b = memref.alloc() : memref<4xf64>
  scf.for %i = %zero to %n step %one {
    linalg.fill ins(%x : f64) outs(%a : memref<4xf64>)
    linalg.fill ins(%x : f64) outs(%b : memref<4xf64>)
    %c = memref.alloc() : memref<4xf64>
    linalg.fill ins(%x : f64) outs(%c : memref<4xf64>)
    %d = memref.alloc() : memref<4xf64>
    linalg.fill ins(%x : f64) outs(%d : memref<4xf64>)
  }
  return
}
