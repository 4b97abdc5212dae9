// Each iteration of a parallel loop needs merged buffers of its own: in an allocation inside the loop.
// RUN: toy-opt %s --verify-merged-allocs --verify-diagnostics
func.func private @use(memref<2xf64>)

// One buffer in an allocation outside, which each iteration makes again.
func.func @parallel(%n: index, %s: index) {
  %m = memref.alloc() : memref<16xi8>
  %0 = arith.constant 0 : index
  scf.parallel (%i) = (%0) to (%n) step (%s) {
    // expected-error @+1 {{`scf.parallel` may run at once with itself, and shares a merged buffer}}
    %a = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
    func.call @use(%a) : (memref<2xf64>) -> ()
  }
  return
}

func.func @forall(%n: index) {
  %m = memref.alloc() : memref<16xi8>
  %0 = arith.constant 0 : index
  scf.forall (%i) in (%n) {
    // expected-error @+1 {{`scf.forall` may run at once}}
    %a = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
    func.call @use(%a) : (memref<2xf64>) -> ()
  }
  return
}

// The place may be another one each time, but that is not known.
func.func @somewhere(%n: index, %c: i1) {
  %m = memref.alloca() : memref<64xi8>
  scf.forall (%i) in (%n) {
    scf.if %c {
      // expected-error @+1 {{shares a merged buffer}}
      %a = memref.view %m[%i][] : memref<64xi8> to memref<2xf64>
      func.call @use(%a) : (memref<2xf64>) -> ()
    }
  }
  return
}

// One for each iteration of the outer loop is shared by those of the inner one.
func.func @nested(%n: index, %s: index) {
  %0 = arith.constant 0 : index
  scf.parallel (%i) = (%0) to (%n) step (%s) {
    %m = memref.alloc() : memref<32xi8>
    %a = memref.view %m[%0][] : memref<32xi8> to memref<2xf64>
    func.call @use(%a) : (memref<2xf64>) -> ()
    scf.parallel (%j) = (%0) to (%n) step (%s) {
      %16 = arith.constant 16 : index
      // expected-error @+1 {{shares a merged buffer}}
      %b = memref.view %m[%16][] : memref<32xi8> to memref<2xf64>
      func.call @use(%b) : (memref<2xf64>) -> ()
    }
  }
  return
}

func.func @threads() {
  %m = memref.alloc() : memref<16xi8>
  %0 = arith.constant 0 : index
  omp.parallel {
    // expected-error @+1 {{`omp.parallel` may run at once}}
    %a = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
    func.call @use(%a) : (memref<2xf64>) -> ()
    omp.terminator
  }
  return
}

// Functions that divide what they are passed: @inner by itself, @outer through @inner.
func.func private @inner(%m: memref<?xi8>) {
  %0 = arith.constant 0 : index
  %a = memref.view %m[%0][] : memref<?xi8> to memref<2xf64>
  func.call @use(%a) : (memref<2xf64>) -> ()
  return
}
func.func private @outer(%m: memref<16xi8>) {
  %c = memref.cast %m : memref<16xi8> to memref<?xi8>
  func.call @inner(%c) : (memref<?xi8>) -> ()
  return
}
func.func @calls(%n: index, %s: index) {
  %m = memref.alloc() : memref<32xi8>
  %k = memref.alloc() : memref<16xi8>
  %0 = arith.constant 0 : index
  %v = memref.view %m[%0][] : memref<32xi8> to memref<16xi8>
  scf.parallel (%i) = (%0) to (%n) step (%s) {
    // expected-error @+1 {{shares a merged buffer}}
    func.call @outer(%v) : (memref<16xi8>) -> ()
    // expected-error @+1 {{shares a merged buffer}}
    func.call @outer(%k) : (memref<16xi8>) -> ()
    %own = memref.alloc() : memref<16xi8>
    func.call @outer(%own) : (memref<16xi8>) -> ()
  }
  return
}

// A buffer made outside is shared on purpose: iterations write different elements of it.
func.func @elements(%n: index, %s: index, %x: f64) {
  %m = memref.alloc() : memref<32xi8>
  %0 = arith.constant 0 : index
  %a = memref.view %m[%0][] : memref<32xi8> to memref<4xf64>
  scf.parallel (%i) = (%0) to (%n) step (%s) {
    memref.store %x, %a[%i] : memref<4xf64>
    func.call @many(%a) : (memref<4xf64>) -> ()
  }
  return
}
func.func private @many(memref<4xf64>)

// Each iteration has its own.
func.func @own(%n: index, %s: index) {
  %0 = arith.constant 0 : index
  scf.parallel (%i) = (%0) to (%n) step (%s) {
    %m = memref.alloc() : memref<16xi8>
    %a = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
    func.call @use(%a) : (memref<2xf64>) -> ()
    scf.for %j = %0 to %n step %s {
      %b = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
      func.call @use(%b) : (memref<2xf64>) -> ()
    }
  }
  return
}
