use super::*;
use crate::codes;
use crate::json::render_json;
use crate::source::Span;
use colors::PALETTE;

fn error(spans: &[(usize, usize)]) -> Diagnostic {
    let error = Diagnostic::error(codes::UNKNOWN_VARIABLE, "there is no variable `b` here");
    let labels = ["not defined before this point", "second", "third"];
    let spans = spans.iter().zip(labels.iter().cycle());
    spans.fold(error, |error, (span, label)| error.label(Span::new(span.0, span.1), *label))
}

fn rendered(name: &str, text: &str, diagnostic: Diagnostic) -> String {
    render(&[diagnostic], Some(&Source::new(name, text)), false)
}

#[test]
fn a_frame_shows_the_location() {
    let diagnostic = error(&[(19, 20)]).help("did you mean `a`?").note("a fact");
    assert_eq!(
        rendered("f.toy", "def main() {\n  a + b;\n}\n", diagnostic),
        "\
error[E0201]: there is no variable `b` here
   ╭─[ f.toy:2:7 ]
   │
 2 │   a + b;
   │       ┬
   │       ╰── not defined before this point
   │
   │ Help: did you mean `a`?
   │
   │ Note: a fact
───╯
"
    );
}

#[test]
fn frames_show_source_line_numbers_and_the_primary_location() {
    let text = format!("one\ntwo\n{}three\r\nfour", "# c\n".repeat(1_200));
    let at = |word: &str| {
        let start = text.find(word).unwrap();
        (start, start + word.len())
    };
    assert_eq!(
        rendered("f.toy", &text, error(&[at("three"), at("two"), at("four")])),
        "\
error[E0201]: there is no variable `b` here
      ╭─[ f.toy:1203:1 ]
      │
    2 │ two
      │ ─┬─
      │  ╰─── second
      │
 1203 │ three
      │ ──┬──
      │   ╰──── not defined before this point
 1204 │ four
      │ ──┬─
      │   ╰─── third
──────╯
"
    );
}

#[test]
fn multi_line_spans_show_their_ends() {
    let text = "a\nb [1,\n".to_owned() + &"2,\n".repeat(500) + "3] c\n";
    let end = text.find(']').unwrap() + 1;
    assert_eq!(
        rendered("f", &text, error(&[(4, end)])),
        "\
error[E0201]: there is no variable `b` here
     ╭─[ f:2:3 ]
     │
   2 │ ╭─▶ b [1,
     ┆ ┆
 503 │ ├─▶ 3] c
     │ │
     │ ╰────────── not defined before this point
─────╯
"
    );
}

#[test]
fn empty_spans_and_the_end_of_the_file_are_shown() {
    let expected = "\
error[E0201]: there is no variable `b` here
   ╭─[ f:1:4 ]
   │
 1 │ abc
   │    │
   │    ╰─ not defined before this point
───╯
";
    assert_eq!(rendered("f", "abc", error(&[(3, 3)])), expected);
    assert_eq!(rendered("f", "abc\r\nd", error(&[(3, 3)])), expected);
    let at_end = rendered("f", "abc\n", error(&[(4, 4)]));
    assert!(at_end.contains("[ f:2:1 ]") && at_end.contains("\n 2 │\n"), "{at_end}");
    let empty = rendered("f", "", error(&[(0, 0)]));
    assert!(empty.contains("[ f:1:1 ]") && empty.contains("╰─ not defined"), "{empty}");
}

#[test]
fn empty_spans_at_the_start_of_a_line_are_on_that_line() {
    assert_eq!(
        rendered("f", "abc\ndef\n", error(&[(4, 4), (0, 3)])),
        "\
error[E0201]: there is no variable `b` here
   ╭─[ f:2:1 ]
   │
 1 │ abc
   │ ─┬─
   │  ╰─── second
 2 │ def
   │ ┬
   │ ╰── not defined before this point
───╯
"
    );
    // Before a wide character, in an empty line, at the end of the text.
    for (text, at, line) in [
        ("a\n漢b\n", 2, " 2 │ 漢b\n   │ ┬─\n"),
        ("a\r\n\r\nb", 3, " 2 │\n   │ ┬\n"),
        ("a\n", 2, " 2 │\n   │ ┬\n"),
    ] {
        let shown = rendered("f", text, error(&[(at, at), (0, 1)]));
        assert!(shown.contains(line), "{text:?}\n{shown}");
        // And alone, where no line is above.
        let shown = rendered("f", text, error(&[(at, at)]));
        assert!(shown.contains(&line.replace(['┬', '─'], "│").replace("││\n", "│\n")), "{shown}");
    }
}

#[test]
fn tabs_and_wide_characters_keep_labels_in_their_columns() {
    let shown = rendered("f", "\ta\tb\n", error(&[(3, 4)]));
    assert!(shown.contains(" 1 │     a  b\n   │        ┬\n"), "{shown}");
    let shown = rendered("f", "漢字 b e\u{301} c\r\n", error(&[(7, 8)]));
    assert!(shown.contains(" 1 │ 漢字 b e\u{301} c\n   │      ┬\n"), "{shown}");
}

#[test]
fn spans_are_snapped_and_clamped() {
    // In the middle of `é`, and far beyond the end.
    let shown = rendered("f", "aé b", error(&[(2, 2), (400, 7), (3, 900)]));
    assert!(shown.contains("[ f:1:2 ]"), "{shown}");
    assert!(shown.contains("third"), "{shown}");
    assert!(rendered("f", "aéb", error(&[(1, 2)])).contains("aéb\n   │  ┬\n"));
}

#[test]
fn control_characters_do_not_reach_the_terminal() {
    let text = "x\u{1b}[31m\0\u{9b}\u{202e}\r y\u{e000}:1:1\u{2028}z\u{7f}";
    let mut diagnostic = error(&[(1, 2), (text.len() - 1, text.len())]);
    diagnostic.message.push_str("\u{1b}[2J\n\u{7}");
    diagnostic.labels[0].message.push_str("\u{8}\n\r");
    let diagnostic = diagnostic.note("a\u{1b}b\nc").help("\u{1b}]0;x\u{7}");
    let source = Source::new("f\u{1b}[1m\n", text);
    for shown in [
        render(std::slice::from_ref(&diagnostic), Some(&source), false),
        render(std::slice::from_ref(&diagnostic), None, false),
        render_short(std::slice::from_ref(&diagnostic), Some(&source)),
    ] {
        let bad = shown.find(|c: char| c.is_control() && c != '\n');
        assert_eq!(bad, None, "{shown:?}");
    }
    let shown = render(&[diagnostic], Some(&source), false);
    assert!(shown.contains("[ f␛[1m␊:1:2 ]"), "{shown}");
    assert!(shown.contains(" 1 │ x␛[31m␀��␍ y�:1:1�z␡"), "{shown}");
}

#[test]
fn long_lines_are_cut_around_the_labels() {
    let text = format!("a\nvar x = [{} 12345 {}];\n", "1, ".repeat(100_000), "é, ".repeat(100_000));
    let at = text.find("12345").unwrap();
    let shown = rendered("f", &text, error(&[(at, at + 5), (6, 7)]));
    assert!(shown.contains(&format!("[ f:2:{} ]", at - 1)), "{shown}");
    assert!(shown.contains("12345 é, é, ") && shown.contains("1, 1,…"), "{shown}");
    assert!(shown.contains(" 2 │ var x = [1, 1,") && shown.len() < 3_000, "{shown}");
    // A label over all of it.
    let shown = rendered("f", &text, error(&[(10, text.len() - 2)]));
    assert!(shown.len() < 3_000, "{shown}");
}

#[test]
fn large_sources_are_rendered_fast() {
    let text = "# a comment\n".repeat(1_000_000) + &"[".repeat(16_000_000);
    let source = Source::new("f", text);
    let end = source.text.len();
    let diagnostics: Vec<Diagnostic> =
        (0..200).map(|index| error(&[(end - index, end), (index, index + 1)])).collect();
    let start = std::time::Instant::now();
    let shown = render(&diagnostics, Some(&source), true);
    assert!(shown.contains("1000001"), "the true line number");
    assert!(start.elapsed().as_secs() < 5, "{:?}", start.elapsed());
}

#[test]
fn colors_change_nothing_but_colors() {
    let text = "one\ntwo\n".to_owned() + &"# c\n".repeat(2_000) + "three four";
    let source = Source::new("f", text);
    let end = source.text.len();
    let diagnostic = error(&[(end - 4, end), (4, 7), (0, end - 5)]).note("n").help("h");
    let plain = render(std::slice::from_ref(&diagnostic), Some(&source), false);
    let colored = render(&[diagnostic], Some(&source), true);
    assert!(colored.contains("\u{1b}["));
    let mut stripped = String::new();
    let mut rest = colored.as_str();
    while let Some((before, sequence)) = rest.split_once('\u{1b}') {
        stripped.push_str(before);
        rest = sequence.split_once('m').unwrap().1;
    }
    stripped.push_str(rest);
    let stripped: String = stripped.lines().map(|line| line.trim_end().to_owned() + "\n").collect();
    assert_eq!(stripped, plain);
}

#[test]
fn a_diagnostic_without_a_location_has_no_frame() {
    let diagnostic =
        Diagnostic::error(codes::CANNOT_READ, "no such file").note("first\nsecond").help("try");
    let expected = "error[E0001]: no such file\n  note: first\n        second\n  help: try\n";
    assert_eq!(render(std::slice::from_ref(&diagnostic), None, false), expected);
    assert_eq!(
        render(std::slice::from_ref(&diagnostic), Some(&Source::new("f", "x")), false),
        expected
    );
    let colored = render(std::slice::from_ref(&diagnostic), None, true);
    assert!(
        colored.starts_with(
            "\u{1b}[1;38;5;131merror[E0001]:\u{1b}[0m\u{1b}[1m no such file\u{1b}[0m\n"
        )
    );
    assert_eq!(render_short(&[diagnostic], None), "error[E0001]: no such file\n");
}

#[test]
fn short_lines_count_columns_in_bytes() {
    let mut diagnostic = error(&[(5, 6)]);
    diagnostic.severity = Severity::Warning;
    let source = Source::new("f.toy", "é\né b");
    assert_eq!(
        render_short(&[diagnostic.clone(), diagnostic], Some(&source)),
        "f.toy:2:3: warning[E0201]: there is no variable `b` here\n".repeat(2)
    );
}

/// Checks the properties that tools reading the JSON rely on.
#[track_caller]
fn check_json(line: &str, text: &str, diagnostic: &Diagnostic) {
    let object: serde_json::Value = serde_json::from_str(line).unwrap();
    assert_eq!(object["message"], diagnostic.message);
    assert_eq!(object["spans"].as_array().unwrap().len(), diagnostic.labels.len());
    let help = diagnostic.help.as_ref().unwrap();
    assert_eq!(object["help"]["message"], help.message);
    assert_eq!(object["help"]["edits"][0]["replacement"], help.edits[0].replacement);
    let edits = object["help"]["edits"].as_array().unwrap();
    for (index, place) in object["spans"].as_array().unwrap().iter().chain(edits).enumerate() {
        let number = |key: &str| place[key].as_u64().unwrap() as usize;
        let (start, end) = (number("start"), number("end"));
        assert!(text.get(start..end).is_some(), "{start}..{end} in {text:?}");
        for (offset, line, column) in [
            (start, number("start_line"), number("start_column")),
            (end, number("end_line"), number("end_column")),
        ] {
            let before = &text[..offset];
            assert_eq!(line, before.matches('\n').count() + 1);
            assert_eq!(column, offset - before.rfind('\n').map_or(0, |newline| newline + 1) + 1);
        }
        if index < diagnostic.labels.len() {
            assert_eq!(place["primary"], index == 0);
            assert_eq!(place["label"], diagnostic.labels[index].message);
        }
    }
}

#[test]
fn json_has_the_documented_form() {
    let diagnostic = error(&[(2, 3)]).note("n").fix("did you mean `a`?", Span::new(2, 3), "a");
    let source = Source::new("f.toy", "é\tb\n");
    assert_eq!(
        render_json(&[diagnostic.clone(), diagnostic], Some(&source)),
        "{\"code\":\"E0201\",\"severity\":\"error\",\"message\":\"there is no variable `b` here\",\
         \"file\":\"f.toy\",\"spans\":[{\"start\":2,\"end\":3,\"start_line\":1,\"start_column\":3,\
         \"end_line\":1,\"end_column\":4,\"label\":\"not defined before this point\",\"primary\":true}],\
         \"notes\":[\"n\"],\"help\":{\"message\":\"did you mean `a`?\",\"edits\":[{\"start\":2,\"end\":3,\
         \"start_line\":1,\"start_column\":3,\"end_line\":1,\"end_column\":4,\"replacement\":\"a\"}]}}\n"
            .repeat(2)
    );
    let warning = Diagnostic::warning(codes::SHADOWING, "\u{9b}\u{e0041}\n");
    assert_eq!(
        render_json(&[warning], None),
        "{\"code\":\"W0104\",\"severity\":\"warning\",\"message\":\"\\u009b\\udb40\\udc41\\n\",\
         \"file\":null,\"spans\":[],\"notes\":[],\"help\":null}\n"
    );
}

#[test]
fn random_spans_in_random_text_are_rendered() {
    let mut state = 0x2545f4914f6cdd1d_u64;
    let mut random = move |bound: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % bound as u64) as usize
    };
    const FRAGMENTS: [&str; 18] = [
        "a",
        " ",
        "\n",
        "\r\n",
        "\r",
        "\t",
        "é",
        "漢",
        "😀",
        "\u{1b}[1m",
        "\0",
        "\u{301}",
        "\u{2028}",
        "\u{85}",
        "\u{c}",
        "\u{feff}",
        "\u{e000}:1:2",
        "\n\n\n\n",
    ];
    for round in 0..20_000 {
        let mut text = String::new();
        for _ in 0..random(30) {
            match random(3) {
                0 => {
                    text.push_str(&String::from_utf8_lossy(&[random(256) as u8, random(256) as u8]))
                }
                1 if round % 10 == 0 => text.push_str(&FRAGMENTS[random(18)].repeat(random(200))),
                _ => text.push_str(FRAGMENTS[random(18)]),
            }
        }
        let mut offset = || random(text.len() + 4);
        let spans: Vec<(usize, usize)> = (0..3).map(|_| (offset(), offset())).collect();
        let count = 1 + random(3);
        // Messages quote the program, so they are as bad as its text.
        let words: String = text.chars().take(random(10)).collect();
        let mut diagnostic = error(&spans[..count]).note(format!("n{words}")).fix(
            words.clone(),
            Span::new(spans[0].1, spans[2].0),
            words.clone(),
        );
        diagnostic.message += &words;
        diagnostic.labels[0].message += &words;
        diagnostic.severity = if random(2) == 0 { Severity::Error } else { Severity::Warning };
        let source = Source::new("f", text.as_str());
        let all = std::slice::from_ref(&diagnostic);
        let shown = render(all, Some(&source), false);
        let kind = ["error[E0201]:", "warning[E0201]:"][diagnostic.severity as usize];
        for message in [kind, "[ f:", "not defined before", "Note: n"] {
            assert!(shown.contains(message), "{text:?} {spans:?}\n{shown}");
        }
        let short = render_short(all, Some(&source));
        let json = render_json(all, Some(&source));
        for line in [&short, &json] {
            let bad = |c: char| c != '\n' && (c.is_control() || printable(c) != c);
            assert!(!line.contains(bad) && line.matches('\n').count() == 1, "{line:?}");
        }
        check_json(&json, &text, &diagnostic);
        assert_eq!(shown.matches("─[").count(), 1, "one frame: {text:?} {spans:?}\n{shown}");
        assert!(!shown.contains(|c: char| c.is_control() && c != '\n'), "{text:?}\n{shown:?}");
    }
}

/// The relative luminance of one of the 256 colors, as WCAG 2 defines it.
fn luminance(Hue(number): Hue) -> f64 {
    const LEVELS: [u8; 6] = [0, 95, 135, 175, 215, 255];
    let number = usize::from(number);
    let channels = match number {
        0..16 => panic!("what the first 16 look like depends on the terminal"),
        16..232 => {
            [(number - 16) / 36, (number - 16) / 6 % 6, (number - 16) % 6].map(|at| LEVELS[at])
        }
        _ => [8 + 10 * (number as u8 - 232); 3],
    };
    let linear = |channel: u8| {
        let channel = f64::from(channel) / 255.0;
        if channel <= 0.04045 { channel / 12.92 } else { ((channel + 0.055) / 1.055).powf(2.4) }
    };
    let [red, green, blue] = channels.map(linear);
    0.2126 * red + 0.7152 * green + 0.0722 * blue
}

#[test]
fn colors_are_legible_on_light_and_dark_terminals() {
    for hue in PALETTE {
        let luminance = luminance(hue);
        let (on_white, on_black) = (1.05 / (luminance + 0.05), (luminance + 0.05) / 0.05);
        assert!(on_white >= 4.5 && on_black >= 4.5, "{hue:?}: {on_white:.2} and {on_black:.2}");
    }
}

#[test]
fn messages_have_no_other_colors() {
    let source = Source::new("f", "one\ntwo\n\nthree four");
    let mut used = std::collections::BTreeSet::new();
    for severity in [Severity::Error, Severity::Warning, Severity::Remark, Severity::Note] {
        for source in [Some(&source), None] {
            let mut diagnostic = error(&[(0, 3), (4, 7), (9, 14), (0, 19)]).note("n").help("h");
            diagnostic.severity = severity;
            let shown = render(&[diagnostic], source, true);
            assert!(shown.lines().next().unwrap().starts_with("\u{1b}[1;38;5;"), "a bold head");
            for sequence in shown.split("\u{1b}[").skip(1) {
                used.insert(sequence.split('m').next().unwrap().to_owned());
            }
        }
    }
    let allowed: Vec<String> = PALETTE.iter().map(|Hue(number)| format!("38;5;{number}")).collect();
    for codes in used {
        let hue = codes.strip_prefix("1;").unwrap_or(&codes);
        assert!(["0", "1"].contains(&hue) || allowed.iter().any(|it| it == hue), "{codes}");
    }
}
