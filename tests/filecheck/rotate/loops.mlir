// Loops whose iterations pass on new buffers: as many as there are slots and allocations take turns.
// RUN: toy-opt %s --pass-pipeline='builtin.module(toy-rotate-buffers)' | FileCheck %s
// RUN: toyc %s -O1 -emit=dealloc | FileCheck %s --check-prefix=DEALLOC
// RUN: toy-opt %s --pass-pipeline='builtin.module(toy-rotate-buffers,merge-alloc,lower-affine,convert-scf-to-cf,verify-merged-allocs)'

// Nothing is left that asks at run time who owns what.
// DEALLOC-NOT: dealloc_helper
func.func private @toy_print(memref<*xf64> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}

// CHECK-LABEL: func.func @fresh(
// CHECK:         [[A:%.*]] = memref.alloc()
// CHECK:         [[S:%.*]] = memref.alloc()
// CHECK:         scf.for {{.*}} iter_args([[X:%.*]] = [[A]], [[Y:%.*]] = [[S]])
// CHECK-NEXT:      linalg.add ins([[X]], [[X]] {{.*}} outs([[Y]]
// CHECK-NEXT:      scf.yield [[Y]], [[X]]
func.func @fresh(%from: index, %to: index, %by: index, %f: f64) {
  %a = memref.alloc() : memref<8xf64>
  linalg.fill ins(%f : f64) outs(%a : memref<8xf64>)
  %r = scf.for %i = %from to %to step %by iter_args(%x = %a) -> (memref<8xf64>) {
    %new = memref.alloc() : memref<8xf64>
    linalg.add ins(%x, %x : memref<8xf64>, memref<8xf64>) outs(%new : memref<8xf64>)
    scf.yield %new : memref<8xf64>
  }
  %cast = memref.cast %r : memref<8xf64> to memref<*xf64>
  call @toy_print(%cast) : (memref<*xf64>) -> ()
  return
}

// (a, b) = (a + b, a): the copy of a is a.
// CHECK-LABEL: func.func @fibonacci(
// CHECK:         scf.for {{.*}} iter_args([[X:%.*]] = {{.*}}, [[Y:%.*]] = {{.*}}, [[S:%.*]] = {{.*}})
// CHECK-NEXT:      linalg.add ins([[X]], [[Y]] {{.*}} outs([[S]]
// CHECK-NEXT:      scf.yield [[S]], [[X]], [[Y]]
func.func @fibonacci(%from: index, %to: index, %by: index, %f: f64) {
  %a = memref.alloc() : memref<8xf64>
  linalg.fill ins(%f : f64) outs(%a : memref<8xf64>)
  %b = memref.alloc() : memref<8xf64>
  linalg.fill ins(%f : f64) outs(%b : memref<8xf64>)
  %r:2 = scf.for %i = %from to %to step %by iter_args(%x = %a, %y = %b) -> (memref<8xf64>, memref<8xf64>) {
    %new = memref.alloc() : memref<8xf64>
    linalg.add ins(%x, %y : memref<8xf64>, memref<8xf64>) outs(%new : memref<8xf64>)
    %old = memref.alloc() : memref<8xf64>
    memref.copy %x, %old : memref<8xf64> to memref<8xf64>
    scf.yield %new, %old : memref<8xf64>, memref<8xf64>
  }
  %cast = memref.cast %r#1 : memref<8xf64> to memref<*xf64>
  call @toy_print(%cast) : (memref<*xf64>) -> ()
  return
}

// A swap after an update in place needs neither buffers nor copies. The inner loop is none of it.
// CHECK-LABEL: func.func @swap(
// CHECK-COUNT-2: memref.alloc()
// CHECK:         scf.for {{.*}} iter_args([[X:%.*]] = {{.*}}, [[Y:%.*]] = {{.*}})
// CHECK:           memref.store {{.*}}, [[Y]]
// CHECK:         }
// CHECK-NEXT:    scf.yield [[Y]], [[X]]
// CHECK-NOT:     memref.copy
func.func @swap(%from: index, %to: index, %by: index, %f: f64) {
  %a = memref.alloc() : memref<8xf64>
  linalg.fill ins(%f : f64) outs(%a : memref<8xf64>)
  %b = memref.alloc() : memref<8xf64>
  linalg.fill ins(%f : f64) outs(%b : memref<8xf64>)
  %r:2 = scf.for %i = %from to %to step %by iter_args(%x = %a, %y = %b) -> (memref<8xf64>, memref<8xf64>) {
    scf.for %j = %from to %to step %by {
      %old = memref.load %x[%j] : memref<8xf64>
      %new = arith.addf %old, %old : f64
      memref.store %new, %y[%j] : memref<8xf64>
    }
    %p = memref.alloc() : memref<8xf64>
    memref.copy %y, %p : memref<8xf64> to memref<8xf64>
    %q = memref.alloc() : memref<8xf64>
    memref.copy %x, %q : memref<8xf64> to memref<8xf64>
    scf.yield %p, %q : memref<8xf64>, memref<8xf64>
  }
  %cast = memref.cast %r#0 : memref<8xf64> to memref<*xf64>
  call @toy_print(%cast) : (memref<*xf64>) -> ()
  return
}

// One-Shot copies what a condition hands on.
// CHECK-LABEL: func.func @while(
// CHECK:         scf.while ([[X:%.*]] = {{.*}}, [[S:%.*]] = {{.*}})
// CHECK-NOT:       memref.copy
// CHECK:           scf.condition({{.*}}) [[X]], [[S]]
// CHECK:         ^bb0([[Y:%.*]]: memref<8xf64>, [[T:%.*]]: memref<8xf64>):
// CHECK-NEXT:      linalg.add ins([[Y]], [[Y]] {{.*}} outs([[T]]
// CHECK-NEXT:      scf.yield [[T]], [[Y]]
func.func @while(%at: index, %limit: f64, %f: f64) {
  %a = memref.alloc() : memref<8xf64>
  linalg.fill ins(%f : f64) outs(%a : memref<8xf64>)
  %r = scf.while (%x = %a) : (memref<8xf64>) -> (memref<8xf64>) {
    %v = memref.load %x[%at] : memref<8xf64>
    %c = arith.cmpf olt, %v, %limit : f64
    %same = memref.alloc() : memref<8xf64>
    memref.copy %x, %same : memref<8xf64> to memref<8xf64>
    scf.condition(%c) %same : memref<8xf64>
  } do {
  ^bb0(%y: memref<8xf64>):
    %new = memref.alloc() : memref<8xf64>
    linalg.add ins(%y, %y : memref<8xf64>, memref<8xf64>) outs(%new : memref<8xf64>)
    scf.yield %new : memref<8xf64>
  }
  %cast = memref.cast %r : memref<8xf64> to memref<*xf64>
  call @toy_print(%cast) : (memref<*xf64>) -> ()
  return
}

// In one branch a new buffer, in the other one the old: the branch yields the spare one, too.
// CHECK-LABEL: func.func @branch(
// CHECK:         scf.for {{.*}} iter_args([[X:%.*]] = {{.*}}, [[S:%.*]] = {{.*}})
// CHECK-NEXT:      [[R:%.*]]:2 = scf.if
// CHECK-NEXT:        linalg.add ins([[X]], [[X]] {{.*}} outs([[S]]
// CHECK-NEXT:        scf.yield [[S]], [[X]]
// CHECK:             scf.yield [[X]], [[S]]
// CHECK:           scf.yield [[R]]#0, [[R]]#1
func.func @branch(%from: index, %to: index, %by: index, %c: i1, %f: f64) {
  %a = memref.alloc() : memref<8xf64>
  linalg.fill ins(%f : f64) outs(%a : memref<8xf64>)
  %r = scf.for %i = %from to %to step %by iter_args(%x = %a) -> (memref<8xf64>) {
    %n = scf.if %c -> (memref<8xf64>) {
      %new = memref.alloc() : memref<8xf64>
      linalg.add ins(%x, %x : memref<8xf64>, memref<8xf64>) outs(%new : memref<8xf64>)
      scf.yield %new : memref<8xf64>
    } else {
      scf.yield %x : memref<8xf64>
    }
    scf.yield %n : memref<8xf64>
  }
  %cast = memref.cast %r : memref<8xf64> to memref<*xf64>
  call @toy_print(%cast) : (memref<*xf64>) -> ()
  return
}

// A loop in a loop: two buffers for both.
// CHECK-LABEL: func.func @nested(
// CHECK-COUNT-2: memref.alloc()
// CHECK-NOT:     memref.alloc()
// CHECK:         [[R:%.*]]:2 = scf.for {{.*}} iter_args([[X:%.*]] = {{.*}}, [[S:%.*]] = {{.*}})
// CHECK-NEXT:      [[I:%.*]]:2 = scf.for {{.*}} iter_args({{.*}} = [[X]], {{.*}} = [[S]])
// CHECK:           scf.yield [[I]]#0, [[I]]#1
func.func @nested(%from: index, %to: index, %by: index, %f: f64) {
  %a = memref.alloc() : memref<8xf64>
  linalg.fill ins(%f : f64) outs(%a : memref<8xf64>)
  %r = scf.for %i = %from to %to step %by iter_args(%x = %a) -> (memref<8xf64>) {
    %n = scf.for %j = %from to %to step %by iter_args(%y = %x) -> (memref<8xf64>) {
      %new = memref.alloc() : memref<8xf64>
      linalg.add ins(%y, %y : memref<8xf64>, memref<8xf64>) outs(%new : memref<8xf64>)
      scf.yield %new : memref<8xf64>
    }
    scf.yield %n : memref<8xf64>
  }
  %cast = memref.cast %r : memref<8xf64> to memref<*xf64>
  call @toy_print(%cast) : (memref<*xf64>) -> ()
  return
}

memref.global "private" constant @numbers : memref<8xf64> = dense<2.0>

// A constant is copied first; so is an argument that nothing else writes to meanwhile.
// CHECK-LABEL: func.func @not_ours(
// CHECK-SAME:    [[ARGUMENT:%.*]]: memref<8xf64>,
// CHECK:         [[G:%.*]] = memref.get_global
// CHECK:         [[A:%.*]] = memref.alloc()
// CHECK-NEXT:    memref.copy [[G]], [[A]]
// CHECK:         [[B:%.*]] = memref.alloc()
// CHECK-NEXT:    memref.copy [[ARGUMENT]], [[B]]
// CHECK:         scf.for {{.*}} iter_args({{.*}} = [[A]], {{.*}} = [[B]],
func.func @not_ours(%argument: memref<8xf64>, %from: index, %to: index, %by: index) {
  %g = memref.get_global @numbers : memref<8xf64>
  %r:2 = scf.for %i = %from to %to step %by iter_args(%x = %g, %y = %argument) -> (memref<8xf64>, memref<8xf64>) {
    %new = memref.alloc() : memref<8xf64>
    linalg.add ins(%x, %y : memref<8xf64>, memref<8xf64>) outs(%new : memref<8xf64>)
    %other = memref.alloc() : memref<8xf64>
    linalg.sub ins(%x, %y : memref<8xf64>, memref<8xf64>) outs(%other : memref<8xf64>)
    scf.yield %new, %other : memref<8xf64>, memref<8xf64>
  }
  %cast = memref.cast %r#0 : memref<8xf64> to memref<*xf64>
  call @toy_print(%cast) : (memref<*xf64>) -> ()
  return
}

// Every branch allocates what it yields: one allocation is enough.
// CHECK-LABEL: func.func @one_of_two(
// CHECK-COUNT-1: memref.alloc()
// CHECK-NOT:     memref.alloc()
// CHECK:         return
func.func @one_of_two(%c: i1, %f: f64) {
  %r = scf.if %c -> (memref<8xf64>) {
    %a = memref.alloc() : memref<8xf64>
    linalg.fill ins(%f : f64) outs(%a : memref<8xf64>)
    scf.yield %a : memref<8xf64>
  } else {
    %b = memref.alloc() : memref<8xf64>
    %g = arith.negf %f : f64
    linalg.fill ins(%g : f64) outs(%b : memref<8xf64>)
    scf.yield %b : memref<8xf64>
  }
  %cast = memref.cast %r : memref<8xf64> to memref<*xf64>
  call @toy_print(%cast) : (memref<*xf64>) -> ()
  return
}

// The loop is the last use of a buffer that is allocated in front of the branch: it may write to a copy of it.
// CHECK-LABEL: func.func @in_branch(
// CHECK:         [[A:%.*]] = memref.alloc()
// CHECK:         scf.if
// CHECK-NEXT:      [[COPY:%.*]] = memref.alloc()
// CHECK-NEXT:      memref.copy [[A]], [[COPY]]
// CHECK:           scf.for {{.*}} iter_args([[X:%.*]] = [[COPY]], [[Y:%.*]] = {{.*}})
// CHECK-NEXT:        memref.store {{.*}}, [[X]]
// CHECK-NEXT:        linalg.add ins([[X]], [[X]] {{.*}} outs([[Y]]
// CHECK-NEXT:        scf.yield [[Y]], [[X]]
func.func @in_branch(%from: index, %to: index, %by: index, %f: f64, %c: i1) {
  %a = memref.alloc() : memref<8xf64>
  linalg.fill ins(%f : f64) outs(%a : memref<8xf64>)
  scf.if %c {
    %r = scf.for %i = %from to %to step %by iter_args(%x = %a) -> (memref<8xf64>) {
      memref.store %f, %x[%i] : memref<8xf64>
      %new = memref.alloc() : memref<8xf64>
      linalg.add ins(%x, %x : memref<8xf64>, memref<8xf64>) outs(%new : memref<8xf64>)
      scf.yield %new : memref<8xf64>
    }
    %cast = memref.cast %r : memref<8xf64> to memref<*xf64>
    func.call @toy_print(%cast) : (memref<*xf64>) -> ()
  }
  return
}
