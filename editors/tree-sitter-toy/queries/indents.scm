; Indentation, with the names of Neovim.

[
  (fields)
  (block)
  (tensor_literal)
  (struct_literal)
  (arguments)
  (parameters)
  (subscripts)
  (parenthesized_expression)
] @indent.begin

["}" "]" ")"] @indent.branch @indent.end

(comment) @indent.ignore
