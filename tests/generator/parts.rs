//! Parts of tensors: reads and updates with subscripts.
//!
//! Input: the body so far. Output: the text of a read of a given shape, or a statement that updates a part. Invariant: indices
//! are in range, unless the program may fail; bounds are constants.

use super::{Body, Generator, Shape, Type, parts};
use std::fmt::Write;

impl Generator {
    /// A part, with this shape, of something in scope.
    pub(super) fn part(&mut self, body: &mut Body, shape: &Shape) -> Option<String> {
        let Shape::Fixed(wanted) = shape else { return None };
        let places = self.places(body);
        for _ in 0..6 {
            let (place, ty) = places.get(self.random.below(places.len()))?;
            let Type::Tensor(Shape::Fixed(dims)) = ty else { continue };
            if dims.len() < wanted.len() || dims.is_empty() {
                continue;
            }
            if let Some(subscripts) = self.subscripts_to(body, dims, wanted) {
                return Some(format!("{place}[{subscripts}]"));
            }
        }
        None
    }

    /// Subscripts that make the wanted dimensions of others, if some do: dimensions are dropped or cut.
    fn subscripts_to(&mut self, body: &Body, dims: &[usize], wanted: &[usize]) -> Option<String> {
        let mut dropped = dims.len() - wanted.len();
        let mut rest = wanted.iter();
        let mut list = Vec::new();
        for (number, size) in dims.iter().enumerate() {
            let left = dims.len() - number;
            let drops = dropped > 0 && (dropped == left || self.random.chance(60));
            if drops {
                dropped -= 1;
                list.push(self.index(body, *size));
                continue;
            }
            let count = *rest.next()?;
            if count > *size {
                return None;
            }
            list.push(self.range(*size, count));
        }
        // Omitted subscripts are whole anyway.
        let is_whole = |index: usize| list[index] == format!("0:{}", dims[index]);
        let mut count = list.len();
        while count > 1 && is_whole(count - 1) && self.random.chance(80) {
            count -= 1;
        }
        Some(list[..count].join(", "))
    }

    fn range(&mut self, size: usize, count: usize) -> String {
        let first = self.random.below(size - count + 1);
        format!("{first}:{}", first + count)
    }

    /// An index of a dimension.
    fn index(&mut self, body: &Body, size: usize) -> String {
        let size = size as i64;
        let counters: Vec<_> =
            body.counters.iter().filter(|(_, range)| !range.is_empty()).collect();
        if !counters.is_empty() && self.random.chance(75) {
            let (name, range) = counters[self.random.below(counters.len())];
            let (first, last) = (range.start, range.end - 1);
            if first >= 0 && last < size {
                return match (first > 0, last + 1 < size, self.random.below(4)) {
                    (true, _, 0) => format!("{name} - 1"),
                    (_, true, 1) => format!("{name} + 1"),
                    (_, _, 2) => format!("{last} - {name} + {first}"),
                    _ => name.clone(),
                };
            }
            if first + size > last && first.abs() < 100 {
                return format!("{name} - {first}").replace("- -", "+ ");
            }
        }
        self.random.below(size as usize).to_string()
    }

    /// The variables that are not counters.
    pub(super) fn assignable(&self, body: &Body) -> Vec<(String, Type)> {
        let is_free =
            |(name, _): &&(String, Type)| body.counters.iter().all(|(counter, _)| counter != name);
        body.values.iter().filter(is_free).cloned().collect()
    }

    /// `x = e;` or `x[...] = e;`, for a variable or a field.
    pub(super) fn assignment(&mut self, body: &mut Body) {
        let free = self.assignable(body);
        if free.is_empty() {
            return;
        }
        let (mut name, mut ty) = free[self.random.below(free.len())].clone();
        if let Type::Struct(..) = ty
            && self.random.chance(60)
        {
            let all = parts(&self.structs, &ty);
            let (path, part) = &all[self.random.below(all.len())];
            (name, ty) = (name + path, (*part).clone());
        }
        if let Type::Tensor(Shape::Fixed(dims)) = &ty
            && !dims.is_empty()
            && self.random.chance(65)
        {
            return self.update(body, &name, dims);
        }
        let value = self.expression(body, &ty, 2, true);
        let _ = writeln!(body.text, "  {name} = {value};");
    }

    pub(super) fn update(&mut self, body: &mut Body, name: &str, dims: &[usize]) {
        let given = 1 + self.random.below(dims.len());
        let mut list = Vec::new();
        let mut part = Vec::new();
        for size in &dims[..given] {
            if self.random.chance(70) {
                list.push(self.index(body, *size));
            } else {
                let count = 1 + self.random.below(*size);
                list.push(self.range(*size, count));
                part.push(count);
            }
        }
        part.extend(&dims[given..]);
        // A scalar fills the part.
        let part = if self.random.chance(30) { Vec::new() } else { part };
        let value = self.tensor(body, &Shape::Fixed(part), 2);
        let _ = writeln!(body.text, "  {name}[{}] = {value};", list.join(", "));
    }

    /// A read or an update that may be out of range, or not whole.
    pub(super) fn failing_part(&mut self, body: &mut Body) {
        let is_indexed = |(_, ty): &&(String, Type)| match ty {
            Type::Tensor(Shape::Fixed(dims)) => !dims.is_empty(),
            _ => false,
        };
        let values: Vec<_> = body.values.iter().filter(is_indexed).cloned().collect();
        let Some((name, _)) = values.get(self.random.below(values.len())) else { return };
        let last = body.counters.iter().rfind(|(_, range)| !range.is_empty());
        let Some((counter, _)) = last else { return };
        let index = match self.random.below(4) {
            0 => format!("{counter} / 2"),
            1 => format!("{counter} - 1"),
            2 => format!("2 * {counter}"),
            _ => format!("{counter} + 1"),
        };
        let _ = match self.random.chance(50) {
            true => writeln!(body.text, "  print({name}[{index}]);"),
            false => writeln!(body.text, "  {name}[{index}] = 1; print({name});"),
        };
    }
}
