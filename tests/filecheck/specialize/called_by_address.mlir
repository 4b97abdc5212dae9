// A function whose address is taken keeps its name.
// RUN: toyc %s -emit=jit -O0 | FileCheck %s
// RUN: toyc %s -emit=jit -O2 | FileCheck %s
// CHECK: 1.000000 5.000000
func.func private @id(%a: memref<2xf64>) -> memref<2xf64> {
  return %a : memref<2xf64>
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %one = arith.constant 1.0 : f64
  %five = arith.constant 5.0 : f64
  %a = memref.alloc() : memref<2xf64>
  memref.store %one, %a[%c0] : memref<2xf64>
  %fn = func.constant @id : (memref<2xf64>) -> memref<2xf64>
  %w = func.call_indirect %fn(%a) : (memref<2xf64>) -> memref<2xf64>
  memref.store %five, %w[%c1] : memref<2xf64>
  %x = memref.load %a[%c0] : memref<2xf64>
  %y = memref.load %a[%c1] : memref<2xf64>
  %t = tensor.from_elements %x, %y : tensor<2xf64>
  "toy.print"(%t) : (tensor<2xf64>) -> ()
  return
}
