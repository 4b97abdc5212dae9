//! Fenced blocks as HTML.
//!
//! Input: the info string and the text of a block, and more attributes. Output: `<pre class="block …">` with colors. Text for the copy
//! button has the class `copy`: the whole text, or of a `console` block the commands without prompts, or of a change
//! the lines that stay and the new ones, without signs.

use crate::highlight::{escaped, html};

pub fn block(info: &str, text: &str, attributes: &str) -> String {
    let (language, rest) = info.split_once(' ').unwrap_or((info, ""));
    let language = language.split(',').next().unwrap_or_default();
    let (kind, body) = match language {
        "console" => ("console", console(text)),
        "diff" => ("diff", diff(text, rest)),
        _ => ("code", format!("<span class=\"copy\">{}</span>", html(text.trim_end(), language))),
    };
    // `nohighlight`: it is colored already.
    format!(
        "<pre class=\"block {kind}\"{attributes}><code class=\"hljs nohighlight\">{body}</code></pre>\n"
    )
}

/// Commands after `$ ` and `> `; all other lines are their output.
fn console(text: &str) -> String {
    let line = |line: &str| {
        let command = |prompt: &str, rest: &str| {
            format!(
                "<span class=\"prompt\">{} </span><span class=\"command copy\">{}</span>\n",
                escaped(prompt),
                escaped(rest)
            )
        };
        match (line.strip_prefix("$ "), line.strip_prefix("> ")) {
            (Some(rest), _) => command("$", rest),
            (_, Some(rest)) => command(">", rest),
            _ if line.starts_with("(exit status ") => {
                format!("<span class=\"status\">{}</span>\n", escaped(line))
            }
            _ => format!("<span class=\"output\">{}</span>\n", escaped(line)),
        }
    };
    text.lines().map(line).collect()
}

/// A change of a file: it has the file's language, and lines are marked.
fn diff(text: &str, place: &str) -> String {
    let path = place.strip_prefix("edit=").unwrap_or_default();
    let language = path.rsplit_once('.').map_or("rust", |(_, extension)| extension);
    // Both versions are colored as a whole: a comment or a string may have begun in an earlier line.
    let version = |signs: [char; 2]| -> Vec<String> {
        let lines =
            text.lines().filter(|line| sign(line).is_some_and(|sign| signs.contains(&sign)));
        let version: String =
            lines.map(|line| format!("{}\n", line.get(1..).unwrap_or_default())).collect();
        html(&version, language).lines().map(str::to_owned).collect()
    };
    let (old, new) = (version([' ', '-']), version([' ', '+']));
    let (mut old, mut new) = (old.into_iter(), new.into_iter());
    let mut result = String::new();
    for line in text.lines() {
        let (class, sign, text, copy) = match sign(line) {
            Some(' ') => {
                old.next();
                ("", " ", new.next(), " copy")
            }
            Some('-') => (" del", "-", old.next(), ""),
            Some(_) => (" add", "+", new.next(), " copy"),
            None => (
                " meta",
                "",
                Some(format!("<span class=\"hljs-meta\">{}</span>", escaped(line))),
                "",
            ),
        };
        result.push_str(&format!(
            "<span class=\"line{class}\"><span class=\"sign\">{sign}</span><span class=\"text{copy}\">{}</span></span>\n",
            text.unwrap_or_default()
        ));
    }
    result
}

/// The sign of a line of a change; None for lines about files and places.
fn sign(line: &str) -> Option<char> {
    let is_about = ["--- ", "+++ ", "@@ ", "diff ", "index ", "..."]
        .iter()
        .any(|start| line.starts_with(start));
    match line.chars().next() {
        _ if is_about => None,
        // Editors remove a space at the end of a line.
        None => Some(' '),
        Some(sign @ (' ' | '-' | '+')) => Some(sign),
        Some(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts that the button copies.
    fn copied(html: &str) -> Vec<String> {
        let parts = html.split("copy\">").skip(1);
        parts
            .map(|part| part.split('\n').next().unwrap_or_default().replace("</span>", ""))
            .collect()
    }

    #[test]
    fn only_commands_are_copied() {
        let html = block("console", "$ toyc a.toy \\\n> -O\n1 2\n(exit status 1)\n$ ls\n", "");
        assert_eq!(
            copied(&html),
            ["toyc a.toy \\", "-O", "ls</code></pre>".trim_end_matches("</code></pre>")]
        );
        assert!(html.contains("<span class=\"output\">1 2</span>"));
        assert!(html.contains("<span class=\"status\">(exit status 1)</span>"));
    }

    #[test]
    fn changes_are_copied_without_signs_and_colored() {
        let html =
            block("diff edit=src/main.rs", " fn main() {\n-    old();\n+    let x;\n }\n", "");
        assert!(html.contains("<span class=\"line add\"><span class=\"sign\">+</span><span class=\"text copy\">    <span class=\"hljs-keyword\">let</span> x;"));
        assert!(html.contains(
            "<span class=\"line del\"><span class=\"sign\">-</span><span class=\"text\">"
        ));
        assert_eq!(html.matches("copy\">").count(), 3);
    }

    #[test]
    fn the_file_of_a_change_decides_its_colors() {
        let toy = block("diff edit=programs/a.toy", "+def main() {}\n", "");
        assert!(toy.contains("<span class=\"hljs-keyword\">def</span>"));
        let toml = block("diff edit=Cargo.toml", "+# a comment\n", "");
        assert!(toml.contains("hljs-comment"));
    }
}
