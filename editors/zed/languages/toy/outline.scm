; The outline.

(function_definition "def" @context name: (identifier) @name parameters: (parameters) @context) @item
(struct_definition "struct" @context name: (type_identifier) @name) @item
(fields (field_definition name: (field_identifier) @name) @item)
