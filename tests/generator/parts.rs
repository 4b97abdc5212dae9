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
            list.push(self.range(body, *size, count));
        }
        // Omitted subscripts are whole anyway.
        let is_whole = |index: usize| list[index] == format!("0:{}", dims[index]);
        let mut count = list.len();
        while count > 1 && is_whole(count - 1) && self.random.chance(80) {
            count -= 1;
        }
        Some(list[..count].join(", "))
    }

    /// A number of elements of a dimension: a range, one with a step, or a window that begins at a counter.
    fn range(&mut self, body: &Body, size: usize, count: usize) -> String {
        if self.random.chance(25)
            && let Some(window) = self.window(body, size, count)
        {
            return window;
        }
        let most = if count > 1 { (size - 1) / (count - 1) } else { 3 };
        let step = if self.random.chance(30) { 1 + self.random.below(most) } else { 1 };
        let extent = (count - 1) * step + 1;
        let (first, is_down) = (self.random.below(size - extent + 1), self.random.chance(20));
        let last = first + extent - 1;
        // Sometimes left out, or counted from the end.
        let mut bound = |bound: usize, whole: usize| match self.random.below(3) {
            0 if bound == whole => String::new(),
            1 if bound < size => format!("{}", bound as i64 - size as i64),
            _ => bound.to_string(),
        };
        match is_down {
            false => {
                let (from, to) = (bound(first, 0), bound(last + 1, size));
                if step == 1 { format!("{from}:{to}") } else { format!("{from}:{to}:{step}") }
            }
            true => {
                let from = bound(last, size - 1);
                let to = first.checked_sub(1).map_or(String::new(), |to| bound(to, size));
                format!("{from}:{to}:-{step}")
            }
        }
    }

    /// A window of a constant length that is in range for all values of a counter.
    fn window(&mut self, body: &Body, size: usize, count: usize) -> Option<String> {
        let is_in = |(_, range): &&(String, std::ops::Range<i64>)| {
            !range.is_empty() && range.start >= 0 && range.end - 1 + count as i64 <= size as i64
        };
        let counters: Vec<_> = body.counters.iter().filter(is_in).collect();
        let (name, range) = *counters.get(self.random.below(counters.len().max(1)))?;
        Some(match (range.start > 0, self.random.below(3)) {
            (true, 0) => format!("{name} - 1:{name} + {}", count as i64 - 1),
            (_, 1) => format!("2 * {name} - {name}:2 * {name} - {name} + {count}"),
            _ => format!("{name}:{name} + {count}"),
        })
    }

    /// An index of a dimension.
    fn index(&mut self, body: &Body, size: usize) -> String {
        let size = size as i64;
        if self.random.chance(15) {
            return format!("-{}", 1 + self.random.below(size as usize));
        }
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
                list.push(self.range(body, *size, count));
                part.push(count);
            }
        }
        part.extend(&dims[given..]);
        let mut part = Shape::Fixed(part);
        if self.random.chance(45) {
            // It is stretched to the part; dimensions of size 1 in front do not matter.
            part = self.stretched(&part);
            if let Shape::Fixed(dims) = &mut part
                && self.random.chance(15)
            {
                dims.insert(0, 1);
            }
        }
        let value = self.tensor(body, &part, 2);
        let _ = writeln!(body.text, "  {name}[{}] = {value};", list.join(", "));
    }

    /// A read or an update that may be out of range, or not whole.
    pub(super) fn failing_part(&mut self, body: &mut Body) {
        let is_indexed = |(_, ty): &&(String, Type)| match ty {
            Type::Tensor(Shape::Fixed(dims)) => !dims.is_empty(),
            _ => false,
        };
        let values: Vec<_> = body.values.iter().filter(is_indexed).cloned().collect();
        let Some((name, ty)) = values.get(self.random.below(values.len())) else { return };
        // A window that is longer than the dimension is an error when the program is compiled.
        let size = match ty {
            Type::Tensor(Shape::Fixed(dims)) => dims.first().map_or(1, |size| (*size).min(2)),
            _ => 1,
        };
        let last = body.counters.iter().rfind(|(_, range)| !range.is_empty());
        let Some((counter, _)) = last else { return };
        let index = match self.random.below(4) {
            0 => format!("{counter} / 2"),
            1 => format!("{counter} - 1"),
            2 => format!("2 * {counter}"),
            _ => format!("{counter} + 1"),
        };
        let index = match self.random.chance(25) {
            true => format!("{index}:{index} + {}", 1 + self.random.below(size)),
            false => index,
        };
        let _ = match self.random.chance(50) {
            true => writeln!(body.text, "  print({name}[{index}]);"),
            false => writeln!(body.text, "  {name}[{index}] = 1; print({name});"),
        };
    }
}
