// What is not known to be pure stays: functions without a body, operations of other dialects. Recursion may never
// end, so one call of it stays; another one with equal arguments would end or not like the first.
// Functions that something else than a call refers to, and functions with attributes of their own,
// are kept, too.
// RUN: toy-opt %s --toy-cse | FileCheck %s
// RUN: toy-opt %s --toy-cse | toy-opt --toy-cse | FileCheck %s

// CHECK-LABEL: func.func @main
// CHECK-COUNT-2: call @declared
// CHECK-COUNT-2: call @counts
// CHECK:         call @endless
// CHECK-NOT:     call @endless
// CHECK:         call @referred
// CHECK:         call @referred
// CHECK:         constant @same_as_referred
// CHECK:         call @marked
// CHECK:         call @tidy
// CHECK-NEXT:    toy.print
// CHECK-NEXT:    return
func.func @main(%x: tensor<2xf64>) {
  %0 = call @declared(%x) : (tensor<2xf64>) -> tensor<2xf64>
  %1 = call @declared(%x) : (tensor<2xf64>) -> tensor<2xf64>
  %2 = call @counts(%x) : (tensor<2xf64>) -> tensor<2xf64>
  %3 = call @counts(%x) : (tensor<2xf64>) -> tensor<2xf64>
  %4 = call @endless(%x) : (tensor<2xf64>) -> tensor<2xf64>
  %5 = call @endless(%x) : (tensor<2xf64>) -> tensor<2xf64>
  %6 = call @referred(%x) : (tensor<2xf64>) -> tensor<2xf64>
  "toy.print"(%6) : (tensor<2xf64>) -> ()
  %7 = "toy.neg"(%x) : (tensor<2xf64>) -> tensor<2xf64>
  %8 = call @same_as_referred(%7) : (tensor<2xf64>) -> tensor<2xf64>
  "toy.print"(%8) : (tensor<2xf64>) -> ()
  %f = constant @same_as_referred : (tensor<2xf64>) -> tensor<2xf64>
  call_indirect %f(%x) : (tensor<2xf64>) -> tensor<2xf64>
  %9 = call @marked(%x) : (tensor<2xf64>) -> tensor<2xf64>
  "toy.print"(%9) : (tensor<2xf64>) -> ()
  %10 = call @tidy(%x) : (tensor<2xf64>) -> tensor<2xf64>
  "toy.print"(%10) : (tensor<2xf64>) -> ()
  %11 = call @dead(%x) : (tensor<2xf64>) -> tensor<2xf64>
  return
}
// CHECK: func.func private @declared
func.func private @declared(%x: tensor<2xf64>) -> tensor<2xf64>
// CHECK: func.func private @counts
func.func private @counts(%x: tensor<2xf64>) -> tensor<2xf64> {
  %a = memref.alloc() : memref<f64>
  memref.dealloc %a : memref<f64>
  return %x : tensor<2xf64>
}
// CHECK: func.func private @endless
func.func private @endless(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = call @endless(%x) : (tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
// CHECK: func.func private @referred
func.func private @referred(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = "toy.mul"(%x, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
// CHECK: func.func private @same_as_referred
func.func private @same_as_referred(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = "toy.mul"(%x, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
// CHECK: func.func private @marked
func.func private @marked(%x: tensor<2xf64>) -> tensor<2xf64> attributes {some.mark} {
  %0 = "toy.mul"(%x, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
// CHECK: func.func @tidy
// CHECK-NOT: toy.transpose
func.func @tidy(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = "toy.mul"(%x, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %1 = "toy.transpose"(%0) : (tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
// CHECK-NOT: @dead
func.func private @dead(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = call @dead_too(%x) : (tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
func.func private @dead_too(%x: tensor<2xf64>) -> tensor<2xf64> {
  %0 = "toy.sub"(%x, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
