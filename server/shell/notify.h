/* SPDX-License-Identifier: ISC
 * notify.h -- a word to the service manager: sd_notify(3)'s protocol, a datagram to $NOTIFY_SOCKET.
 *
 * Written here because it is a dozen lines, is promised stable, and libsystemd would bring five
 * compression and crypto libraries into the process.
 */
#ifndef SK_SERVER_SHELL_NOTIFY_H
#define SK_SERVER_SHELL_NOTIFY_H

#include "common/base/util.h"

/* Send `state` ("READY=1\nSTATUS=..."). Nothing where nobody asked, or the manager doesn't hear. */
void notify_send(const char *state);
/* How often the manager wants WATCHDOG=1 at the latest, in ms; 0: not at all. */
int64_t notify_watchdog_ms(void);

#endif
