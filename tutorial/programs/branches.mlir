// The larger of two numbers: a function of two blocks.
func.func @larger(%a: f64, %b: f64) -> f64 {
  %is_larger = arith.cmpf ogt, %a, %b : f64
  cf.cond_br %is_larger, ^end(%a : f64), ^end(%b : f64)
^end(%larger: f64):
  return %larger : f64
}
