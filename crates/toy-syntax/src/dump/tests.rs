//! Dumps byte for byte.

use super::expressions::Scientific;
use super::*;
use crate::parse;

fn dumped(name: &str, text: &str) -> String {
    let source = Source::new(name, text);
    let (module, diagnostics) = parse(&source);
    assert_eq!(diagnostics, [], "{text}");
    dump(&module, &source)
}

/// The program of upstream's Ch2 test, and the dump that upstream's test expects of it.
#[test]
fn the_dump_equals_upstreams() {
    let program = "
# User defined generic function that operates on unknown shaped arguments.

def multiply_transpose(a, b) {
  return transpose(a) * transpose(b);
}

def main() {
  # Define a variable `a` with shape <2, 3>, initialized with the literal value.
  var a = [[1, 2, 3], [4, 5, 6]];
  var b<2, 3> = [1, 2, 3, 4, 5, 6];
  var c = multiply_transpose(a, b);
  print(c);
}
";
    let expected = "  Module:
    Function 
      Proto 'multiply_transpose' @ast.toy:4:1
      Params: [a, b]
      Block {
        Return
          BinOp: * @ast.toy:5:25
            Call 'transpose' [ @ast.toy:5:10
              var: a @ast.toy:5:20
            ]
            Call 'transpose' [ @ast.toy:5:25
              var: b @ast.toy:5:35
            ]
      } // Block
    Function 
      Proto 'main' @ast.toy:8:1
      Params: []
      Block {
        VarDecl a<> @ast.toy:10:3
          Literal: <2, 3>[ <3>[ 1.000000e+00, 2.000000e+00, 3.000000e+00], \
<3>[ 4.000000e+00, 5.000000e+00, 6.000000e+00]] @ast.toy:10:11
        VarDecl b<2, 3> @ast.toy:11:3
          Literal: <6>[ 1.000000e+00, 2.000000e+00, 3.000000e+00, \
4.000000e+00, 5.000000e+00, 6.000000e+00] @ast.toy:11:17
        VarDecl c<> @ast.toy:12:3
          Call 'multiply_transpose' [ @ast.toy:12:11
            var: a @ast.toy:12:30
            var: b @ast.toy:12:33
          ]
        Print [ @ast.toy:13:3
          var: c @ast.toy:13:9
        ]
      } // Block
";
    assert_eq!(dumped("ast.toy", program), expected);
}

#[test]
fn operators_nest_and_parentheses_vanish() {
    let text = "def f(a) {\n return;\n a + (2 * ( # (\n a)) + 5.5 * (a + a);\n (print(a));\n}";
    let expected = "        Return
          (void)
        BinOp: + @t:4:8
          BinOp: + @t:3:6
            var: a @t:3:2
            BinOp: * @t:3:11
              2.000000e+00 @t:3:7
              var: a @t:4:2
          BinOp: * @t:4:14
            5.500000e+00 @t:4:8
            BinOp: + @t:4:19
              var: a @t:4:15
              var: a @t:4:19
        Print [ @t:5:3
          var: a @t:5:9
        ]
";
    let dump = dumped("t", text);
    let block = dump.split("Block {\n").nth(1).and_then(|rest| rest.split("      }").next());
    assert_eq!(block, Some(expected));
}

#[test]
fn numbers_are_printed_as_by_c() {
    let table = [
        (0.0, "0.000000e+00"),
        (5.5, "5.500000e+00"),
        (1234567.0, "1.234567e+06"),
        (0.000123, "1.230000e-04"),
        (9.9999999, "1.000000e+01"),
        (1e100, "1.000000e+100"),
        (-1.5, "-1.500000e+00"),
        (-f64::MAX, "-1.797693e+308"),
        (f64::from_bits(1), "4.940656e-324"),
    ];
    for (value, expected) in table {
        assert_eq!(Scientific(value).to_string(), expected);
    }
}

#[test]
fn deep_levels_are_numbers() {
    let source = Source::new("t", "");
    for (level, expected) in [(0, ""), (2, "    "), (1_001, "[1001] "), (70_000, "[70000] ")] {
        let mut out = String::new();
        Dumper { source: &source, out: &mut out }.indent(level).unwrap();
        assert_eq!(out, expected);
    }
    let mut out = String::new();
    Dumper { source: &source, out: &mut out }.indent(MAX_INDENT).unwrap();
    assert_eq!(out, "  ".repeat(MAX_INDENT));
}

#[test]
fn the_dump_of_a_long_chain_is_bounded() {
    let text = format!("def main() {{ print(1{}); }}", " + 1".repeat(60_000));
    let dump = dumped("t", &text);
    assert_eq!(dump.matches("BinOp").count(), 60_000);
    assert!(dump.contains("\n[60005] 1.000000e+00 @t:1:20\n"), "the innermost operand");
    assert!(dump.len() < 10_000_000, "{} bytes", dump.len());
}

#[test]
fn a_long_chain_needs_no_stack() {
    let text = format!("def main() {{ print(1{}); }}", " + 1".repeat(3_000));
    assert_eq!(dumped("t", &text).matches("BinOp").count(), 3_000);
}

#[test]
fn branches_loops_and_parts_are_shown_as_blocks() {
    let text = "def f(x) {
  if (x < 1) { x = 2; } else if (!x) { } else { return; }
  while (x[0, 1:n]) { print(\"a\\n\", x); }
  for i in 0..n..-1 { x[i] = sum(x, axis = 1); }
}";
    let expected = "        If @t:2:3
          BinOp: < @t:2:11
            var: x @t:2:7
            1.000000e+00 @t:2:11
          Block {
            Assign x @t:2:16
              2.000000e+00 @t:2:20
          } // Block
          UnOp: ! @t:2:34
            var: x @t:2:35
          Block {
          } // Block
          Else Block {
            Return
              (void)
          } // Else Block
        While @t:3:3
          Index @t:3:10
            var: x @t:3:10
            Subscripts [
              0.000000e+00 @t:3:12
              Range
                1.000000e+00 @t:3:15
                var: n @t:3:17
            ]
          Block {
            Print [ @t:3:23
              String: \"a\\n\" @t:3:29
              var: x @t:3:36
            ]
          } // Block
        For i @t:4:3
          0.000000e+00 @t:4:12
          var: n @t:4:15
          -1.000000e+00 @t:4:18
          Block {
            Assign x @t:4:23
              Subscripts [
                var: i @t:4:25
              ]
              Call 'sum' [ @t:4:30
                var: x @t:4:34
                Named 'axis' @t:4:37
                  1.000000e+00 @t:4:44
              ]
          } // Block
";
    let dump = dumped("t", text);
    let block = dump.split_once("Block {\n").and_then(|(_, rest)| rest.rsplit_once("      }"));
    assert_eq!(block.map(|(block, _)| block), Some(expected));
}
