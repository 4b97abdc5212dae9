//! Branches, loops, recursion, and statements that assign or print several values.
//!
//! Input: the body so far. Output: more text of it. Invariants: names defined in a block are not used after it; loops
//! have few iterations, whose number is a part of the cost; a loop counter is assigned by nothing else.

use super::{Body, Function, Generator, Shape, Type};
use std::fmt::Write;

/// The blocks that may be nested.
const MAX_BLOCKS: usize = 3;

impl Generator {
    pub(super) fn control(&mut self, body: &mut Body) {
        let is_deep = body.depth >= MAX_BLOCKS || !body.can_spend(40);
        match self.random.below(16) {
            0 | 1 if !is_deep => self.branches(body),
            2..=4 if !is_deep => self.for_loop(body),
            5 if !is_deep => self.while_loop(body),
            6 | 9..=10 if self.may_fail && body.depth > 0 => self.failing_part(body),
            7 | 8 => self.print_several(body),
            11 => self.known_condition(body),
            12 => self.exchange(body),
            13 | 14 => self.jump(body),
            _ => self.assignment(body),
        }
    }

    /// A block; its definitions are forgotten.
    fn block(&mut self, body: &mut Body) {
        let (values, definitions) = (body.values.len(), body.definitions.len());
        body.depth += 1;
        body.text.push_str("{\n");
        for _ in 0..1 + self.random.below(3) {
            self.statement(body);
        }
        if self.random.chance(50) {
            self.assignment(body);
        }
        if self.random.chance(15) {
            self.jump(body);
        }
        body.text.push_str("  }");
        body.depth -= 1;
        body.values.truncate(values);
        body.definitions.truncate(definitions);
    }

    fn branches(&mut self, body: &mut Body) {
        // The conditions' definitions come before all of them.
        let count = 1 + self.random.below(3);
        let conditions: Vec<_> = (0..count).map(|_| self.condition(body, 2)).collect();
        for (index, condition) in conditions.iter().enumerate() {
            let word = if index == 0 { "  if" } else { " else if" };
            let condition = condition.trim_start_matches('\n');
            let _ = write!(body.text, "{word} ({condition}) ");
            self.block(body);
            if index + 1 == count && self.random.chance(50) {
                body.text.push_str(" else ");
                self.block(body);
            }
        }
        body.text.push('\n');
        self.early_return(body);
    }

    /// Code that would be wrong for the shape of a variable if it ran: a condition or a range keeps it from that.
    fn known_condition(&mut self, body: &mut Body) {
        let vector = |(name, ty): &(String, Type)| match ty {
            Type::Tensor(Shape::Fixed(dims)) => Some((name.clone(), *dims.first()?)),
            _ => None,
        };
        let vectors: Vec<_> = body.values.iter().filter_map(vector).collect();
        if vectors.is_empty() {
            return;
        }
        let (name, size) = vectors[self.random.below(vectors.len())].clone();
        let index = self.random.below(size + 3);
        let part = match self.random.below(3) {
            0 => format!("{name}[{index}] = 2;"),
            1 => format!("{name} = {name} + sum({name}[{index}]);"),
            _ => format!("print({name}[{index}]);"),
        };
        let has_it = format!("shape({name}, 0) > {index}");
        let _ = match self.random.below(6) {
            0 => writeln!(body.text, "  for _ in {index}..shape({name}, 0) {{ {part} }}"),
            1 => writeln!(body.text, "  for _ in shape({name}, 0)..{index}..-1 {{ {part} }}"),
            2 => writeln!(body.text, "  while (shape({name}, 0) < 1) {{ {name}[{index}] = 1; }}"),
            3 => writeln!(body.text, "  if (!({has_it})) {{ print({index}); }} else {{ {part} }}"),
            4 => writeln!(body.text, "  if ({has_it} && sum({name}[{index}]) != 0) {{ {part} }}"),
            _ => writeln!(body.text, "  if ({has_it}) {{ {part} }}"),
        };
    }

    /// `break` or `continue`, mostly in a branch.
    fn jump(&mut self, body: &mut Body) {
        let Some(before) = body.loops.last().cloned() else { return self.early_return(body) };
        let jump = if self.random.chance(50) { "break;".into() } else { before + "continue;" };
        if self.random.chance(10) {
            let _ = writeln!(body.text, "  {jump}");
            return;
        }
        let condition = self.condition(body, 2);
        let _ = writeln!(body.text, "  if ({condition}) {{");
        let (values, definitions) = (body.values.len(), body.definitions.len());
        body.depth += 1;
        if self.random.chance(50) {
            self.assignment(body);
        }
        body.depth -= 1;
        body.values.truncate(values);
        body.definitions.truncate(definitions);
        let _ = writeln!(body.text, "  {jump}\n  }}");
    }

    /// `if (c) { return ...; }`
    fn early_return(&mut self, body: &mut Body) {
        let Some(result) = body.result.clone() else { return };
        if !self.random.chance(30) {
            return;
        }
        let condition = self.condition(body, 2);
        let _ = writeln!(body.text, "  if ({condition}) {{");
        let values = body.values.len();
        body.depth += 1;
        match result {
            None => body.text.push_str("  return;\n"),
            Some(ty) => {
                // The `return` at the end of the function tells the struct of a literal.
                let value = self.expression(body, &ty, 2, true);
                let _ = writeln!(body.text, "  return {value};");
            }
        }
        body.depth -= 1;
        body.values.truncate(values);
        body.text.push_str("  }\n");
    }

    /// The result of a function that returns in branches: known before the statements.
    pub(super) fn early_result(&mut self, body: &mut Body) -> Option<Option<Type>> {
        let result = self.random.chance(75).then(|| self.some_type(body));
        body.result = Some(result.clone());
        Some(result)
    }

    fn for_loop(&mut self, body: &mut Body) {
        let name = self.new_name(body, "i");
        let (head, range) = match self.random.below(6) {
            0 => {
                let step = 1 + self.random.below(3) as i64;
                let (first, count) = (self.random.below(3) as i64, self.random.below(6) as i64);
                let end = first + count;
                let last = if count == 0 { first } else { first + (count - 1) / step * step + 1 };
                (format!("{first}..{end}..{step}"), first..last)
            }
            1 => {
                let (first, count) = (self.random.below(5) as i64, self.random.below(5) as i64);
                let range = if count == 0 { 0..0 } else { first - count + 1..first + 1 };
                (format!("{first}..{}..-1", first - count), range)
            }
            2 => {
                // A bound that is computed, and small whatever it is.
                let bound = self.condition(body, 1);
                let first = self.random.below(2) as i64;
                (format!("{first}..1 + 2 * {bound}"), first..3)
            }
            _ => {
                let (first, count) = (self.random.below(2) as i64, self.random.below(5) as i64);
                (format!("{first}..{}", first + count), first..first + count)
            }
        };
        let rounds = body.rounds;
        body.rounds *= (range.end - range.start).clamp(2, 6) as usize;
        let _ = write!(body.text, "  for {name} in {head} ");
        let depth = (body.values.len(), body.counters.len());
        body.values.push((name.clone(), Type::Tensor(Shape::Fixed(Vec::new()))));
        body.counters.push((name, range));
        body.loops.push(String::new());
        self.block(body);
        body.loops.pop();
        body.text.push('\n');
        body.values.truncate(depth.0);
        body.counters.truncate(depth.1);
        body.rounds = rounds;
    }

    fn while_loop(&mut self, body: &mut Body) {
        let name = format!("w{}", body.names);
        body.names += 1;
        let count = self.random.below(5) as i64;
        let _ = writeln!(body.text, "  var {name} = {count};");
        body.values.push((name.clone(), Type::Tensor(Shape::Fixed(Vec::new()))));
        let counter = body.counters.len();
        body.counters.push((name.clone(), 1..count + 1));
        let rounds = body.rounds;
        body.rounds *= (count as usize).clamp(2, 6);
        // The condition's definitions come before the loop, and keep their values.
        let more = if self.random.chance(40) { Some(self.condition(body, 1)) } else { None };
        let more = more.map_or(String::new(), |more| format!(" && {more}"));
        let _ = write!(body.text, "  while ({name} > 0{more}) ");
        body.loops.push(format!("{name} = {name} - 1; "));
        self.block(body);
        body.loops.pop();
        let closed = body.text.trim_end_matches('}').trim_end().len();
        body.text.truncate(closed);
        let _ = writeln!(body.text, "\n  {name} = {name} - 1;\n  }}");
        body.rounds = rounds;
        // After the loop it may be 0.
        body.counters[counter].1 = 0..0;
    }

    /// Two or three variables of one type take each other's values.
    fn exchange(&mut self, body: &mut Body) {
        let free = self.assignable(body);
        let Some((first, ty)) = free.get(self.random.below(free.len())) else { return };
        let mut names: Vec<_> = free.iter().filter(|(_, of)| of == ty).map(|it| &it.0).collect();
        names.retain(|name| *name != first);
        while names.len() > 2 {
            names.remove(self.random.below(names.len()));
        }
        let last = self.new_name(body, "t");
        let _ = writeln!(body.text, "  var {last} = {first};");
        let mut to = first;
        for name in names {
            let _ = writeln!(body.text, "  {to} = {name};");
            to = name;
        }
        let _ = writeln!(body.text, "  {to} = {last};");
        body.values.push((last, ty.clone()));
    }

    fn print_several(&mut self, body: &mut Body) {
        let mut list = Vec::new();
        for _ in 0..1 + self.random.below(4) {
            if self.random.chance(35) {
                list.push(
                    self.random
                        .pick(&["\"x is\"", "\"\"", "\"a\\tb\"", "\"\\\"ü\\\"\"", "\"%f\""])
                        .to_owned(),
                );
                continue;
            }
            let places = self.places(body);
            let mut structs = places.iter().filter(|(_, ty)| matches!(ty, Type::Struct(..)));
            if let Some((place, _)) = structs.next().filter(|_| self.random.chance(20)) {
                list.push(place.clone());
                continue;
            }
            let shape = self.some_shape(body);
            list.push(self.tensor(body, &shape, 2));
        }
        let end = self.random.pick(&["", "", "", ", end = \"\"", ", end = \"; \""]);
        let digits = self.random.below(18);
        let width = self.random.below(12);
        let layout = match self.random.below(6) {
            0 => format!(", digits = {digits}"),
            1 => format!(", width = {width}"),
            2 => format!(", width = {width}, digits = {digits}"),
            _ => String::new(),
        };
        let _ = writeln!(body.text, "  print({}{layout}{end});", list.join(", "));
    }

    /// A function that calls itself with a smaller number, or two that call each other.
    pub(super) fn recursive_function(&mut self, index: usize) -> String {
        let variables = self.random.below(2);
        let mut parameters = self.parameters(variables);
        parameters.insert(0, Type::Tensor(Shape::Fixed(Vec::new())));
        let result = self.random.chance(80).then(|| {
            let mut body = Body::default();
            self.named(&mut body, &parameters, true);
            self.some_type(&body)
        });
        let name = format!("f{index}");
        let other = if self.random.chance(35) { format!("f{index}_other") } else { name.clone() };
        let signature = (parameters.as_slice(), result.as_ref());
        let (mut text, mut cost) = self.recursive_body(&name, &other, signature);
        if other != name {
            let (of_other, more) = self.recursive_body(&other, &name, signature);
            text += &of_other;
            cost += more;
        }
        cost += 4;
        self.functions.push(Function { name, parameters, result, variables, cost, counts: true });
        text
    }

    /// A function that calls another one, or itself, of the same parameters and result with a smaller number; and its
    /// cost.
    fn recursive_body(
        &mut self,
        name: &str,
        callee: &str,
        (parameters, result): (&[Type], Option<&Type>),
    ) -> (String, usize) {
        let mut body = Body { rounds: 4, result: Some(result.cloned()), ..Body::default() };
        let (names, list) = self.named(&mut body, parameters, true);
        body.counters.push(("n".to_owned(), 0..5));
        let returned = |generator: &mut Generator, body: &mut Body| match result {
            Some(ty) => {
                let value = generator.expression(body, ty, 2, false);
                let _ = writeln!(body.text, "  return {value};");
            }
            None => body.text.push_str("  return;\n"),
        };
        let known = body.values.len();
        body.text.push_str("  if (!(n > 0)) {\n");
        body.depth = 1;
        self.statement(&mut body);
        returned(self, &mut body);
        body.values.truncate(known);
        body.definitions.clear();
        body.text.push_str("  }\n");
        body.depth = 0;
        self.statement(&mut body);
        let mut arguments = vec!["n - 1".to_owned()];
        for (parameter, name) in parameters.iter().zip(&names).skip(1) {
            let value = match self.random.chance(40) {
                true => name.clone(),
                false => self.expression(&mut body, parameter, 1, true),
            };
            arguments.push(value);
        }
        let call = format!("{callee}({})", arguments.join(", "));
        match result {
            Some(ty) => {
                let variable = self.new_name(&mut body, "r");
                let _ = writeln!(body.text, "  var {variable} = {call};");
                body.values.push((variable, ty.clone()));
            }
            None => {
                let _ = writeln!(body.text, "  {call};");
            }
        }
        self.statement(&mut body);
        returned(self, &mut body);
        (format!("def {name}({list}) {{\n{}}}\n", body.text), body.cost)
    }
}
