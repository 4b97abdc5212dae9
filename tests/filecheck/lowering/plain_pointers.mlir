// Buffers of static shape are plain pointers where nothing needs more, and only there.
// RUN: toy-opt %s --toy-plain-pointers --allow-unregistered-dialect | FileCheck %s
// RUN: toyc %s -emit=jit -O0 | FileCheck %s --check-prefix=OUTPUT
// RUN: toyc %s -emit=jit -O2 | FileCheck %s --check-prefix=OUTPUT
// RUN: toyc %s -emit=llvm -O0 | FileCheck %s --check-prefix=PUBLIC
// RUN: toyc %s -emit=mlir-llvm -g | FileCheck %s --check-prefix=LLVM
// CHECK:     llvm.mlir.global private constant @numbers(dense<[1.000000e+00, 2.000000e+00]> : tensor<2xf64>) {addr_space = 0 : i32} : !llvm.array<2 x f64>
// CHECK:     memref.global "private" @variable
// CHECK:     memref.global "private" constant @shown
memref.global "private" constant @numbers : memref<2xf64> = dense<[1.0, 2.0]>
memref.global "private" @variable : memref<2xf64> = dense<[3.0, 4.0]>
memref.global "private" constant @shown : memref<2xf64> = dense<[5.0, 6.0]>
func.func private @toy_print(memref<*xf64> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}

// CHECK-LABEL: func.func private @used(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: index) -> f64
// CHECK:         [[I:%.*]] = arith.index_cast %arg2 : index to i64
// CHECK:         [[P:%.*]] = llvm.getelementptr inbounds|nuw %arg0{{\[}}[[I]], 1] : (!llvm.ptr, i64) -> !llvm.ptr, !llvm.array<3 x f64>
// CHECK-NEXT:    [[X:%.*]] = llvm.load [[P]] : !llvm.ptr -> f64
// CHECK-NEXT:    llvm.store [[X]], %arg1 : f64, !llvm.ptr
// CHECK-NEXT:    return [[X]]
// LLVM-LABEL: llvm.func internal @used(%arg0: !llvm.ptr, %arg1: !llvm.ptr, %arg2: i64) -> f64
func.func private @used(%a: memref<2x3xf64>, %b: memref<f64>, %i: index) -> f64 {
  %c1 = arith.constant 1 : index
  %x = memref.load %a[%i, %c1] : memref<2x3xf64>
  memref.store %x, %b[] : memref<f64>
  return %x : f64
}

// Memory is malloc's and free's, copies are memcpy's, and views of it are it.
// CHECK-LABEL: func.func private @memory()
// CHECK:         [[SIZE:%.*]] = llvm.mlir.constant(48 : i64) : i64
// CHECK:         [[M:%.*]] = llvm.call @malloc([[SIZE]]) : (i64) -> !llvm.ptr
// CHECK:         [[V:%.*]] = llvm.getelementptr inbounds|nuw [[M]][8] : (!llvm.ptr) -> !llvm.ptr, i8
// CHECK:         [[N:%.*]] = llvm.mlir.addressof @numbers : !llvm.ptr
// CHECK:         "llvm.intr.memcpy"([[V]], [[N]], %{{.*}}) <{isVolatile = false}>
// CHECK:         [[E:%.*]] = llvm.getelementptr inbounds|nuw [[V]][1] : (!llvm.ptr) -> !llvm.ptr, f64
// CHECK:         llvm.load [[E]]
// CHECK:         llvm.call @free([[M]]) : (!llvm.ptr) -> ()
// CHECK-NOT:     memref
// CHECK:         return
func.func private @memory() -> f64 {
  %m = memref.alloc() : memref<48xi8>
  %c8 = arith.constant 8 : index
  %v = memref.view %m[%c8][] : memref<48xi8> to memref<2xf64>
  %n = memref.get_global @numbers : memref<2xf64>
  memref.copy %n, %v : memref<2xf64> to memref<2xf64>
  %e = memref.expand_shape %v [[0, 1]] output_shape [1, 2] : memref<2xf64> into memref<1x2xf64>
  %c = memref.collapse_shape %e [[0, 1]] : memref<1x2xf64> into memref<2xf64>
  %c1 = arith.constant 1 : index
  %x = memref.load %c[%c1] : memref<2xf64>
  memref.dealloc %m : memref<48xi8>
  return %x : f64
}

// The addresses of what stays a memref are read out of it.
// CHECK-LABEL: func.func private @kept(
// CHECK-SAME:    memref<2xf64>
// CHECK-SAME:    memref<2xf64, 1>
// CHECK-SAME:    memref<?xf64>
// CHECK-SAME:    memref<2xf64, strided<[2]>>
// CHECK-SAME:    memref<2xi1>
// CHECK-SAME:    memref<2xindex>
// CHECK-SAME:    memref<0xf64>
// CHECK:         memref.dealloc %arg0
// CHECK:         memref.alloc() {alignment = 64 : i64} : memref<2xf64>
// CHECK-NEXT:    builtin.unrealized_conversion_cast
// CHECK-NEXT:    llvm.extractvalue %{{.*}}[1]
// CHECK:         memref.dealloc
func.func private @kept(%freed: memref<2xf64>, %space: memref<2xf64, 1>, %dynamic: memref<?xf64>,
    %strided: memref<2xf64, strided<[2]>>, %bits: memref<2xi1>, %indices: memref<2xindex>,
    %empty: memref<0xf64>) {
  memref.dealloc %freed : memref<2xf64>
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0.0 : f64
  %aligned = memref.alloc() {alignment = 64 : i64} : memref<2xf64>
  memref.store %zero, %aligned[%c0] : memref<2xf64>
  memref.dealloc %aligned : memref<2xf64>
  return
}

// What is passed on to be freed must be a memref all the way.
// CHECK-LABEL: func.func private @frees(%arg0: memref<2xf64>)
func.func private @frees(%a: memref<2xf64>) {
  call @passes_on(%a) : (memref<2xf64>) -> ()
  return
}
// CHECK-LABEL: func.func private @passes_on(%arg0: memref<2xf64>)
func.func private @passes_on(%a: memref<2xf64>) {
  memref.dealloc %a : memref<2xf64>
  return
}
// So must what is returned, shown to others, or carried round a loop.
// CHECK-LABEL: func.func private @returns(%arg0: memref<2xf64>)
func.func private @returns(%a: memref<2xf64>) -> memref<2xf64> {
  return %a : memref<2xf64>
}
// CHECK-LABEL: func.func private @shows(%arg0: memref<2xf64>)
func.func private @shows(%a: memref<2xf64>) {
  %u = memref.cast %a : memref<2xf64> to memref<*xf64>
  call @toy_print(%u) : (memref<*xf64>) -> ()
  return
}
// CHECK-LABEL: func.func private @carries(%arg0: memref<2xf64>, %arg1: memref<2xf64>, %arg2: !llvm.ptr)
// CHECK:         scf.for {{.*}} -> (memref<2xf64>, memref<2xf64>)
func.func private @carries(%a: memref<2xf64>, %b: memref<2xf64>, %sum: memref<2xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 iter_args(%x = %a, %y = %b) -> (memref<2xf64>, memref<2xf64>) {
    %p = memref.load %x[%c1] : memref<2xf64>
    %q = memref.load %sum[%c0] : memref<2xf64>
    %r = arith.addf %p, %q : f64
    memref.store %r, %sum[%c0] : memref<2xf64>
    scf.yield %y, %x : memref<2xf64>, memref<2xf64>
  }
  return
}

// Functions that others may call keep their types.
// CHECK-LABEL: func.func @public(%arg0: memref<2xf64>)
// PUBLIC-LABEL: define double @public(ptr %0, ptr %1, i64 %2, i64 %3, i64 %4)
func.func @public(%a: memref<2xf64>) -> f64 {
  %c1 = arith.constant 1 : index
  %x = memref.load %a[%c1] : memref<2xf64>
  return %x : f64
}
// CHECK-LABEL: func.func private @by_address(%arg0: memref<2xf64>)
func.func private @by_address(%a: memref<2xf64>) -> f64 {
  %c0 = arith.constant 0 : index
  %x = memref.load %a[%c0] : memref<2xf64>
  return %x : f64
}
// CHECK-LABEL: func.func private @from_c(%arg0: memref<2xf64>)
func.func private @from_c(%a: memref<2xf64>) attributes {llvm.emit_c_interface} {
  return
}

// Recursion ends with the parameters as they are.
// CHECK-LABEL: func.func private @recursive(%arg0: !llvm.ptr, %arg1: i1) -> f64
// CHECK:         call @recursive(%arg0, %{{.*}}) : (!llvm.ptr, i1) -> f64
func.func private @recursive(%a: memref<2xf64>, %again: i1) -> f64 {
  %no = arith.constant false
  %c0 = arith.constant 0 : index
  %x = scf.if %again -> f64 {
    %y = func.call @recursive(%a, %no) : (memref<2xf64>, i1) -> f64
    scf.yield %y : f64
  } else {
    %y = memref.load %a[%c0] : memref<2xf64>
    scf.yield %y : f64
  }
  return %x : f64
}

// OUTPUT: 2.000000 2.000000 4.000000 1.000000 5.000000 6.000000 12.000000 0.000000
func.func @main() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %yes = arith.constant true
  %zero = arith.constant 0.0 : f64
  %a = memref.alloc() : memref<2x3xf64>
  %b = memref.alloc() : memref<f64>
  %out = memref.alloc() : memref<2xf64>
  %m = call @memory() : () -> f64
  memref.store %m, %a[%c1, %c1] : memref<2x3xf64>
  %u = call @used(%a, %b, %c1) : (memref<2x3xf64>, memref<f64>, index) -> f64
  %v = memref.load %b[] : memref<f64>
  memref.store %u, %out[%c0] : memref<2xf64>
  memref.store %v, %out[%c1] : memref<2xf64>
  call @shows(%out) : (memref<2xf64>) -> ()
  %numbers = memref.get_global @numbers : memref<2xf64>
  %variable = memref.get_global @variable : memref<2xf64>
  %p = call @public(%variable) : (memref<2xf64>) -> f64
  %f = func.constant @by_address : (memref<2xf64>) -> f64
  %r = call @recursive(%numbers, %yes) : (memref<2xf64>, i1) -> f64
  memref.store %p, %out[%c0] : memref<2xf64>
  memref.store %r, %out[%c1] : memref<2xf64>
  call @shows(%out) : (memref<2xf64>) -> ()
  %shown = memref.get_global @shown : memref<2xf64>
  call @shows(%shown) : (memref<2xf64>) -> ()
  %q = func.call_indirect %f(%variable) : (memref<2xf64>) -> f64
  memref.store %q, %variable[%c1] : memref<2xf64>
  memref.store %zero, %out[%c0] : memref<2xf64>
  memref.store %zero, %out[%c1] : memref<2xf64>
  call @carries(%variable, %shown, %out) : (memref<2xf64>, memref<2xf64>, memref<2xf64>) -> ()
  call @shows(%out) : (memref<2xf64>) -> ()
  memref.dealloc %a : memref<2x3xf64>
  memref.dealloc %b : memref<f64>
  memref.dealloc %out : memref<2xf64>
  return
}
