//! The command `memory-planner`, as a function: another program may offer it as its own.
//!
//! Input: arguments without the program's name. Output: an exit code: 0 for a plan, 1 when the
//! file is bad, unreadable or the capacity is not met, 2 when the command line is wrong. The
//! planned CSV goes to standard output or a file, everything else to standard error.

use crate::model::{Limits, Plan, PlanError, Status};
use crate::planner::Planner;
use crate::{csv, verify};
use std::ffi::OsString;
use std::fs::{self, OpenOptions};
use std::io::{self, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const HELP: &str = "\
Plans where buffers lie in one arena: the least peak found.

Usage: memory-planner [OPTIONS] FILE.csv
       memory-planner [OPTIONS] -          (reads standard input)

The file has a header with the columns id, lower, upper, size (and alignment, if any); a buffer
lives from lower up to, not including, upper. The same file is written with the column offset
(filled in if it is there already). MiniMalloc's column gaps is not supported.

Options:
  --capacity N     the arena's size: stop as soon as the plan fits; exit 1 if none is found
  --work UNITS     budget in work units for what comes after the baselines, the same on every
                   machine (default 5000000000, about that many nanoseconds)
  --time SECONDS   stop planning after this wall time as well, at the end of the first pass at
                   the earliest; plans then depend on the machine. Both limits are for portfolio
                   and exact; the other planners are one pass each
  --planner NAME   portfolio (default), exact, chunk-size, chunk-hot, greedy-by-size, first-fit
                   or best-fit
  --output FILE    write there instead of to standard output
  -h, --help       this text
  -V, --version    the version
";

/// What the command line asks for.
struct Options {
    input: PathBuf,
    output: Option<PathBuf>,
    planner: Planner,
    limits: Limits,
}

enum Request {
    Help,
    Version,
    Plan(Options),
}

/// Runs the command with arguments that follow the program's name; the exit code.
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
    let name = options.input.display();
    let bytes = read(&options.input).map_err(|error| format!("cannot read {name}: {error}"))?;
    let text = csv::text(&bytes).map_err(|error| format!("{name}: {error}"))?;
    let table = csv::read(text).map_err(|error| format!("{name}: {error}"))?;
    let begin = Instant::now();
    let plan = options.planner.plan(&table.buffers, &options.limits).map_err(|error| {
        let PlanError::Overflow { buffer } = error else { return format!("{name}: {error}") };
        let line = table.lines.get(buffer).copied().unwrap_or(0);
        format!("{name}: line {line}: the sizes add up to more than 64 bits can hold")
    })?;
    let seconds = begin.elapsed().as_secs_f64();
    // Cheap beside planning, and no wrong plan ever leaves this program.
    verify(&table.buffers, &plan.offsets).map_err(|fault| format!("internal error: {fault}"))?;
    let mut bytes = Vec::new();
    csv::write(&table, &plan.offsets, &mut bytes).map_err(|error| error.to_string())?;
    if let Some(capacity) = options.limits.capacity {
        let Plan { peak, lower_bound, .. } = plan;
        let reason = match plan.status {
            Status::Infeasible => format!("no plan fits into the capacity {capacity}"),
            Status::OverCapacity => {
                format!(
                    "no plan found that fits into the capacity {capacity}, and no proof that none does"
                )
            }
            _ => String::new(),
        };
        if !reason.is_empty() {
            return Err(format!(
                "{reason}\nnote: the least peak found is {peak}, the lower bound {lower_bound} \
                 ({seconds:.3} s)"
            ));
        }
    }
    match &options.output {
        None => {
            report(&plan, seconds);
            Ok(print(&bytes))
        }
        Some(path) => {
            replace(path, &bytes)
                .map_err(|error| format!("cannot write {}: {error}", path.display()))?;
            report(&plan, seconds);
            Ok(0)
        }
    }
}

/// Writes a file that is there as a whole or not at all: beside it first, then under its name.
/// What is no regular file (a pipe, a terminal) is written in place.
fn replace(path: &Path, bytes: &[u8]) -> io::Result<()> {
    // A link stays one: what it leads to is replaced.
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let known = fs::metadata(&path).ok();
    if known.as_ref().is_some_and(|known| !known.is_file()) {
        return OpenOptions::new().write(true).open(&path)?.write_all(bytes);
    }
    let mut name = path.file_name().ok_or(ErrorKind::IsADirectory)?.to_os_string();
    name.push(format!(".{}.tmp", std::process::id()));
    let beside = path.with_file_name(name);
    let mut file = OpenOptions::new().write(true).create_new(true).open(&beside)?;
    let done = file
        .write_all(bytes)
        .and_then(|()| known.map_or(Ok(()), |known| file.set_permissions(known.permissions())))
        .and_then(|()| file.sync_all())
        .and_then(|()| fs::rename(&beside, &path));
    if done.is_err() {
        // It is ours, and of no use to anybody.
        let _ = fs::remove_file(&beside);
    }
    done
}

fn report(plan: &Plan, seconds: f64) {
    let Plan { peak, lower_bound, status, .. } = plan;
    say(&format!("peak {peak}, lower bound {lower_bound}, {status}, {seconds:.3} s"));
}

fn read(path: &Path) -> io::Result<Vec<u8>> {
    if path.as_os_str() != "-" {
        return fs::read(path);
    }
    let mut bytes = Vec::new();
    io::stdin().lock().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Writes to standard output. A reader that has gone away is no error.
fn print(bytes: &[u8]) -> u8 {
    let mut out = BufWriter::new(io::stdout().lock());
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Ok(()) => 0,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => {
            // What is still buffered would be written again when dropped.
            let _ = out.into_parts();
            0
        }
        Err(error) => {
            say(&format!("error: cannot write: {error}"));
            1
        }
    }
}

fn say(message: &str) {
    // Nobody is left to tell if this fails.
    let _ = writeln!(io::stderr().lock(), "{message}");
}

fn parse(arguments: Vec<OsString>) -> Result<Request, String> {
    let mut input = None;
    let mut output = None;
    let mut planner = Planner::default();
    let mut limits = Limits::default();
    let mut only_files = false;
    let mut rest = arguments.into_iter();
    while let Some(argument) = rest.next() {
        let text = argument.to_str();
        let option = match text {
            Some("--") if !only_files => {
                only_files = true;
                continue;
            }
            Some(text) if !only_files && text.len() > 1 && text.starts_with('-') => text,
            _ => {
                if input.replace(PathBuf::from(&argument)).is_some() {
                    return Err(format!("{} is a second file", argument.display()));
                }
                continue;
            }
        };
        let (name, inline) = match option.split_once('=') {
            Some((name, value)) => (name, Some(OsString::from(value))),
            None => (option, None),
        };
        if matches!(name, "-h" | "--help" | "-V" | "--version") {
            if inline.is_some() {
                return Err(format!("{name} takes no value"));
            }
            return Ok(if name.ends_with('V') || name.ends_with("version") {
                Request::Version
            } else {
                Request::Help
            });
        }
        if !matches!(name, "--capacity" | "--work" | "--time" | "--planner" | "--output") {
            return Err(format!("there is no option {name}"));
        }
        let value = inline.or_else(|| rest.next()).ok_or(format!("{name} needs a value"))?;
        if name == "--output" {
            if value.is_empty() {
                return Err("--output needs a file".to_string());
            }
            output = Some(PathBuf::from(value));
            continue;
        }
        let value = value.to_str().ok_or(format!("the value of {name} is not text"))?;
        match name {
            "--capacity" => limits.capacity = Some(number(name, value)?),
            "--work" => limits.work = number(name, value)?,
            "--time" => limits.time = Some(seconds(value)?),
            _ => {
                planner = Planner::from_name(value).ok_or_else(|| {
                    let names = Planner::ALL.map(Planner::name).join(", ");
                    format!("there is no planner {value:?}; there are {names}")
                })?;
            }
        }
    }
    let input = input.ok_or("a file is needed, or - for standard input")?;
    Ok(Request::Plan(Options { input, output, planner, limits }))
}

fn number(name: &str, value: &str) -> Result<u64, String> {
    let digits = !value.is_empty() && value.bytes().all(|byte| byte.is_ascii_digit());
    let number = if digits { value.parse().ok() } else { None };
    number.ok_or_else(|| format!("{name} needs a whole number below 2^64, not {value:?}"))
}

fn seconds(value: &str) -> Result<Duration, String> {
    let seconds = value.parse::<f64>().ok();
    seconds
        .and_then(|seconds| Duration::try_from_secs_f64(seconds).ok())
        .ok_or_else(|| format!("--time needs a number of seconds, not {value:?}"))
}
