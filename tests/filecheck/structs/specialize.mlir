// A struct argument counts with the shapes of all its fields: one clone per combination, with exact types;
// casts stay only in front of a struct of fields of different types.
// RUN: toyc %s -emit=shapes | FileCheck %s
// RUN: toyc %s -emit=shapes | FileCheck %s --check-prefix=BODY
// RUN: toyc %s -emit=shapes | grep -c 'func.func private @f' | FileCheck %s --check-prefix=COUNT
// RUN: toyc %s -emit=shapes | mlir-opt --irdl-file=%irdl | FileCheck %s
// RUN: toyc %s -emit=shapes > %t.mlir && toyc %t.mlir -emit=shapes | FileCheck %s --check-prefix=AGAIN
// AGAIN: [[B1:%.*]] = "toy.cast"({{.*}}) : (tensor<f64>) -> tensor<*xf64>
// AGAIN: [[A1:%.*]] = "toy.cast"({{.*}}) : (tensor<2x3xf64>) -> tensor<*xf64>
// AGAIN: "toy.struct_create"([[B1]], [[A1]]) : (tensor<*xf64>, tensor<*xf64>) -> !toy.struct<[tensor<f64>, tensor<2x3xf64>]>
// COUNT: {{^}}3{{$}}
// CHECK-NOT: toy.generic_call
// CHECK-DAG: func.func private @f$S2x3$sE$2(%arg0: !toy.struct<[tensor<2x3xf64>, tensor<f64>]>, %arg1: tensor<2xf64>) -> !toy.struct<[tensor<f64>, tensor<2x3xf64>]> attributes {toy.specialization = "f({2x3, scalar}, 2)"}
// CHECK-DAG: func.func private @f$S2x3$sE$s({{.*}} attributes {toy.specialization = "f({2x3, scalar}, scalar)"}
// CHECK-DAG: func.func private @f$Ss$sE$2({{.*}} attributes {toy.specialization = "f({scalar, scalar}, 2)"}
// CHECK-DAG: func.func private @nested$SS2$2E$SsEE({{.*}}) -> !toy.struct<[tensor<f64>]>
// BODY-LABEL: func.func private @f$S2x3$sE$2
// BODY: [[A:%.*]] = "toy.struct_access"(%arg0) {index = 0 : i64} : (!toy.struct<[tensor<2x3xf64>, tensor<f64>]>) -> tensor<2x3xf64>
// BODY: [[B:%.*]] = "toy.struct_access"(%arg0) {index = 1 : i64} : (!toy.struct<[tensor<2x3xf64>, tensor<f64>]>) -> tensor<f64>
// BODY: [[B1:%.*]] = "toy.cast"([[B]]) : (tensor<f64>) -> tensor<*xf64>
// BODY: [[A1:%.*]] = "toy.cast"([[A]]) : (tensor<2x3xf64>) -> tensor<*xf64>
// BODY: "toy.struct_create"([[B1]], [[A1]]) : (tensor<*xf64>, tensor<*xf64>) -> !toy.struct<[tensor<f64>, tensor<2x3xf64>]>
// BODY-LABEL: func.func private @f$Ss$sE$2
// BODY-NOT: toy.cast
// BODY: return
!pair = !toy.struct<[tensor<*xf64>, tensor<*xf64>]>
func.func private @f(%p: !pair, %x: tensor<*xf64>) -> !pair {
  %a = "toy.struct_access"(%p) {index = 0 : i64} : (!pair) -> tensor<*xf64>
  %b = "toy.struct_access"(%p) {index = 1 : i64} : (!pair) -> tensor<*xf64>
  %r = "toy.struct_create"(%b, %a) : (tensor<*xf64>, tensor<*xf64>) -> !pair
  return %r : !pair
}
func.func private @nested(%p: !toy.struct<[!pair, !toy.struct<[tensor<*xf64>]>]>) -> !toy.struct<[tensor<*xf64>]> {
  %r = "toy.struct_access"(%p) {index = 1 : i64} : (!toy.struct<[!pair, !toy.struct<[tensor<*xf64>]>]>) -> !toy.struct<[tensor<*xf64>]>
  return %r : !toy.struct<[tensor<*xf64>]>
}
func.func @main() {
  %c = "toy.struct_constant"() {value = [dense<1.0> : tensor<2x3xf64>, dense<1.0> : tensor<f64>]} : () -> !toy.struct<[tensor<2x3xf64>, tensor<f64>]>
  %d = "toy.struct_constant"() {value = [dense<1.0> : tensor<f64>, dense<1.0> : tensor<f64>]} : () -> !toy.struct<[tensor<f64>, tensor<f64>]>
  %two = "toy.constant"() {value = dense<1.0> : tensor<2xf64>} : () -> tensor<2xf64>
  %s = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %ca = "toy.cast"(%c) : (!toy.struct<[tensor<2x3xf64>, tensor<f64>]>) -> !toy.any
  %da = "toy.cast"(%d) : (!toy.struct<[tensor<f64>, tensor<f64>]>) -> !toy.any
  %two1 = "toy.cast"(%two) : (tensor<2xf64>) -> !toy.any
  %sa = "toy.cast"(%s) : (tensor<f64>) -> !toy.any
  %r = "toy.generic_call"(%ca, %two1) {callee = @f} : (!toy.any, !toy.any) -> !pair
  "toy.generic_call"(%ca, %two1) {callee = @f} : (!toy.any, !toy.any) -> ()
  "toy.generic_call"(%ca, %sa) {callee = @f} : (!toy.any, !toy.any) -> ()
  "toy.generic_call"(%da, %two1) {callee = @f} : (!toy.any, !toy.any) -> ()
  %n = "toy.struct_constant"() {value = [[dense<1.0> : tensor<2xf64>, dense<1.0> : tensor<2xf64>], [dense<1.0> : tensor<f64>]]}
    : () -> !toy.struct<[!toy.struct<[tensor<2xf64>, tensor<2xf64>]>, !toy.struct<[tensor<f64>]>]>
  %m = "toy.generic_call"(%n) {callee = @nested} : (!toy.struct<[!toy.struct<[tensor<2xf64>, tensor<2xf64>]>, !toy.struct<[tensor<f64>]>]>) -> !toy.struct<[tensor<*xf64>]>
  return
}
