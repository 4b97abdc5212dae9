//! MiniMalloc's CSV: a header with `id`, `lower`, `upper`, `size`, optionally `alignment`, in any
//! order and among other columns; one buffer per line; `upper` is exclusive.
//!
//! Input: text. Output: a [`Table`] that keeps every line as it was, so that [`write()`] gives back
//! the same file with an `offset` column, or an error with the line's number. Fields may be quoted
//! as in RFC 4180, but not contain line breaks. Offsets that are there already are replaced, not
//! kept to; MiniMalloc's `gaps` (pauses in a lifetime) are refused rather than ignored.

use crate::model::Buffer;
use std::fmt;
use std::io::{self, Write};

/// A file of buffers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    pub buffers: Vec<Buffer>,
    /// The header's and each buffer's line, without line breaks.
    pub header: String,
    pub rows: Vec<String>,
    /// The line each buffer comes from, counted from 1.
    pub lines: Vec<usize>,
    /// Where an `offset` column already is.
    pub offset_column: Option<usize>,
}

/// What is wrong in which line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CsvError {
    pub line: usize,
    pub message: String,
}

impl fmt::Display for CsvError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for CsvError {}

/// Where the columns are.
struct Columns {
    count: usize,
    lower: usize,
    upper: usize,
    size: usize,
    alignment: Option<usize>,
    gaps: Option<usize>,
}

/// The text of a file, or where it is none.
pub fn text(bytes: &[u8]) -> Result<&str, CsvError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        CsvError { line, message: "this is not UTF-8 text".to_string() }
    })
}

/// Reads a file. Empty lines are skipped.
pub fn read(text: &str) -> Result<Table, CsvError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let Some((line, header)) = lines.next() else {
        return fail(1, "the file is empty; a header with id, lower, upper and size is expected");
    };
    let names = fields(header).map_err(|message| CsvError { line, message })?;
    let columns = columns(&names).map_err(|message| {
        // A header that is one field is one because of its separator.
        let other = [';', '\t', '|'].into_iter().find(|&mark| header.contains(mark));
        let message = match other {
            Some(mark) if names.len() == 1 => {
                format!("{message}; fields are separated by ',', not by {mark:?}")
            }
            _ => message,
        };
        CsvError { line, message }
    })?;
    let offset_column = find(&names, "offset").map_err(|message| CsvError { line, message })?;
    let mut table = Table {
        buffers: Vec::new(),
        header: header.to_string(),
        rows: Vec::new(),
        lines: Vec::new(),
        offset_column,
    };
    for (line, row) in lines {
        let buffer = buffer(row, &columns).map_err(|message| CsvError { line, message })?;
        table.buffers.push(buffer);
        table.rows.push(row.to_string());
        table.lines.push(line);
    }
    Ok(table)
}

/// Writes the file with offsets, in the `offset` column if there is one, else in a new last one.
pub fn write(table: &Table, offsets: &[u64], out: &mut dyn Write) -> io::Result<()> {
    match table.offset_column {
        None => {
            writeln!(out, "{},offset", table.header)?;
            for (row, offset) in table.rows.iter().zip(offsets) {
                writeln!(out, "{row},{offset}")?;
            }
        }
        Some(column) => {
            writeln!(out, "{}", table.header)?;
            for (row, offset) in table.rows.iter().zip(offsets) {
                let mut ends = raw_fields(row);
                if let Some(field) = ends.get_mut(column) {
                    *field = offset.to_string();
                }
                writeln!(out, "{}", ends.join(","))?;
            }
        }
    }
    Ok(())
}

fn fail<T>(line: usize, message: &str) -> Result<T, CsvError> {
    Err(CsvError { line, message: message.to_string() })
}

fn find(names: &[String], name: &str) -> Result<Option<usize>, String> {
    let mut places = (0..names.len()).filter(|&at| names[at].eq_ignore_ascii_case(name));
    let first = places.next();
    match places.next() {
        Some(_) => Err(format!("the column {name:?} appears twice")),
        None => Ok(first),
    }
}

fn columns(names: &[String]) -> Result<Columns, String> {
    let need = |name: &str| {
        find(names, name)?.ok_or_else(|| {
            format!("there is no column {name:?}; id, lower, upper and size are expected")
        })
    };
    need("id")?;
    Ok(Columns {
        count: names.len(),
        lower: need("lower")?,
        upper: need("upper")?,
        size: need("size")?,
        alignment: find(names, "alignment")?,
        gaps: find(names, "gaps")?,
    })
}

fn buffer(row: &str, columns: &Columns) -> Result<Buffer, String> {
    let values = fields(row)?;
    if values.len() != columns.count {
        return Err(format!("{} fields, but {} columns", values.len(), columns.count));
    }
    // Planning without them is safe, but not what the file asks for.
    if columns.gaps.is_some_and(|column| !values[column].is_empty()) {
        return Err("gaps are not supported; leave the field empty".to_string());
    }
    let start = number(&values[columns.lower], "lower")?;
    let end = number(&values[columns.upper], "upper")?;
    let size = number(&values[columns.size], "size")?;
    let align = match columns.alignment {
        // An empty field is no wish.
        Some(column) if values[column].is_empty() => 1,
        Some(column) => number(&values[column], "alignment")?,
        None => 1,
    };
    if !align.is_power_of_two() {
        return Err(format!("alignment {align} is not a power of two"));
    }
    if start >= end {
        return Err(format!("lower {start} is not below upper {end}"));
    }
    Ok(Buffer { size, align, start, end })
}

fn number(text: &str, column: &str) -> Result<u64, String> {
    if text.is_empty() {
        return Err(format!("{column} is missing"));
    }
    if !text.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!("{column} is {text:?}, not a whole number"));
    }
    text.parse().map_err(|_| format!("{column} is {text}, more than 64 bits can hold"))
}

/// The fields' values: trimmed, unquoted.
fn fields(row: &str) -> Result<Vec<String>, String> {
    if row.matches('"').count() % 2 == 1 {
        return Err("a quoted field is not closed".to_string());
    }
    let value = |field: String| {
        let field = field.trim();
        match field.strip_prefix('"').and_then(|rest| rest.strip_suffix('"')) {
            Some(inner) => inner.replace("\"\"", "\"").trim().to_string(),
            None => field.to_string(),
        }
    };
    Ok(raw_fields(row).into_iter().map(value).collect())
}

/// The fields as they stand: cut at commas outside of quotes.
fn raw_fields(row: &str) -> Vec<String> {
    let mut fields = vec![String::new()];
    let mut quoted = false;
    for letter in row.chars() {
        quoted ^= letter == '"';
        if letter == ',' && !quoted {
            fields.push(String::new());
        } else if let Some(field) = fields.last_mut() {
            field.push(letter);
        }
    }
    fields
}
