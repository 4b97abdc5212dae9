//! A client that other people have written: Neovim, without a screen.

use super::session::expect;
use crate::tools::{Job, Outcome, TOYC, fail, find, root, scratch};
use serde_json::Value;

const PROGRAM: &str = "struct P { var x; }
def flip(a) { return transpose(a); }
def main(){
  # \u{1f600}
  P p = {[[1, 2, 3]]};
  var size = flip(p.x); print(\"\u{1f600}\", size);
  print(cuont);
}
";

pub fn drives() -> Outcome {
    let Some(nvim) = find("nvim") else { return fail("there is no nvim: run ./setup --tests") };
    let folder = scratch("lsp/neovim");
    std::fs::write(folder.join("t.toy"), PROGRAM)?;
    let script = root().join("tests/lsp/neovim.lua");
    let source = format!("luafile {}", script.display());
    let arguments = ["--headless", "-u", "NONE", "-i", "NONE", "-n", "t.toy", "-c", &source];
    let run = Job::new(nvim, arguments)
        .current_dir(&folder)
        .env("TOYC", TOYC)
        .env("HOME", folder.as_os_str())
        .run()?;
    let text = std::fs::read_to_string(folder.join("results.json"));
    let Ok(results) = text.map_err(|_| ()).and_then(|it| serde_json::from_str(&it).map_err(|_| ()))
    else {
        return run.complain("Neovim wrote no results");
    };
    let results: Value = results;
    if let Some(problem) = results.get("problem") {
        return fail(format!("{problem}"));
    }
    let has = |name: &str, part: &str| match results[name].to_string() {
        text if text.contains(part) => Ok(()),
        text => fail(format!("{name}: `{part}` is not in {text}")),
    };
    has("diagnostics", "there is no variable `cuont`")?;
    has("fixed", "print(size)")?;
    has("hover", "var size: 3x1")?;
    has("definition", "\"line\":1")?;
    has("typeDefinition", "\"line\":0")?;
    has("references", "\"line\":5")?;
    has("documentHighlight", "\"line\":5")?;
    has("prepareRename", "flip")?;
    has("renamed", "def turn(a)")?;
    has("renamed", "= turn(p.x)")?;
    has("documentSymbol", "\"children\"")?;
    has("workspaceSymbol", "flip")?;
    has("foldingRange", "\"startLine\":2")?;
    has("semanticTokens", "\"data\":[")?;
    has("signatureHelp", "flip(a)")?;
    has("completion", "\"transpose\"")?;
    has("inlayHint", ": 3x1")?;
    has("codeLens", "1 specialization")?;
    has("command", "toy.transpose")?;
    // The line that is chosen, and not the others.
    has("range_formatted", "turn(p.x);\\n  print(")?;
    has("range_formatted", "def main(){")?;
    has("formatted", "def main() {")?;
    expect(&results["stopped"], true)
}
