//! Branches and loops.
//!
//! A loop that a `break` or `return` may leave is an `scf.while` with its body in the first region, as a branch that
//! yields whether the loop goes on: `while (c && body()) {}`. So it stops at once.
//!
//! A `for` counts with an `index`, so that LLVM can prove that subscripts are in range. With a constant
//! positive step it is a loop of `scf` as written; otherwise the loop counts its iterations and the variable is
//! computed from their number.

use super::Lowering;
use super::scope::Scope;
use crate::dialect::control::{self, IndexUse};
use crate::dialect::load_control_flow;
use melior::ir::operation::OperationRef;
use melior::ir::{
    Attribute, Block, BlockLike, BlockRef, Identifier, Location, Region, RegionLike, Type, Value,
    ValueLike,
};
use mlir_support::builder::{Builder, Insertion, SGT, SLT, build};
use mlir_support::ir;
use toy_diagnostics::source::Span;
use toy_syntax::ast::{self, Arm, ExprKind, For, If, Statement, While};
use toy_syntax::types;

/// A variable that is true if a loop has a next iteration: no name of a program has a `$`.
const GOES_ON: &str = "$goes_on";
/// The number that a `for` that can be left counts with.
const COUNTER: &str = "$counter";

impl<'c, 's> Lowering<'c, 's> {
    /// Branches yield the variables that they assign.
    pub fn branches<'a>(&self, scope: &mut Scope<'c, 'a, 's>, branches: &'s If, span: Span) {
        let otherwise = branches.otherwise.as_ref().map(|body| &body.statements[..]);
        let bodies: Vec<_> =
            branches.arms.iter().map(|arm| &arm.body.statements[..]).chain(otherwise).collect();
        let names = self.carried_names(scope, &bodies);
        self.arms(scope, &branches.arms, otherwise, &names, span);
    }

    fn arms<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        arms: &'s [Arm],
        otherwise: Option<&'s [Statement]>,
        names: &[&'s str],
        span: Span,
    ) -> Span {
        let Some((arm, others)) = arms.split_first() else {
            return self.block(scope, otherwise.unwrap_or_default(), names, span);
        };
        let condition = self.truth(scope, &arm.condition, "condition");
        self.carrying_if(scope, condition, names, span, |branch, scope| match branch {
            0 => self.block(scope, &arm.body.statements, names, span),
            _ => self.arms(scope, others, otherwise, names, span),
        });
        span
    }

    /// An `scf.if` that yields variables, which it rebinds; `fill` is called for both branches, and returns the place
    /// of their end.
    pub fn carrying_if<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        condition: Value<'c, 'a>,
        names: &[&'s str],
        span: Span,
        fill: impl Fn(usize, &mut Scope<'c, 'a, 's>) -> Span,
    ) {
        // Only the result of the function may have no value so far.
        let type_of = |name: &&str| {
            let before = scope.value(name).map(|old| self.unshaped(old.r#type()));
            before.or(scope.result).expect("what is carried is bound")
        };
        let types: Vec<Type> = names.iter().map(type_of).collect();
        let (operation, blocks) = self.scf_if(scope.block, condition, &types, names, span);
        for (index, block) in blocks.into_iter().enumerate() {
            let mark = scope.enter(block);
            let end = fill(index, scope);
            self.yield_names(scope, names, end);
            scope.leave(mark);
        }
        self.rebind(scope, names, result_of(operation), Some(span));
    }

    pub fn while_loop<'a>(&self, scope: &mut Scope<'c, 'a, 's>, repeated: &'s While, span: Span) {
        let While { condition, body } = repeated;
        let names = self.carried_by_loop(scope, body);
        let spans = (span, condition.span);
        let truth = |scope: &mut Scope<'c, 'a, 's>| self.truth(scope, condition, "condition");
        let turn = |scope: &mut Scope<'c, 'a, 's>| self.loop_body(scope, body, &names, span);
        if ast::jumps(&body.statements).leave_loop() {
            self.repeat_until_left(scope, &names, spans, truth, turn);
        } else {
            self.repeat(scope, &names, spans, truth, |scope| {
                turn(scope);
            });
        }
        self.pass_on_return(scope, body);
    }

    /// An `scf.while` that carries variables.
    fn repeat<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        names: &[&'s str],
        (span, head): (Span, Span),
        condition: impl FnOnce(&mut Scope<'c, 'a, 's>) -> Value<'c, 'a>,
        body: impl FnOnce(&mut Scope<'c, 'a, 's>),
    ) {
        let inits = self.unshaped_values(scope, names, span);
        let types: Vec<Type> = inits.iter().map(|init| init.r#type()).collect();
        let location = self.location(span);
        let arguments: Vec<_> = types.iter().map(|ty| (*ty, location)).collect();
        load_control_flow(self.session);
        let regions = vec![region(&arguments), region(&arguments)];
        let carries = self.carries(names);
        let operation = build("scf.while", location, &inits, &types, &carries, regions);
        let operation = scope.block.append_operation(operation);
        let [before, after] = [0, 1].map(|region| ir::blocks_of(operation, region)[0]);

        let mark = scope.enter(before);
        self.rebind(scope, names, argument_of(before, 0), None);
        let condition = condition(scope);
        let forwarded = self.unshaped_values(scope, names, span);
        let operands: Vec<Value> = [condition].into_iter().chain(forwarded).collect();
        let location = self.location(head);
        before.append_operation(build("scf.condition", location, &operands, &[], &[], vec![]));
        scope.leave(mark);

        let mark = scope.enter(after);
        self.rebind(scope, names, argument_of(after, 0), None);
        body(scope);
        self.yield_names(scope, names, span);
        scope.leave(mark);
        self.rebind(scope, names, result_of(operation), Some(span));
    }

    /// An `scf.while` whose body is in the first region; `turn` lowers it, and returns whether the loop is left.
    fn repeat_until_left<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        names: &[&'s str],
        spans: (Span, Span),
        condition: impl FnOnce(&mut Scope<'c, 'a, 's>) -> Value<'c, 'a>,
        turn: impl Fn(&mut Scope<'c, 'a, 's>) -> Option<Value<'c, 'a>>,
    ) {
        let (span, head) = spans;
        let goes_on = |scope: &mut Scope<'c, 'a, 's>| {
            let condition = condition(scope);
            let no = self.truth_constant(scope, false, head);
            scope.bind(GOES_ON, no);
            let names: Vec<_> = [GOES_ON].into_iter().chain(names.iter().copied()).collect();
            self.carrying_if(scope, condition, &names, span, |branch, scope| {
                if branch == 0 {
                    let is_left = turn(scope).expect("the loop can be left");
                    let goes_on = self.inverted(scope, is_left, span);
                    scope.bind(GOES_ON, goes_on);
                }
                span
            });
            scope.value(GOES_ON).expect("bound above")
        };
        self.repeat(scope, names, spans, goes_on, |_| ());
    }

    pub fn for_loop<'a>(&self, scope: &mut Scope<'c, 'a, 's>, repeated: &'s For, span: Span) {
        let first = self.index(scope, &repeated.first, IndexUse::Bound);
        let end = self.index(scope, &repeated.end, IndexUse::Bound);
        let step_span = repeated.step.as_ref().map_or(span, |step| step.span);
        let one = |scope: &mut Scope<'c, 'a, 's>| self.index_constant(scope, 1, span);
        let constant = match repeated.step.as_ref().map(|step| &step.kind) {
            None => Some(1.0),
            Some(ExprKind::Number(step)) => Some(*step),
            Some(_) => None,
        };
        let is_counting = |step: f64| step >= 1.0 && step.fract() == 0.0 && step < 1e15;
        if let Some(step) = constant.filter(|step| is_counting(*step)) {
            let step = self.index_constant(scope, step as i64, step_span);
            return self.counting(scope, repeated, [first, end, step], span, |_, counter| counter);
        }
        let step = repeated.step.as_ref().map(|step| self.index(scope, step, IndexUse::Step));
        let step = step.unwrap_or_else(|| one(scope));
        // Rounded away from zero, the quotient of the distance and the step; none in the other direction.
        let [zero, one] = [0, 1].map(|value| self.index_constant(scope, value, span));
        let minus_one = self.index_constant(scope, -1, span);
        let distance = self.arith(scope, "arith.subi", &[end, first], span);
        let is_up = self.is_positive(scope, [step, zero], span);
        let sign = self.arith(scope, "arith.select", &[is_up, one, minus_one], span);
        let less = self.arith(scope, "arith.subi", &[step, sign], span);
        let rounded = self.arith(scope, "arith.addi", &[distance, less], span);
        let count = self.arith(scope, "arith.divsi", &[rounded, step], span);
        let count = self.arith(scope, "arith.maxsi", &[count, zero], span);
        self.counting(scope, repeated, [zero, count, one], span, |scope, counter| {
            let offset = self.arith(scope, "arith.muli", &[counter, step], span);
            self.arith(scope, "arith.addi", &[first, offset], span)
        });
    }

    /// An `scf.for`, or an `scf.while` if it can be left; `variable` makes the value of the loop variable from the
    /// counter.
    fn counting<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        repeated: &'s For,
        range: [Value<'c, 'a>; 3],
        span: Span,
        variable: impl Fn(&mut Scope<'c, 'a, 's>, Value<'c, 'a>) -> Value<'c, 'a>,
    ) {
        let mut names = self.carried_by_loop(scope, &repeated.body);
        let body = |scope: &mut Scope<'c, 'a, 's>, counter, names: &[&'s str]| {
            let value = variable(scope, counter);
            scope.types.insert(&repeated.variable.text, types::Type::Tensor);
            self.bind(scope, &repeated.variable, value, None);
            self.loop_body(scope, &repeated.body, names, span)
        };
        if ast::jumps(&repeated.body.statements).leave_loop() {
            let [first, end, step] = range;
            scope.bind(COUNTER, first);
            names.insert(0, COUNTER);
            let counter = |scope: &Scope<'c, 'a, 's>| scope.value(COUNTER).expect("bound above");
            let condition = |scope: &mut Scope<'c, 'a, 's>| {
                self.code(scope, span).compare(SLT, [counter(scope), end])
            };
            self.repeat_until_left(scope, &names, (span, span), condition, |scope| {
                let counter = counter(scope);
                let is_left = body(scope, counter, &names);
                let next = self.arith(scope, "arith.addi", &[counter, step], span);
                scope.bind(COUNTER, next);
                is_left
            });
            return self.pass_on_return(scope, &repeated.body);
        }
        let inits = self.unshaped_values(scope, &names, span);
        let types: Vec<Type> = inits.iter().map(|init| init.r#type()).collect();
        let location = self.location(span);
        let counter = [(Type::index(self.context), self.location(repeated.variable.span))];
        let carried = types.iter().map(|ty| (*ty, location));
        let arguments: Vec<_> = counter.into_iter().chain(carried).collect();
        let operands: Vec<Value> = range.into_iter().chain(inits).collect();
        load_control_flow(self.session);
        let (carries, regions) = (self.carries(&names), vec![region(&arguments)]);
        let operation = build("scf.for", location, &operands, &types, &carries, regions);
        let operation = scope.block.append_operation(operation);
        let block = ir::blocks_of(operation, 0)[0];
        let mark = scope.enter(block);
        self.rebind(scope, &names, argument_of(block, 1), None);
        let counter = block.argument(0).expect("a loop has a counter").into();
        body(scope, counter, &names);
        self.yield_names(scope, &names, span);
        scope.leave(mark);
        self.rebind(scope, &names, result_of(operation), Some(span));
    }

    /// An `scf.if` with two empty blocks.
    pub fn scf_if<'a>(
        &self,
        block: BlockRef<'c, 'a>,
        condition: Value<'c, 'a>,
        types: &[Type<'c>],
        names: &[&str],
        span: Span,
    ) -> (OperationRef<'c, 'a>, [BlockRef<'c, 'a>; 2]) {
        load_control_flow(self.session);
        let (carries, regions) = (self.carries(names), vec![region(&[]), region(&[])]);
        let location = self.location(span);
        let operation = build("scf.if", location, &[condition], types, &carries, regions);
        let operation = block.append_operation(operation);
        (operation, [0, 1].map(|region| ir::blocks_of(operation, region)[0]))
    }

    pub fn scf_yield<'a>(&self, block: BlockRef<'c, 'a>, values: &[Value<'c, 'a>], span: Span) {
        block.append_operation(build("scf.yield", self.location(span), values, &[], &[], vec![]));
    }

    fn yield_names<'a>(&self, scope: &mut Scope<'c, 'a, 's>, names: &[&'s str], span: Span) {
        let values = self.unshaped_values(scope, names, span);
        self.scf_yield(scope.block, &values, span);
    }

    fn values_of<'a>(
        &self,
        scope: &Scope<'c, 'a, 's>,
        names: &[&'s str],
    ) -> impl Iterator<Item = Value<'c, 'a>> {
        let value = |name: &&str| scope.value(name).expect("what is carried is bound");
        names.iter().map(value).collect::<Vec<_>>().into_iter()
    }

    fn unshaped_values<'a>(
        &self,
        scope: &Scope<'c, 'a, 's>,
        names: &[&'s str],
        span: Span,
    ) -> Vec<Value<'c, 'a>> {
        self.values_of(scope, names).map(|value| self.cast(scope, value, span)).collect()
    }

    /// The variables have other values from here on: those that a block is given, or, with a place to show to a
    /// debugger, the results of a loop or a branch.
    fn rebind<'a>(
        &self,
        scope: &mut Scope<'c, 'a, 's>,
        names: &[&'s str],
        value: impl Fn(usize) -> Option<Value<'c, 'a>>,
        shown: Option<Span>,
    ) {
        for (index, name) in names.iter().enumerate() {
            let value = value(index).expect("one per carried variable");
            scope.bind(name, value);
            if let Some(span) = shown {
                self.show(scope, name, value, None, span);
            }
        }
    }

    /// The names of the values that an operation carries, for messages.
    fn carries(&self, names: &[&str]) -> Vec<(Identifier<'c>, Attribute<'c>)> {
        if names.is_empty() { vec![] } else { vec![control::carries(self.context, names)] }
    }

    pub fn index_constant<'a>(
        &self,
        scope: &Scope<'c, 'a, 's>,
        value: i64,
        span: Span,
    ) -> Value<'c, 'a> {
        load_control_flow(self.session);
        self.code(scope, span).integer(Type::index(self.context), value)
    }

    /// A constant `i1`.
    pub fn truth_constant<'a>(
        &self,
        scope: &Scope<'c, 'a, 's>,
        value: bool,
        span: Span,
    ) -> Value<'c, 'a> {
        load_control_flow(self.session);
        self.code(scope, span).truth(value)
    }

    fn code<'a>(&self, scope: &Scope<'c, 'a, 's>, span: Span) -> Builder<'c, 'a> {
        Builder::new(self.context, Insertion::AtEnd(scope.block), self.location(span))
    }

    /// An operation of `arith` whose result has the type of its last operand.
    pub fn arith<'a>(
        &self,
        scope: &Scope<'c, 'a, 's>,
        name: &str,
        operands: &[Value<'c, 'a>],
        span: Span,
    ) -> Value<'c, 'a> {
        load_control_flow(self.session);
        self.code(scope, span).computed(name, operands)
    }

    fn is_positive<'a>(
        &self,
        scope: &Scope<'c, 'a, 's>,
        [value, zero]: [Value<'c, 'a>; 2],
        span: Span,
    ) -> Value<'c, 'a> {
        self.code(scope, span).compare(SGT, [value, zero])
    }
}

/// A region of one empty block.
fn region<'c>(arguments: &[(Type<'c>, Location<'c>)]) -> Region<'c> {
    let region = Region::new();
    region.append_block(Block::new(arguments));
    region
}

fn argument_of<'c: 'a, 'a>(
    block: BlockRef<'c, 'a>,
    first: usize,
) -> impl Fn(usize) -> Option<Value<'c, 'a>> {
    move |index| block.argument(first + index).ok().map(Value::from)
}

fn result_of<'c: 'a, 'a>(
    operation: OperationRef<'c, 'a>,
) -> impl Fn(usize) -> Option<Value<'c, 'a>> {
    move |index| operation.result(index).ok().map(Value::from)
}
