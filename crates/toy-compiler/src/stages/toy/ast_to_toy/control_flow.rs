//! Branches and loops.
//!
//! A loop that a `break` or `return` may leave is an `scf.while` with its body in the first region, as a branch that
//! yields whether the loop goes on: `while (c && body()) {}`. So it stops at once.
//!
//! A `for` counts with an `index`, so that LLVM can prove that subscripts are in range. With a constant
//! positive step it is a loop of `scf` as written; otherwise the loop counts its iterations and the variable is
//! computed from their number.

use super::jumps::Rest;
use super::scope::Scope;
use crate::dialect::control::{CARRIES, IndexUse};
use crate::dialect::load_control_flow;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, Block, BlockRef, Region, RegionLike, Type, Value, ValueLike};
use mlir_support::builder::{Builder, SGT, SLT};
use mlir_support::ir;
use toy_diagnostics::source::Span;
use toy_syntax::ast::{self, ExprKind, For, If, Statement, While};
use toy_syntax::types;

/// A variable that is true if a loop has a next iteration: no name of a program has a `$`.
const GOES_ON: &str = "$goes_on";
/// The number that a `for` that can be left counts with.
const COUNTER: &str = "$counter";

impl<'c, 'a, 's> Scope<'c, 'a, 's> {
    /// Branches yield the variables that they assign.
    pub fn branches(&mut self, branches: &'s If, statement: &'s Statement) {
        let bodies = statement.bodies().into_iter().map(|body| &body.statements[..]);
        let names = self.carried_names(&bodies.collect::<Vec<_>>());
        let span = statement.span;
        self.tail_arms((&branches.arms, branches), Rest::NOTHING, &names, span, span);
    }

    /// An `scf.if` that yields variables, which it rebinds; `fill` is called for both branches, and returns the place
    /// of their end.
    pub fn carrying_if(
        &mut self,
        condition: Value<'c, 'a>,
        names: &[&'s str],
        span: Span,
        fill: impl Fn(usize, &mut Self) -> Span,
    ) {
        // Only the result of the function may have no value so far.
        let type_of = |name: &&str| {
            let before = self.variable(name).map(|old| self.unshaped(old.r#type()));
            before.or(self.result).expect("what is carried is bound")
        };
        let types: Vec<Type> = names.iter().map(type_of).collect();
        let (operation, blocks) = self.scf_if(condition, &types, names, span);
        for (index, block) in blocks.into_iter().enumerate() {
            let mark = self.enter(block);
            let end = fill(index, self);
            self.yield_names(names, end);
            self.leave(mark);
        }
        self.rebind(names, results_of(operation), Some(span));
    }

    pub fn while_loop(&mut self, repeated: &'s While, span: Span) {
        let While { condition, body } = repeated;
        let names = self.carried_by_loop(body);
        let spans = (span, condition.span);
        let truth = |it: &mut Self| it.truth(condition, "condition");
        let turn = |it: &mut Self| it.loop_body(body, &names, span);
        if ast::jumps(&body.statements).leave_loop() {
            self.repeat_until_left(&names, spans, truth, turn);
        } else {
            self.repeat(&names, spans, truth, |it| {
                turn(it);
            });
        }
        self.pass_on_return(body);
    }

    /// An `scf.while` that carries variables.
    fn repeat(
        &mut self,
        names: &[&'s str],
        (span, head): (Span, Span),
        condition: impl FnOnce(&mut Self) -> Value<'c, 'a>,
        body: impl FnOnce(&mut Self),
    ) {
        let inits = self.unshaped_values(names, span);
        let types: Vec<Type> = inits.iter().map(|init| init.r#type()).collect();
        let code = self.flow(span);
        let regions = vec![code.region(&types), code.region(&types)];
        let attributes = self.carries(names);
        let operation = code.op_with_regions("scf.while", &inits, &types, &attributes, regions);
        let [before, after] = [0, 1].map(|region| ir::blocks_of(operation, region)[0]);

        let mark = self.enter(before);
        self.rebind(names, ir::arguments(before), None);
        let condition = condition(self);
        let forwarded = self.unshaped_values(names, span);
        let operands: Vec<Value> = [condition].into_iter().chain(forwarded).collect();
        self.code(head).op("scf.condition", &operands, &[], &[]);
        self.leave(mark);

        let mark = self.enter(after);
        self.rebind(names, ir::arguments(after), None);
        body(self);
        self.yield_names(names, span);
        self.leave(mark);
        self.rebind(names, results_of(operation), Some(span));
    }

    /// An `scf.while` whose body is in the first region; `turn` lowers it, and returns whether the loop is left.
    fn repeat_until_left(
        &mut self,
        names: &[&'s str],
        (span, head): (Span, Span),
        condition: impl FnOnce(&mut Self) -> Value<'c, 'a>,
        turn: impl Fn(&mut Self) -> Option<Value<'c, 'a>>,
    ) {
        let goes_on = |it: &mut Self| {
            let condition = condition(it);
            it.set(GOES_ON, it.flow(head).truth(false));
            let names: Vec<_> = [GOES_ON].into_iter().chain(names.iter().copied()).collect();
            it.carrying_if(condition, &names, span, |branch, it| {
                if branch == 0 {
                    let is_left = turn(it).expect("the loop can be left");
                    it.set(GOES_ON, it.inverted(is_left, span));
                }
                span
            });
            it.variable(GOES_ON).expect("bound above")
        };
        self.repeat(names, (span, head), goes_on, |_| ());
    }

    pub fn for_loop(&mut self, repeated: &'s For, span: Span) {
        let first = self.index(&repeated.first, IndexUse::Bound);
        let end = self.index(&repeated.end, IndexUse::Bound);
        let step_span = repeated.step.as_ref().map_or(span, |step| step.span);
        let constant = match repeated.step.as_ref().map(|step| &step.kind) {
            None => Some(1.0),
            Some(ExprKind::Number(step)) => Some(*step),
            Some(_) => None,
        };
        let is_counting = |step: f64| step >= 1.0 && step.fract() == 0.0 && step < 1e15;
        if let Some(step) = constant.filter(|step| is_counting(*step)) {
            let step = self.index_constant(step as i64, step_span);
            return self.counting(repeated, [first, end, step], span, |_, counter| counter);
        }
        let step = repeated.step.as_ref().map(|step| self.index(step, IndexUse::Step));
        let step = step.unwrap_or_else(|| self.index_constant(1, span));
        // Rounded away from zero, the quotient of the distance and the step; none in the other direction.
        let [zero, one] = [0, 1].map(|value| self.index_constant(value, span));
        let minus_one = self.index_constant(-1, span);
        let code = self.flow(span);
        let distance = code.computed("arith.subi", &[end, first]);
        let is_up = code.compare(SGT, [step, zero]);
        let sign = code.computed("arith.select", &[is_up, one, minus_one]);
        let less = code.computed("arith.subi", &[step, sign]);
        let rounded = code.computed("arith.addi", &[distance, less]);
        let count = code.computed("arith.divsi", &[rounded, step]);
        let count = code.computed("arith.maxsi", &[count, zero]);
        self.counting(repeated, [zero, count, one], span, |code, counter| {
            let offset = code.computed("arith.muli", &[counter, step]);
            code.computed("arith.addi", &[first, offset])
        });
    }

    /// An `scf.for`, or an `scf.while` if it can be left; `variable` makes the value of the loop variable from the
    /// counter.
    fn counting(
        &mut self,
        repeated: &'s For,
        range: [Value<'c, 'a>; 3],
        span: Span,
        variable: impl Fn(Builder<'c, 'a>, Value<'c, 'a>) -> Value<'c, 'a>,
    ) {
        let mut names = self.carried_by_loop(&repeated.body);
        let body = |it: &mut Self, counter, names: &[&'s str]| {
            let value = variable(it.code(span), counter);
            it.variables.insert(&repeated.variable.text, types::Type::Tensor);
            it.bind(&repeated.variable, value, None);
            it.loop_body(&repeated.body, names, span)
        };
        if ast::jumps(&repeated.body.statements).leave_loop() {
            let [first, end, step] = range;
            self.set(COUNTER, first);
            names.insert(0, COUNTER);
            let counter = |it: &Self| it.variable(COUNTER).expect("bound above");
            let condition = |it: &mut Self| it.code(span).compare(SLT, [counter(it), end]);
            self.repeat_until_left(&names, (span, span), condition, |it| {
                let counter = counter(it);
                let is_left = body(it, counter, &names);
                it.set(COUNTER, it.code(span).computed("arith.addi", &[counter, step]));
                is_left
            });
            return self.pass_on_return(&repeated.body);
        }
        let inits = self.unshaped_values(&names, span);
        let types: Vec<Type> = inits.iter().map(|init| init.r#type()).collect();
        let code = self.flow(span);
        let counter = (Type::index(self.context), self.location(repeated.variable.span));
        let carried = types.iter().map(|ty| (*ty, code.location));
        let region = Region::new();
        region.append_block(Block::new(&[counter].into_iter().chain(carried).collect::<Vec<_>>()));
        let operands: Vec<Value> = range.into_iter().chain(inits).collect();
        let (attributes, regions) = (self.carries(&names), vec![region]);
        let operation = code.op_with_regions("scf.for", &operands, &types, &attributes, regions);
        let block = ir::blocks_of(operation, 0)[0];
        let mark = self.enter(block);
        let arguments = ir::arguments(block);
        let (counter, carried) = arguments.split_first().expect("a loop has a counter");
        self.rebind(&names, carried.to_vec(), None);
        body(self, *counter, &names);
        self.yield_names(&names, span);
        self.leave(mark);
        self.rebind(&names, results_of(operation), Some(span));
    }

    /// An `scf.if` with two empty blocks.
    pub fn scf_if(
        &self,
        condition: Value<'c, 'a>,
        types: &[Type<'c>],
        names: &[&str],
        span: Span,
    ) -> (OperationRef<'c, 'a>, [BlockRef<'c, 'a>; 2]) {
        let code = self.flow(span);
        let (attributes, regions) = (self.carries(names), vec![code.region(&[]), code.region(&[])]);
        let operation = code.op_with_regions("scf.if", &[condition], types, &attributes, regions);
        (operation, [0, 1].map(|region| ir::blocks_of(operation, region)[0]))
    }

    fn yield_names(&self, names: &[&'s str], span: Span) {
        let values = self.unshaped_values(names, span);
        self.code(span).op("scf.yield", &values, &[], &[]);
    }

    fn unshaped_values(&self, names: &[&'s str], span: Span) -> Vec<Value<'c, 'a>> {
        let value = |name: &&str| self.variable(name).expect("what is carried is bound");
        names.iter().map(value).map(|value| self.cast(value, span)).collect()
    }

    /// The variables have other values from here on: those that a block is given, or, with a place to show to a
    /// debugger, the results of a loop or a branch.
    fn rebind(&mut self, names: &[&'s str], values: Vec<Value<'c, 'a>>, shown: Option<Span>) {
        for (name, value) in names.iter().zip(values) {
            self.set(name, value);
            if let Some(span) = shown {
                self.show(name, value, None, span);
            }
        }
    }

    /// The names of the values that an operation carries, for messages.
    fn carries(&self, names: &[&str]) -> Vec<(&'static str, Attribute<'c>)> {
        let code = self.code(Span::default());
        let names: Vec<_> = names.iter().map(|name| code.text(name)).collect();
        if names.is_empty() { vec![] } else { vec![(CARRIES, code.list(names))] }
    }

    pub fn index_constant(&self, value: i64, span: Span) -> Value<'c, 'a> {
        self.flow(span).integer(Type::index(self.context), value)
    }

    /// Appends operations of control flow.
    pub fn flow(&self, span: Span) -> Builder<'c, 'a> {
        load_control_flow(self.session);
        self.code(span)
    }
}

fn results_of<'c, 'a>(operation: OperationRef<'c, 'a>) -> Vec<Value<'c, 'a>> {
    operation.results().map(Value::from).collect()
}
