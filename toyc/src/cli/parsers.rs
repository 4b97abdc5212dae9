//! The values of options: their parsers, with the errors for other values.
//!
//! Input: the text of a value. Output: the value, or the reason why it is not one, which clap's message ends with. A list of
//! values is in `--help` and in completions, too.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};
use std::ffi::OsStr;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use toy_compiler::Stage;
use toy_compiler::compilation::Language;
use toy_diagnostics::codes;
use toy_diagnostics::levels::Setting;
use toy_diagnostics::text::joined;

/// A parser with a list of values, which is made when a value is read or the list is shown, and not in every run.
#[derive(Clone)]
pub(super) struct Late<F>(pub F);

impl<P: TypedValueParser, F: Fn() -> P + Clone + Send + Sync + 'static> TypedValueParser
    for Late<F>
{
    type Value = P::Value;

    fn parse_ref(
        &self,
        command: &clap::Command,
        arg: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<P::Value, clap::Error> {
        (self.0)().parse_ref(command, arg, value)
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        let values: Vec<_> = (self.0)().possible_values()?.collect();
        Some(Box::new(values.into_iter()))
    }
}

/// The values of `-emit`.
pub(super) fn stage_parser() -> impl TypedValueParser<Value = Stage> {
    let possible = |stage: &Stage| {
        PossibleValue::new(stage.name()).help(stage.summary()).aliases(stage.alias())
    };
    PossibleValuesParser::new(Stage::ALL.iter().map(possible)).try_map(|text| {
        let is = |name: &str| name.eq_ignore_ascii_case(&text);
        let is_meant = |stage: &&Stage| is(stage.name()) || stage.alias().is_some_and(is);
        Stage::ALL.iter().find(is_meant).copied().ok_or("no such stage")
    })
}

/// The value of `-O`.
pub(super) fn level(text: &str) -> Result<u8, &'static str> {
    let level = text.parse().ok().filter(|level| *level <= 3);
    level.ok_or("the levels are -O0 to -O3")
}

/// The value of an option that is a whole number in a range.
pub fn whole<N>(range: RangeInclusive<N>) -> impl Fn(&str) -> Result<N, String> + Clone
where
    N: Clone + Display + FromStr + PartialOrd,
{
    move |text| {
        let number = text.parse().ok().filter(|number| range.contains(number));
        let (first, last) = (range.start(), range.end());
        number.ok_or_else(|| format!("a whole number from {first} to {last} is needed"))
    }
}

/// A number of bytes, which may end with a unit of 1024, 1024² or 1024³.
pub(super) fn size(text: &str) -> Result<u64, &'static str> {
    let units = [("K", 10), ("M", 20), ("G", 30)];
    let unit = units.iter().find_map(|(unit, bits)| Some((text.strip_suffix(unit)?, 1 << bits)));
    let (number, unit) = unit.unwrap_or((text, 1_u64));
    let bytes = number.parse::<u64>().ok().and_then(|number| number.checked_mul(unit));
    bytes.ok_or("a number of bytes is needed, such as 4096, 64K, 1M or 2G")
}

/// A file whose name has one of the extensions, or none.
pub(super) fn named(name: &str, extensions: &[&str]) -> Result<PathBuf, String> {
    if name.is_empty() {
        return Err("the name of a file is needed".to_owned());
    }
    let path = PathBuf::from(name);
    match path.extension() {
        Some(found)
            if !extensions.iter().any(|extension| found.eq_ignore_ascii_case(extension)) =>
        {
            let extensions: Vec<_> =
                extensions.iter().map(|extension| format!(".{extension}")).collect();
            Err(format!("the file's name ends in {}", joined(&extensions, "or")))
        }
        _ => Ok(path),
    }
}

/// The values of `-x`.
pub(super) fn language_parser() -> impl TypedValueParser<Value = Language> {
    PossibleValuesParser::new(["toy", "mlir"]).map(|text| match text.as_str() {
        "toy" => Language::Toy,
        _ => Language::Mlir,
    })
}

/// The values of `-W` or `-D`, in clap's form for its messages: some by themselves, and each warning by name or by code,
/// after each of the prefixes.
pub(super) fn setting_parser(
    words: &[&'static str],
    prefixes: &[&str],
    read: fn(&str) -> Option<Setting>,
) -> impl TypedValueParser<Value = Setting> {
    let mut possible: Vec<PossibleValue> = words.iter().map(PossibleValue::new).collect();
    for code in codes::warnings() {
        let name = code.lint.unwrap_or_default();
        possible.extend(prefixes.iter().map(|prefix| {
            PossibleValue::new(format!("{prefix}{name}")).alias(format!("{prefix}{}", code.id))
        }));
    }
    PossibleValuesParser::new(possible).try_map(move |text| read(&text).ok_or("no such warning"))
}
