//! What a test sets up and calls: variables for objects, values for globals, then the call.

use super::SUBJECT_MAIN;
use super::allocation;
use super::list;
use super::scope::{Manner, Scope, Variable};
use super::spelt;
use super::stream;
use super::stub;
use super::value::{Names, Unwritable, Wording, Writer, is_vector};
use crate::assert::is_nameable;
use crate::constant::Owner;
use testwright_base::case::{Case, Statement, Value};
use testwright_base::ids::{FunctionId, GlobalId, TypeId};
use testwright_base::subject::Subject;
use testwright_base::types::Shape;
use testwright_c::{declare, declare_qualified};

/// The statements of a test before its assertions.
pub struct Body<'a> {
    /// What is set up.
    pub arrange: Vec<String>,
    /// The last call, as an expression.
    pub call: String,
    /// Writes what follows: it knows the variables.
    pub writer: Writer<'a>,
}

/// Sets up and calls.
///
/// # Errors
/// If something in the case cannot be written as C.
pub fn body<'a>(
    subject: &'a Subject,
    wording: Wording<'a>,
    case: &Case,
    manner: Manner<'_>,
) -> Result<Body<'a>, Unwritable> {
    let scope = Scope::new(subject, case, manner);
    let function = case.call().map(|(function, _)| function);
    let name = function.map(|function| spelt(&subject.function(function).name)).unwrap_or_default();
    let writer = Writer::new(subject, scope, Names { wording, function: name, about: None });
    let mut maker = Maker { subject, case, function, arrange: Vec::new(), writer };
    let mut call: Option<(usize, String)> = None;
    // What is set may point to objects that were made after it.
    let is_object = |(_, statement): &(usize, &Statement)| matches!(statement, Statement::Object { .. });
    let (objects, others): (Vec<_>, Vec<_>) = case.statements.iter().enumerate().partition(is_object);
    for (index, statement) in objects.into_iter().chain(others) {
        match statement {
            Statement::Object { element, values } => maker.object(index, *element, values)?,
            Statement::Set { global, value } => maker.set(*global, value)?,
            Statement::Call { function, arguments } => {
                if let Some((earlier, text)) = call.take() {
                    maker.call_before(earlier, &text)?;
                }
                maker.check_that_it_can_be_named(*function)?;
                call = Some((index, maker.call(*function, arguments)?));
            }
        }
    }
    let (_, call) = call.ok_or("a case without a call")?;
    Ok(Body { arrange: maker.arrange, call, writer: maker.writer })
}

struct Maker<'a, 'c> {
    subject: &'a Subject,
    case: &'c Case,
    /// The function under test.
    function: Option<FunctionId>,
    arrange: Vec<String>,
    writer: Writer<'a>,
}

impl Maker<'_, '_> {
    /// A test includes the file of the function under test only, and so sees no static functions of others.
    fn check_that_it_can_be_named(&self, function: FunctionId) -> Result<(), Unwritable> {
        let file = |id: FunctionId| self.subject.function(id).place.as_ref().map(|place| &place.file);
        let called = self.subject.function(function);
        match (file(function), self.function.and_then(file)) {
            (Some(own), Some(tested)) if called.internal && own != tested => {
                Err(format!("a call of `{}`, which is static in {own}", called.name))
            }
            _ => Ok(()),
        }
    }

    /// A call before the one under test: `struct ring *ring = ring_new(3);`, or only the call if nothing uses its result.
    fn call_before(&mut self, statement: usize, call: &str) -> Result<(), Unwritable> {
        let result = match &self.case.statements[statement] {
            Statement::Call { function, .. } => self.subject.function(*function).signature.as_ref(),
            _ => None,
        };
        let named = self.writer.scope.result(statement).zip(result.map(|signature| signature.result));
        let text = match named {
            Some((name, ty)) => {
                let declared = declare(&self.subject.types, ty, name).ok_or_else(|| self.nameless(ty))?;
                format!("{declared} = {call};")
            }
            None => format!("{call};"),
        };
        self.arrange.push(text);
        let of_call = self.writer.after_call.extract_if(.., |(call, _)| *call == statement);
        self.arrange.extend(of_call.map(|(_, assignment)| assignment));
        Ok(())
    }

    fn object(&mut self, index: usize, element: TypeId, values: &[Value]) -> Result<(), Unwritable> {
        let Some(variable) = self.writer.scope.variable(index).cloned() else { return Ok(()) };
        let types = &self.subject.types;
        if types.get(element).size == 0 {
            return Err(format!("an object of type {}, which is not defined", types.spell(element)));
        }
        if types.is_stream(element) {
            self.arrange.push(format!("FILE *{} = {};", variable.name, stream::made(values)?));
            return Ok(());
        }
        self.writer.declaring = Some(index);
        self.writer.names.about_variable(&variable.name);
        if variable.heap {
            let declared = self.allocated(&variable, element, values);
            self.writer.declaring = None;
            self.arrange.push(declared?);
            return Ok(());
        }
        let assigned = self.writer.assignments();
        let (declarator, text) = match values {
            [value] if !variable.array => (variable.name, self.writer.only_element(element, value)?),
            _ => {
                let initialiser = self.writer.array(element, values)?;
                let length = initialiser.length.map(|length| length.to_string()).unwrap_or_default();
                (format!("{}[{length}]", variable.name), initialiser.text)
            }
        };
        self.writer.declaring = None;
        let mut qualifiers = variable.qualifiers;
        qualifiers.constant &= self.writer.assignments() == assigned;
        let declaration = declare_qualified(types, element, qualifiers, &declarator)
            .ok_or_else(|| self.nameless(element))?;
        let remark = if values.is_empty() { " /* no element may be used */" } else { "" };
        self.arrange.push(format!("{declaration} = {text};{remark}"));
        Ok(())
    }

    /// `struct node *list = NEW(struct node, {.value = 1});`
    fn allocated(
        &mut self,
        variable: &Variable,
        element: TypeId,
        values: &[Value],
    ) -> Result<String, Unwritable> {
        let types = &self.subject.types;
        let (dimension, text) = match values {
            [value] if !variable.array => (String::new(), self.writer.only_element(element, value)?),
            _ => {
                let initialiser = self.writer.array(element, values)?;
                (format!("[{}]", values.len().max(1)), initialiser.text)
            }
        };
        let text = if text.starts_with('{') { text } else { format!("{{{text}}}") };
        let is_array =
            types.get(element).name.is_none() && matches!(types.get(element).shape, Shape::Array { .. });
        let pointer = if is_array { format!("(*{})", variable.name) } else { format!("*{}", variable.name) };
        let declared = declare(types, element, &pointer).ok_or_else(|| self.nameless(element))?;
        let spelt = declare(types, element, &dimension).ok_or_else(|| self.nameless(element))?;
        if spelt.contains(',') {
            return Err(format!("an allocated object of type {spelt}"));
        }
        Ok(format!("{declared} = NEW({}, {text});", spelt.replace(" [", "[")))
    }

    fn nameless(&self, ty: TypeId) -> Unwritable {
        format!("a variable of type {}, which has no name", self.subject.types.spell(ty))
    }

    fn set(&mut self, global: GlobalId, value: &Value) -> Result<(), Unwritable> {
        self.writer.names.about = None;
        if let Some((stub, role)) = self.subject.answers_of(global) {
            if let (true, Value::Array(values)) = (self.subject.stubs[stub.index()].is_allocation(), value) {
                self.arrange.extend(allocation::script(values));
                return Ok(());
            }
            let ty = self.subject.globals[global.index()].ty;
            let line = stub::script(self.subject, &mut self.writer, (stub, role), ty, value)?;
            self.arrange.push(line);
            return Ok(());
        }
        let nameable = self.function.is_none_or(|function| is_nameable(self.subject, function, global));
        let global = &self.subject.globals[global.index()];
        let ty = global.ty.ok_or("a global variable whose type is not known")?;
        if !nameable {
            return Err(format!("the variable `{}`, which a test cannot name", global.name));
        }
        let global = spelt(&global.name);
        self.writer.names.about = Some(Owner::Global(global.to_owned()));
        let types = &self.subject.types;
        let is_whole = matches!(types.get(ty).shape, Shape::Record { .. }) || is_vector(types, ty);
        match (&types.get(ty).shape, value) {
            (Shape::Record { .. } | Shape::Array { .. }, _) if is_whole => {
                let declared = declare(types, ty, "").unwrap_or_else(|| format!("__typeof__({global})"));
                let text = self.writer.value(ty, value)?;
                self.arrange.push(format!("{global} = ({declared}){text};"));
            }
            (Shape::Array { element, .. }, Value::Array(values)) => {
                if values.is_empty() {
                    return Ok(());
                }
                let initialiser = self.writer.array(*element, values)?;
                let length = initialiser.length.map(|length| length.to_string()).unwrap_or_default();
                let name = self.writer.scope.fresh(&format!("{global}_before"));
                let declared = declare(types, *element, &format!("{name}[{length}]"));
                let declared = declared.ok_or_else(|| self.nameless(*element))?;
                self.arrange.push(format!("{declared} = {};", initialiser.text));
                self.arrange.push(format!("SET_ARRAY({global}, {name});"));
            }
            _ => {
                let text = self.writer.value(ty, value)?;
                self.arrange.push(format!("{global} = {text};"));
            }
        }
        Ok(())
    }

    fn call(&mut self, function: FunctionId, arguments: &[Value]) -> Result<String, Unwritable> {
        let function = self.subject.function(function);
        let signature = function.signature.as_ref().ok_or("a function whose parameters are not known")?;
        self.arrange.append(&mut self.writer.later);
        let mut written = Vec::new();
        let mut listed = None;
        for (param, value) in signature.params.iter().zip(arguments) {
            if self.subject.types.is_list(param.ty) {
                listed = Some(list::arguments(&mut self.writer, self.case, value)?);
                continue;
            }
            self.writer.names.about_variable(&param.name);
            let text = self.writer.value(param.ty, value)?;
            // Only vectors are passed as a whole where C says array.
            if matches!(self.subject.types.get(param.ty).shape, Shape::Record { .. } | Shape::Array { .. }) {
                let name = self.writer.scope.fresh(&param.name);
                let declared = declare(&self.subject.types, param.ty, &name);
                let declared = declared.ok_or_else(|| self.nameless(param.ty))?;
                self.arrange.push(format!("{declared} = {text};"));
                written.push(name);
            } else {
                written.push(text);
            }
        }
        let mut name = if function.name == "main" { SUBJECT_MAIN } else { spelt(&function.name) }.to_owned();
        if listed.is_some() && !signature.variadic {
            name = list::caller(&function.name);
            written.extend(list::needs_anchor(&self.subject.types, signature).then(|| "0".to_owned()));
        }
        written.extend(listed.into_iter().flatten());
        Ok(format!("{name}({})", written.join(", ")))
    }
}
