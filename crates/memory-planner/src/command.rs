//! The command `memory-planner` as a function, so that another program can offer it as its own.
//!
//! Input: arguments without the program's name. Output: an exit code: 0 for a plan, 1 if the file is
//! malformed, cannot be read or written, or the capacity is not met, 2 if the command line is
//! wrong. The CSV with offsets goes to standard output or a file, messages to standard error.

use crate::csv::{self, CsvError, Table};
use crate::model::{Limits, Plan, PlanError, Status};
use crate::planner::Planner;
use crate::svg::Picture;
use crate::verify::verify;
use lexopt::{Arg, Parser};
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const HELP: &str = "\
Finds an offset for each buffer in one arena, so that buffers that are live at
the same time do not overlap and the arena is as small as possible.

Usage: memory-planner [OPTIONS] FILE.csv
       memory-planner [OPTIONS] -          (reads standard input)

The file is MiniMalloc's CSV: a header with the columns id, lower, upper, size
and optionally alignment, then one buffer per line. A buffer is live from lower
up to, not including, upper; sizes and alignments are bytes. The file is written
with a column offset, which is replaced if it is there already. A summary goes
to standard error. MiniMalloc's column gaps is not supported.

Options:
  -o, --output FILE    write the result to FILE instead of standard output (-);
                       a picture if FILE ends in .svg, otherwise CSV
      --svg FILE       also draw the plan as SVG, time to the right and offsets
                       up; - writes it to standard output instead of the CSV
      --capacity BYTES  the size of the arena: stop as soon as the plan fits, and
                       exit with 1 if no plan that fits is found
      --planner NAME   portfolio (default), exact, chunk-size, chunk-hot,
                       greedy-by-size, first-fit or best-fit
      --work UNITS     the budget after the greedy planners that always run, in
                       operations counted, about one per nanosecond; the same on
                       every machine (default 5000000000)
      --time SECONDS   stop after this much wall time as well, but not before
                       the end of the first pass; plans then depend on the
                       machine
  -h, --help           print this text
  -V, --version        print the version

--work and --time limit portfolio and exact; the other planners are one pass
each.

Exit codes: 0 planned; 1 malformed or unreadable file, or capacity not met;
2 wrong command line.

Examples:
  memory-planner buffers.csv > planned.csv
  memory-planner -o plan.svg buffers.csv
  memory-planner --capacity 1048576 --svg plan.svg -o planned.csv buffers.csv
";

/// The request on the command line.
#[derive(Default)]
struct Options {
    input: PathBuf,
    /// The destination of the CSV.
    csv: Target,
    /// The destinations of the pictures.
    pictures: Vec<Target>,
    planner: Planner,
    limits: Limits,
}

/// The destination of a result.
#[derive(Clone, Default, PartialEq, Eq)]
enum Target {
    #[default]
    None,
    StandardOutput,
    File(PathBuf),
}

enum Request {
    Help,
    Version,
    Plan(Options),
}

/// Runs the command with the arguments after the program's name, and returns its exit code.
///
/// Reads standard input if asked to, and writes to standard output, standard error and files; never
/// ends the process.
pub fn run(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    match parse(arguments.into_iter().collect()) {
        Err(message) => {
            say(&format!("error: {message}\nTry memory-planner --help."));
            2
        }
        Ok(Request::Help) => print(HELP.as_bytes()),
        Ok(Request::Version) => {
            print(concat!("memory-planner ", env!("CARGO_PKG_VERSION"), "\n").as_bytes())
        }
        Ok(Request::Plan(options)) => match execute(&options) {
            Ok(code) => code,
            Err(message) => {
                say(&format!("error: {message}"));
                1
            }
        },
    }
}

fn execute(options: &Options) -> Result<u8, String> {
    let is_standard_input = options.input.as_os_str() == "-";
    let name = match is_standard_input {
        true => "<stdin>".to_string(),
        false => options.input.display().to_string(),
    };
    let bytes = read(&options.input).map_err(|error| format!("cannot read {name}: {error}"))?;
    let at_line = |CsvError { line, message }| format!("{name}:{line}: {message}");
    let table = csv::read(bytes).map_err(at_line)?;
    let begin = Instant::now();
    let plan = options.planner.plan(&table.buffers, &options.limits).map_err(|error| {
        let PlanError::Overflow { buffer } = error else { return format!("{name}: {error}") };
        let line = table.lines.get(buffer).copied().unwrap_or(0);
        let message = "the sizes add up to more than 64 bits can hold".to_string();
        at_line(CsvError { line, message })
    })?;
    let seconds = begin.elapsed().as_secs_f64();
    // Cheap compared with planning, and no invalid plan ever leaves this program.
    verify(&table.buffers, &plan.offsets).map_err(|error| format!("internal error: {error}"))?;
    if let Some(message) = unmet(&plan, options.limits.capacity, seconds) {
        return Err(message);
    }
    let mut code = 0;
    let mut send = |target: &Target, bytes: &[u8]| {
        match target {
            Target::None => {}
            Target::StandardOutput => code = code.max(print(bytes)),
            Target::File(path) => replace(path, bytes)
                .map_err(|error| format!("cannot write {}: {error}", path.display()))?,
        }
        Ok::<(), String>(())
    };
    let title = format!("{name}, {}", options.planner);
    for target in &options.pictures {
        send(target, picture(&table, &plan, &title, options.limits.capacity).as_bytes())?;
    }
    if options.csv != Target::None {
        let mut bytes = Vec::new();
        csv::write(&table, &plan.offsets, &mut bytes).map_err(|error| error.to_string())?;
        send(&options.csv, &bytes)?;
    }
    let Plan { peak, lower_bound, status, .. } = plan;
    say(&format!("peak {peak}, lower bound {lower_bound}, {status}, {seconds:.3} s"));
    Ok(code)
}

/// The message if the plan does not fit into the capacity.
fn unmet(plan: &Plan, capacity: Option<u64>, seconds: f64) -> Option<String> {
    let capacity = capacity?;
    let reason = match plan.status {
        Status::Infeasible => format!("no plan fits into the capacity {capacity}"),
        Status::OverCapacity => format!(
            "no plan was found that fits into the capacity {capacity}, and it is not proved that \
             none does"
        ),
        Status::Optimal | Status::Feasible => return None,
    };
    let Plan { peak, lower_bound, .. } = plan;
    Some(format!(
        "{reason}\nnote: the lowest peak found is {peak}, the lower bound {lower_bound} \
         ({seconds:.3} s)"
    ))
}

fn picture(table: &Table, plan: &Plan, title: &str, capacity: Option<u64>) -> String {
    let mut picture = Picture::new(&table.buffers, &plan.offsets)
        .with_title(title)
        .with_labels(&table.ids)
        .with_lower_bound(plan.lower_bound);
    picture.capacity = capacity;
    picture.to_svg()
}

/// Writes a file so that it is replaced as a whole or not at all: writes a temporary file in the
/// same folder, then renames it. Other targets (a pipe, a terminal) are written in place.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A symbolic link remains one: its target is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let old = fs::metadata(&path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return OpenOptions::new().write(true).open(&path)?.write_all(bytes);
    }
    let mut name = path.file_name().ok_or(ErrorKind::IsADirectory)?.to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let temporary = path.with_file_name(name);
    let mut file = OpenOptions::new().write(true).create_new(true).open(&temporary)?;
    let done = file
        .write_all(bytes)
        .and_then(|()| old.map_or(Ok(()), |old| file.set_permissions(old.permissions())))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&temporary, &path));
    if done.is_err() {
        // The file is incomplete, so of no use.
        let _ = fs::remove_file(&temporary);
    }
    done
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path.as_os_str() != "-" {
        return fs::read(path);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes to standard output. A closed pipe is not an error.
fn print(bytes: &[u8]) -> u8 {
    let mut out = BufWriter::new(io::stdout().lock());
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => 0,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            // On drop, the buffered bytes would be written again.
            let _ = out.into_parts();
            0
        }
        Err(error) => {
            say(&format!("error: cannot write to standard output: {error}"));
            1
        }
    }
}

fn say(message: &str) {
    // The name of a file may contain commands for a terminal.
    let is_command = |character: char| {
        matches!(character, '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}')
            || character.is_control() && character != '\n'
    };
    let text = message.replace(is_command, "\u{fffd}");
    // If this fails, there is no other channel to report it on.
    let _ = writeln!(io::stderr().lock(), "{text}");
}

fn parse(arguments: Vec<OsString>) -> Result<Request, String> {
    let mut input = None;
    let mut output = Target::None;
    let mut options = Options::default();
    let mut parser = Parser::from_args(arguments);
    while let Some(argument) = parser.next().map_err(in_our_words)? {
        match argument {
            Arg::Short('h') | Arg::Long("help") => return alone(&mut parser, Request::Help),
            Arg::Short('V') | Arg::Long("version") => {
                return alone(&mut parser, Request::Version);
            }
            Arg::Short('o') | Arg::Long("output") => output = target(&mut parser, "--output")?,
            Arg::Long("svg") => options.pictures.push(target(&mut parser, "--svg")?),
            Arg::Long("capacity") => {
                options.limits.capacity = Some(number("--capacity", &text(&mut parser)?)?);
            }
            Arg::Long("work") => options.limits.work = number("--work", &text(&mut parser)?)?,
            Arg::Long("time") => options.limits.time = Some(seconds(&text(&mut parser)?)?),
            Arg::Long("planner") => {
                let name = text(&mut parser)?;
                options.planner = Planner::from_name(&name).ok_or_else(|| {
                    let names: Vec<&str> = Planner::ALL.iter().map(|one| one.name()).collect();
                    format!("unknown planner {name:?}; the planners are {}", names.join(", "))
                })?;
            }
            Arg::Value(file) => {
                if input.is_some() {
                    let file = file.to_string_lossy();
                    return Err(format!("unexpected argument {file:?}: one file at a time"));
                }
                input = Some(PathBuf::from(file));
            }
            unknown => return Err(in_our_words(unknown.unexpected())),
        }
    }
    options.input = input.ok_or("a file is needed, or - for standard input")?;
    options.csv = match output {
        Target::File(path)
            if path.extension().is_some_and(|end| end.eq_ignore_ascii_case("svg")) =>
        {
            options.pictures.push(Target::File(path));
            Target::None
        }
        Target::None if options.pictures.contains(&Target::StandardOutput) => Target::None,
        Target::None => Target::StandardOutput,
        output => output,
    };
    let to_standard_output = options.pictures.iter().chain([&options.csv]);
    if to_standard_output.filter(|&target| *target == Target::StandardOutput).count() > 1 {
        return Err("only one of --output and --svg can be standard output".to_string());
    }
    Ok(Request::Plan(options))
}

/// An option without a value that ends the parsing.
fn alone(parser: &mut Parser, request: Request) -> Result<Request, String> {
    match parser.optional_value() {
        None => Ok(request),
        Some(_) => Err("--help and --version take no value".to_string()),
    }
}

fn target(parser: &mut Parser, option: &str) -> Result<Target, String> {
    let value = parser.value().map_err(in_our_words)?;
    if value.is_empty() {
        return Err(format!("{option} needs a file, or - for standard output"));
    }
    Ok(if value == "-" { Target::StandardOutput } else { Target::File(PathBuf::from(value)) })
}

fn text(parser: &mut Parser) -> Result<String, String> {
    let value = parser.value().map_err(in_our_words)?;
    value.into_string().map_err(|value| format!("{:?} is not UTF-8 text", value.to_string_lossy()))
}

fn in_our_words(error: lexopt::Error) -> String {
    match error {
        lexopt::Error::MissingValue { option } => {
            format!("{} needs a value", option.as_deref().unwrap_or("an option"))
        }
        lexopt::Error::UnexpectedOption(option) => format!("unknown option {option}"),
        lexopt::Error::UnexpectedValue { option, .. } => format!("{option} takes no value"),
        error => error.to_string(),
    }
}

fn number(option: &str, value: &str) -> Result<u64, String> {
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let number = if digits { value.parse().ok() } else { None };
    number.ok_or_else(|| format!("{option} needs a whole number below 2^64, not {value:?}"))
}

fn seconds(value: &str) -> Result<Duration, String> {
    let seconds = value.parse::<f64>().ok();
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| format!("--time needs a number of seconds, not {value:?}"))
}
