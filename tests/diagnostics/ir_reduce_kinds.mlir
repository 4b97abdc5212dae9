"builtin.module"() ({
  func.func @main() {
    %0 = "toy.constant"() {value = dense<1.0> : tensor<2xf64>} : () -> tensor<2xf64>
    %1 = "toy.reduce"(%0) {kind = "median"} : (tensor<2xf64>) -> tensor<f64>
    %2 = "toy.reduce"(%0) {kind = "sort", axis = 0 : i64, keep} : (tensor<2xf64>) -> tensor<2xf64>
    %3 = "toy.reduce"(%0) {kind = "cumsum"} : (tensor<2xf64>) -> tensor<f64>
    "toy.print_values"(%0) {format = [unit], digits = 18 : i64} : (tensor<2xf64>) -> ()
    "toy.print_values"(%0) {format = [unit], width = "x"} : (tensor<2xf64>) -> ()
    func.return
  }
}) : () -> ()
