// The Toy dialect: its operations, and the kinds of their operands, results and attributes.
//
// A tensor has a shape, or none yet: `tensor<2x3xf64>`, `tensor<*xf64>`. IRDL cannot say
// more than that; verify.rs checks the rest. Two uses of one constraint would mean "the
// same type", so each operand and result has its own.
irdl.dialect @toy {
  // A constant: value = dense<...> : tensor<2x3xf64>.
  irdl.operation @constant {
    %value = irdl.base "#builtin.dense_int_or_fp_elements"
    irdl.attributes { "value" = %value }
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.results(result: %result)
  }

  // For each pair of elements; a scalar goes with tensors of any shape.
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

  // 1 for each pair of elements of which it is true, and 0 for the others. The predicate
  // is a number that `arith.cmpf` knows.
  irdl.operation @compare {
    %predicate = irdl.base "#builtin.integer"
    irdl.attributes { "predicate" = %predicate }
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

  // Whether a number is not 0, as a bit.
  irdl.operation @truth {
    %operand_ranked = irdl.base "!builtin.tensor"
    %operand_unranked = irdl.base "!builtin.unranked_tensor"
    %operand = irdl.any_of(%operand_ranked, %operand_unranked)
    %bit = irdl.is i1
    irdl.operands(operand: %operand)
    irdl.results(result: %bit)
  }

  // The value that a variable gets. It has the shape of the one that it had before.
  irdl.operation @assign {
    %value_ranked = irdl.base "!builtin.tensor"
    %value_unranked = irdl.base "!builtin.unranked_tensor"
    %value = irdl.any_of(%value_ranked, %value_unranked)
    %before_ranked = irdl.base "!builtin.tensor"
    %before_unranked = irdl.base "!builtin.unranked_tensor"
    %before = irdl.any_of(%before_ranked, %before_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.operands(value: %value, before: %before)
    irdl.results(result: %result)
  }

  // The dimensions in reverse order.
  irdl.operation @transpose {
    %operand_ranked = irdl.base "!builtin.tensor"
    %operand_unranked = irdl.base "!builtin.unranked_tensor"
    %operand = irdl.any_of(%operand_ranked, %operand_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.operands(operand: %operand)
    irdl.results(result: %result)
  }

  // The same elements in another shape; a scalar fills it.
  irdl.operation @reshape {
    %operand_ranked = irdl.base "!builtin.tensor"
    %operand_unranked = irdl.base "!builtin.unranked_tensor"
    %operand = irdl.any_of(%operand_ranked, %operand_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.operands(operand: %operand)
    irdl.results(result: %result)
  }

  // A call of a function whose parameters may have any shape.
  irdl.operation @generic_call {
    %callee = irdl.base "#builtin.symbol_ref"
    irdl.attributes { "callee" = %callee }
    %argument_ranked = irdl.base "!builtin.tensor"
    %argument_unranked = irdl.base "!builtin.unranked_tensor"
    %argument = irdl.any_of(%argument_ranked, %argument_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.operands(arguments: variadic %argument)
    irdl.results(result: optional %result)
  }

  // The same value, of whose shape less is said: the arguments of a call have one type.
  irdl.operation @cast {
    %operand_ranked = irdl.base "!builtin.tensor"
    %operand_unranked = irdl.base "!builtin.unranked_tensor"
    %operand = irdl.any_of(%operand_ranked, %operand_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.operands(operand: %operand)
    irdl.results(result: %result)
  }

  // Writes the elements to standard output.
  irdl.operation @print {
    %operand_ranked = irdl.base "!builtin.tensor"
    %operand_unranked = irdl.base "!builtin.unranked_tensor"
    %operand = irdl.any_of(%operand_ranked, %operand_unranked)
    irdl.operands(operand: %operand)
  }
}
