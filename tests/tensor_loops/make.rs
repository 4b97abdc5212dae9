//! A random program from a seed.
//!
//! Input: a seed. Output: a program that prints every variable that is left at the end, with nested loops that
//! carry tensors which are new, old, swapped, carried twice, updated in place or from outside, and with functions
//! that update or return their arguments. Invariant: the same seed gives the same program.

use super::program::{
    Block, Carried, Condition, Depth, Function, Loop, Operator, Program, SIZE, SLICE, Scalar,
    Selector, Statement, Style, Var,
};
use crate::generator::Random;

pub fn program(seed: u64) -> Program {
    let mut random = Random::new(seed.wrapping_mul(0x5851_F42D_4C95_7F2D) ^ 0x7E45_0005);
    let helpers = random.below(4);
    let mut functions: Vec<Function> = Vec::new();
    for number in 0..=helpers {
        let is_main = number == helpers;
        let mut maker = Maker {
            random: &mut random,
            callees: functions.iter().map(|it| (it.parameters.len(), it.returned.len())).collect(),
            next: 0,
            visible: vec![],
            budget: if is_main { 22 } else { 9 },
        };
        let function = if is_main { maker.main() } else { maker.function(number) };
        functions.push(function);
    }
    Program { functions }
}

struct Maker<'r> {
    random: &'r mut Random,
    /// The number of tensors that they take and return.
    callees: Vec<(usize, usize)>,
    next: Var,
    visible: Vec<Var>,
    /// Statements that may still be made.
    budget: usize,
}

impl Maker<'_> {
    fn main(&mut self) -> Function {
        let mut body = Vec::new();
        for _ in 0..2 + self.random.below(2) {
            self.fresh(&mut body);
        }
        self.statements(&mut body, 0, 8);
        let last = self.visible.len().saturating_sub(6);
        body.extend(self.visible[last..].iter().map(|variable| Statement::Print(*variable)));
        Function { is_public: true, parameters: vec![], body, returned: vec![] }
    }

    fn function(&mut self, number: usize) -> Function {
        let count = 1 + self.random.below(2);
        let parameters = self.define(count);
        let is_recursive = self.random.chance(30);
        let results = 1 + self.random.below(2);
        let mut body = Vec::new();
        self.statements(&mut body, 1, 3);
        if is_recursive {
            let visible = self.visible.len();
            let arguments = self.choose(parameters.len());
            let deep = self.define(results);
            let mut inside = vec![Statement::Call(deep, number, arguments, Depth::Less)];
            self.statements(&mut inside, 2, 2);
            let yielded = self.choose(results);
            self.visible.truncate(visible);
            let otherwise = Block { body: vec![], yielded: self.choose(results) };
            let outs = self.define(results);
            let blocks = vec![Block { body: inside, yielded }, otherwise];
            body.push(Statement::Branches(outs.clone(), Selector::Deep, blocks));
            self.statements(&mut body, 2, 1);
        }
        let returned = self.choose(results);
        Function { is_public: self.random.chance(15), parameters, body, returned }
    }

    /// New variables, visible from now on.
    fn define(&mut self, count: usize) -> Vec<Var> {
        let new: Vec<_> = (self.next..self.next + count).collect();
        self.next += count;
        self.visible.extend(&new);
        new
    }

    fn variable(&mut self) -> Var {
        self.define(1)[0]
    }

    /// A visible variable, one of the newest more often than not.
    fn any(&mut self) -> Var {
        let count = self.visible.len();
        let within = if self.random.chance(60) { count.min(3) } else { count };
        self.visible[count - 1 - self.random.below(within)]
    }

    fn choose(&mut self, count: usize) -> Vec<Var> {
        let mut chosen: Vec<Var> = Vec::new();
        for _ in 0..count {
            let again = chosen.last().copied().filter(|_| self.random.chance(15));
            chosen.push(again.unwrap_or_else(|| self.any()));
        }
        chosen
    }

    /// The variables a loop hands on: often its arguments, in their places or others.
    fn handed_on(&mut self, arguments: &[Var]) -> Vec<Var> {
        let shift = self.random.below(arguments.len().max(1));
        (0..arguments.len())
            .map(|index| match self.random.below(10) {
                0 | 1 => arguments[(index + shift) % arguments.len()],
                2 => arguments[index],
                _ => self.any(),
            })
            .collect()
    }

    fn small(&mut self) -> i32 {
        self.random.below(9) as i32 - 2
    }

    fn condition(&mut self) -> Condition {
        let tensor = self.any();
        Condition { tensor, at: self.random.below(SIZE), below: self.small() * 2 }
    }

    fn statements(&mut self, body: &mut Vec<Statement>, depth: usize, most: usize) {
        for _ in 0..1 + self.random.below(most) {
            if self.budget == 0 {
                return;
            }
            self.budget -= 1;
            self.statement(body, depth);
        }
    }

    fn fresh(&mut self, body: &mut Vec<Statement>) {
        let kind = self.random.below(3);
        let numbers: [i32; SIZE] = std::array::from_fn(|_| self.small());
        let out = self.variable();
        body.push(match kind {
            0 => Statement::Fill(out, numbers[0]),
            1 => Statement::Constant(out, numbers),
            _ => Statement::FromElements(out, numbers),
        });
    }

    fn statement(&mut self, body: &mut Vec<Statement>, depth: usize) {
        let structured = if depth < 3 { 11 } else { 0 };
        let kind = self.random.below(17 + structured);
        let statement = match kind {
            0 => return self.fresh(body),
            1..=3 => {
                let operator = [Operator::Add, Operator::Subtract, Operator::Max];
                let operator = operator[self.random.below(3)];
                let operands = [self.any(), self.any()];
                let place = self.random.chance(50).then(|| self.any());
                Statement::Elementwise(self.variable(), operator, operands, place)
            }
            4 => {
                let (a, place) = (self.any(), self.any());
                Statement::Accumulate(self.variable(), a, place)
            }
            5..=8 => {
                let scalar = if self.random.chance(50) {
                    Scalar::Number(self.small())
                } else {
                    Scalar::Element(self.any(), self.random.below(SIZE))
                };
                let (into, at) = (self.any(), self.random.below(SIZE));
                Statement::Insert(self.variable(), scalar, into, at)
            }
            9 => {
                let starts = SIZE - SLICE + 1;
                let from = (self.any(), self.random.below(starts));
                // Sometimes the very same part.
                let into = if self.random.chance(40) {
                    from
                } else {
                    (self.any(), self.random.below(starts))
                };
                Statement::Slice(self.variable(), from, into)
            }
            10 => {
                let (condition, a, b) = (self.condition(), self.any(), self.any());
                Statement::Select(self.variable(), condition, a, b)
            }
            11 => {
                let a = self.any();
                Statement::Same(self.variable(), a)
            }
            12 => Statement::Print(self.any()),
            13..=16 => {
                if self.callees.is_empty() {
                    return self.fresh(body);
                }
                let callee = self.random.below(self.callees.len());
                let (parameters, results) = self.callees[callee];
                let arguments = self.choose(parameters);
                let deep = self.random.below(4);
                Statement::Call(self.define(results), callee, arguments, Depth::Number(deep))
            }
            17 | 18 => {
                let selector = match self.random.below(3) {
                    0 => Selector::Switch(self.condition(), self.condition()),
                    _ => Selector::If(self.condition()),
                };
                let ways = if matches!(selector, Selector::Switch(..)) { 3 } else { 2 };
                let results = 1 + self.random.below(2);
                let blocks = (0..ways).map(|_| self.block(depth, results)).collect();
                Statement::Branches(self.define(results), selector, blocks)
            }
            19 => {
                let results = 1 + self.random.below(2);
                let block = self.block(depth, results);
                Statement::Region(self.define(results), block)
            }
            20..=23 => self.scf_for(depth),
            _ => self.loop_with_head(depth),
        };
        body.push(statement);
    }

    /// Statements in a block of their own.
    fn block(&mut self, depth: usize, results: usize) -> Block {
        let visible = self.visible.len();
        let mut body = Vec::new();
        self.statements(&mut body, depth + 1, 2);
        let yielded = self.choose(results);
        self.visible.truncate(visible);
        Block { body, yielded }
    }

    fn scf_for(&mut self, depth: usize) -> Statement {
        let initial = self.initial(1);
        let visible = self.visible.len();
        let arguments = self.define(initial.len());
        let mut body = Vec::new();
        self.statements(&mut body, depth + 1, 4);
        let yielded = self.handed_on(&arguments);
        self.visible.truncate(visible);
        let outs = self.define(initial.len());
        let trips = self.random.below(4);
        Statement::For(outs, trips, Carried { arguments, initial }, Block { body, yielded })
    }

    fn initial(&mut self, least: usize) -> Vec<Var> {
        let count = least + self.random.below(4 - least);
        self.choose(count)
    }

    fn loop_with_head(&mut self, depth: usize) -> Statement {
        let style = match self.random.below(5) {
            0 | 1 => Style::Blocks,
            other => Style::While { counter_first: other != 2 },
        };
        let initial = self.initial(0);
        let visible = self.visible.len();
        let arguments = self.define(initial.len());
        let mut head = Vec::new();
        if self.random.chance(50) {
            self.statements(&mut head, depth + 1, 2);
        }
        let until = self.random.chance(30).then(|| self.condition());
        // For the most part, the carried variables are passed on.
        let passed = if self.random.chance(60) {
            self.handed_on(&arguments)
        } else {
            let count = self.random.below(4);
            self.choose(count)
        };
        // The second region of `scf.while` does not see the first one, another block does.
        if style != Style::Blocks {
            self.visible.truncate(visible);
        }
        let forwarded = self.define(passed.len());
        let mut body = Vec::new();
        self.statements(&mut body, depth + 1, 3);
        let yielded = match forwarded.len() == initial.len() {
            true => self.handed_on(&forwarded),
            false => self.choose(initial.len()),
        };
        self.visible.truncate(visible);
        let outs = self.define(passed.len());
        Statement::Loop(
            outs,
            Loop {
                carried: Carried { arguments, initial },
                head: Block { body: head, yielded: passed },
                forwarded,
                body: Block { body, yielded },
                trips: self.random.below(4),
                until,
                style,
            },
        )
    }
}
