//! Parameters that are handles get the type that says who makes them.

use crate::c::Handle;
use testwright_base::handle::add_handle;
use testwright_base::subject::{Param, Subject};
use testwright_llvm::Module;

/// Gives every handle its type, if the function that makes it is there.
pub fn install(module: &Module<'_>, subject: &mut Subject, handles: &[Handle]) {
    for Handle { function, param, creators } in handles {
        let taker = subject.function(*function);
        let is_made = module.function(&Handle::maker(&taker.name, *param)).is_some();
        let Some(signature) = taker.signature.as_ref().filter(|_| is_made) else { continue };
        let declared = signature.params[*param].ty;
        let known = creators.iter().map(|creator| {
            let creator = subject.function(*creator);
            let params = creator.signature.as_ref().map(|signature| signature.params.clone());
            (creator.name.clone(), params.unwrap_or_default())
        });
        let known: Vec<(String, Vec<Param>)> = known.collect();
        let known: Vec<(&str, &[Param])> =
            known.iter().map(|(name, params)| (name.as_str(), params.as_slice())).collect();
        let ty = add_handle(&mut subject.types, declared, &known);
        if let Some(signature) = &mut subject.functions[function.index()].signature {
            signature.params[*param].ty = ty;
        }
    }
}
