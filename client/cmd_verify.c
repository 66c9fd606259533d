/* SPDX-License-Identifier: ISC
 * cmd_verify.c -- `skirmish verify`: is a record sound in every byte?
 */
#include "client/cmd.h"
#include "client/record.h"
#include "common/base/str.h"

static int verify(const char *path, const char *head)
{
    struct buf text = BUF_EMPTY, words = BUF_EMPTY;
    struct record r;
    int code = cmd_read_file(path, RECORD_FILE_MAX, &text);

    if (code != EX_OK)
        return code;
    if (record_check(&r, buf_str(&text), text.len, head, NULL) != ERR_OK) {
        code = cmd_fail(EX_DATAERR, "%s: line %llu: %s", path, (unsigned long long)r.line, r.why);
    } else {
        buf_puts(&words, "Sound. ");
        record_words(&r, &words);
        code = cmd_write(&words);
    }
    record_fini(&r);
    buf_fini(&text);
    buf_fini(&words);
    return code;
}

static int run(const struct command *self, int argc, char **argv)
{
    const char *path = NULL, *head = NULL;

    for (int i = 1; i < argc; i++) {
        if (str_eq(argv[i], "--head") && i + 1 < argc)
            head = argv[++i];
        else if (path == NULL && (argv[i][0] != '-' || argv[i][1] == '\0'))
            path = argv[i];
        else
            return cmd_usage(self);
    }
    return path == NULL ? cmd_usage(self) : verify(path, head);
}

const struct command cmd_verify = {
    .name = "verify",
    .usage = "FILE [--head HASH]",
    .help = "check a record: hashes, dice, rules, end; HASH is one kept from play",
    .run = run,
};
