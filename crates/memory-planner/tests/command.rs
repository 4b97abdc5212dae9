//! The command line: its output and its exit codes.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

const PLANNER: &str = env!("CARGO_BIN_EXE_memory-planner");

const GOOD: &str = "id,lower,upper,size\na,0,2,10\nb,1,3,20\nc,2,4,10\n";

/// Runs the command on arguments and standard input.
fn run(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(PLANNER)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    // A command that does not read its input closes it.
    let _ = child.stdin.take().expect("piped").write_all(input.as_bytes());
    child.wait_with_output().expect("the command ends")
}

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("text")
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("text")
}

fn scratch(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name)
}

#[test]
fn offsets_go_to_standard_output_and_the_summary_to_standard_error() {
    let output = run(&["-"], GOOD);
    assert_eq!(output.status.code(), Some(0));
    let lines: Vec<String> = stdout(&output).lines().map(str::to_string).collect();
    assert_eq!(lines[0], "id,lower,upper,size,offset");
    assert_eq!(lines.len(), 4);
    assert!(lines[1].starts_with("a,0,2,10,"));
    assert!(stderr(&output).starts_with("peak 30, lower bound 30, optimal, "), "{output:?}");
}

#[test]
fn columns_may_come_in_any_order_with_others() {
    let text = "size,note,ID,upper,alignment,lower\r\n\
                10,\"x, y\",first one,2,,0\r\n\r\n20,,ü,2,64,0\r\n";
    let output = run(&["--planner", "greedy-by-size", "-"], text);
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let expected = "size,note,ID,upper,alignment,lower,offset\n\
                    10,\"x, y\",first one,2,,0,20\n20,,ü,2,64,0,0\n";
    assert_eq!(stdout(&output), expected);
}

#[test]
fn an_offset_column_is_filled_in() {
    let output = run(&["-"], "offset,id,lower,upper,size\n7,a,0,1,5\n");
    assert_eq!(stdout(&output), "offset,id,lower,upper,size\n0,a,0,1,5\n");
}

#[test]
fn every_planner_accepts_all_limits() {
    for planner in
        ["portfolio", "exact", "chunk-size", "chunk-hot", "greedy-by-size", "first-fit", "best-fit"]
    {
        let output = run(&["--planner", planner, "--work=1000000", "--time=1.5", "-"], GOOD);
        assert_eq!(output.status.code(), Some(0), "{planner}: {output:?}");
    }
}

#[test]
fn files_are_read_and_written_or_reported() {
    let input = scratch("in.csv");
    let target = scratch("out.csv");
    std::fs::write(&input, GOOD).expect("written");
    let arguments = ["--output", target.to_str().expect("text"), input.to_str().expect("text")];
    let output = run(&arguments, "");
    assert_eq!((output.status.code(), output.stdout.len()), (Some(0), 0));
    assert!(std::fs::read_to_string(&target).expect("read").contains(",offset\n"));
    let output = run(&["/does/not/exist.csv"], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("cannot read /does/not/exist.csv"));
    let output = run(&["--output", "/does/not/exist.csv", "-"], GOOD);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn the_output_may_be_the_input() {
    let folder = scratch("same");
    std::fs::create_dir_all(&folder).expect("made");
    let path = folder.join("both.csv");
    std::fs::write(&path, GOOD).expect("written");
    let name = path.to_str().expect("text");
    let expected = stdout(&run(&["-"], GOOD));
    for _ in 0..2 {
        assert_eq!(run(&["--output", name, name], "").status.code(), Some(0));
        assert_eq!(std::fs::read_to_string(&path).expect("read"), expected);
    }
    assert_eq!(std::fs::read_dir(&folder).expect("read").count(), 1);
}

#[cfg(unix)]
#[test]
fn an_output_that_cannot_be_finished_leaves_the_file_as_it_was() {
    let folder = scratch("full");
    std::fs::create_dir_all(&folder).expect("made");
    let path = folder.join("both.csv");
    let rows: String = (0..20_000).map(|at| format!("{at},{at},{},8\n", at + 2)).collect();
    let text = format!("id,lower,upper,size\n{rows}");
    std::fs::write(&path, &text).expect("written");
    // The shell stands in for a full disk.
    let output = Command::new("sh")
        .args(["-c", "trap '' XFSZ; ulimit -f 8; exec \"$0\" --output \"$1\" \"$1\"", PLANNER])
        .arg(&path)
        .output()
        .expect("a shell");
    assert_eq!(output.status.code(), Some(1), "{output:?}");
    assert!(stderr(&output).contains("cannot write "), "{output:?}");
    assert_eq!(std::fs::read_to_string(&path).expect("read"), text);
    assert_eq!(std::fs::read_dir(&folder).expect("read").count(), 1);
}

#[cfg(unix)]
#[test]
fn an_output_that_is_a_symbolic_link_remains_one() {
    let folder = scratch("link");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("made");
    let (file, link) = (folder.join("file.csv"), folder.join("link.csv"));
    std::fs::write(&file, "old").expect("written");
    std::os::unix::fs::symlink("file.csv", &link).expect("linked");
    let arguments = ["--output", link.to_str().expect("text"), "-"];
    assert_eq!(run(&arguments, GOOD).status.code(), Some(0));
    assert!(link.is_symlink());
    assert!(std::fs::read_to_string(&file).expect("read").contains(",offset\n"));
}

#[test]
fn a_picture_is_written_beside_the_csv_or_instead_of_it() {
    let rectangles = |text: &str| {
        assert!(text.starts_with("<svg") && text.ends_with("</svg>\n"), "{text}");
        text.matches("<rect class=\"b ").count()
    };
    let csv = stdout(&run(&["-"], GOOD));
    let path = scratch("plan.SVG");
    let name = path.to_str().expect("text");

    let both = run(&["--svg", name, "-"], GOOD);
    assert_eq!((both.status.code(), stdout(&both)), (Some(0), csv.clone()));
    assert_eq!(rectangles(&std::fs::read_to_string(&path).expect("read")), 3);

    std::fs::remove_file(&path).expect("removed");
    let by_extension = run(&["-o", name, "-"], GOOD);
    assert_eq!((by_extension.status.code(), by_extension.stdout.len()), (Some(0), 0));
    assert_eq!(rectangles(&std::fs::read_to_string(&path).expect("read")), 3);

    let instead = run(&["--svg=-", "-"], GOOD);
    assert_eq!((instead.status.code(), rectangles(&stdout(&instead))), (Some(0), 3));
    assert!(stdout(&instead).contains("10 bytes at "), "{instead:?}");

    let target = scratch("beside.csv");
    let split = run(&["--svg", "-", "-o", target.to_str().expect("text"), "-"], GOOD);
    assert_eq!(rectangles(&stdout(&split)), 3);
    assert_eq!(std::fs::read_to_string(&target).expect("read"), csv);
}

#[test]
fn a_capacity_that_is_not_met_is_an_error() {
    assert_eq!(run(&["--capacity", "30", "-"], GOOD).status.code(), Some(0));
    let output = run(&["--capacity=29", "-"], GOOD);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    let expected = "error: no plan fits into the capacity 29\n\
                    note: the lowest peak found is 30, the lower bound 30 (";
    assert!(stderr(&output).starts_with(expected), "{output:?}");
}

#[test]
fn malformed_files_are_reported_with_file_and_line() {
    let cases = [
        ("", "<stdin>:1: the file is empty"),
        ("id,lower,upper\n", "<stdin>:1: there is no column \"size\""),
        ("id,lower,upper,size,size\n", "<stdin>:1: the column \"size\" appears twice"),
        ("id,lower,upper,size\na,0,1\n", "<stdin>:2: 3 fields, but 4 columns"),
        ("id,lower,upper,size\n\na,0,1,x\n", "<stdin>:3: size is \"x\", not a whole number"),
        ("id,lower,upper,size\na,0,1,-1\n", "<stdin>:2: size is \"-1\", not a whole number"),
        ("id,lower,upper,size\na,0,1,\n", "<stdin>:2: size is missing"),
        ("id,lower,upper,size\na,1,1,1\n", "<stdin>:2: lower 1 is not below upper 1"),
        (
            "id,lower,upper,size\na,0,1,18446744073709551616\n",
            "<stdin>:2: size is 18446744073709551616",
        ),
        (
            "id,lower,upper,size,alignment\na,0,1,1,3\n",
            "<stdin>:2: alignment 3 is not a power of two",
        ),
        ("id,lower,upper,size\n\"a,0,1,1\n", "<stdin>:2: a quoted field is not terminated"),
        ("id;lower;upper;size\n", "fields are separated by ',', not by ';'"),
        ("id,lower,upper,size,gaps\na,0,9,1,\nb,0,9,1,2-4\n", "<stdin>:3: gaps are not supported"),
        (
            "id,lower,upper,size\na,0,1,18446744073709551615\nb,0,1,1\n",
            "the sizes add up to more than 64 bits can hold",
        ),
    ];
    for (text, message) in cases {
        let output = run(&["-"], text);
        assert_eq!(output.status.code(), Some(1), "{text:?}");
        assert!(stderr(&output).contains(message), "{text:?}: {}", stderr(&output));
        assert!(output.stdout.is_empty());
    }
    let path = scratch("binary.csv");
    std::fs::write(&path, b"id,lower,upper,size\n\xff,0,1,1\n").expect("written");
    let output = run(&[path.to_str().expect("text")], "");
    assert_eq!(output.status.code(), Some(1));
    assert!(stderr(&output).contains("binary.csv:2: this is not UTF-8 text"), "{output:?}");
}

#[test]
fn usage_errors_exit_with_2() {
    let cases: [&[&str]; 17] = [
        &[],
        &["a.csv", "b.csv"],
        &["--frob", "-"],
        &["--capacity"],
        &["--capacity", "-5", "-"],
        &["--capacity", "1e6", "-"],
        &["--work", "", "-"],
        &["--time", "-1", "-"],
        &["--time", "nan", "-"],
        &["--planner", "none", "-"],
        &["--output", "", "-"],
        &["--help=yes"],
        &["--svg"],
        &["--svg", "", "-"],
        &["--svg", "-", "--output", "-", "-"],
        &["--svg", "-", "--svg=-", "-"],
        &["-x", "-"],
    ];
    for arguments in cases {
        let output = run(arguments, GOOD);
        assert_eq!(output.status.code(), Some(2), "{arguments:?}: {output:?}");
        assert!(stderr(&output).starts_with("error: "));
        assert!(output.stdout.is_empty());
    }
}

#[test]
fn help_and_version_go_to_standard_output() {
    let help = run(&["--help"], "");
    assert_eq!(help.status.code(), Some(0));
    assert!(stdout(&help).contains("--capacity BYTES"));
    let version = run(&["-V"], "");
    assert_eq!(stdout(&version), format!("memory-planner {}\n", env!("CARGO_PKG_VERSION")));
}

#[test]
fn a_header_alone_gives_an_empty_plan() {
    let output = run(&["-"], "id,lower,upper,size\n");
    assert_eq!(output.status.code(), Some(0));
    assert_eq!(stdout(&output), "id,lower,upper,size,offset\n");
}

#[cfg(unix)]
#[test]
fn a_closed_pipe_is_not_an_error() {
    let rows: String = (0..20_000).map(|at| format!("{at},{at},{},8\n", at + 2)).collect();
    let path = scratch("long.csv");
    std::fs::write(&path, format!("id,lower,upper,size\n{rows}")).expect("written");
    let mut child = Command::new(PLANNER)
        .arg(&path)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    drop(child.stdout.take());
    let output = child.wait_with_output().expect("the command ends");
    assert_eq!(output.status.code(), Some(0));
    assert!(!stderr(&output).contains("panicked"));
}
