// Rewrites look out of branches and loops, not into them; what may end the program stays, used or not.
// RUN: toy-opt %s --toy-canonicalize | FileCheck %s

// CHECK-LABEL: func.func @outside
// CHECK-NOT:  toy.transpose
// CHECK:      scf.if
// CHECK-NEXT: scf.yield %arg0
// CHECK:      scf.yield %arg0
func.func @outside(%x: tensor<2x2xf64>, %t: i1) -> tensor<2x2xf64> {
  %0 = "toy.transpose"(%x) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  %1 = scf.if %t -> (tensor<2x2xf64>) {
    %2 = "toy.transpose"(%0) : (tensor<2x2xf64>) -> tensor<2x2xf64>
    scf.yield %2 : tensor<2x2xf64>
  } else {
    scf.yield %x : tensor<2x2xf64>
  }
  return %1 : tensor<2x2xf64>
}

// What is carried is another value in each iteration.
// CHECK-LABEL: func.func @carried
// CHECK:      %[[BEFORE:.*]] = "toy.transpose"(%arg0)
// CHECK:      scf.for {{.*}} iter_args(%[[X:.*]] = %[[BEFORE]])
// CHECK-NEXT: "toy.transpose"(%[[X]])
func.func @carried(%x: tensor<2x2xf64>, %n: index) -> tensor<2x2xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0 = "toy.transpose"(%x) : (tensor<2x2xf64>) -> tensor<2x2xf64>
  %1 = scf.for %i = %zero to %n step %one iter_args(%y = %0) -> (tensor<2x2xf64>) {
    %2 = "toy.transpose"(%y) : (tensor<2x2xf64>) -> tensor<2x2xf64>
    scf.yield %2 : tensor<2x2xf64>
  }
  return %1 : tensor<2x2xf64>
}

// CHECK-LABEL: func.func @unused
// CHECK-NEXT: "toy.read"(%arg0, %arg1)
// CHECK-NEXT: "toy.update"(%arg2, %arg0, %arg1)
// CHECK-NEXT: "toy.to_index"(%arg2)
// CHECK-NEXT: return
func.func @unused(%x: tensor<2xf64>, %i: index, %s: tensor<f64>) {
  %one = arith.constant 1 : index
  %0 = "toy.read"(%x, %i) {subscripts = ["at"]} : (tensor<2xf64>, index) -> tensor<f64>
  %1 = "toy.read"(%x, %one) {subscripts = ["at"]} : (tensor<2xf64>, index) -> tensor<f64>
  %2 = "toy.update"(%s, %x, %i) {subscripts = ["at"]} : (tensor<f64>, tensor<2xf64>, index) -> tensor<2xf64>
  %3 = "toy.update"(%s, %x) {subscripts = [array<i64: 0, 1>]} : (tensor<f64>, tensor<2xf64>) -> tensor<2xf64>
  %4 = "toy.to_index"(%s) {what = "bound"} : (tensor<f64>) -> index
  %5 = "toy.max"(%x, %s) : (tensor<2xf64>, tensor<f64>) -> tensor<2xf64>
  %6 = "toy.truth"(%s) : (tensor<f64>) -> i1
  %7 = "toy.reduce"(%5) {kind = "sum"} : (tensor<2xf64>) -> tensor<f64>
  %8 = "toy.math"(%x) {function = "exp"} : (tensor<2xf64>) -> tensor<2xf64>
  %9 = "toy.matmul"(%8, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<f64>
  return
}

// What may be an error that is not found yet stays.
// CHECK-LABEL: func.func private @open
// CHECK-COUNT-6: "toy.
// CHECK-NEXT: return
func.func private @open(%x: tensor<*xf64>, %y: tensor<*xf64>) {
  %zero = arith.constant 0 : index
  %0 = "toy.max"(%x, %y) : (tensor<*xf64>, tensor<*xf64>) -> tensor<*xf64>
  %1 = "toy.truth"(%x) : (tensor<*xf64>) -> i1
  %2 = "toy.matmul"(%x, %y) : (tensor<*xf64>, tensor<*xf64>) -> tensor<*xf64>
  %3 = "toy.read"(%x, %zero) {subscripts = ["at"]} : (tensor<*xf64>, index) -> tensor<*xf64>
  %c = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %4 = "toy.reduce_axis"(%x, %c) {kind = "sum"} : (tensor<*xf64>, tensor<f64>) -> tensor<*xf64>
  %5 = "toy.math"(%x) {function = "exp"} : (tensor<*xf64>) -> tensor<*xf64>
  return
}
