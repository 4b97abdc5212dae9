// A function that returns one tensor as two results.
func.func private @toy_print(tensor<*xf64> {bufferization.access = "read"}) attributes {llvm.emit_c_interface}

func.func private @pair(%a: tensor<1x2xf64>) -> (tensor<1x2xf64>, tensor<1x2xf64>) {
  %empty = tensor.empty() : tensor<1x2xf64>
  %sum = linalg.add ins(%a, %a : tensor<1x2xf64>, tensor<1x2xf64>) outs(%empty : tensor<1x2xf64>) -> tensor<1x2xf64>
  return %sum, %sum : tensor<1x2xf64>, tensor<1x2xf64>
}

func.func @main() {
  %zero = arith.constant 0 : index
  %hundred = arith.constant 100.0 : f64
  %a = arith.constant dense<[[1.0, 2.0]]> : tensor<1x2xf64>
  %both:2 = call @pair(%a) : (tensor<1x2xf64>) -> (tensor<1x2xf64>, tensor<1x2xf64>)
  %changed = tensor.insert %hundred into %both#0[%zero, %zero] : tensor<1x2xf64>
  %first = tensor.cast %changed : tensor<1x2xf64> to tensor<*xf64>
  call @toy_print(%first) : (tensor<*xf64>) -> ()
  %second = tensor.cast %both#1 : tensor<1x2xf64> to tensor<*xf64>
  call @toy_print(%second) : (tensor<*xf64>) -> ()
  return
}
