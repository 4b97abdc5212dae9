// `toy.print` beside a declaration of what it calls, which is on buffers.
// RUN: toyc %s -emit=jit | FileCheck %s
// RUN: toyc %s -O2 -emit=jit | FileCheck %s
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -O2 -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// CHECK: 1.000000 2.000000
func.func private @toy_print(memref<*xf64>)
func.func @main() {
 %x = "toy.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf64>} : () -> tensor<2xf64>
  "toy.print"(%x) : (tensor<2xf64>) -> ()
 return
}
