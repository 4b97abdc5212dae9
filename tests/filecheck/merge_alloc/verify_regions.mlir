// The judge of merged allocations knows where structured control flow goes, and what it passes on.
// RUN: toy-opt %s --verify-merged-allocs --verify-diagnostics
func.func private @use(memref<2xf64>)

// What a branch yields is one of two, and which is made in the other branch does not matter.
func.func @branches(%c: i1) {
  %m = memref.alloc() : memref<32xi8>
  %0 = arith.constant 0 : index
  %16 = arith.constant 16 : index
  %a = memref.view %m[%16][] : memref<32xi8> to memref<2xf64>
  func.call @use(%a) : (memref<2xf64>) -> ()
  %r = scf.if %c -> (memref<2xf64>) {
    %t = memref.view %m[%0][] : memref<32xi8> to memref<2xf64>
    func.call @use(%t) : (memref<2xf64>) -> ()
    scf.yield %a : memref<2xf64>
  } else {
    %e = memref.view %m[%0][] : memref<32xi8> to memref<2xf64>
    func.call @use(%e) : (memref<2xf64>) -> ()
    scf.yield %e : memref<2xf64>
  }
  func.call @use(%r) : (memref<2xf64>) -> ()
  return
}

// Two buffers change places in each iteration.
func.func @swapped(%n: index, %s: index) {
  %m = memref.alloc() : memref<48xi8>
  %0 = arith.constant 0 : index
  %16 = arith.constant 16 : index
  %32 = arith.constant 32 : index
  %a = memref.view %m[%0][] : memref<48xi8> to memref<2xf64>
  %b = memref.view %m[%16][] : memref<48xi8> to memref<2xf64>
  func.call @use(%a) : (memref<2xf64>) -> ()
  func.call @use(%b) : (memref<2xf64>) -> ()
  %r:2 = scf.for %i = %0 to %n step %s iter_args(%x = %a, %y = %b) -> (memref<2xf64>, memref<2xf64>) {
    %t = memref.view %m[%32][] : memref<48xi8> to memref<2xf64>
    func.call @use(%t) : (memref<2xf64>) -> ()
    scf.yield %y, %x : memref<2xf64>, memref<2xf64>
  }
  %d = memref.view %m[%32][] : memref<48xi8> to memref<2xf64>
  func.call @use(%d) : (memref<2xf64>) -> ()
  %e = memref.view %m[%0][] : memref<48xi8> to memref<2xf64>
  // expected-error @+1 {{share the bytes 0 to 15}}
  func.call @use(%e) : (memref<2xf64>) -> ()
  func.call @use(%r#1) : (memref<2xf64>) -> ()
  return
}

// The part after the condition is executed before it, too.
func.func @again(%c: i1) {
  %m = memref.alloc() : memref<16xi8>
  %0 = arith.constant 0 : index
  %a = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
  scf.while (%x = %a) : (memref<2xf64>) -> memref<2xf64> {
    func.call @use(%x) : (memref<2xf64>) -> ()
    scf.condition(%c) %x : memref<2xf64>
  } do {
  ^bb0(%y: memref<2xf64>):
    %b = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
    // expected-error @+1 {{share the bytes 0 to 15}}
    func.call @use(%b) : (memref<2xf64>) -> ()
    scf.yield %y : memref<2xf64>
  }
  return
}

func.func @scopes(%c: i1) {
  %m = memref.alloc() : memref<16xi8>
  %0 = arith.constant 0 : index
  memref.alloca_scope {
    %a = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
    func.call @use(%a) : (memref<2xf64>) -> ()
    memref.alloca_scope.return
  }
  %r = scf.execute_region -> memref<2xf64> {
    %b = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
    cf.cond_br %c, ^bb1, ^bb2
  ^bb1:
    func.call @use(%b) : (memref<2xf64>) -> ()
    scf.yield %b : memref<2xf64>
  ^bb2:
    func.call @use(%b) : (memref<2xf64>) -> ()
    func.call @use(%b) : (memref<2xf64>) -> ()
    scf.yield %b : memref<2xf64>
  }
  func.call @use(%r) : (memref<2xf64>) -> ()
  %d = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
  affine.for %i = 0 to 10 {
    func.call @use(%d) : (memref<2xf64>) -> ()
  }
  return
}

// Iterations run side by side: one is where the other has been.
func.func @side_by_side(%n: index, %s: index) {
  %m = memref.alloc() : memref<16xi8>
  %0 = arith.constant 0 : index
  // expected-error @+1 {{share the bytes 0 to 15}}
  scf.parallel (%i) = (%0) to (%n) step (%s) {
    // expected-error @+1 {{shares a merged buffer}}
    %a = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
    func.call @use(%a) : (memref<2xf64>) -> ()
    // expected-error @+1 {{shares a merged buffer}}
    %b = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
    func.call @use(%b) : (memref<2xf64>) -> ()
  }
  return
}

// An allocation of its own for each.
func.func @each_by_itself(%n: index) {
  %0 = arith.constant 0 : index
  scf.forall (%i) in (%n) {
    %m = memref.alloc() : memref<16xi8>
    %a = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
    func.call @use(%a) : (memref<2xf64>) -> ()
    %b = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
    func.call @use(%b) : (memref<2xf64>) -> ()
  }
  return
}

// What the judge does not know may do anything with its regions.
func.func @unknown() {
  %m = memref.alloc() : memref<16xi8>
  %0 = arith.constant 0 : index
  // expected-error @+1 {{share the bytes 0 to 15}}
  gpu.launch blocks(%bx, %by, %bz) in (%gx = %0, %gy = %0, %gz = %0)
             threads(%tx, %ty, %tz) in (%sx = %0, %sy = %0, %sz = %0) {
    // expected-error @+1 {{shares a merged buffer}}
    %a = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
    func.call @use(%a) : (memref<2xf64>) -> ()
    // expected-error @+1 {{shares a merged buffer}}
    %b = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
    func.call @use(%b) : (memref<2xf64>) -> ()
    gpu.terminator
  }
  return
}

// An element that has been loaded is no buffer.
func.func @elements(%v: complex<f64>, %w: vector<2xf64>) -> (complex<f64>, vector<2xf64>) {
  %m = memref.alloc() : memref<16xi8>
  %0 = arith.constant 0 : index
  %a = memref.view %m[%0][] : memref<16xi8> to memref<1xcomplex<f64>>
  memref.store %v, %a[%0] : memref<1xcomplex<f64>>
  %x = memref.load %a[%0] : memref<1xcomplex<f64>>
  %b = memref.view %m[%0][] : memref<16xi8> to memref<1xvector<2xf64>>
  memref.store %w, %b[%0] : memref<1xvector<2xf64>>
  %y = memref.load %b[%0] : memref<1xvector<2xf64>>
  %i = memref.view %m[%0][] : memref<16xi8> to memref<2xindex>
  memref.store %0, %i[%0] : memref<2xindex>
  return %x, %y : complex<f64>, vector<2xf64>
}

// The function of the same name in another module returns something else.
module @one {
  func.func private @use(memref<2xf64>)
  func.func private @pick(%a: memref<2xf64>, %b: memref<2xf64>) -> memref<2xf64> {
    return %a : memref<2xf64>
  }
  func.func @f() {
    %m = memref.alloc() : memref<32xi8>
    %0 = arith.constant 0 : index
    %16 = arith.constant 16 : index
    %a = memref.view %m[%0][] : memref<32xi8> to memref<2xf64>
    %b = memref.view %m[%16][] : memref<32xi8> to memref<2xf64>
    %r = call @pick(%a, %b) : (memref<2xf64>, memref<2xf64>) -> memref<2xf64>
    %e = memref.view %m[%16][] : memref<32xi8> to memref<2xf64>
    call @use(%e) : (memref<2xf64>) -> ()
    call @use(%r) : (memref<2xf64>) -> ()
    return
  }
}
module @two {
  func.func private @pick(%a: memref<2xf64>, %b: memref<2xf64>) -> memref<2xf64> {
    return %b : memref<2xf64>
  }
}
