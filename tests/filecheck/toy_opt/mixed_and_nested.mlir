// Passes of MLIR's and of ours, nested, with options; white space does not matter.
// RUN: toy-opt %s --pass-pipeline='builtin.module(toy-canonicalize,func.func(cse,canonicalize{top-down=false}),toy-specialize)' | FileCheck %s
// RUN: toy-opt %s -pass-pipeline ' builtin.module ( toy-canonicalize , func.func( cse , canonicalize { top-down=false } ) , any(canonicalize), toy-specialize ) ' | FileCheck %s
// CHECK-LABEL: func.func @main
// CHECK-NEXT:    %[[SUM:.*]] = arith.addf %arg0, %arg0 : tensor<2x3xf64>
// CHECK-NEXT:    %[[CALL:.*]] = call @f$2x3(%[[SUM]])
// CHECK-NEXT:    return %[[CALL]]
func.func @main(%x: tensor<2x3xf64>) -> tensor<2x3xf64> {
  %0 = arith.addf %x, %x : tensor<2x3xf64>
  %1 = arith.addf %x, %x : tensor<2x3xf64>
  %2 = arith.addf %0, %1 : tensor<2x3xf64>
  %3 = "toy.generic_call"(%1) {callee = @f} : (tensor<2x3xf64>) -> tensor<2x3xf64>
  return %3 : tensor<2x3xf64>
}
func.func private @f(%x: tensor<*xf64>) -> tensor<*xf64> {
  %0 = "toy.add"(%x, %x) : (tensor<*xf64>, tensor<*xf64>) -> tensor<*xf64>
  return %0 : tensor<*xf64>
}
