//! Code under test reaches nothing outside its process and its scratch folder.

use std::fs;

use testwright_abi::command::Span;
use testwright_abi::control::EndKind;
use testwright_abi::effect::Effect;
use testwright_abi::memory::INPUT_BASE;
use testwright_process::{Answer, Request};

use crate::support::{Fixture, LIMIT, command};

/// The drivers of `subjects/sandbox.c` in their order, with the error they must get, 0 if they may, and the effect.
const ATTEMPTS: [(&str, i32, Option<Effect>); 39] = [
    ("write a new file outside", libc::EACCES, Some(Effect::Write)),
    ("write a file that exists outside", libc::EACCES, Some(Effect::Write)),
    ("remove a file outside", libc::EACCES, Some(Effect::Delete)),
    ("move a file in from outside", libc::EACCES, Some(Effect::Rename)),
    ("write in the scratch folder", 0, Some(Effect::Write)),
    ("read outside", libc::EACCES, Some(Effect::Read)),
    ("write to the null device", 0, None),
    ("make a network socket", libc::EPERM, Some(Effect::Network)),
    ("make a local socket", libc::EPERM, Some(Effect::Network)),
    ("fork", libc::EPERM, Some(Effect::Process)),
    ("vfork", libc::EPERM, Some(Effect::Process)),
    ("make a thread", libc::EPERM, Some(Effect::Thread)),
    ("execute a program", libc::EPERM, Some(Effect::Process)),
    ("kill the parent", libc::EPERM, Some(Effect::Signal)),
    ("signal everybody", libc::EPERM, Some(Effect::Signal)),
    ("signal itself", 0, None),
    ("be traced", libc::EPERM, Some(Effect::Trace)),
    ("change the mode of a file", libc::EPERM, Some(Effect::Change)),
    ("change the times of a file", libc::EPERM, Some(Effect::Change)),
    ("raise a limit", libc::EPERM, Some(Effect::System)),
    ("read a limit", 0, None),
    ("outlive the server", libc::EPERM, Some(Effect::System)),
    ("make calls of another ABI", libc::EPERM, Some(Effect::Foreign)),
    ("make shared memory", libc::EPERM, Some(Effect::System)),
    ("read a file that is missing outside", 0, Some(Effect::Read)),
    ("read a file that is missing inside", 0, None),
    ("read a file of the system", 0, None),
    ("start a shell", libc::EPERM, Some(Effect::Process)),
    ("remove a file that is missing inside", 0, Some(Effect::Delete)),
    ("make a folder", 0, Some(Effect::Make)),
    ("signal the process it believes to be", 0, None),
    ("catch the signal of the filter", 0, Some(Effect::Process)),
    ("unmap the worker's memory", libc::EPERM, Some(Effect::Foreign)),
    ("map some memory", 0, None),
    ("map much private memory", libc::ENOMEM, None),
    ("map much shared memory", libc::ENOMEM, None),
    ("move the break", libc::ENOMEM, None),
    ("make many files", libc::EDQUOT, Some(Effect::Write)),
    ("map memory bit by bit", libc::ENOMEM, None),
];

#[test]
fn what_reaches_outside_is_refused_and_the_rest_works() {
    let mut fixture = Fixture::new("sandbox");
    let status = fixture.worker.segment().status();
    assert_eq!(status.seccomp, 1);
    let outside = fixture.scratch.parent().unwrap().join("victim");
    fs::write(&outside, "precious").unwrap();
    let name = [outside.as_os_str().as_encoded_bytes(), b"\0"].concat();
    let object = Span { address: INPUT_BASE + 0x8000, length: name.len() as u64 };
    for (entry, (what, error, effect)) in ATTEMPTS.into_iter().enumerate() {
        if status.landlock_abi == 0 && error == libc::EACCES {
            println!("not tried, this kernel has no landlock: {what}");
            continue;
        }
        fixture.write(&[object.address as i64]);
        fixture.worker.segment_mut().write_input(object.address, &name).unwrap();
        let request = Request { objects: &[object], ..Request::default() };
        let command = command(testwright_abi::command::CommandKind::Run, entry as u32);
        let outcome = fixture.give(command, &request, LIMIT);
        assert!(matches!(outcome.answer, Answer::Done { .. }), "{what}: {:?}", outcome.answer);
        assert_eq!((outcome.kind, outcome.result), (EndKind::Returned, error.into()), "{what}");
        assert_eq!(outcome.status.effects, effect.map_or(0, Effect::bit), "{what}");
    }
    assert_eq!(fs::read_to_string(&outside).unwrap(), "precious");
}
