//! Functions that update several of their parameters and return them together: whether values share a buffer or must be
//! copied is decided across calls.
//!
//! Input: a generator with structs. Output: the text of a function. Invariant: it takes the tensors of a struct, each as
//! a parameter of a fixed shape or all in one, and returns such a struct.

use super::{Body, Function, Generator, Shape, Type, parts};
use std::fmt::Write;

impl Generator {
    pub(super) fn updating_function(&mut self, index: usize) -> String {
        let of = self.random.below(self.structs.len());
        let result = self.new_struct(of, &|generator: &mut Generator| {
            let dims = match generator.random.chance(60) {
                true => vec![3],
                false => generator.dims(),
            };
            Shape::Fixed(dims)
        });
        let leaves: Vec<(String, Vec<usize>)> = parts(&self.structs, &result)
            .into_iter()
            .filter_map(|(path, ty)| match ty {
                Type::Tensor(Shape::Fixed(dims)) => Some((path, dims.clone())),
                _ => None,
            })
            .collect();
        let mut body = Body::default();
        let tensor = |dims: &[usize]| Type::Tensor(Shape::Fixed(dims.to_vec()));
        let is_whole = self.random.chance(30);
        let name_of = &self.structs[of].name;
        let (list, parameters) = match is_whole {
            true => (format!("{name_of} whole"), vec![result.clone()]),
            false => {
                let names: Vec<_> = (0..leaves.len()).map(|at| format!("p{at}")).collect();
                (names.join(", "), leaves.iter().map(|(_, dims)| tensor(dims)).collect())
            }
        };
        for (at, (path, dims)) in leaves.iter().enumerate() {
            if is_whole {
                let _ = writeln!(body.text, "  var p{at} = whole{path};");
            }
            body.values.push((format!("p{at}"), tensor(dims)));
        }
        body.names = leaves.len();
        for _ in 0..1 + self.random.below(2 * leaves.len()) {
            self.some_update(&mut body, &leaves);
        }
        let mut rest = leaves.iter().enumerate().map(|(at, (_, dims))| {
            // Sometimes another one of the same shape.
            let same: Vec<_> = (0..leaves.len()).filter(|it| leaves[*it].1 == *dims).collect();
            if self.random.chance(75) { at } else { same[self.random.below(same.len())] }
        });
        let literal = literal(&result, &mut || rest.next().expect("one for each tensor"));
        drop(rest);
        let _ = writeln!(body.text, "  {} all = {literal};\n  return all;", self.structs[of].name);
        let name = format!("f{index}");
        let text = format!("def {name}({list}) {{\n{}}}\n", body.text);
        let (cost, result) = (body.cost + 1, Some(result));
        self.functions.push(Function {
            name,
            parameters,
            result,
            variables: 0,
            cost,
            counts: false,
        });
        text
    }

    /// An update of a part, in a loop, or in a branch.
    fn some_update(&mut self, body: &mut Body, leaves: &[(String, Vec<usize>)]) {
        let at = self.random.below(leaves.len());
        let (name, dims) = (format!("p{at}"), &leaves[at].1);
        let head = match self.random.below(6) {
            0 => format!("  if ({}) {{\n", self.condition(body, 1).trim_start_matches('\n')),
            1 | 2 => "  for _ in 0..2 {\n".to_owned(),
            _ => String::new(),
        };
        body.text.push_str(&head);
        let known = body.values.len();
        match dims.is_empty() {
            true => {
                let value = self.expression(body, &Type::Tensor(Shape::Fixed(vec![])), 1, true);
                let _ = writeln!(body.text, "  {name} = {value};");
            }
            false => self.update(body, &name, dims),
        }
        body.values.truncate(known);
        if !head.is_empty() {
            body.text.push_str("  }\n");
        }
    }
}

/// A literal of a struct with these parameters as its tensors.
fn literal(ty: &Type, next: &mut dyn FnMut() -> usize) -> String {
    match ty {
        Type::Tensor(_) => format!("p{}", next()),
        Type::Struct(_, fields) => {
            let fields: Vec<_> = fields.iter().map(|field| literal(field, next)).collect();
            format!("{{{}}}", fields.join(", "))
        }
    }
}
