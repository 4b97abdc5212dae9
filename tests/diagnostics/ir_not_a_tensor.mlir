func.func @main() {
  %0 = arith.constant 1.0 : f64
  "toy.print"(%0) : (f64) -> ()
  return
}
