// Numbers of 16 bits are converted by functions that LLVM calls on x86-64: the JIT finds them, objects have them
// inside. They are rounded once, to the nearest.
// RUN: toyc %s -emit=jit -O0 | FileCheck %s
// RUN: toyc %s -emit=jit -O1 | FileCheck %s
// RUN: toyc %s -O0 -o %t && %t | FileCheck %s
// RUN: toyc %s -O2 -o %t && %t | FileCheck %s
// RUN: toyc %s -emit=asm --target x86_64-unknown-linux-gnu -o - | FileCheck %s --check-prefix=X86
// RUN: toyc %s -emit=asm --target aarch64-unknown-linux-gnu -o - | FileCheck %s --check-prefix=ARM
// RUN: toyc %s -emit=obj --target x86_64-unknown-linux-gnu -o %t.o && nm %t.o | FileCheck %s --check-prefix=INSIDE
// RUN: echo 'def main() { print([1, 2]); }' | toyc -x toy - -emit=obj -o %t.o && nm %t.o | FileCheck %s --check-prefix=UNUSED
// X86-DAG: callq __truncdfbf2
// X86-DAG: callq __truncsfhf2
// ARM-NOT: __trunc
// INSIDE-DAG: t __truncdfbf2
// INSIDE-DAG: t __truncsfhf2
// UNUSED-NOT: __trunc
// 1 + 2^-8 + 2^-40 is above the middle between two numbers, and as f32 in the middle.
// CHECK: {{^}}1.007812 1.000000 2.000000 1.000977 1.000000 2.000000 900.000000 90112.000000 1.732422{{ $}}
func.func private @show(%x: f64) {
  %t = tensor.from_elements %x : tensor<1xf64>
  "toy.print"(%t) : (tensor<1xf64>) -> ()
  return
}
func.func private @brain(%x: f64) {
  %s = arith.truncf %x : f64 to f32
  %a = arith.truncf %x : f64 to bf16
  %b = arith.truncf %s : f32 to bf16
  %sum = arith.addf %a, %b : bf16
  %c = arith.extf %a : bf16 to f64
  %d = arith.extf %b : bf16 to f64
  %e = arith.extf %sum : bf16 to f64
  call @show(%c) : (f64) -> ()
  call @show(%d) : (f64) -> ()
  call @show(%e) : (f64) -> ()
  return
}
func.func private @half(%x: f64) {
  %s = arith.truncf %x : f64 to f32
  %a = arith.truncf %x : f64 to f16
  %b = arith.truncf %s : f32 to f16
  %sum = arith.addf %a, %b : f16
  %c = arith.extf %a : f16 to f64
  %d = arith.extf %b : f16 to f64
  %e = arith.extf %sum : f16 to f64
  call @show(%c) : (f64) -> ()
  call @show(%d) : (f64) -> ()
  call @show(%e) : (f64) -> ()
  return
}
func.func private @vectors(%x: f32) {
  %v = arith.constant dense<[1.0, 2.0, 3.0, 300.0]> : vector<4xf32>
  %w = vector.broadcast %x : f32 to vector<4xf32>
  %p = arith.mulf %v, %w : vector<4xf32>
  %t = arith.truncf %p : vector<4xf32> to vector<4xbf16>
  %y = vector.extract %t[3] : bf16 from vector<4xbf16>
  %d = arith.extf %y : bf16 to f64
  call @show(%d) : (f64) -> ()
  return
}
func.func private @tensors(%x: f64) {
  %a = arith.constant dense<[1.0, 2.0, 3.0, 300.0]> : tensor<4xbf16>
  %e = tensor.empty() : tensor<4xbf16>
  %m = linalg.mul ins(%a, %a : tensor<4xbf16>, tensor<4xbf16>) outs(%e : tensor<4xbf16>) -> tensor<4xbf16>
  %i = arith.constant 3 : index
  %b = tensor.extract %m[%i] : tensor<4xbf16>
  %c = arith.extf %b : bf16 to f64
  call @show(%c) : (f64) -> ()
  %h = arith.truncf %x : f64 to f16
  %r = math.sqrt %h : f16
  %s = arith.extf %r : f16 to f64
  call @show(%s) : (f64) -> ()
  return
}
func.func @main() {
  %x = arith.constant 1.0039062500009095 : f64
  %y = arith.constant 1.0004882812509095 : f64
  %z = arith.constant 3.0 : f32
  %w = arith.constant 3.0 : f64
  call @brain(%x) : (f64) -> ()
  call @half(%y) : (f64) -> ()
  call @vectors(%z) : (f32) -> ()
  call @tensors(%w) : (f64) -> ()
  return
}
