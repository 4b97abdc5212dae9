//! The modules of a crate, and the modules that each names.
//!
//! Input: the folder of a crate's sources. Output: for each module, given as its path of names, the modules that its
//! file names in `use` declarations and other paths, outside of test code.

use super::{sources, without_tests};
use regex_lite::Regex;
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

pub type Module = Vec<String>;

/// A crate's own modules that each module names.
pub fn arrows(folder: &Path) -> std::io::Result<BTreeMap<Module, BTreeSet<Module>>> {
    let mut texts = BTreeMap::new();
    for file in sources(folder)? {
        let inside = file.strip_prefix(folder).unwrap_or(&file).with_extension("");
        let mut module: Module =
            inside.iter().map(|part| part.to_string_lossy().into_owned()).collect();
        if module.iter().any(|name| name == "tests") {
            continue;
        }
        module.pop_if(|name| name == "mod" || name == "lib");
        let text = without_tests(&std::fs::read_to_string(&file)?);
        let code = text.lines().filter(|line| !line.trim_start().starts_with("//"));
        texts.insert(module, code.collect::<Vec<_>>().join("\n"));
    }
    let arrows = texts.iter().map(|(module, text)| {
        let named = paths(text).into_iter().filter_map(|path| resolved(&path, module, &texts));
        (module.clone(), named.filter(|other| other != module).collect())
    });
    Ok(arrows.collect())
}

/// The paths in a text: `use` declarations, without braces, and paths that begin with a keyword.
fn paths(text: &str) -> Vec<String> {
    let declaration = Regex::new(r"\buse\s+([^;]+);").expect("valid");
    let inline = Regex::new(r"\b(?:crate|super|self)(?:::\w+)+").expect("valid");
    let mut paths = Vec::new();
    for found in declaration.captures_iter(text) {
        let tree: String = found[1].replace(" as ", "#").split_whitespace().collect();
        expand(&tree, &mut paths);
    }
    let rest = declaration.replace_all(text, "");
    paths.extend(inline.find_iter(&rest).map(|found| found.as_str().to_owned()));
    paths
}

/// Appends the paths of a tree such as `a::{b, c::{d, e}}`.
fn expand(tree: &str, paths: &mut Vec<String>) {
    let Some((prefix, rest)) = tree.split_once('{') else {
        return paths.push(tree.to_owned());
    };
    let body = rest.strip_suffix('}').unwrap_or(rest);
    let mut depth = 0;
    let parts = body.split(|letter| {
        depth += i32::from(letter == '{') - i32::from(letter == '}');
        letter == ',' && depth == 0
    });
    parts
        .filter(|part| !part.is_empty())
        .for_each(|part| expand(&format!("{prefix}{part}"), paths));
}

/// The module that a path leads to, or leads into, from another one; None if it is not in this crate.
fn resolved(path: &str, from: &Module, all: &BTreeMap<Module, String>) -> Option<Module> {
    let mut names = path.split("::").map(|name| name.split('#').next().unwrap_or_default());
    let mut target = match names.next()? {
        "crate" => Module::new(),
        "self" => from.clone(),
        "super" => from[..from.len().checked_sub(1)?].to_vec(),
        name => {
            let inside = [from.as_slice(), &[name.to_owned()]].concat();
            all.contains_key(&inside).then_some(inside)?
        }
    };
    for name in names {
        if name == "super" {
            target.pop();
        } else {
            target.push(name.to_owned());
        }
    }
    while !all.contains_key(&target) {
        target.pop()?;
    }
    Some(target)
}

/// A cycle along the arrows.
pub fn cycle(arrows: &BTreeMap<Module, BTreeSet<Module>>) -> Option<String> {
    let mut open: BTreeMap<&Module, &BTreeSet<Module>> = arrows.iter().collect();
    // A module that leads to no open module is on no cycle.
    loop {
        let before = open.len();
        let still: BTreeSet<&Module> = open.keys().copied().collect();
        open.retain(|_, others| others.iter().any(|other| still.contains(other)));
        if open.len() == before {
            break;
        }
    }
    let mut at = *open.keys().next()?;
    let mut way = vec![at];
    loop {
        at = open[at].iter().find(|other| open.contains_key(other))?;
        let first = way.iter().position(|module| *module == at);
        way.push(at);
        if let Some(first) = first {
            let names: Vec<_> = way[first..].iter().map(|module| module.join("::")).collect();
            return Some(names.join(" -> "));
        }
    }
}
