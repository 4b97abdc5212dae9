// A tensor is a value: inserting into it makes another one.
func.func private @toy_print(tensor<*xf64> {bufferization.access = "read"})
    attributes {llvm.emit_c_interface}

func.func @main() {
  %zero = arith.constant 0 : index
  %nine = arith.constant 9.0 : f64
  %before = arith.constant dense<[[1.0, 2.0, 3.0]]> : tensor<1x3xf64>
  %after = tensor.insert %nine into %before[%zero, %zero] : tensor<1x3xf64>
  %first = tensor.cast %before : tensor<1x3xf64> to tensor<*xf64>
  call @toy_print(%first) : (tensor<*xf64>) -> ()
  %second = tensor.cast %after : tensor<1x3xf64> to tensor<*xf64>
  call @toy_print(%second) : (tensor<*xf64>) -> ()
  return
}
