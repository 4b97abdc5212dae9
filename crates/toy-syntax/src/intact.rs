//! The parts of a program that its errors leave intact.
//!
//! Input: a tree with errors, the errors, and the text. Output: the part of the program that shapes can be inferred
//! for without a second message about a mistake that has been reported: the tree without the mistakes and
//! everything that depends on them. Invariants: [`super::check`] accepts the result; a function in it
//! returns the same value as in the original, and a variable has the same value. If in doubt, something is left out.
//!
//! A mistake in a statement breaks the statement: it is left out, with all statements of the function that
//! mention a variable that it defines or assigns. A mistake anywhere else in a function, in a `return` or in a
//! statement around one, breaks the function: it is left out, with the statements that call it. Each of these may
//! break more, so this repeats until nothing changes.

mod places;

use super::ast::{
    Binding, Body, DeclaredType, ExprKind, Function, Module, Statement, StatementKind, Struct,
    walk_all,
};
use super::builtins;
use super::call_graph::CallGraph;
use super::check;
use super::lexer;
use super::token::Token;
use places::Places;
use std::collections::HashSet;
use toy_diagnostics::source::{Source, Span};
use toy_diagnostics::{Diagnostic, Severity, codes};

/// The part of a program that its errors leave intact; `None` if nothing can be inferred for it.
pub fn intact(
    module: &Module,
    diagnostics: &[Diagnostic],
    source: &Source,
    is_library: bool,
) -> Option<Module> {
    let errors = diagnostics.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let mut places = Places::default();
    for error in errors {
        if error.code == codes::NO_MAIN {
            return None;
        }
        places.insert(error.labels.first()?.span);
    }
    let (tokens, _) = lexer::lex(source);
    let structs = intact_structs(module, &places);
    let mut search = Search {
        module,
        places,
        tokens,
        structs: structs.iter().map(|definition| definition.name.text.as_str()).collect(),
        functions: module.functions.iter().map(|function| function.name.text.as_str()).collect(),
        broken: HashSet::new(),
    };
    search.broken = search.broken_definitions();
    let order = CallGraph::new(module).callees_first;
    let mut functions: Vec<Option<Function>> = vec![None; module.functions.len()];
    loop {
        let before = search.broken.len();
        for index in &order {
            let function = &module.functions[*index];
            let kept = search.function(function);
            if kept.is_none() {
                search.broken.insert(&function.name.text);
            }
            functions[*index] = kept;
        }
        if search.broken.len() == before {
            break;
        }
    }
    let functions: Vec<Function> = functions.into_iter().flatten().collect();
    let intact = Module { structs: structs.into_iter().cloned().collect(), functions };
    let has_root = is_library || intact.functions.iter().any(|it| it.name.text == "main");
    (has_root && check::check(&intact, is_library).is_empty()).then_some(intact)
}

/// A function of a program without errors, without parameters: the part of it for which they need not be known.
pub fn without_parameters(function: &Function, module: &Module) -> Function {
    let search = Search {
        module,
        places: Places::default(),
        tokens: Vec::new(),
        structs: module.structs.iter().map(|it| it.name.text.as_str()).collect(),
        functions: module.functions.iter().map(|it| it.name.text.as_str()).collect(),
        broken: HashSet::new(),
    };
    let names = function.parameters.iter().map(|parameter| parameter.name.text.clone());
    let mut unknown: HashSet<String> = names.collect();
    let whole = Span { start: function.prototype.end, end: function.span.end };
    loop {
        let before = unknown.len();
        let mut state = State { places: Places::default(), unknown, is_broken: false };
        let body = search.block(&function.body, whole, &mut state);
        unknown = state.unknown;
        if unknown.len() == before {
            return Function { body, parameters: Vec::new(), ..function.clone() };
        }
    }
}

/// The structs without an error in them or in the structs of their fields.
fn intact_structs<'m>(module: &'m Module, places: &Places) -> Vec<&'m Struct> {
    let is_readable = |definition: &Struct| {
        let names = definition.fields.iter().map(|field| &field.name.text);
        names.chain([&definition.name.text]).all(|name| !name.is_empty())
    };
    let count = |name: &str| {
        module.structs.iter().filter(|definition| definition.name.text == name).take(2).count()
    };
    let mut kept: Vec<&Struct> = module.structs.iter().collect();
    kept.retain(|definition| {
        is_readable(definition)
            && places.touching(definition.span).next().is_none()
            && count(&definition.name.text) == 1
    });
    loop {
        let names: HashSet<&str> =
            kept.iter().map(|definition| definition.name.text.as_str()).collect();
        let before = kept.len();
        kept.retain(|definition| definition.fields.iter().all(|field| is_known(field, &names)));
        if kept.len() == before {
            return kept;
        }
    }
}

fn is_known(binding: &Binding, structs: &HashSet<&str>) -> bool {
    binding.ty.as_ref().is_none_or(|ty| structs.contains(ty.text.as_str()))
}

struct Search<'m, 's> {
    module: &'m Module,
    /// Where the errors are.
    places: Places,
    tokens: Vec<(Token<'s>, Span)>,
    /// The names of the structs that are intact.
    structs: HashSet<&'m str>,
    /// The names of all functions.
    functions: HashSet<&'m str>,
    /// The names of the functions that are not intact.
    broken: HashSet<&'m str>,
}

/// The state of a function while its statements are checked.
struct State {
    /// The errors in the function that no statement has yet been found to contain.
    places: Places,
    /// The variables whose values or shapes are not known.
    unknown: HashSet<String>,
    /// True if there is a mistake outside of all statements, or in a `return`.
    is_broken: bool,
}

impl<'m> Search<'m, '_> {
    /// The functions with an error before their statements.
    fn broken_definitions(&self) -> HashSet<&'m str> {
        let is_broken = |function: &Function| {
            let parameters = &function.parameters;
            function.name.text.is_empty()
                || parameters
                    .iter()
                    .any(|it| it.name.text.is_empty() || !is_known(it, &self.structs))
                || self.places.touching(function.prototype).next().is_some()
        };
        let functions = self.module.functions.iter();
        functions.filter(|it| is_broken(it)).map(|it| it.name.text.as_str()).collect()
    }

    /// A function without the statements that are wrong or depend on wrong ones; `None` if it is broken.
    fn function(&self, function: &Function) -> Option<Function> {
        if self.broken.contains(function.name.text.as_str()) {
            return None;
        }
        let places: Places = self.places.touching(function.span).collect();
        let whole = Span { start: function.prototype.end, end: function.span.end };
        let mut unknown: HashSet<String> =
            places.iter().filter_map(|place| self.name_at(place)).map(str::to_owned).collect();
        loop {
            let before = unknown.len();
            let mut state = State { places: places.clone(), unknown, is_broken: false };
            let body = self.block(&function.body, whole, &mut state);
            if state.is_broken || !state.places.is_empty() {
                return None;
            }
            unknown = state.unknown;
            if unknown.len() == before {
                return Some(Function { body, ..function.clone() });
            }
        }
    }

    /// The name that an error is at, if any: the error may be about its other uses as well.
    fn name_at(&self, place: Span) -> Option<&str> {
        let index = self.tokens.partition_point(|(_, span)| span.start < place.start);
        match self.tokens.get(index)? {
            (Token::Identifier(name), span) if *span == place => Some(name),
            _ => None,
        }
    }

    /// The statements of a block that are kept. The block is where they are, with its braces.
    fn block(&self, statements: &[Statement], block: Span, state: &mut State) -> Vec<Statement> {
        if !state.places.is_empty() {
            self.between(statements, block, state);
        }
        let kept = statements.iter().filter_map(|statement| self.statement(statement, state));
        kept.collect()
    }

    /// Checks the tokens that the parser has skipped: text of a block that belongs to no statement.
    fn between(&self, statements: &[Statement], block: Span, state: &mut State) {
        let first = self.tokens.partition_point(|(_, span)| span.start < block.start);
        let end = self.tokens.partition_point(|(_, span)| span.start < block.end);
        let mut braces = 0;
        // The end of the statement that the text may belong to.
        let mut last = None;
        let mut statements = statements.iter().peekable();
        for (token, span) in &self.tokens[first..end.max(first)] {
            while let Some(before) = statements.next_if(|it| it.span.end <= span.start) {
                last = Some(before.span.end);
            }
            if statements.peek().is_some_and(|statement| statement.span.start <= span.start) {
                continue;
            }
            match token {
                Token::Semicolon => {
                    last = None;
                    continue;
                }
                Token::OpenBrace | Token::CloseBrace => {
                    braces += 1;
                    continue;
                }
                Token::Return => state.is_broken = true,
                Token::Identifier(name) => drop(state.unknown.insert((*name).to_owned())),
                _ => {}
            }
            state.places.remove(*span);
            if let Some(end) = last.take() {
                state.places.insert(Span { start: end, end });
            }
        }
        // A block has two of its own.
        state.is_broken |= braces > 2;
    }

    /// A statement with the intact part of the statements in it.
    fn statement(&self, statement: &Statement, state: &mut State) -> Option<Statement> {
        let bodies = statement.bodies();
        let is_own = |place: Span| {
            !bodies.iter().any(|it| it.span.start <= place.start && place.end <= it.span.end)
        };
        let has_error = state.places.touching(statement.span).any(is_own);
        if has_error || self.is_unreadable(statement) || self.depends(statement, state) {
            state.places.remove(statement.span);
            leave_out(statement, state);
            return None;
        }
        let mut statement = statement.clone();
        match &mut statement.kind {
            StatementKind::If(branches) => {
                let arms = branches.arms.iter_mut().map(|arm| &mut arm.body);
                arms.chain(&mut branches.otherwise).for_each(|body| self.body(body, state));
            }
            StatementKind::While(repeated) => self.body(&mut repeated.body, state),
            StatementKind::For(repeated) => self.body(&mut repeated.body, state),
            _ => {}
        }
        Some(statement)
    }

    fn body(&self, body: &mut Body, state: &mut State) {
        body.statements = self.block(&body.statements, body.span, state);
    }

    /// True if the statement itself has parts that could not be parsed.
    fn is_unreadable(&self, statement: &Statement) -> bool {
        let mut is_unreadable = statement.changed().is_some_and(|name| name.text.is_empty());
        statement.walk_exprs(|expr| is_unreadable |= expr.kind == ExprKind::Error);
        is_unreadable
    }

    /// True if the statement itself uses something that is left out.
    fn depends(&self, statement: &Statement, state: &State) -> bool {
        let is_unknown = |name: &str| state.unknown.contains(name);
        let mut depends = statement.changed().is_some_and(|name| is_unknown(&name.text));
        if let StatementKind::VarDecl { ty: DeclaredType::Struct(name), .. } = &statement.kind {
            depends |= !self.structs.contains(name.text.as_str());
        }
        statement.walk_exprs(|expr| {
            depends |= match &expr.kind {
                ExprKind::Variable(name) => is_unknown(name),
                ExprKind::Call(call) => !self.is_intact(&call.callee.text),
                _ => false,
            }
        });
        depends
    }

    /// True if a call of this name finds an intact function or a builtin.
    fn is_intact(&self, name: &str) -> bool {
        !self.broken.contains(name) && (builtins::is_builtin(name) || self.functions.contains(name))
    }
}

/// Notes the variables that are unknown without a statement.
fn leave_out(statement: &Statement, state: &mut State) {
    walk_all(std::slice::from_ref(statement), |statement| {
        state.is_broken |= matches!(statement.kind, StatementKind::Return(_));
        state.unknown.extend(statement.changed().map(|name| name.text.clone()));
    });
}
