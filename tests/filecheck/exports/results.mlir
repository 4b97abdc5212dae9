// Results are where the caller says: what was allocated for one is there from the start, with another shape if it has one;
// arguments, constants and what is returned twice are copied.
// RUN: toy-opt %s --toy-export-results | FileCheck %s
// RUN: toy-opt %s --toy-export-results | toy-opt - --toy-export-results --toy-export-workspace | FileCheck %s

// CHECK:       func.func @f$export(%arg0: memref<2x3xf64>, %[[FLAT:.*]]: memref<3x2xf64>, %[[COPY:.*]]: memref<2x3xf64>,
// CHECK-SAME:    %[[ONE:.*]]: memref<f64>, %[[AGAIN:.*]]: memref<3x2xf64>)
// CHECK-SAME:    buffers = {{\[\[}}3, 2], [2, 3], [], [3, 2]]
// CHECK-SAME:    results = [{name = "w", shape = [6]}, {name = "x", shape = [2, 3]}, {name = "y", shape = []}, {name = "z", shape = [3, 2]}]
// CHECK-NOT:     memref.alloc
// CHECK:         linalg.transpose ins(%arg0 : memref<2x3xf64>) outs(%[[FLAT]] : memref<3x2xf64>)
// CHECK:         %[[GLOBAL:.*]] = memref.get_global @one
// CHECK:         memref.copy %arg0, %[[COPY]]
// CHECK:         memref.copy %[[GLOBAL]], %[[ONE]]
// CHECK:         memref.copy %[[FLAT]], %[[AGAIN]]
// CHECK-NEXT:    return
func.func @f$export(%a: memref<2x3xf64>) -> (memref<6xf64>, memref<2x3xf64>, memref<f64>, memref<3x2xf64>)
    attributes {toy.export = {name = "f", function = "f", signature = "f(2x3)",
                parameters = [{name = "a", shape = [2, 3]}],
                results = [{name = "w", shape = []}, {name = "x", shape = []}, {name = "y", shape = []}, {name = "z", shape = []}]}} {
  %0 = memref.alloc() : memref<3x2xf64>
  linalg.transpose ins(%a : memref<2x3xf64>) outs(%0 : memref<3x2xf64>) permutation = [1, 0]
  %1 = memref.collapse_shape %0 [[0, 1]] : memref<3x2xf64> into memref<6xf64>
  %2 = memref.get_global @one : memref<f64>
  return %1, %a, %2, %0 : memref<6xf64>, memref<2x3xf64>, memref<f64>, memref<3x2xf64>
}
memref.global "private" constant @one : memref<f64> = dense<1.0>

// A function that is not exported stays as it is.
// CHECK:       func.func @g() -> memref<2xf64> {
// CHECK-NEXT:    memref.alloc
func.func @g() -> memref<2xf64> {
  %0 = memref.alloc() : memref<2xf64>
  return %0 : memref<2xf64>
}
