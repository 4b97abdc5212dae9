// RUN: toy-opt %s | FileCheck %s
// A remark.
#map = affine_map<(d0, d1)[s0] -> (d0 + s0, d1 floordiv 2)>
!pair = !toy.struct<tensor<2x3xf64>, !toy.struct<tensor<f64>>>
module attributes {toy.name = "a \"b\"", dlti.spec = #dlti.dl_spec<index = 64 : i32>} {
  memref.global "private" constant @table : memref<2x?xf64, strided<[?, 1], offset: ?>> = dense<[[1.0, -2.5e-3], [0x7FF0000000000000, 0.0]]>
  func.func private @callee(%arg0: tensor<*xf64> {bufferization.writable = false}, !llvm.ptr) -> (f64, index)
  // CHECK-LABEL: func.func @main
  func.func @main(%arg0: memref<4xvector<8xf32>>) attributes {llvm.emit_c_interface} {
    %0:2 = "toy.generic"(%arg0) ({
    ^bb0(%a: f64, %b: i1):
      "toy.yield"(%a) : (f64) -> ()
    }) {axis = 1 : i64, flag, sym = @main::@inner} : (memref<4xvector<8xf32>>) -> (f64, i1)
    %cst = arith.constant 1.000000e+00 : f64
    %c0 = arith.constant 0 : index
    %1 = scf.for %i = %c0 to %c0 step %c0 iter_args(%acc = %0#0) -> (f64) {
      %2 = arith.cmpf oeq, %acc, %cst fastmath<contract> : f64
      scf.yield %acc : f64
    }
    %3 = linalg.generic {indexing_maps = [#map, #map], iterator_types = ["parallel", "reduction"]} ins(%t : tensor<2x3xf64>) outs(%u : tensor<2x3xf64>) {
    ^bb0(%in: f64, %out: f64):
      linalg.yield %in : f64
    } -> tensor<2x3xf64>
    cf.cond_br %0#1, ^bb1(%cst : f64), ^bb2
  ^bb1(%x: f64):  // pred: ^bb0
    %4 = func.call @callee(%t, %p) : (tensor<*xf64>, !llvm.ptr) -> (f64, index) loc("t.toy":1:2)
    llvm.call @printf(%p) vararg(!llvm.func<i32 (ptr, ...)>) : (!llvm.ptr) -> i32
    return
  }
}
{-#
  dialect_resources: { builtin: { blob: "0x08000000" } }
#-}
