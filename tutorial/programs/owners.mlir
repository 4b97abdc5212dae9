// Functions that return buffers: the argument, and one that is known only when it runs.

func.func @same(%m: memref<2xf64>) -> memref<2xf64> {
  return %m : memref<2xf64>
}

func.func private @maybe(%c: i1, %m: memref<2xf64>) -> memref<2xf64> {
  %new = memref.alloc() : memref<2xf64>
  %r = arith.select %c, %new, %m : memref<2xf64>
  return %r : memref<2xf64>
}

func.func @caller(%c: i1, %m: memref<2xf64>, %i: index) -> f64 {
  %a = call @same(%m) : (memref<2xf64>) -> memref<2xf64>
  %b = call @maybe(%c, %m) : (i1, memref<2xf64>) -> memref<2xf64>
  %x = memref.load %a[%i] : memref<2xf64>
  %y = memref.load %b[%i] : memref<2xf64>
  %s = arith.addf %x, %y : f64
  return %s : f64
}
