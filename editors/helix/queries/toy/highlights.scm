; Colors, with the names of Helix. No two patterns match the same node, so their order does not matter.

(comment) @comment.line
(number) @constant.numeric
(string) @string
(escape_sequence) @constant.character.escape

(type_identifier) @type
(field_identifier) @variable.other.member

(function_definition name: (identifier) @function)
(parameter name: (identifier) @variable.parameter)
(named_argument name: (identifier) @variable.parameter)
(variable_definition name: (identifier) @variable)
(for_statement variable: (identifier) @variable)

(derivative name: (identifier) @function.builtin function: (identifier) @function)
((call_expression function: (identifier) @function)
  (#not-any-of? @function
    "transpose" "print" "exp" "log" "sqrt" "sin" "cos" "tanh" "abs" "floor" "round" "trunc" "sign" "f32" "f64"
    "pow" "sum" "max" "min" "mean" "prod" "any" "all" "argmax" "argmin" "cumsum" "sort" "where" "grad" "value_and_grad" "stop"
    "range" "shape" "reshape" "zeros" "ones" "eye" "linspace" "concat"))
((call_expression function: (identifier) @function.builtin)
  (#any-of? @function.builtin
    "transpose" "print" "exp" "log" "sqrt" "sin" "cos" "tanh" "abs" "floor" "round" "trunc" "sign" "f32" "f64"
    "pow" "sum" "max" "min" "mean" "prod" "any" "all" "argmax" "argmin" "cumsum" "sort" "where" "grad" "value_and_grad" "stop"
    "range" "shape" "reshape" "zeros" "ones" "eye" "linspace" "concat"))

"def" @keyword.function
["struct" "var"] @keyword.storage.type
"return" @keyword.control.return
["if" "else"] @keyword.control.conditional
["while" "for" "in" "break" "continue"] @keyword.control.repeat

(binary_expression
  operator: ["+" "-" "*" "/" "%" "@" "<" "<=" ">" ">=" "==" "!=" "&&" "||"] @operator)
(unary_expression operator: ["-" "!"] @operator)
["=" ".."] @operator
["," ";" "." ":"] @punctuation.delimiter
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
(shape ["<" ">"] @punctuation.bracket)
