func.func private @toy_print(memref<*xf64> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}
func.func @main() {
  %cst = arith.constant 1.000000e+00 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %c10 = arith.constant 10 : index
  %alloc = memref.alloc() : memref<8xf64>
  linalg.fill ins(%cst : f64) outs(%alloc : memref<8xf64>)
  %0 = scf.for %arg0 = %c0 to %c10 step %c1 iter_args(%arg1 = %alloc) -> (memref<8xf64>) {
    %1 = arith.remui %arg0, %c2 : index
    %2 = arith.cmpi eq, %1, %c0 : index
    %3 = scf.if %2 -> (memref<8xf64>) {
      %alloc_0 = memref.alloc() : memref<8xf64>
      linalg.add ins(%arg1, %arg1 : memref<8xf64>, memref<8xf64>) outs(%alloc_0 : memref<8xf64>)
      scf.yield %alloc_0 : memref<8xf64>
    } else {
      scf.yield %arg1 : memref<8xf64>
    }
    scf.yield %3 : memref<8xf64>
  }
  %cast = memref.cast %0 : memref<8xf64> to memref<*xf64>
  call @toy_print(%cast) : (memref<*xf64>) -> ()
  return
}
