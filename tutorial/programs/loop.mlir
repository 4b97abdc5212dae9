// What reads comes before what writes. But it is in a loop.
func.func @loop(%a: f64, %b: f64, %n: index, %i: index) -> f64 {
  %t = tensor.from_elements %a, %b : tensor<2xf64>
  %zero = arith.constant 0 : index
  %one = arith.constant 1 : index
  %sum = scf.for %k = %zero to %n step %one iter_args(%s = %a) -> f64 {
    %r = tensor.extract %t[%i] : tensor<2xf64>
    %u = tensor.insert %s into %t[%i] : tensor<2xf64>
    %v = tensor.extract %u[%zero] : tensor<2xf64>
    %more = arith.addf %r, %v : f64
    scf.yield %more : f64
  }
  return %sum : f64
}
