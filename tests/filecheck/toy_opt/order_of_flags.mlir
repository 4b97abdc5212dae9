// Flags are passes in the order of the command line; each pass finds the operation it works on.
// RUN: toy-opt %s --one-shot-bufferize="bufferize-function-boundaries" --convert-linalg-to-loops | FileCheck %s
// RUN: toy-opt %s --convert-linalg-to-loops -one-shot-bufferize=bufferize-function-boundaries | FileCheck %s --check-prefix=OTHER
// RUN: toy-opt %s --one-shot-bufferize="bufferize-function-boundaries function-boundary-type-conversion=identity-layout-map" \
// RUN:   --convert-linalg-to-affine-loops --affine-loop-coalescing --linalg-detensorize | FileCheck %s --check-prefix=AFFINE
// RUN: toy-opt %s --toy-canonicalize --cse --toy-canonicalize --print-ir-after-all 2>&1 \
// RUN:   | grep -o 'after [a-z-]*' | tr '\n' ' ' | FileCheck %s --check-prefix=ORDER
// CHECK:     memref
// CHECK:     scf.for
// CHECK-NOT: linalg
// OTHER-NOT: scf.for
// OTHER:     linalg.negf
// OTHER-NOT: scf.for
// AFFINE:    func.func @f(%arg0: memref<2x3xf64>)
// AFFINE-COUNT-1: affine.for
// AFFINE-NOT:     affine.for
// ORDER:     after toy-canonicalize after cse after toy-canonicalize
func.func @f(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %0 = tensor.empty() : tensor<2x3xf64>
  %1 = linalg.negf ins(%x : tensor<2x3xf64>) outs(%0 : tensor<2x3xf64>) -> tensor<2x3xf64>
  return %1 : tensor<2x3xf64>
}
