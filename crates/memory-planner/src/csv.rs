//! MiniMalloc's CSV files: a header with `id`, `lower`, `upper`, `size` and optionally `alignment`,
//! in any order and among other columns; one buffer per line; `upper` is exclusive.
//!
//! [`read()`] turns a file into a [`Table`] that keeps every line, so that [`write()`] gives back the
//! same file with an `offset` column, or into an error with a line number. Fields may be quoted as
//! in RFC 4180, but must not contain line breaks. Offsets in the file are replaced;
//! MiniMalloc's `gaps` (pauses in a lifetime) are an error rather than ignored.
//!
//! ```
//! use memory_planner::{Limits, csv, plan};
//!
//! let table = csv::read("id,lower,upper,size\na,0,2,16\nb,1,3,8\n")?;
//! let plan = plan(&table.buffers, &Limits::default())?;
//! let mut out = Vec::new();
//! csv::write(&table, &plan.offsets, &mut out)?;
//! assert!(out.starts_with(b"id,lower,upper,size,offset\na,0,2,16,"));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use crate::model::Buffer;
use std::fmt;
use std::io::{self, Write};

/// The buffers of a file, and its text.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Table {
    /// The buffers, in the order of the file.
    pub buffers: Vec<Buffer>,
    /// The column `id` of each buffer.
    pub ids: Vec<String>,
    /// The line of each buffer in the file, counted from 1.
    pub lines: Vec<usize>,
    /// The text of the header and of the line of each buffer, without line breaks.
    header: String,
    rows: Vec<String>,
    /// The `offset` column, if the file has one already.
    offset_column: Option<usize>,
}

impl Table {
    /// A table of buffers that do not come from a file: ids and lines are counted, with the columns
    /// `id`, `lower`, `upper`, `size` and `alignment`.
    ///
    /// ```
    /// use memory_planner::{Buffer, csv};
    ///
    /// let table = csv::Table::new(vec![Buffer::new(8, 0, 2).with_align(4)]);
    /// let mut out = Vec::new();
    /// csv::write(&table, &[12], &mut out)?;
    /// assert_eq!(out, b"id,lower,upper,size,alignment,offset\n0,0,2,8,4,12\n");
    /// # Ok::<(), std::io::Error>(())
    /// ```
    #[must_use]
    pub fn new(buffers: Vec<Buffer>) -> Self {
        let row = |(index, buffer): (usize, &Buffer)| {
            let Buffer { size, align, start, end } = buffer;
            format!("{index},{start},{end},{size},{align}")
        };
        Table {
            ids: (0..buffers.len()).map(|index| index.to_string()).collect(),
            lines: (2..buffers.len() + 2).collect(),
            header: "id,lower,upper,size,alignment".to_string(),
            rows: buffers.iter().enumerate().map(row).collect(),
            offset_column: None,
            buffers,
        }
    }
}

/// An error in a file, with its line.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CsvError {
    /// The line, counted from 1.
    pub line: usize,
    /// The error, without the line.
    pub message: String,
}

impl fmt::Display for CsvError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "line {}: {}", self.line, self.message)
    }
}

impl std::error::Error for CsvError {}

/// The position of each column.
struct Columns {
    count: usize,
    id: usize,
    lower: usize,
    upper: usize,
    size: usize,
    alignment: Option<usize>,
    gaps: Option<usize>,
}

fn utf8(bytes: &[u8]) -> Result<&str, CsvError> {
    std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        let line = 1 + before.iter().filter(|&&byte| byte == b'\n').count();
        CsvError { line, message: "this is not UTF-8 text".to_string() }
    })
}

/// Reads a file from its text or bytes. Empty lines are skipped, and so is a byte order mark. O(n).
///
/// # Errors
///
/// The first line that is malformed: text that is not UTF-8, a missing or repeated column, a field
/// that is not a whole number below 2^64, an alignment that is not a power of two, an empty
/// lifetime, or a field `gaps` that is not empty.
pub fn read(text: impl AsRef<[u8]>) -> Result<Table, CsvError> {
    let text = utf8(text.as_ref())?;
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = (1..).zip(text.lines()).filter(|(_, line)| !line.trim().is_empty());
    let Some((line, header)) = lines.next() else {
        let message = "the file is empty; a header with id, lower, upper and size is expected";
        return Err(CsvError { line: 1, message: message.to_string() });
    };
    let names = fields(header).map_err(|message| CsvError { line, message })?;
    let columns = columns(&names).map_err(|message| {
        // A header of a single field is probably separated by something else.
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
        ids: Vec::new(),
        header: header.to_string(),
        rows: Vec::new(),
        lines: Vec::new(),
        offset_column,
    };
    for (line, row) in lines {
        let (id, buffer) = buffer(row, &columns).map_err(|message| CsvError { line, message })?;
        table.buffers.push(buffer);
        table.ids.push(id);
        table.rows.push(row.to_string());
        table.lines.push(line);
    }
    Ok(table)
}

/// Writes the file with offsets, in the `offset` column if it has one, otherwise in a new last
/// column. Lines end with `\n`. O(n).
///
/// # Errors
///
/// The errors of `out`, and [`io::ErrorKind::InvalidInput`] if the number of offsets is wrong.
pub fn write(table: &Table, offsets: &[u64], out: &mut dyn Write) -> io::Result<()> {
    if offsets.len() != table.rows.len() {
        let message = format!("{} buffers, but {} offsets", table.rows.len(), offsets.len());
        return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
    }
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
                let mut fields = raw_fields(row);
                if let Some(field) = fields.get_mut(column) {
                    *field = offset.to_string();
                }
                writeln!(out, "{}", fields.join(","))?;
            }
        }
    }
    Ok(())
}

fn find(names: &[String], name: &str) -> Result<Option<usize>, String> {
    let mut found = (0..names.len()).filter(|&at| names[at].eq_ignore_ascii_case(name));
    let first = found.next();
    match found.next() {
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
    Ok(Columns {
        count: names.len(),
        id: need("id")?,
        lower: need("lower")?,
        upper: need("upper")?,
        size: need("size")?,
        alignment: find(names, "alignment")?,
        gaps: find(names, "gaps")?,
    })
}

/// A line's id and buffer.
fn buffer(row: &str, columns: &Columns) -> Result<(String, Buffer), String> {
    let mut values = fields(row)?;
    if values.len() != columns.count {
        return Err(format!("{} fields, but {} columns", values.len(), columns.count));
    }
    // Planning without them is safe, but the file requires them.
    if columns.gaps.is_some_and(|column| !values[column].is_empty()) {
        return Err("gaps are not supported; leave the field empty".to_string());
    }
    let start = number(&values[columns.lower], "lower")?;
    let end = number(&values[columns.upper], "upper")?;
    let size = number(&values[columns.size], "size")?;
    let align = match columns.alignment {
        // An empty field requires no alignment.
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
    Ok((std::mem::take(&mut values[columns.id]), Buffer { size, align, start, end }))
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
        return Err("a quoted field is not terminated".to_string());
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

/// The fields as written: split at commas outside of quotes.
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
