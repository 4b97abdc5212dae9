// transpose(transpose x) is x, in PDL.
pdl.pattern @transpose_of_transpose : benefit(1) {
  %type = pdl.type
  %between = pdl.type
  %x = pdl.operand : %type
  %inner = pdl.operation "toy.transpose"(%x : !pdl.value) -> (%between : !pdl.type)
  %y = pdl.result 0 of %inner
  %outer = pdl.operation "toy.transpose"(%y : !pdl.value) -> (%type : !pdl.type)
  pdl.rewrite %outer {
    pdl.replace %outer with (%x : !pdl.value)
  }
}
