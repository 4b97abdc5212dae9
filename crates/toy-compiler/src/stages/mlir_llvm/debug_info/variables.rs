//! Variables, from markers to debug records.
//!
//! Input: the markers of a function. Output: for each variable a slot on the stack with the address of
//! its elements, and a record of it. The slots are initialized with null, and the address is stored where
//! the variable is defined. Why slots: at level 0, LLVM keeps values on the stack, while for the debugger a
//! value in a register ends with its last use.
//!
//! A struct is one slot with a word per tensor in it: the address of its elements, or the number itself
//! for a scalar, because a scalar member of a struct in DWARF cannot be indirect.
//!
//! Everything from the start of the function to the last parameter has no line: a debugger does not stop
//! there, and at its first stop, the parameters are known.

use super::super::slots;
use super::definitions::{Attributes, Definitions, Elements, Member, Reference};
use super::steps;
use crate::dialect::ops;
use crate::dialect::shape::{TensorType, element_type};
use crate::dialect::variable::{self, Structure, Variable};
use crate::runtime_calls::markers;
use melior::Context;
use melior::ir::attribute::DictionaryAttribute;
use melior::ir::operation::{OperationLike, OperationRef};
use melior::ir::{Attribute, Location, Value};
use mlir_support::location::{self, Place};
use mlir_support::{Builder, ir};
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

/// More parameters than LLVM has numbers for are local variables.
const MAX_PARAMETERS: usize = 65_534;

/// The variables of a function, in the order of their first markers.
pub struct Variables<'c, 'a> {
    variables: Vec<Shown<'c, 'a>>,
}

/// A variable that is shown.
struct Shown<'c, 'a> {
    record: Reference,
    /// The place of the record.
    location: Location<'c>,
    /// Words of the slot.
    words: usize,
    is_struct: bool,
    marks: Vec<Mark<'c, 'a>>,
}

/// A definition of a variable, or of a tensor in it.
struct Mark<'c, 'a> {
    call: OperationRef<'c, 'a>,
    address: Value<'c, 'a>,
    /// Its place in the slot.
    word: usize,
    ty: TensorType,
    /// True if the value is older than the function's first statement.
    is_given: bool,
}

/// The combined information of all markers of one name.
struct Group<'c, 'a> {
    variable: Variable<'c>,
    types: BTreeMap<usize, TensorType>,
    marks: Vec<Mark<'c, 'a>>,
}

impl<'c, 'a> Variables<'c, 'a> {
    /// Reads the markers of a function; `function` is where it begins.
    pub fn of(
        calls: &[OperationRef<'c, 'a>],
        subprogram: &str,
        function: &Place,
        definitions: &mut Definitions,
    ) -> Self {
        let mut parameters = HashSet::new();
        let variables = groups(calls).into_iter().filter_map(|group| {
            let (ty, words) = group.type_and_words(definitions)?;
            let location = group.marks[0].call.location();
            let place = location::place(location);
            let parameter = group.variable.parameter;
            let parameter =
                parameter.filter(|index| *index < MAX_PARAMETERS && parameters.insert(*index));
            let record = definitions.variable(
                subprogram,
                shown_name(&group.variable.name),
                place.as_ref().unwrap_or(function),
                parameter.map_or(0, |index| index + 1),
                &ty,
            );
            let is_struct = group.variable.structure.is_some();
            Some(Shown { record, location, words, is_struct, marks: group.marks })
        });
        Self { variables: variables.collect() }
    }

    /// Puts slots, records and stores into the function.
    pub fn show(
        self,
        context: &'c Context,
        function: OperationRef<'c, 'a>,
        attributes: &Attributes<'c>,
    ) {
        let marks = || self.variables.iter().flat_map(|shown| &shown.marks);
        let given: HashSet<_> =
            marks().filter(|mark| mark.is_given).map(|mark| ir::id(mark.call)).collect();
        let own = marks().filter(|mark| !mark.is_given).map(|mark| ir::id(mark.call)).collect();
        steps::place(function, &given);
        steps::end_prologue(context, function, &given, &own);
        // Without it, a debugger looks for the first statement before the stack is set up.
        let frame = Attribute::parse(context, "#llvm.framePointerKind<all>").expect("valid");
        ir::set_attribute(function, "frame_pointer", frame);
        let loops = steps::starts_of_loops(function);
        if self.variables.is_empty() && loops.is_empty() {
            return;
        }
        let entry = ops::entry_block(function).map(ir::block_operations).unwrap_or_default();
        let Some(first) = entry.first().copied() else { return };
        let start = Builder::before(context, first).located(Location::unknown(context));
        let one = start.llvm_constant(start.i64_type(), 1);
        let null = start.value("llvm.mlir.zero", &[], start.pointer_type(), &[]);
        if !loops.is_empty() {
            let nothing = slots::alloca(start, one, 1);
            for r#loop in loops {
                slots::store(Builder::before(context, r#loop), null, nothing, 0);
            }
        }
        for shown in self.variables {
            let slot = slots::alloca(start, one, shown.words);
            for word in shown.marks.iter().map(|mark| mark.word).collect::<BTreeSet<_>>() {
                slots::store(start, null, slot, word);
            }
            // A record needs a location.
            let is_placed = location::place(shown.location).is_some();
            let location = if is_placed { shown.location } else { function.location() };
            let record = attributes[&shown.record];
            slots::record(start.located(location), record, slot, !shown.is_struct);
            for mark in shown.marks {
                let code = Builder::before(context, mark.call);
                let element = element_type(context, mark.ty.element);
                let word = match shown.is_struct && mark.ty.is_scalar() {
                    true => code.value("llvm.load", &[mark.address], element, &[]),
                    false => mark.address,
                };
                slots::store(code, word, slot, mark.word);
            }
        }
    }
}

/// The name of a variable for gdb, which, as in C++, looks up every unknown name as a member of `this`, and
/// aborts if that is not an object (gdb 13).
fn shown_name(name: &str) -> &str {
    if name == "this" { "this_" } else { name }
}

/// The markers by name, except those without information or in contradiction to another one.
fn groups<'c, 'a>(calls: &[OperationRef<'c, 'a>]) -> Vec<Group<'c, 'a>> {
    let mut groups: Vec<Group> = Vec::new();
    let mut by_name: HashMap<String, usize> = HashMap::new();
    for call in calls {
        let Some((variable, mark)) = read(*call) else { continue };
        let index = *by_name.entry(variable.name.clone()).or_insert(groups.len());
        if index == groups.len() {
            groups.push(Group { variable, types: BTreeMap::new(), marks: Vec::new() });
        } else if groups[index].variable.structure != variable.structure {
            continue;
        }
        let group = &mut groups[index];
        if *group.types.entry(mark.word).or_insert_with(|| mark.ty.clone()) == mark.ty {
            group.marks.push(mark);
        }
    }
    groups
}

fn read<'c, 'a>(call: OperationRef<'c, 'a>) -> Option<(Variable<'c>, Mark<'c, 'a>)> {
    let said = DictionaryAttribute::try_from(ops::attribute(&call, markers::VARIABLE)?).ok()?;
    let variable = variable::read(|name| variable::entry(said, name))?;
    let is_whole = variable.structure.is_none();
    if is_whole != variable.leaf.is_none() {
        return None;
    }
    let mark = Mark {
        call,
        address: markers::address(call)?,
        word: variable.leaf.unwrap_or(0),
        ty: variable::tensor(said)?,
        is_given: variable.parameter.is_some() || variable.is_carried,
    };
    Some((variable, mark))
}

impl Group<'_, '_> {
    /// The type of the variable, and the words of its slot.
    fn type_and_words(&self, definitions: &mut Definitions) -> Option<(Reference, usize)> {
        let Some(structure) = self.variable.structure else {
            return Some((definitions.tensor(self.types.get(&0)?, Elements::Here), 1));
        };
        let structure = Structure::read(structure)?;
        let words = structure.leaves();
        let is_inside = self.types.keys().all(|word| *word < words);
        is_inside.then(|| (self.structure(&structure, 0, definitions), words))
    }

    /// The type of a struct that begins at a word. The depth that [`Structure`] reads bounds the recursion.
    fn structure(
        &self,
        structure: &Structure,
        start: usize,
        definitions: &mut Definitions,
    ) -> Reference {
        let mut members = Vec::new();
        let mut word = start;
        for (name, inner) in &structure.fields {
            let words = inner.as_ref().map_or(1, Structure::leaves);
            let ty = match inner {
                Some(inner) => Some(self.structure(inner, word, definitions)),
                // The tensors of other parts of a split function are unknown here.
                None => self.types.get(&word).map(|ty| definitions.tensor(ty, Elements::Behind)),
            };
            members.extend(ty.map(|ty| Member {
                name: name.clone(),
                ty,
                offset: word - start,
                words,
            }));
            word += words;
        }
        definitions.structure(&structure.name, word - start, &members)
    }
}
