; Colors. Where two patterns match, the later one counts.

(identifier) @variable

(comment) @comment
(number) @number
(string) @string
(escape_sequence) @string.escape

; Definitions and uses

(struct_definition name: (type_identifier) @type)
(type_identifier) @type
(field_identifier) @variable.member
(field_definition name: (field_identifier) @variable.member)

(function_definition name: (identifier) @function)
(parameter name: (identifier) @variable.parameter)
(named_argument name: (identifier) @variable.parameter)

(call_expression function: (identifier) @function.call)
(derivative name: (identifier) @function.builtin function: (identifier) @function)
((call_expression function: (identifier) @function.builtin)
  (#any-of? @function.builtin
    "transpose" "print" "exp" "log" "sqrt" "sin" "cos" "tanh" "abs" "floor" "round" "trunc" "sign" "f32" "f64"
    "pow" "sum" "max" "min" "mean" "prod" "any" "all" "argmax" "argmin" "cumsum" "sort" "where" "grad" "value_and_grad" "stop"
    "range" "shape" "reshape" "zeros" "ones" "eye" "linspace" "concat"))

; Keywords

"def" @keyword.function
"struct" @keyword.type
"var" @keyword
"return" @keyword.return
["if" "else"] @keyword.conditional
["while" "for" "in" "break" "continue"] @keyword.repeat

; Operators and punctuation

["+" "-" "*" "/" "%" "@" "<" "<=" ">" ">=" "==" "!=" "&&" "||" "!" "=" ".."] @operator
["," ";" "." ":"] @punctuation.delimiter
["(" ")" "[" "]" "{" "}"] @punctuation.bracket
(shape ["<" ">"] @punctuation.bracket)
