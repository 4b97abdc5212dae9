// A function that returns one tensor in two fields, or a parameter, returns buffers of their own: the
// write into one (by a function of a lower level) does not change the other.
// RUN: toyc %s -emit=jit | FileCheck %s
// RUN: toyc %s -emit=jit -O2 | FileCheck %s
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -O2 -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// CHECK:      {{^}}100.000000 4.000000 {{$}}
// CHECK-NEXT: {{^}}4.000000 4.000000 {{$}}
// CHECK-NEXT: {{^}}100.000000 2.000000 {{$}}
// CHECK-NEXT: {{^}}2.000000 2.000000 {{$}}
// CHECK-NEXT: {{^}}2.000000 2.000000 {{$}}
// CHECK-NEXT: {{^}}100.000000 2.000000 {{$}}
// CHECK-NEXT: {{^}}2.000000 2.000000 {{$}}
// CHECK-NEXT: {{^}}4.000000 4.000000 {{$}}
// CHECK-NEXT: {{^}}2.000000 2.000000 {{$}}
!pair = !toy.struct<[tensor<*xf64>, tensor<*xf64>]>
!nest = !toy.struct<[!pair, tensor<*xf64>, !pair]>
!t = tensor<1x2xf64>
func.func private @write(%x: !t) -> !t {
  %c0 = arith.constant 0 : index
  %f = arith.constant 100.0 : f64
  %r = tensor.insert %f into %x[%c0, %c0] : !t
  return %r : !t
}
func.func private @computed(%x: tensor<*xf64>) -> !pair {
  %y = "toy.add"(%x, %x) : (tensor<*xf64>, tensor<*xf64>) -> tensor<*xf64>
  %p = "toy.struct_create"(%y, %y) : (tensor<*xf64>, tensor<*xf64>) -> !pair
  return %p : !pair
}
func.func private @argument(%x: tensor<*xf64>) -> !pair {
  %p = "toy.struct_create"(%x, %x) : (tensor<*xf64>, tensor<*xf64>) -> !pair
  return %p : !pair
}
func.func private @unchanged(%p: !pair) -> !pair {
  return %p : !pair
}
func.func private @nested(%p: !pair, %q: !pair) -> !nest {
  %b = "toy.struct_access"(%p) {index = 1 : i64} : (!pair) -> tensor<*xf64>
  %p1 = "toy.cast"(%p) : (!pair) -> !toy.any
  %q1 = "toy.cast"(%q) : (!pair) -> !toy.any
  %b1 = "toy.cast"(%b) : (tensor<*xf64>) -> !toy.any
  %n = "toy.struct_create"(%p1, %b1, %q1) : (!toy.any, !toy.any, !toy.any) -> !nest
  return %n : !nest
}
func.func @main() {
  %c = "toy.constant"() {value = dense<2.0> : !t} : () -> !t

  %p = "toy.generic_call"(%c) {callee = @computed} : (!t) -> !pair
  %p0 = "toy.struct_access"(%p) {index = 0 : i64} : (!pair) -> tensor<*xf64>
  %p1 = "toy.struct_access"(%p) {index = 1 : i64} : (!pair) -> tensor<*xf64>
  %w0 = "toy.generic_call"(%p0) {callee = @write} : (tensor<*xf64>) -> !t
  "toy.print"(%w0) : (!t) -> ()
  "toy.print"(%p1) : (tensor<*xf64>) -> ()

  %q = "toy.generic_call"(%c) {callee = @argument} : (!t) -> !pair
  %q0 = "toy.struct_access"(%q) {index = 0 : i64} : (!pair) -> tensor<*xf64>
  %q1 = "toy.struct_access"(%q) {index = 1 : i64} : (!pair) -> tensor<*xf64>
  %w1 = "toy.generic_call"(%q1) {callee = @write} : (tensor<*xf64>) -> !t
  "toy.print"(%w1) : (!t) -> ()
  "toy.print"(%q0) : (tensor<*xf64>) -> ()
  "toy.print"(%c) : (!t) -> ()

  %u = "toy.generic_call"(%q) {callee = @unchanged} : (!pair) -> !pair
  %n = "toy.generic_call"(%u, %p) {callee = @nested} : (!pair, !pair) -> !nest
  %n1 = "toy.struct_access"(%n) {index = 1 : i64} : (!nest) -> tensor<*xf64>
  %w2 = "toy.generic_call"(%n1) {callee = @write} : (tensor<*xf64>) -> !t
  "toy.print"(%w2) : (!t) -> ()
  %i = "toy.struct_access"(%n) {index = 0 : i64} : (!nest) -> !pair
  %i1 = "toy.struct_access"(%i) {index = 1 : i64} : (!pair) -> tensor<*xf64>
  "toy.print"(%i1) : (tensor<*xf64>) -> ()
  %j = "toy.struct_access"(%n) {index = 2 : i64} : (!nest) -> !pair
  %j1 = "toy.struct_access"(%j) {index = 1 : i64} : (!pair) -> tensor<*xf64>
  "toy.print"(%j1) : (tensor<*xf64>) -> ()
  %u0 = "toy.struct_access"(%u) {index = 0 : i64} : (!pair) -> tensor<*xf64>
  "toy.print"(%u0) : (tensor<*xf64>) -> ()
  return
}
