// The Toy dialect: every operation of the tensor language, in IRDL.
//
// toyc loads this file at run time (src/dialect/mod.rs); `mlir-opt-22 --irdl-file=` reads it too.
// What IRDL can say is here: names, operand and result counts, "is a tensor", attribute kinds.
// What it cannot say (the element type, element counts, transposed shapes, what a callee is)
// is checked by the verifier in src/dialect/verify.rs.
//
// A constraint value that is used twice means "the same type", so each occurrence of a tensor
// has leaves of its own: operands and results may have different shapes until shapes are inferred.
irdl.dialect @toy {
  // %r = "toy.constant"() {value = dense<...> : tensor<2x3xf64>} : () -> tensor<2x3xf64>
  irdl.operation @constant {
    %value = irdl.base "#builtin.dense_int_or_fp_elements"
    %ranked = irdl.base "!builtin.tensor"
    irdl.attributes { "value" = %value }
    irdl.results(result: %ranked)
  }

  // Element-wise sum of two tensors of one shape.
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

  // Element-wise product of two tensors of one shape.
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

  // Reverses the order of all dimensions.
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

  // The same elements in row-major order under another shape; a scalar fills the shape.
  irdl.operation @reshape {
    %operand_ranked = irdl.base "!builtin.tensor"
    %operand_unranked = irdl.base "!builtin.unranked_tensor"
    %operand = irdl.any_of(%operand_ranked, %operand_unranked)
    %result = irdl.base "!builtin.tensor"
    irdl.operands(operand: %operand)
    irdl.results(result: %result)
  }

  // The same tensor under a type that says less, or more, of its shape.
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

  // A call of a function whose parameters may still be unranked; specialization turns it into func.call.
  // A variadic group has one constraint value, hence one type: where the arguments' types differ,
  // they are cast to tensor<*xf64>.
  irdl.operation @generic_call {
    %callee = irdl.base "#builtin.symbol_ref"
    %argument_ranked = irdl.base "!builtin.tensor"
    %argument_unranked = irdl.base "!builtin.unranked_tensor"
    %argument = irdl.any_of(%argument_ranked, %argument_unranked)
    %result_ranked = irdl.base "!builtin.tensor"
    %result_unranked = irdl.base "!builtin.unranked_tensor"
    %result = irdl.any_of(%result_ranked, %result_unranked)
    irdl.attributes { "callee" = %callee }
    irdl.operands(arguments: variadic %argument)
    irdl.results(result: optional %result)
  }

  // Writes the elements to standard output.
  irdl.operation @print {
    %operand_ranked = irdl.base "!builtin.tensor"
    %operand_unranked = irdl.base "!builtin.unranked_tensor"
    %operand = irdl.any_of(%operand_ranked, %operand_unranked)
    irdl.operands(operand: %operand)
  }
}
