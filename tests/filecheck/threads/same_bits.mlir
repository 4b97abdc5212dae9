// Results of several threads are those of one, bit by bit, whatever the class of the loops: flat, transposed, both.
// RUN: toyc %s -emit=jit -O0 > %t.0
// RUN: toyc %s -emit=jit -O2 --threads 3 > %t.3 && cmp %t.0 %t.3
// RUN: toyc %s -O3 --threads 2 -o %t && %t > %t.2 && cmp %t.0 %t.2
// RUN: toyc %s -emit=loops -O2 --threads 2 | FileCheck %s
// RUN: toyc %s -emit=loops -O2 | FileCheck %s --check-prefix=ONE
// CHECK-LABEL: func.func private @flat
// CHECK: scf.parallel
// CHECK-LABEL: func.func private @transposed
// CHECK: scf.parallel
// CHECK-LABEL: func.func private @mixed
// CHECK: scf.parallel
// ONE-NOT: scf.parallel
// ONE-NOT: toy.parallel
func.func private @numbers(%scale: f64) -> tensor<389x391xf64> {
  %empty = tensor.empty() : tensor<389x391xf64>
  %x = linalg.generic {indexing_maps = [affine_map<(i, j) -> (i, j)>], iterator_types = ["parallel", "parallel"]}
      outs(%empty : tensor<389x391xf64>) {
  ^bb0(%out: f64):
    %i = linalg.index 0 : index
    %j = linalg.index 1 : index
    %three = arith.constant 3 : index
    %k = arith.muli %i, %three : index
    %sum = arith.addi %k, %j : index
    %int = arith.index_cast %sum : index to i64
    %float = arith.sitofp %int : i64 to f64
    %result = arith.mulf %float, %scale : f64
    linalg.yield %result : f64
  } -> tensor<389x391xf64>
  return %x : tensor<389x391xf64>
}
func.func private @flat(%a: tensor<389x391xf64>, %b: tensor<389x391xf64>) -> tensor<389x391xf64> attributes {no_inline} {
  %0 = "toy.mul"(%a, %b) : (tensor<389x391xf64>, tensor<389x391xf64>) -> tensor<389x391xf64>
  %1 = "toy.add"(%0, %a) : (tensor<389x391xf64>, tensor<389x391xf64>) -> tensor<389x391xf64>
  return %1 : tensor<389x391xf64>
}
func.func private @transposed(%a: tensor<389x391xf64>, %b: tensor<389x391xf64>) -> tensor<391x389xf64> attributes {no_inline} {
  %0 = "toy.transpose"(%a) : (tensor<389x391xf64>) -> tensor<391x389xf64>
  %1 = "toy.transpose"(%b) : (tensor<389x391xf64>) -> tensor<391x389xf64>
  %2 = "toy.mul"(%0, %1) : (tensor<391x389xf64>, tensor<391x389xf64>) -> tensor<391x389xf64>
  return %2 : tensor<391x389xf64>
}
func.func private @mixed(%a: tensor<391x389xf64>, %b: tensor<389x391xf64>) -> tensor<389x391xf64> attributes {no_inline} {
  %0 = "toy.transpose"(%a) : (tensor<391x389xf64>) -> tensor<389x391xf64>
  %1 = "toy.mul"(%0, %b) : (tensor<389x391xf64>, tensor<389x391xf64>) -> tensor<389x391xf64>
  %2 = "toy.add"(%1, %b) : (tensor<389x391xf64>, tensor<389x391xf64>) -> tensor<389x391xf64>
  return %2 : tensor<389x391xf64>
}
func.func @main() {
  %one = arith.constant 0.37 : f64
  %two = arith.constant -1.13 : f64
  %a = call @numbers(%one) : (f64) -> tensor<389x391xf64>
  %b = call @numbers(%two) : (f64) -> tensor<389x391xf64>
  %0 = call @flat(%a, %b) : (tensor<389x391xf64>, tensor<389x391xf64>) -> tensor<389x391xf64>
  %1 = call @transposed(%0, %b) : (tensor<389x391xf64>, tensor<389x391xf64>) -> tensor<391x389xf64>
  %2 = call @mixed(%1, %a) : (tensor<391x389xf64>, tensor<389x391xf64>) -> tensor<389x391xf64>
  "toy.print"(%2) : (tensor<389x391xf64>) -> ()
  return
}
