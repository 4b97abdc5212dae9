// Functions get the memory of their temporaries from their callers, where that is possible.
// RUN: toy-opt %s --merge-alloc=call-trees > %t && FileCheck %s < %t
// RUN: toy-opt %t --merge-alloc=call-trees | diff %t -
// RUN: toy-opt %s --merge-alloc | FileCheck %s --check-prefix=OFF
// RUN: toy-opt %s --merge-alloc="call-trees plan-only" | FileCheck %s --check-prefix=PLAN
// RUN: toy-opt %s --merge-alloc=call-trees --mlir-print-debuginfo | FileCheck %s --check-prefix=PLACES
// RUN: not toy-opt %s --merge-alloc="call-trees capacity=100" 2>&1 | FileCheck %s --check-prefix=CAPACITY
// OFF-NOT: xi8>) {
// CAPACITY: the buffers take 144 bytes, but the capacity is 100
// PLACES: loc("workspace of two"(
func.func private @use(memref<4xf32>)

// A lone temporary goes, too, and the alignment that it asks for goes with it.
// CHECK-LABEL: func.func private @one(%arg0: memref<16xi8>)
// CHECK-NOT:     memref.alloc
// CHECK:         memref.view %arg0[%c0][] : memref<16xi8> to memref<4xf32>
// PLAN-LABEL:  func.func private @one()
// PLAN-SAME:     merge_alloc.workspace
func.func private @one() {
  %a = memref.alloc() {alignment = 256 : i64} : memref<4xf32>
  call @use(%a) : (memref<4xf32>) -> ()
  return
}

// The workspace comes after the other arguments. Those of two calls one after the other are one.
// CHECK-LABEL: func.func private @two(%arg0: memref<4xf32> {llvm.nocapture}, %arg1: memref<80xi8>)
// CHECK-SAME:    -> (f32 {llvm.noundef})
// CHECK-NOT:     memref.alloc
// CHECK:         %[[A:.*]] = memref.view %arg1[%c64][] : memref<80xi8> to memref<4xf32>
// CHECK:         %[[W:.*]] = memref.view %arg1[%c0{{.*}}][] : memref<80xi8> to memref<16xi8>
// CHECK:         call @one(%[[W]]) : (memref<16xi8>) -> ()
// CHECK:         %[[W:.*]] = memref.view %arg1[%c0{{.*}}][] : memref<80xi8> to memref<16xi8>
// CHECK:         call @one(%[[W]]) : (memref<16xi8>) -> ()
// CHECK:         call @use(%[[A]])
// PLAN-LABEL:  func.func private @two
// PLAN:          call @one() {merge_alloc.lifetime = array<i64: {{[0-9]+}}, 3, 3>, merge_alloc.offset = 0 : i64} : () -> ()
func.func private @two(%x: memref<4xf32> {llvm.nocapture}) -> (f32 {llvm.noundef}) {
  %f = arith.constant 1.5 : f32
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<4xf32>)
  call @one() : () -> ()
  call @one() : () -> ()
  call @use(%a) : (memref<4xf32>) -> ()
  return %f : f32
}

// One allocation for the tree; nobody but this function can know whether it is called.
// CHECK-LABEL: func.func @main()
// CHECK-NEXT:    %[[ALL:.*]] = memref.alloc() {alignment = 256 : i64} : memref<144xi8>
// CHECK-NOT:     memref.alloc
// CHECK:         %[[W:.*]] = memref.view %[[ALL]][%c0{{.*}}][] : memref<144xi8> to memref<80xi8>
// CHECK:         call @two(%{{.*}}, %[[W]]) : (memref<4xf32>, memref<80xi8>) -> f32
func.func @main() {
  %f = arith.constant 1.5 : f32
  %a = memref.alloc() : memref<4xf32>
  linalg.fill ins(%f : f32) outs(%a : memref<4xf32>)
  %r = call @two(%a) : (memref<4xf32>) -> f32
  call @use(%a) : (memref<4xf32>) -> ()
  return
}

// Without buffers of its own, a function passes on what it gets, as it is.
// CHECK-LABEL: func.func private @between(%arg0: memref<16xi8>)
// CHECK-NEXT:    call @one(%arg0) : (memref<16xi8>) -> ()
// CHECK-LABEL: func.func @public()
// CHECK-NEXT:    %[[W:.*]] = memref.alloc() {alignment = 256 : i64} : memref<16xi8>
// CHECK-NEXT:    call @between(%[[W]]) : (memref<16xi8>) -> ()
func.func private @between() {
  call @one() : () -> ()
  return
}
func.func @public() {
  call @between() : () -> ()
  return
}

// Loops and branches are no scopes: there is one workspace for all iterations, which may be that of
// the branch. Each thread has its own.
// CHECK-LABEL: func.func @loops
// CHECK-NEXT:    %[[ALL:.*]] = memref.alloc() {alignment = 256 : i64} : memref<16xi8>
// CHECK-NEXT:    scf.for
// CHECK-NEXT:      call @one(%[[ALL]])
// CHECK:         scf.if
// CHECK-NEXT:      call @one(%[[ALL]])
// CHECK:         scf.forall
// CHECK-NEXT:      %[[OWN:.*]] = memref.alloc() {alignment = 256 : i64} : memref<16xi8>
// CHECK-NEXT:      call @one(%[[OWN]])
func.func @loops(%c: i1, %n: index) {
  scf.for %i = %n to %n step %n {
    func.call @one() : () -> ()
  }
  scf.if %c {
    func.call @one() : () -> ()
  }
  scf.forall (%i) in (%n) {
    func.call @one() : () -> ()
  }
  return
}

// A buffer that is in use all through a loop does not share with the workspace in it.
// CHECK-LABEL: func.func @across
// CHECK-NEXT:    memref.alloc() {alignment = 256 : i64} : memref<80xi8>
func.func @across(%n: index) {
  %a = memref.alloc() : memref<4xf32>
  scf.for %i = %n to %n step %n {
    func.call @use(%a) : (memref<4xf32>) -> ()
    func.call @one() : () -> ()
  }
  return
}

// Those that stay: no temporaries, and those that no plan can have.
// CHECK-LABEL: func.func private @nothing()
// CHECK-LABEL: func.func private @returns() -> memref<4xf32>
// CHECK-NEXT:    memref.alloc() : memref<4xf32>
func.func private @nothing() {
  return
}
func.func private @returns() -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  return %a : memref<4xf32>
}

// A part of the buffers of a function goes, the other one stays.
// CHECK-LABEL: func.func private @partly(%arg0: memref<16xi8>) -> memref<4xf32>
// CHECK:         memref.view %arg0
// CHECK:         memref.alloc() : memref<4xf32>
func.func private @partly() -> memref<4xf32> {
  %a = memref.alloc() : memref<4xf32>
  call @use(%a) : (memref<4xf32>) -> ()
  %b = memref.alloc() : memref<4xf32>
  return %b : memref<4xf32>
}

// Recursion, and what is called from there.
// CHECK-LABEL: func.func private @even()
// CHECK-NEXT:    memref.alloc() : memref<4xf32>
// CHECK-LABEL: func.func private @odd()
// CHECK-NEXT:    memref.alloc() : memref<4xf32>
// CHECK-LABEL: func.func private @below()
// CHECK-NEXT:    memref.alloc() : memref<4xf32>
func.func private @even() {
  %a = memref.alloc() : memref<4xf32>
  call @use(%a) : (memref<4xf32>) -> ()
  call @odd() : () -> ()
  return
}
func.func private @odd() {
  %a = memref.alloc() : memref<4xf32>
  call @use(%a) : (memref<4xf32>) -> ()
  call @even() : () -> ()
  call @below() : () -> ()
  return
}
func.func private @below() {
  %a = memref.alloc() : memref<4xf32>
  call @use(%a) : (memref<4xf32>) -> ()
  return
}

// Its address is taken.
// CHECK-LABEL: func.func private @address()
// CHECK-NEXT:    memref.alloc() : memref<4xf32>
func.func private @address() {
  %a = memref.alloc() : memref<4xf32>
  call @use(%a) : (memref<4xf32>) -> ()
  return
}
func.func @takes_address() -> (() -> ()) {
  call @address() : () -> ()
  %f = constant @address : () -> ()
  return %f : () -> ()
}

// C code may call it.
// CHECK-LABEL: func.func private @c_interface()
// CHECK-NEXT:    memref.alloc() : memref<4xf32>
func.func private @c_interface() attributes {llvm.emit_c_interface} {
  %a = memref.alloc() : memref<4xf32>
  call @use(%a) : (memref<4xf32>) -> ()
  return
}

// Called from several blocks, from a region that nobody knows, by one who frees by hand, and from
// somewhere else in the module.
// CHECK-LABEL: func.func private @from_blocks()
// CHECK-NEXT:    memref.alloc() : memref<4xf32>
// CHECK-LABEL: func.func private @from_async()
// CHECK-NEXT:    memref.alloc() : memref<4xf32>
// CHECK-LABEL: func.func private @from_frees()
// CHECK-NEXT:    memref.alloc() : memref<4xf32>
// CHECK-LABEL: func.func private @from_module()
// CHECK-NEXT:    memref.alloc() : memref<4xf32>
func.func private @from_blocks() {
  %a = memref.alloc() : memref<4xf32>
  call @use(%a) : (memref<4xf32>) -> ()
  return
}
func.func private @from_async() {
  %a = memref.alloc() : memref<4xf32>
  call @use(%a) : (memref<4xf32>) -> ()
  return
}
func.func private @from_frees() {
  %a = memref.alloc() : memref<4xf32>
  call @use(%a) : (memref<4xf32>) -> ()
  return
}
func.func private @from_module() attributes {no_inline} {
  %a = memref.alloc() : memref<4xf32>
  call @use(%a) : (memref<4xf32>) -> ()
  return
}
func.func @callers() {
  %t = async.execute {
    func.call @from_async() : () -> ()
    async.yield
  }
  call @returns() : () -> memref<4xf32>
  call @partly() : () -> memref<4xf32>
  call @nothing() : () -> ()
  call @even() : () -> ()
  call @c_interface() : () -> ()
  call @from_module() : () -> ()
  return
}
func.func @blocks(%c: i1) {
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  call @from_blocks() : () -> ()
  cf.br ^bb2
^bb2:
  return
}
func.func @frees() {
  %a = memref.alloc() : memref<4xf32>
  call @from_frees() : () -> ()
  memref.dealloc %a : memref<4xf32>
  return
}
module @inner attributes {hint.entry = [{function = @from_module}]} {
}
