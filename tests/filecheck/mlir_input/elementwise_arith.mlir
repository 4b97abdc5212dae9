// Operations of arith and math on tensors compute element by element, alone and next to Toy's.
// RUN: toyc %s -emit=jit -O0 | FileCheck %s
// RUN: toyc %s -emit=jit -O2 | FileCheck %s
// CHECK: {{^}}6.000000 1.000000 2.000000 1.500000 2.000000 -4.000000{{ $}}
func.func private @both(%x: tensor<2xf64>, %y: tensor<2xf64>) -> tensor<2xf64> {
  %0 = arith.mulf %x, %y : tensor<2xf64>
  %1 = "toy.add"(%0, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %1 : tensor<2xf64>
}
func.func @main() {
  %x = arith.constant dense<[2.0, -4.0]> : tensor<2xf64>
  %y = arith.constant dense<[2.0, -1.25]> : tensor<2xf64>
  %0 = func.call @both(%x, %y) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  "toy.print"(%0) : (tensor<2xf64>) -> ()
  %1 = math.absf %x : tensor<2xf64>
  %zero = arith.constant dense<0.0> : tensor<2xf64>
  %less = arith.cmpf olt, %1, %y : tensor<2xf64>
  %2 = arith.select %less, %zero, %1 : tensor<2xi1>, tensor<2xf64>
  %half = arith.constant dense<[1.0, 0.375]> : tensor<2xf64>
  %3 = arith.mulf %2, %half : tensor<2xf64>
  "toy.print"(%3) : (tensor<2xf64>) -> ()
  "toy.print"(%x) : (tensor<2xf64>) -> ()
  return
}
