/**
 * @file The grammar of Toy, as LANGUAGE.md and crates/toy-syntax have it.
 *
 * There are two sets of rules for expressions, which the function `expressions` makes: those that start a statement or
 * are the bound of a loop do not start with a brace.
 */

/// <reference types="tree-sitter-cli/dsl" />
// @ts-check

const list = rule => seq(rule, repeat(seq(',', rule)));

const COMPARISONS = ['<', '<=', '>', '>=', '==', '!='];

/**
 * The rules for expressions of one kind.
 *
 * @param {string} kind the start of their names
 * @param {($: any) => RuleOrLiteral[]} firsts the nodes that such an expression starts with, besides operators
 */
function expressions(kind, firsts) {
  const of = ($, name) => $[`_${kind}${name}`];
  const binary = (left, operators, right) =>
    seq(field('left', left), field('operator', operators), field('right', right));
  return {
    [`_${kind}expression`]: $ => choice(
      of($, 'sum'),
      alias(of($, 'comparison'), $.binary_expression),
      alias(of($, 'logic'), $.binary_expression),
    ),
    [`_${kind}logic`]: $ => choice(
      prec.left(1, binary(of($, 'expression'), '||', $._expression)),
      prec.left(2, binary(of($, 'expression'), '&&', $._expression)),
    ),
    // Of sums only: `a < b < c` is an error.
    [`_${kind}comparison`]: $ => binary(of($, 'sum'), choice(...COMPARISONS), $._sum),
    [`_${kind}sum`]: $ => choice(of($, 'operand'), alias(of($, 'arithmetic'), $.binary_expression)),
    [`_${kind}arithmetic`]: $ => choice(
      prec.left(1, binary(of($, 'sum'), choice('+', '-'), $._sum)),
      prec.left(2, binary(of($, 'sum'), choice('*', '/', '%', '@'), $._sum)),
    ),
    [`_${kind}operand`]: $ => choice($.unary_expression, of($, 'postfix')),
    [`_${kind}postfix`]: $ => choice(
      $.number,
      $.tensor_literal,
      $.parenthesized_expression,
      ...firsts($),
      $.call_expression,
      alias(of($, 'access'), $.field_expression),
      alias(of($, 'index'), $.index_expression),
    ),
    [`_${kind}access`]: $ => seq(
      field('value', of($, 'postfix')),
      '.',
      field('field', alias($.identifier, $.field_identifier)),
    ),
    [`_${kind}index`]: $ => seq(field('value', of($, 'postfix')), field('subscripts', $.subscripts)),
  };
}

module.exports = grammar({
  name: 'toy',

  externals: $ => [
    $.number,
    // Two dots: `0..4` is a range, and `0...4` is not.
    $._dots,
  ],

  extras: $ => [/[ \t\r\n\v\f]/, $.comment],

  word: $ => $.identifier,

  // `x[0]` is a part that is assigned if a `=` follows.
  conflicts: $ => [
    [$._part, $._first_postfix],
    [$._field, $._first_postfix],
    [$._postfix, $.derivative],
  ],

  reserved: {
    global: _ => [
      'break', 'continue', 'def', 'else', 'for', 'if', 'in', 'return', 'struct', 'var', 'while',
    ],
  },

  rules: {
    program: $ => repeat(choice($.struct_definition, $.function_definition)),

    comment: _ => token(/#[^\n\r]*/),

    struct_definition: $ => seq(
      'struct',
      field('name', alias($.identifier, $.type_identifier)),
      field('body', $.fields),
    ),

    fields: $ => seq('{', repeat(';'), repeat1($.field_definition), '}'),

    field_definition: $ => seq(
      choice('var', field('type', alias($.identifier, $.type_identifier))),
      field('name', alias($.identifier, $.field_identifier)),
      repeat1(';'),
    ),

    function_definition: $ => seq(
      'def',
      field('name', $.identifier),
      field('parameters', $.parameters),
      field('body', $.block),
    ),

    parameters: $ => seq('(', optional(list($.parameter)), ')'),

    parameter: $ => seq(
      field('type', optional(alias($.identifier, $.type_identifier))),
      field('name', $.identifier),
    ),

    block: $ => seq('{', repeat(choice($._statement, ';')), '}'),

    _statement: $ => choice(
      seq(
        choice(
          $.variable_definition,
          alias($._struct_variable, $.variable_definition),
          $.assignment,
          $.return_statement,
          $.jump_statement,
          $.expression_statement,
        ),
        ';',
      ),
      $.if_statement,
      $.while_statement,
      $.for_statement,
    ),

    variable_definition: $ => seq(
      'var',
      field('name', $.identifier),
      field('shape', optional($.shape)),
      '=',
      field('value', $._expression),
    ),

    // A `>` ends it.
    shape: $ => seq('<', optional(list($._sum)), '>'),

    _struct_variable: $ => seq(
      field('type', alias($.identifier, $.type_identifier)),
      field('name', $.identifier),
      '=',
      field('value', $._expression),
    ),

    assignment: $ => seq(
      field('left', choice(
        $.identifier,
        alias($._field, $.field_expression),
        alias($._part, $.index_expression),
      )),
      '=',
      field('right', $._expression),
    ),

    // What can be assigned besides a whole variable.
    _field: $ => seq(
      field('value', choice($.identifier, alias($._field, $.field_expression))),
      '.',
      field('field', alias($.identifier, $.field_identifier)),
    ),

    _part: $ => seq(
      field('value', choice($.identifier, alias($._field, $.field_expression))),
      field('subscripts', $.subscripts),
    ),

    return_statement: $ => seq('return', optional($._expression)),

    jump_statement: _ => choice('break', 'continue'),

    expression_statement: $ => $._first_expression,

    if_statement: $ => seq(
      'if',
      field('condition', $.parenthesized_expression),
      field('consequence', $.block),
      field('alternative', optional($.else_clause)),
    ),

    else_clause: $ => seq('else', choice($.block, $.if_statement)),

    while_statement: $ => seq(
      'while',
      field('condition', $.parenthesized_expression),
      field('body', $.block),
    ),

    for_statement: $ => seq(
      'for',
      field('variable', $.identifier),
      'in',
      field('range', $.range),
      field('body', $.block),
    ),

    range: $ => seq(
      field('start', $._first_expression),
      alias($._dots, '..'),
      field('end', $._first_expression),
      optional(seq(alias($._dots, '..'), field('step', $._first_expression))),
    ),

    ...expressions('', $ => [$.identifier, $.struct_literal]),

    ...expressions('first_', $ => [$.identifier]),

    unary_expression: $ => seq(
      field('operator', choice('-', '!')),
      field('operand', $._operand),
    ),

    parenthesized_expression: $ => seq('(', $._expression, ')'),

    tensor_literal: $ => seq('[', list($._expression), ']'),

    struct_literal: $ => seq('{', list($._expression), '}'),

    call_expression: $ => seq(
      field('function', choice($.identifier, $.derivative)),
      field('arguments', $.arguments),
    ),

    // `grad(f, 1)`, which is called at once.
    derivative: $ => seq(
      field('name', $.identifier),
      '(',
      field('function', $.identifier),
      repeat(seq(',', field('parameter', $.number))),
      ')',
    ),

    arguments: $ => seq(
      '(',
      optional(choice(
        seq(list($._argument), repeat(seq(',', $.named_argument))),
        list($.named_argument),
      )),
      ')',
    ),

    _argument: $ => choice($._expression, $.string),

    named_argument: $ => seq(field('name', $.identifier), '=', field('value', $._argument)),

    subscripts: $ => seq('[', list(choice($._expression, $.slice)), ']'),

    slice: $ => seq(
      field('start', optional($._expression)),
      ':',
      field('end', optional($._expression)),
      optional(seq(':', field('step', $._expression))),
    ),

    string: $ => seq(
      '"',
      repeat(choice($.string_content, $.escape_sequence)),
      token.immediate('"'),
    ),

    // No control characters but tabs.
    string_content: _ => token.immediate(prec(1, /[^"\\\x00-\x08\x0a-\x1f\x7f-\x9f]+/)),

    escape_sequence: _ => token.immediate(/\\[nt"\\]/),

    identifier: _ => /[a-zA-Z_][a-zA-Z0-9_]*/,
  },
});
