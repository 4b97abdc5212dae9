// Passes of ours that look at size or at what is returned: here they find something to do, or nothing.
// RUN: toy-opt %s --toy-split-literals --toy-outline | FileCheck %s
// RUN: toy-opt %s --toy-distinct-tensors | FileCheck %s --check-prefix=DISTINCT
// RUN: toy-opt %s --toy-distinct-tensors --toy-one-shot-bufferize --canonicalize \
// RUN:   --toy-drop-equivalent-buffer-results --toy-distinct-buffers \
// RUN:   --toy-buffer-results-to-out-params | FileCheck %s --check-prefix=MEMREF
// CHECK-LABEL: func.func private @f
// CHECK-NEXT:    return %arg0, %arg0
// DISTINCT-LABEL: func.func private @f
// DISTINCT:        %[[COPY:.*]] = {{bufferization.alloc_tensor|linalg.copy|tensor}}
// DISTINCT:        return {{.*}}%[[COPY]]
// MEMREF-LABEL:  func.func private @f(%arg0: memref<2xf64>, %arg1: memref<2xf64> {bufferize.result}
// MEMREF-NOT:      tensor
func.func private @f(%x: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
  return %x, %x : tensor<2xf64>, tensor<2xf64>
}
