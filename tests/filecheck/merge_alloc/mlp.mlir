// The first example of the document: three temporaries of 65536 bytes in two slots, at its offsets
// with every planner; the returned buffer is not touched. -O0 does nothing.
// RUN: toyc %s -opt -emit=merged --merge-alloc=planner=chunk-hot | FileCheck %s
// RUN: toyc %s -opt -emit=merged --merge-alloc=planner=chunk-size | FileCheck %s
// RUN: toyc %s -opt -emit=merged --merge-alloc=planner=greedy-by-size | FileCheck %s
// RUN: toyc %s -opt -emit=merged --merge-alloc=planner=first-fit | FileCheck %s
// RUN: toyc %s -opt -emit=merged --merge-alloc=planner=best-fit | FileCheck %s
// RUN: toyc %s -opt -emit=merged --merge-alloc=planner=exact | FileCheck %s
// RUN: toyc %s -opt -emit=merged | FileCheck %s
// RUN: toyc %s -O1 -emit=merged | FileCheck %s
// RUN: toyc %s -emit=memref > %t && toyc %s -emit=merged | cmp - %t
// RUN: toyc %s -opt -emit=memref > %t && toyc %s -opt --print-ir-after=merge-alloc -emit=dealloc 2>&1 >/dev/null | FileCheck %s
// RUN: toyc %s -opt -emit=dealloc | FileCheck %s --check-prefix=DEALLOC
// CHECK:      func.func @mlp(%[[X:.*]]: memref<128x128xf32>, %[[Y:.*]]: memref<128x128xf32>) -> memref<128x128xf32>
// CHECK-NEXT:   %[[ALL:.*]] = memref.alloc() {alignment = 64 : i64} : memref<131072xi8>
// CHECK-NEXT:   %[[O0:.*]] = arith.constant 0 : index
// CHECK-NEXT:   %[[A:.*]] = memref.view %[[ALL]][%[[O0]]][] : memref<131072xi8> to memref<128x128xf32>
// CHECK-NEXT:   linalg.generic {{.*}} ins(%[[X]], %[[Y]] : {{.*}}) outs(%[[A]] :
// CHECK:        %[[O1:.*]] = arith.constant 65536 : index
// CHECK-NEXT:   %[[B:.*]] = memref.view %[[ALL]][%[[O1]]][] : memref<131072xi8> to memref<128x128xf32>
// CHECK-NEXT:   linalg.generic {{.*}} ins(%[[A]], %[[Y]] : {{.*}}) outs(%[[B]] :
// CHECK:        %[[O2:.*]] = arith.constant 0 : index
// CHECK-NEXT:   %[[C:.*]] = memref.view %[[ALL]][%[[O2]]][] : memref<131072xi8> to memref<128x128xf32>
// CHECK-NEXT:   linalg.generic {{.*}} ins(%[[B]], %[[Y]] : {{.*}}) outs(%[[C]] :
// CHECK:        %[[D:.*]] = memref.alloc() : memref<128x128xf32>
// CHECK-NEXT:   linalg.generic {{.*}} ins(%[[C]], %[[Y]] : {{.*}}) outs(%[[D]] :
// CHECK:        return %[[D]]
// DEALLOC:      memref.alloc() {{.*}} memref<131072xi8>
// DEALLOC-NOT:  memref.dealloc
// DEALLOC:      memref.dealloc %{{.*}} : memref<131072xi8>
// DEALLOC-NEXT: return
func.func @mlp(%x: memref<128x128xf32>, %y: memref<128x128xf32>) -> memref<128x128xf32> {
  %a0 = memref.alloc() : memref<128x128xf32>
  linalg.matmul ins(%x, %y: memref<128x128xf32>, memref<128x128xf32>) outs(%a0: memref<128x128xf32>)
  %b0 = memref.alloc() : memref<128x128xf32>
  linalg.matmul ins(%a0, %y: memref<128x128xf32>, memref<128x128xf32>) outs(%b0: memref<128x128xf32>)
  %c0 = memref.alloc() : memref<128x128xf32>
  linalg.matmul ins(%b0, %y: memref<128x128xf32>, memref<128x128xf32>) outs(%c0: memref<128x128xf32>)
  %d0 = memref.alloc() : memref<128x128xf32>
  linalg.matmul ins(%c0, %y: memref<128x128xf32>, memref<128x128xf32>) outs(%d0: memref<128x128xf32>)
  return %d0 : memref<128x128xf32>
}
