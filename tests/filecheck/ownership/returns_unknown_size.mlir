// A function that returns tensors of unknown size allocates them; one of them is returned twice, one is carried by
// a loop and grows.
// RUN: toyc %s -emit=jit -O0 | FileCheck %s
// RUN: toyc %s -emit=jit -O1 | FileCheck %s
// RUN: toyc %s -O0 -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -O2 -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// CHECK: {{^}}4.500000 2.500000 2.500000 2.500000 1.500000 2.500000 2.500000 7.000000 7.000000 7.000000 8.000000 9.000000{{ $}}
func.func private @fill(%n: index, %x: f64) -> tensor<?xf64> {
  %e = tensor.empty(%n) : tensor<?xf64>
  %b = linalg.fill ins(%x : f64) outs(%e : tensor<?xf64>) -> tensor<?xf64>
  return %b : tensor<?xf64>
}
func.func private @two(%n: index, %t: tensor<?xf64>, %p: i1) -> (tensor<?xf64>, tensor<?xf64>, tensor<2xf64>) {
  %x = arith.constant 4.5 : f64
  %r = scf.if %p -> tensor<?xf64> {
    %a = func.call @fill(%n, %x) : (index, f64) -> tensor<?xf64>
    scf.yield %a : tensor<?xf64>
  } else {
    scf.yield %t : tensor<?xf64>
  }
  %c = arith.constant dense<[8.0, 9.0]> : tensor<2xf64>
  return %r, %t, %c : tensor<?xf64>, tensor<?xf64>, tensor<2xf64>
}
func.func private @grow(%t: tensor<?xf64>) -> tensor<?xf64> {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %x = arith.constant 7.0 : f64
  %n = tensor.dim %t, %zero : tensor<?xf64>
  %m = arith.addi %n, %one : index
  %e = tensor.empty(%m) : tensor<?xf64>
  %f = linalg.fill ins(%x : f64) outs(%e : tensor<?xf64>) -> tensor<?xf64>
  %r = tensor.insert_slice %t into %f[0] [%n] [1] : tensor<?xf64> into tensor<?xf64>
  return %r : tensor<?xf64>
}
func.func private @show(%t: tensor<?xf64>) {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = tensor.dim %t, %zero : tensor<?xf64>
  scf.for %i = %zero to %n step %one {
    %x = tensor.extract %t[%i] : tensor<?xf64>
    %s = tensor.from_elements %x : tensor<f64>
    "toy.print"(%s) : (tensor<f64>) -> ()
  }
  return
}
func.func @main() {
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %n = arith.constant 3 : index
  %x = arith.constant 2.5 : f64
  %true = arith.constant true
  %false = arith.constant false
  %a = call @fill(%n, %x) : (index, f64) -> tensor<?xf64>
  %b:3 = call @two(%one, %a, %true) : (index, tensor<?xf64>, i1) -> (tensor<?xf64>, tensor<?xf64>, tensor<2xf64>)
  %c:3 = call @two(%one, %a, %false) : (index, tensor<?xf64>, i1) -> (tensor<?xf64>, tensor<?xf64>, tensor<2xf64>)
  %y = arith.constant 1.5 : f64
  %d = tensor.insert %y into %c#0[%zero] : tensor<?xf64>
  %g = scf.for %i = %zero to %n step %one iter_args(%t = %d) -> tensor<?xf64> {
    %u = func.call @grow(%t) : (tensor<?xf64>) -> tensor<?xf64>
    scf.yield %u : tensor<?xf64>
  }
  call @show(%b#0) : (tensor<?xf64>) -> ()
  call @show(%c#1) : (tensor<?xf64>) -> ()
  call @show(%g) : (tensor<?xf64>) -> ()
  "toy.print"(%c#2) : (tensor<2xf64>) -> ()
  return
}
