// Deallocation of LLVM 22 compares the addresses of elements to find out whether two buffers are one. Those of a view with an
// offset are not those of its allocation, so it was freed while it was in use, or twice.
// RUN: toyc %s -O0 -emit=jit | FileCheck %s
// RUN: toyc %s -O3 -emit=jit | FileCheck %s
// RUN: toyc %s -O0 -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -O1 -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -O2 -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -O3 -o %t && valgrind -q --leak-check=full --error-exitcode=9 %t | FileCheck %s
// RUN: toyc %s -emit=dealloc | toyc -x mlir - -emit=jit | FileCheck %s
// RUN: toyc %s -emit=dealloc | FileCheck %s --check-prefix=MARKED
// RUN: toyc %s -emit=mlir-llvm | FileCheck %s --check-prefix=READ
// MARKED-LABEL: @branch(
// MARKED: memref.extract_aligned_pointer_as_index {{.*}} {toyc.allocated}
// An address that the program asks for stays one of elements.
// MARKED-LABEL: @distance(
// MARKED-NOT: toyc.allocated
// MARKED-LABEL: @main(
// READ-LABEL: @branch(
// READ: llvm.extractvalue %{{.*}}[0]
// READ-NOT: toyc.allocated
// CHECK: 2.500000 2.500000 1.000000 1.000000 2.500000 2.500000 3.500000 3.500000 4.500000 4.500000 4.500000 4.500000 3.500000 3.500000 2.500000 2.500000 5.500000 16.000000
func.func private @toy_print(memref<*xf64> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}
func.func private @show(%a: memref<2xf64>) {
  %u = memref.cast %a : memref<2xf64> to memref<*xf64>
  call @toy_print(%u) : (memref<*xf64>) -> ()
  return
}
func.func private @branch(%a: memref<2xf64>, %c: i1) -> memref<2xf64> {
  %c16 = arith.constant 16 : index
  %g = arith.constant 2.5 : f64
  %by = memref.alloc() : memref<96xi8>
  %v = memref.view %by[%c16][] : memref<96xi8> to memref<2xf64>
  linalg.fill ins(%g : f64) outs(%v : memref<2xf64>)
  %w = scf.if %c -> (memref<2xf64>) {
    scf.yield %a : memref<2xf64>
  } else {
    scf.yield %v : memref<2xf64>
  }
  return %w : memref<2xf64>
}
// Two views of one allocation.
func.func private @two(%a: memref<2xf64>, %n: index, %c: i1) -> (memref<2xf64>, memref<2xf64>) {
  %c8 = arith.constant 8 : index
  %c32 = arith.constant 32 : index
  %f = arith.constant 2.5 : f64
  %g = arith.constant 3.5 : f64
  %by = memref.alloc() : memref<96xi8>
  %at = arith.muli %n, %c8 : index
  %v = memref.view %by[%at][] : memref<96xi8> to memref<2xf64>
  linalg.fill ins(%f : f64) outs(%v : memref<2xf64>)
  %inner = memref.view %by[%c32][] : memref<96xi8> to memref<64xi8>
  %w = memref.view %inner[%c8][] : memref<64xi8> to memref<2xf64>
  linalg.fill ins(%g : f64) outs(%w : memref<2xf64>)
  %s = arith.select %c, %w, %a : memref<2xf64>
  return %v, %s : memref<2xf64>, memref<2xf64>
}
// A loop that carries a view, and makes another one.
func.func private @loop(%a: memref<2xf64>, %n: index, %x: f64) -> (memref<2xf64>, memref<2xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c24 = arith.constant 24 : index
  %one = arith.constant 1.0 : f64
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%y = %a, %z = %a, %s = %x) -> (memref<2xf64>, memref<2xf64>, f64) {
    %by = memref.alloc() : memref<96xi8>
    %v = memref.view %by[%c24][] : memref<96xi8> to memref<2xf64>
    linalg.fill ins(%s : f64) outs(%v : memref<2xf64>)
    %t = arith.addf %s, %one : f64
    scf.yield %v, %y, %t : memref<2xf64>, memref<2xf64>, f64
  }
  return %r#0, %r#1 : memref<2xf64>, memref<2xf64>
}
func.func private @while(%a: memref<2xf64>, %n: index) -> memref<2xf64> {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c24 = arith.constant 24 : index
  %r:2 = scf.while (%i = %c0, %y = %a) : (index, memref<2xf64>) -> (index, memref<2xf64>) {
    %k = arith.cmpi ult, %i, %n : index
    scf.condition(%k) %i, %y : index, memref<2xf64>
  } do {
  ^bb0(%i: index, %y: memref<2xf64>):
    %by = memref.alloc() : memref<96xi8>
    %v = memref.view %by[%c24][] : memref<96xi8> to memref<2xf64>
    memref.copy %y, %v : memref<2xf64> to memref<2xf64>
    %j = arith.addi %i, %c1 : index
    scf.yield %j, %v : index, memref<2xf64>
  }
  return %r#1 : memref<2xf64>
}
// Without a rank, and through other views of the view.
func.func private @unranked(%a: memref<*xf64>, %c: i1) -> memref<*xf64> {
  %c40 = arith.constant 40 : index
  %g = arith.constant 5.5 : f64
  %by = memref.alloc() : memref<96xi8>
  %v = memref.view %by[%c40][] : memref<96xi8> to memref<4xf64>
  linalg.fill ins(%g : f64) outs(%v : memref<4xf64>)
  %s = memref.subview %v[1] [2] [1] : memref<4xf64> to memref<2xf64, strided<[1], offset: 1>>
  %t = memref.reinterpret_cast %s to offset: [0], sizes: [1], strides: [1] : memref<2xf64, strided<[1], offset: 1>> to memref<1xf64>
  %u = memref.cast %t : memref<1xf64> to memref<*xf64>
  %w = arith.select %c, %a, %u : memref<*xf64>
  return %w : memref<*xf64>
}
func.func private @distance() -> f64 {
  %c16 = arith.constant 16 : index
  %by = memref.alloc() : memref<96xi8>
  %v = memref.view %by[%c16][] : memref<96xi8> to memref<2xf64>
  %i = memref.extract_aligned_pointer_as_index %by : memref<96xi8> -> index
  %j = memref.extract_aligned_pointer_as_index %v : memref<2xf64> -> index
  %d = arith.subi %j, %i : index
  %k = arith.index_cast %d : index to i64
  %f = arith.sitofp %k : i64 to f64
  return %f : f64
}
func.func @main() {
  %f = arith.constant 1.0 : f64
  %g = arith.constant 3.5 : f64
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c2 = arith.constant 2 : index
  %b = memref.alloc() : memref<2xf64>
  linalg.fill ins(%f : f64) outs(%b : memref<2xf64>)
  %e = memref.load %b[%c1] : memref<2xf64>
  %p = arith.cmpf oeq, %e, %e : f64
  %t = arith.constant true
  %q = arith.xori %p, %t : i1
  %0 = call @branch(%b, %q) : (memref<2xf64>, i1) -> memref<2xf64>
  call @show(%0) : (memref<2xf64>) -> ()
  %1 = call @branch(%b, %p) : (memref<2xf64>, i1) -> memref<2xf64>
  call @show(%1) : (memref<2xf64>) -> ()
  %2:2 = call @two(%b, %c2, %p) : (memref<2xf64>, index, i1) -> (memref<2xf64>, memref<2xf64>)
  call @show(%2#0) : (memref<2xf64>) -> ()
  call @show(%2#1) : (memref<2xf64>) -> ()
  %3:2 = call @loop(%b, %c2, %g) : (memref<2xf64>, index, f64) -> (memref<2xf64>, memref<2xf64>)
  call @show(%3#0) : (memref<2xf64>) -> ()
  %4 = call @while(%3#0, %c2) : (memref<2xf64>, index) -> memref<2xf64>
  call @show(%4) : (memref<2xf64>) -> ()
  call @show(%3#1) : (memref<2xf64>) -> ()
  %5 = call @while(%2#0, %c0) : (memref<2xf64>, index) -> memref<2xf64>
  call @show(%5) : (memref<2xf64>) -> ()
  %u = memref.cast %b : memref<2xf64> to memref<*xf64>
  %6 = call @unranked(%u, %q) : (memref<*xf64>, i1) -> memref<*xf64>
  call @toy_print(%6) : (memref<*xf64>) -> ()
  %d = call @distance() : () -> f64
  %m = memref.alloc() : memref<1xf64>
  memref.store %d, %m[%c0] : memref<1xf64>
  %w = memref.cast %m : memref<1xf64> to memref<*xf64>
  call @toy_print(%w) : (memref<*xf64>) -> ()
  return
}
