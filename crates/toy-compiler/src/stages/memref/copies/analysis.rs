//! The decisions of One-Shot Bufferize about each operand, and the reasons, as marks of locations.
//!
//! Input: the program that [`bufferize`] gets. Output: the same program; operations on
//! tensors have a [`Mark`] in their locations. Remarks: updates of variables in place.
//!
//! One-Shot notes on a clone, as attributes, whether each operand is written in place, and for each one that is not
//! either three places (`C_n[DEF: ..]`, `C_n[CONFL-WRITE: ..]`, `C_n[READ: ..]`) or a value that may not be written
//! (`W_n[NOT-WRITABLE: ..]`), but not to which operand they belong. That follows where the write is the
//! operand's own: one that is not in place is in no other conflict. Otherwise the operand gets a reason only if
//! one conflict alone fits, and that fits no other operand.

use super::mark::{Mark, Reason};
use super::words::{self, MAYBE};
use crate::dialect::ops;
use crate::stages::memref::bufferize;
use melior::ir::attribute::ArrayAttribute;
use melior::ir::operation::{OperationLike, OperationMutLike, OperationRef};
use melior::ir::{Module, TypeLike, Value, ValueLike};
use mlir_support::ir;
use mlir_support::pass::{PassContext, run_upstream};
use std::collections::{BTreeMap, HashMap, HashSet};
use toy_diagnostics::{Diagnosed, Diagnostic, codes};

/// The number of uses that are followed from an operand to a write.
const FOLLOWED: usize = 1000;

/// The pass.
pub fn run<'c>(context: &PassContext<'c>, module: &mut Module<'c>) -> Diagnosed<()> {
    let mut twin = Module::from_operation(ir::clone(module.as_operation()));
    // If functions are bufferized in groups, more is decided than this analysis knows.
    let is_whole = !bufferize::is_divided(&ops::functions(module));
    // A module that cannot be analyzed cannot be bufferized; bufferization reports the error.
    let analyzed = twin
        .as_mut()
        .filter(|_| is_whole)
        .is_some_and(|twin| run_upstream(context, twin, bufferize::ANALYSIS).is_ok());
    let operations = ir::operations(module.as_operation());
    let twins = twin.as_ref().map(|twin| ir::operations(twin.as_operation())).unwrap_or_default();
    let same = |(one, other): (&OperationRef, &OperationRef)| ir::name(one) == ir::name(other);
    let is_known =
        analyzed && operations.len() == twins.len() && operations.iter().zip(&twins).all(same);
    let facts = is_known.then(|| Facts::of(&operations, &twins));
    let marks: Vec<_> = operations
        .iter()
        .enumerate()
        .filter(|(_, operation)| operation.operands().any(|operand| operand.r#type().is_tensor()))
        .map(|(index, operation)| match &facts {
            Some(facts) => (index, facts.mark(context, index)),
            None => (index, Mark { operation: ir::name(operation).to_owned(), reasons: vec![] }),
        })
        .collect();
    for (index, mark) in marks {
        let operation = operations[index];
        if let Some(facts) = &facts {
            context.remarks.borrow_mut().extend(facts.in_place(context, index));
        }
        let location = mark.put(context.session.context(), operation.location());
        ir::mutable(operation).set_location(location);
    }
    Ok(())
}

/// Operations are indices into the module's operations.
struct Facts<'c, 'a> {
    operations: &'a [OperationRef<'c, 'a>],
    /// For each operand: `true`, `false` or `none`.
    in_place: Vec<Vec<String>>,
    conflicts: Vec<Conflict>,
    not_writable: HashSet<usize>,
    /// The conflict of an operand, by the operation and the number.
    conflict_of: HashMap<(usize, usize), usize>,
}

/// Places of a conflict; an operand is its operation and its number.
#[derive(Default)]
struct Conflict {
    definitions: Vec<(usize, String)>,
    writes: Vec<(usize, usize)>,
    reads: Vec<(usize, usize)>,
}

impl<'c, 'a> Facts<'c, 'a> {
    fn of(operations: &'a [OperationRef<'c, 'a>], twins: &[OperationRef<'c, '_>]) -> Self {
        let mut conflicts: BTreeMap<String, Conflict> = BTreeMap::new();
        let mut in_place = Vec::with_capacity(twins.len());
        let mut not_writable = HashSet::new();
        for (index, twin) in twins.iter().enumerate() {
            in_place.push(operands_in_place(*twin));
            for (name, _) in twin.attributes() {
                let Ok(name) = name.as_string_ref().as_str() else { continue };
                let Some((id, kind, what)) = note(name) else { continue };
                // Attributes of the input are not notes.
                if operations[index].has_attribute(name) {
                    continue;
                }
                if kind == "NOT-WRITABLE" {
                    not_writable.insert(index);
                    continue;
                }
                let conflict = conflicts.entry(id.to_owned()).or_default();
                match (kind, what.parse()) {
                    ("CONFL-WRITE", Ok(operand)) => conflict.writes.push((index, operand)),
                    ("READ", Ok(operand)) => conflict.reads.push((index, operand)),
                    _ => conflict.definitions.push((index, what.to_owned())),
                }
            }
        }
        let conflicts = conflicts.into_values().collect();
        let mut facts =
            Self { operations, in_place, conflicts, not_writable, conflict_of: HashMap::new() };
        facts.match_conflicts();
        facts
    }

    /// Finds out which conflict is the reason of which operand.
    fn match_conflicts(&mut self) {
        let mut others = Vec::new();
        for (number, conflict) in self.conflicts.iter().enumerate() {
            let [write] = conflict.writes[..] else { continue };
            match self.is_copied(write) {
                true => drop(self.conflict_of.insert(write, number)),
                false => others.push((number, write.0)),
            }
        }
        if others.is_empty() {
            return;
        }
        let mut fitting: Vec<((usize, usize), Vec<usize>)> = Vec::new();
        for index in 0..self.operations.len() {
            for operand in 0..self.in_place[index].len() {
                let place = (index, operand);
                if self.is_copied(place) && !self.conflict_of.contains_key(&place) {
                    let reached = self.reached(index);
                    let fits =
                        others.iter().filter(|(_, write)| reached.contains(&self.id(*write)));
                    fitting.push((place, fits.map(|(number, _)| *number).collect()));
                }
            }
        }
        let mut uses: HashMap<usize, usize> = HashMap::new();
        for number in fitting.iter().flat_map(|(_, fits)| fits) {
            *uses.entry(*number).or_default() += 1;
        }
        for (place, fits) in fitting {
            if let [number] = fits[..]
                && uses[&number] == 1
            {
                self.conflict_of.insert(place, number);
            }
        }
    }

    fn is_copied(&self, (index, operand): (usize, usize)) -> bool {
        self.in_place[index].get(operand).is_some_and(|in_place| in_place == "false")
    }

    fn id(&self, index: usize) -> usize {
        ir::id(self.operations[index])
    }

    /// The operations that may use a result of an operation under any name, and those inside of it.
    fn reached(&self, index: usize) -> HashSet<usize> {
        let root = self.operations[index];
        let mut reached = HashSet::new();
        let mut rest = vec![root];
        rest.extend(ir::operations(root));
        while let Some(operation) = rest.pop() {
            if reached.len() > FOLLOWED || !reached.insert(ir::id(operation)) {
                continue;
            }
            for result in operation.results() {
                let result: Value = result.into();
                if result.r#type().is_tensor() {
                    rest.extend(
                        ir::users(result)
                            .into_iter()
                            .flat_map(|user| [vec![user], ir::operations(user)].concat()),
                    );
                }
            }
            if ir::name(&operation).ends_with(".yield") {
                rest.extend(operation.parent_operation());
            }
        }
        reached
    }

    fn mark(&self, context: &PassContext<'c>, index: usize) -> Mark<'c> {
        let operation = self.operations[index];
        let operands =
            (0..self.in_place[index].len()).filter(|operand| self.is_copied((index, *operand)));
        let reasons = operands.map(|operand| {
            let subject = words::subject(operation, operand);
            let known = self
                .conflict(context, (index, operand))
                .or_else(|| self.not_writable(context, (index, operand)));
            let (because, labels) = known.unwrap_or_else(|| (MAYBE.to_owned(), vec![]));
            Reason { operand, subject, because, labels }
        });
        Mark { operation: ir::name(&operation).to_owned(), reasons: reasons.collect() }
    }

    /// The old value is read after a write.
    fn conflict(&self, context: &PassContext<'c>, place: (usize, usize)) -> Option<words::Why<'c>> {
        let conflict = &self.conflicts[*self.conflict_of.get(&place)?];
        let ([(definition, what)], [write], [read]) =
            (&conflict.definitions[..], &conflict.writes[..], &conflict.reads[..])
        else {
            return None;
        };
        let at = |index: usize| self.operations[index];
        let in_order = write.0 <= read.0;
        words::conflict(context, (at(*definition), what), at(write.0), at(read.0), in_order)
    }

    /// The buffer is one that may not be written.
    fn not_writable(
        &self,
        context: &PassContext<'c>,
        (index, operand): (usize, usize),
    ) -> Option<words::Why<'c>> {
        if self.not_writable.is_empty() || self.conflict_of.contains_key(&(index, operand)) {
            return None;
        }
        let writer = self.operations[index];
        let root = words::root(ir::operand(writer, operand));
        let owner = match ir::defining_operation(root) {
            Some(definition) => definition,
            None => ir::home(root)?.parent,
        };
        let is_marked = |index: &&usize| self.id(**index) == ir::id(owner);
        self.not_writable.iter().find(is_marked)?;
        words::not_writable(context, root, owner, writer)
    }

    /// The remark that a variable is updated in place.
    fn in_place(&self, context: &PassContext<'c>, index: usize) -> Option<Diagnostic> {
        let operation = self.operations[index];
        let is_update = matches!(ir::name(&operation), "tensor.insert" | "tensor.insert_slice");
        if !is_update || self.in_place[index].get(1)? != "true" {
            return None;
        }
        let name = words::variable(operation)?;
        let span = context.locations.span(operation.location())?;
        let subject =
            words::with_size(&format!("`{name}`"), words::bytes(ir::operand(operation, 1)));
        let remark = Diagnostic::remark(codes::IN_PLACE, format!("{subject} is updated in place"))
            .label(span, "nothing is copied for this: the old value is not read any more");
        Some(words::in_function(remark, operation))
    }
}

fn operands_in_place(twin: OperationRef) -> Vec<String> {
    let list = ops::attribute(&twin, "__inplace_operands_attr__");
    let Some(list) = list.and_then(|list| ArrayAttribute::try_from(list).ok()) else {
        return vec![];
    };
    let entry = |index| ir::string_value(list.element(index).ok()?);
    (0..list.len()).map(|index| entry(index).unwrap_or_default()).collect()
}

/// The parts of `C_1[READ: 0]`.
fn note(name: &str) -> Option<(&str, &str, &str)> {
    let (id, rest) = name.strip_suffix(']')?.split_once('[')?;
    let (kind, what) = rest.split_once(": ")?;
    let is_number = |number: &str| number.parse::<u64>().is_ok();
    let is_id = id.strip_prefix("C_").or_else(|| id.strip_prefix("W_")).is_some_and(is_number);
    is_id.then_some((id, kind, what))
}
