//! Loops, branches and scopes, which hand buffers in and out.

use super::{Buffer, Generator, Kind};

impl Generator {
    pub(super) fn control(&mut self, depth: usize) {
        if self.is_turns && self.random.chance(70) {
            return self.turns(depth);
        }
        match self.random.below(12) {
            0..=2 => self.repeat(depth),
            3 => self.repeat_while(depth),
            4 => self.switch(depth),
            5..=7 => self.branch(depth),
            8 => self.execute(depth),
            9 => {
                let (variable, count) = (self.name(), self.count());
                self.scope(depth, &format!("scf.forall ({variable}) in ({count}) {{"), "}");
            }
            10 => {
                let (variable, count) = (self.name(), self.count());
                let head = format!("scf.parallel ({variable}) = (%n0) to ({count}) step (%n1) {{");
                self.scope(depth, &head, "scf.reduce\n}");
            }
            _ => self.scope(depth, "memref.alloca_scope {", "}"),
        }
    }

    /// Statements in a region of their own; the result is `last`'s at its end.
    pub(super) fn region<T>(&mut self, depth: usize, last: impl FnOnce(&mut Self) -> T) -> T {
        let (buffers, fresh) = (self.buffers.len(), self.fresh.len());
        let count = 1 + self.random.below(5);
        self.statements(count, depth + 1);
        let result = last(self);
        self.buffers.truncate(buffers);
        self.fresh.truncate(fresh);
        result
    }

    fn scope(&mut self, depth: usize, head: &str, tail: &str) {
        self.line(format_args!("{head}"));
        self.region(depth, |_| ());
        self.line(format_args!("{tail}"));
    }

    /// A region that yields a buffer.
    fn yields(&mut self, depth: usize, kind: &Kind) {
        self.region(depth, |generator| {
            let yielded = generator.plain(kind);
            generator.line(format_args!("scf.yield {} : {}", yielded.name, yielded.r#type));
        });
    }

    fn repeat(&mut self, depth: usize) {
        let (variable, count) = (self.name(), self.count());
        let head = format!("scf.for {variable} = %n0 to {count} step %n1");
        if self.random.chance(45) {
            return self.scope(depth, &format!("{head} {{"), "}");
        }
        let kind = self.kind();
        let (a, b, t) = (self.plain(&kind).name, self.plain(&kind).name, kind.r#type());
        let [result, x, y] = std::array::from_fn(|_| self.name());
        self.line(format_args!(
            "{result}:2 = {head} iter_args({x} = {a}, {y} = {b}) -> ({t}, {t}) {{"
        ));
        let before = self.buffers.len();
        self.buffers.extend([&x, &y].map(|name| Buffer::new(name.clone(), kind.clone())));
        let swap = self.random.chance(50);
        self.region(depth, |generator| {
            let (c, d) = match swap {
                true => (y, x),
                false => (generator.plain(&kind).name, generator.plain(&kind).name),
            };
            generator.line(format_args!("scf.yield {c}, {d} : {t}, {t}"));
        });
        self.buffers.truncate(before);
        self.line(format_args!("}}"));
        let results = [0, 1].map(|at| Buffer::new(format!("{result}#{at}"), kind.clone()));
        self.buffers.extend(results);
    }

    /// A loop with statements before its condition and after it, which hands on a buffer.
    fn repeat_while(&mut self, depth: usize) {
        let kind = self.kind();
        let (buffer, t) = (self.plain(&kind).name, kind.r#type());
        let [result, count, x, more, y, next, sum] = std::array::from_fn(|_| self.name());
        let limit = self.count();
        self.line(format_args!(
            "{result}:2 = scf.while ({count} = %n0, {x} = {buffer}) : (index, {t}) -> (index, {t}) {{
{more} = arith.cmpi slt, {count}, {limit} : index"
        ));
        let before = self.buffers.len();
        self.buffers.push(Buffer::new(x, kind.clone()));
        self.region(depth, |generator| {
            let passed = generator.plain(&kind).name;
            generator.line(format_args!("scf.condition({more}) {count}, {passed} : index, {t}"));
        });
        self.buffers.truncate(before);
        self.line(format_args!("}} do {{\n^bb0({next}: index, {y}: {t}):"));
        self.buffers.push(Buffer::new(y, kind.clone()));
        self.line(format_args!("{sum} = arith.addi {next}, %n1 : index"));
        self.region(depth, |generator| {
            let passed = generator.plain(&kind).name;
            generator.line(format_args!("scf.yield {sum}, {passed} : index, {t}"));
        });
        self.buffers.truncate(before);
        self.line(format_args!("}}"));
        self.buffers.push(Buffer::new(format!("{result}#1"), kind));
    }

    fn switch(&mut self, depth: usize) {
        let (kind, result, value) = (self.kind(), self.name(), self.count());
        self.line(format_args!("{result} = scf.index_switch {value} -> {}", kind.r#type()));
        for head in ["case 1 {", "case 2 {", "default {"] {
            self.line(format_args!("{head}"));
            self.yields(depth, &kind);
            self.line(format_args!("}}"));
        }
        self.buffers.push(Buffer::new(result, kind));
    }

    fn branch(&mut self, depth: usize) {
        let condition = self.condition();
        match self.random.below(3) {
            0 => self.scope(depth, &format!("scf.if {condition} {{"), "}"),
            1 => {
                self.scope(depth, &format!("scf.if {condition} {{"), "} else {");
                self.region(depth, |_| ());
                self.line(format_args!("}}"));
            }
            _ => {
                let (kind, result) = (self.kind(), self.name());
                let t = kind.r#type();
                self.line(format_args!("{result} = scf.if {condition} -> ({t}) {{"));
                for end in ["} else {", "}"] {
                    self.yields(depth, &kind);
                    self.line(format_args!("{end}"));
                }
                self.buffers.push(Buffer::new(result, kind));
            }
        }
    }

    fn execute(&mut self, depth: usize) {
        let (kind, result) = (self.kind(), self.name());
        self.line(format_args!("{result} = scf.execute_region -> {} {{", kind.r#type()));
        self.yields(depth, &kind);
        self.line(format_args!("}}"));
        self.buffers.push(Buffer::new(result, kind));
    }
}
