// Functions of modules in the module, and those of other kinds.
// RUN: toy-opt %s --merge-alloc=call-trees | FileCheck %s
// RUN: toy-opt %s --merge-alloc=call-trees | toy-opt --merge-alloc=call-trees | FileCheck %s
// RUN: toy-opt %s --pass-pipeline="builtin.module(func.func(merge-alloc{alignment=32},cse))" | FileCheck %s --check-prefix=NESTED
// RUN: toy-opt %s --merge-alloc=call-trees --verify-merged-allocs | FileCheck %s
// RUN: not toy-opt %s --pass-pipeline="builtin.module(func.func(merge-alloc{call-trees}))" 2>&1 | FileCheck %s --check-prefix=TREES
// RUN: not toy-opt %s --pass-pipeline="builtin.module(gpu.module(merge-alloc))" 2>&1 | FileCheck %s --check-prefix=UNDER
// TREES: `call-trees` is for `merge-alloc` on the whole module
// UNDER: `merge-alloc` works on the whole module and cannot be nested under `gpu.module`

// A pass under `func.func` does not see what is in modules.
// CHECK-LABEL: func.func @outer
// CHECK-NEXT:    memref.alloc() {alignment = 64 : i64} : memref<80xi8>
// NESTED-LABEL: func.func @outer
// NESTED-NEXT:   memref.alloc() {alignment = 32 : i64} : memref<48xi8>
func.func private @use(memref<4xf32>, memref<4xf32>)
func.func @outer() {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  call @use(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()
  return
}
// The same name is another function: it takes a workspace, and frees nothing.
// CHECK-LABEL: func.func private @f
// CHECK-NEXT:    memref.alloc()
// CHECK-NEXT:    memref.dealloc
func.func private @f(%x: memref<4xf32>) {
  %a = memref.alloc() : memref<4xf32>
  memref.dealloc %a : memref<4xf32>
  return
}
// CHECK-LABEL: module @inner
// NESTED-LABEL: module @inner
// NESTED-NOT:  memref.view
module @inner {
  func.func private @use(memref<4xf32>, memref<4xf32>)
  // CHECK-LABEL: func.func private @f(%arg0: memref<4xf32>, %arg1: memref<80xi8>)
  func.func private @f(%x: memref<4xf32>) {
    %a = memref.alloc() : memref<4xf32>
    call @use(%a, %x) : (memref<4xf32>, memref<4xf32>) -> ()
    %b = memref.alloc() : memref<4xf32>
    call @use(%a, %b) : (memref<4xf32>, memref<4xf32>) -> ()
    return
  }
  // CHECK-LABEL: func.func @g
  // CHECK-NEXT:    memref.alloc() {alignment = 64 : i64} : memref<144xi8>
  func.func @g() {
    %a = memref.alloc() : memref<4xf32>
    call @f(%a) : (memref<4xf32>) -> ()
    return
  }
  // Used from outside.
  // CHECK-LABEL: func.func private @h()
  func.func private @h() {
    %a = memref.alloc() : memref<4xf32>
    call @use(%a, %a) : (memref<4xf32>, memref<4xf32>) -> ()
    return
  }
  func.func @calls_h() {
    call @h() : () -> ()
    return
  }
  module {
    // CHECK-LABEL: func.func @deep
    // CHECK-NEXT:    memref.alloc() {alignment = 64 : i64} : memref<16xi8>
    func.func @deep(%x: memref<4xf32>) {
      %a = memref.alloc() : memref<4xf32>
      memref.copy %x, %a : memref<4xf32> to memref<4xf32>
      memref.copy %a, %x : memref<4xf32> to memref<4xf32>
      %b = memref.alloc() : memref<4xf32>
      memref.copy %x, %b : memref<4xf32> to memref<4xf32>
      return
    }
  }
}
module attributes {llvm.this = @inner::@h} {}

// What a function of another kind returns escapes like everywhere.
// CHECK-LABEL: gpu.func @merges
// CHECK-NEXT:    memref.alloc() {alignment = 64 : i64} : memref<80xi8>
// CHECK-LABEL: gpu.func @returns
// CHECK-NEXT:    memref.alloc() : memref<4xf32>
gpu.module @device {
  gpu.func @merges(%x: memref<4xf32>) {
    %a = memref.alloc() : memref<4xf32>
    %b = memref.alloc() : memref<4xf32>
    memref.copy %x, %a : memref<4xf32> to memref<4xf32>
    memref.copy %a, %b : memref<4xf32> to memref<4xf32>
    gpu.return
  }
  gpu.func @returns() -> memref<4xf32> {
    %a = memref.alloc() : memref<4xf32>
    gpu.return %a : memref<4xf32>
  }
}

// A function-like operation that is not known is not looked into.
// CHECK-LABEL: llvm.func @other
// CHECK:       memref.alloc() : memref<4xf32>
// CHECK-NEXT:  memref.alloc() : memref<4xf32>
llvm.func @other() {
  %a = memref.alloc() : memref<4xf32>
  %b = memref.alloc() : memref<4xf32>
  memref.copy %a, %b : memref<4xf32> to memref<4xf32>
  llvm.return
}
