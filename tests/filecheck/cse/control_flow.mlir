// Equal operations in branches and loops: the first is used only where it was executed before. What may end the
// program is merged, but not erased.
// RUN: toy-opt %s --toy-cse | FileCheck %s

// CHECK-LABEL: func.func @dominates
// CHECK:      %[[M:.*]] = "toy.mul"
// CHECK-NEXT: scf.if
// CHECK-NEXT:   "toy.print"(%[[M]])
// CHECK-NEXT:   %[[E:.*]] = "toy.math"
// CHECK-NEXT:   "toy.print"(%[[E]])
// CHECK-NEXT: } else {
// CHECK-NEXT:   %[[E:.*]] = "toy.math"
// CHECK-NEXT:   "toy.print"(%[[E]])
// CHECK-NEXT: }
// CHECK-NEXT: %[[E:.*]] = "toy.math"
// CHECK-NEXT: "toy.print"(%[[E]])
func.func @dominates(%x: tensor<2xf64>, %t: i1) {
  %0 = "toy.mul"(%x, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  scf.if %t {
    %1 = "toy.mul"(%x, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    "toy.print"(%1) : (tensor<2xf64>) -> ()
    %2 = "toy.math"(%x) {function = "exp"} : (tensor<2xf64>) -> tensor<2xf64>
    "toy.print"(%2) : (tensor<2xf64>) -> ()
  } else {
    %2 = "toy.math"(%x) {function = "exp"} : (tensor<2xf64>) -> tensor<2xf64>
    "toy.print"(%2) : (tensor<2xf64>) -> ()
  }
  %2 = "toy.math"(%x) {function = "exp"} : (tensor<2xf64>) -> tensor<2xf64>
  "toy.print"(%2) : (tensor<2xf64>) -> ()
  return
}

// CHECK-LABEL: func.func @attributes
// CHECK:      "toy.math"({{.*}}) {function = "exp"}
// CHECK-NEXT: "toy.math"({{.*}}) {function = "log"}
// CHECK-NEXT: "toy.sub"
func.func @attributes(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = "toy.math"(%x) {function = "exp"} : (tensor<2xf64>) -> tensor<2xf64>
  %1 = "toy.math"(%x) {function = "log"} : (tensor<2xf64>) -> tensor<2xf64>
  %2 = "toy.sub"(%0, %1) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %2 : tensor<2xf64>
}

// Before and after an update, a part may differ; equal reads of one value do not.
// CHECK-LABEL: func.func @parts
// CHECK-COUNT-2: "toy.read"
// CHECK-NOT:     "toy.read"
// CHECK:         return
func.func @parts(%x: tensor<2xf64>, %s: tensor<f64>, %i: index) {
  %0 = "toy.read"(%x, %i) {subscripts = ["at"]} : (tensor<2xf64>, index) -> tensor<f64>
  %1 = "toy.read"(%x, %i) {subscripts = ["at"]} : (tensor<2xf64>, index) -> tensor<f64>
  %2 = "toy.update"(%s, %x, %i) {subscripts = ["at"]} : (tensor<f64>, tensor<2xf64>, index) -> tensor<2xf64>
  %3 = "toy.read"(%2, %i) {subscripts = ["at"]} : (tensor<2xf64>, index) -> tensor<f64>
  "toy.print"(%1) : (tensor<f64>) -> ()
  "toy.print"(%3) : (tensor<f64>) -> ()
  return
}

// A branch that only computes goes, and so does a loop; what may fail, prints or may not end stays.
// CHECK-LABEL: func.func @unused
// CHECK-NOT:  toy.exp
// CHECK:      scf.if
// CHECK-NEXT:   "toy.read"
// CHECK:      scf.while
// CHECK:      call @fails
// CHECK-NEXT: call @recursive
// CHECK-NEXT: call @loops
// CHECK-NEXT: return
func.func @unused(%x: tensor<2xf64>, %t: i1, %i: index) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %0 = scf.if %t -> (tensor<2xf64>) {
    %e = "toy.math"(%x) {function = "exp"} : (tensor<2xf64>) -> tensor<2xf64>
    scf.yield %e : tensor<2xf64>
  } else {
    scf.yield %x : tensor<2xf64>
  }
  %1 = scf.for %k = %zero to %i step %one iter_args(%y = %x) -> (tensor<2xf64>) {
    %e = "toy.math"(%y) {function = "exp"} : (tensor<2xf64>) -> tensor<2xf64>
    scf.yield %e : tensor<2xf64>
  }
  scf.if %t {
    %e = "toy.read"(%x, %i) {subscripts = ["at"]} : (tensor<2xf64>, index) -> tensor<f64>
  }
  %2 = scf.while (%y = %x) : (tensor<2xf64>) -> (tensor<2xf64>) {
    scf.condition(%t) %y : tensor<2xf64>
  } do {
  ^bb0(%y: tensor<2xf64>):
    scf.yield %y : tensor<2xf64>
  }
  %3 = func.call @fails(%x, %i) : (tensor<2xf64>, index) -> tensor<f64>
  %4 = func.call @fails(%x, %i) : (tensor<2xf64>, index) -> tensor<f64>
  %5 = func.call @recursive(%x, %t) : (tensor<2xf64>, i1) -> tensor<2xf64>
  %6 = func.call @loops(%x, %t) : (tensor<2xf64>, i1) -> tensor<2xf64>
  %7 = func.call @branches(%x, %t) : (tensor<2xf64>, i1) -> tensor<2xf64>
  return
}
func.func private @fails(%x: tensor<2xf64>, %i: index) -> tensor<f64> {
  %0 = "toy.read"(%x, %i) {subscripts = ["at"]} : (tensor<2xf64>, index) -> tensor<f64>
  return %0 : tensor<f64>
}
func.func private @recursive(%x: tensor<2xf64>, %t: i1) -> tensor<2xf64> {
  %0 = scf.if %t -> (tensor<2xf64>) {
    %1 = func.call @recursive(%x, %t) : (tensor<2xf64>, i1) -> tensor<2xf64>
    scf.yield %1 : tensor<2xf64>
  } else {
    scf.yield %x : tensor<2xf64>
  }
  return %0 : tensor<2xf64>
}
func.func private @loops(%x: tensor<2xf64>, %t: i1) -> tensor<2xf64> {
  %0 = scf.while (%y = %x) : (tensor<2xf64>) -> (tensor<2xf64>) {
    scf.condition(%t) %y : tensor<2xf64>
  } do {
  ^bb0(%y: tensor<2xf64>):
    scf.yield %y : tensor<2xf64>
  }
  return %0 : tensor<2xf64>
}
func.func private @branches(%x: tensor<2xf64>, %t: i1) -> tensor<2xf64> {
  %0 = scf.if %t -> (tensor<2xf64>) {
    scf.yield %x : tensor<2xf64>
  } else {
    %1 = "toy.neg"(%x) : (tensor<2xf64>) -> tensor<2xf64>
    scf.yield %1 : tensor<2xf64>
  }
  return %0 : tensor<2xf64>
}
