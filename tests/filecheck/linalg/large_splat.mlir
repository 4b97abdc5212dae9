// RUN: toyc %s -emit=linalg | FileCheck %s
// A repeated value that is too large for an object file is computed when the program runs.
// CHECK: linalg.fill
// CHECK-NOT: dense<1.000000e+00> : tensor<137438953472xf64>
func.func @main() {
  %0 = "toy.constant"() {value = dense<1.0> : tensor<137438953472xf64>} : () -> tensor<137438953472xf64>
  "toy.print"(%0) : (tensor<137438953472xf64>) -> ()
  return
}
