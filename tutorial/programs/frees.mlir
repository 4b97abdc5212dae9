// A function that frees its buffer itself, and one that does not.
func.func private @toy_print(memref<*xf64> {bufferization.access = "read"})
    attributes {llvm.emit_c_interface}

func.func private @by_hand(%x: f64) {
  %m = memref.alloc() : memref<1x2xf64>
  linalg.fill ins(%x : f64) outs(%m : memref<1x2xf64>)
  %u = memref.cast %m : memref<1x2xf64> to memref<*xf64>
  call @toy_print(%u) : (memref<*xf64>) -> ()
  memref.dealloc %m : memref<1x2xf64>
  return
}

func.func @main() {
  %x = arith.constant 1.5 : f64
  call @by_hand(%x) : (f64) -> ()
  %m = memref.alloc() : memref<1x2xf64>
  linalg.fill ins(%x : f64) outs(%m : memref<1x2xf64>)
  %u = memref.cast %m : memref<1x2xf64> to memref<*xf64>
  call @toy_print(%u) : (memref<*xf64>) -> ()
  return
}
