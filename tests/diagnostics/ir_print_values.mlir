// The format takes the operands that are there.
func.func private @f(%s: tensor<f64>, %v: tensor<3xf64>, %m: tensor<2x3xf64>, %u: tensor<*xf64>, %i: index, %t: i1) {
  "toy.print_values"(%s, %s) {format = ["a", unit]} : (tensor<f64>, tensor<f64>) -> ()
  "toy.print_values"(%s) {format = ["a", 1]} : (tensor<f64>) -> ()
  "toy.print_values"() {format = [unit]} : () -> ()
  return
}
func.func @main() { return }
