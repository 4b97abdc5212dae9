//! Features that need no shapes: diagnostics, names, layout.

use super::session::{
    Session, URI, document_changes, edited, edits_of, expect, place, range_of, ranges, shown,
};
use crate::tools::{Outcome, fail, scratch, toyc};
use serde_json::{Value, json};

pub fn diagnostics() -> Outcome {
    let mut session = Session::with("def main() {\n  print(a);\n}\n")?;
    let all = session.diagnosed(&["E0201"])?;
    expect(shown(&all[0]["range"]), "1:8-1:9")?;
    expect(&all[0]["source"], "toyc")?;
    expect(&all[0]["severity"], 1)?;
    // A letter, a name that is defined, a warning.
    session.change(Some([1, 0, 1, 0]), "  var a = 1;\n")?;
    session.diagnosed(&[])?;
    session.change(Some([2, 8, 2, 9]), "2")?;
    let all = session.diagnosed(&["W0101"])?;
    expect(&all[0]["tags"], [1])?;
    session.change(None, "def f() {")?;
    session.diagnosed(&["E0103", "E0208"])?;
    session.notify("textDocument/didClose", json!({"textDocument": {"uri": URI}}))?;
    session.cleared(URI)?;
    // MLIR is not Toy.
    let document =
        json!({"uri": "file:///m.mlir", "languageId": "mlir", "version": 1, "text": "x"});
    session.notify("textDocument/didOpen", json!({ "textDocument": document }))?;
    session.cleared("file:///m.mlir")?;
    session.finish()
}

pub fn quick_fixes() -> Outcome {
    let text = "def main() {\n  var count = 1;\n  print(cuont, coutn);\n}\n";
    let mut session = Session::of_client(document_changes(), text)?;
    session.diagnosed(&["E0201", "E0201"])?;
    let range = json!({"start": {"line": 2, "character": 9}, "end": {"line": 2, "character": 9}});
    let mut params = json!({"textDocument": {"uri": URI}, "range": range,
        "context": {"diagnostics": []}});
    let actions = session.request("textDocument/codeAction", params.clone())?;
    expect(actions.as_array().map(Vec::len), Some(1))?;
    expect(&actions[0]["title"], "did you mean `count`?")?;
    let edits = edits_of(&actions[0]["edit"], true)?;
    expect(edited(text, &edits), text.replace("cuont", "count"))?;
    params["context"]["only"] = json!(["refactor"]);
    let none = session.request("textDocument/codeAction", params)?;
    expect(none, Vec::<Value>::new())?;
    session.finish()
}

/// Edits of versions are for clients that announce them; every client reads the others.
pub fn edit_forms() -> Outcome {
    let text = "def main() {\n  var count = 1;\n  print(cuont);\n}\n";
    let without = json!({"workspace": {"workspaceEdit": {"documentChanges": false}}});
    for (capabilities, has_document_changes) in
        [(document_changes(), true), (without, false), (json!({}), false)]
    {
        let mut session = Session::of_client(capabilities, text)?;
        session.diagnosed(&["E0201"])?;
        let params = json!({"textDocument": {"uri": URI}, "context": {"diagnostics": []},
            "range": range_of([2, 9, 2, 9])});
        let actions = session.request("textDocument/codeAction", params)?;
        let edits = edits_of(&actions[0]["edit"], has_document_changes)?;
        expect(edited(text, &edits), text.replace("cuont", "count"))?;
        let mut params = place(1, 6);
        params["newName"] = json!("n");
        let edit = session.request("textDocument/rename", params)?;
        let edits = edits_of(&edit, has_document_changes)?;
        expect(edited(text, &edits), text.replace("count", "n"))?;
        if has_document_changes {
            expect(&edit["documentChanges"][0]["textDocument"], json!({"uri": URI, "version": 1}))?;
        }
        session.finish()?;
    }
    Ok(())
}

pub fn encodings() -> Outcome {
    let text = "def main() { # \u{e9}\u{1f600}\n  print(\"\u{e9}\u{1f600}\", a); }";
    let offered = |kind: &str| json!({"general": {"positionEncodings": [kind, "utf-16"]}});
    for (kind, chosen, column) in
        [("utf-8", "utf-8", 18), ("utf-16", "utf-16", 15), ("utf-32", "utf-16", 15)]
    {
        let mut session = Session::start(&[])?;
        let result = session.initialize(offered(kind))?;
        expect(&result["capabilities"]["positionEncoding"], chosen)?;
        session.open(text)?;
        let all = session.diagnosed(&["E0201"])?;
        expect(shown(&all[0]["range"]), format!("1:{column}-1:{}", column + 1))?;
        session.change(Some([1, column, 1, column + 1]), "1")?;
        session.diagnosed(&[])?;
        session.finish()?;
    }
    Ok(())
}

const NAMES: &str = "struct P { var x; }
def f(P p, y) { return p.x + y; }
def main() {
  P p = {1};
  var x = f(p, 2);
  if (x) { var y = x; print(y, p.x); }
  print(f(p, x));
}
";

pub fn names() -> Outcome {
    let mut session = Session::with(NAMES)?;
    let definition = session.at("definition", 5, 33)?;
    expect(shown(&definition["range"]), "0:15-0:16")?;
    let ty = session.at("typeDefinition", 5, 31)?;
    expect(shown(&ty["range"]), "0:7-0:8")?;
    let definition = session.at("definition", 6, 13)?;
    expect(shown(&definition["range"]), "4:6-4:7")?;
    expect(session.at("definition", 6, 3)?, Value::Null)?;
    let mut params = place(1, 4);
    params["context"] = json!({"includeDeclaration": true});
    let references = session.request("textDocument/references", params.clone())?;
    expect(ranges(&references), ["1:4-1:5", "4:10-4:11", "6:8-6:9"])?;
    params["context"] = json!({"includeDeclaration": false});
    let references = session.request("textDocument/references", params)?;
    expect(ranges(&references), ["4:10-4:11", "6:8-6:9"])?;
    let highlights = session.at("documentHighlight", 4, 6)?;
    expect(ranges(&highlights), ["4:6-4:7", "5:6-5:7", "5:19-5:20", "6:13-6:14"])?;
    // The field, not the variable.
    let prepared = session.at("prepareRename", 0, 15)?;
    expect(&prepared["placeholder"], "x")?;
    let rename = |session: &mut Session, line, column, name: &str| {
        let mut params = place(line, column);
        params["newName"] = json!(name);
        let id = session.send_request("textDocument/rename", params)?;
        session.answer_of(id)
    };
    let answer = rename(&mut session, 0, 15, "size")?;
    let edits = edits_of(&answer["result"], false)?;
    let expected = NAMES.replace("var x; }", "var size; }").replace("p.x", "p.size");
    expect(edited(NAMES, &edits), expected)?;
    // Names that would mean something else, or nothing.
    for (line, column, name) in [
        (4, 6, "p"),
        (5, 15, "x"),
        (4, 6, "if x"),
        (4, 6, "var"),
        (4, 6, ""),
        (4, 6, "\u{e9}"),
        (1, 4, "print"),
        (1, 4, "main"),
        (2, 4, "start"),
        (6, 3, "show"),
        (7, 0, "x"),
    ] {
        let answer = rename(&mut session, line, column, name)?;
        if !answer["error"]["message"].is_string() {
            return fail(format!("{line}:{column} to `{name}`: {answer}"));
        }
    }
    session.finish()
}

pub fn symbols() -> Outcome {
    let folder = scratch("lsp/symbols");
    std::fs::create_dir_all(folder.join("inner/target"))?;
    std::fs::write(folder.join("one.toy"), "def in_one() { }\n")?;
    std::fs::write(folder.join("inner/a b.toy"), "struct InTwo { var field_of_two; }\n")?;
    std::fs::write(folder.join("inner/target/made.toy"), "def made() { }\n")?;
    let mut session = Session::start(&[])?;
    let uri = format!("file://{}", folder.display());
    let params = json!({"rootUri": uri, "capabilities":
        {"textDocument": {"documentSymbol": {"hierarchicalDocumentSymbolSupport": true}}}});
    session.request("initialize", params)?;
    session.open(NAMES)?;
    let outline = session.of("documentSymbol")?;
    let names = |list: &Value| -> Vec<String> {
        let all = list.as_array().cloned().unwrap_or_default();
        all.iter().map(|it| it["name"].as_str().unwrap_or("?").to_owned()).collect()
    };
    expect(names(&outline), ["P", "f", "main"])?;
    expect(names(&outline[1]["children"]), ["p", "y"])?;
    expect(&outline[1]["detail"], "(P p, y)")?;
    expect(shown(&outline[2]["range"]), "2:0-7:1")?;
    let found = session.request("workspace/symbol", json!({"query": "IN"}))?;
    expect(names(&found), ["main", "in_one", "InTwo"])?;
    let file = format!("{uri}/inner/a%20b.toy");
    expect(&found[2]["location"]["uri"], file)?;
    session.finish()
}

pub fn formatting() -> Outcome {
    let text = "def main(){\r\n  var \u{e9}=1;\r\n}\n".replace('\u{e9}', "x")
        + "# between\ndef f( a ){return a;}\n\n\n\ndef   g() { f(1); }\n";
    let mut session = Session::with(&text)?;
    let edits = session.of("formatting")?;
    let expected = toyc(["fmt", "-"]).stdin(text.as_str()).run()?.exits(0)?.out();
    expect(edited(&text, &edits), &expected)?;
    session.change(None, &expected)?;
    expect(session.of("formatting")?, Vec::<Value>::new())?;
    // Only the lines of the range.
    session.change(None, &text)?;
    let options = json!({"tabSize": 2, "insertSpaces": true});
    let mut params = json!({"textDocument": {"uri": URI}, "options": options});
    params["range"] = range_of([3, 5, 4, 3]);
    let edits = session.request("textDocument/rangeFormatting", params.clone())?;
    let lines = "\r\n# between\r\ndef f(a) { return a; }\r\n";
    let wanted = text.replace("# between\ndef f( a ){return a;}\n", lines);
    expect(edited(&text, &edits), wanted)?;
    // A program with syntax errors is left alone.
    session.change(None, "def main( { print(1)  ; }")?;
    expect(session.of("formatting")?, Value::Null)?;
    expect(session.of("rangeFormatting")?, Value::Null)?;
    session.finish()
}

pub fn tokens() -> Outcome {
    let text =
        "# a\n# b\ndef main() {\n  for i in 0..3 {\n    print(\"\u{1f600}\", i); # c\n  }\n}\n";
    let mut session = Session::with(text)?;
    let tokens = session.of("semanticTokens/full")?;
    let data: Vec<u64> =
        tokens["data"].as_array().into_iter().flatten().filter_map(Value::as_u64).collect();
    let (mut line, mut column, mut words) = (0, 0, Vec::new());
    for token in data.chunks(5) {
        column = if token[0] > 0 { token[1] } else { column + token[1] };
        line += token[0];
        let units: Vec<u16> =
            text.lines().nth(line as usize).unwrap_or("").encode_utf16().collect();
        let word = &units[column as usize..(column + token[2]) as usize];
        let modifier = ["", "d"][(token[4] & 1) as usize];
        words.push(format!("{}:{}{modifier}", String::from_utf16_lossy(word), token[3]));
    }
    let expected = [
        "# a:8",
        "# b:8",
        "def:0d",
        "main:1d",
        "for:0",
        "i:5d",
        "in:0",
        "0:6",
        "..:9",
        "3:6",
        "print:1",
        "\"\u{1f600}\":7",
        "i:5",
        "# c:8",
    ];
    expect(words, expected)?;
    let range = session.of("semanticTokens/range")?;
    expect(&range["data"], &tokens["data"])?;
    let folds = session.of("foldingRange")?;
    let lines = |it: &Value| format!("{}-{}", it["startLine"], it["endLine"]);
    let folds: Vec<String> = folds.as_array().into_iter().flatten().map(lines).collect();
    expect(folds, ["0-1", "2-5", "3-4"])?;
    session.finish()
}

/// Editors that escape nothing in a URI, not even in the folder's.
pub fn uris() -> Outcome {
    let mut session = Session::start(&[])?;
    let folder = "file:///tmp/\u{e9} [\u{4e16}]";
    let uri = format!("{folder}/100%.toy");
    let params = json!({"processId": null, "rootUri": folder, "capabilities": {},
        "workspaceFolders": [{"uri": folder, "name": "x"}]});
    session.request("initialize", params)?;
    let text = "def f(a) { return a; }\ndef main() { print(f(1)); }\n";
    let document = json!({"uri": uri, "languageId": "toy", "version": 1, "text": text});
    session.notify("textDocument/didOpen", json!({ "textDocument": document }))?;
    let place = json!({"textDocument": {"uri": uri}, "position": {"line": 1, "character": 19}});
    let definition = session.request("textDocument/definition", place.clone())?;
    expect(&definition["uri"], &uri)?;
    let mut rename = place.clone();
    rename["newName"] = json!("g");
    let edit = session.request("textDocument/rename", rename)?;
    expect(edit["changes"][&uri].as_array().map(Vec::len), Some(2))?;
    let arguments = json!({"command": "toyc.showStage", "arguments": [uri, "toy", "f"]});
    let stage = session.request("workspace/executeCommand", arguments)?;
    expect(stage.to_string().contains("@f"), true)?;
    session.notify("textDocument/didClose", json!({"textDocument": {"uri": uri}}))?;
    session.cleared(&uri)?;
    session.finish()
}

pub fn completion() -> Outcome {
    let mut session = Session::with("")?;
    let labels = |list: &Value| -> Vec<String> {
        let all = list.as_array().cloned().unwrap_or_default();
        all.iter().map(|it| it["label"].as_str().unwrap_or("?").to_owned()).collect()
    };
    let start = "struct P { var x; var y; } struct Q { P p; var z; }\n\
                 def f(first, second) { return first; } def g(a, Q q) { return a; }\n\
                 def main() {\n  P p = {1, 2};\n";
    // At the end of the text: an offered name, and an unwanted one.
    for (line, wanted, unwanted) in [
        ("  print(p.", "y", "p"),
        ("  print(p.x + p.", "x", "f"),
        ("  var z = ", "p", "print"),
        ("  pri", "print", "def"),
        ("  var z = f(p.x, su", "sum", "while"),
        ("  var z = sum(p.x, ", "axis", "end"),
        ("  w", "while", "struct"),
        ("}\nd", "def", "while"),
    ] {
        session.change(None, &format!("{start}{line}"))?;
        let last = line.lines().last().unwrap_or_default();
        let at = 3 + line.lines().count() as u32;
        let items = session.at("completion", at, last.len() as u32)?;
        let items = labels(&items);
        if !items.contains(&wanted.to_owned()) || items.contains(&unwanted.to_owned()) {
            return fail(format!("`{line}`: {wanted}, not {unwanted}: {items:?}"));
        }
    }
    for line in ["  # p.", "  var ", "  print(\"p.", "  var z = 12"] {
        session.change(None, &format!("{start}{line}"))?;
        let items = session.at("completion", 4, line.len() as u32)?;
        expect(labels(&items), Vec::<String>::new())?;
    }
    for (line, label, active) in [
        ("  f(", "f(first, second)", 0),
        ("  f([1, 2], ", "f(first, second)", 1),
        ("  f(sum(p.x, ", "sum(x, axis = a)", 1),
        ("  f(sum(p.x, axis = 0), (1 + ", "f(first, second)", 1),
        ("  P q = {", "struct P { var x; var y; }", 0),
        ("  P q = ({f(1, 2), [1, ", "struct P { var x; var y; }", 1),
        ("  p = {f(", "f(first, second)", 0),
        ("  p = {1, ", "struct P { var x; var y; }", 1),
        ("  g(1, {", "struct Q { P p; var z; }", 0),
        ("  g(1, {{1, ", "struct P { var x; var y; }", 1),
        ("  Q q = {{1, 2}, ", "struct Q { P p; var z; }", 1),
    ] {
        session.change(None, &format!("{start}{line}"))?;
        let help = session.at("signatureHelp", 4, line.len() as u32)?;
        let signature = &help["signatures"][help["activeSignature"].as_u64().unwrap_or(9) as usize];
        expect(&signature["label"], label)?;
        expect(&help["activeParameter"], active)?;
    }
    for line in ["  if (1", "  if (1) { ", "  var x = [", "  Q q = {1, {", "  p = {1}; { "] {
        session.change(None, &format!("{start}{line}"))?;
        let help = session.at("signatureHelp", 4, line.len() as u32)?;
        if help != Value::Null {
            return fail(format!("`{line}`: {help}"));
        }
    }
    session.finish()
}

pub fn calls() -> Outcome {
    let text = "def h(a) { return a; }\ndef g(a) { return h(a) + h(a); }\ndef main() { print(g(1), h(2)); }\n";
    let mut session = Session::with(text)?;
    let prepared = session.request("textDocument/prepareCallHierarchy", place(1, 18))?;
    let names = |items: &Value, key: &str| -> Vec<String> {
        let items = items.as_array().into_iter().flatten();
        let name = |it: &Value| it[key]["name"].as_str().unwrap_or("?").to_owned();
        let places = |it: &Value| -> Vec<String> {
            it["fromRanges"].as_array().into_iter().flatten().map(shown).collect()
        };
        items.map(|it| format!("{} {}", name(it), places(it).join(" "))).collect()
    };
    expect(&prepared[0]["name"], "h")?;
    let of = json!({ "item": prepared[0] });
    let incoming = session.request("callHierarchy/incomingCalls", of.clone())?;
    expect(names(&incoming, "from"), ["g 1:18-1:19 1:25-1:26", "main 2:25-2:26"])?;
    let none = session.request("callHierarchy/outgoingCalls", of)?;
    expect(none, Vec::<Value>::new())?;
    let main = session.request("textDocument/prepareCallHierarchy", place(2, 5))?;
    let outgoing = session.request("callHierarchy/outgoingCalls", json!({ "item": main[0] }))?;
    expect(names(&outgoing, "to"), ["h 2:25-2:26", "g 2:19-2:20"])?;
    // A builtin has no callers that are known.
    let builtin = session.request("textDocument/prepareCallHierarchy", place(2, 14))?;
    expect(builtin, Value::Null)?;
    session.finish()
}

pub fn selections() -> Outcome {
    let text = "def main() {\n  if (1) {\n    print(2 + 34);\n  }\n}\n";
    let mut session = Session::with(text)?;
    let mut params = place(2, 15);
    params["positions"] = json!([{"line": 2, "character": 15}, {"line": 5, "character": 0}]);
    let all = session.request("textDocument/selectionRange", params)?;
    let mut found = Vec::new();
    let mut range = &all[0];
    while !range.is_null() {
        found.push(shown(&range["range"]));
        range = &range["parent"];
    }
    let expected =
        ["2:14-2:16", "2:10-2:16", "2:4-2:17", "1:9-3:3", "1:2-3:3", "0:0-4:1", "0:0-5:0"];
    expect(found, expected)?;
    expect(shown(&all[1]["range"]), "0:0-5:0")?;
    session.finish()
}
