// One-Shot Bufferize takes the results of one call for different buffers: a write into one changed the
// other. And buffer-results-to-out-params crashes on `return %t, %t` (llvm-project issue 219492).
// RUN: toyc %s -emit=jit | FileCheck %s
// RUN: toyc %s -emit=jit -O2 | FileCheck %s
// RUN: toyc %s -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// CHECK:      100.000000 4.000000
// CHECK-NEXT: 4.000000 4.000000
// CHECK-NEXT: 4.000000 4.000000
// CHECK-NEXT: 4.000000 4.000000
// CHECK-NEXT: {{^}}100.000000 2.000000 2.000000 2.000000 2.000000 2.000000
// CHECK-SAME: 100.000000 2.000000 2.000000 2.000000 2.000000 2.000000
func.func private @computed(%a: tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>) {
  %e = tensor.empty() : tensor<2x2xf64>
  %t = linalg.add ins(%a, %a : tensor<2x2xf64>, tensor<2x2xf64>) outs(%e : tensor<2x2xf64>) -> tensor<2x2xf64>
  return %t, %t : tensor<2x2xf64>, tensor<2x2xf64>
}
func.func private @argument(%a: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
  return %a, %a : tensor<2xf64>, tensor<2xf64>
}
func.func private @either(%c: i1, %a: tensor<2xf64>, %b: tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>) {
  %s = scf.if %c -> tensor<2xf64> { scf.yield %a : tensor<2xf64> } else { scf.yield %b : tensor<2xf64> }
  return %a, %s : tensor<2xf64>, tensor<2xf64>
}
func.func @main() {
  %c0 = arith.constant 0 : index
  %true = arith.constant true
  %f = arith.constant 100.0 : f64
  %x = arith.constant dense<2.0> : tensor<2x2xf64>
  %p:2 = call @computed(%x) : (tensor<2x2xf64>) -> (tensor<2x2xf64>, tensor<2x2xf64>)
  %w = tensor.insert %f into %p#0[%c0, %c0] : tensor<2x2xf64>
  "toy.print"(%w) : (tensor<2x2xf64>) -> ()
  "toy.print"(%p#1) : (tensor<2x2xf64>) -> ()
  %y = arith.constant dense<2.0> : tensor<2xf64>
  %z = arith.constant dense<3.0> : tensor<2xf64>
  %q:2 = call @argument(%y) : (tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  %w2 = tensor.insert %f into %q#0[%c0] : tensor<2xf64>
  "toy.print"(%w2) : (tensor<2xf64>) -> ()
  "toy.print"(%q#1) : (tensor<2xf64>) -> ()
  "toy.print"(%y) : (tensor<2xf64>) -> ()
  %r:2 = call @either(%true, %y, %z) : (i1, tensor<2xf64>, tensor<2xf64>) -> (tensor<2xf64>, tensor<2xf64>)
  %w3 = tensor.insert %f into %r#1[%c0] : tensor<2xf64>
  "toy.print"(%w3) : (tensor<2xf64>) -> ()
  "toy.print"(%r#0) : (tensor<2xf64>) -> ()
  "toy.print"(%r#1) : (tensor<2xf64>) -> ()
  return
}
