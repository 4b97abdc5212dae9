func.func private @toy_print(memref<*xf64> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}
memref.global "private" constant @numbers : memref<2x3xf64> = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]>
// x = x + y twice in each iteration, y = x afterwards; no iteration at all for the third call.
func.func private @f(%start: memref<2x3xf64>, %out: memref<2x3xf64>, %n: index) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %g = memref.get_global @numbers : memref<2x3xf64>
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%x = %start, %y = %g) -> (memref<2x3xf64>, memref<2x3xf64>) {
    %s = scf.for %j = %c0 to %c2 step %c1 iter_args(%z = %x) -> (memref<2x3xf64>) {
      %new = memref.alloc() : memref<2x3xf64>
      linalg.add ins(%z, %y : memref<2x3xf64>, memref<2x3xf64>) outs(%new : memref<2x3xf64>)
      scf.yield %new : memref<2x3xf64>
    }
    %copy = memref.alloc() : memref<2x3xf64>
    memref.copy %x, %copy : memref<2x3xf64> to memref<2x3xf64>
    scf.yield %s, %copy : memref<2x3xf64>, memref<2x3xf64>
  }
  linalg.sub ins(%r#0, %r#1 : memref<2x3xf64>, memref<2x3xf64>) outs(%out : memref<2x3xf64>)
  return
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c5 = arith.constant 5 : index
  %g = memref.get_global @numbers : memref<2x3xf64>
  %a = memref.alloc() : memref<2x3xf64>
  %b = memref.alloc() : memref<2x3xf64>
  call @f(%g, %a, %c5) : (memref<2x3xf64>, memref<2x3xf64>, index) -> ()
  %p = memref.cast %a : memref<2x3xf64> to memref<*xf64>
  call @toy_print(%p) : (memref<*xf64>) -> ()
  call @f(%a, %b, %c5) : (memref<2x3xf64>, memref<2x3xf64>, index) -> ()
  %q = memref.cast %b : memref<2x3xf64> to memref<*xf64>
  call @toy_print(%q) : (memref<*xf64>) -> ()
  call @f(%b, %a, %c0) : (memref<2x3xf64>, memref<2x3xf64>, index) -> ()
  call @toy_print(%p) : (memref<*xf64>) -> ()
  return
}
