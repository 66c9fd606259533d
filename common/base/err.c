/* SPDX-License-Identifier: ISC */
#include "common/base/err.h"

#include "common/base/str.h"

enum { CODE_INTERNAL = -32603 };

static const struct row {
    const char *reason;
    int code;
    const char *words;
} rows[] = {
    [ERR_OK] = {"ok", 0, "done"},
#define X(name, reason, code, words) [name] = {reason, code, words},
    ERR_WIRE_TABLE(X)
#undef X
        [ERR_IO] = {"io", CODE_INTERNAL, "reading or writing failed"},
    [ERR_DATA] = {"data", CODE_INTERNAL, "not what it should be inside"},
    [ERR_ROOM] = {"room", CODE_INTERNAL, "too large"},
    [ERR_EOF] = {"eof", CODE_INTERNAL, "the other end is gone"},
    [ERR_USAGE] = {"usage", CODE_INTERNAL, "wrong words on the command line"},
};
_Static_assert(ARRAY_LEN(rows) == ERR_COUNT, "an error without a row");

static const struct row *row(enum err e)
{
    CHECK((unsigned)e < ERR_COUNT);
    return &rows[e];
}

const char *err_reason(enum err e)
{
    return row(e)->reason;
}

int err_code(enum err e)
{
    return row(e)->code;
}

const char *err_words(enum err e)
{
    return row(e)->words;
}

enum err err_from_reason(const char *reason)
{
    for (int e = ERR_OK + 1; e < ERR_IO; e++)
        if (str_eq(rows[e].reason, reason))
            return (enum err)e;
    return ERR_INTERNAL;
}
