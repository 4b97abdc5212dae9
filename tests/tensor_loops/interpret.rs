//! The output of a program: tensors are values, and nothing is shared.
//!
//! Input: a program. Output: the elements it prints, or None if it runs too long or computes numbers that `f64`
//! does not represent exactly.

use super::program::{
    Block, Carried, Condition, Depth, Function, Loop, Operator, Program, SIZE, SLICE, Scalar,
    Selector, Statement, Var,
};
use std::collections::HashMap;

type Tensor = [f64; SIZE];

/// Statements that a program may run.
const STEPS: usize = 4000;

/// Numbers below are exact in sums, too.
const LARGE: f64 = 1e15;

pub fn run(program: &Program) -> Option<Vec<f64>> {
    let main = program.functions.last()?;
    let mut machine = Machine { program, printed: vec![], steps: 0 };
    machine.call(main, &[], 0)?;
    Some(machine.printed)
}

struct Machine<'p> {
    program: &'p Program,
    printed: Vec<f64>,
    steps: usize,
}

/// The variables of one call.
struct Frame {
    values: HashMap<Var, Tensor>,
    depth: usize,
}

impl Frame {
    fn all(&self, variables: &[Var]) -> Vec<Tensor> {
        variables.iter().map(|variable| self.values[variable]).collect()
    }

    fn set(&mut self, variables: &[Var], values: &[Tensor]) {
        assert_eq!(variables.len(), values.len(), "as many values as variables");
        self.values.extend(variables.iter().copied().zip(values.iter().copied()));
    }

    fn holds(&self, condition: Condition) -> bool {
        self.values[&condition.tensor][condition.at] < f64::from(condition.below)
    }
}

impl<'p> Machine<'p> {
    fn call(
        &mut self,
        function: &'p Function,
        arguments: &[Tensor],
        depth: usize,
    ) -> Option<Vec<Tensor>> {
        let mut frame = Frame { values: HashMap::new(), depth };
        frame.set(&function.parameters, arguments);
        self.all(&function.body, &mut frame)?;
        Some(frame.all(&function.returned))
    }

    fn all(&mut self, body: &'p [Statement], frame: &mut Frame) -> Option<()> {
        body.iter().try_for_each(|statement| self.statement(statement, frame))
    }

    fn block(&mut self, block: &'p Block, frame: &mut Frame) -> Option<Vec<Tensor>> {
        self.all(&block.body, frame)?;
        Some(frame.all(&block.yielded))
    }

    fn statement(&mut self, statement: &'p Statement, frame: &mut Frame) -> Option<()> {
        self.steps += 1;
        if self.steps > STEPS {
            return None;
        }
        let (out, value) = match statement {
            Statement::Fill(out, number) => (*out, [f64::from(*number); SIZE]),
            Statement::Constant(out, numbers) | Statement::FromElements(out, numbers) => {
                (*out, numbers.map(f64::from))
            }
            Statement::Elementwise(out, operator, [a, b], _) => {
                let (a, b) = (frame.values[a], frame.values[b]);
                (*out, std::array::from_fn(|at| operator.apply(a[at], b[at])))
            }
            Statement::Accumulate(out, a, b) => {
                let (a, b) = (frame.values[a], frame.values[b]);
                (*out, std::array::from_fn(|at| a[at] + b[at]))
            }
            Statement::Insert(out, scalar, into, at) => {
                let mut value = frame.values[into];
                value[*at] = match scalar {
                    Scalar::Number(number) => f64::from(*number),
                    Scalar::Element(tensor, at) => frame.values[tensor][*at] + 1.0,
                };
                (*out, value)
            }
            Statement::Slice(out, (from, start), (into, at)) => {
                let mut value = frame.values[into];
                let part = &frame.values[from][*start..start + SLICE];
                value[*at..at + SLICE].copy_from_slice(part);
                (*out, value)
            }
            Statement::Select(out, condition, a, b) => {
                (*out, frame.values[if frame.holds(*condition) { a } else { b }])
            }
            Statement::Same(out, a) => (*out, frame.values[a]),
            Statement::Print(a) => {
                self.printed.extend(frame.values[a]);
                return Some(());
            }
            Statement::Call(outs, callee, arguments, depth) => {
                let depth = match depth {
                    Depth::Number(number) => *number,
                    Depth::Less => frame.depth.checked_sub(1)?,
                };
                let arguments = frame.all(arguments);
                let values = self.call(&self.program.functions[*callee], &arguments, depth)?;
                frame.set(outs, &values);
                return Some(());
            }
            Statement::Branches(outs, selector, blocks) => {
                let taken = match selector {
                    Selector::If(condition) => usize::from(!frame.holds(*condition)),
                    Selector::Deep => usize::from(frame.depth == 0),
                    Selector::Switch(a, b) => {
                        usize::from(frame.holds(*a)) + usize::from(frame.holds(*b))
                    }
                };
                let values = self.block(&blocks[taken], frame)?;
                frame.set(outs, &values);
                return Some(());
            }
            Statement::Region(outs, block) => {
                let values = self.block(block, frame)?;
                frame.set(outs, &values);
                return Some(());
            }
            Statement::For(outs, trips, Carried { arguments, initial }, block) => {
                let mut values = frame.all(initial);
                for _ in 0..*trips {
                    frame.set(arguments, &values);
                    values = self.block(block, frame)?;
                }
                frame.set(outs, &values);
                return Some(());
            }
            Statement::Loop(outs, whole) => return self.whole(outs, whole, frame),
        };
        if value.iter().any(|element| element.abs() > LARGE) {
            return None;
        }
        frame.values.insert(out, value);
        Some(())
    }

    fn whole(&mut self, outs: &[Var], whole: &'p Loop, frame: &mut Frame) -> Option<()> {
        let mut carried = frame.all(&whole.carried.initial);
        let mut trip = 0;
        loop {
            frame.set(&whole.carried.arguments, &carried);
            let forwarded = self.block(&whole.head, frame)?;
            let is_done = trip >= whole.trips || whole.until.is_some_and(|it| frame.holds(it));
            if is_done {
                frame.set(outs, &forwarded);
                return Some(());
            }
            frame.set(&whole.forwarded, &forwarded);
            carried = self.block(&whole.body, frame)?;
            trip += 1;
        }
    }
}

impl Operator {
    fn apply(self, a: f64, b: f64) -> f64 {
        match self {
            Operator::Add => a + b,
            Operator::Subtract => a - b,
            Operator::Max => a.max(b),
        }
    }
}
