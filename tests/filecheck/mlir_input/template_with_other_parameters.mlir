// A private function with Toy operations and a parameter that is no tensor.
// RUN: toyc %s -emit=jit | FileCheck %s
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// CHECK: 1.500000
func.func private @work(%x: f64) {
  %t = tensor.from_elements %x : tensor<1xf64>
  "toy.print"(%t) : (tensor<1xf64>) -> ()
  return
}
func.func @main() {
  %x = arith.constant 1.5 : f64
  call @work(%x) : (f64) -> ()
  return
}
