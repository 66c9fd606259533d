/* SPDX-License-Identifier: ISC
 * proof.h -- jobs on a database that no server has open: is everything in it, does this program make
 * the same games of it, and putting a backup in place.
 *
 * Each works on a copy in a scratch directory; the file given is never written to. They print what
 * they find for people and return an exit code (sysexits.h): EX_OK, EX_DATAERR something is missing
 * or plays differently, EX_TEMPFAIL a server has the file open, and others.
 */
#ifndef SK_SERVER_SHELL_PROOF_H
#define SK_SERVER_SHELL_PROOF_H

#include "common/base/util.h"

/*
 * Restore `file` into a scratch directory, bring it up to this program's schema, look through it, play
 * every match again from its first entry, and compare the hashes. `purpose` begins the verdict.
 */
NODISCARD int proof_check(const char *file, const char *purpose);

/*
 * The same, and then make it the database of the data directory `data`, where no server may run.
 * What is there is kept beside it under another name, the master key too: a restored server needs
 * a new one (DICE D7), which it makes at its start. Nothing is changed when the proof fails.
 */
NODISCARD int proof_restore(const char *file, const char *data);

#endif
