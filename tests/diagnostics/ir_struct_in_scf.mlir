// Structs are results of branches and loops, not of other regions.
func.func @main() {
  %c = "toy.constant"() {value = dense<1.0> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
  %s = "toy.constant"() {value = dense<1.0> : tensor<f64>} : () -> tensor<f64>
  %p = "toy.struct_create"(%c, %c) : (tensor<2x3xf64>, tensor<2x3xf64>) -> !toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]>
  %0 = scf.execute_region -> !toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]> { scf.yield %p : !toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]> }
  return
}
