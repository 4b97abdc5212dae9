//! Expectations against messages on lines.

use super::*;

/// The complaints about messages (severity, line, text) on a text, each by its first words.
fn errors(text: &str, reported: &[(Severity, u32, &str)]) -> Vec<String> {
    let source = Source::new("t", text);
    let message = |(severity, line, text): &(Severity, u32, &str)| {
        let at = source.offset(*line, 1) as usize;
        let span = (*line > 0).then(|| Span::new(at, at));
        Message { severity: *severity, text: (*text).to_owned(), span, is_optional: false }
    };
    let reported: Vec<_> = reported.iter().map(message).collect();
    compare(&source, &reported, Strictness::All).into_iter().map(|d| d.message).collect()
}

const MET: [&str; 0] = [];

#[test]
fn lines() {
    for (text, line) in [
        ("x // expected-error {{bad}}", 1),
        ("// expected-error @+1 {{bad}}\nx", 2),
        ("// expected-error@+1 {{bad}}\nx", 2),
        ("// expected-error @+2 {{bad}}\n\nx", 3),
        ("x\n// expected-error @-1 {{bad}}", 1),
        ("x\n// expected-note {{n}}\n// expected-error @above {{bad}}", 1),
        ("// expected-error @below {{bad}}\n// expected-note {{n}}\nx", 3),
    ] {
        // So that there is a line 9.
        let text = &format!("{text}{}", "\n".repeat(9));
        let mut reported = vec![(Severity::Error, line, "so bad")];
        if text.contains("note") {
            reported.push((Severity::Note, 2, "n"));
        }
        assert_eq!(errors(text, &reported), MET, "{text}");
        reported[0].1 = 9;
        assert_eq!(
            errors(text, &reported),
            ["unexpected error: so bad", "the expected error was not reported"],
            "{text}"
        );
    }
    assert_eq!(errors("// expected-error @unknown {{bad}}", &[(Severity::Error, 0, "bad")]), MET);
}

#[test]
fn severities() {
    for severity in SEVERITIES {
        let text = format!("// expected-{} {{{{bad}}}}", severity.name());
        assert_eq!(errors(&text, &[(severity, 1, "bad")]), MET);
        let other = if severity == Severity::Note { Severity::Remark } else { Severity::Note };
        assert_eq!(errors(&text, &[(other, 1, "bad")]).len(), 2, "{text}");
    }
}

#[test]
fn counts() {
    let bad = (Severity::Error, 1, "bad");
    assert_eq!(errors("// expected-error {{bad}}", &[bad, bad, bad]), MET);
    assert_eq!(errors("// expected-error 2 {{bad}}", &[bad, bad]), MET);
    assert_eq!(
        errors("// expected-error 2 {{bad}}", &[bad]),
        ["the expected error was reported 1 instead of 2 times"]
    );
    assert_eq!(errors("// expected-error @+0 1 {{bad}}", &[bad, bad]), ["unexpected error: bad"]);
    assert_eq!(errors("// expected-error 0 {{bad}}", &[]), MET);
}

#[test]
fn several_on_a_line() {
    let text = "// expected-error {{a}} expected-warning {{b}} expected-error-re {{c{{.}}d}}";
    let reported =
        [(Severity::Error, 1, "cxd"), (Severity::Warning, 1, "b"), (Severity::Error, 1, "a")];
    assert_eq!(errors(text, &reported), MET);
    assert_eq!(errors(text, &reported[..2]), ["the expected error was not reported"]);
}

#[test]
fn regular_expressions() {
    let text = "// expected-error-re {{value %{{[0-9]+}} (of {{f|g}})}}";
    assert_eq!(errors(text, &[(Severity::Error, 1, "the value %12 (of g) is bad")]), MET);
    assert_eq!(errors(text, &[(Severity::Error, 1, "value %x (of g)")]).len(), 2);
    // Without `-re` they are text.
    assert_eq!(errors("// expected-error {{a.b}}", &[(Severity::Error, 1, "axb")]).len(), 2);
}

#[test]
fn invalid_expectations_are_errors() {
    for (text, why) in [
        ("// expected-error bad", "it has no `{{`"),
        ("// expected-error {{bad", "it has no `}}`"),
        ("// expected-errors {{bad}}", "`s` is not a number"),
        ("// expected-error @1 {{bad}}", "`@1` is not a line"),
        ("// expected-error @+x {{bad}}", "`@+x` is not a line"),
        ("// expected-error-re {{a{{(}}b}}", ""),
        ("// expected-error @-1 {{bad}}", "there is no such line"),
        ("// expected-error @above {{bad}}", "there is no such line"),
        ("// expected-error @below {{bad}}", "there is no line below"),
    ] {
        let all = errors(text, &[]);
        let expected = format!("invalid expectation: {why}");
        assert!(all.first().is_some_and(|c| c.starts_with(&expected)), "{text}: {all:?}");
    }
    assert_eq!(errors("// an un-expected-thing, and expected-values", &[]), MET);
}

#[test]
fn optional_messages_and_other_strictness() {
    let source = Source::new("t", "x // expected-error {{bad}}");
    let span = Some(Span::new(0, 1));
    let message = |severity, text: &str, is_optional| Message {
        severity,
        text: text.to_owned(),
        span,
        is_optional,
    };
    let reported =
        [message(Severity::Error, "bad", false), message(Severity::Note, "because", true)];
    assert_eq!(compare(&source, &reported, Strictness::All), []);
    let reported =
        [message(Severity::Error, "bad", false), message(Severity::Note, "because", false)];
    assert_eq!(compare(&source, &reported, Strictness::All).len(), 1);
    assert_eq!(compare(&source, &reported, Strictness::OnlyExpected), []);
}
