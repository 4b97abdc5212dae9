// Every struct becomes its tensors, in order: parameters, arguments, results, constants; attributes of a
// parameter are those of each of its tensors.
// RUN: toyc %s -emit=linalg --print-ir-after=toy-flatten-structs -o /dev/null 2>&1 | FileCheck %s
// RUN: toyc %s -emit=linalg | not grep 'toy.struct'
// RUN: toyc %s -emit=jit | FileCheck %s --check-prefix=OUT
// CHECK-NOT: !toy.
// CHECK-LABEL: func.func @main
// CHECK:         [[A:%.*]] = "toy.constant"() {value = dense<1.000000e+00> : tensor<f64>}
// CHECK:         [[B:%.*]] = "toy.constant"() {value = dense<2.000000e+00> : tensor<2xf64>}
// CHECK:         [[C:%.*]] = "toy.constant"() {value = dense<3.000000e+00> : tensor<1x1xf64>}
// CHECK:         [[R:%.*]]:3 = call @rotate([[A]], [[B]], [[C]], [[A]]) : (tensor<f64>, tensor<2xf64>, tensor<1x1xf64>, tensor<f64>) -> (tensor<f64>, tensor<1x1xf64>, tensor<2xf64>)
// CHECK-NEXT:    "toy.print"([[R]]#0) : (tensor<f64>) -> ()
// CHECK-NEXT:    "toy.print"([[R]]#1) : (tensor<1x1xf64>) -> ()
// CHECK-NEXT:    "toy.print"([[R]]#2) : (tensor<2xf64>) -> ()
// CHECK-NEXT:    return
// CHECK-LABEL: func.func @rotate(
// CHECK-SAME:      %arg0: tensor<f64> {bufferization.writable = false}, %arg1: tensor<2xf64> {bufferization.writable = false}, %arg2: tensor<1x1xf64> {bufferization.writable = false}, %arg3: tensor<f64>) -> (tensor<f64>, tensor<1x1xf64>, tensor<2xf64>)
// CHECK-NEXT:    return %arg3, %arg2, %arg1 : tensor<f64>, tensor<1x1xf64>, tensor<2xf64>
// CHECK-NOT: !toy.
// OUT: {{^}}1.000000 3.000000 {{$}}
// OUT-NEXT: 2.000000 2.000000
!in = !toy.struct<[tensor<f64>, !toy.struct<[tensor<2xf64>, tensor<1x1xf64>]>]>
!inner = !toy.struct<[tensor<2xf64>, tensor<1x1xf64>]>
!rest = !toy.struct<[tensor<1x1xf64>, tensor<2xf64>]>
!out = !toy.struct<[tensor<f64>, !rest]>
func.func @main() {
  %c = "toy.struct_constant"() {value = [dense<1.0> : tensor<f64>, [dense<2.0> : tensor<2xf64>, dense<3.0> : tensor<1x1xf64>]]} : () -> !in
  %s = "toy.struct_access"(%c) {index = 0 : i64} : (!in) -> tensor<f64>
  %r = func.call @rotate(%c, %s) : (!in, tensor<f64>) -> !out
  %0 = "toy.struct_access"(%r) {index = 0 : i64} : (!out) -> tensor<f64>
  "toy.print"(%0) : (tensor<f64>) -> ()
  %i = "toy.struct_access"(%r) {index = 1 : i64} : (!out) -> !rest
  %1 = "toy.struct_access"(%i) {index = 0 : i64} : (!rest) -> tensor<1x1xf64>
  "toy.print"(%1) : (tensor<1x1xf64>) -> ()
  %2 = "toy.struct_access"(%i) {index = 1 : i64} : (!rest) -> tensor<2xf64>
  "toy.print"(%2) : (tensor<2xf64>) -> ()
  return
}
func.func @rotate(%x: !in {bufferization.writable = false}, %s: tensor<f64>) -> !out {
  %i = "toy.struct_access"(%x) {index = 1 : i64} : (!in) -> !inner
  %a = "toy.struct_access"(%i) {index = 0 : i64} : (!inner) -> tensor<2xf64>
  %b = "toy.struct_access"(%i) {index = 1 : i64} : (!inner) -> tensor<1x1xf64>
  %b1 = "toy.cast"(%b) : (tensor<1x1xf64>) -> tensor<*xf64>
  %a1 = "toy.cast"(%a) : (tensor<2xf64>) -> tensor<*xf64>
  %rest = "toy.struct_create"(%b1, %a1) : (tensor<*xf64>, tensor<*xf64>) -> !rest
  %s1 = "toy.cast"(%s) : (tensor<f64>) -> !toy.any
  %rest1 = "toy.cast"(%rest) : (!rest) -> !toy.any
  %r = "toy.struct_create"(%s1, %rest1) : (!toy.any, !toy.any) -> !out
  return %r : !out
}
