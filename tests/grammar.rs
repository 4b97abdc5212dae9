//! A recognizer for the grammar of the language reference.
//!
//! Input: the EBNF, its symbols separated by white space; then rows of symbols. Output: whether a rule
//! derives a row. A rule whose name is in capitals is about the characters of one token, the others are
//! about tokens. Notation: `"t"`, `"a" … "z"`,
//! `a b`, `a | b`, `[ a ]`, `{ a }`, `( a )`, `…` for any symbol, and `! a b` for a `b` where no `a` matches.
//! Invariant: every place that a rule can end at is found once, so the work is polynomial. Rules that
//! start with themselves are not supported. Rules have numbers, because a debug build takes long to hash names.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

#[derive(Debug)]
enum Rule<'g> {
    Terminal(&'g str),
    Range(&'g str, &'g str),
    Any,
    /// The number of a rule.
    Name(usize),
    Sequence(Vec<Rule<'g>>),
    Choice(Vec<Rule<'g>>),
    Optional(Box<Rule<'g>>),
    Repeated(Box<Rule<'g>>),
    Not(Box<Rule<'g>>),
}

pub struct Grammar<'g> {
    names: Vec<&'g str>,
    /// The rules of these names.
    rules: Vec<Rule<'g>>,
    /// The quoted words of the grammar, without the characters of tokens.
    pub terminals: BTreeSet<&'g str>,
    /// The names that are used and have no rule.
    pub undefined: BTreeSet<&'g str>,
    /// Rules in capitals and tokens, and whether they match: programs have few different tokens.
    known_tokens: RefCell<HashMap<(usize, String), bool>>,
}

impl<'g> Grammar<'g> {
    pub fn new(text: &'g str) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        let starts: Vec<usize> = (0..words.len()).filter(|at| words[*at] == "=").collect();
        let mut grammar = Self {
            names: starts.iter().map(|start| words[start - 1]).collect(),
            rules: Vec::new(),
            terminals: BTreeSet::new(),
            undefined: BTreeSet::new(),
            known_tokens: RefCell::default(),
        };
        for (index, start) in starts.iter().enumerate() {
            let end = starts.get(index + 1).map_or(words.len(), |next| next - 1);
            let (name, mut body) = (words[start - 1], &words[start + 1..end]);
            if !is_of_characters(name) {
                grammar.terminals.extend(body.iter().filter_map(|word| quoted(word)));
            }
            grammar.undefined.extend(body.iter().filter(|w| w.starts_with(char::is_alphabetic)));
            let rule = choice(&mut body, &grammar.names);
            let is_new = !grammar.names[..index].contains(&name);
            assert!(body.is_empty() && is_new, "rule `{name}`");
            grammar.rules.push(rule);
        }
        grammar.undefined.retain(|name| !grammar.names.contains(name));
        grammar
    }

    /// True if the rule derives exactly this row of symbols.
    pub fn derives(&self, rule: &str, symbols: &[&str]) -> bool {
        let rule = number(rule, &self.names);
        Matcher::new(self, symbols, false).ends_of_named(rule, 0).contains(&symbols.len())
    }
}

fn is_of_characters(name: &str) -> bool {
    name.chars().all(char::is_uppercase)
}

/// The number of a rule; of a name that has none, a number that no rule has.
fn number(name: &str, names: &[&str]) -> usize {
    names.iter().position(|it| *it == name).unwrap_or(names.len())
}

fn quoted(word: &str) -> Option<&str> {
    word.strip_prefix('"')?.strip_suffix('"')
}

fn choice<'g>(words: &mut &[&'g str], names: &[&str]) -> Rule<'g> {
    let mut choices = vec![sequence(words, names)];
    while let ["|", rest @ ..] = words {
        *words = rest;
        choices.push(sequence(words, names));
    }
    Rule::Choice(choices)
}

fn sequence<'g>(words: &mut &[&'g str], names: &[&str]) -> Rule<'g> {
    let mut sequence = Vec::new();
    while let [word, ..] = words
        && !["|", "]", "}", ")"].contains(word)
    {
        sequence.push(item(words, names));
    }
    Rule::Sequence(sequence)
}

fn item<'g>(words: &mut &[&'g str], names: &[&str]) -> Rule<'g> {
    let word = words[0];
    *words = &words[1..];
    let mut inner = |closing: &str| {
        let rule = choice(words, names);
        assert!(words.first() == Some(&closing), "`{word}` without `{closing}`");
        *words = &words[1..];
        Box::new(rule)
    };
    match word {
        "(" => *inner(")"),
        "[" => Rule::Optional(inner("]")),
        "{" => Rule::Repeated(inner("}")),
        "…" => Rule::Any,
        "!" => Rule::Not(Box::new(item(words, names))),
        _ => match (quoted(word), &words) {
            (Some(first), ["…", last, rest @ ..]) => {
                *words = rest;
                Rule::Range(first, quoted(last).expect("a character in quotes"))
            }
            (Some(text), _) => Rule::Terminal(text),
            (None, _) => Rule::Name(number(word, names)),
        },
    }
}

/// Places in order.
type Ends = Rc<[usize]>;

struct Matcher<'g, 's> {
    grammar: &'s Grammar<'g>,
    symbols: &'s [&'s str],
    /// True if the symbols are the characters of one token.
    is_in_token: bool,
    /// For each place, the ends of each rule.
    known: Vec<Option<Ends>>,
}

impl<'g, 's> Matcher<'g, 's> {
    fn new(grammar: &'s Grammar<'g>, symbols: &'s [&'s str], is_in_token: bool) -> Self {
        let known = vec![None; grammar.rules.len() * (symbols.len() + 1)];
        Self { grammar, symbols, is_in_token, known }
    }

    /// The places at which the rule of this number can end if it starts here.
    fn ends_of_named(&mut self, rule: usize, start: usize) -> Ends {
        let at = start * self.grammar.rules.len() + rule;
        if let Some(ends) = &self.known[at] {
            return ends.clone();
        }
        let mut ends = Vec::new();
        if is_of_characters(self.grammar.names[rule]) && !self.is_in_token {
            let symbol = self.symbols.get(start);
            ends.extend(symbol.is_some_and(|it| self.is_token(rule, it)).then_some(start + 1));
        } else {
            self.ends(&self.grammar.rules[rule], start, &mut ends);
            ends.sort_unstable();
            ends.dedup();
        }
        self.known[at].insert(ends.into()).clone()
    }

    /// Adds the places at which the rule can end if it starts here, in any order.
    fn ends(&mut self, rule: &'s Rule<'g>, start: usize, ends: &mut Vec<usize>) {
        let symbol = self.symbols.get(start).copied();
        let is_next = match rule {
            Rule::Any => symbol.is_some(),
            Rule::Terminal(text) => symbol == Some(text),
            Rule::Range(first, last) => {
                symbol.is_some_and(|symbol| (*first..=*last).contains(&symbol))
            }
            Rule::Name(rule) => {
                ends.extend_from_slice(&self.ends_of_named(*rule, start));
                false
            }
            Rule::Sequence(rules) => {
                let (mut starts, mut next) = (vec![start], Vec::new());
                for rule in rules {
                    for at in starts.drain(..) {
                        self.ends(rule, at, &mut next);
                    }
                    next.sort_unstable();
                    next.dedup();
                    std::mem::swap(&mut starts, &mut next);
                }
                ends.append(&mut starts);
                false
            }
            Rule::Choice(rules) => {
                rules.iter().for_each(|rule| self.ends(rule, start, ends));
                false
            }
            Rule::Optional(rule) => {
                self.ends(rule, start, ends);
                ends.push(start);
                false
            }
            Rule::Repeated(rule) => {
                let (mut found, mut new) = (BTreeSet::new(), vec![start]);
                while let Some(at) = new.pop() {
                    if found.insert(at) {
                        self.ends(rule, at, &mut new);
                    }
                }
                ends.extend(found);
                false
            }
            Rule::Not(rule) => {
                let mut inner = Vec::new();
                self.ends(rule, start, &mut inner);
                ends.extend(inner.is_empty().then_some(start));
                false
            }
        };
        if is_next {
            ends.push(start + 1);
        }
    }

    /// True if a token matches one of these; a keyword matches only itself.
    fn is_token(&self, rule: usize, token: &str) -> bool {
        let mut known = self.grammar.known_tokens.borrow_mut();
        *known.entry((rule, token.to_owned())).or_insert_with(|| {
            let characters: Vec<&str> = token.split("").filter(|part| !part.is_empty()).collect();
            let ends = Matcher::new(self.grammar, &characters, true).ends_of_named(rule, 0);
            ends.contains(&characters.len()) && !self.grammar.terminals.contains(token)
        })
    }
}
