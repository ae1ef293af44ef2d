//! Effects as the worker records them, and as people read them.

use testwright_abi::effect::Effect as Raw;
use testwright_base::effect::{Effect, Effects};
use testwright_base::run::End;

/// The signal of a system call that nobody could record.
const BAD_SYSTEM_CALL: i32 = 31;

/// The effects of a run that left these bits and ended like this.
pub(crate) fn of_run(bits: u32, end: End) -> Effects {
    let recorded = Raw::ALL.into_iter().filter(|effect| bits & effect.bit() != 0).map(of);
    let mut effects: Effects = recorded.collect();
    if matches!(end, End::Signal { signal: BAD_SYSTEM_CALL, .. }) {
        effects.insert(Effect::Foreign);
    }
    effects
}

/// The effects of a confined program.
#[must_use]
pub fn of_program(effects: &[Raw]) -> Effects {
    effects.iter().copied().map(of).collect()
}

/// An effect in the words of people.
fn of(effect: Raw) -> Effect {
    match effect {
        Raw::Delete => Effect::Delete,
        Raw::Rename => Effect::Rename,
        Raw::Write => Effect::Write,
        Raw::Make => Effect::Make,
        Raw::Change => Effect::Change,
        Raw::Read => Effect::Read,
        Raw::Network => Effect::Network,
        Raw::Process => Effect::Process,
        Raw::Thread => Effect::Thread,
        Raw::Signal => Effect::Signal,
        Raw::Trace => Effect::Trace,
        Raw::System => Effect::System,
        Raw::Sleep => Effect::Sleep,
        Raw::Foreign => Effect::Foreign,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bits_become_words() {
        let bits = Raw::Network.bit() | Raw::Delete.bit();
        assert_eq!(of_run(bits, End::Returned).to_string(), "wants to delete files, use the network");
        let every: Effects = Effect::ALL.into_iter().collect();
        assert_eq!(of_run(u32::MAX, End::Returned), every);
        let killed = End::Signal { signal: BAD_SYSTEM_CALL, address: 0, site: None };
        assert_eq!(of_run(0, killed).iter().collect::<Vec<_>>(), [Effect::Foreign]);
    }
}
