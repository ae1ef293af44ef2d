//! The system calls that reach beyond the process, and the effect that each of them means.
//!
//! *Refused* calls are never carried out. *Judged* calls are about files: inside the scratch folder they do no harm,
//! and landlock keeps them there; but they are effects all the same.

use testwright_abi::effect::Effect::{
    self, Change, Delete, Foreign, Make, Network, Process, Rename, Signal, System, Thread, Trace, Write,
};

/// What is never carried out, neither for the server nor for its children.
pub const REFUSED: &[(i64, Effect)] = &[
    (libc::SYS_socket, Network),
    (libc::SYS_connect, Network),
    (libc::SYS_accept, Network),
    (libc::SYS_accept4, Network),
    (libc::SYS_bind, Network),
    (libc::SYS_listen, Network),
    (libc::SYS_sendto, Network),
    (libc::SYS_recvfrom, Network),
    (libc::SYS_recvmsg, Network),
    (libc::SYS_sendmmsg, Network),
    (libc::SYS_recvmmsg, Network),
    (libc::SYS_setsockopt, Network),
    (libc::SYS_execve, Process),
    (libc::SYS_execveat, Process),
    (libc::SYS_ptrace, Trace),
    (libc::SYS_process_vm_readv, Trace),
    (libc::SYS_process_vm_writev, Trace),
    (libc::SYS_process_madvise, Trace),
    (libc::SYS_pidfd_getfd, Trace),
    (libc::SYS_kcmp, Trace),
    (libc::SYS_perf_event_open, Trace),
    (libc::SYS_setpgid, System),
    (libc::SYS_setsid, System),
    (libc::SYS_setpriority, System),
    (libc::SYS_ioprio_set, System),
    (libc::SYS_sched_setscheduler, System),
    (libc::SYS_sched_setattr, System),
    (libc::SYS_sched_setparam, System),
    (libc::SYS_sched_setaffinity, System),
    (libc::SYS_migrate_pages, System),
    (libc::SYS_move_pages, System),
    // Properties of files, which landlock does not cover.
    (libc::SYS_chmod, Change),
    (libc::SYS_fchmod, Change),
    (libc::SYS_fchmodat, Change),
    (SYS_FCHMODAT2, Change),
    (libc::SYS_chown, Change),
    (libc::SYS_fchown, Change),
    (libc::SYS_lchown, Change),
    (libc::SYS_fchownat, Change),
    (libc::SYS_setxattr, Change),
    (libc::SYS_lsetxattr, Change),
    (libc::SYS_fsetxattr, Change),
    (libc::SYS_removexattr, Change),
    (libc::SYS_lremovexattr, Change),
    (libc::SYS_fremovexattr, Change),
    (SYS_SETXATTRAT, Change),
    (SYS_REMOVEXATTRAT, Change),
    (SYS_FILE_SETATTR, Change),
    (libc::SYS_utime, Change),
    (libc::SYS_utimes, Change),
    (libc::SYS_futimesat, Change),
    (libc::SYS_utimensat, Change),
    (libc::SYS_open_by_handle_at, System),
    (libc::SYS_mount, System),
    (libc::SYS_umount2, System),
    (libc::SYS_move_mount, System),
    (libc::SYS_open_tree, System),
    (libc::SYS_fsopen, System),
    (libc::SYS_fsmount, System),
    (libc::SYS_fsconfig, System),
    (libc::SYS_fspick, System),
    (libc::SYS_mount_setattr, System),
    (libc::SYS_pivot_root, System),
    (libc::SYS_chroot, System),
    (libc::SYS_unshare, System),
    (libc::SYS_setns, System),
    (libc::SYS_swapon, System),
    (libc::SYS_swapoff, System),
    (libc::SYS_reboot, System),
    (libc::SYS_sethostname, System),
    (libc::SYS_setdomainname, System),
    (libc::SYS_settimeofday, System),
    (libc::SYS_clock_settime, System),
    (libc::SYS_adjtimex, System),
    (libc::SYS_clock_adjtime, System),
    (libc::SYS_acct, System),
    (libc::SYS_quotactl, System),
    (libc::SYS_quotactl_fd, System),
    (libc::SYS_syslog, System),
    (libc::SYS_vhangup, System),
    (libc::SYS_init_module, System),
    (libc::SYS_finit_module, System),
    (libc::SYS_delete_module, System),
    (libc::SYS_kexec_load, System),
    (libc::SYS_kexec_file_load, System),
    (libc::SYS_iopl, System),
    (libc::SYS_ioperm, System),
    (libc::SYS_modify_ldt, System),
    (libc::SYS_setrlimit, System),
    (libc::SYS_bpf, System),
    (libc::SYS_userfaultfd, System),
    (libc::SYS_io_uring_setup, System),
    (libc::SYS_io_uring_enter, System),
    (libc::SYS_io_uring_register, System),
    (libc::SYS_fanotify_init, System),
    (libc::SYS_add_key, System),
    (libc::SYS_request_key, System),
    (libc::SYS_keyctl, System),
    (libc::SYS_setuid, System),
    (libc::SYS_setgid, System),
    (libc::SYS_setreuid, System),
    (libc::SYS_setregid, System),
    (libc::SYS_setresuid, System),
    (libc::SYS_setresgid, System),
    (libc::SYS_setgroups, System),
    (libc::SYS_setfsuid, System),
    (libc::SYS_setfsgid, System),
    (libc::SYS_capset, System),
    // What would outlive the process.
    (libc::SYS_shmget, System),
    (libc::SYS_semget, System),
    (libc::SYS_msgget, System),
    (libc::SYS_mq_open, System),
];

/// What the server needs, and its children must not have: new processes and threads, and channels to talk through.
pub const REFUSED_IN_CHILDREN: &[(i64, Effect)] = &[
    (libc::SYS_fork, Process),
    (libc::SYS_vfork, Process),
    (libc::SYS_clone, Process),
    (libc::SYS_clone3, Process),
    (libc::SYS_pidfd_send_signal, Signal),
    (libc::SYS_socketpair, Network),
    (libc::SYS_sendmsg, Network),
];

/// Signals may go only to the process itself, which is the first argument of these.
pub const SIGNALS: &[i64] = &[
    libc::SYS_kill,
    libc::SYS_tkill,
    libc::SYS_tgkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
];

/// Settings that keep the process tied to the server and out of core files.
pub const KEPT_SETTINGS: [i32; 2] = [libc::PR_SET_PDEATHSIG, libc::PR_SET_DUMPABLE];

/// Effects on files that landlock keeps inside the scratch folder.
pub const JUDGED: &[(i64, Effect)] = &[
    (libc::SYS_unlink, Delete),
    (libc::SYS_unlinkat, Delete),
    (libc::SYS_rmdir, Delete),
    (libc::SYS_rename, Rename),
    (libc::SYS_renameat, Rename),
    (libc::SYS_renameat2, Rename),
    (libc::SYS_creat, Write),
    (libc::SYS_truncate, Write),
    (libc::SYS_mkdir, Make),
    (libc::SYS_mkdirat, Make),
    (libc::SYS_symlink, Make),
    (libc::SYS_symlinkat, Make),
    (libc::SYS_link, Make),
    (libc::SYS_linkat, Make),
    (libc::SYS_mknod, Make),
    (libc::SYS_mknodat, Make),
];

/// Calls that open files by name, and which argument holds the flags.
pub const OPENS: [(i64, u8); 2] = [(libc::SYS_open, 1), (libc::SYS_openat, 2)];

/// What `personality` is asked with by those who only want to know.
pub const ASK_PERSONALITY: u64 = 0xffff_ffff;

/// Numbers from here on belong to the x32 ABI, a second way to make the same calls.
pub const X32: u32 = 0x4000_0000;

const SYS_FCHMODAT2: i64 = 452;
const SYS_SETXATTRAT: i64 = 463;
const SYS_REMOVEXATTRAT: i64 = 466;
const SYS_FILE_SETATTR: i64 = 469;

/// Any of these flags makes an `open` one for writing.
pub const WRITING: [i32; 4] = [libc::O_WRONLY, libc::O_RDWR, libc::O_CREAT, libc::O_TRUNC];

/// Whether a file is opened with these flags in order to write to it, or to make it.
pub fn is_writing(flags: u64) -> bool {
    WRITING.iter().any(|flag| flags & *flag as u64 != 0)
}

/// The effect of a call that a filter has stopped; none if it opens a file for reading, or is none of those above.
pub fn effect_of(number: i64, arguments: &[u64; 6]) -> Option<Effect> {
    if number as u64 & u64::from(X32) != 0 {
        return Some(Foreign);
    }
    if let Some((_, flags)) = OPENS.iter().find(|(call, _)| *call == number) {
        return is_writing(arguments[usize::from(*flags)]).then_some(Write);
    }
    if number == libc::SYS_clone && arguments[0] & libc::CLONE_THREAD as u64 != 0 {
        return Some(Thread);
    }
    if SIGNALS.contains(&number) {
        return Some(Signal);
    }
    if [libc::SYS_munmap, libc::SYS_mremap].contains(&number) {
        return Some(Foreign);
    }
    if [libc::SYS_prctl, libc::SYS_prlimit64, libc::SYS_personality].contains(&number) {
        return Some(System);
    }
    let all = REFUSED.iter().chain(REFUSED_IN_CHILDREN).chain(JUDGED);
    all.clone().find(|(call, _)| *call == number).map(|(_, effect)| *effect)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_have_the_effects_that_their_arguments_mean() {
        let effect = |number, arguments: &[u64]| {
            let mut all = [0; 6];
            all[..arguments.len()].copy_from_slice(arguments);
            effect_of(number, &all)
        };
        assert_eq!(effect(libc::SYS_unlink, &[]), Some(Delete));
        assert_eq!(effect(libc::SYS_openat, &[0, 0, libc::O_RDONLY as u64]), None);
        assert_eq!(effect(libc::SYS_openat, &[0, 0, libc::O_CLOEXEC as u64]), None);
        assert_eq!(effect(libc::SYS_open, &[0, libc::O_RDWR as u64]), Some(Write));
        assert_eq!(effect(libc::SYS_open, &[0, (libc::O_CREAT | libc::O_EXCL) as u64]), Some(Write));
        assert_eq!(effect(libc::SYS_clone, &[libc::SIGCHLD as u64]), Some(Process));
        assert_eq!(effect(libc::SYS_clone, &[(libc::CLONE_VM | libc::CLONE_THREAD) as u64]), Some(Thread));
        assert_eq!(effect(libc::SYS_getpid | i64::from(X32), &[]), Some(Foreign));
        assert_eq!(effect(libc::SYS_getpid, &[]), None);
    }
}
