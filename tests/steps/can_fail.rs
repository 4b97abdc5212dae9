//! The tests of chapters find errors: each on a small chapter of its own.

use super::build::{self, Built};
use super::listings::needless;
use super::{examples, exercises, form, in_order, rhythm};
use crate::pages::console::write_script;
use crate::programs::Program;
use crate::tools::{Outcome, fail, scratch, trial};
use libtest_mimic::Trial;
use tutorial::listings::{Files, apply};
use tutorial::rhythm::{Rhythm, unused};

pub fn trials() -> Vec<Trial> {
    vec![
        trial("steps/the_harness_can_fail/listings", listings),
        trial("steps/the_harness_can_fail/lines", line_numbers),
        trial("steps/the_harness_can_fail/outputs", outputs),
        trial("steps/the_harness_can_fail/build", crates),
        trial("steps/the_harness_can_fail/form", forms),
        trial("steps/the_harness_can_fail/examples", programs),
        trial("steps/the_harness_can_fail/exercises", solutions),
        trial("steps/the_harness_can_fail/order", order),
        trial("steps/the_harness_can_fail/rhythm", rhythms),
        trial("steps/the_harness_can_fail/mods", mods),
    ]
}

/// The step before of the chapters below.
fn before() -> Files {
    let main = "fn main() {\n    one();\n    two();\n}\n\nfn one() {\n    two();\n}\n";
    let manifest = "[package]\nname = \"toy\"\n";
    [("src/main.rs", main), ("Cargo.toml", manifest)]
        .map(|(path, text)| (path.to_owned(), text.to_owned()))
        .into()
}

fn block(paragraph: &str, info: &str, text: &str) -> String {
    format!("{paragraph}\n\n```{info}\n{text}```\n")
}

fn listings() -> Outcome {
    let edit = |text: &str| block("`src/main.rs`, line 1:", "diff edit=src/main.rs", text);
    for (what, page, is_right) in [
        ("an edit", edit(" fn main() {\n-    one();\n+    three();\n"), true),
        ("a new file", block("`src/a.rs`:", "rust create=src/a.rs", "mod b;\n"), true),
        (
            "a file again",
            block("`src/main.rs`:", "rust replace=src/main.rs", "fn main() {}\n"),
            true,
        ),
        (
            "a file removed",
            block("`src/main.rs`:", "sh remove=src/main.rs", "rm src/main.rs\n"),
            true,
        ),
        (
            "a file moved",
            block("`src/main.rs`:", "sh move=src/main.rs", "mv src/main.rs src/a.rs\n"),
            true,
        ),
        (
            "a file moved to another",
            block("`src/main.rs`:", "sh move=src/main.rs", "mv src/main.rs Cargo.toml\n"),
            false,
        ),
        (
            "a file copied",
            block("`src/a.rs`:", "sh copy=src/a.rs", "cp src/main.rs src/a.rs\n"),
            true,
        ),
        (
            "a copy of nothing",
            block("`src/a.rs`:", "sh copy=src/a.rs", "cp src/b.rs src/a.rs\n"),
            false,
        ),
        ("no name above", block("Now:", "rust create=src/a.rs", "mod b;\n"), false),
        ("another name above", block("`src/b.rs`:", "rust create=src/a.rs", "mod b;\n"), false),
        ("no line above", block("`src/main.rs`:", "diff edit=src/main.rs", "-    one();\n"), false),
        ("an edit of other lines", edit(" fn main() {\n-    three();\n"), false),
        ("an edit of two places", edit("-    two();\n"), false),
        ("an edit of separate lines", edit(" fn main() {\n-fn one() {\n"), false),
        ("an edit without a place", edit("+    three();\n"), false),
        ("an edit that changes nothing", edit(" fn main() {\n"), false),
        ("an edit without signs", edit("fn main() {\n"), false),
        ("a new file that exists", block("`src/main.rs`:", "rust create=src/main.rs", "\n"), false),
        ("an old file that does not", block("`src/a.rs`:", "rust replace=src/a.rs", "\n"), false),
        ("a file that no chapter lists", block("`a.rs`:", "rust create=a.rs", "\n"), false),
        (
            "another file removed",
            block("`src/main.rs`:", "sh remove=src/main.rs", "rm -r src\n"),
            false,
        ),
        ("an unknown change", block("`src/main.rs`:", "rust append=src/main.rs", "\n"), false),
    ] {
        if apply(&page, &before()).is_ok() != is_right {
            return fail(format!("{what} is not taken for what it is"));
        }
    }
    Ok(())
}

/// The number is the current one: lines that were added above count.
fn line_numbers() -> Outcome {
    let page = |second: usize| {
        block("`src/main.rs`, line 1:", "diff edit=src/main.rs", " fn main() {\n+    zero();\n")
            + "\nOn line 2 there was `one`.\nNow in `src/main.rs`,"
            + &block(
                &format!("\nline {second}:"),
                "diff edit=src/main.rs",
                " fn one() {\n-    two();\n",
            )
    };
    let old = page(3);
    let applied = apply(&old, &before())?;
    if applied.page != page(7) {
        return fail(format!("the corrected page is\n{}", applied.page));
    }
    let expected = "fn main() {\n    zero();\n    one();\n    two();\n}\n\nfn one() {\n}\n";
    if applied.files["src/main.rs"] != expected {
        return fail(format!("the file is\n{}", applied.files["src/main.rs"]));
    }
    Ok(())
}

fn outputs() -> Outcome {
    let files = |paths: &[(&str, &str)]| -> Files {
        paths.iter().map(|(path, text)| ((*path).to_owned(), (*text).to_owned())).collect()
    };
    let before = files(&[("programs/a.toy", "a"), ("programs/a.out", "1")]);
    let after = files(&[("programs/a.toy", "b"), ("programs/b.toy", "b")]);
    for (path, text, is_right) in [
        ("programs/b.out", "1", true),
        ("programs/a.out", "2", true),
        ("programs/a.out", "1", false),
        ("programs/c.out", "1", false),
        ("programs/b.txt", "1", false),
    ] {
        if needless(&files(&[(path, text)]), &before, &after).is_none() != is_right {
            return fail(format!("{path}, {text} is not taken for what it is"));
        }
    }
    Ok(())
}

/// A crate that does not compile is an error, with the compiler's words.
fn crates() -> Outcome {
    let scratch = scratch("steps/the_harness_can_fail/build");
    let folder = scratch.join("broken");
    let manifest = "[package]\nname = \"toy\"\nedition = \"2024\"\n";
    build::write(&folder.join("Cargo.toml"), manifest)?;
    build::write(&folder.join("src/main.rs"), "fn main() {\n    nothing();\n}\n")?;
    build::write(&folder.join("tests/programs.rs"), "")?;
    match Built::new(&folder, &scratch.join("built"), &["programs"]) {
        Ok(_) => fail("it is built"),
        Err(error) if error.message().is_some_and(|text| text.contains("`nothing`")) => Ok(()),
        Err(error) => Err(error),
    }
}

fn forms() -> Outcome {
    let answer = "Why?\n\n<details><summary>Answer</summary>\n\nSo.\n\n</details>\n\n";
    let picture = "![A tree of three nodes](../pictures/tree.svg)\n\n";
    let page = format!(
        "# Step 4. A dialect\n\n{}{}## Next\n\nSee [chapter 3](../03-a-dialect.md).\n",
        picture.repeat(2),
        answer.repeat(3)
    );
    let wide = "x".repeat(93);
    for (what, page, expected) in [
        ("a chapter", page.clone(), ""),
        ("the title of another step", page.replace("Step 4", "Step 5"), "title"),
        ("one picture", page.replacen(picture, "", 1), "1 pictures"),
        ("a picture without a text", page.replace("A tree of three nodes", ""), "0 pictures"),
        ("two questions", page.replacen(answer, "", 1), "2 folded answers"),
        ("an open answer", page.replacen("</details>", "", 1), "not closed"),
        ("an answer in one line", page.replace("\n\nSo.\n\n", "\nSo.\n"), "an empty line"),
        ("no link to part two", page.replace("../03", "03"), "no link"),
        ("a link in another section", page.clone() + "\n## After\n\nMore.\n", "no link"),
        ("a long chapter", page.clone() + &"word ".repeat(2000), "2017 words"),
        ("a wide listing", page.clone() + &format!("```text\n{wide}\n```\n"), "93 characters"),
        ("a wide command", page.clone() + &format!("```console\n$ {wide}\n```\n"), "95 characters"),
        ("a wide output", page.clone() + &format!("```console\n$ x\n{wide}\n```\n"), ""),
    ] {
        let wrong = form::wrong(&page, 4)?.join("; ");
        if !(wrong.contains(expected) && wrong.is_empty() == expected.is_empty()) {
            return fail(format!("{what}: `{wrong}`, not `{expected}`"));
        }
    }
    let hint = "1. Sum.\n\n   <details><summary>A hint</summary>\n\n   So.\n\n   </details>\n\n";
    for (hints, exercises) in [(2, 1), (4, 2)] {
        let page = answer.to_owned() + &hint.repeat(hints);
        if form::without_hints(&page, exercises).is_some()
            || form::without_hints(&page, exercises + 1).is_none()
        {
            return fail(format!("{hints} hints for {exercises} exercises"));
        }
    }
    let page = "1. **Sum.** ([Solution](../steps/04-a/solutions/01-sum.patch))\n";
    let patches = ["01-sum.patch", "02-max.patch"].map(str::to_owned);
    let missing = form::without_link(page, "04-a", &patches);
    if missing != ["no link to the solution `../steps/04-a/solutions/02-max.patch`"] {
        return fail(format!("solutions without a link: {missing:?}"));
    }
    Ok(())
}

fn programs() -> Outcome {
    let folder = scratch("steps/the_harness_can_fail/examples");
    let program = Program {
        name: "one".to_owned(),
        source: folder.join("one.toy"),
        expected: folder.join("one.out"),
    };
    std::fs::write(&program.expected, "1\n")?;
    for (name, script, expected) in [
        ("right", "echo 1", Some("runs")),
        ("refused", "echo; echo no while >&2; exit 1", Some("no while")),
        ("wrong", "echo 2", None),
        ("silent", "exit 1", None),
        ("talkative", "echo 1; echo done >&2", None),
        ("panic", "echo panicked at main.rs >&2; exit 1", None),
        ("status", "echo no >&2; exit 101", None),
        ("signal", "kill -SEGV $$", None),
    ] {
        let compiler = folder.join(name);
        write_script(&compiler, &format!("#!/bin/bash\n{script}\n"))?;
        let judged = examples::judged(&compiler, &program).ok();
        if judged.as_deref() != expected {
            return fail(format!("{name}: {judged:?}"));
        }
    }
    Ok(())
}

fn solutions() -> Outcome {
    let fails = "running 2 tests\ntest a ... FAILED\ntest b ... FAILED\n\nfailures:\n";
    let passes = "test a ... ok\ntest b ... ok\n\ntest result: ok. 2 passed\n";
    for (what, before, after, is_right) in [
        ("solved", fails, passes, true),
        ("solved before", passes, passes, false),
        ("half solved before", "test a ... ok\ntest b ... FAILED\n", passes, false),
        ("never solved", fails, fails, false),
        ("half solved", fails, "test a ... ok\ntest b ... FAILED\n", false),
        ("one exercise", "test a ... FAILED\n", "test a ... ok\n", false),
    ] {
        let result = exercises::judged(&build::results(before), &build::results(after));
        if result.is_ok() != is_right {
            return fail(format!("{what} is not taken for what it is"));
        }
    }
    Ok(())
}

fn order() -> Outcome {
    for (name, chapters, folders, is_right) in [
        ("right", &["01-a", "02-b"][..], &["01-a"][..], true),
        ("gap", &["01-a", "03-b"], &[], false),
        ("twice", &["01-a", "01-b"], &[], false),
        ("folder", &["01-a"], &["02-b"], false),
        ("none", &[], &[], false),
    ] {
        let tutorial = scratch(&format!("steps/the_harness_can_fail/order/{name}"));
        std::fs::create_dir_all(tutorial.join("build"))?;
        for chapter in chapters {
            std::fs::write(tutorial.join("build").join(format!("{chapter}.md")), "")?;
        }
        for folder in folders {
            std::fs::create_dir_all(tutorial.join("steps").join(folder))?;
        }
        if in_order(&tutorial).is_ok() != is_right {
            return fail(format!("{name} is not taken for what it is"));
        }
    }
    Ok(())
}

fn rhythms() -> Outcome {
    let listing = |path: &str, lines: usize| {
        block(&format!("`{path}`:"), &format!("rust create={path}"), &"x\n".repeat(lines)) + "\n"
    };
    let again = |path: &str, lines: usize| {
        listing(path, lines).replace("create=", "replace=").replacen("x\n", "y\n", 1)
    };
    let edit = |text: &str| block("`src/main.rs`, line 1:", "diff edit=src/main.rs", text) + "\n";
    let check = "```console\n$ cargo check -q\n```\n\n";
    let run = "```console\n$ cargo run -q\n1\n```\n\n";
    let old = "```console previous\n$ cargo run -q\n1\n```\n\n";
    for (what, page, pending, expected) in [
        ("a result", listing("src/a.rs", 120) + run, 0, ""),
        (
            "121 lines",
            listing("src/a.rs", 121) + run,
            0,
            "127: 121 lines are typed since line 1 without a crate",
        ),
        ("two listings", listing("src/a.rs", 80) + &listing("src/b.rs", 80) + run, 0, "160 lines"),
        (
            "a check between them",
            listing("src/a.rs", 80) + check + &listing("src/b.rs", 80) + run,
            0,
            "anything to see",
        ),
        (
            "a run between them",
            listing("src/a.rs", 80) + run + &listing("src/b.rs", 80) + run,
            0,
            "",
        ),
        (
            "the old compiler between them",
            listing("src/a.rs", 80) + old + &listing("src/b.rs", 80) + run,
            0,
            "160",
        ),
        (
            "no result at the end",
            listing("src/a.rs", 80) + run + &listing("src/b.rs", 121),
            0,
            "121 lines",
        ),
        (
            "lines of the step before",
            listing("src/a.rs", 80) + run,
            41,
            "121 lines are typed since line 1 without anything",
        ),
        (
            "a file again",
            listing("src/a.rs", 90) + run + &again("src/a.rs", 12) + run,
            0,
            "11 of 102 lines are typed again",
        ),
        (
            "lines again",
            edit("-    one();\n-    two();\n+    two();\n+    three();\n"),
            0,
            "1 of 2 lines",
        ),
        ("no lines again", edit("-    one();\n-    two();\n+    three();\n"), 0, ""),
    ] {
        let page = page.replace("create=src/a.rs\ny", "replace=src/a.rs\ny");
        let wrong = rhythm::wrong(&Rhythm::of(&apply(&page, &before())?, pending)).join("; ");
        if !(wrong.contains(expected) && wrong.is_empty() == expected.is_empty()) {
            return fail(format!("{what}: `{wrong}`, not `{expected}`"));
        }
    }
    Ok(())
}

fn mods() -> Outcome {
    let files = |main: &str| -> Files {
        [("src/main.rs", main), ("src/a.rs", "pub mod b;\n"), ("src/a/b.rs", ""), ("src/c.td", "")]
            .map(|(path, text)| (path.to_owned(), text.to_owned()))
            .into()
    };
    for (main, expected) in [
        ("mod a;\n", &[][..]),
        ("pub(crate) mod a;\n", &[]),
        ("// mod a;\n", &["src/a.rs", "src/a/b.rs"]),
    ] {
        let files = files(main);
        let unused = unused(&files)?;
        if unused != expected {
            return fail(format!("`{main}`: {unused:?}"));
        }
    }
    Ok(())
}
