func.func @main() {
  %0 = "toy.constant"() {value = dense<[1.0, 2.0]> : tensor<2xf64>} : () -> tensor<2xf64>
  %1 = "toy.constant"() {value = dense<[1.0, 2.0, 3.0]> : tensor<3xf64>} : () -> tensor<3xf64>
  %2 = "toy.add"(%0, %1) : (tensor<2xf64>, tensor<3xf64>) -> tensor<*xf64>
  %3 = "toy.reshape"(%0) : (tensor<2xf64>) -> tensor<5xf64>
  "toy.generic_call"(%0) {callee = @nobody} : (tensor<2xf64>) -> ()
  return
}
