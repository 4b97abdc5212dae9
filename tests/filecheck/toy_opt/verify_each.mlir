// After each pass the module is verified, MLIR's part of it inside of MLIR: the structure that
// strip-debuginfo leaves is fine, so both print the same. What a pass of ours gets is always verified.
// RUN: toy-opt %s --strip-debuginfo --toy-canonicalize > %t.1
// RUN: toy-opt %s --strip-debuginfo --toy-canonicalize --verify-each=0 | cmp - %t.1
// RUN: toy-opt %s --strip-debuginfo --toy-canonicalize --verify-each=true | cmp - %t.1
// RUN: FileCheck %s < %t.1
// CHECK: "toy.print"
func.func @f(%x: tensor<*xf64>) {
  "toy.print"(%x) : (tensor<*xf64>) -> ()
  return
}
