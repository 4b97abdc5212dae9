// Tensors in a function of several blocks: computed right and freed, or refused with a diagnostic; never
// a crash, a leak or a wrong result.
// RUN: toyc %s -o %t 2> %t.err || grep -q 'E04' %t.err
// RUN: test ! -e %t || valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// CHECK: 1.000000 2.000000 2.000000 4.000000
func.func @pick(%c: i1, %a: tensor<2xf64>) -> tensor<2xf64> {
  %z = "toy.add"(%a, %a) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  cf.cond_br %c, ^a, ^b
^a:
  return %a : tensor<2xf64>
^b:
  return %z : tensor<2xf64>
}
func.func @main() {
  %c = arith.constant true
  %d = arith.constant false
  %x = "toy.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf64>} : () -> tensor<2xf64>
  %r = call @pick(%c, %x) : (i1, tensor<2xf64>) -> tensor<2xf64>
  "toy.print"(%r) : (tensor<2xf64>) -> ()
  %s = call @pick(%d, %x) : (i1, tensor<2xf64>) -> tensor<2xf64>
  "toy.print"(%s) : (tensor<2xf64>) -> ()
  return
}
