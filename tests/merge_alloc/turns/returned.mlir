func.func private @toy_print(memref<*xf64> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}
// What the loop ends with is returned.
func.func private @f(%n: index, %x: f64) -> memref<3xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %a = memref.alloc() : memref<3xf64>
  linalg.fill ins(%x : f64) outs(%a : memref<3xf64>)
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%z = %a) -> (memref<3xf64>) {
    %new = memref.alloc() : memref<3xf64>
    linalg.add ins(%z, %z : memref<3xf64>, memref<3xf64>) outs(%new : memref<3xf64>)
    scf.yield %new : memref<3xf64>
  }
  return %r : memref<3xf64>
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c7 = arith.constant 7 : index
  %x = arith.constant 1.5 : f64
  %a = call @f(%c7, %x) : (index, f64) -> memref<3xf64>
  %p = memref.cast %a : memref<3xf64> to memref<*xf64>
  call @toy_print(%p) : (memref<*xf64>) -> ()
  %b = call @f(%c0, %x) : (index, f64) -> memref<3xf64>
  %q = memref.cast %b : memref<3xf64> to memref<*xf64>
  call @toy_print(%q) : (memref<*xf64>) -> ()
  return
}
