//! The system call filter: what code under test may not ask of the kernel is answered with `EPERM`.
//!
//! Most calls are refused from the moment before the libraries are loaded, in the server, and its
//! children inherit that. What the server itself needs, to fork and to end a child, is refused in the child.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, sock_filter,
};

/// Refused in server and children.
const REFUSED: &[i64] = &[
    // Network.
    libc::SYS_socket,
    libc::SYS_socketpair,
    libc::SYS_connect,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_sendto,
    libc::SYS_recvfrom,
    libc::SYS_sendmsg,
    libc::SYS_recvmsg,
    libc::SYS_sendmmsg,
    libc::SYS_recvmmsg,
    libc::SYS_setsockopt,
    // Other programs and other processes.
    libc::SYS_execve,
    libc::SYS_execveat,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_process_madvise,
    libc::SYS_pidfd_getfd,
    libc::SYS_kcmp,
    libc::SYS_setpgid,
    libc::SYS_setsid,
    libc::SYS_setpriority,
    libc::SYS_ioprio_set,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setaffinity,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    // Properties of files, which landlock does not cover.
    libc::SYS_chmod,
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    SYS_FCHMODAT2,
    libc::SYS_chown,
    libc::SYS_fchown,
    libc::SYS_lchown,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
    libc::SYS_utimensat,
    libc::SYS_open_by_handle_at,
    // The system.
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_fsconfig,
    libc::SYS_fspick,
    libc::SYS_mount_setattr,
    libc::SYS_pivot_root,
    libc::SYS_chroot,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_reboot,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_adjtimex,
    libc::SYS_clock_adjtime,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_quotactl_fd,
    libc::SYS_syslog,
    libc::SYS_vhangup,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_kexec_file_load,
    libc::SYS_iopl,
    libc::SYS_ioperm,
    libc::SYS_modify_ldt,
    libc::SYS_personality,
    libc::SYS_setrlimit,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_fanotify_init,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    // Who we are.
    libc::SYS_setuid,
    libc::SYS_setgid,
    libc::SYS_setreuid,
    libc::SYS_setregid,
    libc::SYS_setresuid,
    libc::SYS_setresgid,
    libc::SYS_setgroups,
    libc::SYS_setfsuid,
    libc::SYS_setfsgid,
    libc::SYS_capset,
    // What would outlive the process.
    libc::SYS_shmget,
    libc::SYS_semget,
    libc::SYS_msgget,
    libc::SYS_mq_open,
];

/// Refused in children besides: new processes and threads.
const REFUSED_IN_CHILDREN: &[i64] =
    &[libc::SYS_fork, libc::SYS_vfork, libc::SYS_clone, libc::SYS_clone3, libc::SYS_pidfd_send_signal];

/// Signals may go only to the process itself, which is the first argument of these.
const SIGNALS: &[i64] = &[
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
];

/// Settings that keep the process tied to the server and out of core files.
const KEPT_SETTINGS: [i32; 2] = [libc::PR_SET_PDEATHSIG, libc::PR_SET_DUMPABLE];

const SYS_FCHMODAT2: i64 = 452;
/// Numbers from here on belong to the x32 ABI, a second way to make the same calls.
const X32: u32 = 0x4000_0000;

type Rules = BTreeMap<i64, Vec<SeccompRule>>;

/// The filter of the server, which its children inherit.
pub fn of_server() -> Result<BpfProgram, seccompiler::Error> {
    let mut rules: Rules = REFUSED.iter().map(|call| (*call, Vec::new())).collect();
    // Limits may be read but not changed: the third argument holds new ones.
    rules.insert(libc::SYS_prlimit64, vec![when(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?]);
    let mut program = refuse(rules)?;
    // Load the number; if it is not below the x32 range, refuse.
    let eperm = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
    let instruction = |code, jt, jf, k| sock_filter { code, jt, jf, k };
    let start = [
        instruction((libc::BPF_LD | libc::BPF_W | libc::BPF_ABS) as u16, 0, 0, 0),
        instruction((libc::BPF_JMP | libc::BPF_JGE | libc::BPF_K) as u16, 0, 1, X32),
        instruction((libc::BPF_RET | libc::BPF_K) as u16, 0, 0, eperm),
    ];
    program.splice(0..0, start);
    Ok(program)
}

/// The filter that the child with this process id adds.
pub fn of_child(pid: u32) -> Result<BpfProgram, seccompiler::Error> {
    let mut rules: Rules = REFUSED_IN_CHILDREN.iter().map(|call| (*call, Vec::new())).collect();
    for call in SIGNALS {
        rules.insert(*call, vec![when(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Ne, u64::from(pid))?]);
    }
    let kept: Result<Vec<_>, _> = KEPT_SETTINGS
        .iter()
        .map(|setting| when(0, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, *setting as u64))
        .collect();
    rules.insert(libc::SYS_prctl, kept?);
    refuse(rules)
}

fn when(
    argument: u8,
    length: SeccompCmpArgLen,
    operator: SeccompCmpOp,
    value: u64,
) -> Result<SeccompRule, seccompiler::Error> {
    let condition = SeccompCondition::new(argument, length, operator, value)?;
    Ok(SeccompRule::new(vec![condition])?)
}

fn refuse(rules: Rules) -> Result<BpfProgram, seccompiler::Error> {
    let refusal = SeccompAction::Errno(libc::EPERM as u32);
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, refusal, TargetArch::x86_64)?;
    Ok(filter.try_into()?)
}
