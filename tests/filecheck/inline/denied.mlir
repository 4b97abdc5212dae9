// What the pass does not know is left alone: public functions, attributes of functions and calls, several blocks,
// other operations, recursion. Functions with other callers stay.
// RUN: toy-opt %s --toy-inline | FileCheck %s

// CHECK-LABEL: func.func @main
func.func @main(%a: tensor<8x8xf64>, %b: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %m = "toy.mul"(%a, %b) : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
  // CHECK: call @public
  %0 = func.call @public(%m) : (tensor<8x8xf64>) -> tensor<8x8xf64>
  %1 = "toy.neg"(%0) : (tensor<8x8xf64>) -> tensor<8x8xf64>
  // CHECK: call @kept
  %2 = func.call @kept(%1) : (tensor<8x8xf64>) -> tensor<8x8xf64>
  %3 = "toy.neg"(%2) : (tensor<8x8xf64>) -> tensor<8x8xf64>
  // CHECK: call @plain{{.*}}{no_inline}
  %4 = func.call @plain(%3) {no_inline} : (tensor<8x8xf64>) -> tensor<8x8xf64>
  %5 = "toy.neg"(%4) : (tensor<8x8xf64>) -> tensor<8x8xf64>
  // CHECK: call @blocks
  %6 = func.call @blocks(%5) : (tensor<8x8xf64>) -> tensor<8x8xf64>
  %7 = "toy.neg"(%6) : (tensor<8x8xf64>) -> tensor<8x8xf64>
  // CHECK: call @unknown
  %8 = func.call @unknown(%7) : (tensor<8x8xf64>) -> tensor<8x8xf64>
  %9 = "toy.neg"(%8) : (tensor<8x8xf64>) -> tensor<8x8xf64>
  // CHECK: call @declared
  %10 = func.call @declared(%9) : (tensor<8x8xf64>) -> tensor<8x8xf64>
  %11 = "toy.neg"(%10) : (tensor<8x8xf64>) -> tensor<8x8xf64>
  // CHECK-NOT: call @plain
  // CHECK: "toy.add"
  // CHECK-NOT: call
  // CHECK: return
  %12 = func.call @plain(%11) : (tensor<8x8xf64>) -> tensor<8x8xf64>
  %13 = "toy.mul"(%12, %b) : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
  return %13 : tensor<8x8xf64>
}

func.func @public(%a: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %0 = "toy.transpose"(%a) : (tensor<8x8xf64>) -> tensor<8x8xf64>
  return %0 : tensor<8x8xf64>
}
func.func private @kept(%a: tensor<8x8xf64>) -> tensor<8x8xf64> attributes {no_inline} {
  %0 = "toy.transpose"(%a) : (tensor<8x8xf64>) -> tensor<8x8xf64>
  return %0 : tensor<8x8xf64>
}
// CHECK: func.func private @plain
func.func private @plain(%a: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %c = "toy.constant"() {value = dense<2.0> : tensor<8x8xf64>} : () -> tensor<8x8xf64>
  %0 = "toy.add"(%a, %c) : (tensor<8x8xf64>, tensor<8x8xf64>) -> tensor<8x8xf64>
  return %0 : tensor<8x8xf64>
}
func.func private @blocks(%a: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %0 = "toy.neg"(%a) : (tensor<8x8xf64>) -> tensor<8x8xf64>
  cf.br ^bb1
^bb1:
  return %0 : tensor<8x8xf64>
}
func.func private @unknown(%a: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %0 = "toy.neg"(%a) : (tensor<8x8xf64>) -> tensor<8x8xf64>
  %1 = math.sqrt %0 : tensor<8x8xf64>
  %2 = "toy.neg"(%1) : (tensor<8x8xf64>) -> tensor<8x8xf64>
  return %2 : tensor<8x8xf64>
}
func.func private @declared(tensor<8x8xf64>) -> tensor<8x8xf64>

// CHECK-LABEL: func.func private @first
// CHECK: call @second
// CHECK-LABEL: func.func private @second
// CHECK: call @first
func.func private @first(%a: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %0 = "toy.neg"(%a) : (tensor<8x8xf64>) -> tensor<8x8xf64>
  %1 = func.call @second(%0) : (tensor<8x8xf64>) -> tensor<8x8xf64>
  return %1 : tensor<8x8xf64>
}
func.func private @second(%a: tensor<8x8xf64>) -> tensor<8x8xf64> {
  %0 = func.call @first(%a) : (tensor<8x8xf64>) -> tensor<8x8xf64>
  %1 = "toy.transpose"(%0) : (tensor<8x8xf64>) -> tensor<8x8xf64>
  return %1 : tensor<8x8xf64>
}
