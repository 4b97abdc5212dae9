// In a region, the text has the block of the use first.
func.func private @make() -> !toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]> {
  %c = "toy.constant"() {value = dense<1.0> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
  %p = "toy.struct_create"(%c, %c) : (tensor<2x3xf64>, tensor<2x3xf64>) -> !toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]>
  return %p : !toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]>
}
func.func @main() {
  scf.execute_region {
    cf.br ^bb2
  ^bb1:
    %a = "toy.struct_access"(%p) {index = 1 : i64} : (!toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]>) -> tensor<2x3xf64>
    "toy.print"(%a) : (tensor<2x3xf64>) -> ()
    scf.yield
  ^bb2:
    %p = func.call @make() : () -> !toy.struct<[tensor<2x3xf64>, tensor<2x3xf64>]>
    cf.br ^bb1
  }
  return
}
