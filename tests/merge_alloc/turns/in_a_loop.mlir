func.func private @toy_print(memref<*xf64> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}
// Each iteration of the outer loop has a loop that takes turns, whose result it prints, and swaps two
// buffers of its own if the number of the iteration is even.
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c6 = arith.constant 6 : index
  %f1 = arith.constant 1.0 : f64
  %f2 = arith.constant 2.0 : f64
  %a = memref.alloc() : memref<4xf64>
  %b = memref.alloc() : memref<4xf64>
  linalg.fill ins(%f1 : f64) outs(%a : memref<4xf64>)
  linalg.fill ins(%f2 : f64) outs(%b : memref<4xf64>)
  %r:2 = scf.for %i = %c0 to %c6 step %c1 iter_args(%x = %a, %y = %b) -> (memref<4xf64>, memref<4xf64>) {
    %s = memref.alloc() : memref<4xf64>
    linalg.add ins(%x, %y : memref<4xf64>, memref<4xf64>) outs(%s : memref<4xf64>)
    %t = scf.for %j = %c0 to %i step %c1 iter_args(%z = %s) -> (memref<4xf64>) {
      %new = memref.alloc() : memref<4xf64>
      linalg.sub ins(%z, %x : memref<4xf64>, memref<4xf64>) outs(%new : memref<4xf64>)
      scf.yield %new : memref<4xf64>
    }
    %p = memref.cast %t : memref<4xf64> to memref<*xf64>
    func.call @toy_print(%p) : (memref<*xf64>) -> ()
    %rest = arith.remui %i, %c2 : index
    %even = arith.cmpi eq, %rest, %c0 : index
    %u:2 = scf.if %even -> (memref<4xf64>, memref<4xf64>) {
      %n = memref.alloc() : memref<4xf64>
      linalg.add ins(%x, %t : memref<4xf64>, memref<4xf64>) outs(%n : memref<4xf64>)
      scf.yield %y, %n : memref<4xf64>, memref<4xf64>
    } else {
      scf.yield %x, %y : memref<4xf64>, memref<4xf64>
    }
    scf.yield %u#0, %u#1 : memref<4xf64>, memref<4xf64>
  }
  %v = memref.cast %r#0 : memref<4xf64> to memref<*xf64>
  call @toy_print(%v) : (memref<*xf64>) -> ()
  %w = memref.cast %r#1 : memref<4xf64> to memref<*xf64>
  call @toy_print(%w) : (memref<*xf64>) -> ()
  return
}
