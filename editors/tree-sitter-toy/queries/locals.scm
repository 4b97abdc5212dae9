; Which name means which definition.

[(function_definition) (block) (for_statement)] @local.scope

(function_definition name: (identifier) @local.definition.function)
(struct_definition name: (type_identifier) @local.definition.type)
(field_definition name: (field_identifier) @local.definition.field)
(parameter name: (identifier) @local.definition.parameter)
(variable_definition name: (identifier) @local.definition.var)
(for_statement variable: (identifier) @local.definition.var)

(identifier) @local.reference
(type_identifier) @local.reference
