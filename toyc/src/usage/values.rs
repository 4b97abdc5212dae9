//! A value that an option does not know, where there is a list of all its values.
//!
//! Input: clap's error, the option and the command. Output: a message that suggests the value that was probably meant.
//! Invariants: a long list is shown only if no value is similar, and never for passes and warnings: the message names
//! the place of their list; lines are at most 80 columns wide if the words are.

use clap::error::{ContextKind, ContextValue};
use toy_compiler::Stage;
use toy_diagnostics::suggest::all_nearest;
use toy_diagnostics::text::{clipped, fold, joined};

/// A description of an option's values.
struct Values {
    one: &'static str,
    several: &'static str,
    /// The place with more about them.
    elsewhere: &'static str,
    is_listed: bool,
}

/// The options with a list of values.
fn of(option: &str) -> Option<Values> {
    let (one, several, elsewhere) = match option {
        "--emit" => ("stage", "stages", "`toyc --help` says what each stage is."),
        "-x" => ("input language", "input languages", ""),
        "--fast-math" => ("kind of fast math", "kinds of fast math", ""),
        "--print" => ("list", "lists", ""),
        "--color" => ("color mode", "color modes", ""),
        "--error-format" => ("message format", "message formats", ""),
        "-R" => ("kind of remark", "kinds of remarks", "`toyc --help` says what they tell."),
        "-W" | "-D" => (
            "warning",
            "warnings",
            "Without options, all warnings are on. `toyc explain list` lists them, and `toyc --help`.",
        ),
        "--print-ir-after" => (
            "pass",
            "passes",
            "`toyc --print passes` lists the passes, and --print-ir-after-all shows the program after each.",
        ),
        _ => return None,
    };
    let is_listed = !["-W", "-D", "--print-ir-after"].contains(&option);
    Some(Values { one, several, elsewhere, is_listed })
}

/// The most values that are listed although one of them is similar.
const FEW: usize = 7;
/// The most values that are suggested.
const SUGGESTED: usize = 3;
/// The columns of a list, without its indentation of two.
const WIDTH: usize = 78;

/// The message about an unknown value of the option; None if there is no list of values.
pub fn message(error: &clap::Error, argument: &str, command: &str) -> Option<String> {
    let ContextValue::String(name) = error.get(ContextKind::InvalidValue)? else { return None };
    let ContextValue::Strings(known) = error.get(ContextKind::ValidValue)? else { return None };
    let option = argument.split(' ').next().unwrap_or_default();
    let Values { one, several, elsewhere, is_listed } = of(option)?;
    let shown = clipped(name);
    if (command, option) == ("run", "--emit") && !name.is_empty() {
        return Some(format!(
            "`toyc run` runs the program and shows no stage: use `toyc FILE -emit={shown}`"
        ));
    }
    let known: Vec<&str> = known.iter().map(String::as_str).collect();
    let similar = similar(option, name, &known);
    let quoted: Vec<_> = similar.iter().map(|name| format!("`{name}`")).collect();
    let article = if one.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    let problem = match (name.is_empty(), joined(&quoted, "or")) {
        (true, _) => format!("{option} needs the name of {article} {one}"),
        (false, meant) if meant.is_empty() => format!("toyc has no {one} `{shown}`"),
        (false, meant) => format!("toyc has no {one} `{shown}`: did you mean {meant}?"),
    };
    let list = match known.as_slice() {
        _ if !is_listed || known.len() > FEW && !similar.is_empty() => elsewhere.to_owned(),
        [only] => format!("The only {one} is {only}. {elsewhere}"),
        all => format!("The {several} are {}. {elsewhere}", joined(all, "and")),
    };
    let mut text = format!("{problem}\n\n  ");
    match is_listed {
        true => fold(list.trim_end(), WIDTH, "  ", &mut text),
        false => text += &list,
    }
    Some(text)
}

/// The values that may be meant: values that begin with the name, or else the most similar ones, or values that the
/// name begins with or that end with it.
fn similar<'n>(option: &str, name: &str, known: &[&'n str]) -> Vec<&'n str> {
    let name = name.to_ascii_lowercase();
    let aliases: Vec<_> = match option {
        "--emit" => Stage::ALL.iter().filter_map(|stage| stage.alias()).collect(),
        _ => Vec::new(),
    };
    let all: Vec<&'n str> = known.iter().copied().chain(aliases).collect();
    // Two letters are the start of too many names.
    let is_start = |short: &str, long: &str| short.len() > 2 && long.starts_with(short);
    // Users may leave out the first part of a name: `canonicalize`.
    let is_end = |known: &str| known.strip_suffix(&*name).is_some_and(|rest| rest.ends_with('-'));
    let is_part = |known: &str| is_start(known, &name) || !name.is_empty() && is_end(known);
    let begun = || all.iter().copied().filter(|known| is_start(&name, known)).collect();
    let nearest = || all_nearest(&name, &all);
    let related = || all.iter().copied().filter(|known| is_part(known)).collect();
    let ways: [&dyn Fn() -> Vec<&'n str>; 3] = [&begun, &nearest, &related];
    let found = ways.iter().map(|find| find());
    found.into_iter().find(|found| (1..=SUGGESTED).contains(&found.len())).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_values_are_few() {
        let stages: Vec<_> = Stage::ALL.iter().map(|stage| stage.name()).collect();
        let stage = |name: &str| similar("--emit", name, &stages);
        assert_eq!(stage("asn"), ["ast", "asm"]);
        assert_eq!(stage("Shape"), ["shapes"]);
        assert_eq!(stage("mlr"), ["mlir"], "upstream's names are known, too");
        assert_eq!(stage("object"), ["obj"]);
        assert_eq!(stage("executable"), ["exe"]);
        assert_eq!(stage("llvm-ir"), ["llvm"]);
        assert_eq!(stage("plan"), ["memory-plan"]);
        assert_eq!(stage("mem"), ["memref", "memory-plan"]);
        assert_eq!(stage("nonsense"), [""; 0]);
        assert_eq!(stage(""), [""; 0]);
        assert_eq!(similar("-R", "pass-m", &["pass-missed=.*", "pass=.*"]), ["pass-missed=.*"]);
        assert_eq!(similar("-W", "aab", &["aab-c", "aab-d", "aab-e", "aab-f"]), [""; 0]);
    }
}
