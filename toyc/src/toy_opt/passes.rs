//! Converts the names of passes to passes that can be run.
//!
//! Input: the passes that the command line requests. Output: [`Step`]s, or the errors. Invariants: everything is
//! checked before anything runs, so that a step does not fail because of its name or its options. A
//! name is one of ours if [`toy_compiler::passes`] lists it, and MLIR's otherwise.

use super::cli::{Request, names};
use super::pipeline::{self, Leaf, command_line_error};
use crate::capture;
use crate::driver::reporter::Failure;
use mlir_support::Session;
use mlir_support::pass::{self, PassDefinition, Prepared};
use toy_compiler::passes::{self, named, page};
use toy_diagnostics::source::{Source, Span};
use toy_diagnostics::suggest::nearest;
use toy_diagnostics::text::clipped;
use toy_diagnostics::{Diagnosed, Diagnostic, all};

/// The passes of `mlirRegisterAllPasses`, which MLIR cannot list: a name and a line about it.
const UPSTREAM: &str = include_str!("upstream_passes.txt");

/// One pass, ready to run on the module.
pub enum Step {
    /// Our pass, with its text in a pipeline.
    Own(&'static PassDefinition, Prepared, String),
    /// MLIR's pass in MLIR's syntax, with the operations that it is nested under.
    Upstream(String),
}

impl Step {
    /// Its name in messages and reports.
    pub fn name(&self) -> &str {
        match self {
            Step::Own(pass, ..) => pass.name,
            Step::Upstream(text) => text,
        }
    }
}

/// The passes as a text for `--pass-pipeline`.
pub fn pipeline_text(steps: &[Step]) -> String {
    let text = |step: &Step| match step {
        Step::Own(_, _, text) | Step::Upstream(text) => text.clone(),
    };
    let texts: Vec<String> = steps.iter().map(text).collect();
    format!("{}({})", pipeline::ROOT, texts.join(","))
}

/// The names of passes that are to be shown, checked: each must be among the passes that run.
pub fn check_shown<'n>(
    names: impl Iterator<Item = &'n String>,
    steps: &[Step],
) -> Result<(), Diagnostic> {
    let texts: Vec<String> =
        steps.iter().map(|step| pipeline_text(std::slice::from_ref(step))).collect();
    let runs = |name: &str| {
        texts.iter().any(|text| text.split(['(', ')', '{', ',']).any(|word| word == name))
    };
    for name in names {
        if !runs(name) {
            let message =
                format!("the pass `{}` to show the module at does not run", clipped(name));
            let help = format!("these run: {}", pipeline_text(steps));
            return Err(command_line_error(message).help(help));
        }
    }
    Ok(())
}

/// The passes of the command line, in order.
pub fn resolve(requests: &[Request], allow_unregistered: bool) -> Result<Vec<Step>, Failure> {
    let session = crate::toy_opt::new_session();
    if allow_unregistered {
        session.allow_unregistered_dialects();
    }
    let mut steps = Vec::new();
    let mut diagnostics = Vec::new();
    for request in requests {
        match request {
            Request::Flag { name, options } => match of_flag(&session, name, options) {
                Ok(step) => steps.push(step),
                Err(diagnostic) => diagnostics.push(diagnostic),
            },
            Request::Pipeline(text) => {
                let source = Source::new("--pass-pipeline", text.as_str());
                match of_text(&session, &source) {
                    Ok(of_text) => steps.extend(of_text),
                    Err(diagnostics) => {
                        return Err(Failure { diagnostics, source: Some(source) });
                    }
                }
            }
        }
    }
    if diagnostics.is_empty() { Ok(steps) } else { Err(diagnostics.into()) }
}

/// Every pass with a line about it, ours first.
pub fn list() -> String {
    let line = |(name, about)| format!("  --{name:42} {about}\n");
    let own: String = passes::all().map(|own| line((own.name, own.summary))).collect();
    let upstream: String = upstream().map(line).collect();
    format!(
        "Passes of toyc, on the whole module:\n{own}\nPasses and pipelines of MLIR:\n{upstream}"
    )
}

/// The page about a pass, ours or MLIR's. MLIR has only the options of its own passes, and their defaults.
pub fn help(name: &str) -> Result<String, Diagnostic> {
    if let Some(own) = named(name) {
        return Ok(page(own));
    }
    let session = crate::toy_opt::new_session();
    let Step::Upstream(text) = of_flag(&session, name, "")? else { return Ok(String::new()) };
    let about = upstream().find(|(other, _)| *other == name).map_or("", |(_, about)| about);
    let stop = if about.is_empty() || about.ends_with('.') { "" } else { "." };
    let mut page = format!("--{name}\n\n{about}{stop}\nA pass or pipeline of MLIR.\n");
    let options = pass::upstream_options(&session, &text).unwrap_or_default();
    if !options.is_empty() {
        page.push_str("\nOptions and their defaults:\n");
        options.iter().for_each(|option| page.push_str(&format!("  {option}\n")));
    }
    page.push_str("\nWhat the options mean: mlir-opt-22 --help\n");
    Ok(page)
}

fn upstream() -> impl Iterator<Item = (&'static str, &'static str)> {
    UPSTREAM.lines().map(|line| line.split_once(' ').unwrap_or((line, "")))
}

fn of_flag(session: &Session, name: &str, options: &str) -> Result<Step, Diagnostic> {
    let leaf = Leaf {
        anchors: Vec::new(),
        name: name.to_owned(),
        options: options.to_owned(),
        span: Span::default(),
    };
    of_leaf(session, leaf).map_err(|problem| {
        let shown = format!("`--{}`", clipped(name));
        match problem {
            Problem::Unknown => {
                let diagnostic = command_line_error(format!("there is no option or pass {shown}"));
                diagnostic.help(instead(name, "--", &names()))
            }
            Problem::Other(message) => command_line_error(format!("{shown}: {message}")),
            Problem::Restricted { to } => {
                command_line_error(format!("{shown} is a pass on `{to}`"))
            }
        }
    })
}

fn of_text(session: &Session, source: &Source) -> Diagnosed<Vec<Step>> {
    let leaves = pipeline::parse(source)?;
    all(leaves.into_iter().map(|leaf| {
        let Leaf { anchors, name, span, .. } = leaf.clone();
        let shown = clipped(&name);
        of_nested(session, leaf).map_err(|problem| match problem {
            Problem::Unknown => {
                let diagnostic = command_line_error(format!("there is no pass `{shown}`"));
                diagnostic.label(span, "not a pass").help(instead(&name, "", &[]))
            }
            Problem::Restricted { to } => {
                let here = anchors.last().map_or(pipeline::ROOT, String::as_str);
                command_line_error(format!(
                    "`{shown}` is a pass on `{to}`, but is nested under `{here}`"
                ))
                .label(span, format!("not a pass on `{here}`"))
                .help(format!("nest it: `{to}({shown})`"))
            }
            Problem::Other(message) => command_line_error(message).label(span, "here"),
        })
    }))
}

/// The advice about a name that is neither a pass nor one of the options.
fn instead(name: &str, dashes: &str, options: &[String]) -> String {
    let passes = passes::all().map(|own| own.name).chain(upstream().map(|(name, _)| name));
    let known: Vec<&str> = passes.chain(options.iter().map(String::as_str)).collect();
    match nearest(name, &known) {
        Some(nearest) => format!("did you mean `{dashes}{nearest}`?"),
        None => "--list-passes lists all passes".to_owned(),
    }
}

/// The reason why a pass cannot be used.
enum Problem {
    Unknown,
    /// It runs on another operation than the one it is nested under.
    Restricted {
        to: String,
    },
    Other(String),
}

/// A pass named as an option of the command line: it is nested under `func.func` if it needs that.
fn of_leaf(session: &Session, leaf: Leaf) -> Result<Step, Problem> {
    match of_nested(session, leaf.clone()) {
        Err(Problem::Restricted { to }) if to != pipeline::ROOT => {
            of_nested(session, Leaf { anchors: vec![to], ..leaf })
        }
        result => result,
    }
}

fn of_nested(session: &Session, leaf: Leaf) -> Result<Step, Problem> {
    if let Some(anchor) = leaf.anchors.iter().find(|anchor| !session.has_operation(anchor)) {
        return Err(Problem::Other(format!(
            "there is no operation `{anchor}` to nest passes under"
        )));
    }
    let Some(own) = named(&leaf.name) else {
        let text = leaf.text();
        // Some of MLIR's pipelines end the process if they are nested under the wrong operation: with status 2, as any
        // fatal error while standard error is captured.
        let (checked, captured) = capture::stderr(|| pass::check_pipeline(session, &text));
        return match checked {
            Ok(()) => Ok(Step::Upstream(text)),
            Err(message) if message.contains(pass::UNSCHEDULABLE) => {
                Err(unschedulable(session, &leaf))
            }
            Err(message) => Err(problem(&leaf, &message, &captured)),
        };
    };
    let on_functions = own.on_functions && leaf.anchors == ["func.func"];
    if let Some(anchor) = leaf.anchors.last().filter(|_| !on_functions) {
        let message = format!(
            "`{}` works on the whole module and cannot be nested under `{anchor}`",
            own.name
        );
        return Err(Problem::Other(message));
    }
    let text = leaf.text();
    let prepared = own.prepare(&leaf.options, on_functions).map_err(Problem::Other);
    prepared.map(|run| Step::Own(own, run, text))
}

/// The problem of a pass that cannot run where it is nested: most run on functions.
fn unschedulable(session: &Session, leaf: &Leaf) -> Problem {
    let to = "func.func".to_owned();
    let nested = Leaf { anchors: vec![to.clone()], ..leaf.clone() };
    let works = || capture::stderr(|| pass::check_pipeline(session, &nested.text())).0.is_ok();
    if leaf.anchors.is_empty() && works() {
        return Problem::Restricted { to };
    }
    let here = leaf.anchors.last().map_or(pipeline::ROOT, String::as_str);
    Problem::Other(format!("the pass `{}` cannot run on `{here}`", leaf.name))
}

/// The problem as MLIR reports it; MLIR writes the details of bad values to standard error.
fn problem(leaf: &Leaf, message: &str, captured: &str) -> Problem {
    if message.contains("does not refer to a registered pass") {
        return Problem::Unknown;
    }
    if let Some((_, rest)) = message.split_once("' restricted to '")
        && let Some((to, _)) = rest.split_once('\'')
    {
        return Problem::Restricted { to: to.to_owned() };
    }
    let name = &leaf.name;
    if let Some((_, option)) = message.split_once("no such option ") {
        let option = option.lines().next().unwrap_or_default();
        return Problem::Other(format!("the pass `{name}` has no option `{}`", clipped(option)));
    }
    // `toy-opt: for the --top-down option: 'x' is invalid value for boolean argument! Try 0 or 1`
    if let Some((_, rest)) = captured.split_once("for the --")
        && let Some((option, rest)) = rest.split_once(" option: ")
    {
        let why = rest.lines().next().unwrap_or_default();
        return Problem::Other(format!("the option `{option}` of the pass `{name}`: {why}"));
    }
    let message = message.split_once("error: ").map_or(message, |(_, rest)| rest);
    let lines = message.lines().chain(captured.lines());
    let line = lines.map(str::trim).find(|line| !line.is_empty());
    Problem::Other(line.unwrap_or("MLIR does not accept this pass").to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelled_pass_gets_the_most_similar_name() {
        let known: Vec<_> = upstream().map(|(name, _)| name).collect();
        assert_eq!(nearest("cannonicalize", &known), Some("canonicalize"));
        assert_eq!(nearest("one-shot-buferize", &known), Some("one-shot-bufferize"));
        assert_eq!(nearest("xyzzy", &known), None);
    }

    #[test]
    fn the_list_names_passes_that_mlir_knows() {
        let session = crate::toy_opt::new_session();
        let names: Vec<_> = upstream().map(|(name, _)| name).collect();
        assert!(names.windows(2).all(|pair| pair[0] < pair[1]), "in order, each once");
        let is_unknown = |name: &&str| {
            let flag = of_flag(&session, name, "");
            flag.is_err_and(|diagnostic| diagnostic.message.starts_with("there is no"))
        };
        let unknown: Vec<_> = names.into_iter().filter(is_unknown).collect();
        assert_eq!(unknown, [""; 0]);
    }
}
