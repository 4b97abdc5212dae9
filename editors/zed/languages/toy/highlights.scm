; Colors, with the names of Zed. Where two patterns match, the later one counts.

(identifier) @variable

(comment) @comment
(number) @number
(string) @string
(escape_sequence) @string.escape

(type_identifier) @type
(field_identifier) @property

(function_definition name: (identifier) @function)
(parameter name: (identifier) @variable.parameter)
(named_argument name: (identifier) @variable.parameter)

(call_expression function: (identifier) @function)
(derivative name: (identifier) @function.builtin function: (identifier) @function)
((call_expression function: (identifier) @function.builtin)
  (#any-of? @function.builtin
    "transpose" "print" "exp" "log" "sqrt" "sin" "cos" "tanh" "abs" "floor" "round" "trunc" "sign" "f32" "f64"
    "pow" "sum" "max" "min" "mean" "prod" "any" "all" "argmax" "argmin" "cumsum" "sort" "where" "grad" "value_and_grad" "stop"
    "range" "shape" "reshape" "zeros" "ones" "eye" "linspace" "concat"))

[
  "def" "struct" "var" "return" "if" "else" "while" "for" "in" "break" "continue"
] @keyword

["+" "-" "*" "/" "%" "@" "<" "<=" ">" ">=" "==" "!=" "&&" "||" "!" "=" ".."] @operator
["," ";" "." ":"] @punctuation.delimiter
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
(shape ["<" ">"] @punctuation.bracket)
