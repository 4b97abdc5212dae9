; What can be folded.

[
  (fields)
  (block)
  (tensor_literal)
  (struct_literal)
  (arguments)
] @fold

(comment)+ @fold
