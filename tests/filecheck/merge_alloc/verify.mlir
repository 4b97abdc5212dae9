// The judge of merged allocations: what is right, and what is wrong in each way it can be.
// RUN: toy-opt %s --lower-affine --convert-scf-to-cf --verify-merged-allocs --verify-diagnostics
// RUN: toy-opt %s --merge-alloc --verify-merged-allocs --verify-diagnostics
// RUN: not toy-opt %s --verify-merged-allocs 2>&1 | FileCheck %s --check-prefix=CODE
// CODE: error[E0406]: two merged buffers share the bytes
func.func private @use(memref<2xf64>)
func.func private @use2(memref<2xf64>, memref<2xf64>)
func.func private @work(memref<32xi8>)

func.func @one_after_the_other() {
  %m = memref.alloc() : memref<16xi8>
  %0 = arith.constant 0 : index
  %a = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
  %b = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
  call @use(%a) : (memref<2xf64>) -> ()
  call @use(%b) : (memref<2xf64>) -> ()
  return
}

func.func @both_in_one_operation() {
  %m = memref.alloc() : memref<24xi8>
  %0 = arith.constant 0 : index
  %8 = arith.constant 8 : index
  %a = memref.view %m[%0][] : memref<24xi8> to memref<2xf64>
  %b = memref.view %m[%8][] : memref<24xi8> to memref<2xf64>
  // expected-error @+1 {{share the bytes 8 to 15}}
  call @use2(%a, %b) : (memref<2xf64>, memref<2xf64>) -> ()
  return
}

func.func @in_between() {
  %m = memref.alloc() : memref<16xi8>
  %0 = arith.constant 0 : index
  %a = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
  %b = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
  call @use(%a) : (memref<2xf64>) -> ()
  // expected-error @+1 {{share the bytes 0 to 15}}
  call @use(%b) : (memref<2xf64>) -> ()
  %u = memref.cast %a : memref<2xf64> to memref<?xf64>
  %f = memref.load %u[%0] : memref<?xf64>
  return
}

func.func @in_one_iteration(%n: index, %s: index) {
  %m = memref.alloc() : memref<16xi8>
  %0 = arith.constant 0 : index
  scf.for %i = %0 to %n step %s {
    %a = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
    func.call @use(%a) : (memref<2xf64>) -> ()
    %b = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
    func.call @use(%b) : (memref<2xf64>) -> ()
  }
  return
}

// The first is needed in the next iteration.
func.func @in_every_iteration(%n: index, %s: index) {
  %m = memref.alloc() : memref<16xi8>
  %0 = arith.constant 0 : index
  %a = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
  scf.for %i = %0 to %n step %s {
    func.call @use(%a) : (memref<2xf64>) -> ()
    %b = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
    // expected-error @+1 {{share the bytes 0 to 15}}
    func.call @use(%b) : (memref<2xf64>) -> ()
  }
  return
}

func.func @in_two_branches(%c: i1) {
  %m = memref.alloc() : memref<16xi8>
  %0 = arith.constant 0 : index
  %a = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
  %b = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
  cf.cond_br %c, ^bb1, ^bb2
^bb1:
  call @use(%a) : (memref<2xf64>) -> ()
  call @use(%a) : (memref<2xf64>) -> ()
  cf.br ^bb3
^bb2:
  call @use(%b) : (memref<2xf64>) -> ()
  call @use(%b) : (memref<2xf64>) -> ()
  cf.br ^bb3
^bb3:
  return
}

// One of two at the end: neither may be overwritten.
func.func @through_branches(%c: i1) {
  %m = memref.alloc() : memref<32xi8>
  %0 = arith.constant 0 : index
  %16 = arith.constant 16 : index
  %a = memref.view %m[%0][] : memref<32xi8> to memref<2xf64>
  %b = memref.view %m[%16][] : memref<32xi8> to memref<2xf64>
  %d = memref.view %m[%0][] : memref<32xi8> to memref<2xf64>
  %e = memref.view %m[%16][] : memref<32xi8> to memref<2xf64>
  call @use2(%a, %b) : (memref<2xf64>, memref<2xf64>) -> ()
  cf.cond_br %c, ^bb1(%a : memref<2xf64>), ^bb1(%b : memref<2xf64>)
^bb1(%x: memref<2xf64>):
  // expected-error @+1 {{share the bytes 0 to 15}}
  call @use(%d) : (memref<2xf64>) -> ()
  // expected-error @+1 {{share the bytes 16 to 31}}
  call @use(%e) : (memref<2xf64>) -> ()
  call @use(%x) : (memref<2xf64>) -> ()
  return
}

// What the next iteration gets is another buffer than the one that it makes.
func.func @made_in_a_branch(%n: index, %s: index, %c: i1) {
  %m = memref.alloc() : memref<32xi8>
  %0 = arith.constant 0 : index
  %16 = arith.constant 16 : index
  cf.br ^bb1(%0 : index)
^bb1(%i: index):
  %t = memref.view %m[%0][] : memref<32xi8> to memref<2xf64>
  call @use(%t) : (memref<2xf64>) -> ()
  cf.cond_br %c, ^bb2, ^bb3
^bb2:
  %a = memref.view %m[%0][] : memref<32xi8> to memref<2xf64>
  call @use(%a) : (memref<2xf64>) -> ()
  cf.br ^bb4(%a : memref<2xf64>)
^bb3:
  %b = memref.view %m[%16][] : memref<32xi8> to memref<2xf64>
  call @use(%b) : (memref<2xf64>) -> ()
  cf.br ^bb4(%b : memref<2xf64>)
^bb4(%x: memref<2xf64>):
  call @use(%x) : (memref<2xf64>) -> ()
  %j = arith.addi %i, %s : index
  %more = arith.cmpi slt, %j, %n : index
  cf.cond_br %more, ^bb1(%j : index), ^bb5
^bb5:
  return
}

func.func @from_the_caller(%m: memref<32xi8>) {
  %0 = arith.constant 0 : index
  %8 = arith.constant 8 : index
  %a = memref.view %m[%0][] : memref<32xi8> to memref<2xf64>
  %b = memref.view %m[%8][] : memref<32xi8> to memref<2xf64>
  call @use(%a) : (memref<2xf64>) -> ()
  // expected-error @+1 {{share the bytes 8 to 15}}
  call @use(%b) : (memref<2xf64>) -> ()
  call @use(%a) : (memref<2xf64>) -> ()
  return
}

// Whoever gets all the bytes may use them all.
func.func @everything() {
  %m = memref.alloc() : memref<32xi8>
  %0 = arith.constant 0 : index
  %a = memref.view %m[%0][] : memref<32xi8> to memref<2xf64>
  call @work(%m) : (memref<32xi8>) -> ()
  call @use(%a) : (memref<2xf64>) -> ()
  // expected-error @+1 {{share the bytes 0 to 15}}
  call @work(%m) : (memref<32xi8>) -> ()
  call @use(%a) : (memref<2xf64>) -> ()
  return
}

func.func @beyond_the_end() {
  %m = memref.alloc() : memref<16xi8>
  %8 = arith.constant 8 : index
  // expected-error @+1 {{ends at byte 24, its allocation at 16}}
  %a = memref.view %m[%8][] : memref<16xi8> to memref<2xf64>
  call @use(%a) : (memref<2xf64>) -> ()
  return
}

func.func @returned() -> memref<2xf64> {
  %m = memref.alloc() : memref<16xi8>
  %0 = arith.constant 0 : index
  %a = memref.view %m[%0][] : memref<16xi8> to memref<2xf64>
  // expected-error @+1 {{gets out of the function}}
  return %a : memref<2xf64>
}

func.func private @first(%a: memref<2xf64>, %b: memref<2xf64>) -> memref<2xf64> {
  return %a : memref<2xf64>
}

// The result is the first argument, and the second one may be overwritten.
func.func @what_a_call_returns() {
  %m = memref.alloc() : memref<32xi8>
  %0 = arith.constant 0 : index
  %16 = arith.constant 16 : index
  %a = memref.view %m[%0][] : memref<32xi8> to memref<2xf64>
  %b = memref.view %m[%16][] : memref<32xi8> to memref<2xf64>
  %d = memref.view %m[%0][] : memref<32xi8> to memref<2xf64>
  %e = memref.view %m[%16][] : memref<32xi8> to memref<2xf64>
  %r = call @first(%a, %b) : (memref<2xf64>, memref<2xf64>) -> memref<2xf64>
  // expected-error @+1 {{share the bytes 0 to 15}}
  call @use(%d) : (memref<2xf64>) -> ()
  call @use(%e) : (memref<2xf64>) -> ()
  call @use(%r) : (memref<2xf64>) -> ()
  return
}
