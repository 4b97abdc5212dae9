// mlir-opt knows the dialect from the same file: it takes what toyc takes and says no where IRDL can.
// RUN: mlir-opt --irdl-file=%irdl %s | FileCheck %s
// RUN: sed 's/"toy.print"(%%0)/"toy.print"(%%0, %%0)/; s/: (tensor<2xf64>) -> ()/: (tensor<2xf64>, tensor<2xf64>) -> ()/' %s > %t.mlir
// RUN: not mlir-opt --irdl-file=%irdl %t.mlir 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: not toyc %t.mlir -emit=toy 2>&1 | FileCheck %s --check-prefix=ERROR
// RUN: sed 's/toy.print/toy.nonsense/' %s > %t.mlir
// RUN: not toyc %t.mlir -emit=toy 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// CHECK: "toy.print"
// ERROR: expects exactly 1 operands, but got 2
// UNKNOWN: toy.nonsense
func.func @main() {
  %0 = "toy.constant"() {value = dense<1.0> : tensor<2xf64>} : () -> tensor<2xf64>
  "toy.print"(%0) : (tensor<2xf64>) -> ()
  return
}
