/* SPDX-License-Identifier: ISC
 * A list of what is refused, not of what is allowed: libc, SQLite and OpenSSL change their calls
 * with every release, and a server that dies of an update in the night serves nobody.
 */
#include "server/shell/confine.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#define OUR_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#define OUR_ARCH AUDIT_ARCH_AARCH64
#endif

#if defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define SANITIZED 1 /* its leak check traces the process itself */
#endif
#endif
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SANITIZED 1
#endif

#if defined(OUR_ARCH) && !defined(SANITIZED)

enum { X32_BIT = 0x40000000 };

#define NO(call)                                                                                   \
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, __NR_##call, 0, 1),                                        \
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

/* seccomp(2), bpf: load, compare, return. */
static const struct sock_filter filter[] = {
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
    BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OUR_ARCH, 1, 0),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
    BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
    BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, X32_BIT, 0, 1),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
    /* other programs, other processes */
    NO(execve),
    NO(execveat),
    NO(ptrace),
    NO(process_vm_readv),
    NO(process_vm_writev),
    NO(pidfd_getfd),
    NO(kcmp),
    /* who we are, where we are */
    NO(setuid),
    NO(setgid),
    NO(setreuid),
    NO(setregid),
    NO(setresuid),
    NO(setresgid),
    NO(setgroups),
    NO(capset),
    NO(chroot),
    NO(pivot_root),
    NO(mount),
    NO(umount2),
    NO(unshare),
    NO(setns),
    NO(mknodat),
    /* the kernel */
    NO(init_module),
    NO(finit_module),
    NO(delete_module),
    NO(kexec_load),
    NO(bpf),
    NO(perf_event_open),
    NO(userfaultfd),
    NO(keyctl),
    NO(add_key),
    NO(request_key),
    NO(reboot),
    NO(swapon),
    NO(swapoff),
    NO(settimeofday),
    NO(clock_settime),
    NO(clock_adjtime),
    NO(adjtimex),
    NO(acct),
    NO(quotactl),
    NO(personality),
    NO(io_uring_setup),
    BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
};

static bool add_filter(void)
{
    struct sock_filter copy[ARRAY_LEN(filter)]; /* the kernel's type isn't const */
    const struct sock_fprog prog = {.len = ARRAY_LEN(copy), .filter = copy};

    memcpy(copy, filter, sizeof(copy));
    return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0) == 0;
}

#else

static bool add_filter(void)
{
    return false;
}

#endif

enum confine_state confine(void)
{
    const struct rlimit none = {0, 0};

    (void)setrlimit(RLIMIT_CORE, &none); /* lowering can't fail */
    if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
        return CONFINE_NONE;
    return add_filter() ? CONFINE_FILTER : CONFINE_PRIVILEGES;
}
