/* SPDX-License-Identifier: ISC
 * ctlsock_addr.h -- the address of a UNIX socket, whatever the length of its path.
 */
#ifndef SK_SERVER_SHELL_CTLSOCK_ADDR_H
#define SK_SERVER_SHELL_CTLSOCK_ADDR_H

#include <sys/un.h>

#include "common/base/util.h"

/* False: errno. *dir is -1, or a descriptor to close once the address has been used. */
NODISCARD bool ctlsock_addr(const char *path, struct sockaddr_un *out, int *dir);

#endif
