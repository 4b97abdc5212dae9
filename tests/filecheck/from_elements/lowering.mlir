// The elements, which are passed as numbers, are put into a new tensor, which is a new buffer: at ranks 1 to 4.
// RUN: toyc %s -emit=linalg | FileCheck %s
// RUN: toyc %s -emit=memref | FileCheck %s --check-prefix=MEMREF
// RUN: toyc %s -emit=jit | FileCheck %s --check-prefix=OUT
// RUN: toyc %s -emit=jit -O2 | FileCheck %s --check-prefix=OUT
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s --check-prefix=OUT
// RUN: toyc %s -O2 -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s --check-prefix=OUT
// CHECK-LABEL: func.func private @f$s$s(%arg0: f64, %arg1: f64)
// CHECK: tensor.from_elements %arg0, %arg1 : tensor<2xf64>
// CHECK: tensor.from_elements {{.*}} : tensor<2x1xf64>
// CHECK: tensor.from_elements {{.*}} : tensor<1x2x1xf64>
// CHECK: tensor.from_elements {{.*}} : tensor<1x2x1x2xf64>
// The result of a function is built where the caller wants it.
// MEMREF-LABEL: func.func private @two$s$s
// MEMREF-NOT: memref.alloc
// MEMREF-NOT: memref.copy
// MEMREF: memref.store
// MEMREF: return
// OUT: {{^}}5.000000 7.000000 5.000000 7.000000 {{$}}
// OUT: {{^}}7.000000 {{$}}
// OUT-NEXT: {{^}}5.000000 {{$}}
// OUT: {{^}}5.000000 {{$}}
// OUT: {{^}}7.000000 {{$}}
// OUT: {{^}}7.000000 5.000000 {{$}}
// OUT: {{^}}5.000000 5.000000 {{$}}
// OUT: {{^}}12.000000 14.000000 {{$}}
func.func private @f(%x: tensor<*xf64>, %y: tensor<*xf64>) {
  %r1 = "toy.from_elements"(%x, %y) : (tensor<*xf64>, tensor<*xf64>) -> tensor<2xf64>
  "toy.print"(%r1) : (tensor<2xf64>) -> ()
  %nl = "toy.reshape"(%r1) : (tensor<2xf64>) -> tensor<1x2xf64>
  "toy.print"(%nl) : (tensor<1x2xf64>) -> ()
  %r2 = "toy.from_elements"(%y, %x) : (tensor<*xf64>, tensor<*xf64>) -> tensor<2x1xf64>
  "toy.print"(%r2) : (tensor<2x1xf64>) -> ()
  %r3 = "toy.from_elements"(%x, %y) : (tensor<*xf64>, tensor<*xf64>) -> tensor<1x2x1xf64>
  "toy.print"(%r3) : (tensor<1x2x1xf64>) -> ()
  %r4 = "toy.from_elements"(%y, %x, %x, %x) : (tensor<*xf64>, tensor<*xf64>, tensor<*xf64>, tensor<*xf64>) -> tensor<1x2x1x2xf64>
  "toy.print"(%r4) : (tensor<1x2x1x2xf64>) -> ()
  %t = "toy.generic_call"(%x, %y) {callee = @two} : (tensor<*xf64>, tensor<*xf64>) -> tensor<*xf64>
  %s = "toy.add"(%t, %y) : (tensor<*xf64>, tensor<*xf64>) -> tensor<*xf64>
  "toy.print"(%s) : (tensor<*xf64>) -> ()
  return
}
func.func private @two(%x: tensor<*xf64>, %y: tensor<*xf64>) -> tensor<1x2xf64> {
  %r = "toy.from_elements"(%x, %y) : (tensor<*xf64>, tensor<*xf64>) -> tensor<1x2xf64>
  return %r : tensor<1x2xf64>
}
func.func @main() {
  %x = "toy.constant"() {value = dense<5.0> : tensor<f64>} : () -> tensor<f64>
  %y = "toy.constant"() {value = dense<7.0> : tensor<f64>} : () -> tensor<f64>
  "toy.generic_call"(%x, %y) {callee = @f} : (tensor<f64>, tensor<f64>) -> ()
  return
}
