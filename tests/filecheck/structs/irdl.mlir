// mlir-opt reads the new operations and types from the same file, and all stages that print them.
// RUN: mlir-opt --irdl-file=%irdl %s | FileCheck %s
// RUN: toyc %s -emit=toy | mlir-opt --irdl-file=%irdl | FileCheck %s
// RUN: toyc %s -emit=shapes -opt | mlir-opt --irdl-file=%irdl > %t.mlir && toyc %t.mlir -emit=jit | FileCheck %s --check-prefix=OUT
// RUN: toyc %s -emit=linalg | mlir-opt --irdl-file=%irdl > %t.mlir && toyc %t.mlir -emit=jit | FileCheck %s --check-prefix=OUT
// RUN: sed 's/(%%x) {index/(%%c) {index/; s/: (!toy.struct<\[tensor<f64>, tensor<2xf64>\]>)/: (tensor<f64>)/' %s > %t.mlir
// RUN: not mlir-opt --irdl-file=%irdl %t.mlir 2>&1 | FileCheck %s --check-prefix=ERROR
// CHECK: "toy.struct_access"
// CHECK: "toy.from_elements"
// OUT: -3.000000 -3.000000
// OUT-SAME: 3.000000
// ERROR: expected base type 'toy.struct'
func.func @main() {
  %x = "toy.struct_constant"() {value = [dense<3.0> : tensor<f64>, dense<2.0> : tensor<2xf64>]} : () -> !toy.struct<[tensor<f64>, tensor<2xf64>]>
  %c = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %a = "toy.struct_access"(%x) {index = 0 : i64} : (!toy.struct<[tensor<f64>, tensor<2xf64>]>) -> tensor<f64>
  %n = "toy.neg"(%a) : (tensor<f64>) -> tensor<f64>
  %e = "toy.from_elements"(%n, %n) : (tensor<f64>, tensor<f64>) -> tensor<2xf64>
  "toy.print"(%e) : (tensor<2xf64>) -> ()
  %d = "toy.div"(%a, %c) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %s = "toy.sub"(%d, %c) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  %p = "toy.add"(%s, %c) : (tensor<f64>, tensor<f64>) -> tensor<f64>
  "toy.print"(%p) : (tensor<f64>) -> ()
  return
}
