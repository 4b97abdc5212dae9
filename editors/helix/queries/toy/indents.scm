; Indentation, with the names of Helix.

[
  (fields)
  (block)
  (tensor_literal)
  (struct_literal)
  (arguments)
  (parameters)
  (subscripts)
  (parenthesized_expression)
] @indent

["}" "]" ")"] @outdent
