//! Code under test reaches nothing outside its process and its scratch folder.

use std::fs;

use testwright_abi::command::Span;
use testwright_abi::control::EndKind;
use testwright_abi::memory::INPUT_BASE;
use testwright_process::{Answer, Request};

use crate::support::{Fixture, LIMIT, command};

/// The drivers of `subjects/sandbox.c` in their order, with the error they must get; 0 if they may.
const ATTEMPTS: [(&str, i32); 24] = [
    ("write a new file outside", libc::EACCES),
    ("write a file that exists outside", libc::EACCES),
    ("remove a file outside", libc::EACCES),
    ("move a file in from outside", libc::EACCES),
    ("write in the scratch folder", 0),
    ("read outside", 0),
    ("write to the null device", 0),
    ("make a network socket", libc::EPERM),
    ("make a local socket", libc::EPERM),
    ("fork", libc::EPERM),
    ("vfork", libc::EPERM),
    ("make a thread", libc::EPERM),
    ("execute a program", libc::EPERM),
    ("kill the parent", libc::EPERM),
    ("signal everybody", libc::EPERM),
    ("signal itself", 0),
    ("be traced", libc::EPERM),
    ("change the mode of a file", libc::EPERM),
    ("change the times of a file", libc::EPERM),
    ("raise a limit", libc::EPERM),
    ("read a limit", 0),
    ("outlive the server", libc::EPERM),
    ("make calls of another ABI", libc::EPERM),
    ("make shared memory", libc::EPERM),
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
    for (entry, (what, error)) in ATTEMPTS.into_iter().enumerate() {
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
    }
    assert_eq!(fs::read_to_string(&outside).unwrap(), "precious");
}
