// A buffer that is stored is used by who loads it, which optimize-allocation-liveness does not see.
// RUN: toyc %s -emit=jit -O0 | FileCheck %s
// RUN: toyc %s -emit=jit -O2 | FileCheck %s
// CHECK: 3.000000
func.func private @use(%h: memref<1xmemref<2xf64>>) {
  %c0 = arith.constant 0 : index
  %x = memref.load %h[%c0] : memref<1xmemref<2xf64>>
  %v = memref.load %x[%c0] : memref<2xf64>
  %t = tensor.from_elements %v : tensor<1xf64>
  "toy.print"(%t) : (tensor<1xf64>) -> ()
  return
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %f3 = arith.constant 3.0 : f64
  %h = memref.alloc() : memref<1xmemref<2xf64>>
  %a = memref.alloc() : memref<2xf64>
  linalg.fill ins(%f3 : f64) outs(%a : memref<2xf64>)
  memref.store %a, %h[%c0] : memref<1xmemref<2xf64>>
  func.call @use(%h) : (memref<1xmemref<2xf64>>) -> ()
  memref.dealloc %a : memref<2xf64>
  memref.dealloc %h : memref<1xmemref<2xf64>>
  return
}
