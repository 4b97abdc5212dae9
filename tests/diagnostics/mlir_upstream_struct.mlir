func.func @f(%arg0: !toy.struct<tensor<*xf64>, tensor<*xf64>>) {
  return
}
