//! Operations of the builtins, products, comparisons and logic, of a given shape.
//!
//! Input: the body so far and a shape. Output: the text of an expression; None if there is nothing suitable. Invariants: the
//! text is a call or in parentheses, because comparisons cannot be chained and a product of matrices among other
//! factors has another shape; axes and sizes are constants.

use super::{Body, Generator, Shape, Type};

impl Generator {
    pub(super) fn builtin(
        &mut self,
        body: &mut Body,
        shape: &Shape,
        depth: usize,
    ) -> Option<String> {
        let scalar = Shape::Fixed(Vec::new());
        let is_scalar = *shape == scalar;
        Some(match self.random.below(19) {
            0 | 1 => {
                let exact = ["sqrt", "abs", "floor", "round", "trunc", "sign"];
                let others = ["exp", "log", "sin", "cos", "tanh"];
                let is_exact = self.random.chance(50);
                let name = self.random.pick(if is_exact { &exact } else { &others });
                format!("{name}({})", self.tensor(body, shape, depth - 1))
            }
            2 | 3 => {
                let name = self.random.pick(&["max", "min", "pow"]);
                let (a, b) = self.stretched_pair(shape);
                let a = self.tensor(body, &a, depth - 1);
                format!("{name}({a}, {})", self.tensor(body, &b, depth - 1))
            }
            4 => {
                let (a, b) = self.stretched_pair(shape);
                let mut shapes = [a, b, self.stretched(shape)];
                shapes.rotate_left(self.random.below(3));
                let values = shapes.map(|shape| self.tensor(body, &shape, depth - 1));
                format!("where({})", values.join(", "))
            }
            5 | 6 => {
                let (a, b) = self.stretched_pair(shape);
                let operator = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                let a = self.operand(body, &a, depth);
                format!("({a} {operator} {})", self.operand(body, &b, depth))
            }
            7 | 8 if is_scalar => self.condition(body, depth),
            9 | 10 => self.reduction(body, shape, depth)?,
            11 | 12 => self.product(body, shape, depth)?,
            13 => match shape {
                Shape::Fixed(dims) if dims.len() == 1 => self.numbers(body, dims[0], depth),
                Shape::Fixed(dims) if dims.is_empty() => {
                    let other = self.some_shape(body);
                    let Shape::Fixed(dims) = &other else { return None };
                    let rank = dims.len();
                    if rank == 0 {
                        return None;
                    }
                    let axis = self.axis(rank).1;
                    format!("shape({}, {axis})", self.tensor(body, &other, depth - 1))
                }
                _ => return None,
            },
            14 | 15 => self.arranged(body, shape, depth)?,
            16 => self.scan(body, shape, depth)?,
            _ => self.part(body, shape)?,
        })
    }

    /// A list of a length with equal distances.
    fn numbers(&mut self, body: &mut Body, count: usize, depth: usize) -> String {
        let first = self.random.below(5) as i64 - 2;
        match self.random.below(4) {
            0 => format!("range({count})"),
            1 => format!("range({first}, {})", first + count as i64),
            2 => {
                let step = self.random.pick(&["-1", "2", "0.5", "-0.25"]);
                format!("range({first}, {first} + {count} * {step}, {step})")
            }
            _ => {
                let scalar = Shape::Fixed(Vec::new());
                let a = self.tensor(body, &scalar, depth - 1);
                format!("linspace({a}, {}, {count})", self.tensor(body, &scalar, depth - 1))
            }
        }
    }

    /// A new arrangement of the elements of others.
    fn arranged(&mut self, body: &mut Body, shape: &Shape, depth: usize) -> Option<String> {
        let Shape::Fixed(dims) = shape else { return None };
        if dims.is_empty() {
            return None;
        }
        Some(match self.random.below(6) {
            0 => format!("{}({})", self.random.pick(&["zeros", "ones"]), self.sizes(body, dims)),
            1 if dims.len() == 2 && dims[0] == dims[1] => {
                format!("eye({})", self.sizes(body, &dims[..1]))
            }
            1 | 2 => {
                let from = self.regrouped(dims);
                let value = self.tensor(body, &Shape::Fixed(from), depth - 1);
                let mut sizes: Vec<_> = dims.iter().map(|dim| self.sizes(body, &[*dim])).collect();
                // Sometimes one of them follows from the others.
                let open = self.random.below(2 * sizes.len());
                if open < sizes.len() && self.style.mistakes == 0 {
                    sizes[open] = "-1".to_owned();
                }
                format!("reshape({value}, {})", sizes.join(", "))
            }
            3 if dims.len() > 1 && self.style.mistakes == 0 => {
                let inner = Shape::Fixed(dims[1..].to_vec());
                let rows: Vec<_> =
                    (0..dims[0]).map(|_| self.tensor(body, &inner, depth - 1)).collect();
                format!("[{}]", rows.join(", "))
            }
            _ => {
                let (axis, text) = self.axis(dims.len());
                if dims[axis] < 2 {
                    return None;
                }
                let mut left = dims[axis];
                let mut parts = Vec::new();
                while left > 0 {
                    let most = if parts.is_empty() { left - 1 } else { left };
                    let size = 1 + self.random.below(most);
                    let mut part = dims.clone();
                    part[axis] = size;
                    left -= size;
                    parts.push(self.tensor(body, &Shape::Fixed(part), depth - 1));
                }
                let axis = match axis == 0 && self.random.chance(50) {
                    true => String::new(),
                    false => format!(", axis = {text}"),
                };
                format!("concat({}{axis})", parts.join(", "))
            }
        })
    }

    /// Sizes, as constants.
    pub(super) fn sizes(&mut self, body: &Body, dims: &[usize]) -> String {
        let places = self.places(body);
        let size = |dim: &usize| {
            let known = places.get(self.random.below(places.len().max(1)));
            let axis = match known {
                Some((_, Type::Tensor(Shape::Fixed(dims)))) => dims.iter().position(|it| it == dim),
                _ => None,
            };
            match (self.random.below(4), known.zip(axis)) {
                (0, _) => format!("{} - 1", dim + 1),
                (1 | 2, Some(((place, _), axis))) => format!("shape({place}, {axis})"),
                _ => dim.to_string(),
            }
        };
        dims.iter().map(size).collect::<Vec<_>>().join(", ")
    }

    /// A scalar for an `if` or a `while`.
    pub(super) fn condition(&mut self, body: &mut Body, depth: usize) -> String {
        let scalar = Shape::Fixed(Vec::new());
        let depth = depth.max(1);
        match self.random.below(5) {
            0 => format!("!{}", self.operand(body, &scalar, depth)),
            1 | 2 => {
                // The right side may have calls that print: it runs only if needed.
                let operator = self.random.pick(&["&&", "||"]);
                let a = self.operand(body, &scalar, depth);
                format!("({a} {operator} {})", self.operand(body, &scalar, depth))
            }
            _ => {
                let operator = self.random.pick(&["<", "<=", ">", ">=", "==", "!="]);
                let a = self.operand(body, &scalar, depth);
                format!("({a} {operator} {})", self.operand(body, &scalar, depth))
            }
        }
    }

    /// An axis of a tensor, and as it is written.
    fn axis(&mut self, rank: usize) -> (usize, String) {
        let axis = self.random.below(rank);
        (axis, self.axis_text(axis, rank))
    }

    pub(super) fn axis_text(&mut self, axis: usize, rank: usize) -> String {
        match self.random.below(3) {
            0 => format!("{}", axis as i64 - rank as i64),
            1 if axis > 0 => format!("{} - 1", axis + 1),
            _ => axis.to_string(),
        }
    }

    /// The number of elements of a sum; sometimes more than one iteration of partial sums.
    fn depth(&mut self) -> usize {
        let most = if self.random.chance(15) { 11 } else { 4 };
        1 + self.random.below(most)
    }

    fn reduction(&mut self, body: &mut Body, shape: &Shape, depth: usize) -> Option<String> {
        let Shape::Fixed(dims) = shape else { return None };
        const NAMES: &[&str] =
            &["sum", "max", "min", "sum", "mean", "prod", "any", "all", "argmax", "argmin"];
        let name = self.random.pick(NAMES);
        if dims.is_empty() && self.random.chance(70) {
            let operand = self.some_shape(body);
            return Some(format!("{name}({})", self.tensor(body, &operand, depth - 1)));
        }
        if !dims.is_empty() && dims.iter().all(|size| *size == 1) && self.random.chance(50) {
            let operand = dims.iter().map(|_| 1 + self.random.below(3)).collect();
            let operand = self.tensor(body, &Shape::Fixed(operand), depth - 1);
            return Some(format!("{name}({operand}, keep = 1)"));
        }
        let kept: Vec<usize> = (0..dims.len()).filter(|at| dims[*at] == 1).collect();
        if !kept.is_empty() && self.random.chance(60) {
            let axis = kept[self.random.below(kept.len())];
            let mut of_operand = dims.clone();
            of_operand[axis] = self.depth();
            let operand = self.tensor(body, &Shape::Fixed(of_operand), depth - 1);
            let axis = self.axis_text(axis, dims.len());
            return Some(format!("{name}({operand}, axis = {axis}, keep = 1)"));
        }
        if dims.len() > 3 {
            return None;
        }
        let (axis, text) = self.axis(dims.len() + 1);
        let mut dims = dims.clone();
        let size = self.depth();
        dims.insert(axis, size);
        let operand = self.tensor(body, &Shape::Fixed(dims), depth - 1);
        // The axis may be in its place, but a second argument of `max` and `min` is another operand.
        let has_place = !matches!(name, "max" | "min");
        let axis = if has_place && self.random.chance(50) { "" } else { "axis = " };
        let keep = if self.random.chance(10) { ", keep = 0" } else { "" };
        Some(format!("{name}({operand}, {axis}{text}{keep})"))
    }

    /// A tensor with sums so far, or in order.
    fn scan(&mut self, body: &mut Body, shape: &Shape, depth: usize) -> Option<String> {
        let Shape::Fixed(dims) = shape else { return None };
        let name = self.random.pick(&["cumsum", "sort"]);
        match dims.as_slice() {
            [] => None,
            [count] if name == "cumsum" && self.random.chance(40) => {
                // A list of all elements.
                let rows = (1..=*count).filter(|rows| count % rows == 0).nth(self.random.below(2));
                let operand = rows.map_or(vec![*count], |rows| vec![rows, count / rows]);
                Some(format!("cumsum({})", self.tensor(body, &Shape::Fixed(operand), depth - 1)))
            }
            _ => {
                let operand = self.tensor(body, shape, depth - 1);
                if name == "sort" && self.random.chance(30) {
                    return Some(format!("sort({operand})"));
                }
                let axis = self.axis(dims.len()).1;
                let by_name = self.random.pick(&["axis = ", ""]);
                Some(format!("{name}({operand}, {by_name}{axis})"))
            }
        }
    }

    fn product(&mut self, body: &mut Body, shape: &Shape, depth: usize) -> Option<String> {
        let Shape::Fixed(dims) = shape else { return None };
        let k = self.depth();
        let (a, b) = match dims.as_slice() {
            [] => (vec![k], vec![k]),
            [n] if self.random.chance(50) => (vec![*n, k], vec![k]),
            [n] => (vec![k], vec![k, *n]),
            [.., m, n] if dims.len() <= 3 => {
                let batch = Shape::Fixed(dims[..dims.len() - 2].to_vec());
                let (Shape::Fixed(of_a), Shape::Fixed(of_b)) = self.stretched_pair(&batch) else {
                    return None;
                };
                ([of_a.as_slice(), &[*m, k]].concat(), [of_b.as_slice(), &[k, *n]].concat())
            }
            _ => return None,
        };
        let a = self.tensor(body, &Shape::Fixed(a), depth - 1);
        let b = self.tensor(body, &Shape::Fixed(b), depth - 1);
        Some(format!("(({a}) @ ({b}))"))
    }
}
