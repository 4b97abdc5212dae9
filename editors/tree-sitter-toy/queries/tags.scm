; Definitions and calls, for lists of symbols.

(function_definition name: (identifier) @name) @definition.function
(struct_definition name: (type_identifier) @name) @definition.class
(call_expression function: (identifier) @name) @reference.call
(parameter type: (type_identifier) @name) @reference.class
(field_definition type: (type_identifier) @name) @reference.class
(variable_definition type: (type_identifier) @name) @reference.class
