// Sums of rows, each from its own start: a loop nest with a reduction.
func.func private @toy_print(tensor<*xf64> {bufferization.access = "read"})
    attributes {llvm.emit_c_interface}

func.func @main() {
  %table = arith.constant dense<[[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]> : tensor<2x3xf64>
  %start = arith.constant dense<[[100.0], [200.0]]> : tensor<2x1xf64>
  %sums = linalg.generic {
    indexing_maps = [affine_map<(row, column) -> (row, column)>,
                     affine_map<(row, column) -> (row, 0)>],
    iterator_types = ["parallel", "reduction"]
  } ins(%table : tensor<2x3xf64>) outs(%start : tensor<2x1xf64>) {
  ^bb0(%element: f64, %sum: f64):
    %more = arith.addf %sum, %element : f64
    linalg.yield %more : f64
  } -> tensor<2x1xf64>
  %printable = tensor.cast %sums : tensor<2x1xf64> to tensor<*xf64>
  call @toy_print(%printable) : (tensor<*xf64>) -> ()
  return
}
