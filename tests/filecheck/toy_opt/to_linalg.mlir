// RUN: toy-opt %s --toy-to-linalg | FileCheck %s
// RUN: toy-opt %s --toy-to-linalg --linalg-fuse-elementwise-ops --canonicalize --cse | FileCheck %s
// CHECK:     func.func private @toy_print(tensor<*xf64>
// CHECK:     linalg.add ins(%arg0, %arg1
// CHECK:     call @toy_print
// CHECK-NOT: toy.
func.func @f(%x: tensor<2xf64>, %y: tensor<2xf64>) {
  %0 = "toy.add"(%x, %y) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  "toy.print"(%0) : (tensor<2xf64>) -> ()
  return
}
