// What passes tell each other is in the IR: two passes in one run do what they do in two.
// RUN: toy-opt %s --toy-distinct-tensors --toy-buffer-results-to-out-params > %t.one
// RUN: toy-opt %s --toy-distinct-tensors | toy-opt --toy-buffer-results-to-out-params > %t.two
// RUN: diff %t.one %t.two
// RUN: FileCheck %s < %t.two
// RUN: toy-opt %s --toy-finalize-memref-to-llvm > %t.one
// RUN: toy-opt %s --toy-finalize-memref-to-llvm | toy-opt --allow-unregistered-dialect | diff %t.one -

// CHECK-LABEL: func.func @pair(
// CHECK: bufferization.alloc_tensor() copy
// CHECK-LABEL: func.func private @own() -> memref<4xf64>
func.func @pair(%a: tensor<4xf64>) -> (tensor<4xf64>, tensor<4xf64>) {
  return %a, %a : tensor<4xf64>, tensor<4xf64>
}

func.func private @own() -> memref<4xf64> {
  %buffer = memref.alloc() : memref<4xf64>
  return %buffer : memref<4xf64>
}

// A pointer of another memory space is cast for `free`, so that the module is valid after the pass.
func.func private @space() {
  %buffer = memref.alloc() : memref<4xf64, 1>
  memref.dealloc %buffer : memref<4xf64, 1>
  return
}
