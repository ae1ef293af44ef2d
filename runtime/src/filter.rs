//! The system call filters: which calls of code under test the kernel stops, and what becomes of them.
//!
//! Most calls are refused from the moment before the libraries are loaded, in the server, and its
//! children inherit that. What the server itself needs, to fork and to end a child, is refused in the child. A program that
//! runs confined has a filter of its own, which stops every effect.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};

use testwright_abi::memory::STACK_TOP;

use crate::calls::{
    ASK_PERSONALITY, JUDGED, KEPT_SETTINGS, OPENS, REFUSED, REFUSED_IN_CHILDREN, SIGNALS, WRITING, X32,
};

/// The worker's own memory ends below this address, above the stack of the code under test.
const OWN_MEMORY_END: u64 = STACK_TOP + (1 << 32);

type Rules = BTreeMap<i64, Vec<SeccompRule>>;
type Built<T> = Result<T, seccompiler::Error>;

/// What becomes of the calls that a confined program is stopped at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stopped {
    /// They wait until somebody has decided.
    Asked,
    /// The program is killed, except for the first start of a program whose name lies at this address.
    Killed { name: u64 },
}

/// The filter of the server, which its children inherit: what is refused, wherever the call comes from.
pub fn of_server() -> Built<BpfProgram> {
    let mut rules = unconditional(REFUSED);
    rules.insert(libc::SYS_personality, vec![changes_personality()?]);
    build(rules, SeccompAction::Trap)
}

/// The other filter of the server: calls that are noted and then carried out by the worker, through the gate at this address.
pub fn of_files(gate: u64) -> Built<BpfProgram> {
    let mut rules = unconditional(JUDGED);
    for call in [libc::SYS_open, libc::SYS_openat, libc::SYS_openat2, libc::SYS_memfd_create] {
        rules.insert(call, Vec::new());
    }
    rules.insert(libc::SYS_prlimit64, vec![changes_limits()?]);
    // The signal of the filter itself must stay ours, and unmasked.
    let condition =
        |argument, operator, value| SeccompCondition::new(argument, SeccompCmpArgLen::Qword, operator, value);
    let masks =
        [condition(0, SeccompCmpOp::Ne, libc::SIG_UNBLOCK as u64)?, condition(1, SeccompCmpOp::Ne, 0)?];
    rules.insert(libc::SYS_rt_sigprocmask, vec![SeccompRule::new(masks.to_vec())?]);
    let handles = [condition(0, SeccompCmpOp::Eq, libc::SIGSYS as u64)?, condition(1, SeccompCmpOp::Ne, 0)?];
    rules.insert(libc::SYS_rt_sigaction, vec![SeccompRule::new(handles.to_vec())?]);
    for call in [libc::SYS_munmap, libc::SYS_mremap] {
        rules.insert(call, vec![when(0, SeccompCmpArgLen::Qword, SeccompCmpOp::Lt, OWN_MEMORY_END)?]);
    }
    let mut program = build(rules, SeccompAction::Trap)?;
    program.splice(0..0, allow_from(gate));
    Ok(program)
}

/// Instructions that let all calls pass that come from one address.
fn allow_from(address: u64) -> [sock_filter; 5] {
    /// Places of the two halves of the address in what the kernel shows to filters.
    const LOW: u32 = 8;
    const HIGH: u32 = 12;
    let load = |place| instruction((libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16, 0, 0, place);
    let equals = |value, otherwise| {
        instruction((libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K) as u16, 0, otherwise, value)
    };
    [
        load(LOW),
        equals(address as u32, 3),
        load(HIGH),
        equals((address >> 32) as u32, 1),
        instruction((libc::BPF_RET | libc::BPF_K) as u16, 0, 0, libc::SECCOMP_RET_ALLOW),
    ]
}

const fn instruction(code: u16, jt: u8, jf: u8, k: u32) -> sock_filter {
    sock_filter { code, jt, jf, k }
}

/// The filter that the child with this process id adds.
pub fn of_child(pid: u32) -> Built<BpfProgram> {
    let mut rules = unconditional(REFUSED_IN_CHILDREN);
    add_own_process(&mut rules, pid)?;
    build(rules, SeccompAction::Trap)
}

/// The filter of a confined program that runs as the process with this id.
pub fn of_program(pid: u32, stopped: Stopped) -> Built<BpfProgram> {
    /// Stands for the action that [`SeccompAction`] does not have.
    const ASK: u32 = 0x7777;
    let mut rules = unconditional(REFUSED);
    rules.extend(unconditional(REFUSED_IN_CHILDREN));
    rules.extend(unconditional(JUDGED));
    rules.insert(libc::SYS_openat2, Vec::new());
    add_settings(&mut rules)?;
    add_own_process(&mut rules, pid)?;
    for (call, flags) in OPENS {
        let writes = |flag: &i32| {
            let flag = *flag as u64;
            when(flags, SeccompCmpArgLen::Dword, SeccompCmpOp::MaskedEq(flag), flag)
        };
        rules.insert(call, WRITING.iter().map(writes).collect::<Built<_>>()?);
    }
    match stopped {
        Stopped::Asked => {
            let mut program = build(rules, SeccompAction::Trace(ASK))?;
            for instruction in &mut program {
                if instruction.k == libc::SECCOMP_RET_TRACE | ASK {
                    instruction.k = libc::SECCOMP_RET_USER_NOTIF;
                }
            }
            Ok(program)
        }
        Stopped::Killed { name } => {
            let other = when(0, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, name)?;
            rules.insert(libc::SYS_execve, vec![other]);
            build(rules, SeccompAction::KillProcess)
        }
    }
}

fn unconditional(calls: &[(i64, testwright_abi::effect::Effect)]) -> Rules {
    calls.iter().map(|(call, _)| (*call, Vec::new())).collect()
}

/// Limits and the personality may be asked for but not changed.
fn add_settings(rules: &mut Rules) -> Built<()> {
    rules.insert(libc::SYS_prlimit64, vec![changes_limits()?]);
    rules.insert(libc::SYS_personality, vec![changes_personality()?]);
    Ok(())
}

/// The third argument holds new limits.
fn changes_limits() -> Built<SeccompRule> {
    when(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)
}

fn changes_personality() -> Built<SeccompRule> {
    when(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, ASK_PERSONALITY)
}

/// Signals go to the process itself only, and it stays tied to its parent.
fn add_own_process(rules: &mut Rules, pid: u32) -> Built<()> {
    for call in SIGNALS {
        rules.insert(*call, vec![when(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, u64::from(pid))?]);
    }
    let kept = KEPT_SETTINGS
        .iter()
        .map(|setting| when(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, *setting as u64))
        .collect::<Built<_>>()?;
    rules.insert(libc::SYS_prctl, kept);
    Ok(())
}

fn when(argument: u8, length: SeccompCmpArgLen, operator: SeccompCmpOp, value: u64) -> Built<SeccompRule> {
    let condition = SeccompCondition::new(argument, length, operator, value)?;
    Ok(SeccompRule::new(vec![condition])?)
}

/// A filter that does `action` to the calls of `rules`, and to all of the x32 ABI. Calls of 32-bit programs end the process.
fn build(rules: Rules, action: SeccompAction) -> Built<BpfProgram> {
    let number = u32::from(action.clone());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, TargetArch::x86_64)?;
    let mut program: BpfProgram = filter.try_into()?;
    // Load the number; if it is not below the x32 range, act.
    let start = [
        instruction((libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16, 0, 0, 0),
        instruction((libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16, 0, 1, X32),
        instruction((libc::BPF_RET | libc::BPF_K) as u16, 0, 0, number),
    ];
    program.splice(0..0, start);
    Ok(program)
}
