//! MLIR's generic form as a tree that can be changed and printed again.
//!
//! Input: the output of `toy-opt --mlir-print-op-generic`, where an operation begins on a line of its own. Output:
//! operations with the names and types of their operands and results; all else is text. Printing gives the same
//! program.

use std::fmt::Write;

/// A value's name and type.
pub type Typed = (String, String);

#[derive(Clone, Default)]
pub struct Op {
    pub name: String,
    pub operands: Vec<Typed>,
    pub results: Vec<Typed>,
    /// Successors and properties.
    pub properties: String,
    pub regions: Vec<Vec<Block>>,
    pub attributes: String,
}

#[derive(Clone, Default)]
pub struct Block {
    /// Empty for the first block of a region without arguments.
    pub label: String,
    pub arguments: Vec<Typed>,
    pub ops: Vec<Op>,
}

/// The definitions of aliases in front of a module, and the module; None: it is not in this form.
pub fn parse(text: &str) -> Option<(String, Op)> {
    let start = text.find("\"builtin.module\"")?;
    let mut lines = text[start..].lines().map(str::trim).filter(|line| !line.is_empty());
    // The operations around a line, each with its unfinished regions.
    let mut open: Vec<Op> = Vec::new();
    loop {
        let line = lines.next()?;
        let done = if let Some(tail) = line.strip_prefix("})") {
            let mut op = open.pop()?;
            let (attributes, types) = split_types(tail)?;
            op.attributes = attributes.trim().to_owned();
            set_types(&mut op, types)?;
            op
        } else if line == "}, {" {
            open.last_mut()?.regions.push(vec![Block::default()]);
            continue;
        } else if line.starts_with('^') {
            let region = open.last_mut()?.regions.last_mut()?;
            let block = block(line)?;
            match &mut region[..] {
                [first] if first.ops.is_empty() && first.label.is_empty() => *first = block,
                _ => region.push(block),
            }
            continue;
        } else if let Some(line) = line.strip_suffix("({") {
            let mut op = head(line)?;
            op.regions.push(vec![Block::default()]);
            open.push(op);
            continue;
        } else {
            let (line, types) = split_types(line)?;
            let mut op = head(line)?;
            set_types(&mut op, types)?;
            op
        };
        match open.last_mut() {
            Some(parent) => parent.regions.last_mut()?.last_mut()?.ops.push(done),
            None => return Some((text[..start].to_owned(), done)),
        }
    }
}

/// `%0:2 = "name"(%1, %2)[^bb1] <{...}>`, without types.
fn head(line: &str) -> Option<Op> {
    let (results, rest) = match line.strip_prefix('%') {
        Some(_) => line.split_once(" = ")?,
        None => ("", line),
    };
    let (name, rest) = rest.strip_prefix('"')?.split_once("\"(")?;
    let (operands, properties) = rest.split_once(')')?;
    let untyped = |name: &str| (name.to_owned(), String::new());
    let results = match results.split_once(':') {
        Some((name, count)) => {
            (0..count.parse().ok()?).map(|at: u32| untyped(&format!("{name}#{at}"))).collect()
        }
        None => results.split_terminator(", ").map(untyped).collect(),
    };
    Some(Op {
        name: name.to_owned(),
        operands: operands.split_terminator(", ").map(untyped).collect(),
        results,
        properties: properties.trim().to_owned(),
        ..Op::default()
    })
}

/// `^bb0(%arg0: f64):`
fn block(line: &str) -> Option<Block> {
    let line = line.strip_suffix(':').or_else(|| line.split_once("  //")?.0.strip_suffix(':'))?;
    let Some((label, rest)) = line.split_once('(') else {
        return Some(Block { label: line.to_owned(), ..Block::default() });
    };
    let typed = |text: &str| {
        let (name, ty) = text.split_once(": ")?;
        Some((name.to_owned(), ty.to_owned()))
    };
    let arguments =
        list(rest.strip_suffix(')')?).iter().map(|it| typed(it)).collect::<Option<_>>()?;
    Some(Block { label: label.to_owned(), arguments, ops: Vec::new() })
}

/// Cuts a line in front of the type at its end: ` : (f64) -> f64`.
fn split_types(line: &str) -> Option<(&str, &str)> {
    let at = places(line, " : ").last()?;
    Some((&line[..at], &line[at + 3..]))
}

fn set_types(op: &mut Op, types: &str) -> Option<()> {
    let at = places(types, " -> ").next()?;
    let inside = |text: &str| Some(list(text.strip_prefix('(')?.strip_suffix(')')?));
    let operands = inside(&types[..at])?;
    let results = &types[at + 4..];
    let results =
        if results.starts_with('(') { inside(results)? } else { vec![results.to_owned()] };
    if operands.len() != op.operands.len() || results.len() != op.results.len() {
        return None;
    }
    let values = op.operands.iter_mut().chain(&mut op.results);
    values.zip(operands.into_iter().chain(results)).for_each(|(value, ty)| value.1 = ty);
    Some(())
}

/// The parts of a list.
fn list(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let mut from = 0;
    for at in places(text, ", ") {
        parts.push(text[from..at].to_owned());
        from = at + 2;
    }
    if !text.is_empty() {
        parts.push(text[from..].to_owned());
    }
    parts
}

/// The places of `wanted` outside of brackets and strings.
fn places<'t>(text: &'t str, wanted: &'t str) -> impl Iterator<Item = usize> + 't {
    let (mut depth, mut is_string, mut before) = (0, false, ' ');
    text.char_indices().filter_map(move |(at, c)| {
        let is_free = depth == 0 && !is_string;
        match c {
            '"' if before != '\\' => is_string = !is_string,
            _ if is_string => {}
            '(' | '[' | '{' | '<' => depth += 1,
            ')' | ']' | '}' => depth -= 1,
            '>' if before != '-' => depth -= 1,
            _ => {}
        }
        before = c;
        (is_free && text[at..].starts_with(wanted)).then_some(at)
    })
}

impl Op {
    pub fn new(name: &str, operands: Vec<Typed>, results: Vec<Typed>) -> Self {
        Self { name: name.to_owned(), operands, results, ..Self::default() }
    }

    /// A region of one block, added.
    pub fn with_region(mut self, arguments: Vec<Typed>, ops: Vec<Op>) -> Self {
        let label = if arguments.is_empty() { "" } else { "^bb0" }.to_owned();
        self.regions.push(vec![Block { label, arguments, ops }]);
        self
    }

    pub fn is_terminator(&self) -> bool {
        let ends = [".yield", ".return", ".condition", ".br", ".cond_br", ".switch", ".reduce"];
        ends.iter().any(|end| self.name.ends_with(end)) || self.name.contains("in_parallel")
    }

    /// Calls a function for each name of an operand, in regions as well.
    pub fn each_operand(&mut self, change: &mut dyn FnMut(&mut String)) {
        self.operands.iter_mut().for_each(|(name, _)| change(name));
        for op in self.regions.iter_mut().flatten().flat_map(|block| &mut block.ops) {
            op.each_operand(change);
        }
    }

    pub fn print(&self, text: &mut String) {
        if let Some((first, _)) = self.results.first() {
            let (name, is_one) =
                first.split_once('#').map_or((&first[..], true), |(it, _)| (it, false));
            let count = if is_one { String::new() } else { format!(":{}", self.results.len()) };
            let _ = write!(text, "{name}{count} = ");
        }
        let join = |values: &[Typed], part: fn(&Typed) -> &str| {
            values.iter().map(part).collect::<Vec<_>>().join(", ")
        };
        let _ = write!(text, "\"{}\"({})", self.name, join(&self.operands, |it| &it.0));
        // Successors and properties come before the regions.
        let _ = write!(text, " {}", self.properties);
        for (at, region) in self.regions.iter().enumerate() {
            text.push_str(if at == 0 { " ({\n" } else { "}, {\n" });
            for block in region {
                if !block.label.is_empty() {
                    let typed: Vec<_> =
                        block.arguments.iter().map(|(name, ty)| format!("{name}: {ty}")).collect();
                    let _ = writeln!(text, "{}({}):", block.label, typed.join(", "));
                }
                block.ops.iter().for_each(|op| op.print(text));
            }
        }
        text.push_str(if self.regions.is_empty() { "" } else { "})" });
        let (from, to) = (join(&self.operands, |it| &it.1), join(&self.results, |it| &it.1));
        let _ = writeln!(text, " {} : ({from}) -> ({to})", self.attributes);
    }
}
