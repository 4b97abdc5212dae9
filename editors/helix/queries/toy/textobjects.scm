; What can be selected.

(function_definition body: (block) @function.inside) @function.around
(struct_definition body: (fields) @class.inside) @class.around
(parameter) @parameter.inside
(arguments (_) @parameter.inside)
(comment) @comment.inside
(comment)+ @comment.around
