// Thousands of structs in one function: it is split, and time stays linear.
// RUN: (echo '!p = !toy.struct<[tensor<*xf64>, tensor<*xf64>]>'; echo 'func.func @main() {'; \
// RUN:   echo '%%c = "toy.constant"() {value = dense<1.0> : tensor<1xf64>} : () -> tensor<1xf64>'; \
// RUN:   echo '%%v0 = "toy.cast"(%%c) : (tensor<1xf64>) -> tensor<*xf64>'; \
// RUN:   for i in $(seq 1000); do \
// RUN:   echo "%%s$i = \"toy.struct_create\"(%%v$((i-1)), %%v0) : (tensor<*xf64>, tensor<*xf64>) -> !p"; \
// RUN:   echo "%%a$i = \"toy.struct_access\"(%%s$i) {index = 0 : i64} : (!p) -> tensor<*xf64>"; \
// RUN:   echo "%%b$i = \"toy.struct_access\"(%%s$i) {index = 1 : i64} : (!p) -> tensor<*xf64>"; \
// RUN:   echo "%%v$i = \"toy.add\"(%%a$i, %%b$i) : (tensor<*xf64>, tensor<*xf64>) -> tensor<*xf64>"; \
// RUN:   done; echo '"toy.print"(%%v1000) : (tensor<*xf64>) -> () return }') > %t.mlir
// RUN: toyc %t.mlir -emit=jit | FileCheck %s
// RUN: toyc %t.mlir -emit=jit -O2 | FileCheck %s
// RUN: toyc %t.mlir -emit=linalg | FileCheck %s --check-prefix=PARTS
// CHECK: 1001.000000
// PARTS: call @main$part
func.func @main() { return }
