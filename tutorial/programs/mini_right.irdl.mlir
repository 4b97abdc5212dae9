// A dialect with one operation.
irdl.dialect @mini {
  irdl.operation @transpose {
    %operand = irdl.base "!builtin.tensor"
    %result = irdl.base "!builtin.tensor"
    irdl.operands(operand: %operand)
    irdl.results(result: %result)
  }
}
