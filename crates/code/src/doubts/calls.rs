//! Calls: whose effects are known, and what the others may do.

use super::Finder;
use super::pointers::{Base, bases};
use super::trusted::{self, Effect};
use crate::{missing, models};
use testwright_base::doubt::About;
use testwright_base::stub::Stub;
use testwright_base::types::Shape;
use testwright_llvm::{Kind, Value};

impl<'c> Finder<'c, '_> {
    pub(super) fn call(&mut self, call: Value<'c>) {
        let callee = call.callee();
        if callee.is_inline_assembly() {
            return self.doubt(call, About::Assembly);
        }
        if !callee.is_function() {
            return self.call_through_pointer(call);
        }
        let effect = match () {
            () if callee.is_intrinsic() => trusted::intrinsic(&callee.name()),
            () if self.missing.contains(&callee) => return self.call_missing(call),
            () if callee.is_declaration() || models::is_model(callee) => trusted::library(callee),
            () => return self.call_defined(call),
        };
        match effect {
            Some(effect) => self.library_call(call, effect),
            None => {
                let name = callee.name();
                let name = name.strip_prefix("tw_model_").unwrap_or(&name).to_owned();
                let about =
                    if callee.is_intrinsic() { About::Instruction(name) } else { About::Answers(name) };
                self.doubt(call, about);
            }
        }
    }

    fn library_call(&mut self, call: Value<'c>, effect: Effect) {
        if effect == Effect::Nothing {
            return;
        }
        // The intrinsics for copies have a last argument that says whether they are volatile.
        let last = call.call_arguments().last().copied();
        if call.callee().is_intrinsic() && last.and_then(Value::constant_int) == Some(1) {
            self.doubt(call, About::Volatile);
        }
        for (index, argument) in pointers(call) {
            if effect == Effect::WritesFirst && index == 0 {
                self.write(call, argument);
            } else {
                self.read(call, argument);
            }
        }
    }

    fn call_defined(&mut self, call: Value<'c>) {
        if call.callee().is_weak() {
            self.doubt(call, About::Weak(call.callee().name()));
        }
        self.handed_over(call);
    }

    fn call_through_pointer(&mut self, call: Value<'c>) {
        if !bases(call.callee()).iter().all(|base| matches!(base, Base::Code(_) | Base::Null)) {
            self.doubt(call, About::Callee);
        }
        self.handed_over(call);
    }

    /// What a function of the code is given may be read there.
    fn handed_over(&mut self, call: Value<'c>) {
        for (_, argument) in pointers(call) {
            if !bases(argument).iter().all(|base| matches!(base, Base::Code(_))) {
                self.read(call, argument);
            }
        }
    }

    /// A function that nobody defines gives numbers of the case. It may do more.
    fn call_missing(&mut self, call: Value<'c>) {
        let callee = call.callee();
        let name = callee.name();
        if missing::never_returns(callee) {
            return;
        }
        self.doubt(call, About::Changes(name.clone()));
        for (_, argument) in pointers(call) {
            for base in bases(argument) {
                match base {
                    Base::Null => {}
                    Base::Global(global) if global.is_global_constant() => {}
                    Base::Code(_) => self.doubt(call, About::CallsBack(name.clone())),
                    _ => self.doubt(call, About::Writes(name.clone())),
                }
            }
        }
        let stub = self.subject.stubs.iter().find(|stub| stub.name == name);
        if stub.is_none_or(|stub| !self.gives_all(stub)) {
            self.doubt(call, About::Returns(name));
        }
    }

    /// Whether a case can say everything that a stub may return.
    fn gives_all(&self, stub: &Stub) -> bool {
        let result = self.subject.types.get(stub.signature.result);
        match result.shape {
            Shape::Void | Shape::Bool | Shape::Int { .. } | Shape::Enum { .. } => true,
            Shape::Float { bits } => bits <= 64,
            _ => false,
        }
    }
}

/// The arguments of a call that are pointers, with their positions.
fn pointers(call: Value<'_>) -> Vec<(usize, Value<'_>)> {
    let arguments = call.call_arguments().into_iter().enumerate();
    arguments.filter(|(_, argument)| argument.ty().kind() == Kind::Pointer).collect()
}
