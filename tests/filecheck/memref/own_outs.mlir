// The next value of a variable is computed in the place of the last one, if that is not read any more.
// RUN: toy-opt %s --toy-own-outs | FileCheck %s
#id = affine_map<(i) -> (i)>

// An update, then a computation of all elements: both in place.
// CHECK-LABEL: func.func @updated(
// CHECK:         [[Y:%.*]] = tensor.insert
// CHECK-NEXT:    linalg.generic {{.*}} ins([[Y]] : tensor<4xf64>) outs([[Y]] : tensor<4xf64>)
// CHECK:         linalg.add ins([[Z:%.*]], [[Z]] : {{.*}}) outs([[Z]] :
func.func @updated(%x: tensor<4xf64>, %v: f64, %i: index) -> tensor<4xf64> {
  %y = tensor.insert %v into %x[%i] : tensor<4xf64>
  %e = tensor.empty() : tensor<4xf64>
  %z = linalg.generic {indexing_maps = [#id, #id], iterator_types = ["parallel"]}
      ins(%y : tensor<4xf64>) outs(%e : tensor<4xf64>) {
  ^bb0(%a: f64, %o: f64):
    %b = arith.mulf %a, %a : f64
    linalg.yield %b : f64
  } -> tensor<4xf64>
  %w = linalg.add ins(%z, %z : tensor<4xf64>, tensor<4xf64>) outs(%e : tensor<4xf64>) -> tensor<4xf64>
  return %w : tensor<4xf64>
}

// What is read later stays; so does a value of straight-line code.
// CHECK-LABEL: func.func @read_later(
// CHECK:         [[E:%.*]] = tensor.empty
// CHECK-NEXT:    [[Z:%.*]] = linalg.add {{.*}} outs([[E]] :
// CHECK-NEXT:    linalg.sub ins([[Z]], {{.*}} outs(
func.func @read_later(%x: tensor<4xf64>, %v: f64, %i: index) -> tensor<4xf64> {
  %y = tensor.insert %v into %x[%i] : tensor<4xf64>
  %e = tensor.empty() : tensor<4xf64>
  %z = linalg.add ins(%y, %y : tensor<4xf64>, tensor<4xf64>) outs(%e : tensor<4xf64>) -> tensor<4xf64>
  %w = linalg.sub ins(%z, %y : tensor<4xf64>, tensor<4xf64>) outs(%e : tensor<4xf64>) -> tensor<4xf64>
  return %w : tensor<4xf64>
}

// A row that is written back, and one that goes elsewhere.
// CHECK-LABEL: func.func @rows(
// CHECK:         [[R:%.*]] = tensor.extract_slice {{.*}}[%arg1, 0]
// CHECK:         linalg.exp ins([[R]] : {{.*}}) outs([[R]] :
// CHECK:         [[S:%.*]] = tensor.extract_slice {{.*}}[%arg1, 0]
// CHECK:         linalg.exp ins([[S]] : {{.*}}) outs([[E:%.*]] :
// CHECK-NOT:     [[E]] = tensor.extract_slice
func.func @rows(%x: tensor<4x4xf64>, %i: index, %j: index) -> tensor<4x4xf64> {
  %e = tensor.empty() : tensor<4xf64>
  %r = tensor.extract_slice %x[%i, 0] [1, 4] [1, 1] : tensor<4x4xf64> to tensor<4xf64>
  %a = linalg.exp ins(%r : tensor<4xf64>) outs(%e : tensor<4xf64>) -> tensor<4xf64>
  %y = tensor.insert_slice %a into %x[%i, 0] [1, 4] [1, 1] : tensor<4xf64> into tensor<4x4xf64>
  %s = tensor.extract_slice %y[%i, 0] [1, 4] [1, 1] : tensor<4x4xf64> to tensor<4xf64>
  %b = linalg.exp ins(%s : tensor<4xf64>) outs(%e : tensor<4xf64>) -> tensor<4xf64>
  %z = tensor.insert_slice %b into %y[%j, 0] [1, 4] [1, 1] : tensor<4xf64> into tensor<4x4xf64>
  return %z : tensor<4x4xf64>
}

// The old value of a variable that a loop carries is dead, and that of another one is not.
// CHECK-LABEL: func.func @carried(
// CHECK:         scf.for {{.*}} iter_args([[A:%.*]] = {{.*}}, [[B:%.*]] = {{.*}})
// CHECK:           linalg.add ins([[B]], [[B]] : {{.*}}) outs([[A]] :
// CHECK:           linalg.sub ins([[B]], {{.*}}) outs([[B]] :
func.func @carried(%x: tensor<4xf64>, %y: tensor<4xf64>, %i: index, %j: index, %k: index)
    -> (tensor<4xf64>, tensor<4xf64>) {
  %e = tensor.empty() : tensor<4xf64>
  %r:2 = scf.for %n = %i to %j step %k iter_args(%a = %x, %b = %y) -> (tensor<4xf64>, tensor<4xf64>) {
    %c = linalg.add ins(%b, %b : tensor<4xf64>, tensor<4xf64>) outs(%e : tensor<4xf64>) -> tensor<4xf64>
    %d = linalg.sub ins(%b, %c : tensor<4xf64>, tensor<4xf64>) outs(%e : tensor<4xf64>) -> tensor<4xf64>
    scf.yield %c, %d : tensor<4xf64>, tensor<4xf64>
  }
  return %r#0, %r#1 : tensor<4xf64>, tensor<4xf64>
}
