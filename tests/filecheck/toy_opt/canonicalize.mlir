// A pass of ours alone.
// RUN: toy-opt %s --toy-canonicalize | FileCheck %s
// RUN: toy-opt -toy-canonicalize < %s | FileCheck %s
// RUN: toy-opt - --pass-pipeline='builtin.module(toy-canonicalize)' < %s | FileCheck %s
// RUN: toy-opt %s | FileCheck %s --check-prefix=NONE
// CHECK-LABEL: func.func @twice
// CHECK-NEXT:    return %arg0
// NONE-COUNT-2:  "toy.transpose"
func.func @twice(%x: tensor<*xf64>) -> tensor<*xf64> {
  %0 = "toy.transpose"(%x) : (tensor<*xf64>) -> tensor<*xf64>
  %1 = "toy.transpose"(%0) : (tensor<*xf64>) -> tensor<*xf64>
  return %1 : tensor<*xf64>
}
