// An addition whose operands differ in type.
func.func @main() {
  %0 = arith.constant 1.0 : f64
  %1 = arith.constant 2.0 : f32
  %2 = "arith.addf"(%0, %1) : (f64, f32) -> f64
  return
}
