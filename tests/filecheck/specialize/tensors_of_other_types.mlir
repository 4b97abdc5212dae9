// A private function of Toy operations passes on tensors that Toy does not have: without elements, of unknown
// size, of integers.
// RUN: toyc %s -emit=jit -O0 | FileCheck %s
// RUN: toyc %s -emit=jit -O2 | FileCheck %s
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -emit=shapes | FileCheck %s --check-prefix=SHAPES
// SHAPES: call @"show$tensor<0x3xf64>$1"
// CHECK: {{^}}1.000000 2.000000 3.000000 0.000000 3.000000 7.000000{{ $}}
func.func private @show(%a: tensor<0x3xf64>, %t: tensor<1xf64>) -> tensor<0x3xf64> {
  "toy.print"(%t) : (tensor<1xf64>) -> ()
  return %a : tensor<0x3xf64>
}
func.func private @show_open(%a: tensor<?xf64>, %t: tensor<1xf64>) -> tensor<?xf64> {
  "toy.print"(%t) : (tensor<1xf64>) -> ()
  return %a : tensor<?xf64>
}
func.func private @show_integers(%a: tensor<2xi32>, %t: tensor<1xf64>) -> tensor<2xi32> {
  "toy.print"(%t) : (tensor<1xf64>) -> ()
  return %a : tensor<2xi32>
}
func.func private @number(%x: f64) {
  %t = tensor.from_elements %x : tensor<1xf64>
  "toy.print"(%t) : (tensor<1xf64>) -> ()
  return
}
func.func private @size(%i: index) {
  %n = arith.index_cast %i : index to i64
  %x = arith.sitofp %n : i64 to f64
  call @number(%x) : (f64) -> ()
  return
}
func.func @main() {
  %zero = arith.constant 0 : index
  %three = arith.constant 3 : index
  %1 = arith.constant dense<1.0> : tensor<1xf64>
  %2 = arith.constant dense<2.0> : tensor<1xf64>
  %3 = arith.constant dense<3.0> : tensor<1xf64>
  %a = tensor.empty() : tensor<0x3xf64>
  %b = tensor.empty(%three) : tensor<?xf64>
  %c = arith.constant dense<7> : tensor<2xi32>
  %d = call @show(%a, %1) : (tensor<0x3xf64>, tensor<1xf64>) -> tensor<0x3xf64>
  %e = call @show_open(%b, %2) : (tensor<?xf64>, tensor<1xf64>) -> tensor<?xf64>
  %f = call @show_integers(%c, %3) : (tensor<2xi32>, tensor<1xf64>) -> tensor<2xi32>
  %g = tensor.dim %d, %zero : tensor<0x3xf64>
  call @size(%g) : (index) -> ()
  %h = tensor.dim %e, %zero : tensor<?xf64>
  call @size(%h) : (index) -> ()
  %i = tensor.extract %f[%zero] : tensor<2xi32>
  %x = arith.sitofp %i : i32 to f64
  call @number(%x) : (f64) -> ()
  return
}
