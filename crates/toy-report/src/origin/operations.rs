//! The locations of a module's operations, for the lines of its text.
//!
//! Input: a module's text, and its operations in the order of the text. Output: the origins of the shown lines. A line
//! belongs to the next operation if it begins with its name; operations that MLIR does not print, the ends of regions,
//! are skipped. Nothing else is printed for it: locations as text take as long as the program itself.

use super::Origin;
use crate::parts::{MAX_LINE, MAX_TEXT};
use melior::ir::Location;
use melior::ir::operation::{OperationLike, OperationRef};
use mlir_support::{Locations, ir, location};
use std::collections::HashMap;

/// The deepest nesting of locations that is followed.
const MAX_DEPTH: usize = 32;

/// The most members of a fused location that are visited.
const MAX_MEMBERS: usize = 64;

/// The number of operations to search for the operation that a line begins with.
const AHEAD: usize = 8;

/// The origins of a module's lines; `operations` are the operations inside the module.
pub fn of_operations(
    text: &str,
    module: OperationRef,
    operations: &[OperationRef],
    locations: &Locations,
) -> Vec<Origin> {
    let mut resolver = Resolver { known: HashMap::new(), file: locations.file };
    // A module spans the whole file, and operations without an origin get its location.
    resolver.known.insert(ir::id(module.location()), Origin::default());
    let mut next = 0;
    let mut origins: Vec<Origin> = Vec::new();
    // The lines that opened the enclosing regions.
    let mut open: Vec<usize> = Vec::new();
    let mut lines = text.lines().enumerate().peekable();
    let mut bytes = 0;
    while let Some((index, line)) = lines.next() {
        bytes += line.len().min(MAX_LINE);
        if bytes > MAX_TEXT {
            // From here on only the first lines of functions are shown.
            break;
        }
        let trimmed = line.trim_start();
        let mut origin = Origin::default();
        if trimmed.starts_with('}') {
            // The end of a region has the origin of its beginning.
            origin = open.pop().map_or(origin, |opening| origins[opening].clone());
        } else if let Some(at) = found(trimmed, &operations[next..]) {
            let operation = operations[next + at];
            origin = resolver.origin(operation.location());
            next += at + 1;
            // A named operation of linalg has a region that is not printed; a printed region may begin a line later.
            let follows = lines
                .peek()
                .is_some_and(|(_, next)| next.trim_start().starts_with('(') && next.ends_with('{'));
            if operation.region_count() > 0 && !line.ends_with('{') && !follows {
                next += ir::operations(operation).len();
            }
        }
        if trimmed.starts_with('^')
            && let Some(opening) = open.last()
        {
            origin = origins[*opening].clone();
        }
        origins.push(origin);
        if line.ends_with('{') {
            open.push(index);
        }
    }
    origins
}

/// The position of the operation that a line begins with.
fn found(line: &str, operations: &[OperationRef]) -> Option<usize> {
    let word = word(line)?;
    let is_named = |operation: &&OperationRef| {
        let name = ir::name(*operation);
        name == word || name.strip_suffix(word).is_some_and(|before| before.ends_with('.'))
    };
    let at = operations.iter().take(AHEAD).position(|operation| is_named(&operation))?;
    operations[..at].iter().all(is_hidden).then_some(at)
}

/// True if MLIR may leave out an operation: a terminator of a region without a value.
fn is_hidden(operation: &OperationRef) -> bool {
    let name = ir::name(operation);
    [".yield", ".terminator", ".reduce", ".in_parallel"].iter().any(|end| name.ends_with(end))
}

/// The name of the operation that a line begins with, possibly without its dialect.
fn word(line: &str) -> Option<&str> {
    let line = match line.strip_prefix('%') {
        Some(rest) => rest.split_once(" = ")?.1,
        None => line,
    };
    let line = line.strip_prefix('"').unwrap_or(line);
    let end = line.find(|c: char| !(c.is_ascii_alphanumeric() || "_.$".contains(c)));
    let word = &line[..end.unwrap_or(line.len())];
    (!word.is_empty()).then_some(word)
}

/// The lines of locations, each of which is resolved once.
struct Resolver<'f> {
    known: HashMap<usize, Origin>,
    file: &'f str,
}

impl Resolver<'_> {
    fn origin(&mut self, location: Location) -> Origin {
        if let Some(known) = self.known.get(&ir::id(location)) {
            return known.clone();
        }
        let mut origin = Origin::default();
        // Each location with its depth.
        let mut pending = vec![(location, 0)];
        while let Some((location, depth)) = pending.pop() {
            if depth > MAX_DEPTH || origin.is_full() {
                continue;
            }
            if location.is_fused() {
                let members = (0..location.fused_num_locations().min(MAX_MEMBERS)).rev();
                let member = |index| (location.fused_location(index), depth + 1);
                pending.extend(members.map(member));
            } else if location.is_call_site() {
                pending.push((location.call_site_caller(), depth + 1));
                pending.push((location.call_site_callee(), depth + 1));
            } else if location.is_name() {
                pending.push((location.name_child_location(), depth + 1));
            } else if let Some(place) = location::place(location)
                && (place.file == self.file || place.file == "-")
            {
                let (first, last) = (place.start.0, place.end.0);
                // A range that ends at the first column of a line ends with the line before.
                let ends_before = last > first && place.end.1 <= 1;
                origin.add(&Origin::lines(first, last - u32::from(ends_before)));
            }
        }
        self.known.insert(ir::id(location), origin.clone());
        origin
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::origin::tests::shown;
    use melior::ir::Module;
    use mlir_support::Session;
    use mlir_support::session::{Printing, print_module};
    use toy_diagnostics::source::Source;

    #[test]
    fn locations_of_all_kinds() {
        let text = "#loc2 = loc(\"-\":5:1 to 6:1)
#loc3 = loc(\"a\\22.toy\":8:1)
#loc5 = loc(\"a\\22.toy\":8:1)
module {
  func.func @f(%arg0: f64) {
    %0 = \"x.y\"() {a = \"} {\"} : () -> i1 loc(\"other.toy\":3:1)
    scf.if %0 {
      \"a.b\"() : () -> () loc(fused<\"x\">[#loc2, \"n\"(#loc3)])
    } else {
      \"c.d\"() : () -> () loc(callsite(#loc2 at #loc5))
    } loc(\"a\\22.toy\":4:1 to 6:2)
    return loc(unknown)
  } loc(#loc1)
} loc(#loc)
#loc = loc(\"a\\22.toy\":1:1 to 10:1)
#loc1 = loc(\"a\\22.toy\":1:1 to :11)
";
        let session = Session::new();
        session.allow_unregistered_dialects();
        session.load_dialects(&["scf"]);
        let source = Source::new("a\".toy", text);
        let module: Option<Module> = session.parse(&source);
        let module = module.unwrap_or_else(|| panic!("{:?}", session.take_diagnostics()));
        let mut bytes = Vec::new();
        print_module(&module, Printing::default(), &mut bytes).unwrap();
        let printed = String::from_utf8(bytes).unwrap();
        let operations = ir::operations(module.as_operation());
        let locations = Locations { source: &source, file: "a\".toy" };
        let origins = of_operations(&printed, module.as_operation(), &operations, &locations);
        let expected = ["", "1", "", "4-6", "5,8", "4-6", "5,8", "4-6", "", "1", ""];
        assert_eq!(shown(&origins), expected, "{printed}");
    }
}
