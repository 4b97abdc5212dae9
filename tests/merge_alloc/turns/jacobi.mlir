func.func private @toy_print(memref<*xf64> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}
func.func @main() {
  %cst = arith.constant 1.000000e+00 : f64
  %cst_0 = arith.constant 0.000000e+00 : f64
  %cst_1 = arith.constant 5.000000e-01 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c7 = arith.constant 7 : index
  %c10 = arith.constant 10 : index
  %alloc = memref.alloc() : memref<8xf64>
  linalg.fill ins(%cst : f64) outs(%alloc : memref<8xf64>)
  %alloc_2 = memref.alloc() : memref<8xf64>
  linalg.fill ins(%cst_0 : f64) outs(%alloc_2 : memref<8xf64>)
  %0:2 = scf.for %arg0 = %c0 to %c10 step %c1 iter_args(%arg1 = %alloc, %arg2 = %alloc_2) -> (memref<8xf64>, memref<8xf64>) {
    scf.for %arg3 = %c1 to %c7 step %c1 {
      %1 = arith.subi %arg3, %c1 : index
      %2 = arith.addi %arg3, %c1 : index
      %3 = memref.load %arg1[%1] : memref<8xf64>
      %4 = memref.load %arg1[%2] : memref<8xf64>
      %5 = arith.addf %3, %4 : f64
      %6 = arith.mulf %5, %cst_1 : f64
      memref.store %6, %arg2[%arg3] : memref<8xf64>
    }
    %alloc_4 = memref.alloc() : memref<8xf64>
    memref.copy %arg2, %alloc_4 : memref<8xf64> to memref<8xf64>
    %alloc_5 = memref.alloc() : memref<8xf64>
    memref.copy %arg1, %alloc_5 : memref<8xf64> to memref<8xf64>
    scf.yield %alloc_4, %alloc_5 : memref<8xf64>, memref<8xf64>
  }
  %cast = memref.cast %0#0 : memref<8xf64> to memref<*xf64>
  call @toy_print(%cast) : (memref<*xf64>) -> ()
  %cast_3 = memref.cast %0#1 : memref<8xf64> to memref<*xf64>
  call @toy_print(%cast_3) : (memref<*xf64>) -> ()
  return
}
