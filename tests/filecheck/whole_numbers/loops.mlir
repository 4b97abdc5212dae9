// Indices are computed with integers, and checks that cannot fail are gone.
// RUN: toy-opt %s --pass-pipeline='builtin.module(toy-whole-numbers)' | FileCheck %s

func.func private @fail(f64)

// The check that a number is whole, as Toy's subscripts have it, and one that it is in range.
// CHECK-LABEL: func.func @neighbor(
// CHECK:         scf.for %[[I:.*]] =
// CHECK-NOT:       f64 to i64
// CHECK-NOT:       scf.if
// CHECK:           %[[N:.*]] = arith.addi
// CHECK:           %[[X:.*]] = arith.index_cast %[[N]] : i64 to index
// CHECK-NEXT:      memref.load %{{.*}}[%[[X]]]
func.func @neighbor(%m: memref<9xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c9 = arith.constant 9 : index
  %zero = arith.constant 0.0 : f64
  %one = arith.constant 1.0 : f64
  %most = arith.constant 9007199254740992.0 : f64
  %least = arith.constant -9007199254740992.0 : f64
  scf.for %i = %c0 to %c8 step %c1 {
    %n = arith.index_cast %i : index to i64
    %f = arith.sitofp %n : i64 to f64
    %next = arith.addf %f, %one : f64
    %below = arith.cmpf olt, %next, %most : f64
    %above = arith.cmpf ogt, %next, %least : f64
    %fits = arith.andi %below, %above : i1
    %small = arith.select %fits, %next, %zero : f64
    %whole = arith.fptosi %small : f64 to i64
    %back = arith.sitofp %whole : i64 to f64
    %bad = arith.cmpf une, %back, %next : f64
    scf.if %bad {
      func.call @fail(%next) : (f64) -> ()
    }
    %x = arith.index_cast %whole : i64 to index
    %outside = arith.cmpi uge, %x, %c9 : index
    scf.if %outside {
      func.call @fail(%next) : (f64) -> ()
    }
    %e = memref.load %m[%x] : memref<9xf64>
    memref.store %e, %m[%i] : memref<9xf64>
  }
  return
}

// A loop carries an integer; what it is compared with can be larger, so that check stays.
// CHECK-LABEL: func.func @carried(
// CHECK:         scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}) -> (i64)
// CHECK:           arith.cmpi uge
// CHECK:           scf.if
// CHECK:           %[[NEW:.*]] = scf.if %{{.*}} -> (i64)
// CHECK:           scf.yield %[[NEW]] : i64
func.func @carried(%m: memref<9xf64>, %d: f64) -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c12 = arith.constant 12 : index
  %zero = arith.constant 0.0 : f64
  %r = scf.for %i = %c0 to %c12 step %c1 iter_args(%p = %zero) -> (f64) {
    %n = arith.index_cast %i : index to i64
    %f = arith.sitofp %n : i64 to f64
    %whole = arith.fptosi %p : f64 to i64
    %x = arith.index_cast %whole : i64 to index
    %outside = arith.cmpi uge, %x, %c8 : index
    scf.if %outside {
      func.call @fail(%p) : (f64) -> ()
    }
    %e = memref.load %m[%x] : memref<9xf64>
    %larger = arith.cmpf ogt, %d, %e : f64
    %new = scf.if %larger -> (f64) {
      scf.yield %f : f64
    } else {
      scf.yield %p : f64
    }
    scf.yield %new : f64
  }
  return %r : f64
}

// `x - c * floor(x / c)` is a remainder; of a power of two, a mask.
// CHECK-LABEL: func.func @wrapped(
// CHECK:         %[[C7:.*]] = arith.constant 7 : i64
// CHECK-NEXT:    arith.remsi %{{.*}}, %[[C7]]
// CHECK:         %[[M:.*]] = arith.constant 15 : i64
// CHECK-NEXT:    arith.andi %{{.*}}, %[[M]]
func.func @wrapped() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c90 = arith.constant 90 : index
  %seven = arith.constant 7.0 : f64
  %sixteen = arith.constant 16.0 : f64
  scf.for %i = %c0 to %c90 step %c1 {
    %n = arith.index_cast %i : index to i64
    %f = arith.sitofp %n : i64 to f64
    %q = arith.divf %f, %seven : f64
    %b = math.floor %q : f64
    %p = arith.mulf %seven, %b : f64
    %r = arith.subf %f, %p : f64
    %x = arith.fptosi %r : f64 to i64
    func.call @use(%x) : (i64) -> ()
    %q2 = arith.divf %f, %sixteen : f64
    %b2 = math.floor %q2 : f64
    %p2 = arith.mulf %b2, %sixteen : f64
    %r2 = arith.subf %f, %p2 : f64
    %y = arith.fptosi %r2 : f64 to i64
    func.call @use(%y) : (i64) -> ()
  }
  return
}
func.func private @use(i64)

// Nothing is known about a parameter that others pass, nor about an element; halves are not whole.
// CHECK-LABEL: func.func @unknown(
// CHECK-COUNT-3: arith.fptosi
func.func @unknown(%a: f64, %m: memref<f64>, %n: i1) {
  %x = arith.fptosi %a : f64 to i64
  func.call @use(%x) : (i64) -> ()
  %e = memref.load %m[] : memref<f64>
  %y = arith.fptosi %e : f64 to i64
  func.call @use(%y) : (i64) -> ()
  %half = arith.constant 0.5 : f64
  %one = arith.constant 1.0 : f64
  %h = arith.select %n, %half, %one : f64
  %z = arith.fptosi %h : f64 to i64
  func.call @use(%z) : (i64) -> ()
  return
}

// -0.0 is no integer: what a loop carries stays a number, so that 1 / p has its sign.
// CHECK-LABEL: func.func @minus_zero(
// CHECK:         scf.for {{.*}} -> (f64)
func.func @minus_zero() -> f64 {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %minus = arith.constant -1.0 : f64
  %one = arith.constant 1.0 : f64
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%p = %one) -> (f64) {
    %x = arith.fptosi %p : f64 to i64
    func.call @use(%x) : (i64) -> ()
    %n = arith.index_cast %i : index to i64
    %f = arith.sitofp %n : i64 to f64
    %q = arith.mulf %f, %minus : f64
    scf.yield %q : f64
  }
  %s = arith.divf %one, %r : f64
  return %s : f64
}

// A counter without a bound may become too large.
// CHECK-LABEL: func.func @counter(
// CHECK:         scf.while {{.*}} -> f64
func.func @counter(%d: f64) -> f64 {
  %one = arith.constant 1.0 : f64
  %r = scf.while (%p = %one) : (f64) -> f64 {
    %again = arith.cmpf olt, %p, %d : f64
    scf.condition(%again) %p : f64
  } do {
  ^bb0(%p: f64):
    %x = arith.fptosi %p : f64 to i64
    func.call @use(%x) : (i64) -> ()
    %q = arith.addf %p, %one : f64
    scf.yield %q : f64
  }
  return %r : f64
}

// Private functions take and return integers.
// CHECK-LABEL: func.func private @twice(
// CHECK-SAME:    i64) -> i64
func.func private @twice(%n: f64) -> f64 {
  %s = arith.addf %n, %n : f64
  return %s : f64
}
// CHECK-LABEL: func.func @calls(
func.func @calls() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c9 = arith.constant 9 : index
  scf.for %i = %c0 to %c9 step %c1 {
    %n = arith.index_cast %i : index to i64
    %f = arith.sitofp %n : i64 to f64
    // CHECK: func.call @twice(%{{.*}}) : (i64) -> i64
    %t = func.call @twice(%f) : (f64) -> f64
    %x = arith.fptosi %t : f64 to i64
    func.call @use(%x) : (i64) -> ()
  }
  return
}

// A fused product of whole numbers that is exact is a product and a sum. One that may be too large is not: it is rounded
// later than a product.
// CHECK-LABEL: func.func @fused(
// CHECK:         %[[P:.*]] = arith.muli
// CHECK-NEXT:    %[[S:.*]] = arith.addi %{{.*}}, %[[P]]
// CHECK-NEXT:    call @use(%[[S]])
// CHECK:         math.fma
func.func @fused() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c90 = arith.constant 90 : index
  %seven = arith.constant 7.0 : f64
  %large = arith.constant 4503599627370496.0 : f64
  scf.for %i = %c0 to %c90 step %c1 {
    %n = arith.index_cast %i : index to i64
    %f = arith.sitofp %n : i64 to f64
    %p = math.fma %f, %f, %seven : f64
    %x = arith.fptosi %p : f64 to i64
    func.call @use(%x) : (i64) -> ()
    %q = math.fma %f, %large, %seven : f64
    %y = arith.fptosi %q : f64 to i64
    func.call @use(%y) : (i64) -> ()
  }
  return
}
