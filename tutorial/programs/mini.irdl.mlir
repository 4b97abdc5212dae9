// A dialect with one operation. Both %tensor are the same value, and this is a mistake.
irdl.dialect @mini {
  irdl.operation @transpose {
    %tensor = irdl.base "!builtin.tensor"
    irdl.operands(operand: %tensor)
    irdl.results(result: %tensor)
  }
}
