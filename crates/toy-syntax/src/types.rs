//! The types of expressions: tensor, or which struct. (Shapes depend on the call; specialization
//! infers them.)
//!
//! Input: a module, possibly with errors. Output: the result types of its functions, and the type of
//! any expression. Invariants: a type is [`Type::Unknown`] only because of an error that the checker
//! reports (an unknown struct, endless recursion), so no further error is reported about it; recursion goes
//! over brackets only. The work is linear in the program, but for functions that call each other in a cycle:
//! such a function is visited again for each of its calls whose type becomes known late.

use super::ast::{
    self, Call, DeclaredType, Expr, ExprKind, Function, Module, Name, StatementKind, Struct,
};
use super::builtins::{self, Builtin};
use super::call_graph::CallGraph;
use std::collections::HashMap;

/// The type of a value.
#[derive(Clone, Copy, Debug)]
pub enum Type<'m> {
    /// A tensor of any shape.
    Tensor,
    /// A struct.
    Struct(&'m Struct),
    /// Not known because of an error.
    Unknown,
}

/// The types of the variables of a function.
pub type Variables<'m> = HashMap<&'m str, Type<'m>>;

/// The types of a module.
pub struct Types<'m> {
    /// The structs by name; of several with the same name, the first.
    pub structs: HashMap<&'m str, &'m Struct>,
    /// The result types of the functions that return a value.
    results: HashMap<&'m str, Type<'m>>,
    /// The structs that variables are declared with which calls initialize; of several for one function, the first.
    declared_results: HashMap<&'m str, &'m Name>,
    /// The functions by name; of several with the same name, the first.
    functions: HashMap<&'m str, &'m Function>,
}

impl<'m> Types<'m> {
    /// Computes the types of a module.
    pub fn of_module(module: &'m Module) -> Self {
        Self::new(module, &CallGraph::new(module))
    }

    pub(super) fn new(module: &'m Module, calls: &CallGraph) -> Self {
        let mut structs = HashMap::new();
        for definition in &module.structs {
            structs.entry(definition.name.text.as_str()).or_insert(definition);
        }
        let mut functions = HashMap::new();
        for function in &module.functions {
            functions.entry(function.name.text.as_str()).or_insert(function);
        }
        let mut types = Self {
            structs,
            results: HashMap::new(),
            declared_results: declared_results(module),
            functions,
        };
        let mut late = Vec::new();
        for index in &calls.callees_first {
            let function = &module.functions[*index];
            let Some(ty) = types.result(function) else { continue };
            types.results.insert(&function.name.text, ty);
            if matches!(ty, Type::Unknown) {
                late.push(*index);
            }
        }
        types.late_results(module, calls, late);
        types
    }

    /// The results that depend on calls within a cycle: known once one `return` of the cycle is.
    fn late_results(&mut self, module: &'m Module, calls: &CallGraph, mut late: Vec<usize>) {
        // The last one is visited first.
        late.reverse();
        while let Some(index) = late.pop() {
            let function = &module.functions[index];
            let is_late =
                matches!(self.results.get(function.name.text.as_str()), Some(Type::Unknown));
            let found = if is_late { self.result(function) } else { None };
            if let Some(ty @ (Type::Tensor | Type::Struct(_))) = found {
                self.results.insert(&function.name.text, ty);
                late.extend(&calls.callers[index]);
            }
        }
    }

    /// The builtin that a call of this name refers to; a function of the program comes first.
    pub fn builtin(&self, name: &str) -> Option<&'static Builtin> {
        let builtin = builtins::find(name).filter(|builtin| builtin.value.is_none())?;
        (builtin.is_reserved || !self.functions.contains_key(name)).then_some(builtin)
    }

    /// The type that a struct name before a variable, a parameter or a field declares.
    pub fn named(&self, name: Option<&Name>) -> Type<'m> {
        let Some(name) = name else { return Type::Tensor };
        self.structs.get(name.text.as_str()).map_or(Type::Unknown, |found| Type::Struct(found))
    }

    /// The type of a variable: the declared type, or else its initializer's.
    pub fn declared(
        &self,
        declared: &DeclaredType,
        variables: &Variables<'m>,
        value: &Expr,
    ) -> Type<'m> {
        match declared {
            DeclaredType::Inferred => self.of(value, variables),
            DeclaredType::Tensor(_) => Type::Tensor,
            DeclaredType::Struct(name) => self.named(Some(name)),
        }
    }

    /// The types of the parameters.
    pub fn parameters(&self, function: &'m Function) -> Variables<'m> {
        let parameters = function.parameters.iter();
        let named = |parameter: &'m ast::Binding| {
            (parameter.name.text.as_str(), self.named(parameter.ty.as_ref()))
        };
        parameters.map(named).collect()
    }

    /// The type of an expression that has a value.
    pub fn of(&self, expr: &Expr, variables: &Variables<'m>) -> Type<'m> {
        match &expr.kind {
            // The operand is an error, and not the value as well.
            ExprKind::Chain(chain)
                if std::iter::once(&chain.first)
                    .chain(chain.rest.iter().map(|link| &link.operand))
                    .any(|operand| matches!(self.of(operand, variables), Type::Struct(_))) =>
            {
                Type::Unknown
            }
            ExprKind::Number(_)
            | ExprKind::Literal(_)
            | ExprKind::Chain(_)
            | ExprKind::Unary(_)
            | ExprKind::Index(_)
            | ExprKind::String(_) => Type::Tensor,
            ExprKind::Variable(name) => match variables.get(name.as_str()) {
                Some(ty) => *ty,
                None if builtins::value(name).is_some() => Type::Tensor,
                None => Type::Unknown,
            },
            ExprKind::Call(call) if call.derivative.is_some() => {
                match self.derivative(call).as_slice() {
                    [only] => *only,
                    // As of a struct literal.
                    _ => Type::Unknown,
                }
            }
            ExprKind::Call(call) => match self.builtin(&call.callee.text) {
                Some(builtin) if builtin.has_value() => Type::Tensor,
                _ => self.result_of(&call.callee.text),
            },
            ExprKind::Access(access) => access
                .fields
                .iter()
                .fold(self.of(&access.base, variables), |base, field| self.field(base, field)),
            // The context determines the struct.
            ExprKind::StructLiteral(_) | ExprKind::Error => Type::Unknown,
        }
    }

    /// The types of the results of a call of a derivative: a gradient has the type of its parameter.
    pub fn derivative(&self, call: &Call) -> Vec<Type<'m>> {
        let Some(derivative) = &call.derivative else { return Vec::new() };
        let function = self.functions.get(call.callee.text.as_str());
        let parameter = |number: usize| {
            let parameter = function.and_then(|it| it.parameters.get(number));
            parameter.map_or(Type::Unknown, |it| self.named(it.ty.as_ref()))
        };
        let gradients = derivative.parameters().into_iter().map(parameter);
        derivative.with_value().then_some(Type::Tensor).into_iter().chain(gradients).collect()
    }

    /// The type of the result of a function of the program.
    pub fn result_of(&self, function: &str) -> Type<'m> {
        self.results.get(function).copied().unwrap_or(Type::Unknown)
    }

    /// The type of a field of a value.
    fn field(&self, base: Type<'m>, field: &Name) -> Type<'m> {
        let Type::Struct(definition) = base else { return Type::Unknown };
        match definition.field(&field.text) {
            Some((_, field)) => self.named(field.ty.as_ref()),
            None => Type::Unknown,
        }
    }

    fn result(&self, function: &'m Function) -> Option<Type<'m>> {
        let mut variables = self.parameters(function);
        let (mut result, mut literal) = (None, None);
        function.walk(|statement| match &statement.kind {
            StatementKind::VarDecl { ty, name, value } => {
                let ty = self.declared(ty, &variables, value);
                variables.insert(&name.text, ty);
            }
            StatementKind::For(repeated) => {
                variables.insert(&repeated.variable.text, Type::Tensor);
            }
            // Of several, one that does not depend on a function of the same cycle.
            StatementKind::Return(Some(value)) if matches!(result, None | Some(Type::Unknown)) => {
                result = Some(self.of(value, &variables));
                if value.is_structure() {
                    literal = literal.or(Some(self.only_fitting(value, &variables)));
                }
            }
            _ => {}
        });
        match (result, literal) {
            // Only literals: the struct that a use declares, or the only one that fits.
            (Some(Type::Unknown), Some(fitting)) => {
                let declared = self.declared_results.get(function.name.text.as_str());
                declared.map(|name| self.named(Some(name))).or(fitting).or(result)
            }
            _ => result,
        }
    }

    /// The only struct whose fields may have the values of a structure.
    fn only_fitting(&self, structure: &Expr, variables: &Variables<'m>) -> Option<Type<'m>> {
        let mut fitting =
            self.structs.values().filter(|found| self.fits(found, structure, variables));
        let only = fitting.next().filter(|_| fitting.next().is_none())?;
        Some(Type::Struct(only))
    }

    fn fits(&self, definition: &Struct, structure: &Expr, variables: &Variables<'m>) -> bool {
        let fields = definition.fields.iter().map(|field| self.named(field.ty.as_ref()));
        let may_be = |field: Type, value: Type| match (field, value) {
            (Type::Struct(field), Type::Struct(value)) => std::ptr::eq(field, value),
            (Type::Tensor, Type::Struct(_)) | (Type::Struct(_), Type::Tensor) => false,
            _ => true,
        };
        match &structure.kind {
            ExprKind::StructLiteral(values) => {
                let fits = |(field, value): (Type<'m>, &Expr)| match field {
                    Type::Struct(inner) if value.is_structure() => {
                        self.fits(inner, value, variables)
                    }
                    _ if value.is_structure() => false,
                    _ => may_be(field, self.of(value, variables)),
                };
                definition.fields.len() == values.len() && fields.zip(values).all(fits)
            }
            ExprKind::Call(call) => {
                let results = self.derivative(call);
                definition.fields.len() == results.len()
                    && fields.zip(results).all(|(field, result)| may_be(field, result))
            }
            _ => false,
        }
    }
}

/// The structs of variables whose initializers are calls, by the functions.
fn declared_results(module: &Module) -> HashMap<&str, &Name> {
    let mut declared = HashMap::new();
    for function in &module.functions {
        function.walk_all(|statement| {
            if let StatementKind::VarDecl { ty: DeclaredType::Struct(name), value, .. } =
                &statement.kind
                && let ExprKind::Call(call) = &value.kind
            {
                declared.entry(call.callee.text.as_str()).or_insert(name);
            }
        });
    }
    declared
}
