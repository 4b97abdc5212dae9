//! Loops whose iterations pass on new buffers, copies of others, and others in another order, as bufferization makes
//! them of swaps and of `x = x + y`.

use super::{Buffer, Generator, Kind};

impl Generator {
    /// A loop with one to three slots of one kind, and perhaps one of another kind.
    pub(super) fn turns(&mut self, depth: usize) {
        let kind = self.kind();
        let mut kinds = vec![kind; 1 + self.random.below(3)];
        if self.random.chance(25) {
            kinds.push(self.kind());
        }
        let starts: Vec<_> = kinds.iter().map(|kind| self.start(kind)).collect();
        let is_while = self.random.chance(30);
        let results = if is_while {
            self.turns_while(depth, &kinds, &starts)
        } else {
            self.turns_for(depth, &kinds, &starts)
        };
        self.buffers.extend(results);
    }

    /// The initial buffer of a slot: mostly one that nothing else uses.
    fn start(&mut self, kind: &Kind) -> String {
        if self.random.chance(25) {
            return self.plain(kind).name;
        }
        let buffer = self.allocate_of(kind.clone());
        if self.random.chance(80) {
            self.buffers.retain(|other| other.name != buffer.name);
        }
        buffer.name
    }

    fn turns_for(&mut self, depth: usize, kinds: &[Kind], starts: &[String]) -> Vec<Buffer> {
        let (result, variable, count) = (self.name(), self.name(), self.count());
        let slots: Vec<_> = kinds.iter().map(|_| self.name()).collect();
        let inits = slots.iter().zip(starts).map(|(slot, start)| format!("{slot} = {start}"));
        let (inits, types) = (inits.collect::<Vec<_>>().join(", "), types(kinds));
        let number = kinds.len();
        self.line(format_args!(
            "{result}:{number} = scf.for {variable} = %n0 to {count} step %n1 \
             iter_args({inits}) -> ({types}) {{"
        ));
        self.in_turns(depth, kinds, &slots, |passed| format!("scf.yield {passed} : {types}"));
        self.line(format_args!("}}"));
        results(&result, 0, kinds)
    }

    fn turns_while(&mut self, depth: usize, kinds: &[Kind], starts: &[String]) -> Vec<Buffer> {
        let [result, count, more, next, sum] = std::array::from_fn(|_| self.name());
        let limit = self.count();
        let before: Vec<_> = kinds.iter().map(|_| self.name()).collect();
        let after: Vec<_> = kinds.iter().map(|_| self.name()).collect();
        let inits = before.iter().zip(starts).map(|(slot, start)| format!("{slot} = {start}"));
        let (inits, types) = (inits.collect::<Vec<_>>().join(", "), types(kinds));
        let number = kinds.len() + 1;
        self.line(format_args!(
            "{result}:{number} = scf.while ({count} = %n0, {inits}) : (index, {types}) -> \
             (index, {types}) {{\n{more} = arith.cmpi slt, {count}, {limit} : index"
        ));
        self.in_turns(depth, kinds, &before, |passed| {
            format!("scf.condition({more}) {count}, {passed} : index, {types}")
        });
        let arguments = after.iter().zip(kinds);
        let arguments = arguments.map(|(slot, kind)| format!("{slot}: {}", kind.r#type()));
        let arguments = arguments.collect::<Vec<_>>().join(", ");
        self.line(format_args!("}} do {{\n^bb0({next}: index, {arguments}):"));
        self.line(format_args!("{sum} = arith.addi {next}, %n1 : index"));
        self.in_turns(depth, kinds, &after, |passed| {
            format!("scf.yield {sum}, {passed} : index, {types}")
        });
        self.line(format_args!("}}"));
        results(&result, 1, kinds)
    }

    /// A body with slots, and its end.
    fn in_turns(
        &mut self,
        depth: usize,
        kinds: &[Kind],
        slots: &[String],
        end: impl FnOnce(&str) -> String,
    ) {
        let before = self.buffers.len();
        let slots = slots.iter().zip(kinds);
        let slots: Vec<_> =
            slots.map(|(slot, kind)| Buffer::new(slot.clone(), kind.clone())).collect();
        self.buffers.extend(slots.iter().cloned());
        self.region(depth, |generator| {
            let passed: Vec<_> = (0..kinds.len())
                .map(|at| generator.passed(depth, &kinds[at], &slots, at))
                .collect();
            let end = end(&passed.join(", "));
            generator.line(format_args!("{end}"));
        });
        self.buffers.truncate(before);
    }

    /// The buffer that a slot gets in the next iteration.
    fn passed(&mut self, depth: usize, kind: &Kind, slots: &[Buffer], at: usize) -> String {
        let fitting: Vec<_> = slots.iter().filter(|slot| slot.kind == *kind).collect();
        let other = fitting[(at + 1 + self.random.below(2)) % fitting.len()].name.clone();
        match self.random.below(12) {
            0..=3 => self.computed(kind, &other),
            4..=6 => self.copied(kind, &other),
            7 | 8 => other,
            9 => slots[at].name.clone(),
            10 => self.chosen(depth, kind, &other),
            _ => self.plain(kind).name,
        }
    }

    /// A new buffer with new contents.
    fn computed(&mut self, kind: &Kind, from: &str) -> String {
        let buffer = self.allocate_only(kind.clone());
        let (name, t) = (&buffer.name, kind.r#type());
        if kind.sizes.len() == 1 && !kind.is_float() && kind.element != "index" {
            self.line(format_args!("linalg.add ins({from}, {from} : {t}, {t}) outs({name} : {t})"));
            self.buffers.push(buffer.clone());
        } else {
            self.write(&buffer);
        }
        buffer.name
    }

    /// A new buffer with the contents of another one, which may be changed.
    fn copied(&mut self, kind: &Kind, from: &str) -> String {
        let buffer = self.allocate_only(kind.clone());
        let t = kind.r#type();
        self.line(format_args!("memref.copy {from}, {} : {t} to {t}", buffer.name));
        self.buffers.push(buffer.clone());
        if self.random.chance(40) {
            self.element();
        }
        if self.random.chance(20) {
            self.read();
        }
        buffer.name
    }

    /// The result of a branch: in each region a new buffer, a copy, or an existing buffer.
    fn chosen(&mut self, depth: usize, kind: &Kind, from: &str) -> String {
        let (result, condition, t) = (self.name(), self.condition(), kind.r#type());
        self.line(format_args!("{result} = scf.if {condition} -> ({t}) {{"));
        for end in ["} else {", "}"] {
            self.region(depth + 1, |generator| {
                let yielded = match generator.random.below(4) {
                    0 | 1 => generator.computed(kind, from),
                    2 => generator.copied(kind, from),
                    _ => from.to_owned(),
                };
                generator.line(format_args!("scf.yield {yielded} : {t}"));
            });
            self.line(format_args!("{end}"));
        }
        self.buffers.push(Buffer::new(result.clone(), kind.clone()));
        result
    }
}

fn types(kinds: &[Kind]) -> String {
    kinds.iter().map(Kind::r#type).collect::<Vec<_>>().join(", ")
}

fn results(result: &str, first: usize, kinds: &[Kind]) -> Vec<Buffer> {
    let all = kinds.iter().enumerate();
    all.map(|(at, kind)| Buffer::new(format!("{result}#{}", at + first), kind.clone())).collect()
}
