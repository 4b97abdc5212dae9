// How large an index is, the module may say: then it is not 8 bytes.
// RUN: toy-opt %s --split-input-file --merge-alloc=plan-only | FileCheck %s
// RUN: toy-opt %s --split-input-file --merge-alloc | FileCheck %s --check-prefix=MERGED

// CHECK-COUNT-2: untouched = "the size of its elements is not known"} : memref<4xindex>
// CHECK:         untouched = "the size of its elements is not known"} : memref<4xvector<2xindex>>
// MERGED-NOT:    memref<{{[0-9]+}}xi8>
module attributes { dlti.dl_spec = #dlti.dl_spec<index = 128 : i32> } {
  func.func @wide(%v: index, %i: index, %w: vector<2xindex>) {
    %a = memref.alloc() : memref<4xindex>
    memref.store %v, %a[%i] : memref<4xindex>
    %b = memref.alloc() : memref<4xindex>
    memref.store %v, %b[%i] : memref<4xindex>
    %d = memref.alloc() : memref<4xvector<2xindex>>
    memref.store %w, %d[%i] : memref<4xvector<2xindex>>
    memref.store %v, %a[%i] : memref<4xindex>
    return
  }
}

// -----

// CHECK-LABEL: func.func @else
// CHECK-COUNT-2: merge_alloc.offset
// MERGED-LABEL: func.func @else
// MERGED-NEXT:  memref.alloc() {{.*}} : memref<96xi8>
module attributes { dlti.dl_spec = #dlti.dl_spec<i32 = dense<32> : vector<2xi64>> } {
  func.func @else(%v: index, %i: index) {
    %a = memref.alloc() : memref<4xindex>
    memref.store %v, %a[%i] : memref<4xindex>
    %b = memref.alloc() : memref<4xindex>
    memref.store %v, %b[%i] : memref<4xindex>
    memref.store %v, %a[%i] : memref<4xindex>
    return
  }
}
