//! A recognizer for the grammar of the language reference.
//!
//! Input: the EBNF, its symbols separated by white space; then rows of symbols. Output: whether a rule
//! derives a row. A rule whose name is in capitals is about the characters of one token, the others are
//! about tokens. Notation: `"t"`, `"a" … "z"`,
//! `a b`, `a | b`, `[ a ]`, `{ a }`, `( a )`, `…` for any symbol, and `! a b` for a `b` where no `a` matches.
//! Invariant: every place that a rule can end at is found once, so the work is polynomial. Rules that
//! start with themselves are not supported.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

#[derive(Debug)]
enum Rule<'g> {
    Terminal(&'g str),
    Range(&'g str, &'g str),
    Any,
    Name(&'g str),
    Sequence(Vec<Rule<'g>>),
    Choice(Vec<Rule<'g>>),
    Optional(Box<Rule<'g>>),
    Repeated(Box<Rule<'g>>),
    Not(Box<Rule<'g>>),
}

pub struct Grammar<'g> {
    rules: HashMap<&'g str, Rule<'g>>,
    /// The quoted words of the grammar, without the characters of tokens.
    pub terminals: BTreeSet<&'g str>,
    /// The names that are used and have no rule.
    pub undefined: BTreeSet<&'g str>,
    /// Rules in capitals and tokens, and whether they match: programs have few different tokens.
    known_tokens: RefCell<HashMap<(&'g str, String), bool>>,
}

impl<'g> Grammar<'g> {
    pub fn new(text: &'g str) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        let starts: Vec<usize> = (0..words.len()).filter(|at| words[*at] == "=").collect();
        let mut grammar = Self {
            rules: HashMap::new(),
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
            let rule = choice(&mut body);
            assert!(body.is_empty() && grammar.rules.insert(name, rule).is_none(), "rule `{name}`");
        }
        grammar.undefined.retain(|name| !grammar.rules.contains_key(name));
        grammar
    }

    /// True if the rule derives exactly this row of symbols.
    pub fn derives(&self, rule: &'g str, symbols: &[&str]) -> bool {
        Matcher::new(self, symbols, false).ends(&Rule::Name(rule), 0).contains(&symbols.len())
    }
}

fn is_of_characters(name: &str) -> bool {
    name.chars().all(char::is_uppercase)
}

fn quoted(word: &str) -> Option<&str> {
    word.strip_prefix('"')?.strip_suffix('"')
}

fn choice<'g>(words: &mut &[&'g str]) -> Rule<'g> {
    let mut choices = vec![sequence(words)];
    while let ["|", rest @ ..] = words {
        *words = rest;
        choices.push(sequence(words));
    }
    Rule::Choice(choices)
}

fn sequence<'g>(words: &mut &[&'g str]) -> Rule<'g> {
    let mut sequence = Vec::new();
    while let [word, ..] = words
        && !["|", "]", "}", ")"].contains(word)
    {
        sequence.push(item(words));
    }
    Rule::Sequence(sequence)
}

fn item<'g>(words: &mut &[&'g str]) -> Rule<'g> {
    let word = words[0];
    *words = &words[1..];
    let mut inner = |closing: &str| {
        let rule = choice(words);
        assert!(words.first() == Some(&closing), "`{word}` without `{closing}`");
        *words = &words[1..];
        Box::new(rule)
    };
    match word {
        "(" => *inner(")"),
        "[" => Rule::Optional(inner("]")),
        "{" => Rule::Repeated(inner("}")),
        "…" => Rule::Any,
        "!" => Rule::Not(Box::new(item(words))),
        _ => match (quoted(word), &words) {
            (Some(first), ["…", last, rest @ ..]) => {
                *words = rest;
                Rule::Range(first, quoted(last).expect("a character in quotes"))
            }
            (Some(text), _) => Rule::Terminal(text),
            (None, _) => Rule::Name(word),
        },
    }
}

type Ends = Rc<BTreeSet<usize>>;

struct Matcher<'g, 's> {
    grammar: &'s Grammar<'g>,
    symbols: &'s [&'s str],
    /// True if the symbols are the characters of one token.
    is_in_token: bool,
    known: HashMap<(&'g str, usize), Ends>,
}

impl<'g, 's> Matcher<'g, 's> {
    fn new(grammar: &'s Grammar<'g>, symbols: &'s [&'s str], is_in_token: bool) -> Self {
        Self { grammar, symbols, is_in_token, known: HashMap::new() }
    }

    /// The places at which the rule can end if it starts here.
    fn ends(&mut self, rule: &'s Rule<'g>, start: usize) -> Ends {
        let symbol = self.symbols.get(start).copied();
        let next_if = |is_one: bool| Rc::new(BTreeSet::from_iter(is_one.then_some(start + 1)));
        match rule {
            Rule::Any => next_if(symbol.is_some()),
            Rule::Terminal(text) => next_if(symbol == Some(text)),
            Rule::Range(first, last) => {
                next_if(symbol.is_some_and(|symbol| (*first..=*last).contains(&symbol)))
            }
            Rule::Name(name) if is_of_characters(name) && !self.is_in_token => {
                next_if(symbol.is_some_and(|symbol| self.is_token(name, symbol)))
            }
            Rule::Name(name) => {
                if let Some(ends) = self.known.get(&(*name, start)) {
                    return ends.clone();
                }
                let ends = self.ends(&self.grammar.rules[name], start);
                self.known.insert((name, start), ends.clone());
                ends
            }
            Rule::Sequence(rules) => rules.iter().fold(single(start), |starts, rule| {
                Rc::new(starts.iter().flat_map(|at| copied(&self.ends(rule, *at))).collect())
            }),
            Rule::Choice(rules) => {
                Rc::new(rules.iter().flat_map(|rule| copied(&self.ends(rule, start))).collect())
            }
            Rule::Optional(rule) => {
                let mut ends = (*self.ends(rule, start)).clone();
                ends.insert(start);
                Rc::new(ends)
            }
            Rule::Repeated(rule) => {
                let (mut ends, mut new) = (BTreeSet::new(), vec![start]);
                while let Some(at) = new.pop() {
                    if ends.insert(at) {
                        new.extend(self.ends(rule, at).iter());
                    }
                }
                Rc::new(ends)
            }
            Rule::Not(rule) if self.ends(rule, start).is_empty() => single(start),
            Rule::Not(_) => Ends::default(),
        }
    }

    /// True if a token matches one of these; a keyword matches only itself.
    fn is_token(&self, name: &'g str, token: &str) -> bool {
        let mut known = self.grammar.known_tokens.borrow_mut();
        *known.entry((name, token.to_owned())).or_insert_with(|| {
            let characters: Vec<&str> = token.split("").filter(|part| !part.is_empty()).collect();
            let ends = Matcher::new(self.grammar, &characters, true).ends(&Rule::Name(name), 0);
            ends.contains(&characters.len()) && !self.grammar.terminals.contains(token)
        })
    }
}

fn single(place: usize) -> Ends {
    Rc::new(BTreeSet::from([place]))
}

fn copied(ends: &Ends) -> Vec<usize> {
    ends.iter().copied().collect()
}
