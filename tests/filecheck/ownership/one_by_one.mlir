// What the passes tell each other is in the program: run one by one, they make what they make together.
// RUN: toy-opt %s --toy-distinct-tensors --toy-one-shot-bufferize --toy-distinct-buffers \
// RUN:   --toy-buffer-results-to-out-params --toy-prepare-ownership \
// RUN:   --ownership-based-buffer-deallocation=private-function-dynamic-ownership=true \
// RUN:   --toy-settle-ownership > %t.together
// RUN: toy-opt %s --toy-distinct-tensors | toy-opt - --toy-one-shot-bufferize \
// RUN:   | toy-opt - --toy-distinct-buffers | toy-opt - --toy-buffer-results-to-out-params \
// RUN:   | toy-opt - --toy-prepare-ownership \
// RUN:   | toy-opt - --ownership-based-buffer-deallocation=private-function-dynamic-ownership=true \
// RUN:   | toy-opt - --toy-settle-ownership | cmp - %t.together
// RUN: FileCheck %s < %t.together
// CHECK-NOT: toyc.
// CHECK-NOT: manual_deallocation
// CHECK: func.func private @buffers({{.*}}) -> (memref<2xf64>, i1)
// CHECK: func.func @values({{.*}}) -> memref<2xf64>
// CHECK-NOT: toyc.
// CHECK-NOT: manual_deallocation
func.func private @buffers(%a: memref<2xf64>) -> memref<2xf64> {
  %t = memref.alloc() : memref<2xf64>
  memref.copy %a, %t : memref<2xf64> to memref<2xf64>
  memref.dealloc %t : memref<2xf64>
  return %a : memref<2xf64>
}
func.func @values(%a: tensor<2xf64>) -> tensor<2xf64> {
  return %a : tensor<2xf64>
}
