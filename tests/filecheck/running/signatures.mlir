// Functions that are public, that something other than a call refers to, or that have no body keep their signatures.
// RUN: toy-opt %s --toy-scalars | FileCheck %s
// CHECK: func.func @public(%arg0: tensor<f64>) -> tensor<f64>
// CHECK: func.func private @taken(%arg0: tensor<f64>) -> tensor<f64>
// CHECK: func.func private @declared(tensor<f64>)
// CHECK: func.func private @called(%arg0: f64 {llvm.noundef}) -> (f64, tensor<2xf64>)
// CHECK: func.func @main
// CHECK: [[T:%.*]] = arith.constant dense<1.000000e+00> : tensor<f64>
// CHECK: [[N:%.*]] = arith.constant 1.000000e+00 : f64
// CHECK: [[R:%.*]]:2 = call @called([[N]]) : (f64) -> (f64, tensor<2xf64>)
// CHECK: [[S:%.*]] = tensor.from_elements [[R]]#0 : tensor<f64>
// CHECK: call @public([[S]])
// CHECK: call @declared([[T]])
func.func @public(%x: tensor<f64>) -> tensor<f64> attributes {toyc.callback = @taken} { return %x : tensor<f64> }
func.func private @taken(%x: tensor<f64>) -> tensor<f64> { return %x : tensor<f64> }
func.func private @declared(tensor<f64>)
func.func private @called(%x: tensor<f64> {bufferization.writable = false, llvm.noundef}) -> (tensor<f64>, tensor<2xf64>) {
  %e = tensor.extract %x[] : tensor<f64>
  %t = tensor.from_elements %e, %e : tensor<2xf64>
  return %x, %t : tensor<f64>, tensor<2xf64>
}
func.func @main() {
  %x = arith.constant dense<1.0> : tensor<f64>
  %r:2 = call @called(%x) : (tensor<f64>) -> (tensor<f64>, tensor<2xf64>)
  %p = call @public(%r#0) : (tensor<f64>) -> tensor<f64>
  call @declared(%x) : (tensor<f64>) -> ()
  return
}
