// A scalar goes with every element of the other operand, on either side; the operand of an equal shape
// is a named operation. The scalar is a number that the elements are combined with: nothing is filled or broadcast.
// RUN: toyc %s -emit=shapes | FileCheck %s --check-prefix=SHAPES
// RUN: toyc %s -emit=linalg | FileCheck %s
// RUN: toyc %s -emit=linalg | not grep -E 'linalg.(fill|broadcast)'
// RUN: toyc %s -emit=jit | FileCheck %s --check-prefix=OUT
// RUN: toyc %s -emit=jit -O2 | FileCheck %s --check-prefix=OUT
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s --check-prefix=OUT
// SHAPES: "toy.sub"({{.*}}) : (tensor<2x3xf64>, tensor<f64>) -> tensor<2x3xf64>
// SHAPES: "toy.div"({{.*}}) : (tensor<f64>, tensor<2x3xf64>) -> tensor<2x3xf64>
// SHAPES: "toy.add"({{.*}}) : (tensor<f64>, tensor<1xf64>) -> tensor<1xf64>
// SHAPES: "toy.mul"({{.*}}) : (tensor<f64>, tensor<f64>) -> tensor<f64>
// CHECK-LABEL: func.func private @f$2x3$s(%arg0: tensor<2x3xf64>, %arg1: f64)
// CHECK: [[E:%.*]] = tensor.empty() : tensor<2x3xf64>
// CHECK: linalg.generic {indexing_maps = [[[ALL:#map.*]], [[ALL]]], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<2x3xf64>) outs([[E]] : tensor<2x3xf64>)
// CHECK: ^bb0([[A:%.*]]: f64, %{{.*}}: f64):
// CHECK-NEXT: arith.subf [[A]], %arg1
// CHECK: linalg.generic {indexing_maps = [[[ALL]], [[ALL]]], iterator_types = ["parallel", "parallel"]} ins(%arg0 : tensor<2x3xf64>)
// CHECK: arith.divf %arg1,
// CHECK: linalg.sub ins(
// CHECK: linalg.div ins(
// CHECK: linalg.negf ins(
// OUT: {{^}}-1.000000 0.000000 1.000000 {{$}}
// OUT: {{^}}2.000000 3.000000 4.000000 {{$}}
// OUT: {{^}}2.000000 1.000000 0.666667 {{$}}
// OUT: {{^}}0.500000 0.400000 0.333333 {{$}}
// OUT: {{^}}0.000000 0.000000 0.000000 {{$}}
// OUT: {{^}}1.000000 1.000000 1.000000 {{$}}
// OUT: {{^}}-1.000000 -2.000000 -3.000000 {{$}}
// OUT: {{^}}9.000000 4.000000 {{$}}
func.func private @f(%x: tensor<*xf64>, %s: tensor<*xf64>) {
  %0 = "toy.sub"(%x, %s) : (tensor<*xf64>, tensor<*xf64>) -> tensor<*xf64>
  "toy.print"(%0) : (tensor<*xf64>) -> ()
  %1 = "toy.div"(%s, %x) : (tensor<*xf64>, tensor<*xf64>) -> tensor<*xf64>
  "toy.print"(%1) : (tensor<*xf64>) -> ()
  %2 = "toy.sub"(%x, %x) : (tensor<*xf64>, tensor<*xf64>) -> tensor<*xf64>
  "toy.print"(%2) : (tensor<*xf64>) -> ()
  %3 = "toy.div"(%x, %x) : (tensor<*xf64>, tensor<*xf64>) -> tensor<*xf64>
  "toy.print"(%3) : (tensor<*xf64>) -> ()
  %4 = "toy.neg"(%x) : (tensor<*xf64>) -> tensor<*xf64>
  "toy.print"(%4) : (tensor<*xf64>) -> ()
  return
}
func.func @main() {
  %c = "toy.constant"() {value = dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
  %s = "toy.constant"() {value = dense<2.0> : tensor<f64>} : () -> tensor<f64>
  %c1 = "toy.cast"(%c) : (tensor<2x3xf64>) -> tensor<*xf64>
  %s1 = "toy.cast"(%s) : (tensor<f64>) -> tensor<*xf64>
  "toy.generic_call"(%c1, %s1) {callee = @f} : (tensor<*xf64>, tensor<*xf64>) -> ()
  "toy.generic_call"(%s1) {callee = @g} : (tensor<*xf64>) -> ()
  return
}
func.func private @g(%s: tensor<*xf64>) {
  %c = "toy.constant"() {value = dense<[7.0]> : tensor<1xf64>} : () -> tensor<1xf64>
  %0 = "toy.add"(%s, %c) : (tensor<*xf64>, tensor<1xf64>) -> tensor<*xf64>
  "toy.print"(%0) : (tensor<*xf64>) -> ()
  %1 = "toy.mul"(%s, %s) : (tensor<*xf64>, tensor<*xf64>) -> tensor<*xf64>
  "toy.print"(%1) : (tensor<*xf64>) -> ()
  return
}
