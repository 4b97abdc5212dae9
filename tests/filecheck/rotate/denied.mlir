// What keeps a loop from taking turns: somebody else may see one of its buffers.
// RUN: toy-opt %s --pass-pipeline='builtin.module(toy-rotate-buffers)' > %t.rotated
// RUN: toy-opt %s > %t.same
// RUN: diff %t.rotated %t.same
func.func private @keep(memref<8xf64>)

// The first buffer is written through the loop's name for it, and read after it.
func.func @init_is_read(%from: index, %to: index, %by: index, %f: f64) -> f64 {
  %a = memref.alloc() : memref<8xf64>
  linalg.fill ins(%f : f64) outs(%a : memref<8xf64>)
  %r = scf.for %i = %from to %to step %by iter_args(%x = %a) -> (memref<8xf64>) {
    memref.store %f, %x[%i] : memref<8xf64>
    %new = memref.alloc() : memref<8xf64>
    linalg.add ins(%x, %x : memref<8xf64>, memref<8xf64>) outs(%new : memref<8xf64>)
    scf.yield %new : memref<8xf64>
  }
  %v = memref.load %a[%from] : memref<8xf64>
  return %v : f64
}

// The first buffer is written under its own name while the loop reads it.
func.func @init_is_written(%from: index, %to: index, %by: index, %f: f64) {
  %a = memref.alloc() : memref<8xf64>
  linalg.fill ins(%f : f64) outs(%a : memref<8xf64>)
  %r = scf.for %i = %from to %to step %by iter_args(%x = %a) -> (memref<8xf64>) {
    memref.store %f, %a[%i] : memref<8xf64>
    %new = memref.alloc() : memref<8xf64>
    linalg.add ins(%x, %x : memref<8xf64>, memref<8xf64>) outs(%new : memref<8xf64>)
    scf.yield %new : memref<8xf64>
  }
  func.call @keep(%r) : (memref<8xf64>) -> ()
  return
}

// Two slots start with one buffer: what the second writes, the first reads in the next iteration of the
// inner loop, though it is above in the text.
func.func @init_twice(%from: index, %to: index, %by: index, %f: f64) {
  %a = memref.alloc() : memref<8xf64>
  linalg.fill ins(%f : f64) outs(%a : memref<8xf64>)
  %r:2 = scf.for %i = %from to %to step %by iter_args(%x = %a, %y = %a) -> (memref<8xf64>, memref<8xf64>) {
    %new = memref.alloc() : memref<8xf64>
    scf.for %j = %from to %to step %by {
      linalg.add ins(%x, %x : memref<8xf64>, memref<8xf64>) outs(%new : memref<8xf64>)
      memref.store %f, %y[%j] : memref<8xf64>
    }
    scf.yield %new, %y : memref<8xf64>, memref<8xf64>
  }
  func.call @keep(%r#0) : (memref<8xf64>) -> ()
  return
}

// Two slots get one buffer.
func.func @twice(%from: index, %to: index, %by: index, %f: f64) {
  %a = memref.alloc() : memref<8xf64>
  %b = memref.alloc() : memref<8xf64>
  linalg.fill ins(%f : f64) outs(%a : memref<8xf64>)
  linalg.fill ins(%f : f64) outs(%b : memref<8xf64>)
  %r:2 = scf.for %i = %from to %to step %by iter_args(%x = %a, %y = %b) -> (memref<8xf64>, memref<8xf64>) {
    %new = memref.alloc() : memref<8xf64>
    linalg.add ins(%x, %y : memref<8xf64>, memref<8xf64>) outs(%new : memref<8xf64>)
    scf.yield %new, %new : memref<8xf64>, memref<8xf64>
  }
  func.call @keep(%r#0) : (memref<8xf64>) -> ()
  return
}

// A view of the buffer outlives the iteration.
func.func @view(%from: index, %to: index, %by: index, %f: f64) {
  %a = memref.alloc() : memref<8xf64>
  linalg.fill ins(%f : f64) outs(%a : memref<8xf64>)
  %v = memref.cast %a : memref<8xf64> to memref<?xf64>
  %r:2 = scf.for %i = %from to %to step %by iter_args(%x = %a, %y = %v) -> (memref<8xf64>, memref<?xf64>) {
    %new = memref.alloc() : memref<8xf64>
    linalg.add ins(%x, %x : memref<8xf64>, memref<8xf64>) outs(%new : memref<8xf64>)
    %w = memref.cast %new : memref<8xf64> to memref<?xf64>
    scf.yield %new, %w : memref<8xf64>, memref<?xf64>
  }
  func.call @keep(%r#0) : (memref<8xf64>) -> ()
  return
}

// The buffer is stored where nobody looks, or freed by hand.
func.func @stored(%from: index, %to: index, %by: index, %all: memref<8xmemref<8xf64>>) {
  %a = memref.alloc() : memref<8xf64>
  %r = scf.for %i = %from to %to step %by iter_args(%x = %a) -> (memref<8xf64>) {
    %new = memref.alloc() : memref<8xf64>
    linalg.add ins(%x, %x : memref<8xf64>, memref<8xf64>) outs(%new : memref<8xf64>)
    memref.store %new, %all[%i] : memref<8xmemref<8xf64>>
    scf.yield %new : memref<8xf64>
  }
  return
}

func.func @freed(%from: index, %to: index, %by: index) {
  %a = memref.alloc() : memref<8xf64>
  %r = scf.for %i = %from to %to step %by iter_args(%x = %a) -> (memref<8xf64>) {
    %new = memref.alloc() : memref<8xf64>
    linalg.add ins(%x, %x : memref<8xf64>, memref<8xf64>) outs(%new : memref<8xf64>)
    memref.dealloc %x : memref<8xf64>
    scf.yield %new : memref<8xf64>
  }
  memref.dealloc %r : memref<8xf64>
  return
}

// The size is not known before run time.
func.func @dynamic(%from: index, %to: index, %by: index, %n: index) {
  %a = memref.alloc(%n) : memref<?xf64>
  %r = scf.for %i = %from to %to step %by iter_args(%x = %a) -> (memref<?xf64>) {
    %new = memref.alloc(%n) : memref<?xf64>
    linalg.add ins(%x, %x : memref<?xf64>, memref<?xf64>) outs(%new : memref<?xf64>)
    scf.yield %new : memref<?xf64>
  }
  return
}

// The function that is called writes to what the loop starts with, which belongs to the caller.
func.func private @doubled_there(%a: memref<8xf64>, %out: memref<8xf64>, %from: index, %to: index, %by: index) {
  %r = scf.for %i = %from to %to step %by iter_args(%x = %a) -> (memref<8xf64>) {
    %new = memref.alloc() : memref<8xf64>
    func.call @double_both(%x, %new) : (memref<8xf64>, memref<8xf64>) -> ()
    scf.yield %new : memref<8xf64>
  }
  memref.copy %r, %out : memref<8xf64> to memref<8xf64>
  return
}
func.func private @double_both(%from: memref<8xf64>, %to: memref<8xf64>) {
  linalg.add ins(%from, %from : memref<8xf64>, memref<8xf64>) outs(%to : memref<8xf64>)
  memref.copy %to, %from : memref<8xf64> to memref<8xf64>
  return
}

// The loop in the branch writes to a buffer that is read after the branch.
func.func @read_after_branch(%from: index, %to: index, %by: index, %f: f64, %c: i1) -> f64 {
  %a = memref.alloc() : memref<8xf64>
  linalg.fill ins(%f : f64) outs(%a : memref<8xf64>)
  scf.if %c {
    %r = scf.for %i = %from to %to step %by iter_args(%x = %a) -> (memref<8xf64>) {
      memref.store %f, %x[%i] : memref<8xf64>
      %new = memref.alloc() : memref<8xf64>
      linalg.add ins(%x, %x : memref<8xf64>, memref<8xf64>) outs(%new : memref<8xf64>)
      scf.yield %new : memref<8xf64>
    }
    memref.store %f, %r[%from] : memref<8xf64>
  }
  %v = memref.load %a[%from] : memref<8xf64>
  return %v : f64
}

// The branch is in a loop: the next iteration sees what this one has written.
func.func @branch_in_loop(%from: index, %to: index, %by: index, %f: f64, %c: i1) {
  %a = memref.alloc() : memref<8xf64>
  linalg.fill ins(%f : f64) outs(%a : memref<8xf64>)
  scf.for %j = %from to %to step %by {
    scf.if %c {
      %r = scf.for %i = %from to %to step %by iter_args(%x = %a) -> (memref<8xf64>) {
        memref.store %f, %x[%i] : memref<8xf64>
        %new = memref.alloc() : memref<8xf64>
        linalg.add ins(%x, %x : memref<8xf64>, memref<8xf64>) outs(%new : memref<8xf64>)
        scf.yield %new : memref<8xf64>
      }
      memref.store %f, %r[%from] : memref<8xf64>
    }
  }
  return
}

// Without an iteration, the result of a `while` is its first buffer: a copy would not get what is written to the result,
// nor the result what is written to the buffer.
func.func @result_of_no_iteration_is_written(%f: f64, %at: index, %c: i1) -> f64 {
  %a = memref.alloc() : memref<8xf64>
  linalg.fill ins(%f : f64) outs(%a : memref<8xf64>)
  %r = scf.while (%x = %a) : (memref<8xf64>) -> memref<8xf64> {
    scf.condition(%c) %x : memref<8xf64>
  } do {
  ^bb0(%x: memref<8xf64>):
    %new = memref.alloc() : memref<8xf64>
    linalg.add ins(%x, %x : memref<8xf64>, memref<8xf64>) outs(%new : memref<8xf64>)
    scf.yield %new : memref<8xf64>
  }
  memref.store %f, %r[%at] : memref<8xf64>
  %v = memref.load %a[%at] : memref<8xf64>
  return %v : f64
}
func.func @result_of_no_iteration_is_read(%f: f64, %at: index, %c: i1) -> f64 {
  %a = memref.alloc() : memref<8xf64>
  linalg.fill ins(%f : f64) outs(%a : memref<8xf64>)
  %r = scf.while (%x = %a) : (memref<8xf64>) -> memref<8xf64> {
    scf.condition(%c) %x : memref<8xf64>
  } do {
  ^bb0(%x: memref<8xf64>):
    %new = memref.alloc() : memref<8xf64>
    linalg.add ins(%x, %x : memref<8xf64>, memref<8xf64>) outs(%new : memref<8xf64>)
    scf.yield %new : memref<8xf64>
  }
  memref.store %f, %a[%at] : memref<8xf64>
  %v = memref.load %r[%at] : memref<8xf64>
  return %v : f64
}
