// The same network on tensors. Its result becomes a parameter of the caller's.
// RUN: toyc %s -opt -emit=merged | FileCheck %s
// CHECK:      func.func private @mlp({{.*}}, %[[ALL:.*]]: memref<131072xi8>)
// CHECK-COUNT-3: memref.view %[[ALL]]
// CHECK-NOT:    memref.alloc
// CHECK-NOT:    memref.view
// CHECK:        return
func.func private @mlp(%x: tensor<128x128xf32>, %y: tensor<128x128xf32>) -> tensor<128x128xf32> {
  %zero = arith.constant 0.0 : f32
  %empty = tensor.empty() : tensor<128x128xf32>
  %0 = linalg.fill ins(%zero : f32) outs(%empty : tensor<128x128xf32>) -> tensor<128x128xf32>
  %a = linalg.matmul ins(%x, %y: tensor<128x128xf32>, tensor<128x128xf32>) outs(%0: tensor<128x128xf32>) -> tensor<128x128xf32>
  %b = linalg.matmul ins(%a, %y: tensor<128x128xf32>, tensor<128x128xf32>) outs(%0: tensor<128x128xf32>) -> tensor<128x128xf32>
  %c = linalg.matmul ins(%b, %y: tensor<128x128xf32>, tensor<128x128xf32>) outs(%0: tensor<128x128xf32>) -> tensor<128x128xf32>
  %d = linalg.matmul ins(%c, %y: tensor<128x128xf32>, tensor<128x128xf32>) outs(%0: tensor<128x128xf32>) -> tensor<128x128xf32>
  return %d : tensor<128x128xf32>
}
func.func @caller(%x: tensor<128x128xf32>, %y: tensor<128x128xf32>) -> f32 {
  %r = call @mlp(%x, %y) : (tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>
  %i = arith.constant 3 : index
  %e = tensor.extract %r[%i, %i] : tensor<128x128xf32>
  return %e : f32
}
