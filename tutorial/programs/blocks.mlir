// Branches between blocks, and a buffer that is allocated before them.
func.func private @blocks(%c: i1, %x: f64) {
  %m = memref.alloc() : memref<4xf64>
  cf.cond_br %c, ^fill, ^end
^fill:
  linalg.fill ins(%x : f64) outs(%m : memref<4xf64>)
  cf.br ^end
^end:
  return
}
func.func @main() {
  %c = arith.constant true
  %x = arith.constant 1.5 : f64
  call @blocks(%c, %x) : (i1, f64) -> ()
  return
}
