// A function that LLVM calls, that no library has, and that the program does not name: it is named, and nothing
// runs.
// RUN: not toyc %s -emit=jit -O0 2>&1 | FileCheck %s
// CHECK: error[E0503]: `__truncxfbf2` is needed but neither part of toyc nor of the C library
// CHECK: note: LLVM calls such a function
func.func private @f(%x: f64) -> bf16 {
  %s = arith.extf %x : f64 to f80
  %m = arith.mulf %s, %s : f80
  %a = arith.truncf %m : f80 to bf16
  return %a : bf16
}
func.func @main() {
  %x = arith.constant 1.5 : f64
  %a = func.call @f(%x) : (f64) -> bf16
  %c = arith.extf %a : bf16 to f64
  %t = tensor.from_elements %c : tensor<1xf64>
  "toy.print"(%t) : (tensor<1xf64>) -> ()
  return
}
