//! Changes of a program that keep its types valid.
//!
//! Input: a program in MLIR's generic form and a seed. Output: another program, nearly always a valid one. Invariants:
//! the same seed makes the same program; the program's behavior is as defined as before. So no index, size or condition
//! of a loop is changed, no buffer that the program frees itself, no constant buffer is written to, and in programs
//! with indices that depend on numbers no number is changed either: then operations are only moved, repeated and
//! nested. Memory that may now be read before it is written is filled first.

use super::tree::{Op, Typed, parse};
use crate::generator::Random;

/// The place of an operation: region, block and index, from the module inwards.
type Path = Vec<[usize; 3]>;

/// An operation and the values that may be used in its place.
struct Site {
    path: Path,
    visible: Vec<Typed>,
}

struct Mutator {
    random: Random,
    names: usize,
    /// True if numbers and buffers stay what they are.
    is_fixed: bool,
    has_frees: bool,
    fills: bool,
    /// Buffers of this program, which it may write to.
    own: Vec<String>,
    /// Tensors and buffers without elements yet.
    empty: Vec<String>,
}

/// Allocations, whose elements have not been written.
const EMPTY: [&str; 4] =
    ["tensor.empty", "memref.alloc", "memref.alloca", "bufferization.alloc_tensor"];

/// Operations that compute, by what they take and give.
const ALIKE: [&[&str]; 3] = [
    &["arith.addf", "arith.subf", "arith.mulf", "arith.maximumf", "arith.minimumf"],
    &["toy.add", "toy.sub", "toy.mul", "toy.max", "toy.min"],
    &["math.exp", "math.sin", "math.tanh", "math.absf", "math.floor"],
];

const NUMBERS: [&str; 6] = [
    "0.000000e+00",
    "-0.000000e+00",
    "1.000000e+00",
    "-2.500000e+00",
    "3.000000e+00",
    "1.000000e+10",
];

/// The program with one to four changes; None: it is not in the generic form.
pub fn mutant(text: &str, seed: u64) -> Option<String> {
    let (aliases, mut module) = parse(text)?;
    let has = |part: &str| text.contains(part);
    // Functions of the runtime have such names as well.
    let is_high = text.lines().any(|line| {
        let line = line.trim();
        line.split_once(" = ").map_or(line, |(_, op)| op).starts_with("\"toy.")
    });
    let mut mutator = Mutator {
        random: Random::new(seed),
        names: 0,
        is_fixed: !is_high && ["arith.fpto", "arith.index_cast", "llvm."].iter().any(|it| has(it)),
        has_frees: has("memref.dealloc\"") || has("bufferization.dealloc"),
        fills: false,
        own: Vec::new(),
        empty: Vec::new(),
    };
    let wanted = 1 + mutator.random.below(4);
    let mut made = 0;
    for _ in 0..80 {
        made += usize::from(mutator.change(&mut module).is_some());
        if made == wanted {
            break;
        }
    }
    if mutator.fills {
        mutator.fill(&mut module);
    }
    let mut printed = aliases;
    module.print(&mut printed);
    Some(printed)
}

fn is_buffer(ty: &str) -> bool {
    ty.starts_with("memref<")
}

/// Types of which every value can take every place.
fn is_free(ty: &str) -> bool {
    let of_numbers = ty.ends_with("xf64>") || ty.ends_with("xf32>") || ty.ends_with("<f64>");
    let is_known = !ty.contains('?') && !ty.contains("strided") && !ty.contains("affine");
    ty == "f64"
        || ty == "f32"
        || (of_numbers && is_known && (is_buffer(ty) || ty.starts_with("tensor<")))
}

/// True if an operation's operands decide about indices, sizes or conditions.
fn decides(op: &Op) -> bool {
    let is_whole = |(_, ty): &Typed| ty.starts_with('i');
    op.results.iter().any(is_whole)
        || ["scf.condition", "cf.cond_br", "cf.assert"].contains(&&op.name[..])
}

impl Mutator {
    /// One change; None: not this one, not there.
    fn change(&mut self, module: &mut Op) -> Option<()> {
        let mut sites = Vec::new();
        (self.own, self.empty) = (Vec::new(), Vec::new());
        self.collect(module, &mut Vec::new(), &mut Vec::new(), &mut sites);
        let site = sites.get(self.random.below(sites.len()))?;
        let (place, ops) = block_at(module, &site.path)?;
        match self.random.below(10) {
            0 => self.swap(&mut ops[place]),
            1 | 2 => self.replace(&mut ops[place], site),
            3 => self.number(&mut ops[place]),
            4 => self.copy(ops, place),
            5 | 6 => self.shift(ops, place),
            7 => self.branch(ops, place, site),
            8 => self.repeat(ops, place, site),
            _ => self.delete(ops, place, site),
        }
    }

    /// The operations in functions, each with the values defined before it.
    fn collect(
        &mut self,
        op: &Op,
        path: &mut Path,
        visible: &mut Vec<Typed>,
        sites: &mut Vec<Site>,
    ) {
        let around = visible.len();
        let is_isolated = ["func.func", "builtin.module"].contains(&&op.name[..]);
        for (region, blocks) in op.regions.iter().enumerate() {
            for (block, it) in blocks.iter().enumerate() {
                let mut inside = if is_isolated { Vec::new() } else { visible.clone() };
                // A tensor that a loop carries may have no elements yet.
                let starts_empty = op.operands.iter().any(|(name, _)| self.empty.contains(name));
                if starts_empty && !op.name.starts_with("linalg.") {
                    self.empty.extend(it.arguments.iter().map(|(name, _)| name.clone()));
                }
                // The elements of a destination may not have been written yet.
                let outs = if op.name.starts_with("linalg.") { op.results.len().max(1) } else { 0 };
                let ins = it.arguments.len().saturating_sub(outs);
                inside.extend(it.arguments[..ins].iter().cloned());
                for (index, inner) in it.ops.iter().enumerate() {
                    path.push([region, block, index]);
                    if op.name != "builtin.module" {
                        sites.push(Site { path: path.clone(), visible: inside.clone() });
                    }
                    self.collect(inner, path, &mut inside, sites);
                    path.pop();
                    let names = || inner.results.iter().map(|(name, _)| name.clone());
                    if inner.name == "memref.alloc" {
                        self.own.extend(names());
                    } else if inner.name == "tensor.empty" || inner.name == "ub.poison" {
                        self.empty.extend(names());
                    }
                    inside.extend(inner.results.iter().cloned());
                }
            }
        }
        visible.truncate(around);
    }

    fn new_name(&mut self) -> String {
        self.names += 1;
        format!("%mutant{}", self.names)
    }

    /// A value for the place of another one.
    fn other(&mut self, than: &Typed, visible: &[Typed]) -> Option<Typed> {
        let (name, ty) = than;
        if self.is_fixed
            || !is_free(ty)
            || (is_buffer(ty) && (self.has_frees || !self.own.contains(name)))
        {
            return None;
        }
        let fits = |it: &&Typed| {
            it.1 == *ty
                && it.0 != *name
                && !self.empty.contains(&it.0)
                && (!is_buffer(ty) || self.own.contains(&it.0))
        };
        let others: Vec<_> = visible.iter().filter(fits).collect();
        let other = (!others.is_empty()).then(|| self.random.pick(&others).clone())?;
        self.fills |= is_buffer(ty);
        Some(other)
    }

    fn swap(&mut self, op: &mut Op) -> Option<()> {
        let (first, second) =
            (self.random.below(op.operands.len()), self.random.below(op.operands.len()));
        let [a, b] = op.operands.get_disjoint_mut([first, second]).ok()?;
        let is_target = [&*a, &*b].iter().any(|it| self.empty.contains(&it.0));
        if decides_of(&op.name, &op.results) || a == b || is_target {
            return None;
        }
        self.other(a, std::slice::from_ref(b))?;
        std::mem::swap(a, b);
        Some(())
    }

    fn replace(&mut self, op: &mut Op, site: &Site) -> Option<()> {
        if decides(op) || op.operands.is_empty() {
            return None;
        }
        let at = self.random.below(op.operands.len());
        op.operands[at] = self.other(&op.operands[at].clone(), &site.visible)?;
        Some(())
    }

    /// Another constant, or another operation on the same operands.
    fn number(&mut self, op: &mut Op) -> Option<()> {
        if self.is_fixed {
            return None;
        }
        if let Some(alike) = ALIKE.iter().find(|alike| alike.contains(&&op.name[..])) {
            op.name = self.random.pick(alike).to_owned();
            return Some(());
        }
        if !op.name.ends_with(".constant") || !op.results.iter().any(|(_, ty)| is_free(ty)) {
            return None;
        }
        let text = if op.properties.is_empty() { &mut op.attributes } else { &mut op.properties };
        let ends: Vec<_> = text.match_indices("e+0").map(|(at, _)| at).collect();
        let end = *ends.get(self.random.below(ends.len()))?;
        let is_part = |c: char| c.is_ascii_digit() || c == '.' || c == '-';
        let start = text[..end].rfind(|c| !is_part(c))? + 1;
        text.replace_range(start..end + 4, self.random.pick(&NUMBERS));
        Some(())
    }

    /// The operation once more; the rest of the block reads the copy here and there.
    fn copy(&mut self, ops: &mut Vec<Op>, at: usize) -> Option<()> {
        let mut copy = self.movable(&ops[at])?.clone();
        let names = self.rename(&mut copy);
        ops.insert(at + 1, copy);
        for op in &mut ops[at + 2..] {
            op.each_operand(&mut |operand| {
                if let Some((_, new)) = names.iter().find(|(old, _)| old == operand)
                    && self.random.chance(50)
                {
                    operand.clone_from(new);
                }
            });
        }
        Some(())
    }

    /// New names for results: the old and the new ones.
    fn rename(&mut self, op: &mut Op) -> Vec<(String, String)> {
        let name = self.new_name();
        let many = op.results.len() > 1;
        let rename = |(at, (old, _)): (usize, &mut Typed)| {
            let new = if many { format!("{name}#{at}") } else { name.clone() };
            (std::mem::replace(old, new.clone()), new)
        };
        op.results.iter_mut().enumerate().map(rename).collect()
    }

    /// The operation at another place of its block.
    fn shift(&mut self, ops: &mut Vec<Op>, at: usize) -> Option<()> {
        self.movable(&ops[at])?;
        let reads = |op: &Op, of: &Op| {
            let mut reads = false;
            op.clone().each_operand(&mut |name| reads |= of.results.iter().any(|it| it.0 == *name));
            reads
        };
        let first =
            (0..at).rfind(|other| reads(&ops[at], &ops[*other])).map_or(0, |other| other + 1);
        let last = (at + 1..ops.len())
            .find(|other| reads(&ops[*other], &ops[at]) || ops[*other].is_terminator())?;
        let to = first + self.random.below(last - first);
        let op = ops.remove(at);
        ops.insert(to, op);
        (to != at).then_some(())
    }

    /// An operation that may be somewhere else, or run several times.
    fn movable<'o>(&mut self, op: &'o Op) -> Option<&'o Op> {
        let has_buffers =
            op.operands.iter().chain(&op.results).any(|(_, ty)| ty.contains("memref<"));
        let stays = op.is_terminator()
            || ["toy.variable", "memref.alloca", "llvm.alloca"].contains(&&op.name[..])
            || (has_buffers && self.has_frees);
        self.fills |= has_buffers && !stays;
        (!stays).then_some(op)
    }

    /// The operation in a branch; the other one yields existing values, or a copy's.
    fn branch(&mut self, ops: &mut Vec<Op>, at: usize, site: &Site) -> Option<()> {
        let op = self.movable(&ops[at])?.clone();
        let conditions: Vec<_> = site.visible.iter().filter(|(_, ty)| ty == "i1").collect();
        let (mut before, condition) = if conditions.is_empty() || self.random.chance(30) {
            let condition = (self.new_name(), "i1".to_owned());
            let mut constant = Op::new("arith.constant", vec![], vec![condition.clone()]);
            constant.properties = format!(
                "<{{value = {}}}>",
                if self.is_fixed || self.random.chance(50) { "true" } else { "false" }
            );
            (vec![constant], condition)
        } else {
            (vec![], self.random.pick(&conditions).clone())
        };
        // The other branch has no effect; the effect could be a check.
        if op.results.is_empty() && self.is_fixed {
            return None;
        }
        let others: Option<Vec<_>> =
            op.results.iter().map(|result| self.fresh_other(result, site)).collect();
        let mut outer = Op::new("scf.if", vec![condition], op.results.clone());
        let mut inner = op.clone();
        self.rename(&mut inner);
        let given = inner.results.clone();
        outer = outer.with_region(vec![], vec![inner, Op::new("scf.yield", given, vec![])]);
        if op.results.is_empty() {
            outer.regions.push(vec![]);
        } else {
            let (mut body, given) = match others {
                Some(others) => (vec![], others),
                None => {
                    let mut copy = op.clone();
                    self.rename(&mut copy);
                    let given = copy.results.clone();
                    (vec![copy], given)
                }
            };
            body.push(Op::new("scf.yield", given, vec![]));
            outer = outer.with_region(vec![], body);
        }
        before.push(outer);
        ops.splice(at..=at, before);
        Some(())
    }

    /// A value that exists before the operation with this result, for its place.
    fn fresh_other(&mut self, result: &Typed, site: &Site) -> Option<Typed> {
        if is_buffer(&result.1) {
            return None;
        }
        self.other(result, &site.visible)
    }

    /// The operation in a loop that carries its results.
    fn repeat(&mut self, ops: &mut Vec<Op>, at: usize, site: &Site) -> Option<()> {
        let op = self.movable(&ops[at])?.clone();
        let inits: Vec<_> = op
            .results
            .iter()
            .map(|result| self.fresh_other(result, site))
            .collect::<Option<_>>()?;
        let mut before = Vec::new();
        let turns = 1 + self.random.below(3);
        let mut operands: Vec<Typed> = Vec::new();
        for number in [0, turns, 1] {
            let value = (self.new_name(), "index".to_owned());
            let mut constant = Op::new("arith.constant", vec![], vec![value.clone()]);
            constant.properties = format!("<{{value = {number} : index}}>");
            before.push(constant);
            operands.push(value);
        }
        let mut inner = op.clone();
        self.rename(&mut inner);
        let mut arguments = vec![(self.new_name(), "index".to_owned())];
        for init in &inits {
            arguments.push((self.new_name(), init.1.clone()));
        }
        if !decides(&op) {
            let carried: Vec<_> = inits.iter().zip(&arguments[1..]).collect();
            for operand in &mut inner.operands {
                let same =
                    carried.iter().find(|(init, _)| init.1 == operand.1 && !is_buffer(&init.1));
                if let Some((_, argument)) = same
                    && !self.empty.contains(&operand.0)
                    && self.random.chance(50)
                {
                    *operand = (*argument).clone();
                }
            }
        }
        operands.extend(inits);
        let given = inner.results.clone();
        let body = vec![inner, Op::new("scf.yield", given, vec![])];
        before.push(Op::new("scf.for", operands, op.results.clone()).with_region(arguments, body));
        ops.splice(at..=at, before);
        Some(())
    }

    /// Without the operation: other values for its results.
    fn delete(&mut self, ops: &mut Vec<Op>, at: usize, site: &Site) -> Option<()> {
        let op = self.movable(&ops[at])?.clone();
        if op.results.is_empty()
            && (self.is_fixed || op.name == "func.call" || !op.regions.is_empty())
        {
            return None;
        }
        let others: Vec<_> = op
            .results
            .iter()
            .map(|result| self.other(result, &site.visible))
            .collect::<Option<_>>()?;
        ops.remove(at);
        for later in &mut ops[at..] {
            later.each_operand(&mut |name| {
                let of = op.results.iter().position(|(old, _)| old == name);
                if let Some(of) = of {
                    name.clone_from(&others[of].0);
                }
            });
        }
        Some(())
    }

    /// Zeros in all memory.
    fn fill(&mut self, op: &mut Op) {
        for block in op.regions.iter_mut().flatten() {
            let ops = std::mem::take(&mut block.ops);
            for mut op in ops {
                self.fill(&mut op);
                let is_empty = EMPTY.contains(&&op.name[..]);
                let filled = if is_empty { self.zeros(&mut op) } else { None };
                block.ops.push(op);
                block.ops.extend(filled.into_iter().flatten());
            }
        }
    }

    fn zeros(&mut self, op: &mut Op) -> Option<Vec<Op>> {
        let (name, ty) = op.results.first()?.clone();
        let inner = ty.split_once('<')?.1.strip_suffix('>')?.split(',').next()?;
        let element = inner.rsplit('x').next()?.to_owned();
        let element = if inner.ends_with("index") { "index".to_owned() } else { element };
        let zero = match &element[..] {
            "f64" | "f32" => "0.000000e+00",
            "i8" | "i32" | "i64" | "index" => "0",
            _ => return None,
        };
        let value = (self.new_name(), element.clone());
        let mut constant = Op::new("arith.constant", vec![], vec![value.clone()]);
        constant.properties = format!("<{{value = {zero} : {element}}}>");
        let (target, results) = if is_buffer(&ty) {
            ((name, ty), vec![])
        } else {
            let target = (self.new_name(), ty.clone());
            op.results[0] = target.clone();
            (target, vec![(name, ty)])
        };
        let mut fill = Op::new("linalg.fill", vec![value, target], results);
        fill.properties = "<{operandSegmentSizes = array<i32: 1, 1>}>".to_owned();
        let arguments: Vec<Typed> = (0..2).map(|_| (self.new_name(), element.clone())).collect();
        let given = vec![arguments[0].clone()];
        Some(vec![
            constant,
            fill.with_region(arguments, vec![Op::new("linalg.yield", given, vec![])]),
        ])
    }
}

fn decides_of(name: &str, results: &[Typed]) -> bool {
    decides(&Op::new(name, Vec::new(), results.to_vec()))
}

fn block_at<'m>(module: &'m mut Op, path: &[[usize; 3]]) -> Option<(usize, &'m mut Vec<Op>)> {
    let ([region, block, index], around) = path.split_last()?;
    let mut op = module;
    for [region, block, index] in around {
        op = &mut op.regions[*region][*block].ops[*index];
    }
    Some((*index, &mut op.regions[*region][*block].ops))
}
