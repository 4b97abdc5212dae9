// Functions keep the parameters that they do not read where it is not known who passes them, or where nothing
// would be saved. Arguments of those that do lose some are taken out in branches, too.
// RUN: toy-opt %s --toy-dead-arguments | FileCheck %s
// RUN: toy-opt %s --toy-dead-arguments | toy-opt --toy-dead-arguments | FileCheck %s

// CHECK-LABEL: func.func @main(%arg0: i1, %arg1: tensor<2xf64>)
// CHECK-NOT:     toy.neg
// CHECK:         scf.if
// CHECK-NEXT:      func.call @lean(%arg1) : (tensor<2xf64>)
// CHECK:         call @lean(%arg1) : (tensor<2xf64>)
// CHECK:         call @marked(%arg1) : (tensor<2xf64>)
// CHECK:         "toy.add"
// CHECK:         call @endless(%arg1, %{{.*}})
// CHECK:         call @referred(%arg1, %{{.*}})
// CHECK:         call @special(%arg1, %{{.*}})
// CHECK:         call @public(%arg1, %{{.*}})
// CHECK:         call @declared(%arg1, %{{.*}})
// CHECK:         call @buffers(%{{.*}}, %{{.*}})
func.func @main(%c: i1, %x: tensor<2xf64>) {
  %dead = "toy.neg"(%x) : (tensor<2xf64>) -> tensor<2xf64>
  scf.if %c {
    %0 = func.call @lean(%dead, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
    "toy.print"(%0) : (tensor<2xf64>) -> ()
  }
  %1 = call @lean(%dead, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  "toy.print"(%1) : (tensor<2xf64>) -> ()
  %2 = call @marked(%dead, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  "toy.print"(%2) : (tensor<2xf64>) -> ()
  %live = "toy.add"(%x, %x) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %3 = call @endless(%x, %live) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %4 = call @referred(%x, %live) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  "toy.print"(%4) : (tensor<2xf64>) -> ()
  %f = constant @referred : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %5 = call @special(%x, %live) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  "toy.print"(%5) : (tensor<2xf64>) -> ()
  %6 = call @public(%x, %live) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  "toy.print"(%6) : (tensor<2xf64>) -> ()
  %7 = call @declared(%x, %live) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  %a = memref.alloc() : memref<2xf64>
  call @buffers(%a, %a) : (memref<2xf64>, memref<2xf64>) -> ()
  return
}

// CHECK: func.func private @lean(%arg0: tensor<2xf64>) -> tensor<2xf64>
func.func private @lean(%a: tensor<2xf64>, %b: tensor<2xf64>) -> tensor<2xf64> {
  return %b : tensor<2xf64>
}
// CHECK: func.func private @marked(%arg0: tensor<2xf64> {toy.second}) -> tensor<2xf64>
func.func private @marked(%a: tensor<2xf64> {toy.first}, %b: tensor<2xf64> {toy.second}) -> tensor<2xf64> {
  return %b : tensor<2xf64>
}
// CHECK: func.func private @endless(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>)
func.func private @endless(%a: tensor<2xf64>, %b: tensor<2xf64>) -> tensor<2xf64> {
  %0 = call @endless(%a, %b) : (tensor<2xf64>, tensor<2xf64>) -> tensor<2xf64>
  return %0 : tensor<2xf64>
}
// CHECK: func.func private @referred(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>)
func.func private @referred(%a: tensor<2xf64>, %b: tensor<2xf64>) -> tensor<2xf64> {
  return %a : tensor<2xf64>
}
// CHECK: func.func private @special(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>)
func.func private @special(%a: tensor<2xf64>, %b: tensor<2xf64>) -> tensor<2xf64> attributes {llvm.emit_c_interface} {
  return %a : tensor<2xf64>
}
// CHECK: func.func @public(%arg0: tensor<2xf64>, %arg1: tensor<2xf64>)
func.func @public(%a: tensor<2xf64>, %b: tensor<2xf64>) -> tensor<2xf64> {
  return %a : tensor<2xf64>
}
func.func private @declared(%a: tensor<2xf64>, %b: tensor<2xf64>) -> tensor<2xf64>
// CHECK: func.func private @buffers(%arg0: memref<2xf64>, %arg1: memref<2xf64>)
func.func private @buffers(%a: memref<2xf64>, %b: memref<2xf64>) {
  memref.dealloc %a : memref<2xf64>
  return
}
