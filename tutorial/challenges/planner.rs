//! Challenge: a planner that beats toyc's.
//!
//! Copy this file to `tests/planner.rs` of your crate, and say `cargo test --test planner`.
//! It runs `toy FILE.csv -emit=plan`, which must print the file with one more column, the
//! offset. With `PLANNER=…` it runs another command, whose last argument is the file. The
//! instances are written to `target/planner/`.

use std::path::Path;
use std::process::Command;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

/// An instance: a box of so many moments and units, cut into so many pieces. The pieces are
/// the buffers, so a plan that is as low as the box exists.
struct Instance {
    name: &'static str,
    moments: u64,
    units: u64,
    pieces: usize,
    seed: u64,
    /// The units that toyc 0.2's planner takes after a tenth of a second of work: with
    /// `toy-opt --plan --work 100000000`.
    toyc: u64,
}

const INSTANCES: [Instance; 6] = [
    instance("a", (24, 64, 20), 3, 64),
    instance("b", (60, 256, 60), 7, 256),
    instance("c", (200, 1024, 150), 6, 1024),
    instance("d", (400, 4096, 300), 4, 4955),
    instance("e", (400, 4096, 300), 5, 4763),
    instance("f", (400, 4096, 300), 7, 4832),
];

const fn instance(
    name: &'static str,
    (moments, units, pieces): (u64, u64, usize),
    seed: u64,
    toyc: u64,
) -> Instance {
    Instance { name, moments, units, pieces, seed, toyc }
}

/// More than that, nobody wants to wait for a plan.
const TIME: Duration = Duration::from_secs(60);

/// The bytes of a unit.
const UNIT: u64 = 64;

/// In use from `lower` up to, but not including, `upper`.
#[derive(Clone, Copy)]
struct Buffer {
    lower: u64,
    upper: u64,
    size: u64,
    offset: u64,
}

impl Buffer {
    fn meets(&self, other: &Self) -> bool {
        self.lower < other.upper && other.lower < self.upper
    }

    fn end(&self) -> u64 {
        self.offset + self.size
    }
}

/// The same numbers for the same seed, everywhere.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        (self.0 >> 33) % limit
    }
}

impl Instance {
    /// The pieces in the order in which they come into use.
    fn buffers(&self) -> Vec<Buffer> {
        let mut random = Random(self.seed);
        let mut pieces = vec![(0, self.moments, 0, self.units)];
        while pieces.len() < self.pieces {
            // Of four, the largest.
            let some: Vec<_> =
                (0..4).map(|_| random.below(pieces.len() as u64) as usize).collect();
            let area = |at: &usize| {
                let (left, right, low, high) = pieces[*at];
                (right - left) * (high - low)
            };
            let at = some.into_iter().max_by_key(area).unwrap();
            pieces.splice(at..=at, cut(pieces[at], &mut random));
        }
        pieces.sort();
        let buffer = |(lower, upper, low, high)| Buffer {
            lower,
            upper,
            size: (high - low) * UNIT,
            offset: low * UNIT,
        };
        pieces.into_iter().map(buffer).collect()
    }
}

/// From and to in time, from and to in units.
type Piece = (u64, u64, u64, u64);

/// A piece in two, in five around the one in the middle, or as it is.
fn cut(piece: Piece, random: &mut Random) -> Vec<Piece> {
    let (left, right, low, high) = piece;
    let (width, height) = (right - left, high - low);
    match random.below(4) {
        0 if width >= 2 => {
            let x = left + 1 + random.below(width - 1);
            vec![(left, x, low, high), (x, right, low, high)]
        }
        1 if height >= 2 => {
            let y = low + 1 + random.below(height - 1);
            vec![(left, right, low, y), (left, right, y, high)]
        }
        2 | 3 if width >= 3 && height >= 3 => {
            let x = left + 1 + random.below(width - 2);
            let x2 = x + 1 + random.below(right - x - 1);
            let y = low + 1 + random.below(height - 2);
            let y2 = y + 1 + random.below(high - y - 1);
            vec![
                (left, x2, low, y),
                (x2, right, low, y2),
                (x, right, y2, high),
                (left, x, y, high),
                (x, x2, y, y2),
            ]
        }
        _ => vec![piece],
    }
}

/// The planner of part one: the largest first, each at the lowest offset where it fits.
fn part_one(buffers: &[Buffer]) -> u64 {
    let mut placed: Vec<Buffer> = Vec::new();
    let mut rest = buffers.to_vec();
    rest.sort_by_key(|buffer| std::cmp::Reverse(buffer.size));
    for mut buffer in rest {
        let meeting = placed.iter().filter(|other| other.meets(&buffer));
        let mut taken: Vec<_> =
            meeting.map(|other| (other.offset, other.end())).collect();
        taken.sort();
        buffer.offset = 0;
        for (start, end) in taken {
            if buffer.end() <= start {
                break;
            }
            buffer.offset = buffer.offset.max(end);
        }
        placed.push(buffer);
    }
    peak(&placed)
}

fn peak(buffers: &[Buffer]) -> u64 {
    buffers.iter().map(Buffer::end).max().unwrap_or(0)
}

/// The plan that the reader's planner makes, or what is wrong with it.
fn planned(instance: &Instance, buffers: &[Buffer]) -> Result<u64, String> {
    let folder = Path::new("target/planner");
    std::fs::create_dir_all(folder).unwrap();
    let file = folder.join(format!("{}.csv", instance.name));
    let mut text = String::from("id,lower,upper,size\n");
    for (id, Buffer { lower, upper, size, .. }) in buffers.iter().enumerate() {
        text += &format!("{id},{lower},{upper},{size}\n");
    }
    std::fs::write(&file, text).unwrap();
    let start = Instant::now();
    let output = planner(&file).output().map_err(|error| error.to_string())?;
    if start.elapsed() > TIME {
        return Err(format!("it takes {} seconds", start.elapsed().as_secs()));
    }
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let text = String::from_utf8(output.stdout).map_err(|error| error.to_string())?;
    let mut placed: Vec<Option<Buffer>> = vec![None; buffers.len()];
    for line in text.lines().skip(1) {
        let fields: Vec<u64> = line.split(',').flat_map(str::parse).collect();
        let [id, lower, upper, size, offset] = fields[..] else {
            return Err(format!("`{line}` is not id,lower,upper,size,offset"));
        };
        let place = placed.get_mut(id as usize).ok_or(format!("who is {id}?"))?;
        *place = Some(Buffer { lower, upper, size, offset });
    }
    let mut plan: Vec<Buffer> = Vec::new();
    for (id, (placed, buffer)) in placed.into_iter().zip(buffers).enumerate() {
        let placed = placed.ok_or(format!("buffer {id} has no offset"))?;
        let same = |of: fn(&Buffer) -> u64| of(&placed) == of(buffer);
        if !same(|b| b.lower) || !same(|b| b.upper) || !same(|b| b.size) {
            return Err(format!("buffer {id} is not the one of the instance"));
        }
        if !placed.offset.is_multiple_of(UNIT) {
            return Err(format!("buffer {id} begins in the middle of a unit"));
        }
        let overlaps = |other: &Buffer| {
            placed.meets(other)
                && placed.offset < other.end()
                && other.offset < placed.end()
        };
        if let Some(other) = plan.iter().position(overlaps) {
            return Err(format!("buffers {other} and {id} overlap"));
        }
        plan.push(placed);
    }
    Ok(peak(&plan))
}

fn planner(file: &Path) -> Command {
    if let Ok(command) = std::env::var("PLANNER") {
        let mut words = command.split_whitespace();
        let mut planner = Command::new(words.next().expect("PLANNER is not empty"));
        planner.args(words).arg(file);
        return planner;
    }
    let toy = std::env::var_os("CARGO_BIN_EXE_toy").expect("cargo test sets it");
    let mut planner = Command::new(toy);
    planner.arg(file).arg("-emit=plan");
    planner
}

/// A row of the table.
struct Score {
    name: &'static str,
    bound: u64,
    part_one: u64,
    toyc: u64,
    yours: Result<u64, String>,
}

/// Each planner runs once, for all tests.
static SCORES: LazyLock<Vec<Score>> = LazyLock::new(|| {
    let score = |instance: &Instance| {
        let buffers = instance.buffers();
        Score {
            name: instance.name,
            bound: instance.units * UNIT,
            part_one: part_one(&buffers),
            toyc: instance.toyc * UNIT,
            yours: planned(instance, &buffers),
        }
    };
    INSTANCES.iter().map(score).collect()
});

/// Fails with the table unless a condition holds for all of its rows, given the peak.
fn all(holds: impl Fn(&Score, u64) -> bool) {
    let mut table = format!(
        "\n{:>9}{:>10}{:>10}{:>10}{:>10}\n",
        "instance", "bound", "part one", "toyc", "yours"
    );
    let mut is_right = true;
    for score in SCORES.iter() {
        let Score { name, bound, part_one, toyc, yours } = score;
        let holds = yours.as_ref().is_ok_and(|peak| holds(score, *peak));
        is_right &= holds;
        let yours = match yours {
            Ok(peak) => peak.to_string(),
            Err(what) => what.trim().to_owned(),
        };
        let mark = if holds { "" } else { "  <-" };
        table +=
            &format!("{name:>9}{bound:>10}{part_one:>10}{toyc:>10}  {yours:>8}{mark}\n");
    }
    assert!(is_right, "{table}");
}

#[test]
fn plans_are_right() {
    all(|_, _| true);
}

#[test]
fn better_than_part_one() {
    all(|score, peak| peak < score.part_one);
}

#[test]
fn as_good_as_toyc() {
    all(|score, peak| peak <= score.toyc);
}

#[test]
fn better_than_toyc() {
    // Where toyc is at the bound, there is nothing to win.
    all(|score, peak| peak <= score.toyc && (peak < score.toyc || peak == score.bound));
}
