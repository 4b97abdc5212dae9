//! The support for editors in `editors/`: it works, and it matches the language.
//!
//! Input: the extension, the grammars and the settings; the lexer's tokens, the builtins and the stages of the server.
//! Output: an error for an outdated list of words, for a grammar that reads another language than the compiler, and for
//! settings that have no effect in an editor. A test that needs an editor or npm is ignored without it. The tree-sitter
//! grammar is a workspace of its own, with its tests; with TOYC_TEST_ALL=1, they are built, linted and run here. Otherwise,
//! `.ci/editors` runs them, which builds no compiler.

use crate::tools::{
    EXHAUSTIVE, Job, LINTER, Outcome, TOYC, fail, find, is_exhaustive, is_update, root, scratch,
    target, trial, trial_unless,
};
use libtest_mimic::{Failed, Trial};
use regex_lite::Regex;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use toy_compiler::Stage;
use toy_lsp::settings::{KNOWN, OF_EDITORS, SECTION};
use toy_syntax::builtins::BUILTINS;
use toy_syntax::token::Token;

pub fn trials() -> Vec<Trial> {
    let unless = |missing: Option<&str>, name: &str, test: fn() -> Outcome| {
        trial_unless(missing, format!("editors/{name}"), test)
    };
    let needs = |name: &str, tool: &str, test: fn() -> Outcome| {
        unless(find(tool).is_none().then_some(tool), name, test)
    };
    let long = |name: &str, tool: &str, test: fn() -> Outcome| match is_exhaustive() {
        true => needs(name, tool, test),
        false => unless(Some(EXHAUSTIVE), name, test),
    };
    let is_offline = std::env::var_os("TOYC_TEST_OFFLINE").is_some_and(|value| value == "1");
    vec![
        long("tree_sitter_lints", LINTER, || tree_sitter(&["--no-run"])),
        long("tree_sitter", "cargo", || tree_sitter(&["--", "--skip", EVALUATED])),
        long("tree_sitter_grammar_js", "node", || tree_sitter(&["--", "--exact", EVALUATED])),
        trial("editors/builtins_are_those_of_the_language", builtins),
        trial("editors/stages_are_those_of_the_server", stages),
        trial("editors/settings_are_those_of_the_server", settings),
        trial("editors/licenses", licenses),
        // A copy without its history has no commit to name.
        unless((!root().join(".git").exists()).then_some("history of the repository"), "zed", zed),
        if is_offline {
            unless(Some("network"), "vscode", vscode)
        } else {
            needs("vscode", "npm", vscode)
        },
        needs("neovim", "nvim", neovim),
        needs("emacs", "emacs", emacs),
    ]
}

fn read(path: &str) -> Result<String, Failed> {
    let path = root().join("editors").join(path);
    std::fs::read_to_string(&path).map_err(|error| format!("{}: {error}", path.display()).into())
}

/// The tests of the grammar: its corpus, its queries, and every program of the repository.
fn tree_sitter(filter: &[&str]) -> Outcome {
    let manifest = root().join("editors/tree-sitter-toy/Cargo.toml").display().to_string();
    let arguments = ["test", "-q", "--locked", "--manifest-path", &manifest];
    let run = Job::new(find("cargo").unwrap_or_default(), [&arguments, filter].concat())
        .env("CARGO_TARGET_DIR", target())
        .linted()
        .limit(1800)
        .run()?
        .exits(0)?;
    if filter.contains(&"--exact") && !run.out().contains("1 passed") {
        return run.complain("the test was not run");
    }
    Ok(())
}

/// The test of the grammar that evaluates `grammar.js`.
const EVALUATED: &str = "all_files_are_those_of_the_grammar";

/// The files that list the builtins, each with the text before and after the list.
const BUILTIN_LISTS: [(&str, &str); 7] = [
    ("vscode/syntaxes/toy.tmLanguage.json", r"(?s)\(((?:\w+\|){9,}\w+)\)"),
    ("neovim/syntax/toy.vim", r"(?s)toyBuiltin [^\n]*%\(((?:\w+\\\|){9,}\w+)\\\)"),
    ("emacs/toy-mode.el", r"(?s)toy-builtins\s+'\(([^)]*)\)"),
    ("tree-sitter-toy/queries/highlights.scm", r"(?s)#any-of\? @function.builtin([^)]*)\)"),
    ("helix/queries/toy/highlights.scm", r"(?s)#any-of\? @function.builtin([^)]*)\)"),
    ("helix/queries/toy/highlights.scm", r"(?s)#not-any-of\? @function\s([^)]*)\)"),
    ("zed/languages/toy/highlights.scm", r"(?s)#any-of\? @function.builtin([^)]*)\)"),
];

fn builtins() -> Outcome {
    let functions = BUILTINS.iter().filter(|builtin| builtin.value.is_none());
    let known: BTreeSet<&str> = functions.map(|builtin| builtin.name).collect();
    for (file, list) in BUILTIN_LISTS {
        let text = read(file)?;
        let list = Regex::new(list).expect("a regular expression");
        let Some(found) = list.captures(&text) else {
            return fail(format!("{file}: there is no list of builtins"));
        };
        expect_same(file, &known, &words(&found[1]))?;
    }
    Ok(())
}

/// The words of a text, of letters, digits and `-`.
fn words(text: &str) -> BTreeSet<&str> {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    text.split(|c| !is_part(c)).filter(|word| !word.is_empty()).collect()
}

fn expect_same(file: &str, known: &BTreeSet<&str>, found: &BTreeSet<&str>) -> Outcome {
    let missing: Vec<_> = known.difference(found).collect();
    let superfluous: Vec<_> = found.difference(known).collect();
    if missing.is_empty() && superfluous.is_empty() {
        return Ok(());
    }
    fail(format!("editors/{file}: {missing:?} are missing, {superfluous:?} do not exist"))
}

/// VS Code offers the settings that the server reads, and its own.
fn settings() -> Outcome {
    let package: Value = serde_json::from_str(&read("vscode/package.json")?)?;
    let offered = &package["contributes"]["configuration"]["properties"];
    let offered = offered.as_object().ok_or("package.json has no settings")?.keys();
    let offered = offered.map(|name| name.strip_suffix(".server").unwrap_or(name));
    let known = KNOWN.iter().map(|(name, _)| *name).chain(OF_EDITORS);
    let known: Vec<String> = known.map(|name| format!("{SECTION}.{name}")).collect();
    let known = known.iter().map(String::as_str).collect();
    expect_same("vscode/package.json", &known, &offered.collect())
}

/// The editors offer exactly the stages that the server shows.
fn stages() -> Outcome {
    let known: BTreeSet<&str> = Stage::shown().map(Stage::name).collect();
    let label = Regex::new(r"label: '([^']*)'").expect("a regular expression");
    let text = read("vscode/src/stages.ts")?;
    let labels = label.captures_iter(&text).filter_map(|found| Some(found.get(1)?.as_str()));
    expect_same("vscode/src/stages.ts", &known, &labels.collect())?;
    let lists = [
        ("neovim/plugin/toy.lua", r"(?s)local stages = \{(.*?)\}"),
        ("emacs/toy-mode.el", r"(?s)defconst toy-stages\s+'\(([^)]*)\)"),
    ];
    for (file, list) in lists {
        let text = read(file)?;
        let found = Regex::new(list).expect("a regular expression").captures(&text);
        let found = found.ok_or_else(|| format!("{file}: there is no list of stages"))?;
        expect_same(file, &known, &words(&found[1]))?;
    }
    Ok(())
}

/// A package has the license with it.
fn licenses() -> Outcome {
    let license = std::fs::read_to_string(root().join("LICENSE"))?;
    if read("vscode/LICENSE")? != license {
        return fail("editors/vscode/LICENSE is not the LICENSE of the repository");
    }
    Ok(())
}

/// The extension as Zed takes it names a repository and a commit that has the grammar.
fn zed() -> Outcome {
    let folder = scratch("editors/zed");
    let script = root().join("editors/zed/prepare");
    Job::new(script, [&folder]).run()?.exits(0)?;
    let text = std::fs::read_to_string(folder.join("extension.toml"))?;
    let commit = Regex::new("rev = \"[0-9a-f]{40}\"").expect("a regular expression");
    if text.contains('@') || !commit.is_match(&text) {
        return fail(format!("the extension is not filled in:\n{text}"));
    }
    for file in ["Cargo.toml", "Cargo.lock", "LICENSE", "src/lib.rs", "languages/toy/config.toml"] {
        if !folder.join(file).is_file() {
            return fail(format!("the extension has no {file}"));
        }
    }
    Ok(())
}

/// The extension is checked, tested and packaged with its own tools, which npm fetches: in `target/editors/vscode`, so that
/// they are fetched once.
fn vscode() -> Outcome {
    let source = root().join("editors/vscode");
    let folder = root().join("target/editors/vscode");
    copy(&source, &folder)?;
    let npm = |arguments: &[&str]| {
        let fixed: Vec<Value> = Token::FIXED
            .iter()
            .map(|token| json!({ "text": token.spelling(), "keyword": token.is_keyword() }))
            .collect();
        let functions = BUILTINS.iter().filter(|builtin| builtin.value.is_none());
        let builtins: Vec<&str> = functions.map(|builtin| builtin.name).collect();
        let words = json!({ "fixed": fixed, "builtins": builtins });
        let update = if is_update() { "1" } else { "0" };
        Job::new(find("npm").unwrap_or_default(), arguments)
            .current_dir(&folder)
            .env("TOYC_WORDS", words.to_string())
            .env("TOYC_ROOT", root())
            .env("TOYC", TOYC)
            .env("TOYC_UPDATE", update)
            .limit(900)
            .run()
    };
    let lock = read("vscode/package-lock.json")?;
    let stamp = folder.join("node_modules/.lock");
    if std::fs::read_to_string(&stamp).ok().as_ref() != Some(&lock) {
        let run = npm(&["ci", "--ignore-scripts", "--no-audit", "--no-fund"])?;
        if run.status != Some(0) {
            return run.complain(
                "npm cannot fetch packages; with TOYC_TEST_OFFLINE=1 this test is ignored",
            );
        }
        std::fs::write(&stamp, lock)?;
    }
    npm(&["test"])?.exits(0)?;
    if is_update() {
        copy(&folder.join("test"), &source.join("test"))?;
    }
    let run = npm(&["run", "package"])?.exits(0)?;
    let text = format!("{}{}", run.out(), run.stderr);
    for file in ["extension.js", "toy.tmLanguage.json", "LICENSE", "icon"] {
        if !text.contains(file) {
            return run.complain(format!("the package has no {file}"));
        }
    }
    Ok(())
}

/// Copies a folder, without fetched or generated files. Files that are the same stay, with their times.
pub fn copy(from: &Path, to: &Path) -> Outcome {
    std::fs::create_dir_all(to)?;
    for entry in std::fs::read_dir(from)? {
        let entry = entry?;
        let name = entry.file_name();
        if ["node_modules", "dist"].iter().any(|it| name == *it) {
            continue;
        }
        let (from, to) = (entry.path(), to.join(&name));
        if from.is_dir() {
            copy(&from, &to)?;
        } else if std::fs::read(&to).ok() != Some(std::fs::read(&from)?) {
            std::fs::copy(&from, &to)?;
        }
    }
    Ok(())
}

const PROGRAM: &str = "def f(x) { return x + [1, 2]; }
def main() {
  var y = f([3, 4]);
  print(z);
}
";

/// The plugin as its README says, in Neovim without a screen.
fn neovim() -> Outcome {
    let folder = scratch("editors/neovim");
    let plugin = root().join("editors/neovim").display().to_string();
    let settings = read("neovim/README.md")?;
    let settings = settings.split("```lua\n").nth(1).and_then(|rest| rest.split("```").next());
    let settings = settings.ok_or("the README has no settings")?;
    let settings = settings
        .replace("/path/to/repository/editors/neovim", &plugin)
        .replace("/path/to/toyc", TOYC);
    std::fs::write(folder.join("init.lua"), settings)?;
    std::fs::write(folder.join("t.toy"), PROGRAM)?;
    let script = format!("luafile {}", root().join("tests/editors/neovim.lua").display());
    let arguments = ["--headless", "-u", "init.lua", "-i", "NONE", "-n", "t.toy", "-c", &script];
    let run = Job::new(find("nvim").unwrap_or_default(), arguments)
        .current_dir(&folder)
        .env("HOME", &folder)
        .env("XDG_STATE_HOME", folder.join("state"))
        .run()?;
    let text = std::fs::read_to_string(folder.join("results.json")).unwrap_or_default();
    let Ok(results) = serde_json::from_str::<Value>(&text) else {
        return run.complain("Neovim wrote no results");
    };
    if let Some(problem) = results.get("problem") {
        return run.complain(format!("{problem}"));
    }
    let has = |place: &str, part: &str| match results.pointer(place).and_then(Value::as_str) {
        Some(text) if text.contains(part) => Ok(()),
        found => fail(format!("{place}: `{part}` is not in {found:?}")),
    };
    has("/filetype", "toy")?;
    has("/commentstring", "# %s")?;
    has("/colors", "def=toyDeclaration f=toyFunction")?;
    has("/colors", "print=toyBuiltin z=")?;
    has("/diagnostics", "there is no variable `z`")?;
    has("/lens/text", "toy.add")?;
    has("/lens/name", "shapes of f")?;
    has("/lens/filetype", "mlir")?;
    has("/stage/text", "define")?;
    has("/again/name", "llvm of f")?;
    has("/plan/text", "memory plan")?;
    match results["completion"] == json!(["memref", "memory-plan"]) {
        true => Ok(()),
        false => fail(format!("completion: {}", results["completion"])),
    }
}

/// The mode's own tests, and that it compiles without a warning.
fn emacs() -> Outcome {
    let source = root().join("editors/emacs");
    let compiled: PathBuf = scratch("editors/emacs").join("toy-mode.elc");
    let run = |arguments: &[&str]| {
        let all = [&["-Q", "--batch", "-L", "."], arguments].concat();
        Job::new(find("emacs").unwrap_or_default(), all)
            .current_dir(&source)
            .env("TOY_PROGRAMS", root().join("examples"))
            .run()?
            .exits(0)
    };
    run(&["-l", "toy-mode-test.el", "-f", "ert-run-tests-batch-and-exit"])?;
    let options = format!(
        "(setq byte-compile-error-on-warn t byte-compile-dest-file-function (lambda (_) {:?}))",
        compiled.display().to_string()
    );
    run(&["--eval", &options, "-f", "batch-byte-compile", "toy-mode.el"])?;
    Ok(())
}
