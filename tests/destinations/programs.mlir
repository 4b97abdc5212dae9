// Functions that compute into given destinations. The test calls each of them with numbers, and counts what it
// allocates and copies.
#id1 = affine_map<(i) -> (i)>
#id = affine_map<(i, j) -> (i, j)>
#swap = affine_map<(i, j) -> (j, i)>
#row = affine_map<(i, j) -> (i)>
#column = affine_map<(i, j) -> (j)>

// The example of the slides: a fill and a product.
func.func @fill_product(%a: tensor<4x4xf64>, %b: tensor<4x4xf64>, %m: memref<4x4xf64>) {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<4x4xf64>
  %f = linalg.fill ins(%z : f64) outs(%e : tensor<4x4xf64>) -> tensor<4x4xf64>
  %r = linalg.matmul ins(%a, %b : tensor<4x4xf64>, tensor<4x4xf64>) outs(%f : tensor<4x4xf64>) -> tensor<4x4xf64>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<4x4xf64>, memref<4x4xf64>) -> ()
  return
}

func.func @sum(%a: tensor<5xf64>, %b: tensor<5xf64>, %m: memref<5xf64>) {
  %e = tensor.empty() : tensor<5xf64>
  %r = linalg.add ins(%a, %b : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<5xf64>, memref<5xf64>) -> ()
  return
}

func.func @fill(%v: f64, %m: memref<5xf64>) {
  %e = tensor.empty() : tensor<5xf64>
  %r = linalg.fill ins(%v : f64) outs(%e : tensor<5xf64>) -> tensor<5xf64>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<5xf64>, memref<5xf64>) -> ()
  return
}

// A chain of element-wise operations, each with an empty tensor of its own.
func.func @chain(%a: tensor<5xf64>, %b: tensor<5xf64>, %m: memref<5xf64>) {
  %e0 = tensor.empty() : tensor<5xf64>
  %x = linalg.add ins(%a, %b : tensor<5xf64>, tensor<5xf64>) outs(%e0 : tensor<5xf64>) -> tensor<5xf64>
  %e1 = tensor.empty() : tensor<5xf64>
  %y = linalg.mul ins(%x, %b : tensor<5xf64>, tensor<5xf64>) outs(%e1 : tensor<5xf64>) -> tensor<5xf64>
  %e2 = tensor.empty() : tensor<5xf64>
  %r = linalg.sub ins(%y, %x : tensor<5xf64>, tensor<5xf64>) outs(%e2 : tensor<5xf64>) -> tensor<5xf64>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<5xf64>, memref<5xf64>) -> ()
  return
}

// The same with one empty tensor for all of them.
func.func @chain_of_one_empty(%a: tensor<5xf64>, %b: tensor<5xf64>, %m: memref<5xf64>) {
  %e = tensor.empty() : tensor<5xf64>
  %x = linalg.add ins(%a, %b : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
  %y = linalg.mul ins(%x, %b : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
  bufferization.materialize_in_destination %y in restrict writable %m : (tensor<5xf64>, memref<5xf64>) -> ()
  return
}

func.func @product_and_bias(%a: tensor<4x4xf64>, %b: tensor<4x4xf64>, %c: tensor<4x4xf64>, %m: memref<4x4xf64>) {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<4x4xf64>
  %f = linalg.fill ins(%z : f64) outs(%e : tensor<4x4xf64>) -> tensor<4x4xf64>
  %p = linalg.matmul ins(%a, %b : tensor<4x4xf64>, tensor<4x4xf64>) outs(%f : tensor<4x4xf64>) -> tensor<4x4xf64>
  %e1 = tensor.empty() : tensor<4x4xf64>
  %r = linalg.add ins(%p, %c : tensor<4x4xf64>, tensor<4x4xf64>) outs(%e1 : tensor<4x4xf64>) -> tensor<4x4xf64>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<4x4xf64>, memref<4x4xf64>) -> ()
  return
}

func.func @transposed(%a: tensor<3x4xf64>, %m: memref<4x3xf64>) {
  %e = tensor.empty() : tensor<4x3xf64>
  %r = linalg.transpose ins(%a : tensor<3x4xf64>) outs(%e : tensor<4x3xf64>) permutation = [1, 0]
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<4x3xf64>, memref<4x3xf64>) -> ()
  return
}

func.func @sums_of_rows(%a: tensor<3x4xf64>, %m: memref<3xf64>) {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<3xf64>
  %f = linalg.fill ins(%z : f64) outs(%e : tensor<3xf64>) -> tensor<3xf64>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<3x4xf64>) outs(%f : tensor<3xf64>) {
  ^bb0(%x: f64, %s: f64):
    %t = arith.addf %s, %x : f64
    linalg.yield %t : f64
  } -> tensor<3xf64>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<3xf64>, memref<3xf64>) -> ()
  return
}

func.func @total(%a: tensor<5xf64>, %m: memref<f64>) {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<f64>
  %f = linalg.fill ins(%z : f64) outs(%e : tensor<f64>) -> tensor<f64>
  %r = linalg.reduce ins(%a : tensor<5xf64>) outs(%f : tensor<f64>) dimensions = [0]
    (%x: f64, %s: f64) {
      %t = arith.addf %s, %x : f64
      linalg.yield %t : f64
    }
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<f64>, memref<f64>) -> ()
  return
}

// The destination's old elements are read.
func.func @accumulated(%a: tensor<4x4xf64>, %b: tensor<4x4xf64>, %m: memref<4x4xf64>) {
  %o = bufferization.to_tensor %m restrict writable : memref<4x4xf64> to tensor<4x4xf64>
  %r = linalg.matmul ins(%a, %b : tensor<4x4xf64>, tensor<4x4xf64>) outs(%o : tensor<4x4xf64>) -> tensor<4x4xf64>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<4x4xf64>, memref<4x4xf64>) -> ()
  return
}

func.func @one_of_its_rows(%a: tensor<4xf64>, %b: tensor<4xf64>, %m: memref<3x4xf64>, %i: index) {
  %s = memref.subview %m[%i, 0] [1, 4] [1, 1] : memref<3x4xf64> to memref<4xf64, strided<[1], offset: ?>>
  %e = tensor.empty() : tensor<4xf64>
  %r = linalg.add ins(%a, %b : tensor<4xf64>, tensor<4xf64>) outs(%e : tensor<4xf64>) -> tensor<4xf64>
  bufferization.materialize_in_destination %r in restrict writable %s : (tensor<4xf64>, memref<4xf64, strided<[1], offset: ?>>) -> ()
  return
}

// The place is known only after the computation.
func.func @late_place(%a: tensor<4xf64>, %b: tensor<4xf64>, %m: memref<3x4xf64>, %i: index) {
  %c1 = arith.constant 1 : index
  %e = tensor.empty() : tensor<4xf64>
  %r = linalg.add ins(%a, %b : tensor<4xf64>, tensor<4xf64>) outs(%e : tensor<4xf64>) -> tensor<4xf64>
  %j = arith.subi %i, %c1 : index
  %s = memref.subview %m[%j, 0] [1, 4] [1, 1] : memref<3x4xf64> to memref<4xf64, strided<[1], offset: ?>>
  bufferization.materialize_in_destination %r in restrict writable %s : (tensor<4xf64>, memref<4xf64, strided<[1], offset: ?>>) -> ()
  return
}

func.func @column(%a: tensor<3x4xf64>, %m: memref<3x4xf64>) {
  %z = arith.constant 0.0 : f64
  %s = memref.subview %m[0, 2] [3, 1] [1, 1] : memref<3x4xf64> to memref<3xf64, strided<[4], offset: 2>>
  %e = tensor.empty() : tensor<3xf64>
  %f = linalg.fill ins(%z : f64) outs(%e : tensor<3xf64>) -> tensor<3xf64>
  %r = linalg.generic {indexing_maps = [#id, #row], iterator_types = ["parallel", "reduction"]}
      ins(%a : tensor<3x4xf64>) outs(%f : tensor<3xf64>) {
  ^bb0(%x: f64, %t: f64):
    %u = arith.addf %t, %x : f64
    linalg.yield %u : f64
  } -> tensor<3xf64>
  bufferization.materialize_in_destination %r in restrict writable %s : (tensor<3xf64>, memref<3xf64, strided<[4], offset: 2>>) -> ()
  return
}

func.func @two_results(%a: tensor<5xf64>, %b: tensor<5xf64>, %m: memref<5xf64>, %n: memref<5xf64>) {
  %e = tensor.empty() : tensor<5xf64>
  %x = linalg.add ins(%a, %b : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
  %y = linalg.mul ins(%a, %b : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
  bufferization.materialize_in_destination %x in restrict writable %m : (tensor<5xf64>, memref<5xf64>) -> ()
  bufferization.materialize_in_destination %y in restrict writable %n : (tensor<5xf64>, memref<5xf64>) -> ()
  return
}

func.func @two_results_of_one(%a: tensor<5xf64>, %m: memref<5xf64>, %n: memref<5xf64>) {
  %e = tensor.empty() : tensor<5xf64>
  %x:2 = linalg.generic {indexing_maps = [#id1, #id1, #id1], iterator_types = ["parallel"]}
      ins(%a : tensor<5xf64>) outs(%e, %e : tensor<5xf64>, tensor<5xf64>) {
  ^bb0(%v: f64, %o: f64, %p: f64):
    %s = arith.addf %v, %v : f64
    %t = arith.mulf %v, %v : f64
    linalg.yield %s, %t : f64, f64
  } -> (tensor<5xf64>, tensor<5xf64>)
  bufferization.materialize_in_destination %x#0 in restrict writable %m : (tensor<5xf64>, memref<5xf64>) -> ()
  bufferization.materialize_in_destination %x#1 in restrict writable %n : (tensor<5xf64>, memref<5xf64>) -> ()
  return
}

// The second result is computed from the first one.
func.func @result_of_result(%a: tensor<5xf64>, %m: memref<5xf64>, %n: memref<5xf64>) {
  %e = tensor.empty() : tensor<5xf64>
  %x = linalg.add ins(%a, %a : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
  bufferization.materialize_in_destination %x in restrict writable %m : (tensor<5xf64>, memref<5xf64>) -> ()
  %f = tensor.empty() : tensor<5xf64>
  %y = linalg.mul ins(%x, %a : tensor<5xf64>, tensor<5xf64>) outs(%f : tensor<5xf64>) -> tensor<5xf64>
  bufferization.materialize_in_destination %y in restrict writable %n : (tensor<5xf64>, memref<5xf64>) -> ()
  return
}

func.func @twice(%a: tensor<5xf64>, %m: memref<5xf64>, %n: memref<5xf64>) {
  %e = tensor.empty() : tensor<5xf64>
  %x = linalg.add ins(%a, %a : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
  bufferization.materialize_in_destination %x in restrict writable %m : (tensor<5xf64>, memref<5xf64>) -> ()
  bufferization.materialize_in_destination %x in restrict writable %n : (tensor<5xf64>, memref<5xf64>) -> ()
  return
}

func.func @used_elsewhere(%a: tensor<5xf64>, %m: memref<5xf64>, %i: index) -> f64 {
  %e = tensor.empty() : tensor<5xf64>
  %x = linalg.add ins(%a, %a : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
  bufferization.materialize_in_destination %x in restrict writable %m : (tensor<5xf64>, memref<5xf64>) -> ()
  %v = tensor.extract %x[%i] : tensor<5xf64>
  return %v : f64
}

func.func @returned_as_well(%a: tensor<5xf64>, %m: memref<5xf64>) -> tensor<5xf64> {
  %e = tensor.empty() : tensor<5xf64>
  %x = linalg.add ins(%a, %a : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
  bufferization.materialize_in_destination %x in restrict writable %m : (tensor<5xf64>, memref<5xf64>) -> ()
  return %x : tensor<5xf64>
}

func.func @open_sizes(%a: tensor<?x?xf64>, %b: tensor<?x?xf64>, %m: memref<?x?xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %z = arith.constant 0.0 : f64
  %h = tensor.dim %a, %c0 : tensor<?x?xf64>
  %w = tensor.dim %b, %c1 : tensor<?x?xf64>
  %e = tensor.empty(%h, %w) : tensor<?x?xf64>
  %f = linalg.fill ins(%z : f64) outs(%e : tensor<?x?xf64>) -> tensor<?x?xf64>
  %r = linalg.matmul ins(%a, %b : tensor<?x?xf64>, tensor<?x?xf64>) outs(%f : tensor<?x?xf64>) -> tensor<?x?xf64>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<?x?xf64>, memref<?x?xf64>) -> ()
  return
}

func.func @open_sum(%a: tensor<?xf64>, %b: tensor<?xf64>, %m: memref<?xf64>) {
  %c0 = arith.constant 0 : index
  %n = tensor.dim %a, %c0 : tensor<?xf64>
  %e = tensor.empty(%n) : tensor<?xf64>
  %r = linalg.add ins(%a, %b : tensor<?xf64>, tensor<?xf64>) outs(%e : tensor<?xf64>) -> tensor<?xf64>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<?xf64>, memref<?xf64>) -> ()
  return
}

// Each iteration has a row as its destination.
func.func @in_a_loop(%a: tensor<3x4xf64>, %m: memref<3x4xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  scf.for %i = %c0 to %c3 step %c1 {
    %x = tensor.extract_slice %a[%i, 0] [1, 4] [1, 1] : tensor<3x4xf64> to tensor<4xf64>
    %e = tensor.empty() : tensor<4xf64>
    %r = linalg.add ins(%x, %x : tensor<4xf64>, tensor<4xf64>) outs(%e : tensor<4xf64>) -> tensor<4xf64>
    %s = memref.subview %m[%i, 0] [1, 4] [1, 1] : memref<3x4xf64> to memref<4xf64, strided<[1], offset: ?>>
    bufferization.materialize_in_destination %r in restrict writable %s : (tensor<4xf64>, memref<4xf64, strided<[1], offset: ?>>) -> ()
  }
  return
}

// What a loop carries ends in the destination.
func.func @carried(%a: tensor<4x4xf64>, %m: memref<4x4xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c3 = arith.constant 3 : index
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<4x4xf64>
  %f = linalg.fill ins(%z : f64) outs(%e : tensor<4x4xf64>) -> tensor<4x4xf64>
  %r = scf.for %i = %c0 to %c3 step %c1 iter_args(%s = %f) -> tensor<4x4xf64> {
    %t = linalg.matmul ins(%a, %a : tensor<4x4xf64>, tensor<4x4xf64>) outs(%s : tensor<4x4xf64>) -> tensor<4x4xf64>
    scf.yield %t : tensor<4x4xf64>
  }
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<4x4xf64>, memref<4x4xf64>) -> ()
  return
}

func.func @inserted_one_by_one(%m: memref<5xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %e = tensor.empty() : tensor<5xf64>
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %e) -> tensor<5xf64> {
    %k = arith.index_cast %i : index to i64
    %v = arith.sitofp %k : i64 to f64
    %t = tensor.insert %v into %s[%i] : tensor<5xf64>
    scf.yield %t : tensor<5xf64>
  }
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<5xf64>, memref<5xf64>) -> ()
  return
}

func.func @rows_of_a_loop_in_a_column(%m: memref<5x3xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c5 = arith.constant 5 : index
  %n = memref.subview %m[0, 1] [5, 1] [1, 1] : memref<5x3xf64> to memref<5xf64, strided<[3], offset: 1>>
  %e = tensor.empty() : tensor<5xf64>
  %r = scf.for %i = %c0 to %c5 step %c1 iter_args(%s = %e) -> tensor<5xf64> {
    %k = arith.index_cast %i : index to i64
    %v = arith.sitofp %k : i64 to f64
    %t = tensor.insert %v into %s[%i] : tensor<5xf64>
    scf.yield %t : tensor<5xf64>
  }
  bufferization.materialize_in_destination %r in restrict writable %n : (tensor<5xf64>, memref<5xf64, strided<[3], offset: 1>>) -> ()
  return
}

func.func @either(%a: tensor<5xf64>, %b: tensor<5xf64>, %m: memref<5xf64>, %c: i1) {
  %r = scf.if %c -> tensor<5xf64> {
    %e = tensor.empty() : tensor<5xf64>
    %x = linalg.add ins(%a, %b : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
    scf.yield %x : tensor<5xf64>
  } else {
    %e = tensor.empty() : tensor<5xf64>
    %x = linalg.mul ins(%a, %b : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
    scf.yield %x : tensor<5xf64>
  }
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<5xf64>, memref<5xf64>) -> ()
  return
}

func.func @in_a_branch(%a: tensor<5xf64>, %b: tensor<5xf64>, %m: memref<5xf64>, %c: i1) {
  scf.if %c {
    %e = tensor.empty() : tensor<5xf64>
    %x = linalg.add ins(%a, %b : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
    bufferization.materialize_in_destination %x in restrict writable %m : (tensor<5xf64>, memref<5xf64>) -> ()
  }
  return
}

func.func @by_threads(%a: tensor<8xf64>, %m: memref<8xf64>) {
  %e = tensor.empty() : tensor<8xf64>
  %r = scf.forall (%i) in (2) shared_outs(%o = %e) -> tensor<8xf64> {
    %k = affine.apply affine_map<(d) -> (d * 4)>(%i)
    %s = tensor.extract_slice %a[%k] [4] [1] : tensor<8xf64> to tensor<4xf64>
    %f = tensor.empty() : tensor<4xf64>
    %x = linalg.add ins(%s, %s : tensor<4xf64>, tensor<4xf64>) outs(%f : tensor<4xf64>) -> tensor<4xf64>
    scf.forall.in_parallel {
      tensor.parallel_insert_slice %x into %o[%k] [4] [1] : tensor<4xf64> into tensor<8xf64>
    }
  }
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<8xf64>, memref<8xf64>) -> ()
  return
}

func.func @inserted(%a: tensor<4xf64>, %m: memref<8xf64>) {
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<8xf64>
  %f = linalg.fill ins(%z : f64) outs(%e : tensor<8xf64>) -> tensor<8xf64>
  %g = tensor.empty() : tensor<4xf64>
  %x = linalg.add ins(%a, %a : tensor<4xf64>, tensor<4xf64>) outs(%g : tensor<4xf64>) -> tensor<4xf64>
  %r = tensor.insert_slice %x into %f[2] [4] [1] : tensor<4xf64> into tensor<8xf64>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<8xf64>, memref<8xf64>) -> ()
  return
}

func.func @both_halves(%a: tensor<4xf64>, %b: tensor<4xf64>, %m: memref<8xf64>) {
  %e = tensor.empty() : tensor<8xf64>
  %g = tensor.empty() : tensor<4xf64>
  %x = linalg.add ins(%a, %b : tensor<4xf64>, tensor<4xf64>) outs(%g : tensor<4xf64>) -> tensor<4xf64>
  %p = tensor.insert_slice %x into %e[0] [4] [1] : tensor<4xf64> into tensor<8xf64>
  %h = tensor.empty() : tensor<4xf64>
  %y = linalg.mul ins(%a, %b : tensor<4xf64>, tensor<4xf64>) outs(%h : tensor<4xf64>) -> tensor<4xf64>
  %r = tensor.insert_slice %y into %p[4] [4] [1] : tensor<4xf64> into tensor<8xf64>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<8xf64>, memref<8xf64>) -> ()
  return
}

// Disjoint parts of one buffer.
func.func @parts(%a: tensor<4xf64>, %b: tensor<4xf64>, %m: memref<8xf64>) {
  %s = memref.subview %m[0] [4] [1] : memref<8xf64> to memref<4xf64, strided<[1]>>
  %t = memref.subview %m[4] [4] [1] : memref<8xf64> to memref<4xf64, strided<[1], offset: 4>>
  %e = tensor.empty() : tensor<4xf64>
  %x = linalg.add ins(%a, %b : tensor<4xf64>, tensor<4xf64>) outs(%e : tensor<4xf64>) -> tensor<4xf64>
  %y = linalg.mul ins(%x, %b : tensor<4xf64>, tensor<4xf64>) outs(%e : tensor<4xf64>) -> tensor<4xf64>
  bufferization.materialize_in_destination %x in restrict writable %s : (tensor<4xf64>, memref<4xf64, strided<[1]>>) -> ()
  bufferization.materialize_in_destination %y in restrict writable %t : (tensor<4xf64>, memref<4xf64, strided<[1], offset: 4>>) -> ()
  return
}

func.func @of_buffers(%a: memref<4x4xf64>, %b: memref<4x4xf64>, %m: memref<4x4xf64>) {
  %x = bufferization.to_tensor %a restrict : memref<4x4xf64> to tensor<4x4xf64>
  %y = bufferization.to_tensor %b restrict : memref<4x4xf64> to tensor<4x4xf64>
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<4x4xf64>
  %f = linalg.fill ins(%z : f64) outs(%e : tensor<4x4xf64>) -> tensor<4x4xf64>
  %r = linalg.matmul ins(%x, %y : tensor<4x4xf64>, tensor<4x4xf64>) outs(%f : tensor<4x4xf64>) -> tensor<4x4xf64>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<4x4xf64>, memref<4x4xf64>) -> ()
  return
}

// Each element is read where it is written.
func.func @updated(%a: tensor<5xf64>, %m: memref<5xf64>) {
  %x = bufferization.to_tensor %m restrict : memref<5xf64> to tensor<5xf64>
  %e = tensor.empty() : tensor<5xf64>
  %r = linalg.add ins(%x, %a : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<5xf64>, memref<5xf64>) -> ()
  return
}

func.func @in_a_tensor(%a: tensor<5xf64>, %b: tensor<5xf64>, %m: memref<5xf64>) {
  %o = bufferization.to_tensor %m restrict writable : memref<5xf64> to tensor<5xf64>
  %e = tensor.empty() : tensor<5xf64>
  %x = linalg.add ins(%a, %b : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
  %r = bufferization.materialize_in_destination %x in %o : (tensor<5xf64>, tensor<5xf64>) -> tensor<5xf64>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<5xf64>, memref<5xf64>) -> ()
  return
}

func.func @own_buffer(%a: tensor<5xf64>, %i: index) -> f64 {
  %m = memref.alloc() : memref<5xf64>
  %e = tensor.empty() : tensor<5xf64>
  %r = linalg.add ins(%a, %a : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<5xf64>, memref<5xf64>) -> ()
  %v = memref.load %m[%i] : memref<5xf64>
  return %v : f64
}

func.func @outer_product(%a: tensor<3xf64>, %b: tensor<4xf64>, %m: memref<3x4xf64>) {
  %e = tensor.empty() : tensor<3x4xf64>
  %r = linalg.generic {indexing_maps = [#row, #column, #id], iterator_types = ["parallel", "parallel"]}
      ins(%a, %b : tensor<3xf64>, tensor<4xf64>) outs(%e : tensor<3x4xf64>) {
  ^bb0(%x: f64, %y: f64, %o: f64):
    %p = arith.mulf %x, %y : f64
    linalg.yield %p : f64
  } -> tensor<3x4xf64>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<3x4xf64>, memref<3x4xf64>) -> ()
  return
}

func.func @fused_with_a_transpose(%a: tensor<4x4xf64>, %b: tensor<4x4xf64>, %m: memref<4x4xf64>) {
  %e = tensor.empty() : tensor<4x4xf64>
  %t = linalg.transpose ins(%a : tensor<4x4xf64>) outs(%e : tensor<4x4xf64>) permutation = [1, 0]
  %r = linalg.add ins(%t, %b : tensor<4x4xf64>, tensor<4x4xf64>) outs(%e : tensor<4x4xf64>) -> tensor<4x4xf64>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<4x4xf64>, memref<4x4xf64>) -> ()
  return
}

// From here on, the destination must not be written early.

func.func @transposed_in_place(%m: memref<4x4xf64>) {
  %x = bufferization.to_tensor %m restrict : memref<4x4xf64> to tensor<4x4xf64>
  %e = tensor.empty() : tensor<4x4xf64>
  %r = linalg.transpose ins(%x : tensor<4x4xf64>) outs(%e : tensor<4x4xf64>) permutation = [1, 0]
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<4x4xf64>, memref<4x4xf64>) -> ()
  return
}

func.func @added_to_its_transpose(%m: memref<4x4xf64>) {
  %x = bufferization.to_tensor %m restrict : memref<4x4xf64> to tensor<4x4xf64>
  %e = tensor.empty() : tensor<4x4xf64>
  %r = linalg.generic {indexing_maps = [#id, #swap, #id], iterator_types = ["parallel", "parallel"]}
      ins(%x, %x : tensor<4x4xf64>, tensor<4x4xf64>) outs(%e : tensor<4x4xf64>) {
  ^bb0(%a: f64, %b: f64, %o: f64):
    %p = arith.addf %a, %b : f64
    linalg.yield %p : f64
  } -> tensor<4x4xf64>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<4x4xf64>, memref<4x4xf64>) -> ()
  return
}

func.func @squared(%m: memref<4x4xf64>) {
  %x = bufferization.to_tensor %m restrict : memref<4x4xf64> to tensor<4x4xf64>
  %z = arith.constant 0.0 : f64
  %e = tensor.empty() : tensor<4x4xf64>
  %f = linalg.fill ins(%z : f64) outs(%e : tensor<4x4xf64>) -> tensor<4x4xf64>
  %r = linalg.matmul ins(%x, %x : tensor<4x4xf64>, tensor<4x4xf64>) outs(%f : tensor<4x4xf64>) -> tensor<4x4xf64>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<4x4xf64>, memref<4x4xf64>) -> ()
  return
}

func.func @read_before(%a: tensor<5xf64>, %m: memref<5xf64>, %i: index) -> f64 {
  %e = tensor.empty() : tensor<5xf64>
  %r = linalg.add ins(%a, %a : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
  %v = memref.load %m[%i] : memref<5xf64>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<5xf64>, memref<5xf64>) -> ()
  return %v : f64
}

func.func @perhaps_not_written(%a: tensor<5xf64>, %m: memref<5xf64>, %c: i1) {
  %e = tensor.empty() : tensor<5xf64>
  %r = linalg.add ins(%a, %a : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
  scf.if %c {
    bufferization.materialize_in_destination %r in restrict writable %m : (tensor<5xf64>, memref<5xf64>) -> ()
  }
  return
}

func.func @changed_before_the_result_is_read(%a: tensor<5xf64>, %m: memref<5xf64>, %i: index) -> f64 {
  %z = arith.constant 0.5 : f64
  %e = tensor.empty() : tensor<5xf64>
  %r = linalg.add ins(%a, %a : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
  bufferization.materialize_in_destination %r in restrict writable %m : (tensor<5xf64>, memref<5xf64>) -> ()
  memref.store %z, %m[%i] : memref<5xf64>
  %v = tensor.extract %r[%i] : tensor<5xf64>
  return %v : f64
}

func.func @overwritten_before_the_result_is_read(%a: tensor<5xf64>, %m: memref<5xf64>, %n: memref<5xf64>) {
  %e = tensor.empty() : tensor<5xf64>
  %x = linalg.add ins(%a, %a : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
  bufferization.materialize_in_destination %x in restrict writable %m : (tensor<5xf64>, memref<5xf64>) -> ()
  %y = linalg.mul ins(%x, %a : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
  bufferization.materialize_in_destination %y in restrict writable %m : (tensor<5xf64>, memref<5xf64>) -> ()
  %z = linalg.sub ins(%x, %a : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
  bufferization.materialize_in_destination %z in restrict writable %n : (tensor<5xf64>, memref<5xf64>) -> ()
  return
}

func.func @shifted(%m: memref<8xf64>) {
  %s = memref.subview %m[0] [5] [1] : memref<8xf64> to memref<5xf64, strided<[1]>>
  %t = memref.subview %m[1] [5] [1] : memref<8xf64> to memref<5xf64, strided<[1], offset: 1>>
  %x = bufferization.to_tensor %s restrict : memref<5xf64, strided<[1]>> to tensor<5xf64>
  %e = tensor.empty() : tensor<5xf64>
  %r = linalg.add ins(%x, %x : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
  bufferization.materialize_in_destination %r in restrict writable %t : (tensor<5xf64>, memref<5xf64, strided<[1], offset: 1>>) -> ()
  return
}

func.func @a_part_of_both(%m: memref<3x4xf64>, %i: index, %j: index) {
  %s = memref.subview %m[%i, 0] [1, 4] [1, 1] : memref<3x4xf64> to memref<4xf64, strided<[1], offset: ?>>
  %t = memref.subview %m[%j, 0] [1, 4] [1, 1] : memref<3x4xf64> to memref<4xf64, strided<[1], offset: ?>>
  %x = bufferization.to_tensor %s restrict : memref<4xf64, strided<[1], offset: ?>> to tensor<4xf64>
  %e = tensor.empty() : tensor<4xf64>
  %y = linalg.generic {indexing_maps = [affine_map<(i) -> (3 - i)>, #id1], iterator_types = ["parallel"]}
      ins(%x : tensor<4xf64>) outs(%e : tensor<4xf64>) {
  ^bb0(%a: f64, %o: f64):
    linalg.yield %a : f64
  } -> tensor<4xf64>
  bufferization.materialize_in_destination %y in restrict writable %t : (tensor<4xf64>, memref<4xf64, strided<[1], offset: ?>>) -> ()
  return
}

func.func @swapped(%m: memref<5xf64>, %n: memref<5xf64>) {
  %x = bufferization.to_tensor %m restrict : memref<5xf64> to tensor<5xf64>
  %y = bufferization.to_tensor %n restrict : memref<5xf64> to tensor<5xf64>
  %e = tensor.empty() : tensor<5xf64>
  %p = linalg.add ins(%x, %y : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
  %q = linalg.sub ins(%x, %y : tensor<5xf64>, tensor<5xf64>) outs(%e : tensor<5xf64>) -> tensor<5xf64>
  bufferization.materialize_in_destination %p in restrict writable %n : (tensor<5xf64>, memref<5xf64>) -> ()
  bufferization.materialize_in_destination %q in restrict writable %m : (tensor<5xf64>, memref<5xf64>) -> ()
  return
}
