// An operation is replaced by one that dominates it, and by no other: not by one of another branch, of
// an earlier loop, of a block beside it.
// RUN: toy-opt %s --toy-cse | FileCheck %s

// CHECK-LABEL: func.func @branches
// CHECK:         %[[SUM:.*]] = "toy.add"(%arg1, %arg1)
// CHECK:         scf.if
// CHECK-NEXT:      %[[A:.*]] = "toy.mul"(%[[SUM]], %[[SUM]])
// CHECK-NEXT:      "toy.print"(%[[A]])
// CHECK-NEXT:      "toy.print"(%[[A]])
// CHECK-NEXT:    } else {
// CHECK-NEXT:      %[[B:.*]] = "toy.mul"(%[[SUM]], %[[SUM]])
// CHECK-NEXT:      "toy.print"(%[[B]])
// CHECK-NEXT:    }
// CHECK-NEXT:    %[[C:.*]] = "toy.mul"(%[[SUM]], %[[SUM]])
// CHECK-NEXT:    "toy.print"(%[[C]])
func.func @branches(%c: i1, %x: tensor<2xf64>) {
  %0 = "toy.add"(%x, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  scf.if %c {
    %1 = "toy.mul"(%0, %0) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    %2 = "toy.add"(%x, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    %3 = "toy.mul"(%2, %0) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    "toy.print"(%1) : (tensor<2xf64>) -> ()
    "toy.print"(%3) : (tensor<2xf64>) -> ()
  } else {
    %1 = "toy.mul"(%0, %0) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    "toy.print"(%1) : (tensor<2xf64>) -> ()
  }
  %4 = "toy.mul"(%0, %0) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  "toy.print"(%4) : (tensor<2xf64>) -> ()
  return
}

// CHECK-LABEL: func.func @blocks
// CHECK:         "toy.neg"
// CHECK:       ^bb1:
// CHECK-NEXT:    %[[D:.*]] = "toy.add"
// CHECK-NEXT:    "toy.print"(%[[D]])
// CHECK:       ^bb2:
// CHECK-NOT:     toy.neg
// CHECK:         %[[E:.*]] = "toy.add"
// CHECK-NEXT:    "toy.print"(%[[E]])
func.func @blocks(%c: i1, %x: tensor<2xf64>) {
  %0 = "toy.neg"(%x) : (tensor<2xf64>) -> tensor<2xf64>
  "toy.print"(%0) : (tensor<2xf64>) -> ()
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  %1 = "toy.add"(%x, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  "toy.print"(%1) : (tensor<2xf64>) -> ()
  return
^bb2:
  %2 = "toy.neg"(%x) : (tensor<2xf64>) -> tensor<2xf64>
  %3 = "toy.sub"(%x, %2) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %4 = "toy.add"(%x, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  "toy.print"(%4) : (tensor<2xf64>) -> ()
  "toy.print"(%3) : (tensor<2xf64>) -> ()
  return
}
