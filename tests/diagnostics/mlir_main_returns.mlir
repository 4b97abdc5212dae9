func.func @main() -> f64 {
  %0 = arith.constant 1.0 : f64
  return %0 : f64
}
