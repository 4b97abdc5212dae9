//! Each view of the table, in a program, and values that are none.

use super::*;
use crate::Session;
use toy_diagnostics::source::Source;

const PROGRAM: &str = r#"
memref.global "private" @g : memref<4xf64>
func.func private @unknown(memref<4xf64>) -> memref<4xf64>
func.func @views(%a: memref<4xf64>, %grid: memref<2x2xf64>, %bytes: memref<64xi8>, %shape: memref<1xi32>,
                 %t: tensor<4xf64>, %u: tensor<2x2xf64>, %sizes: tensor<1xi32>, %n: index) {
  %0 = memref.assume_alignment %a, 16 : memref<4xf64>
  %1 = memref.cast %a : memref<4xf64> to memref<?xf64>
  %2 = memref.collapse_shape %grid [[0, 1]] : memref<2x2xf64> into memref<4xf64>
  %3 = memref.expand_shape %a [[0, 1]] output_shape [2, 2] : memref<4xf64> into memref<2x2xf64>
  %4:4 = memref.extract_strided_metadata %a : memref<4xf64> -> memref<f64>, index, index, index
  %5 = memref.memory_space_cast %a : memref<4xf64> to memref<4xf64, 1>
  %6 = memref.reinterpret_cast %a to offset: [%n], sizes: [2], strides: [1] : memref<4xf64> to memref<2xf64, strided<[1], offset: ?>>
  %7 = memref.reshape %a(%shape) : (memref<4xf64>, memref<1xi32>) -> memref<4xf64>
  %8 = memref.subview %a[%n] [2] [1] : memref<4xf64> to memref<2xf64, strided<[1], offset: ?>>
  %9 = memref.transpose %grid (i, j) -> (j, i) : memref<2x2xf64> to memref<2x2xf64, strided<[1, 2]>>
  %10 = memref.view %bytes[%n][] : memref<64xi8> to memref<4xf64>
  %11 = tensor.cast %t : tensor<4xf64> to tensor<?xf64>
  %12 = tensor.collapse_shape %u [[0, 1]] : tensor<2x2xf64> into tensor<4xf64>
  %13 = tensor.expand_shape %t [[0, 1]] output_shape [2, 2] : tensor<4xf64> into tensor<2x2xf64>
  %14 = tensor.extract_slice %t[%n] [2] [1] : tensor<4xf64> to tensor<2xf64>
  %15 = tensor.reshape %t(%sizes) : (tensor<4xf64>, tensor<1xi32>) -> tensor<4xf64>
  %16 = vector.type_cast %grid : memref<2x2xf64> to memref<vector<2x2xf64>>
  return
}
func.func @origins(%a: memref<4xf64>, %b: memref<4xf64>, %c: i1, %n: index, %t: tensor<4xf64>) {
  %alloc = memref.alloc() {is = "allocation"} : memref<4xf64>
  %alloca = memref.alloca() {is = "allocation"} : memref<4xf64>
  %global = memref.get_global @g : memref<4xf64> {is = "global"}
  %part = memref.subview %a[%n] [2] [1] {is = "argument"} : memref<4xf64> to memref<2xf64, strided<[1], offset: ?>>
  %either = arith.select %c, %a, %b {is = "unknown"} : memref<4xf64>
  %view = memref.cast %either {is = "unknown"} : memref<4xf64> to memref<?xf64>
  %called = func.call @unknown(%a) {is = "unknown"} : (memref<4xf64>) -> memref<4xf64>
  %one, %two = memref.distinct_objects %a, %b {is = "unknown"} : memref<4xf64>, memref<4xf64>
  %made = bufferization.to_buffer %t {is = "unknown"} : tensor<4xf64> to memref<4xf64>
  %kept = scf.for %i = %n to %n step %n iter_args(%x = %a) -> memref<4xf64> {
    scf.yield %x : memref<4xf64>
  } {is = "unknown"}
  %new = scf.for %i = %n to %n step %n iter_args(%x = %a) -> memref<4xf64> {
    %y = memref.alloc() {is = "allocation"} : memref<4xf64>
    scf.yield %y : memref<4xf64>
  } {is = "unknown"}
  return
}
func.func @parts(%a: memref<8xf64>, %n: index, %m: index) {
  %0 = memref.subview %a[%n] [4] [1] : memref<8xf64> to memref<4xf64, strided<[1], offset: ?>>
  %1 = memref.subview %a[%n] [4] [1] : memref<8xf64> to memref<4xf64, strided<[1], offset: ?>>
  %2 = memref.subview %a[%m] [4] [1] : memref<8xf64> to memref<4xf64, strided<[1], offset: ?>>
  %3 = memref.subview %a[%n] [4] [2] : memref<8xf64> to memref<4xf64, strided<[2], offset: ?>>
  %4 = memref.subview %1[1] [2] [1] : memref<4xf64, strided<[1], offset: ?>> to memref<2xf64, strided<[1], offset: ?>>
  %5 = memref.subview %0[1] [2] [1] : memref<4xf64, strided<[1], offset: ?>> to memref<2xf64, strided<[1], offset: ?>>
  return
}"#;

fn with_program(text: &str, test: impl FnOnce(Vec<OperationRef>)) {
    let session = Session::new();
    session.load_dialects(&["func", "scf", "memref", "tensor", "arith", "vector", "bufferization"]);
    let module = session.parse(&Source::new("f.mlir", text));
    let module = module.unwrap_or_else(|| panic!("{:?}", session.take_diagnostics()));
    test(ir::operations(module.as_operation()));
}

fn inside<'c, 'a>(
    operations: &[OperationRef<'c, 'a>],
    function: &str,
) -> Vec<OperationRef<'c, 'a>> {
    let mut found = operations.iter().filter(|it| func::symbol_name(*it) == function);
    ir::operations(*found.next().expect("the function"))
}

fn ids(values: Option<Vec<Value>>) -> Option<Vec<usize>> {
    Some(values?.into_iter().map(ir::id).collect())
}

#[test]
fn each_view_of_the_table_is_one_of_its_first_operand() {
    with_program(PROGRAM, |operations| {
        let views = inside(&operations, "views");
        for name in VIEWS {
            let view = *views.iter().find(|it| ir::name(*it) == name).expect(name);
            let results: Vec<Value> = view.results().map(Value::from).collect();
            let source = ir::operand(view, 0);
            assert_eq!(ids(sources(results[0])), Some(vec![ir::id(source)]), "{name}");
            assert_eq!(ids(aliases(view, 0)), Some(vec![ir::id(results[0])]), "{name}");
            assert_eq!(ir::id(base(results[0])), ir::id(source), "{name}");
            // Sizes and offsets are numbers.
            assert!(results[1..].iter().all(|value| sources(*value).is_none()), "{name}");
            assert!((1..view.operand_count()).all(|at| aliases(view, at).is_none()), "{name}");
            if is_buffer(results[0].r#type()) {
                let found = origin(results[0]).map(|origin| ir::id(origin.value()));
                assert_eq!(found, Some(ir::id(source)), "{name}");
            }
        }
        let others = views.iter().filter(|it| !VIEWS.contains(&ir::name(*it)));
        assert!(others.into_iter().all(|it| view_source(*it).is_none()));
    });
}

#[test]
fn aliases_lead_forward_where_sources_lead_back() {
    with_program(PROGRAM, |operations| {
        for operation in operations {
            for at in 0..operation.operand_count() {
                for alias in aliases(operation, at).unwrap_or_default() {
                    let back = ids(sources(alias)).expect("an alias has sources");
                    assert!(back.contains(&ir::id(ir::operand(operation, at))), "{operation}");
                }
            }
        }
    });
}

#[test]
fn a_buffer_is_in_one_memory_or_unknown() {
    with_program(PROGRAM, |operations| {
        let mut asked = 0;
        for operation in inside(&operations, "origins") {
            let Some(expected) = func::string_attribute(&operation, "is") else { continue };
            for result in operation.results() {
                let found = match origin(result.into()) {
                    Some(Origin::Allocation(_)) => "allocation",
                    Some(Origin::Global(_)) => "global",
                    Some(Origin::Argument(_, 0)) => "argument",
                    Some(Origin::Argument(..)) => "another argument",
                    None => "unknown",
                };
                assert_eq!(found, expected, "{operation}");
                asked += 1;
            }
        }
        assert_eq!(asked, 13);
    });
}

#[test]
fn equal_views_of_equal_values_are_the_same_part() {
    with_program(PROGRAM, |operations| {
        let parts = inside(&operations, "parts");
        let part = |at: usize| func::result(parts[at]);
        assert!(is_same_part(part(0), part(1)) && is_same_part(part(4), part(5)));
        for (one, other) in [(0, 2), (0, 3), (0, 4)] {
            assert!(!is_same_part(part(one), part(other)), "{one} {other}");
        }
    });
}

#[test]
fn a_walk_ends_after_its_budget() {
    let chain = |length: usize| {
        let mut text = "func.func @f(%0: memref<4xf64>) {\n".to_owned();
        for at in 1..=length {
            let (from, to) = if at % 2 == 1 { ("4", "?") } else { ("?", "4") };
            text += &format!(
                "%{at} = memref.cast %{} : memref<{from}xf64> to memref<{to}xf64>\n",
                at - 1
            );
        }
        text + "return\n}"
    };
    for (length, is_known) in [(BUDGET - 1, true), (BUDGET, false)] {
        with_program(&chain(length), |operations| {
            let last = operations[operations.len() - 2];
            assert_eq!(origin(func::result(last)).is_some(), is_known, "{length}");
        });
    }
}
