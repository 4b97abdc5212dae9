use super::*;
use crate::Session;
use crate::ir;
use toy_diagnostics::source::Source;

fn integers(low: f64, high: f64) -> Range {
    Range::of_integers(low, high).unwrap()
}

#[test]
fn operations_contain_what_their_operands_make() {
    let ranges = [
        integers(-3.0, 2.0),
        integers(0.0, 5.0),
        integers(4.0, 4.0),
        integers(-7.0, -2.0),
        Range::constant(-0.5).unwrap().join(Range::constant(2.25).unwrap()),
        Range::constant(-0.0).unwrap(),
    ];
    let numbers = |range: Range| {
        let steps =
            (0..=40).map(move |at| range.low + (range.high - range.low) * f64::from(at) / 40.0);
        let minus_zero = range.minus_zero.then_some(-0.0);
        steps.filter(move |x| !range.whole || x.fract() == 0.0).chain(minus_zero)
    };
    let holds = |range: Range, x: f64| {
        let minus_zero = x == 0.0 && x.is_sign_negative();
        range.low <= x
            && x <= range.high
            && (!range.whole || x.fract() == 0.0)
            && (!minus_zero || range.minus_zero)
    };
    let mut compared = 0;
    for a in ranges {
        for x in numbers(a) {
            assert!(
                holds(a.negated(), -x) && holds(a.abs(), x.abs()) && holds(a.floor(), x.floor())
            );
            for b in ranges {
                for y in numbers(b) {
                    let results = [
                        (a.sum(b), x + y),
                        (a.difference(b), x - y),
                        (a.product(b), x * y),
                        (a.quotient(b), x / y),
                        (Some(a.min(b)), x.min(y)),
                        (Some(a.max(b)), x.max(y)),
                        (a.remainder(y), x - y * (x / y).floor()),
                    ];
                    for (range, result) in results {
                        let Some(range) = range else { continue };
                        assert!(holds(range, result), "{a:?} {b:?}: {range:?} {x} {y} {result}");
                        compared += 1;
                    }
                    let orders = [
                        (Relation::Less, x < y),
                        (Relation::LessOrEqual, x <= y),
                        (Relation::Greater, x > y),
                        (Relation::GreaterOrEqual, x >= y),
                        (Relation::Equal, x == y),
                        (Relation::NotEqual, x != y),
                    ];
                    for (relation, is_so) in orders {
                        assert!(a.compare(relation, b).is_none_or(|known| known == is_so));
                    }
                }
            }
        }
    }
    assert!(compared > 10_000);
}

#[test]
fn what_f64_cannot_hold_is_no_range() {
    let large = integers(0.0, EXACT);
    assert!(large.sum(integers(1.0, 1.0)).is_none_or(|sum| !sum.is_integer()));
    assert_eq!(large.sum(large), None);
    assert_eq!(large.product(large), None);
    assert_eq!(Range::constant(f64::NAN), None);
    assert_eq!(Range::constant(f64::INFINITY), None);
    assert!(!large.is_integer());
    assert_eq!(large.remainder(3.0), None);
}

/// The bounds of an index of a function, `%i` of which is known to be from 0 to 9.
fn bounds(index: &str) -> Option<[f64; 2]> {
    let session = Session::new();
    session.load_dialects(&["func", "arith"]);
    let text = format!(
        "func.func @f(%i: index, %j: index) -> index {{
           %c2 = arith.constant 2 : index
           %c5 = arith.constant 5 : index
           %is_more = arith.cmpi sgt, %c5, %c2 : index
           %r = arith.{index} : index
           return %r : index
         }}"
    );
    let module = session.parse(&Source::new("f.mlir", &text)).expect("valid text");
    let end = ir::operations(module.as_operation()).pop().expect("a return");
    let is_first = |home: &ir::Home| home.argument == 0;
    let known = |value| ir::home(value).filter(is_first).and(Range::of_integers(0.0, 9.0));
    of_index(ir::operand(end, 0), 3, &known).map(|range| [range.low, range.high])
}

#[test]
fn an_index_is_followed_to_constants_and_known_values() {
    assert_eq!(bounds("addi %i, %c2"), Some([2.0, 11.0]));
    assert_eq!(bounds("subi %c5, %i"), Some([-4.0, 5.0]));
    assert_eq!(bounds("divsi %c5, %c2"), Some([2.0, 2.0]));
    assert_eq!(bounds("maxsi %c5, %i"), Some([5.0, 9.0]));
    assert_eq!(bounds("select %is_more, %c5, %j"), Some([5.0, 5.0]));
    assert_eq!(bounds("select %is_more, %j, %c5"), None);
    assert_eq!(bounds("addi %j, %c2"), None);
    assert_eq!(bounds("divsi %i, %c2"), None);
    assert_eq!(bounds("muli %c5, %c2"), None);
}
