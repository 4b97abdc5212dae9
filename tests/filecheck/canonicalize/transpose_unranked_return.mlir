// A `func.return` takes exactly the type of the function's result: the replacement of an unranked
// value by a ranked one is not done where a return would see it, but is where only Toy operations do.
// RUN: toyc %s -emit=toy -opt | FileCheck %s
// RUN: toyc %s -emit=shapes -opt | FileCheck %s --check-prefix=SHAPES

// CHECK-LABEL: func.func private @returned
// CHECK:         [[A:%.*]] = "toy.transpose"
// CHECK-SAME:      -> tensor<*xf64>
// CHECK:         [[B:%.*]] = "toy.transpose"([[A]]) : (tensor<*xf64>) -> tensor<*xf64>
// CHECK:         return [[B]] : tensor<*xf64>
func.func private @returned() -> tensor<*xf64> {
  %0 = "toy.constant"() {value = dense<[[1.0, 2.0]]> : tensor<1x2xf64>} : () -> tensor<1x2xf64>
  %x = "toy.add"(%0, %0) : (tensor<1x2xf64>, tensor<1x2xf64>) -> tensor<1x2xf64>
  %1 = "toy.transpose"(%x) : (tensor<1x2xf64>) -> tensor<*xf64>
  %2 = "toy.transpose"(%1) : (tensor<*xf64>) -> tensor<*xf64>
  return %2 : tensor<*xf64>
}

// CHECK-LABEL: func.func @main
// CHECK-NOT:     toy.transpose
// CHECK:         "toy.print"({{.*}}) : (tensor<1x2xf64>) -> ()
// With shapes it is the same tensor.
// SHAPES-NOT: toy.transpose
func.func @main() {
  %0 = "toy.constant"() {value = dense<[[1.0, 2.0]]> : tensor<1x2xf64>} : () -> tensor<1x2xf64>
  %x = "toy.add"(%0, %0) : (tensor<1x2xf64>, tensor<1x2xf64>) -> tensor<1x2xf64>
  %1 = "toy.transpose"(%x) : (tensor<1x2xf64>) -> tensor<*xf64>
  %2 = "toy.transpose"(%1) : (tensor<*xf64>) -> tensor<*xf64>
  "toy.print"(%2) : (tensor<*xf64>) -> ()
  %3 = "toy.generic_call"() {callee = @returned} : () -> tensor<*xf64>
  "toy.print"(%3) : (tensor<*xf64>) -> ()
  return
}
