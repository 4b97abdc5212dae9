// An offset along a negative stride, or one that is not known, has no flags; others keep theirs.
// RUN: toy-opt %s --toy-signed-offsets | FileCheck %s
// CHECK-LABEL: llvm.func @offsets
// CHECK:       %[[ROW:.*]] = llvm.mul %arg1, %{{.*}} overflow<nsw, nuw> : i64
// CHECK:       %[[BACK:.*]] = llvm.mul %arg2, %{{.*}} : i64
// CHECK:       %[[SUM:.*]] = llvm.add %[[ROW]], %[[BACK]] : i64
// CHECK:       llvm.getelementptr %arg0[%[[SUM]]]
// CHECK:       %[[TWICE:.*]] = llvm.mul %arg2, %arg2 : i64
// CHECK:       %[[BOTH:.*]] = llvm.add %[[TWICE]], %[[TWICE]] : i64
// CHECK:       llvm.getelementptr %arg0[%[[BOTH]]]
// CHECK:       llvm.getelementptr inbounds|nuw %arg0[%[[ROW]]]
llvm.func @offsets(%base: !llvm.ptr, %i: i64, %j: i64) {
  %three = llvm.mlir.constant(3 : index) : i64
  %back = llvm.mlir.constant(-2 : index) : i64
  %zero = llvm.mlir.constant(0.0 : f64) : f64
  %row = llvm.mul %i, %three overflow<nsw, nuw> : i64
  %column = llvm.mul %j, %back overflow<nsw, nuw> : i64
  %sum = llvm.add %row, %column overflow<nsw, nuw> : i64
  %one = llvm.getelementptr inbounds|nuw %base[%sum] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %twice = llvm.mul %j, %j overflow<nsw, nuw> : i64
  %both = llvm.add %twice, %twice overflow<nsw, nuw> : i64
  %other = llvm.getelementptr inbounds|nuw %base[%both] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  %last = llvm.getelementptr inbounds|nuw %base[%row] : (!llvm.ptr, i64) -> !llvm.ptr, f64
  llvm.store %zero, %one : f64, !llvm.ptr
  llvm.store %zero, %other : f64, !llvm.ptr
  llvm.store %zero, %last : f64, !llvm.ptr
  llvm.return
}
