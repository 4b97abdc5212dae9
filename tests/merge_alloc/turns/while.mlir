func.func private @toy_print(memref<*xf64> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}
func.func @main() {
  %cst = arith.constant 1.000000e+00 : f64
  %cst_0 = arith.constant 1.000000e+02 : f64
  %c0 = arith.constant 0 : index
  %alloc = memref.alloc() : memref<8xf64>
  linalg.fill ins(%cst : f64) outs(%alloc : memref<8xf64>)
  %0 = scf.while (%arg0 = %alloc) : (memref<8xf64>) -> memref<8xf64> {
    %1 = memref.load %arg0[%c0] : memref<8xf64>
    %2 = arith.cmpf olt, %1, %cst_0 : f64
    %alloc_1 = memref.alloc() : memref<8xf64>
    memref.copy %arg0, %alloc_1 : memref<8xf64> to memref<8xf64>
    scf.condition(%2) %alloc_1 : memref<8xf64>
  } do {
  ^bb0(%arg0: memref<8xf64>):
    %alloc_1 = memref.alloc() : memref<8xf64>
    linalg.add ins(%arg0, %arg0 : memref<8xf64>, memref<8xf64>) outs(%alloc_1 : memref<8xf64>)
    scf.yield %alloc_1 : memref<8xf64>
  }
  %cast = memref.cast %0 : memref<8xf64> to memref<*xf64>
  call @toy_print(%cast) : (memref<*xf64>) -> ()
  return
}
