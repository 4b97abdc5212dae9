; Which name means which definition.

[(function_definition) (block) (for_statement)] @local.scope

(parameter name: (identifier) @local.definition.variable.parameter)
(variable_definition name: (identifier) @local.definition.variable)
(for_statement variable: (identifier) @local.definition.variable)

(identifier) @local.reference
