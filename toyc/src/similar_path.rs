//! The file that was probably meant by a name that does not exist.
//!
//! Input: a path, any of whose parts may be misspelled. Output: a path that exists, if one is similar. Invariants: the
//! work is bounded, however large directories are; the answer does not depend on the order in which the system lists
//! them; it has no control characters.

use std::fs::DirEntry;
use std::path::{Component, Path, PathBuf};
use toy_diagnostics::suggest::nearest;
use toy_diagnostics::text::printable;

/// The most directory entries that are visited. If there are more, nothing is suggested.
const MAX_ENTRIES: usize = 20_000;

/// The extensions of programs.
const EXTENSIONS: [&str; 2] = ["toy", "mlir"];

/// A program whose path is similar to one that does not exist.
pub fn program(path: &Path) -> Option<PathBuf> {
    let found = existing(path, |directory, name, budget| {
        let may_be = |other: &str| {
            let extension = extension_of(other);
            EXTENSIONS.contains(&extension)
                || !extension.is_empty() && extension == extension_of(name)
        };
        let names = names(directory, budget, |entry| !is_directory(entry))?;
        let programs: Vec<&str> =
            names.iter().map(String::as_str).filter(|other| may_be(other)).collect();
        similar_program(name, &programs)
    })?;
    (found.is_file() && found != path).then_some(found)
}

/// A directory whose path is similar to one that does not exist.
pub fn directory(path: &Path) -> Option<PathBuf> {
    let found = existing(path, similar_directory)?;
    (found.is_dir() && found != path).then_some(found)
}

/// The path with its parts corrected, where they do not exist; `last` corrects the last part.
fn existing(
    path: &Path,
    last: impl Fn(&Path, &str, &mut usize) -> Option<String>,
) -> Option<PathBuf> {
    let mut budget = MAX_ENTRIES;
    let mut found = PathBuf::new();
    let mut parts = path.components().peekable();
    while let Some(part) = parts.next() {
        let is_last = parts.peek().is_none();
        let next = found.join(part);
        if if is_last { next.exists() } else { next.is_dir() } {
            found = next;
            continue;
        }
        let Component::Normal(name) = part else { return None };
        let here: &Path = if found.as_os_str().is_empty() { Path::new(".") } else { &found };
        let similar = match is_last {
            true => last(here, name.to_str()?, &mut budget)?,
            false => similar_directory(here, name.to_str()?, &mut budget)?,
        };
        found.push(similar);
    }
    Some(found)
}

fn similar_directory(here: &Path, name: &str, budget: &mut usize) -> Option<String> {
    // A link may lead to one.
    let may_be = |entry: &DirEntry| {
        is_directory(entry) || entry.file_type().is_ok_and(|kind| kind.is_symlink())
    };
    let names = names(here, budget, may_be)?;
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    nearest(name, &names).map(str::to_owned)
}

/// Extensions are compared apart from the rest: `b.toy` is not similar to `a.toy`, though most letters agree.
fn similar_program(name: &str, programs: &[&str]) -> Option<String> {
    let (stem, extension) = (stem_of(name), extension_of(name));
    let is_alike = |other: &&&str| extension.is_empty() || extension_of(other) == extension;
    let same: Vec<&str> = programs.iter().filter(is_alike).map(|other| stem_of(other)).collect();
    // Capitals are not similar letter by letter. Of two, the last one is in Toy.
    let is_equal = |other: &&&str| other.eq_ignore_ascii_case(name);
    if let Some(found) = programs.iter().rfind(is_equal) {
        return Some((*found).to_owned());
    }
    let found = match nearest(stem, &same) {
        Some(stem) => programs.iter().rfind(|other| stem_of(other) == stem && is_alike(other)),
        // `prog.tyo` for `prog.toy`.
        None => programs.iter().rfind(|other| stem_of(other) == stem),
    };
    found.map(|found| (*found).to_owned())
}

/// The names in a directory, in order; None if there are too many.
fn names(
    directory: &Path,
    budget: &mut usize,
    is_wanted: impl Fn(&DirEntry) -> bool,
) -> Option<Vec<String>> {
    let mut names = Vec::new();
    for entry in std::fs::read_dir(directory).ok()? {
        *budget = budget.checked_sub(1)?;
        let Ok(entry) = entry else { continue };
        if let Ok(name) = entry.file_name().into_string()
            && name.chars().all(|character| printable(character) == character)
            && is_wanted(&entry)
        {
            names.push(name);
        }
    }
    names.sort_unstable();
    Some(names)
}

fn is_directory(entry: &DirEntry) -> bool {
    entry.file_type().is_ok_and(|kind| kind.is_dir())
}

fn stem_of(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

fn extension_of(name: &str) -> &str {
    name.rsplit_once('.').map_or("", |(_, extension)| extension)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_programs() {
        let programs = ["a.toy", "hello.mlir", "hello.toy", "lu.toy", "transpose.toy"];
        let similar = |name: &str| similar_program(name, &programs);
        for (name, meant) in [
            ("transpos.toy", "transpose.toy"),
            ("tranpsose.toy", "transpose.toy"),
            ("transpose.tyo", "transpose.toy"),
            ("transpose", "transpose.toy"),
            ("transpos", "transpose.toy"),
            ("helo.toy", "hello.toy"),
            ("helo.mlir", "hello.mlir"),
            ("Hello.toy", "hello.toy"),
            ("HELLO.TOY", "hello.toy"),
            ("TRANSPOSE.toy", "transpose.toy"),
            ("hello", "hello.toy"),
            ("hello.txt", "hello.toy"),
        ] {
            assert_eq!(similar(name).as_deref(), Some(meant), "{name}");
        }
        for name in ["b.toy", "lup.mlir", "other.toy", "x", ""] {
            assert_eq!(similar(name), None, "{name}");
        }
    }
}
