/* SPDX-License-Identifier: ISC
 * confine.h -- what this process will never need, given up before the first peer is heard.
 */
#ifndef SK_SERVER_SHELL_CONFINE_H
#define SK_SERVER_SHELL_CONFINE_H

#include "common/base/util.h"

enum confine_state {
    CONFINE_NONE, /* this kernel, or this build (sanitizers trace themselves), has no filter */
    CONFINE_PRIVILEGES, /* no new privileges, but no filter */
    CONFINE_FILTER      /* and no program can be run, no process looked into, no kernel changed */
};

/*
 * No core dumps (they would hold the master key), no new privileges by any exec, and a seccomp
 * filter under which the calls of a break-in give EPERM: exec, ptrace, mounts, modules, keys,
 * namespaces and the like. For this thread and those it starts from now on. What the kernel
 * lacks is left out.
 */
enum confine_state confine(void);

#endif
