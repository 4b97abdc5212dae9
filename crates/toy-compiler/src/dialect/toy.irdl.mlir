// The Toy dialect: every operation of the tensor language, in IRDL.
//
// toyc loads this file at run time (src/dialect/mod.rs); `mlir-opt-22 --irdl-file=` reads it too.
// The operations are those of the table in src/dialect/table.rs, whose test writes them: `TOYC_UPDATE=1 cargo test -p
// toy-compiler --lib dialect::table`.
// What IRDL can say is here: names, operand and result counts, "is a tensor", attribute kinds.
// What it cannot say (the element type, element counts, transposed shapes, what a callee is)
// is checked by the verifier in src/dialect/verify.rs.
//
// A constraint value that is used twice means "the same type", so each occurrence of a tensor
// has leaves of its own: operands and results may have different shapes until shapes are inferred.
// A variadic group of operands has one constraint value, hence one type: where the types of its
// values differ, they are cast to tensor<*xf64> if all are tensors, to !toy.any otherwise.
irdl.dialect @toy {
  // !toy.struct<[tensor<2x3xf64>, !toy.struct<[tensor<f64>]>]>: one type per field, at least one; each
  // is a tensor or again a struct.
  irdl.type @struct {
    %fields = irdl.base "#builtin.array"
    irdl.parameters(fields: %fields)
  }

  // A value of which nothing is said: what struct_create and generic_call take where values of
  // different types come together and not all are tensors. Only toy.cast makes one.
  irdl.type @any

  // The value is an attribute.
  irdl.operation @constant {
    %value = irdl.base "#builtin.dense_int_or_fp_elements"
    %result = irdl.base "!builtin.tensor"
    irdl.attributes { "value" = %value }
    irdl.results(result: %result)
  }

  // Element-wise sum of two tensors. Dimensions are aligned at the last one; where one is missing or of size 1,
  // elements are repeated.
  irdl.operation @add {
    %lhs_ranked = irdl.base "!builtin.tensor"
    %lhs_unranked = irdl.base "!builtin.unranked_tensor"
    %lhs = irdl.any_of(%lhs_ranked, %lhs_unranked)
    %rhs_ranked = irdl.base "!builtin.tensor"
    %rhs_unranked = irdl.base "!builtin.unranked_tensor"
    %rhs = irdl.any_of(%rhs_ranked, %rhs_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.operands(lhs: %lhs, rhs: %rhs)
    irdl.results(result: %result)
  }

  // Element-wise difference, likewise.
  irdl.operation @sub {
    %lhs_ranked = irdl.base "!builtin.tensor"
    %lhs_unranked = irdl.base "!builtin.unranked_tensor"
    %lhs = irdl.any_of(%lhs_ranked, %lhs_unranked)
    %rhs_ranked = irdl.base "!builtin.tensor"
    %rhs_unranked = irdl.base "!builtin.unranked_tensor"
    %rhs = irdl.any_of(%rhs_ranked, %rhs_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.operands(lhs: %lhs, rhs: %rhs)
    irdl.results(result: %result)
  }

  // Element-wise product, likewise.
  irdl.operation @mul {
    %lhs_ranked = irdl.base "!builtin.tensor"
    %lhs_unranked = irdl.base "!builtin.unranked_tensor"
    %lhs = irdl.any_of(%lhs_ranked, %lhs_unranked)
    %rhs_ranked = irdl.base "!builtin.tensor"
    %rhs_unranked = irdl.base "!builtin.unranked_tensor"
    %rhs = irdl.any_of(%rhs_ranked, %rhs_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.operands(lhs: %lhs, rhs: %rhs)
    irdl.results(result: %result)
  }

  // Element-wise quotient, likewise.
  irdl.operation @div {
    %lhs_ranked = irdl.base "!builtin.tensor"
    %lhs_unranked = irdl.base "!builtin.unranked_tensor"
    %lhs = irdl.any_of(%lhs_ranked, %lhs_unranked)
    %rhs_ranked = irdl.base "!builtin.tensor"
    %rhs_unranked = irdl.base "!builtin.unranked_tensor"
    %rhs = irdl.any_of(%rhs_ranked, %rhs_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.operands(lhs: %lhs, rhs: %rhs)
    irdl.results(result: %result)
  }

  // Flips the sign of every element.
  irdl.operation @neg {
    %operand_ranked = irdl.base "!builtin.tensor"
    %operand_unranked = irdl.base "!builtin.unranked_tensor"
    %operand = irdl.any_of(%operand_ranked, %operand_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.operands(operand: %operand)
    irdl.results(result: %result)
  }

  // Reverses the order of all dimensions, or gives them that of the axes, constants.
  // Specialization makes these an attribute: `permutation = array<i64: 0, 2, 1>`.
  irdl.operation @transpose {
    %operand_ranked = irdl.base "!builtin.tensor"
    %operand_unranked = irdl.base "!builtin.unranked_tensor"
    %operand = irdl.any_of(%operand_ranked, %operand_unranked)
    %axes_ranked = irdl.base "!builtin.tensor"
    %axes_unranked = irdl.base "!builtin.unranked_tensor"
    %axes = irdl.any_of(%axes_ranked, %axes_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.operands(operand: %operand, axes: variadic %axes)
    irdl.results(result: %result)
  }

  // The same elements in row-major order under another shape; a scalar fills the shape.
  irdl.operation @reshape {
    %operand_ranked = irdl.base "!builtin.tensor"
    %operand_unranked = irdl.base "!builtin.unranked_tensor"
    %operand = irdl.any_of(%operand_ranked, %operand_unranked)
    %result = irdl.base "!builtin.tensor"
    irdl.operands(operand: %operand)
    irdl.results(result: %result)
  }

  // A tensor whose elements, in row-major order, are the operands: all of them scalars. If there is an attribute
  // `dims = array<i64: 2>`, it has the dimensions of the list, and the operands may be tensors of one shape.
  irdl.operation @from_elements {
    %elements_ranked = irdl.base "!builtin.tensor"
    %elements_unranked = irdl.base "!builtin.unranked_tensor"
    %elements = irdl.any_of(%elements_ranked, %elements_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.operands(elements: variadic %elements)
    irdl.results(result: %result)
  }

  // The same value under a type that says less, or more, of its shape.
  irdl.operation @cast {
    %operand_ranked = irdl.base "!builtin.tensor"
    %operand_unranked = irdl.base "!builtin.unranked_tensor"
    %operand_struct = irdl.base @toy::@struct
    %operand = irdl.any_of(%operand_ranked, %operand_unranked, %operand_struct)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result_struct = irdl.base @toy::@struct
    %result_any = irdl.base @toy::@any
    %result = irdl.any_of(%result_ranked, %result_unranked, %result_struct, %result_any)
    irdl.operands(operand: %operand)
    irdl.results(result: %result)
  }

  // The value is an attribute: a list with the value of each field, of which a struct's is again a list.
  irdl.operation @struct_constant {
    %value = irdl.base "#builtin.array"
    %result = irdl.base @toy::@struct
    irdl.attributes { "value" = %value }
    irdl.results(result: %result)
  }

  // A struct of its fields, one operand each.
  irdl.operation @struct_create {
    %fields_ranked = irdl.base "!builtin.tensor"
    %fields_unranked = irdl.base "!builtin.unranked_tensor"
    %fields_struct = irdl.base @toy::@struct
    %fields_any = irdl.base @toy::@any
    %fields = irdl.any_of(%fields_ranked, %fields_unranked, %fields_struct, %fields_any)
    %result = irdl.base @toy::@struct
    irdl.operands(fields: variadic %fields)
    irdl.results(result: %result)
  }

  // Field number `index` of a struct, counted from 0.
  irdl.operation @struct_access {
    %index = irdl.base "#builtin.integer"
    %operand = irdl.base @toy::@struct
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result_struct = irdl.base @toy::@struct
    %result = irdl.any_of(%result_ranked, %result_unranked, %result_struct)
    irdl.attributes { "index" = %index }
    irdl.operands(operand: %operand)
    irdl.results(result: %result)
  }

  // A call of a function whose parameters may still be unranked; specialization turns it into func.call.
  // With `gradient = array<i64: 0, 1>`, the gradient of the function by the parameters of these numbers, and
  // before it, with the attribute `with_value`, its value: a struct, if these are several results.
  irdl.operation @generic_call {
    %callee = irdl.base "#builtin.symbol_ref"
    %arguments_ranked = irdl.base "!builtin.tensor"
    %arguments_unranked = irdl.base "!builtin.unranked_tensor"
    %arguments_struct = irdl.base @toy::@struct
    %arguments_any = irdl.base @toy::@any
    %arguments = irdl.any_of(%arguments_ranked, %arguments_unranked, %arguments_struct, %arguments_any)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result_struct = irdl.base @toy::@struct
    %result = irdl.any_of(%result_ranked, %result_unranked, %result_struct)
    irdl.attributes { "callee" = %callee }
    irdl.operands(arguments: variadic %arguments)
    irdl.results(result: optional %result)
  }

  // Writes the elements to standard output.
  irdl.operation @print {
    %operand_ranked = irdl.base "!builtin.tensor"
    %operand_unranked = irdl.base "!builtin.unranked_tensor"
    %operand = irdl.any_of(%operand_ranked, %operand_unranked)
    irdl.operands(operand: %operand)
  }

  // The new value of the variable `name` in the place of the old one, which has the same shape. Specialization
  // compares the shapes and leaves the new value.
  irdl.operation @assign {
    %name = irdl.base "#builtin.string"
    %value_ranked = irdl.base "!builtin.tensor"
    %value_unranked = irdl.base "!builtin.unranked_tensor"
    %value_struct = irdl.base @toy::@struct
    %value = irdl.any_of(%value_ranked, %value_unranked, %value_struct)
    %old_ranked = irdl.base "!builtin.tensor"
    %old_unranked = irdl.base "!builtin.unranked_tensor"
    %old_struct = irdl.base @toy::@struct
    %old = irdl.any_of(%old_ranked, %old_unranked, %old_struct)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result_struct = irdl.base @toy::@struct
    %result = irdl.any_of(%result_ranked, %result_unranked, %result_struct)
    irdl.attributes { "name" = %name }
    irdl.operands(value: %value, old: %old)
    irdl.results(result: %result)
  }

  // A value that is never read; it has the shape of the value that it meets in another branch.
  irdl.operation @unset {
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result_struct = irdl.base @toy::@struct
    %result = irdl.any_of(%result_ranked, %result_unranked, %result_struct)
    irdl.results(result: %result)
  }

  // From here on, the variable or parameter `name` of the program has this value, as debuggers show it.
  // What else it may say is in src/dialect/variable.rs.
  irdl.operation @variable {
    %name = irdl.base "#builtin.string"
    %value_ranked = irdl.base "!builtin.tensor"
    %value_unranked = irdl.base "!builtin.unranked_tensor"
    %value_struct = irdl.base @toy::@struct
    %value = irdl.any_of(%value_ranked, %value_unranked, %value_struct)
    irdl.attributes { "name" = %name }
    irdl.operands(value: %value)
  }

  // === second part ===
  // What follows is loaded only for programs that need it, apart from what is above: it refers to none of the
  // types above, and nothing above refers to it. build.rs cuts the file at the line before this comment.

  // Element-wise comparison: 1 where it holds, 0 elsewhere; with a NaN only `ne` holds.
  // The predicate is one of lt, le, gt, ge, eq, ne.
  irdl.operation @compare {
    %predicate = irdl.base "#builtin.string"
    %lhs_ranked = irdl.base "!builtin.tensor"
    %lhs_unranked = irdl.base "!builtin.unranked_tensor"
    %lhs = irdl.any_of(%lhs_ranked, %lhs_unranked)
    %rhs_ranked = irdl.base "!builtin.tensor"
    %rhs_unranked = irdl.base "!builtin.unranked_tensor"
    %rhs = irdl.any_of(%rhs_ranked, %rhs_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.attributes { "predicate" = %predicate }
    irdl.operands(lhs: %lhs, rhs: %rhs)
    irdl.results(result: %result)
  }

  // True if a scalar is not 0, for scf.if and scf.condition; a NaN is not 0.
  // The attribute `what`, a string, says in messages what the scalar is: "condition" if it is missing.
  // i1 and index occur only between this operation, the next three, and those of scf and arith.
  irdl.operation @truth {
    %operand_ranked = irdl.base "!builtin.tensor"
    %operand_unranked = irdl.base "!builtin.unranked_tensor"
    %operand = irdl.any_of(%operand_ranked, %operand_unranked)
    %result = irdl.is i1
    irdl.operands(operand: %operand)
    irdl.results(result: %result)
  }

  // The scalar 1 or 0.
  irdl.operation @from_truth {
    %operand = irdl.is i1
    %result = irdl.is tensor<f64>
    irdl.operands(operand: %operand)
    irdl.results(result: %result)
  }

  // A scalar as an index. A run-time check: it is a whole number, less than 2^53 in magnitude, and not 0
  // if it is a step. The attribute `what` says what it is for: "index", "bound" or "step".
  irdl.operation @to_index {
    %what = irdl.base "#builtin.string"
    %operand_ranked = irdl.base "!builtin.tensor"
    %operand_unranked = irdl.base "!builtin.unranked_tensor"
    %operand = irdl.any_of(%operand_ranked, %operand_unranked)
    %result = irdl.is index
    irdl.attributes { "what" = %what }
    irdl.operands(operand: %operand)
    irdl.results(result: %result)
  }

  // An index as a scalar.
  irdl.operation @from_index {
    %operand = irdl.is index
    %result = irdl.is tensor<f64>
    irdl.operands(operand: %operand)
    irdl.results(result: %result)
  }

  // A part of a tensor. `subscripts` has one entry for each leading dimension; the others are taken whole:
  //   "at"               takes one index operand; the dimension is dropped
  //   -1 : i64           the same with a known index, which counts from the end if it is negative
  //   "range"            takes two, constants: from the first one up to, not including, the second one;
  //                      negative ones count from the end
  //   "a:b:s"            takes three, and "a:", ":b", ":", "a::s", ":b:s" and "::s" those that they name
  //   array<i64: 0, 2>   the same once all are known, counted from 0; array<i64: 4, -1, -2> with a step
  //   "window"           takes two: a first index, and a constant, the number of elements
  //   array<i64: 3>      the same once the number is known: it takes the first index
  // "at" and windows are run-time checks: each index is at least 0 and less than the size of the dimension.
  irdl.operation @read {
    %subscripts = irdl.base "#builtin.array"
    %operand_ranked = irdl.base "!builtin.tensor"
    %operand_unranked = irdl.base "!builtin.unranked_tensor"
    %operand = irdl.any_of(%operand_ranked, %operand_unranked)
    %indices = irdl.is index
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.attributes { "subscripts" = %subscripts }
    irdl.operands(operand: %operand, indices: variadic %indices)
    irdl.results(result: %result)
  }

  // The second operand with one part replaced by the first, which is repeated as in add to fill the part; the
  // part is described as in read.
  irdl.operation @update {
    %subscripts = irdl.base "#builtin.array"
    %value_ranked = irdl.base "!builtin.tensor"
    %value_unranked = irdl.base "!builtin.unranked_tensor"
    %value = irdl.any_of(%value_ranked, %value_unranked)
    %operand_ranked = irdl.base "!builtin.tensor"
    %operand_unranked = irdl.base "!builtin.unranked_tensor"
    %operand = irdl.any_of(%operand_ranked, %operand_unranked)
    %indices = irdl.is index
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.attributes { "subscripts" = %subscripts }
    irdl.operands(value: %value, operand: %operand, indices: variadic %indices)
    irdl.results(result: %result)
  }

  // The size of the dimension `axis` of a tensor; a negative axis counts from the end. A constant, which
  // specialization evaluates, as are the length of a range and the axis of a reduce_axis.
  irdl.operation @shape {
    %operand_ranked = irdl.base "!builtin.tensor"
    %operand_unranked = irdl.base "!builtin.unranked_tensor"
    %operand = irdl.any_of(%operand_ranked, %operand_unranked)
    %axis_ranked = irdl.base "!builtin.tensor"
    %axis_unranked = irdl.base "!builtin.unranked_tensor"
    %axis = irdl.any_of(%axis_ranked, %axis_unranked)
    %result = irdl.is tensor<f64>
    irdl.operands(operand: %operand, axis: %axis)
    irdl.results(result: %result)
  }

  // The vector 0, 1, ..., count - 1.
  irdl.operation @range {
    %count_ranked = irdl.base "!builtin.tensor"
    %count_unranked = irdl.base "!builtin.unranked_tensor"
    %count = irdl.any_of(%count_ranked, %count_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.operands(count: %count)
    irdl.results(result: %result)
  }

  // The product of two matrices, of a matrix and a vector, of a vector and a matrix, of two vectors, or of batches
  // of matrices, whose leading dimensions are aligned and repeated as in add.
  irdl.operation @matmul {
    %lhs_ranked = irdl.base "!builtin.tensor"
    %lhs_unranked = irdl.base "!builtin.unranked_tensor"
    %lhs = irdl.any_of(%lhs_ranked, %lhs_unranked)
    %rhs_ranked = irdl.base "!builtin.tensor"
    %rhs_unranked = irdl.base "!builtin.unranked_tensor"
    %rhs = irdl.any_of(%rhs_ranked, %rhs_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.operands(lhs: %lhs, rhs: %rhs)
    irdl.results(result: %result)
  }

  // The sum, max, min, prod, mean, argmax or argmin (`kind`) of all elements, or of those along
  // one axis: `axis = 0 : i64`. With the attribute `keep`, a unit, what is reduced has size 1.
  // The kinds cumsum and sort have a result for each element; cumsum without an axis is a list.
  irdl.operation @reduce {
    %kind = irdl.base "#builtin.string"
    %operand_ranked = irdl.base "!builtin.tensor"
    %operand_unranked = irdl.base "!builtin.unranked_tensor"
    %operand = irdl.any_of(%operand_ranked, %operand_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.attributes { "kind" = %kind }
    irdl.operands(operand: %operand)
    irdl.results(result: %result)
  }

  // The same along an axis that is a constant; specialization makes it an attribute of a reduce.
  irdl.operation @reduce_axis {
    %kind = irdl.base "#builtin.string"
    %operand_ranked = irdl.base "!builtin.tensor"
    %operand_unranked = irdl.base "!builtin.unranked_tensor"
    %operand = irdl.any_of(%operand_ranked, %operand_unranked)
    %axis_ranked = irdl.base "!builtin.tensor"
    %axis_unranked = irdl.base "!builtin.unranked_tensor"
    %axis = irdl.any_of(%axis_ranked, %axis_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.attributes { "kind" = %kind }
    irdl.operands(operand: %operand, axis: %axis)
    irdl.results(result: %result)
  }

  // A function of each element, such as exp.
  irdl.operation @math {
    %function = irdl.base "#builtin.string"
    %operand_ranked = irdl.base "!builtin.tensor"
    %operand_unranked = irdl.base "!builtin.unranked_tensor"
    %operand = irdl.any_of(%operand_ranked, %operand_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.attributes { "function" = %function }
    irdl.operands(operand: %operand)
    irdl.results(result: %result)
  }

  // Element-wise maximum as in IEEE 754-2019: a NaN wins, and -0 is less than +0.
  irdl.operation @max {
    %lhs_ranked = irdl.base "!builtin.tensor"
    %lhs_unranked = irdl.base "!builtin.unranked_tensor"
    %lhs = irdl.any_of(%lhs_ranked, %lhs_unranked)
    %rhs_ranked = irdl.base "!builtin.tensor"
    %rhs_unranked = irdl.base "!builtin.unranked_tensor"
    %rhs = irdl.any_of(%rhs_ranked, %rhs_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.operands(lhs: %lhs, rhs: %rhs)
    irdl.results(result: %result)
  }

  // Element-wise minimum, likewise.
  irdl.operation @min {
    %lhs_ranked = irdl.base "!builtin.tensor"
    %lhs_unranked = irdl.base "!builtin.unranked_tensor"
    %lhs = irdl.any_of(%lhs_ranked, %lhs_unranked)
    %rhs_ranked = irdl.base "!builtin.tensor"
    %rhs_unranked = irdl.base "!builtin.unranked_tensor"
    %rhs = irdl.any_of(%rhs_ranked, %rhs_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.operands(lhs: %lhs, rhs: %rhs)
    irdl.results(result: %result)
  }

  // Element-wise power.
  irdl.operation @pow {
    %lhs_ranked = irdl.base "!builtin.tensor"
    %lhs_unranked = irdl.base "!builtin.unranked_tensor"
    %lhs = irdl.any_of(%lhs_ranked, %lhs_unranked)
    %rhs_ranked = irdl.base "!builtin.tensor"
    %rhs_unranked = irdl.base "!builtin.unranked_tensor"
    %rhs = irdl.any_of(%rhs_ranked, %rhs_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.operands(lhs: %lhs, rhs: %rhs)
    irdl.results(result: %result)
  }

  // Element-wise remainder of the division, exact, with the sign of the divisor.
  irdl.operation @rem {
    %lhs_ranked = irdl.base "!builtin.tensor"
    %lhs_unranked = irdl.base "!builtin.unranked_tensor"
    %lhs = irdl.any_of(%lhs_ranked, %lhs_unranked)
    %rhs_ranked = irdl.base "!builtin.tensor"
    %rhs_unranked = irdl.base "!builtin.unranked_tensor"
    %rhs = irdl.any_of(%rhs_ranked, %rhs_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.operands(lhs: %lhs, rhs: %rhs)
    irdl.results(result: %result)
  }

  // Element-wise choice: the second operand where the first one is not 0, the third elsewhere.
  irdl.operation @select {
    %condition_ranked = irdl.base "!builtin.tensor"
    %condition_unranked = irdl.base "!builtin.unranked_tensor"
    %condition = irdl.any_of(%condition_ranked, %condition_unranked)
    %lhs_ranked = irdl.base "!builtin.tensor"
    %lhs_unranked = irdl.base "!builtin.unranked_tensor"
    %lhs = irdl.any_of(%lhs_ranked, %lhs_unranked)
    %rhs_ranked = irdl.base "!builtin.tensor"
    %rhs_unranked = irdl.base "!builtin.unranked_tensor"
    %rhs = irdl.any_of(%rhs_ranked, %rhs_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.operands(condition: %condition, lhs: %lhs, rhs: %rhs)
    irdl.results(result: %result)
  }

  // A reshape to the sizes that follow the operand: constants, with which specialization makes a reshape. With
  // the attribute `open`, one of them may be -1, which then follows from the number of elements.
  irdl.operation @reshape_to {
    %operand_ranked = irdl.base "!builtin.tensor"
    %operand_unranked = irdl.base "!builtin.unranked_tensor"
    %operand = irdl.any_of(%operand_ranked, %operand_unranked)
    %sizes_ranked = irdl.base "!builtin.tensor"
    %sizes_unranked = irdl.base "!builtin.unranked_tensor"
    %sizes = irdl.any_of(%sizes_ranked, %sizes_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.operands(operand: %operand, sizes: variadic %sizes)
    irdl.results(result: %result)
  }

  // Tensors one after the other along the axis, a constant; their other dimensions are equal.
  irdl.operation @join {
    %axis_ranked = irdl.base "!builtin.tensor"
    %axis_unranked = irdl.base "!builtin.unranked_tensor"
    %axis = irdl.any_of(%axis_ranked, %axis_unranked)
    %operands_ranked = irdl.base "!builtin.tensor"
    %operands_unranked = irdl.base "!builtin.unranked_tensor"
    %operands = irdl.any_of(%operands_ranked, %operands_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.operands(axis: %axis, operands: variadic %operands)
    irdl.results(result: %result)
  }

  // The nearest number of the type `element`, f64 or f32, for each element.
  irdl.operation @convert {
    %element = irdl.base "#builtin.string"
    %operand_ranked = irdl.base "!builtin.tensor"
    %operand_unranked = irdl.base "!builtin.unranked_tensor"
    %operand = irdl.any_of(%operand_ranked, %operand_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.attributes { "element" = %element }
    irdl.operands(operand: %operand)
    irdl.results(result: %result)
  }

  // The same value, a constant for gradients.
  irdl.operation @stop {
    %operand_ranked = irdl.base "!builtin.tensor"
    %operand_unranked = irdl.base "!builtin.unranked_tensor"
    %operand = irdl.any_of(%operand_ranked, %operand_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.operands(operand: %operand)
    irdl.results(result: %result)
  }

  // Writes texts and values to standard output. In `format`, a string is a text, and `unit` the next operand.
  // The attribute `end`, a string, is written at the end in the place of a line feed. Numbers have as many
  // digits after the point as `digits` says, and at least as many characters as `width`: `2 : i64`.
  irdl.operation @print_values {
    %format = irdl.base "#builtin.array"
    %operands_ranked = irdl.base "!builtin.tensor"
    %operands_unranked = irdl.base "!builtin.unranked_tensor"
    %operands = irdl.any_of(%operands_ranked, %operands_unranked)
    irdl.attributes { "format" = %format }
    irdl.operands(operands: variadic %operands)
  }
}
